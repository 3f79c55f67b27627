"""Pairs of documents by their ids: what other programs found, and what people judged."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from simsieve.config.pair_rows import Name, PairRow, id_text
from simsieve.config.verdicts import DIFFERENT, checked_verdicts, verdict_word
from simsieve.errors import ConfigError

_NAMED = 3
"""Ids that a message names."""

Key = tuple[int, int]
"""Two positions, the lesser one first."""


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
        >>> Ids(Letters(), 3).position(Name.of("b"))
        1
    """

    def __init__(self, documents: Labelled, count: int) -> None:
        self._found: dict[str, int] = {}
        self._repeated: set[str] = set()
        self._nameless: set[int] = set()
        self.names: list[str] = []
        """The id of each position, as text."""
        for position in range(count):
            label = documents.id(position)
            name = id_text(position if label is None else label)
            self.names.append(name)
            if label is None:
                self._nameless.add(position)
            elif self._found.setdefault(name, position) != position:
                self._repeated.add(name)

    def position(self, name: Name) -> int | None:
        """Give the position of the document that is meant; None where there is none.

        Raises:
            ConfigError: Several documents have the id, or the document that is named by its position has an id.
        """
        if name.id in self._repeated:
            raise ConfigError(f"the id {name.id!r} is that of several documents: pairs name documents whose ids differ")
        found = None if name.id is None else self._found.get(name.id)
        at = name.position
        if found is not None or at is None or at >= len(self.names):
            return found
        if at in self._nameless:
            return at
        if name.id is None:
            raise ConfigError(
                f"a verdict names record {at} by its position, and the record has the id {self.names[at]!r}; give the"
                " id_field that the verdicts were made with"
            )
        return None

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
            places = [self.position(name) for name in row.names]
            unknown.update((name, row.where) for name, at in zip((row.a, row.b), places, strict=True) if at is None)
            one, other = places
            keys.append(None if one is None or other is None else (min(one, other), max(one, other)))
        if not unknown:
            return keys, ""
        names = ", ".join(repr(name) for name in list(unknown)[:_NAMED])
        first = next(iter(unknown.values()))
        lack = f"{len(unknown):,} ids are of no document, such as {names} ({first})"
        if not any(keys):
            raise ConfigError(f"{lack}: name the field of the ids with id_field, or give the source of these pairs")
        return keys, f"{lack}; their pairs are left out"


def labels_of(rows: Sequence[PairRow], keys: Sequence[Key | None]) -> dict[Key, bool]:
    """Give whether the documents of each judged pair are the same; rows without a verdict are left out.

    Args:
        rows: The rows of the file.
        keys: Their positions.

    Raises:
        ConfigError: A verdict is not known, or some contradict one another.
    """
    at = {row.names: key for row, key in zip(rows, keys, strict=True)}
    found: dict[Key, bool] = {}
    for verdict in checked_verdicts(rows):
        key = at.get((verdict.first, verdict.second), at.get((verdict.second, verdict.first)))
        if key is not None:
            found[key] = verdict.verdict != DIFFERENT
    return found


def verdict_words(rows: Sequence[PairRow], keys: Sequence[Key | None]) -> Iterator[tuple[Key, str]]:
    """Give each pair that is judged with its verdict in words."""
    for row, key in zip(rows, keys, strict=True):
        word = verdict_word(row.word)
        if key is not None and word is not None:
            yield key, word
