"""The near pairs of a collection, over columns."""

import os
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.differences import clipped
from simsieve.display import counted, html_pair, html_table, likeness
from simsieve.errors import SimsieveError, short_errors
from simsieve.optional import rapidfuzz
from simsieve.progress import chosen_progress
from simsieve.results.arrow import CONTAINED, pairs_table
from simsieve.results.detached import DetachedPairs, labels_at, no_sources
from simsieve.results.tables import write_pairs
from simsieve.results.texts import Texts
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Pair, ProgressOption

_SHOWN = 10
"""Rows that a notebook shows."""
_WITH_TEXTS, _CHARACTERS = 5, 600
"""Pairs whose texts it shows, and the characters of each text."""

PairColumns = tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8], NDArray[np.int64],
    NDArray[np.int64],
]  # fmt: skip


class Pairs(Tabular, Sequence[Pair]):
    """The near pairs of a collection: a sequence of `Pair`, over columns, sorted by position of a, then of b.

    `to_arrow`, `to_pandas`, `to_polars` and Arrow's stream give a table with the fields of `Pair`; labels as in
    `Decisions`.

    `find_pairs` makes it; there is no other way to one. Pairs can be pickled with their labels and the failed records,
    without the sources: `write` is refused there.

    Example:
        >>> from simsieve import find_pairs
        >>> pairs = find_pairs(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
        >>> [(pair.a_position, pair.b_position) for pair in pairs]
        [(0, 1)]
    """

    def __init__(
        self,
        documents: _core.Documents,
        columns: PairColumns,
        store: _core.Records,
        scheme: _core.Scheme,
        keep_alive: object = None,
    ) -> None:
        self._documents: _core.Documents | DetachedPairs = documents
        self._texts: Texts | None = Texts(documents, scheme, store.new_len)
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
        state = {**vars(self), "_documents": DetachedPairs.of(self._documents, positions)}
        state |= {"_texts": None, "_keep_alive": None}
        return object.__new__, (Pairs,), state

    def __copy__(self) -> "Pairs":
        """A copy in this process keeps the sources."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._columns[0])

    def __repr__(self) -> str:
        """Show the counts."""
        return f"<Pairs: {self._counted()}>"

    def _repr_html_(self) -> str:
        """Show the first pairs in a notebook, and the least similar ones with their texts side by side."""
        more = "" if len(self) <= _SHOWN else f"; the first {_SHOWN}"
        rows = ([getattr(pair, name) for name in Pair.__slots__] for pair in self[:_SHOWN])
        table = html_table(self._counted() + more, Pair.__slots__, rows)
        try:
            return table + "".join(map(self._side_by_side, self._least_near()))
        except SimsieveError:
            # The sources have changed or gone since.
            return table

    def _least_near(self) -> list[int]:
        """Some pairs that are least near, if their texts can be read; the others say less."""
        if self._texts is None or not len(self):
            return []
        _, _, distance, similarity, *_ = self._columns
        near = -distance.astype(np.float64) if np.isnan(similarity).all() else np.nan_to_num(similarity, nan=1.0)
        some = min(_WITH_TEXTS, len(near))
        chosen = np.sort(np.argpartition(near, some - 1)[:some])
        found: list[int] = chosen[np.argsort(near[chosen], kind="stable")].tolist()
        return found

    def _side_by_side(self, at: int) -> str:
        assert self._texts is not None
        pair, a, b = self[at], int(self._columns[0][at]), int(self._columns[1][at])
        parts = clipped(self._texts.text(a), self._texts.text(b), _CHARACTERS)
        return html_pair(likeness(pair.similarity, pair.distance), parts, (self._texts.name(a), self._texts.name(b)))

    def _counted(self) -> str:
        old = f" and {counted(self.old_read, 'old one')}" if self.old_read else ""
        return f"{counted(len(self), 'near pair')} among {counted(self.read, 'record')}{old}"

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        """Give one pair, or a list of those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        i, j, distance, similarity, contained, *lost = (column[index] for column in self._columns)
        a, b = int(i), int(j)
        measured = None if np.isnan(similarity) else float(similarity)
        bits = None if distance < 0 else int(distance)
        labels = self._documents.id(a), self._documents.id(b)
        units = (None if of < 0 else int(of) for of in lost)
        return Pair(*labels, a, b - self._apart, bits, measured, CONTAINED[contained], *units)

    def texts(self, index: int) -> tuple[str, str]:
        """Give the texts of a pair as the scheme takes them, read again from their sources."""
        if self._texts is None:
            raise no_sources("texts")
        return self._texts.text(int(self._columns[0][index])), self._texts.text(int(self._columns[1][index]))

    def to_arrow(self) -> ArrowTable:
        """Give the pairs as a `pyarrow.Table`; see the class."""
        return pairs_table((*self.columns, *self._columns[4:]), *labels_at(self._documents, self._columns[:2]))

    @property
    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """(a's position, b's position, distance in bits, similarity), arrays of one length; -1 and NaN mean none.

        Across two collections b's positions count over the old sources, from 0.
        """
        a, b, distance, similarity, *_ = self._columns
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

    def write(
        self, sink: str | os.PathLike[str], progress: ProgressOption = None, *, safe_cells: bool = True,
        with_edit: bool = False,
    ) -> None:  # fmt: skip
        """Write the pairs as a table of a, b, distance, similarity, lost_a and lost_b, whole or not at all.

        Under containment the table has a column contained.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.
            progress: As for `dedup`.
            safe_cells: In CSV and TSV no text is a formula of a spreadsheet: an apostrophe is put before it.
            with_edit: Add a column edit: 1 less the edits of characters by the longer length.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The pairs came without their sources, or the ending is none that a table can have.
        """
        if isinstance(self._documents, DetachedPairs):
            raise no_sources("write")
        edits = None
        if with_edit:
            rapidfuzz()
            assert self._texts is not None
            edits = map(self._texts.edit, *(column.tolist() for column in self._columns[:2]))
        with short_errors, chosen_progress(progress) as show:
            write_pairs(self._documents, self._columns, sink, show, safe=safe_cells, edits=edits)
