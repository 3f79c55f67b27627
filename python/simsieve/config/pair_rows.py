"""Files of pairs: verdicts and labels of people, and what other programs found; each row has `a`, `b` and more."""

import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from simsieve.checks import shown
from simsieve.config.formats import given_cell
from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.files import read_file
from simsieve.messages import Message
from simsieve.optional import arrow

ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
"""The endings of files of pairs; those of text may be packed too."""
_PACKED = (".gz", ".zst")
POSITIONS = {"a": "position_a", "b": "position_b"}
"""The columns of positions: they count where an id is that of several records or of none."""
CHECKS = {"a": "check_a", "b": "check_b"}
"""The columns by which the texts are known again, so that a position names nothing in other sources."""
NAMING = (*POSITIONS.values(), *CHECKS.values())
VERDICT = ("verdict", "label")
"""The columns of a verdict: the first one that is there counts."""
_SIGNS = (",", ";", "\t")
_KNOWN = 12
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Columns that a message lists."""


class Name(NamedTuple):
    """How a pair names a record: an id, a position among the new records, or a check of the text."""

    id: str | None
    position: int | None
    check: int | None = None

    @classmethod
    def of(cls, text: str) -> "Name":
        """Give the name of an id; whole numbers name the records without an id, too."""
        is_position = text.isascii() and text.isdecimal() and str(int(text)) == text and int(text) < MOST_RECORDS
        return cls(text, int(text) if is_position else None)

    def __str__(self) -> str:
        """Write the name as in a table."""
        return str(self.position) if self.id is None else self.id


MOST_RECORDS = 2**32
"""Above all positions."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row of a file of pairs; `where` is the file and the line, for messages."""

    where: str
    a: str
    b: str
    values: Mapping[str, Any]

    @property
    def names(self) -> tuple[Name, Name]:
        """How the row names its two records."""
        return self._name("a", self.a), self._name("b", self.b)

    def _name(self, column: str, text: str) -> Name:
        position = POSITIONS[column]
        if position not in self.values:
            return Name.of(text)
        cell = cell_text(self.values[position]).strip()
        # In a frame a column of whole numbers with gaps has real ones.
        found = Name.of(cell.removesuffix(".0")).position
        if cell and found is None:
            raise ConfigError(
                "{where}: {position} {cell} is no position: give a whole number, or none",
                where=self.where, position=position, cell=shown(cell),
            )  # fmt: skip
        if found is None:
            return Name(text, None)
        check = cell_text(self.values.get(CHECKS[column])).strip()
        if check and not _CHECK.fullmatch(check):
            raise ConfigError(
                "{where}: {checks} {check} is none: leave it as it was, or empty",
                where=self.where, checks=CHECKS[column], check=shown(check),
            )  # fmt: skip
        # Digits alone may be the id of another record, so without a check they are the position.
        return Name(None if text == str(found) and not check else text, found, number_of(check) if check else None)

    @property
    def has_positions(self) -> bool:
        """Whether both records are named by their positions, too."""
        return all(cell_text(self.values.get(name)).strip() for name in POSITIONS.values())

    @property
    def word(self) -> str:
        """What was judged, as it is written; empty where nothing was."""
        value = next((self.values[name] for name in VERDICT if name in self.values), None)
        return cell_text(value).strip()


_CHECK = re.compile("[a-p]{8}")


def check_word(number: int) -> str:
    """Write a check as letters, which no spreadsheet takes for a number."""
    return "".join(chr(ord("a") + (number >> shift & 15)) for shift in range(28, -1, -4))


def number_of(check: str) -> int:
    """Read what `check_word` wrote."""
    return sum((ord(letter) - ord("a")) << 4 * at for at, letter in enumerate(reversed(check)))


def id_text(value: Any) -> str:
    """Write an id as it is in a table."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cell_text(value: Any) -> str:
    """Write a cell as text; one that is missing is empty."""
    # Only NaN, which frames have for a missing value, differs from itself.
    return "" if value is None or value != value else id_text(value)  # noqa: PLR0124 - see above


def is_pair_file(name: str) -> bool:
    """Say whether a name has one of the endings of files of pairs."""
    return name.lower().endswith(ENDINGS) or Path(_unpacked(name)).suffix.lower() in ENDINGS[:-1]


def table_rows(path: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Read the rows of a table in one of the forms of files of pairs; each comes with its place, for messages."""
    name = _unpacked(path).lower()
    if name.endswith(".parquet"):
        return _of_parquet(path)
    text = _text_of(path)
    return _objects(path, text, one_list=name.endswith(".json")) if ".json" in name[-6:] else _table(path, text)


def read_pairs(path: str, *, judged: bool = False) -> list[PairRow]:
    """Read a file of pairs: CSV, TSV, JSON lines or a list, also packed, or Parquet; in UTF-8, UTF-16 or GB18030."""
    given = table_rows(path)
    rows = []
    number = 0
    seen: set[str] = set()
    for number, (where, values) in enumerate(given, 1):
        if number == 1:
            check_columns(path, values, judged=False)
        seen |= values.keys()
        row = pair_row(where, values, judged=judged)
        if row is not None:
            rows.append(row)
    if not number:
        raise ConfigError(
            "{path}: has no pair: give a row for each, with the columns {needed}",
            path=path, needed=_needed(judged=judged),
        )  # fmt: skip
    # Of JSON lines the first may have no verdict yet.
    check_columns(path, sorted(seen), judged=judged)
    return rows


