"""Files of pairs: what other programs found, what people judged; with a row `a`, `b` and more for each pair."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simsieve import _core
from simsieve.config.verdicts import DIFFERENT, WORDS, id_text
from simsieve.errors import ConfigError, SourceError

_JUDGED = {word: number != DIFFERENT for word, number in WORDS.items()}
_PLAIN = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
LABELS = {**_JUDGED, **_PLAIN}
"""The words for a label of a pair, and whether the two are the same by it."""
_MOST_BYTES = 1 << 28
_NAMED = 3
"""Ids that a message names."""

Key = tuple[int, int]
"""Two positions, the lesser one first."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row of a file of pairs.

    Args:
        place: The file and the record, for messages.
        a: The first id, as text.
        b: The second.
        values: The other fields.

    Example:
        >>> PairRow("pairs.csv, record 1", "x", "y", {}).a
        'x'
    """

    place: str
    a: str
    b: str
    values: dict[str, Any]


def read_pairs(path: str) -> list[PairRow]:
    """Read a file of pairs: JSON lines, CSV or TSV, also packed, with the columns `a` and `b`.

    Raises:
        SourceError: It cannot be read.
        ConfigError: A column is missing, or a row pairs a document with itself.
    """
    store = _core.Store([(path, None)], _MOST_BYTES, None, "auto")
    rows = []
    for number, line in enumerate(store.objects(range(len(store))), 1):
        place = f"{path}, record {number}"
        values = _object(place, line)
        lacking = [name for name in "ab" if values.get(name) in (None, "")]
        if lacking:
            known = ", ".join(repr(name) for name in values) or "none"
            raise ConfigError(
                f"{place} has no {' and no '.join(lacking)}: a file of pairs has the columns a and b, the ids of two"
                f" documents; the columns are {known}"
            )
        a, b = (id_text(values.pop(name)) for name in "ab")
        if a == b:
            raise ConfigError(f"{place} pairs {a!r} with itself: leave it out, or give documents ids of their own")
        rows.append(PairRow(place, a, b, values))
    return rows


def _object(place: str, line: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(line or b"")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SourceError(f"{place} is no row of a pair: give JSON lines, CSV or TSV with the columns a and b")
    return found


class Labelled(Protocol):
    """What gives the id of a document by its position."""

    def id(self, position: int) -> Any:
        """Give the id; None where there is none."""


class Ids:
    """The positions of documents by their ids; a document without an id is known by its position.

    Args:
        documents: The documents.
        count: How many.

    Example:
        >>> class Letters:
        ...     def id(self, position): return "abc"[position]
        >>> Ids(Letters(), 3).position("b")
        1
    """

    def __init__(self, documents: Labelled, count: int) -> None:
        self._found: dict[str, int] = {}
        self._repeated: set[str] = set()
        self.names: list[str] = []
        """The id of each position, as text."""
        for position in range(count):
            label = documents.id(position)
            name = id_text(position if label is None else label)
            self.names.append(name)
            if self._found.setdefault(name, position) != position:
                self._repeated.add(name)

    def position(self, name: str) -> int | None:
        """Give the position of an id; None where no document has it.

        Raises:
            ConfigError: Several documents have it.
        """
        if name in self._repeated:
            raise ConfigError(f"the id {name!r} is that of several documents: pairs name documents whose ids differ")
        return self._found.get(name)

    def keys(self, rows: Sequence[PairRow]) -> tuple[list[Key | None], str]:
        """Give the positions of each pair, and a warning on ids that no document has.

        Returns:
            A key for each row, None where an id is unknown; and the warning, empty where there is none.

        Raises:
            ConfigError: No row names two documents, or an id is that of several.
        """
        keys: list[Key | None] = []
        unknown: dict[str, str] = {}
        for row in rows:
            places = [self.position(name) for name in (row.a, row.b)]
            unknown.update((name, row.place) for name, at in zip((row.a, row.b), places, strict=True) if at is None)
            one, other = places
            keys.append(None if one is None or other is None else (min(one, other), max(one, other)))
        if not unknown:
            return keys, ""
        names = ", ".join(repr(name) for name in list(unknown)[:_NAMED])
        first = next(iter(unknown.values()))
        told = f"{len(unknown):,} ids are of no document, such as {names} ({first})"
        if not any(keys):
            raise ConfigError(f"{told}: name the field of the ids with id_field, or give the source of these pairs")
        return keys, f"{told}; their pairs are left out"


def labels_of(rows: Sequence[PairRow], keys: Sequence[Key | None], column: str = "verdict") -> dict[Key, bool]:
    """Give whether the documents of each judged pair are the same; rows without a verdict are left out.

    Args:
        rows: The rows of the file.
        keys: Their positions.
        column: The column of the verdicts; `label` is taken where there is no such column.

    Raises:
        ConfigError: A verdict is not known, or two contradict each other.
    """
    found: dict[Key, bool] = {}
    places: dict[Key, str] = {}
    for row, key in zip(rows, keys, strict=True):
        value = row.values.get(column, row.values.get("label"))
        word = "" if value is None else id_text(value).strip().lower()
        if not word:
            continue
        if word not in LABELS:
            raise ConfigError(f"{row.place}: {word!r} is no verdict: give one of {', '.join(WORDS)}, or 1 or 0")
        if key is None:
            continue
        if found.setdefault(key, LABELS[word]) != LABELS[word]:
            raise ConfigError(
                f"{row.place} says {word!r} of {row.a!r} and {row.b!r}, and {places[key]} says the contrary: keep one"
            )
        places.setdefault(key, row.place)
    return found


def verdict_words(rows: Sequence[PairRow], keys: Sequence[Key | None]) -> Iterator[tuple[Key, str]]:
    """Give each pair that is judged with its verdict in words."""
    for row, key in zip(rows, keys, strict=True):
        word = id_text(row.values.get("verdict") or "").strip().lower()
        if key is not None and word in WORDS:
            yield key, word
