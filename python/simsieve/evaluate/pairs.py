"""Pairs of documents by their ids: what other programs found, and what people judged."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from simsieve import _core
from simsieve.checks import shown
from simsieve.config.pair_rows import PairRow, id_text, read_pairs
from simsieve.config.verdicts import DIFFERENT, checked_verdicts, verdict_word
from simsieve.errors import ConfigError
from simsieve.messages import Message

_NAMED = 3

Key = tuple[int, int]
"""Two positions, the lesser one first."""


class Ids:
    """The documents by their names; a document without an id is known by its position."""

    def __init__(self, documents: _core.Documents | _core.Collection, count: int) -> None:
        self._documents, self._count = documents, count

    @cached_property
    def names(self) -> list[str]:
        """The id of each position, as text."""
        ids = ((position, self._documents.id(position)) for position in range(self._count))
        return [id_text(position if label is None else label) for position, label in ids]

    def keys(self, rows: Sequence[PairRow]) -> tuple[list[Key | None], str]:
        """Give the positions of each pair, and a warning on ids that no document has."""
        keys: list[Key | None] = []
        unknown: dict[str, str] = {}
        found = iter(self._documents.find([name for row in rows for name in row.names]))
        for row, one, other in zip(rows, found, found, strict=True):
            unknown.update((name, row.where) for name, at in ((row.a, one), (row.b, other)) if at is None)
            if one is not None and one == other:
                raise ConfigError(
                    "{where}: a and b are one record, {a}; correct the row", where=row.where, a=shown(row.a)
                )
            keys.append(None if one is None or other is None else (min(one, other), max(one, other)))
        if not unknown:
            return keys, ""
        names = ", ".join(repr(name) for name in list(unknown)[:_NAMED])
        first = next(iter(unknown.values()))
        lack = Message(
            "{count:,} ids are of no document, such as {names} ({first})", count=len(unknown), names=names, first=first
        )
        if not any(keys):
            raise ConfigError(
                "{lack}: name the field of the ids with {@id_field}, or give the source of these pairs", lack=lack
            )
        return keys, Message("{lack}; their pairs are left out", lack=lack)


def judged_rows(path: str) -> list[PairRow]:
    """Read a file of verdicts, and check them before any other work."""
    rows = read_pairs(path, judged=True)
    checked_verdicts(rows)
    return rows


def labels_of(rows: Sequence[PairRow], keys: Sequence[Key | None]) -> dict[Key, bool]:
    """Give whether the documents of each judged pair are the same; rows without a verdict are left out."""
    at = {row.names: key for row, key in zip(rows, keys, strict=True)}
    found: dict[Key, bool] = {}
    for verdict in checked_verdicts(rows):
        key = at.get((verdict.first, verdict.second), at.get((verdict.second, verdict.first)))
        if key is not None and found.setdefault(key, verdict.verdict != DIFFERENT) != (verdict.verdict != DIFFERENT):
            raise ConfigError(
                "{where}: the verdict on {first} and {second} contradicts another one, which names the same two "
                "records otherwise; change or remove one of them",
                where=verdict.where, first=shown(str(verdict.first)), second=shown(str(verdict.second)),
            )  # fmt: skip
    return found


def verdict_words(rows: Sequence[PairRow], keys: Sequence[Key | None]) -> Iterator[tuple[Key, str]]:
    """Give each pair that is judged with its verdict in words."""
    for row, key in zip(rows, keys, strict=True):
        word = verdict_word(row.word)
        if key is not None and word is not None:
            yield key, word
