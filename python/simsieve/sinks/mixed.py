"""Kept records of sources of several kinds: as lines of JSON they go to one table."""

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from simsieve import _core
from simsieve.sinks.base import Chosen, Kind, Rows, RowSinks, Sink, SinkPath, by_source
from simsieve.sinks.records import RecordSink, extended, free_names
from simsieve.sinks.tables import TableSink, table_format_of


class MixedRowSinks:
    """The sinks of rows of several groups of sources."""

    ending = "jsonl"

    def __init__(self, groups: Sequence[tuple[RowSinks, int]], check_unchanged: Callable[[], None]) -> None:
        self._sources = [(maker, source) for maker, count in groups for source in range(count)]
        self._check_unchanged = check_unchanged

    def of_source(self, source: int) -> RowSinks:
        """Give what makes the sinks of one source; see `RowSinks.of_source`."""
        maker, of_group = self._sources[source]
        return maker.of_source(of_group)

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        table_format_of(sink, form)

    def kept(self, store: _core.Store, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows; see `RowSinks.kept`."""
        del link
        table = TableSink(sink, self.columns(store), table_format_of(sink, form))
        lines = self._lines(store)
        return RecordSink(table, lambda batch: (line for _, line in lines(batch)), self._check_unchanged)

    def extended(self, store: _core.Store, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with values added; see `RowSinks.extended`."""
        columns = self.columns(store)
        taken = (*chosen.taken, *columns)
        names = free_names(chosen.added, taken)
        last = {names[name]: kind for name, kind in chosen.added.items()}
        table = TableSink(sink, columns, table_format_of(sink, form), last=last)
        lines = self._lines(store)

        def more(batch: Rows) -> Iterator[bytes]:
            return (extended(line, chosen.values(position), taken) for position, line in lines(batch))

        return RecordSink(table, more, self._check_unchanged)

    def columns(self, store: _core.Store) -> dict[str, Kind | None]:
        """Give the columns of all sources; of one that sources hold in different ways the values decide the kind."""
        found: dict[str, Kind | None] = {}
        for source in range(len(self._sources)):
            own = self.of_source(source).columns(store.only(source))
            found |= {name: kind if found.get(name, kind) == kind else None for name, kind in own.items()}
        return found

    def lines(self, store: _core.Store, batch: Rows) -> Iterator[tuple[int, bytes]]:
        """Give rows as lines of JSON; see `RowSinks.lines`."""
        return self._lines(store)(batch)

    def _lines(self, store: _core.Store) -> Callable[[Rows], Iterator[tuple[int, bytes]]]:
        counts = [count for _, count in store.sources]
        # A source of columns is read on by what has read it before.
        makers = [self.of_source(source) for source in range(len(counts))]

        def lines(batch: Rows) -> Iterator[tuple[int, bytes]]:
            for source, rows in by_source(batch, counts):
                first = cast(int, sum(counts[:source]))
                for position, line in makers[source].lines(store.only(source), rows):
                    yield first + position, line

        return lines
