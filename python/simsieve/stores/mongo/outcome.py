"""What a run decided, as the sinks of MongoDB need it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.sinks.fields import Written
from simsieve.stores.mongo.client import Address, Retry
from simsieve.stores.mongo.field import FieldPlace


class CollectionDocuments(Protocol):
    """What the sinks need of a collection that was read."""

    address: Address
    since_place: FieldPlace | None
    client: Any
    kind: str
    is_copied: bool
    repeated_id: str | None
    collection: Any
    retry: Retry
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
    """What a run decided, as the sinks of its databases need it."""

    run: str
    columns: _core.Decisions
    documents: _core.Documents
    digest: str
    width: int
    source: CollectionDocuments | None
    written: Written
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

    def decisions(self, positions: Sequence[int]) -> list[bytes]:
        """Give decisions as documents of BSON; the positions ascend."""
        packed_id = None if self.source is None else self.source.packed_id
        return self.columns.documents(positions, self.run, packed_id)
