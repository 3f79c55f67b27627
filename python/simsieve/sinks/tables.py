"""Tables of results: decisions, pairs, failed and dropped records, clusters, fingerprints, in the format of their file.

Every table is made as JSON lines, an object a row. CSV, TSV and Parquet are made of these lines, in two passes: the
first finds the columns and what they hold, the second writes. So a table has the same rows in every format.
"""

import csv
import gzip
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import IO, Any, cast

from simsieve.errors import ConfigError, SinkError
from simsieve.optional import arrow
from simsieve.sinks.atomic import atomic_file
from simsieve.sinks.base import Kind, SinkPath, TableFormat

Lines = Iterable[bytes]

ALLOWED = "allowed are .jsonl, .csv and .tsv, each also with .gz or .zst, and .parquet"

_ENDINGS: dict[str, TableFormat] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"
}  # fmt: skip
_PACKED = (".gz", ".zst")
_TIPS = {
    ".json": "; JSON lines are .jsonl",
    ".xlsx": "; Excel opens .csv",
    ".xls": "; Excel opens .csv",
    ".txt": "; a table for people is .tsv",
}
_BATCH_ROWS = 1 << 14
_INT64 = range(-(2**63), 2**63)
_INT64_DIGITS = 20
_ARROW = {"text": "string", "int": "int64", "float": "float64", "bool": "bool"}


def table_format(sink: SinkPath) -> TableFormat | None:
    """Give the format that the name of a table's file stands for.

    Returns:
        The format; None for stdout, a device or pipe, and a name without an ending.

    Raises:
        ConfigError: The ending is none that a table can have.

    Example:
        >>> table_format("why.csv"), table_format("-")
        ('csv', None)
    """
    name = os.fspath(sink)
    if name == "-" or (os.path.exists(name) and not os.path.isfile(name)):
        return None
    stem, ending = os.path.splitext(os.path.basename(name).lower())
    packed = ending in _PACKED
    if packed:
        ending = os.path.splitext(stem)[1]
    if not ending and not packed:
        return None
    form = _ENDINGS.get(ending)
    if form is None or (packed and form == "parquet"):
        raise ConfigError(
            f"{name}: a table of results cannot have the ending {os.path.splitext(name)[1]}: {ALLOWED}"
            f"{_TIPS.get(ending, '')}"
        )
    return form


def table_format_of(sink: SinkPath, given: str | None = None) -> TableFormat:
    """Give the format of a table: the one that is given, else that of the file's name, else JSON lines.

    Raises:
        ConfigError: The format or the ending is none that a table can have, or Parquet is to go to stdout.

    Example:
        >>> table_format_of("-"), table_format_of("-", "csv")
        ('jsonl', 'csv')
    """
    if given is not None and given not in _ENDINGS.values():
        raise ConfigError(f"output_format {given!r} is not one of a table: allowed are jsonl, csv, tsv and parquet")
    form = cast(TableFormat, given) if given is not None else table_format(sink) or "jsonl"
    if form == "parquet" and os.fspath(sink) == "-":
        raise ConfigError("Parquet is not written to stdout; name a file")
    return form


def write_table(
    sink: SinkPath,
    write_lines: Callable[[str], None],
    columns: Mapping[str, Kind | None],
    form: TableFormat | None = None,
    *,
    last: Mapping[str, Kind | None] | None = None,
) -> None:
    """Write a table in the format of its file's name; the file appears whole or not at all.

    Args:
        sink: The file; `-`, a device and a name without an ending take JSON lines.
        write_lines: Writes the rows as JSON lines to a file of the name that it gets.
        columns: The columns that are there in any case, in their order; what Parquet holds in each, or None where the
            values tell it. Others that rows have follow them.
        form: The format; by default the name tells it.
        last: Columns that follow all others.

    Raises:
        ConfigError: The ending is none that a table can have, or Parquet is to go to stdout.
        SinkError: The file cannot be written.

    Example:
        >>> with temporary_folder() as folder:
        ...     write_table(folder + "/a.tsv", lambda path: put_lines(path, [b'{"a":1}']), {"a": "int"})
        ...     with open(folder + "/a.tsv", encoding="utf-8") as file:
        ...         print(file.read().split())
        ['a', '1']
    """
    form = form or table_format_of(sink)
    if form == "jsonl":
        write_lines(os.fspath(sink))
        return
    with temporary_folder() as folder:
        path = os.path.join(folder, "rows.jsonl")
        write_lines(path)
        with open(path, "rb") as lines:
            kinds = _kinds(lines, columns, last or {})
        with open(path, "rb") as lines, written_file(sink) as file:
            if form == "parquet":
                _write_parquet(lines, kinds, file)
            else:
                _write_delimited(lines, list(kinds), form, file)


def put_lines(sink: str, lines: Lines) -> None:
    """Write lines to a file, `-` for stdout; a line end follows each.

    Example:
        >>> put_lines("-", [])
    """
    with written_file(sink) as file:
        for line in lines:
            file.write(line)
            file.write(b"\n")


