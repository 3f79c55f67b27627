"""Kept records that were unpacked from files of no text format, as rows of a table with their fields."""

from collections.abc import Iterator

from simsieve import _core
from simsieve.sinks.base import Kind, LineReader, Rows
from simsieve.sinks.records import CoreRowSinks, LineRowSinks

_NO_FAILURE = b'{"failure":null,'
"""How the row of a record begins that has not failed."""


class UnpackedRowSinks(CoreRowSinks):
    """The sinks of unpacked records: tables of their fields."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields

    # An unpacked record is no line of its file, so it is not kept byte for byte.
    check_kept = LineRowSinks.check_kept
    kept = LineRowSinks.kept

    def columns(self, store: _core.Store) -> dict[str, Kind | None]:
        """Give the fields, which are texts."""
        del store
        return dict.fromkeys(self._fields, "text")

    def reader(self, store: _core.Store) -> LineReader:
        """Give what reads records as lines of JSON; see `RowSinks.reader`."""
        read = super().reader(store)

        def lines(batch: Rows) -> Iterator[tuple[int, bytes]]:
            for position, line in read(batch):
                yield position, b"{" + line.removeprefix(_NO_FAILURE) if line.startswith(_NO_FAILURE) else line

        return lines
