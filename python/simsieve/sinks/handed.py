"""Rows that a package of their own has handed to the core, with a column that says which of them failed."""

from collections.abc import Iterator, Mapping

from simsieve import _core
from simsieve.sinks.base import Kind, LineReader, Rows
from simsieve.sinks.records import CoreRowSinks, LineRowSinks

FAILURE = "failure"
"""The column before the fields of a row; a failed row has its code and reason there."""
_NO_FAILURE = f'{{"{FAILURE}":null,'.encode()
"""How a row begins that has not failed."""


class HandedRowSinks(CoreRowSinks):
    """The sinks of such rows: tables of their fields."""

    def __init__(self, fields: Mapping[str, Kind]) -> None:
        self._fields = fields

    # A row is no line of its file, so it is not kept byte for byte.
    check_kept = LineRowSinks.check_kept
    kept = LineRowSinks.kept
    # A field of what is read from an archive or a paper is no field of records.
    records = LineRowSinks.records

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the fields."""
        return dict(self._fields)

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads rows as lines of JSON; see `RowSinks.reader`."""
        read = super().reader(store)

        def lines(batch: Rows) -> Iterator[tuple[int, bytes]]:
            for position, line in read(batch):
                yield position, b"{" + line.removeprefix(_NO_FAILURE) if line.startswith(_NO_FAILURE) else line

        return lines
