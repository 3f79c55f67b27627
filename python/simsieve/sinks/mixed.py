"""Kept records of sources of several kinds: as lines of JSON they go to one table."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from simsieve import _core
from simsieve.sinks.base import Kind, LineReader, Rows, RowSinks, by_part, by_source
from simsieve.sinks.records import LineRowSinks


class MixedRowSinks(LineRowSinks):
    """The sinks of rows of several groups of sources."""

    def __init__(self, groups: Sequence[tuple[RowSinks, int]], check_unchanged: Callable[[], None]) -> None:
        self._sources = [(maker, source) for maker, count in groups for source in range(count)]
        self._check_unchanged = check_unchanged

    def unchanged(self, store: _core.Records) -> Callable[[], None]:
        """Give what checks the sources of all groups."""
        return self._check_unchanged

    def of_source(self, source: int) -> RowSinks:
        """Give what makes the sinks of one source; see `RowSinks.of_source`."""
        maker, of_group = self._sources[source]
        return maker.of_source(of_group)

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns of all sources; of one that sources hold in different ways the values decide the kind."""
        found: dict[str, Kind | None] = {}
        for source in range(len(self._sources)):
            own = self.of_source(source).columns(store.only(source))
            found |= {name: kind if found.get(name, kind) == kind else None for name, kind in own.items()}
        return found

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Read a few rows of each source; see `RowSinks.records`."""
        found: dict[int, dict[str, Any]] = {}
        for source, first, some in by_part(positions, [count for _, count in store.sources]):
            read = self.of_source(source).records(store.only(source), some, but)
            found |= {first + position: record for position, record in read.items()}
        return found

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads rows as lines of JSON; see `RowSinks.reader`."""
        counts = [count for _, count in store.sources]
        readers = [self.of_source(source).reader(store.only(source)) for source in range(len(counts))]

        def read(batch: Rows) -> Iterator[tuple[int, bytes]]:
            for source, rows in by_source(batch, counts):
                first = cast(int, sum(counts[:source]))
                for position, line in readers[source](rows):
                    yield first + position, line

        return read
