"""The near pairs of a collection, over columns."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.results.detached import DetachedPairs, no_sources
from simsieve.results.tables import write_pairs
from simsieve.types import Pair, Progress

PairColumns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


class Pairs:
    """The near pairs of a collection: a sized iterable of `Pair`, over columns.

    `find_pairs` makes it; there is no other way to one. Pairs can be pickled with their labels and the failed records,
    without the sources: `write` is refused there.

    Example:
        >>> from simsieve import find_pairs
        >>> pairs = find_pairs(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
        >>> [(pair.a_position, pair.b_position) for pair in pairs]
        [(0, 1)]
    """

    def __init__(
        self, documents: _core.Documents, columns: PairColumns, store: _core.Store, keep_alive: object = None
    ) -> None:
        self._documents: _core.Documents | DetachedPairs = documents
        self._columns = columns
        self._apart = store.new_len if store.is_against else 0  # The core numbers old records after the new ones.
        self._keep_alive = keep_alive
        self.read = store.new_len
        """Records read; those of `against` not among them."""
        self.old_read = len(store) - store.new_len
        """Records of `against` read."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the pairs with their labels."""
        positions = np.unique(np.concatenate(self._columns[:2])).tolist()
        state = {**vars(self), "_documents": DetachedPairs.of(self._documents, positions), "_keep_alive": None}
        return object.__new__, (Pairs,), state

    def __copy__(self) -> "Pairs":
        """A copy in this process keeps the sources."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._columns[0])

    def __iter__(self) -> Iterator[Pair]:
        """Go through the pairs, sorted by position of a, then of b."""
        for i, j, distance, similarity in zip(*self._columns, strict=True):
            a, b = int(i), int(j)
            measured = None if np.isnan(similarity) else float(similarity)
            yield Pair(self._documents.id(a), self._documents.id(b), a, b - self._apart, int(distance), measured)

    @property
    def columns(self) -> PairColumns:
        """(a's position, b's position, distance in bits, similarity), arrays of one length.

        Across two collections b's positions count over the old sources, from 0.
        """
        a, b, distance, similarity = self._columns
        return a, b - self._apart, distance, similarity

    @property
    def failed(self) -> int:
        """Records that failed."""
        return self._documents.failed

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self._documents.failures()

    def old_failures(self) -> list[tuple[int, str, str]]:
        """List the failed records of `against` as (position over its sources, code, message)."""
        return self._documents.old_failures()

    def write(self, sink: str | os.PathLike[str], progress: Progress | None = None) -> None:
        """Write the pairs as a table of a, b, distance and similarity, whole or not at all.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.
            progress: Called now and then with (stage, done, total).

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The pairs came without their sources, or the ending is none that a table can have.
        """
        if isinstance(self._documents, DetachedPairs):
            raise no_sources("write")
        write_pairs(self._documents, self._columns, sink, progress)
