"""Tables of results: decisions, pairs, failed and dropped records, clusters, fingerprints, in the format of their file.

Every table is made as JSON lines, an object a row. CSV, TSV and Parquet are made of these lines, in two passes: the
first finds the columns and what they hold, the second writes. So a table has the same rows in every format. Parquet is
made by blocks of columns where the values allow it.
"""

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from simsieve.config.formats import safe_cell
from simsieve.errors import ConfigError, InternalError
from simsieve.json_values import exact_text, exact_values, json_of, row_of, utf8_of
from simsieve.optional import arrow
from simsieve.registry import in_database
from simsieve.sinks.base import Columns, FileSink, Kind, SinkPath, TableFormat, temporary_folder, uploaded, written

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

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
_BATCH_LINES = 1 << 10
_BUFFER_BYTES = 1 << 16
_INT64 = range(-(2**63), 2**63)
_INT64_DIGITS = 20
_ARROW = {"text": "string", "int": "int64", "float": "float64", "bool": "bool"}
_EXACT = 1 << 53
"""The largest size of whole numbers that all have an exact float."""
_Found = Kind | Literal["wide"] | None
"""The kind of a column so far; `wide` are whole numbers, some without an exact float."""
_BOTH: dict[frozenset[str], _Found] = {frozenset(("int", "float")): "float", frozenset(("int", "wide")): "wide"}


def table_format(sink: SinkPath) -> TableFormat | None:
    """Give the format that the name of a table's file means."""
    name = os.fspath(sink)
    if in_database(name):
        raise ConfigError(
            "only kept records and decisions of `dedup` go to a database: give a file in place of the URI"
        )
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
            "{name}: a table of results cannot have the ending {splitext}: {allowed}{get}",
            name=name, splitext=os.path.splitext(name)[1], allowed=ALLOWED, get=_TIPS.get(ending, ""),
        )  # fmt: skip
    return form


def table_format_of(sink: SinkPath, given: str | None = None) -> TableFormat:
    """Give the format of a table: the one that is given, else that of the file's name, else JSON lines."""
    if given is not None and given not in _ENDINGS.values():
        raise ConfigError(
            "{@output_format} {given!r} is not one of a table: allowed are jsonl, csv, tsv and parquet", given=given
        )
    form = cast(TableFormat, given) if given is not None else table_format(sink) or "jsonl"
    if form == "parquet" and os.fspath(sink) == "-":
        raise ConfigError("Parquet is not written to stdout; name a file")
    return form


class TableSink:
    """A table in the format of its file's name: in come rows as lines of JSON, without line ends."""

    def __init__(
        self,
        sink: SinkPath,
        columns: Mapping[str, Kind | None],
        form: TableFormat | None = None,
        *,
        last: Mapping[str, Kind | None] | None = None,
        private: bool = False,
        safe: bool = False,
    ) -> None:
        self._form, self._safe = form or table_format_of(sink), safe
        self._columns, self._last = columns, last or {}
        self._file = FileSink(sink, private=private)
        self._folder: TemporaryDirectory[str] | None = None
        self._lines: IO[bytes] | None = None

    def check(self) -> None:
        """Check that the file can be written."""
        self._file.check()

    def begin(self) -> None:
        """Begin the file, and the lines that other formats are made of."""
        self._file.begin()
        if self._form != "jsonl":
            self._folder = temporary_folder()
            self._lines = open(self.lines, "wb")  # noqa: SIM115 - closed by commit and abort

    @property
    def lines(self) -> str:
        """The file with the lines of a table that is begun and is no JSON lines; others may write it."""
        if self._folder is None:
            raise InternalError("only a table in another format, which is begun, has a file with its lines")
        return os.path.join(self._folder.name, "rows.jsonl")

    def write(self, batch: Lines, /) -> None:
        """Write rows."""
        put = self._file.write if self._lines is None else self._lines.write
        lines = iter(batch)
        while some := list(islice(lines, _BATCH_LINES)):
            put(b"\n".join(some) + b"\n")

    def commit(self) -> None:
        """Make the table of its lines, and give it its name."""
        if self._lines is not None:
            self._lines.close()
            self._write_table()
            self._drop()
        self._file.commit()

    def _write_table(self) -> None:
        """Write the lines in the format: Parquet by blocks of columns, where the values are plain enough for it."""
        given = {**self._columns, **self._last}
        with open(self.lines, "rb") as lines:
            plain = plain_kinds(lines, given) if self._form == "parquet" else None
            lines.seek(0)
            found = _kinds(lines, given) if plain is None else plain
            lines.seek(0)
            kinds = {name: found[name] for name in [*(name for name in found if name not in self._last), *self._last]}
            if self._form != "parquet":
                _write_delimited(lines, list(kinds), self._form, self._file, safe=self._safe)
                return
            schema = _schema(kinds)
            with arrow("pyarrow.parquet").ParquetWriter(self._file.stream(), schema) as writer:
                for block in _row_blocks(lines, kinds, schema) if plain is None else column_blocks(lines, schema):
                    writer.write_table(block)

    def abort(self) -> None:
        """Remove the file and the lines."""
        self._drop()
        self._file.abort()

    def _drop(self) -> None:
        lines, self._lines = self._lines, None
        folder, self._folder = self._folder, None
        if lines is not None:
            lines.close()
        if folder is not None:
            folder.cleanup()


