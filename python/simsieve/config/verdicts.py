"""Verdicts of people on pairs of records: read from a file or from rows, and checked before any work."""

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from simsieve.checks import shown
from simsieve.config.pair_rows import (
    ENDINGS,
    NAMING,
    VERDICT,
    Name,
    PairRow,
    cell_text,
    check_columns,
    is_pair_file,
    pair_row,
    read_pairs,
)
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.tabular import is_frame, table_of

COLUMNS = ("a", "b", "verdict")
DIFFERENT, SAME, KEEP = range(3)
"""The numbers of the verdicts in the core."""

WORDS = {"same": SAME, "different": DIFFERENT, "keep a": KEEP, "keep b": KEEP}
"""What a person can say of a pair."""
_ALSO = {
    "same": ("1", "1.0", "true", "yes", "相同"),
    "different": ("0", "0.0", "false", "no", "不同"),
    "keep a": ("keepa", "保留a", "留a", "保留 a", "留 a"),
    "keep b": ("keepb", "保留b", "留b", "保留 b", "留 b"),
}
_MEANT = {word: word for word in WORDS} | {other: word for word, others in _ALSO.items() for other in others}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict and where it was given; under `KEEP` the first record precedes the second."""

    where: str
    first: Name
    second: Name
    verdict: int


def verdict_word(text: str) -> str | None:
    """Give the word that is meant: `same`, `different`, `keep a` or `keep b`; None where it is none."""
    return _MEANT.get(" ".join(unicodedata.normalize("NFKC", text).casefold().split()))


def check_verdicts(value: object) -> Any:
    """Check the setting: a file's name becomes a text, rows and tables a tuple of texts."""
    if isinstance(value, str | os.PathLike):
        name = os.fsdecode(value)
        if not is_pair_file(name):
            raise ConfigError(
                "verdicts {name} is no table: give a file in {endings}", name=shown(name), endings=", ".join(ENDINGS)
            )
        return name
    given = _of_frame(value) if is_frame(value) else value
    if not isinstance(given, Iterable):
        raise ConfigError(
            "verdicts {value} is not allowed: give a file, a table, or rows of (a, b, verdict)", value=shown(value)
        )
    rows = []
    for number, row in enumerate(given, 1):
        cells = _cells(Message("item {number} of verdicts", number=number), row) if isinstance(row, Mapping) else row
        if isinstance(cells, str) or not isinstance(cells, Iterable):
            raise ConfigError("item {number} of verdicts is {row}: give (a, b, verdict)", number=number, row=shown(row))
        texts = tuple(cell_text(cell) if isinstance(cell, str | float | None) else str(cell) for cell in cells)
        if len(texts) != len(COLUMNS) and not isinstance(row, Mapping):
            raise ConfigError(
                "item {number} of verdicts has {count} values: give (a, b, verdict)", number=number, count=len(texts)
            )
        rows.append(texts)
    found = tuple(rows)
    checked_verdicts(_items(found))
    return found


def _of_frame(value: Any) -> list[dict[str, Any]]:
    table = table_of(value)
    check_columns("the table of verdicts", table.column_names, judged=True)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _cells(where: str, row: Mapping[str, Any]) -> list[Any]:
    """The ids and the verdict of a row, whose verdict may be called a label, as in files; and the positions, if any."""
    check_columns(where, row, judged=True)
    positions = [row.get(name) for name in NAMING] if row.keys() & set(NAMING) else []
    return [row["a"], row["b"], next(row[name] for name in VERDICT if name in row), *positions]


def _items(rows: Iterable[Sequence[str]]) -> list[PairRow]:
    found = []
    for number, cells in enumerate(rows, 1):
        values = dict(zip((*COLUMNS, *NAMING), cells, strict=False))
        row = pair_row(Message("item {number} of verdicts", number=number), values, judged=True)
        found += [] if row is None else [row]
    return found


def read_verdicts(value: Any) -> list[tuple[Name, Name, int]]:
    """Read checked verdicts, for the core: the names of two records, and the number of the verdict."""
    return [(row.first, row.second, row.verdict) for row in checked_verdicts(rows_of(value))]


def rows_of(value: Any) -> list[PairRow]:
    """Read the rows of checked verdicts."""
    if value is None:
        return []
    return read_pairs(value, judged=True) if isinstance(value, str) else _items(value)


def checked_verdicts(given: Sequence[PairRow]) -> list[Verdict]:
    """Check the verdicts of rows, and give each pair once; rows that are not judged are left out."""
    rows: dict[frozenset[Name], Verdict] = {}
    for one in given:
        if not one.word:
            continue
        plain = verdict_word(one.word)
        if plain is None:
            raise ConfigError(
                "{where}: verdict {word} is unknown: allowed are {words}, or 1 and 0; an empty one is not judged yet",
                where=one.where, word=shown(one.word), words=", ".join(WORDS),
            )  # fmt: skip
        a, b = one.names
        row = Verdict(one.where, *((b, a) if plain == "keep b" else (a, b)), WORDS[plain])
        pair = frozenset((a, b))
        known = rows.setdefault(pair, row)
        if DIFFERENT in (known.verdict, row.verdict) and known.verdict != row.verdict:
            raise _contradiction([known, row], "one says different, the other does not")
        if known.verdict == row.verdict == KEEP and known.first != row.first:
            raise _contradiction([known, row], "each keeps the other record")
        if row.verdict == KEEP:
            rows[pair] = row
    found = list(rows.values())
    cycle = _cycle([row for row in found if row.verdict == KEEP])
    if cycle:
        raise _contradiction(cycle, "what they keep goes round in a circle")
    return found


def _contradiction(rows: list[Verdict], why: str) -> ConfigError:
    template = "{where} on {first} and {second}"
    each = [
        Message(template, where=row.where, first=shown(str(row.first)), second=shown(str(row.second))) for row in rows
    ]
    named = reduce(lambda one, other: Message("{one}; {other}", one=one, other=other), each)
    return ConfigError(
        "verdicts contradict one another, {why}: {named}; change or remove one of them", why=why, named=named
    )


def _cycle(rows: list[Verdict]) -> list[Verdict]:
    """A cycle among orders of two records, or nothing."""
    after: dict[Name, list[Verdict]] = {}
    waiting: dict[Name, int] = {}
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
    # Each record left waits for another one: going back from any record leads into a cycle.
    before = {row.second: row for rows in after.values() for row in rows}
    if not before:
        return []
    path: list[Verdict] = []
    name = next(iter(before))
    seen: dict[Name, int] = {}
    while name not in seen:
        seen[name] = len(path)
        path.append(before[name])
        name = before[name].first
    return path[seen[name] :][::-1]
