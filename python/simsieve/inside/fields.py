"""Fields of records that name documents, or say whose works they are."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.sinks.fields import values_of
from simsieve.sources.base import Source
from simsieve.sources.fields import check_known


@dataclass(frozen=True, slots=True)
class ShownFields:
    """The fields `show` and `own` of documents, and of the old records that they are held against.

    `sides` are the documents, and the old records if any, each with its source.
    """

    sides: Sequence[tuple[Source, _core.Records]]
    show: Sequence[str] = ()
    own: str | None = None

    def __post_init__(self) -> None:
        """Check that the documents or the old records have what is shown, and both have the author."""
        for setting, names, most in (
            ("show", self.show, len(self.sides) - 1),
            ("own", [self.own] if self.own else [], 0),
        ):
            lacking = []
            for source, store in self.sides:
                try:
                    check_known(setting, names, store, source)
                except ConfigError as error:
                    lacking.append(error)
            if len(lacking) > most:
                raise lacking[-1]

    def titles(self, positions: Iterable[int]) -> dict[int, str]:
        """Give what `show` names of some records, as one line each."""
        found = self._values(positions, self.show)
        shown = {at: [one for one in of.values() if one not in (None, "")] for at, of in found.items()}
        return {at: " · ".join(map(_line, of)) for at, of in shown.items() if of}

    def authors(self, positions: Iterable[int]) -> dict[int, str]:
        """Give the author of each of some records that name one."""
        found = self._values(positions, [] if self.own is None else [self.own])
        return {at: json.dumps(one) for at, of in found.items() for one in of.values() if one not in (None, "", [])}

    def _values(self, positions: Iterable[int], names: Sequence[str]) -> dict[int, dict[str, Any]]:
        asked, found, first = np.unique(np.fromiter(positions, np.int64)), dict[int, dict[str, Any]](), 0
        for source, store in self.sides if names else ():
            end = first + store.new_len
            here = asked[(asked >= first) & (asked < end)] - first
            read = values_of(source.row_sinks(), store, here, names)
            found |= {first + at: of for at, of in read.items()}
            first = end
        return found


def _line(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())
