"""Results without their sources: what can cross to another process, as columns and plain values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simsieve.errors import ConfigError
from simsieve.results.arrow import labels_array, labels_of, rows_table
from simsieve.types import Decision

if TYPE_CHECKING:
    from simsieve import _core

Failures = list[tuple[int, str, str]]
"""Failed records as (position, code, message)."""


class DetachedDecisions:
    """The decisions of a run as columns, with every label read."""

    def __init__(
        self, decision: NDArray[np.uint8], representative: NDArray[np.int64], rows: Mapping[str, list[Any]]
    ) -> None:
        self.decision = decision
        self.representative = representative
        self._rows = rows

    @classmethod
    def of(cls, columns: "_core.Decisions | DetachedDecisions") -> "DetachedDecisions":
        """Take the decisions of the core; a label is read for each record."""
        if isinstance(columns, DetachedDecisions):
            return columns
        rows = [columns.row(position) for position in range(len(columns))]
        return cls(columns.decision, columns.representative, {n: [row[n] for row in rows] for n in Decision.__slots__})

    def __len__(self) -> int:
        """Count the records."""
        return len(self.decision)

    def row(self, position: int) -> dict[str, Any]:
        """Give the fields of one decision."""
        return {name: column[position] for name, column in self._rows.items()}

    def to_arrow(self) -> Any:
        """Give the decisions as a `pyarrow.Table`."""
        return rows_table(self._rows, self.decision, self.representative)


class _Failed:
    """The failed records of a run."""

    def __init__(self, failures: Failures, old_failures: Failures) -> None:
        self._failures = failures
        self._old_failures = old_failures

    def failures(self) -> Failures:
        """List the failed records."""
        return self._failures

    def old_failures(self) -> Failures:
        """List the failed records of `against`."""
        return self._old_failures


class DetachedRun(_Failed):
    """The part of a run that is pickled: its summary and failed records, without its sources."""

    def __init__(self, summary: Mapping[str, Any], failures: Failures, old_failures: Failures) -> None:
        super().__init__(failures, old_failures)
        self.summary = summary


class DetachedPairs(_Failed):
    """What stays of the documents of a search for pairs: the labels of those in a pair, and the failed records."""

    def __init__(self, labels: Mapping[int, Any], failures: Failures, old_failures: Failures) -> None:
        super().__init__(failures, old_failures)
        self._labels = labels

    @classmethod
    def of(cls, documents: "_core.Documents | DetachedPairs", positions: Sequence[int]) -> "DetachedPairs":
        """Take the labels of some documents, and the failed records."""
        if isinstance(documents, DetachedPairs):
            return documents
        return cls({at: documents.id(at) for at in positions}, documents.failures(), documents.old_failures())

    def id(self, position: int) -> Any:
        """Give a label."""
        return self._labels[position]

    @property
    def failed(self) -> int:
        """Records that failed."""
        return len(self._failures)


def labels_at(documents: "_core.Documents | DetachedPairs", positions: Sequence[NDArray[np.int64]]) -> list[Any]:
    """Give the labels at several lists of positions, an Arrow array each."""
    if isinstance(documents, DetachedPairs):
        flat = labels_of([documents.id(at) for some in positions for at in some.tolist()])
        ends = np.cumsum([0, *(len(some) for some in positions)]).tolist()
        return [flat.slice(ends[at], len(some)) for at, some in enumerate(positions)]
    kind = documents.label_kind()
    return [labels_array(documents, np.asarray(some, dtype=np.int64), kind) for some in positions]


def no_sources(what: str) -> ConfigError:
    """Give the error of what needs the sources of a result that has none."""
    return ConfigError(
        "{what} needs the sources, and this result came without them (it was pickled): call it where the run was made",
        what=what,
    )  # fmt: skip
