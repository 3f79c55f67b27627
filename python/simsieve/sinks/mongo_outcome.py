"""What a run decided, as the sinks of MongoDB need it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.mongo import Address, Retry


class CollectionDocuments(Protocol):
    """What the sinks need of a collection that was read."""

    address: Address
    client: Any
    kind: str
    collection: Any
    retry: Retry
    follows: tuple[str, Address] | None
    packed_id: str
    """The field of the records that has their `_id`."""

    def ids(self, positions: Sequence[int]) -> list[Any]:
        """The `_id`s of documents."""

    def unchanged(
        self, positions: Sequence[int], *, whole: bool, field: str | None = None
    ) -> Iterator[tuple[Sequence[int], list[bytes | None]]]:
        """Positions and documents, None in place of a document that is gone or has changed."""


@dataclass(frozen=True)
class RunOutcome:
    """What a run decided, as the sinks of its databases need it.

    Args:
        run: The run's id.
        columns: The decisions.
        documents: The documents, with their fingerprints.
        digest: The digest of the scheme, the first of several.
        width: The bits of its fingerprints.
        source: The collection that was read; None where the source is another.
        text_of: Gives the text of a position, as it was fingerprinted.
        resume: Go on with what an earlier attempt has written.
        warn: Called when a server does not answer for the moment.
    """

    run: str
    columns: _core.Decisions
    documents: _core.Documents
    digest: str
    width: int
    source: CollectionDocuments | None
    text_of: Callable[[int], str]
    resume: bool = False
    warn: Callable[[str], None] | None = None

    @property
    def total(self) -> int:
        """How many records were decided on."""
        return len(self.columns)

    @cached_property
    def decision(self) -> NDArray[np.uint8]:
        """The codes of the decisions; the core would copy the column at each call."""
        return self.columns.decision

    @cached_property
    def _fingerprints(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        return self.documents.values, self.documents.valid

    def decisions(self, positions: Sequence[int]) -> list[bytes]:
        """Give decisions as documents of BSON; the positions ascend."""
        packed_id = None if self.source is None else self.source.packed_id
        return self.columns.documents(positions, self.run, packed_id)

    def fingerprints(self, positions: Sequence[int]) -> list[str | None]:
        """Give fingerprints as `decimal_fingerprint` writes them; None of a text without features."""
        values, valid = self._fingerprints
        words = values[positions].astype("<u8", copy=False)
        size = words.itemsize * words.shape[1]
        raw = words.tobytes()
        found = (int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size))
        return [
            decimal_fingerprint(value, self.width) if is_valid else None
            for value, is_valid in zip(found, valid[positions].tolist(), strict=True)
        ]


def decimal_fingerprint(value: int, width: int) -> str:
    """Write a fingerprint in decimal digits, always as many: so texts are equal and ordered as the numbers are.

    BSON has no whole numbers of 64 bits without a sign, and none of 128.

    Example:
        >>> decimal_fingerprint(255, 64), len(decimal_fingerprint(2**128 - 1, 128))
        ('00000000000000000255', 39)
    """
    return f"{value:0{_digits(width)}}"


@cache
def _digits(width: int) -> int:
    return len(str((1 << width) - 1))