def line_of(row: Mapping[str, Any]) -> bytes:
    """Write a row as a line of JSON, without a line end.

    Example:
        >>> line_of({"a": "é", "b": None}).decode()
        '{"a":"é","b":null}'
    """
    try:
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; escaped it stays visible.
        return json.dumps(row, separators=(",", ":"), default=str).encode()


@contextmanager
def written_file(sink: SinkPath) -> Iterator[IO[bytes]]:
    """Give a file to write to, compressed as its name says; it appears whole, or it is stdout, which stays open.

    Raises:
        SinkError: It cannot be written.

    Example:
        >>> with written_file("-") as file:
        ...     written = file.write(b"")
    """
    name = os.fspath(sink)
    if name == "-":
        sys.stdout.flush()
        yield getattr(sys.stdout, "buffer", io.BytesIO())
        sys.stdout.flush()
        return
    if os.path.exists(name) and not os.path.isfile(name):
        # A device or a pipe is written to, not replaced.
        try:
            with open(name, "wb") as device:
                yield device
        except BrokenPipeError:
            raise
        except OSError as error:
            raise SinkError(f"{name}: cannot be written: {error.strerror}; choose another place") from error
        return
    with atomic_file(name) as file:
        if name.lower().endswith(".gz"):
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        elif name.lower().endswith(".zst"):
            with arrow().CompressedOutputStream(arrow().PythonFile(_Lent(file), "w"), "zstd") as packed:
                yield packed
        else:
            yield file


class _Lent(io.RawIOBase):
    """A file that stays open when whoever has borrowed it closes it."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._file.write(content)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Give a folder that goes away with its files when the block ends.

    Raises:
        SinkError: It cannot be made.

    Example:
        >>> with temporary_folder() as folder:
        ...     os.listdir(folder)
        []
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="simsieve-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SinkError(f"{tempfile.gettempdir()}: {error.strerror}; set TMPDIR to a folder with room") from error
    with folder as name:
        yield name


def _rows(lines: Lines) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield json.loads(line, parse_int=_whole)


def _whole(digits: str) -> int | str:
    """A whole number, or its digits where no column of numbers holds it."""
    number = int(digits) if len(digits) <= _INT64_DIGITS else None
    return digits if number is None or number not in _INT64 else number


def _kinds(lines: Lines, columns: Mapping[str, Kind | None], last: Mapping[str, Kind | None]) -> dict[str, Kind]:
    """The columns in order, and what each holds: text where values differ in kind, or are objects or lists."""
    found: dict[str, Kind | None] = {**columns, **last}
    fixed = {name for name, kind in found.items() if kind is not None}
    for row in _rows(lines):
        for name, value in row.items():
            if name not in fixed:
                found[name] = _joined(found.get(name), value)
    order = [name for name in found if name not in last] + list(last)
    return {name: found[name] or "text" for name in order}


def _joined(kind: Kind | None, value: Any) -> Kind | None:
    if value is None or kind == "text":
        return kind
    one: Kind = "text"
    if isinstance(value, bool):
        one = "bool"
    elif isinstance(value, int):
        one = "int"
    elif isinstance(value, float):
        one = "float"
    if {kind, one} == {"int", "float"}:
        return "float"
    return one if kind in (None, one) else "text"


def _text(value: Any) -> str | None:
    """A value as the text of a field: a text as it is, all else as JSON has it."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate has no UTF-8; escaped it stays visible.
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def _write_delimited(lines: Lines, names: Sequence[str], form: TableFormat, file: IO[bytes]) -> None:
    """CSV as Excel reads it: a byte order mark, and line ends of two characters; TSV without."""
    excel = form == "csv"
    text = io.TextIOWrapper(file, encoding="utf-8-sig" if excel else "utf-8", newline="")
    table = csv.writer(text, delimiter="," if excel else "\t", lineterminator="\r\n" if excel else "\n")
    table.writerow(names)
    for line in lines:
        # Numbers stay as they are written.
        row = json.loads(line, parse_int=str, parse_float=str)
        table.writerow([_text(row.get(name)) for name in names])
    text.flush()
    text.detach()


def _write_parquet(lines: Lines, kinds: Mapping[str, Kind], file: IO[bytes]) -> None:
    pa = arrow()
    schema = pa.schema([(name, pa.type_for_alias(_ARROW[kind])) for name, kind in kinds.items()])
    rows = _rows(lines)
    with arrow("pyarrow.parquet").ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _BATCH_ROWS)):
            arrays = [arrow_array([row.get(name) for row in batch], kind) for name, kind in kinds.items()]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def arrow_array(values: Sequence[Any], kind: Kind) -> Any:
    """Make a column of Arrow of values as JSON has them.

    Example:
        >>> arrow_array([1, None], "int").null_count
        1
    """
    held = [_text(value) for value in values] if kind == "text" else values
    return arrow().array(held, arrow().type_for_alias(_ARROW[kind]))


def kind_of(values: Iterable[Any]) -> Kind:
    """Give what a column of values holds: text where they differ in kind.

    Example:
        >>> kind_of([1, None, 2.5])
        'float'
    """
    kind: Kind | None = None
    for value in values:
        kind = _joined(kind, value)
    return kind or "text"