def write_table(
    sink: SinkPath, write_lines: Callable[[str], None], columns: Columns, *, private: bool = False, safe: bool = True
) -> None:
    """Write a table whose lines the core makes; the file appears whole or not at all."""
    if table_format_of(sink) == "jsonl":
        with uploaded(sink) as path:
            write_lines(path)
        return
    with written(TableSink(sink, columns, private=private, safe=safe)) as table:
        write_lines(table.lines)


def write_objects(
    sink: SinkPath, columns: Columns, rows: Iterable[Mapping[str, Any]], *, private: bool = False, safe: bool = True
) -> None:
    """Write a table of objects, a row each; the file appears whole or not at all."""
    with written(TableSink(sink, columns, private=private, safe=safe)) as table:
        table.write(map(line_of, rows))


def write_blocks(sink: SinkPath, blocks: Iterable[Any], columns: Mapping[str, Kind | None]) -> None:
    """Write a table in Parquet of tables of Arrow, one after another; the file appears whole or not at all."""
    pa, writer = arrow(), None
    with written(FileSink(sink)) as file, ExitStack() as open_writers:
        for block in blocks:
            if writer is None:
                kinds = {
                    field.name: columns.get(field.name) or ("int" if pa.types.is_integer(field.type) else "text")
                    for field in block.schema
                }
                # A dictionary of labels or positions would be as long as the column: twice the time for no gain.
                repeated = [name for name in kinds if columns.get(name) == "text"]
                made = arrow("pyarrow.parquet").ParquetWriter(file.stream(), _schema(kinds), use_dictionary=repeated)
                writer = open_writers.enter_context(made)
            writer.write_table(block.cast(writer.schema))


def line_of(row: Mapping[str, Any]) -> bytes:
    """Write a row as a line of JSON, without a line end."""
    return utf8_of(json_of(row, separators=(",", ":")))


def _rows(lines: Lines) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield row_of(line, parse_int=_whole)


def _whole(digits: str) -> int | str:
    """A whole number, or its digits where no column of numbers holds it."""
    number = int(digits) if len(digits) <= _INT64_DIGITS else None
    return digits if number is None or number not in _INT64 else number


def _kinds(lines: Lines, columns: Mapping[str, Kind | None]) -> dict[str, Kind]:
    """What each column holds: text where values differ in kind, or are objects or lists."""
    found: dict[str, _Found] = {**columns}
    for row in _rows(lines):
        for name, value in row.items():
            if columns.get(name) is None:
                found[name] = _joined(found.get(name), value)
    return {name: _kind(kind) for name, kind in found.items()}


def _joined(kind: _Found, value: Any) -> _Found:
    if value is None or kind == "text":
        return kind
    one: Kind | Literal["wide"] = "text"
    if isinstance(value, bool):
        one = "bool"
    elif isinstance(value, int):
        one = "int" if abs(value) <= _EXACT else "wide" if value in _INT64 else "text"
    elif isinstance(value, float):
        one = "float"
    if kind is None or kind == one:
        return one
    return _BOTH.get(frozenset((kind, one)), "text")


