"""What a sink is, how one is named, and what drives it from its beginning to its commit."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.types import Progress

SinkPath = str | os.PathLike[str]
TableFormat = Literal["jsonl", "csv", "tsv", "parquet"]
"""How a table of results is written."""
Kind = Literal["text", "int", "float", "bool"]
"""What a column of a table holds, where its format has types."""
Columns = Mapping[str, Kind | None]
"""The columns of a table in their order; None where the values decide what one holds."""

_BATCH_ROWS = 1 << 14

Batch_contra = TypeVar("Batch_contra", contravariant=True)
SomeSink = TypeVar("SomeSink", bound="Sink[Any]")


class Sink(Protocol[Batch_contra]):
    """Where one kind of result goes; a batch is what it takes at a time.

    The calls come in this order: `check`, `begin`, any number of `write`, `commit` or `abort`; `written` makes all but
    `write`. How the results are cut into batches does not change the output. Before `commit` nothing is at the
    sink's name, and what was there stays as it was. What goes to stdout, a device or a pipe cannot be taken back.
    """

    def check(self) -> None:
        """Check, before the work, that the results can go there."""

    def begin(self) -> None:
        """Begin to write, beside the sink's place."""

    def write(self, batch: Batch_contra, /) -> None:
        """Write results that follow those written before."""

    def commit(self) -> None:
        """Put the results at the sink's name, durably."""

    def abort(self) -> None:
        """Leave nothing; allowed at any time, and without effect after `commit`."""


@contextmanager
def written(sink: SomeSink) -> Iterator[SomeSink]:
    """Check and begin a sink, and commit it when the block ends; after an exception, Ctrl-C too, nothing is left."""
    sink.check()
    with begun(sink):
        yield sink


@contextmanager
def begun(sink: SomeSink) -> Iterator[SomeSink]:
    """Begin a sink that was checked, and commit or abort it as `written` does."""
    try:
        sink.begin()
        yield sink
        sink.commit()
    except BaseException:
        sink.abort()
        raise


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive records, and which of them are written."""

    first: int
    wanted: NDArray[np.bool_]

    @property
    def positions(self) -> list[int]:
        """The positions of the records that are written."""
        found: list[int] = (self.first + np.flatnonzero(self.wanted)).tolist()
        return found


def batches_of(wanted: NDArray[np.bool_]) -> Iterator[Rows]:
    """Cut the records of the sources into batches."""
    for first in range(0, len(wanted), _BATCH_ROWS):
        yield Rows(first, wanted[first : first + _BATCH_ROWS])


def by_source(batch: Rows, counts: Sequence[int]) -> Iterator[tuple[int, Rows]]:
    """Cut consecutive records into those of each source."""
    firsts = np.cumsum([0, *counts])
    at = 0
    while at < len(batch.wanted):
        # Of sources that begin at one position the last has the record: the others have none.
        source = int(np.searchsorted(firsts, batch.first + at, side="right")) - 1
        end = min(int(firsts[source + 1]) - batch.first, len(batch.wanted))
        yield source, Rows(batch.first + at - int(firsts[source]), batch.wanted[at:end])
        at = end


def by_part(positions: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Cut positions into those of each part: its number, its first position, and the positions within it."""
    first = 0
    for part, count in enumerate(counts):
        if some := [position - first for position in positions if first <= position < first + count]:
            yield part, first, some
        first += count


def write_rows(sink: Sink[Rows], wanted: NDArray[np.bool_], progress: Progress | None) -> None:
    """Write records to a sink, whole or not at all."""
    with begun(sink):
        for rows in batches_of(wanted):
            if progress is not None:
                progress("write", rows.first, len(wanted))
            sink.write(rows)
        if progress is not None:
            progress("write", len(wanted), len(wanted))


@dataclass(frozen=True, slots=True)
class Chosen:
    """Records that are written with values added to them."""

    wanted: NDArray[np.bool_]
    added: Mapping[str, Kind | None]
    values: Callable[[int], Mapping[str, Any]]
    taken: tuple[str, ...] = ()


LineReader = Callable[[Rows], Iterator[tuple[int, bytes]]]
"""Gives the position and a line of JSON for each record of a batch that is written."""


class RowSinks(Protocol):
    """Makes the sinks of the rows of one kind of source."""

    ending: str
    """The format of numbered parts where no source has a name: `jsonl` or `parquet`."""

    def of_source(self, source: int) -> "RowSinks":
        """Return the sink factory for one source."""

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check, before the sources are read, that kept rows can go to a sink of that name, or in that format."""

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows, in the format that is given or else that of the name."""

    def kept_with(
        self,
        store: _core.Records,
        sink: SinkPath,
        form: str | None,
        filled: Mapping[int, Mapping[str, Any]],
        first: int,
    ) -> Sink[Rows] | None:
        """Make the sink of kept rows that take values, by position from `first` on; None where a table has them."""
        return None

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with values added to each."""

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns that a table of the rows has in any case, and what they hold where that is known."""

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads the rows; the batches come in order."""

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Read a few rows, with all fields or all but some; those that cost more than they tell are left out."""
        return {}


def wanted_lines(rows: RowSinks, store: _core.Records, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, bytes]]:
    """Read the wanted rows as lines, each with its position."""
    read = rows.reader(store)
    return (one for batch in batches_of(wanted) if batch.wanted.any() for one in read(batch))