def pair_row(where: str, values: Mapping[str, Any], *, judged: bool) -> PairRow | None:
    """Check a row; None where a verdict is wanted and the row has none."""
    a, b = (cell_text(values.get(name)).strip() for name in "ab")
    row = PairRow(where, a, b, {name: value for name, value in values.items() if name not in ("a", "b")})
    if judged and not row.word:
        return None
    if not a or not b:
        raise ConfigError("{where}: a pair needs two ids, and {more} is empty", where=where, more="a" if not a else "b")
    for value in (a, b, *map(cell_text, row.values.values())):
        if not value.isascii() and _SURROGATE.search(value):
            raise ConfigError(
                "{where}: {value} has half of a character (a lone surrogate), which no table keeps: correct it",
                where=where, value=shown(value),
            )  # fmt: skip
    one, other = row.names
    if one == other or (row.has_positions and one.position == other.position):
        raise ConfigError(
            "{where}: a and b are both {a}: a pair is of two records, each with its own id or position",
            where=where, a=shown(a),
        )  # fmt: skip
    return row


def _needed(*, judged: bool) -> str:
    return "a, b and verdict" if judged else "a and b"


def check_columns(path: str, values: Iterable[str], *, judged: bool) -> None:
    """Check that there are columns for two ids, and for a verdict where one is wanted."""
    names = list(values)
    lacking = [name for name in "ab" if name not in names]
    if judged and not lacking and not any(name in names for name in VERDICT):
        lacking = ["verdict"]
    if lacking:
        known = ", ".join(shown(name) for name in names[:_KNOWN]) + (", ..." if len(names) > _KNOWN else "")
        raise ConfigError(
            "{path}: has no column {lacking!r}: a file of pairs needs the columns {needed}; it has {value}",
            path=path, lacking=lacking[0], needed=_needed(judged=judged), value=known or "none",
        )  # fmt: skip


def _unpacked(path: str) -> str:
    return next((path[: -len(ending)] for ending in _PACKED if path.lower().endswith(ending)), path)


def _content(path: str) -> bytes:
    try:
        return read_file(path, may_be_given=True)
    except OSError as error:
        raise not_read(path, "the file of pairs", error) from error


def _text_of(path: str) -> str:
    content = _content(path)
    try:
        if path.lower().endswith(".zst"):
            with arrow().CompressedInputStream(arrow().BufferReader(content), "zstd") as stream:
                content = bytes(stream.read())
        elif path.lower().endswith(".gz"):
            content = gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise SourceError("{path}: is no whole packed file ({error}); pack it again", path=path, error=error) from error
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "gb18030"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise SourceError("{path}: is neither UTF-8 nor GB18030; save it as CSV in UTF-8", path=path)


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Let a field be as long as a text may be; Python's own limit is 128 KiB."""
    usual = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _table(path: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    signs = ("\t",) if _unpacked(path).lower().endswith(".tsv") else _SIGNS
    with _fields_of_any_length():
        found = [(sign, _header(text, sign)) for sign in signs]
        sign, names = max(found, key=lambda each: sum(name in each[1] for name in ("a", "b", *VERDICT)))
        twice = next((name for name in ("a", "b", *VERDICT) if names.count(name) > 1), None)
        if twice is not None:
            raise ConfigError("{path}: has more than one column {twice!r}: remove all but one", path=path, twice=twice)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        next(reader, None)
        rows = []
        for cells in reader:
            if not any(cells):
                continue
            where = Message("{path}, line {line_num}", path=path, line_num=reader.line_num)
            if len(cells) != len(names):
                raise ConfigError(
                    "{where}: has {count} fields, and the header has {count_2}; correct the row",
                    where=where, count=len(cells), count_2=len(names),
                )  # fmt: skip
            rows.append((where, dict(zip(names, (given_cell(cell.strip()) for cell in cells), strict=True))))
        if not rows and any(names):
            # A header alone shows which column is missing.
            check_columns(path, dict.fromkeys(names), judged=False)
    yield from rows


def _header(text: str, sign: str) -> list[str]:
    return [cell.strip().lower() for cell in next(csv.reader(io.StringIO(text, newline=""), delimiter=sign), [])]


def _objects(path: str, text: str, *, one_list: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    if one_list:
        items: Any = _json(text)
        if not isinstance(items, list):
            raise ConfigError("{path}: is no JSON list of objects such as {object}", path=path, object=_OBJECT)
        given = [
            (Message("{path}, item {number}", path=path, number=number), item) for number, item in enumerate(items, 1)
        ]
    else:
        lines = enumerate(io.StringIO(text), 1)
        given = [
            (Message("{path}, line {number}", path=path, number=number), _json(line))
            for number, line in lines
            if line.strip()
        ]
    for where, row in given:
        if not isinstance(row, dict):
            raise ConfigError("{where}: is no JSON object such as {object}", where=where, object=_OBJECT)
        yield where, row


_OBJECT = '{"a": "q1", "b": "q2", "verdict": "same"}'


def _json(text: str) -> Any:
    try:
        # Numbers stay as they are written: they may be ids.
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _of_parquet(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    pa, content = arrow(), _content(path)
    try:
        table = arrow("pyarrow.parquet").read_table(pa.BufferReader(content))
    except (OSError, pa.lib.ArrowException) as error:
        raise SourceError("{path}: is no whole Parquet file; fetch or write it again", path=path) from error
    for number, row in enumerate(table.to_pylist(), 1):
        yield Message("{path}, row {number}", path=path, number=number), row
