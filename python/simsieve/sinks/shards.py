"""Kept records in several files of one folder: a file for each source, or numbered parts of a size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve.errors import InternalError
from simsieve.sinks.base import Rows, Sink, by_source
from simsieve.sinks.folder import OutputFolder
from simsieve.sinks.names import part_name

MakeSink = Callable[[str], Sink[Rows]]


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What is kept of one source."""

    name: str
    records: int
    make: MakeSink


class _FolderSink:
    """A folder whose files are written one after another."""

    def __init__(self, folder: OutputFolder, check_unchanged: Callable[[], None]) -> None:
        self._folder, self._check_unchanged = folder, check_unchanged
        self._sink: Sink[Rows] | None = None

    def begin(self) -> None:
        """Begin the folder."""
        self._folder.begin()

    def abort(self) -> None:
        """Remove the folder."""
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.abort()
        self._folder.abort()

    def _begin_file(self, make: MakeSink, name: str) -> Sink[Rows]:
        self._sink = make(self._folder.path(name))
        self._sink.begin()
        return self._sink

    def _end_file(self) -> None:
        if self._sink is not None:
            self._sink.commit()
            self._sink = None

    def _appear(self) -> None:
        """Make sure that no source has changed, and give the folder its name."""
        self._check_unchanged()
        self._folder.commit()


class MirrorSink(_FolderSink):
    """The sink of rows of several sources: a file for each, also for a source without kept rows."""

    def __init__(self, folder: OutputFolder, files: Sequence[Mirrored], check_unchanged: Callable[[], None]) -> None:
        super().__init__(folder, check_unchanged)
        self._files = files
        self._counts = [file.records for file in files]
        self._at = -1

    def check(self) -> None:
        """Check that each file can hold its rows."""
        for file in self._files:
            file.make(file.name)

    def write(self, batch: Rows, /) -> None:
        """Write rows to the files of their sources."""
        with self._folder.named():
            for source, rows in by_source(batch, self._counts):
                self._go_to(source).write(rows)

    def commit(self) -> None:
        """Write the files that are left, make sure that no source has changed, and give the folder its name."""
        with self._folder.named():
            self._go_to(len(self._files) - 1)
            self._end_file()
        self._appear()

    def _go_to(self, index: int) -> Sink[Rows]:
        """End the files before this one, and begin it."""
        while self._at < index:
            self._end_file()
            self._at += 1
            file = self._files[self._at]
            self._begin_file(file.make, file.name)
        if self._sink is None:
            raise InternalError("rows are written in order, and the file of these has ended")
        return self._sink


class ShardSink(_FolderSink):
    """The sink of rows in numbered parts; each has at most a number of records or bytes, and at least one record."""

    def __init__(
        self,
        folder: OutputFolder,
        ending: str,
        make: MakeSink,
        most: int,
        sizes: Callable[[list[int]], NDArray[np.uint64]] | None,
        check_unchanged: Callable[[], None],
    ) -> None:
        super().__init__(folder, check_unchanged)
        self._ending, self._make = ending, make
        self._most, self._sizes = most, sizes
        self._count = self._held = 0

    def check(self) -> None:
        """Check that its files can hold the rows."""
        self._make(part_name(0, self._ending))

    def write(self, batch: Rows, /) -> None:
        """Write rows, to as many parts as they need."""
        wanted = np.flatnonzero(batch.wanted)
        sizes = np.ones(len(wanted)) if self._sizes is None else self._sizes(batch.positions)
        # What the records up to each one count together.
        ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
        done = before = begin = 0
        while done < len(wanted):
            fit = int(np.searchsorted(ends, before + self._most - self._held, side="right"))
            if fit <= done and self._held:
                self._end_file()
                self._held = 0
                continue
            # A record that is larger than a part has a part of its own.
            fit = max(fit, done + 1)
            end = int(wanted[fit]) if fit < len(wanted) else len(batch.wanted)
            with self._folder.named():
                self._part().write(Rows(batch.first + begin, batch.wanted[begin:end]))
            self._held += int(ends[fit - 1]) - before
            done, before, begin = fit, int(ends[fit - 1]), end

    def commit(self) -> None:
        """End the last part, make sure that no source has changed, and give the folder its name."""
        with self._folder.named():
            if not self._count:
                # A folder without a file would not show that nothing is kept.
                self._part()
            self._end_file()
        self._appear()

    def _part(self) -> Sink[Rows]:
        """The part that is written to, begun where there is none."""
        if self._sink is not None:
            return self._sink
        sink = self._begin_file(self._make, part_name(self._count, self._ending))
        self._count += 1
        return sink
