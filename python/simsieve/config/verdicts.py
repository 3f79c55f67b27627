"""Verdicts of people on pairs of records: read from a file or from rows, and checked before any work."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simsieve.checks import shown
from simsieve.errors import ConfigError, SourceError, not_read

COLUMNS = ("a", "b", "verdict")
DIFFERENT, SAME, KEEP = range(3)
"""The numbers of the verdicts in the core."""

_ALLOWED = "same, different, keep a and keep b; an empty one is not judged yet"
WORDS = {"same": SAME, "different": DIFFERENT, "keep a": KEEP, "keep b": KEEP}
"""What a person can say of a pair."""
_ENDINGS = (".csv", ".tsv", ".jsonl")
_ENCODINGS = ("utf-8-sig", "gb18030")
_SIGNS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class _Row:
    """A verdict and where it was given; under `KEEP` the first record precedes the second."""

    where: str
    first: str
    second: str
    verdict: int


def check_verdicts(value: object) -> Any:
    """Check the setting: a file's name becomes a text, rows a tuple of texts; None is none.

    Raises:
        ConfigError: It is neither, or a row is no verdict.

    Example:
        >>> check_verdicts([(7, 9, "same")])
        (('7', '9', 'same'),)
    """
    if value is None:
        return None
    if isinstance(value, str | os.PathLike):
        name = os.fsdecode(value)
        if not name.lower().endswith(_ENDINGS):
            raise ConfigError(f"verdicts {shown(name)} is no table: give a file in {', '.join(_ENDINGS)}")
        return name
    if not isinstance(value, Iterable):
        raise ConfigError(f"verdicts {shown(value)} is not allowed: give a file, or rows of (a, b, verdict)")
    rows = []
    for number, row in enumerate(value, 1):
        cells = [row.get(name) for name in COLUMNS] if isinstance(row, Mapping) else row
        if isinstance(cells, str) or not isinstance(cells, Iterable):
            raise ConfigError(f"item {number} of verdicts is {shown(row)}: give (a, b, verdict)")
        texts = tuple("" if cell is None else str(cell) for cell in cells)
        if len(texts) != len(COLUMNS):
            raise ConfigError(f"item {number} of verdicts has {len(texts)} values: give (a, b, verdict)")
        rows.append(texts)
    found = tuple(rows)
    _checked([(f"item {number} of verdicts", row) for number, row in enumerate(found, 1)])
    return found


def read_verdicts(value: Any) -> list[tuple[str, str, int]]:
    """Read checked verdicts, for the core: the ids of two records, and the number of the verdict.

    Args:
        value: What `check_verdicts` gave.

    Raises:
        SourceError: The file cannot be read.
        ConfigError: A verdict is unknown, is on one record alone, or contradicts others; the text names the lines.

    Example:
        >>> read_verdicts((("q1", "q2", "keep b"), ("q3", "q4", "")))
        [('q2', 'q1', 2)]
    """
    if value is None:
        return []
    if isinstance(value, str):
        given = _lines_of(Path(value))
    else:
        given = [(f"item {number} of verdicts", row) for number, row in enumerate(value, 1)]
    return [(row.first, row.second, row.verdict) for row in _checked(given)]


def _checked(given: list[tuple[str, tuple[str, ...]]]) -> list[_Row]:
    rows: dict[tuple[str, str], _Row] = {}
    for where, (a, b, word) in given:
        plain = " ".join(word.lower().split())
        if not plain:
            continue
        if plain not in WORDS:
            raise ConfigError(f"{where}: verdict {shown(word)} is unknown: allowed are {_ALLOWED}")
        if not a or not b:
            raise ConfigError(f"{where}: a verdict needs two ids, and {'a' if not a else 'b'} is empty")
        if a == b:
            raise ConfigError(f"{where}: a and b are both {shown(a)}: a verdict is on two records")
        row = _Row(where, *((b, a) if plain == "keep b" else (a, b)), WORDS[plain])
        known = rows.setdefault((min(a, b), max(a, b)), row)
        if DIFFERENT in (known.verdict, row.verdict) and known.verdict != row.verdict:
            raise _contradiction([known, row], "one says different, the other does not")
        if known.verdict == row.verdict == KEEP and known.first != row.first:
            raise _contradiction([known, row], "each keeps the other record")
        if row.verdict == KEEP:
            rows[min(a, b), max(a, b)] = row
    found = list(rows.values())
    cycle = _cycle([row for row in found if row.verdict == KEEP])
    if cycle:
        raise _contradiction(cycle, "what they keep goes round in a circle")
    return found


def _contradiction(rows: list[_Row], why: str) -> ConfigError:
    named = "; ".join(f"{row.where} on {shown(row.first)} and {shown(row.second)}" for row in rows)
    return ConfigError(f"verdicts contradict one another, {why}: {named}; change or remove one of them")


def _cycle(rows: list[_Row]) -> list[_Row]:
    """A cycle among orders of two records, or nothing."""
    after: dict[str, list[_Row]] = {}
    waiting: dict[str, int] = {}
    for row in rows:
        after.setdefault(row.first, []).append(row)
        waiting.setdefault(row.first, 0)
        waiting[row.second] = waiting.get(row.second, 0) + 1
    free = [name for name, count in waiting.items() if not count]
    while free:
        for row in after.pop(free.pop(), ()):
            waiting[row.second] -= 1
            if not waiting[row.second]:
                free.append(row.second)
    # What is left waits for what is left: going back from any record leads into a cycle.
    before = {row.second: row for rows in after.values() for row in rows}
    if not before:
        return []
    path: list[_Row] = []
    name = next(iter(before))
    seen: dict[str, int] = {}
    while name not in seen:
        seen[name] = len(path)
        path.append(before[name])
        name = before[name].first
    return path[seen[name] :][::-1]


def _lines_of(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise not_read(path, "the file of verdicts", error) from error
    if path.name.lower().endswith(".jsonl"):
        return _objects(path, content)
    for encoding in _ENCODINGS:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _table(path, text)
    raise SourceError(f"{path}: is neither UTF-8 nor GB18030; save it as CSV in UTF-8")


def _table(path: Path, text: str) -> list[tuple[str, tuple[str, ...]]]:
    header = text.split("\n", 1)[0]
    signs = ("\t",) if path.name.lower().endswith(".tsv") else _SIGNS
    named = [[cell.strip().lower() for cell in next(csv.reader([header], delimiter=sign), [])] for sign in signs]
    sign, names = max(zip(signs, named, strict=True), key=lambda each: sum(name in each[1] for name in COLUMNS))
    for name in COLUMNS:
        if names.count(name) != 1:
            how_many = "no" if name not in names else "more than one"
            raise ConfigError(f"{path}: has {how_many} column {name!r}: its header needs the columns a, b and verdict")
    at = [names.index(name) for name in COLUMNS]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    next(reader)
    found = []
    for cells in reader:
        if not any(cells):
            continue
        where = f"{path}, line {reader.line_num}"
        if len(cells) <= max(at):
            raise ConfigError(f"{where}: has {len(cells)} fields, and the header has {len(names)}; complete the row")
        found.append((where, tuple(cells[place].strip() for place in at)))
    return found


def _objects(path: Path, content: bytes) -> list[tuple[str, tuple[str, ...]]]:
    found = []
    for number, line in enumerate(content.decode("utf-8-sig", errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line, parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise ConfigError(f'{where}: is no JSON object such as {{"a": "q1", "b": "q2", "verdict": "same"}}')
        lacks = next((name for name in COLUMNS[:2] if row.get(name) is None), None)
        if lacks is not None and row.get("verdict"):
            raise ConfigError(f"{where}: has no {lacks}: give the ids of two records in a and b")
        found.append((where, tuple("" if (cell := row.get(name)) is None else id_text(cell) for name in COLUMNS)))
    return found


def id_text(value: Any) -> str:
    """Write an id as it stands in a table.

    Example:
        >>> id_text(7), id_text("7")
        ('7', '7')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
