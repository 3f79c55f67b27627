"""Kept pages of WARC files, as records with their id, url, date and text."""

from collections.abc import Iterator

from simsieve import _core
from simsieve.sinks.base import Kind, Rows, Sink, SinkPath
from simsieve.sinks.records import CoreRowSinks, RecordSink
from simsieve.sinks.tables import TableSink, table_format_of

_NO_FAILURE = b'{"failure":null,'
"""How the row of a page begins that has not failed."""


class PageRowSinks(CoreRowSinks):
    """The sinks of pages: tables of their fields.

    Args:
        fields: The names of the fields.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        table_format_of(sink, form)

    def kept(self, store: _core.Store, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept pages; see `RowSinks.kept`."""
        del link
        table = TableSink(sink, self.columns(store), table_format_of(sink, form))
        return RecordSink(table, lambda batch: (line for _, line in self.lines(store, batch)), store.check_unchanged)

    def columns(self, store: _core.Store) -> dict[str, Kind | None]:
        """Give the fields, which are texts."""
        del store
        return dict.fromkeys(self._fields, "text")

    def lines(self, store: _core.Store, batch: Rows) -> Iterator[tuple[int, bytes]]:
        """Give pages as lines of JSON; see `RowSinks.lines`."""
        for position, line in super().lines(store, batch):
            yield position, b"{" + line.removeprefix(_NO_FAILURE) if line.startswith(_NO_FAILURE) else line
