"""The near pairs of a collection, over columns."""

import os
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.differences import clipped
from simsieve.display import counted, html_pair, html_table, likeness
from simsieve.errors import SimsieveError, short_errors
from simsieve.optional import rapidfuzz
from simsieve.progress import chosen_progress
from simsieve.results.arrow import CONTAINED, labels_array, pairs_table
from simsieve.results.near import Texts
from simsieve.results.run import changed_since, read_here
from simsieve.results.tables import write_pairs
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Pair, ProgressOption

_SHOWN = 10
"""Rows that a notebook shows."""
_WITH_TEXTS, _CHARACTERS = 5, 600
"""Pairs whose texts it shows, and the characters of each text."""

PairColumns = tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8], NDArray[np.int64],
    NDArray[np.int64], NDArray[np.int8],
]  # fmt: skip


class Pairs(Tabular, Sequence[Pair]):
    """The near pairs of a collection: a sequence of `Pair`, over columns, sorted by position of a, then of b.

    `to_arrow`, `to_pandas`, `to_polars` and Arrow's stream give a table with the fields of `Pair`; labels as in
    `Decisions`.

    `find_pairs` makes it; there is no other way to one. Pickled pairs keep their sources, as a `DedupResult` does.

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
        again: Callable[[], "Pairs"] | None = None,
    ) -> None:
        self._made: tuple[_core.Documents, Texts, object] | None = (
            documents, Texts(documents, scheme, store.new_len), keep_alive
        )  # fmt: skip
        self._again = again
        self._columns = columns
        self._apart = store.new_len if store.is_against else 0  # The core numbers old records after the new ones.
        self.read = store.new_len
        """Records read; those of `against` not among them."""
        self.old_read = len(store) - store.new_len
        """Records of `against` read."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the columns, and what makes the rest again."""
        if self._again is None:
            raise read_here()
        return object.__new__, (Pairs,), {**vars(self), "_made": None}

    def with_sources(self) -> tuple[_core.Documents, Texts, object]:
        """Give the documents and their texts; those of pickled pairs are made again."""
        if self._made is None:
            assert self._again is not None
            pairs = self._again()
            if not all(map(np.array_equal, pairs.columns[:2], self.columns[:2])):
                raise changed_since()
            self._made = pairs.with_sources()
        return self._made

    @property
    def _documents(self) -> _core.Documents:
        return self.with_sources()[0]

    @property
    def _texts(self) -> Texts:
        return self.with_sources()[1]

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
        if not len(self):
            return []
        _, _, distance, similarity, *_ = self._columns
        near = -distance.astype(np.float64) if np.isnan(similarity).all() else np.nan_to_num(similarity, nan=1.0)
        some = min(_WITH_TEXTS, len(near))
        chosen = np.sort(np.argpartition(near, some - 1)[:some])
        found: list[int] = chosen[np.argsort(near[chosen], kind="stable")].tolist()
        return found

    def _side_by_side(self, at: int) -> str:
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
        i, j, distance, similarity, contained, *lost, conflict = (column[index] for column in self._columns)
        a, b = int(i), int(j)
        measured = None if np.isnan(similarity) else float(similarity)
        bits = None if distance < 0 else int(distance)
        labels = self._documents.id(a), self._documents.id(b)
        lost_a, lost_b = (None if of < 0 else int(of) for of in lost)
        has_conflict = None if conflict < 0 else bool(conflict)
        return Pair(*labels, a, b - self._apart, bits, measured, CONTAINED[contained], lost_a, lost_b, has_conflict)

    def texts(self, index: int) -> tuple[str, str]:
        """Give the texts of a pair as the scheme takes them, read again from their sources."""
        return self._texts.text(int(self._columns[0][index])), self._texts.text(int(self._columns[1][index]))

    def to_arrow(self) -> ArrowTable:
        """Give the pairs as a `pyarrow.Table`; see the class."""
        kind = self._documents.label_kind()
        labels = (labels_array(self._documents, some, kind) for some in self._columns[:2])
        return pairs_table((*self.columns, *self._columns[4:]), *labels)

    @property
    def conflicts(self) -> int:
        """Count the pairs whose numbers conflict."""
        return int(np.count_nonzero(self._columns[-1] > 0))

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
        """Write the pairs as a table of a, b, distance, similarity, lost_a, lost_b and conflict, whole or not at all.

        Under containment the table has a column contained.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.
            progress: As for `dedup`.
            safe_cells: In CSV and TSV no text is a formula of a spreadsheet: an apostrophe is put before it.
            with_edit: Add a column edit: 1 less the edits of characters by the longer length.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The ending is none that a table can have.
        """
        edits = None
        if with_edit:
            rapidfuzz()
            edits = map(self._texts.edit, *(column.tolist() for column in self._columns[:2]))
        with short_errors, chosen_progress(progress) as show:
            write_pairs(self._documents, self._columns, sink, show, safe=safe_cells, edits=edits)