def _kind(found: _Found) -> Kind:
    return "int" if found == "wide" else found or "text"


def _text(value: Any) -> str | None:
    """A value as the text of a field: a text as it is, all else as JSON has it."""
    if value is None:
        return None
    text = value if isinstance(value, str) else exact_text(value)
    # A lone surrogate has no UTF-8; escaped it stays visible.
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def _write_delimited(lines: Lines, names: Sequence[str], form: TableFormat, file: FileSink, *, safe: bool) -> None:
    """CSV as Excel reads it: a byte order mark, and line ends of two characters; TSV without."""
    excel = form == "csv"
    buffer = io.BufferedWriter(file.stream(), _BUFFER_BYTES)
    text = io.TextIOWrapper(buffer, encoding="utf-8-sig" if excel else "utf-8", newline="")
    table = csv.writer(text, delimiter="," if excel else "\t", lineterminator="\r\n" if excel else "\n")
    table.writerow(names)
    for line in lines:
        # Numbers stay as they are written.
        row = exact_values(line)
        values = (row.get(name) for name in names)
        table.writerow([safe_cell(one) if safe and type(one) is str else _text(one) for one in values])
    text.flush()
    text.detach()


def _schema(kinds: Mapping[str, Kind]) -> Any:
    pa = arrow()
    return pa.schema([(name, pa.type_for_alias(_ARROW[kind])) for name, kind in kinds.items()])


def _row_blocks(lines: Lines, kinds: Mapping[str, Kind], schema: Any) -> Iterator[Any]:
    rows = _rows(lines)
    while batch := list(islice(rows, _BATCH_ROWS)):
        arrays = [arrow_array([row.get(name) for row in batch], kind) for name, kind in kinds.items()]
        yield arrow().table(arrays, schema=schema)


def arrow_array(values: Sequence[Any], kind: Kind) -> Any:
    """Make a column of Arrow of values as JSON has them."""
    held = [_text(value) for value in values] if kind == "text" else values
    return arrow().array(held, arrow().type_for_alias(_ARROW[kind]))


def kind_of(values: Iterable[Any]) -> Kind:
    """Give what a column of values holds: text where they differ in kind."""
    kind: _Found = None
    for value in values:
        kind = _joined(kind, value)
    return _kind(kind)


_BLOCK_BYTES = 1 << 24


def _blocks(lines: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, about 16 MiB of them at a time."""
    while block := lines.read(_BLOCK_BYTES):
        yield block + lines.readline()


def _table(block: bytes, schema: Any) -> Any:
    """The columns of a block; those that the schema does not name have the types that pyarrow finds."""
    json, pa = arrow("pyarrow.json"), arrow()
    parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
    # One block of pyarrow's own, so that a column has one type.
    return json.read_json(pa.BufferReader(block), json.ReadOptions(block_size=len(block) + 1), parse)


def plain_kinds(lines: IO[bytes], columns: Columns) -> dict[str, Kind] | None:
    """Find what each column holds, where all values of a column are of one plain kind."""
    pa = arrow()
    found = dict(columns)
    fixed = _schema({name: kind for name, kind in columns.items() if kind is not None})
    kinds: dict[Any, Kind] = {pa.int64(): "int", pa.string(): "text", pa.bool_(): "bool"}
    for block in _blocks(lines):
        try:
            table = _table(block, fixed)
        except pa.ArrowInvalid:
            return None
        for field in table.schema:
            if columns.get(field.name) is not None or field.type == pa.null():
                found.setdefault(field.name, None)
                continue
            # A text that looks like a date is a text.
            kind = "text" if pa.types.is_timestamp(field.type) else kinds.get(field.type)
            if kind is None or found.get(field.name) not in (None, kind):
                return None
            found[field.name] = kind
    return {name: kind or "text" for name, kind in found.items()}


def column_blocks(lines: IO[bytes], schema: Any) -> Iterator[Any]:
    """Give the rows as tables of Arrow with the columns of a schema, which has all of them."""
    pa = arrow()
    for block in _blocks(lines):
        table = _table(block, schema)
        missing = [name for name in schema.names if name not in table.column_names]
        for name in missing:
            table = table.append_column(schema.field(name), pa.nulls(len(table), schema.field(name).type))
        yield table.select(schema.names)
