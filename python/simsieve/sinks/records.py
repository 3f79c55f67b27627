"""Rows of the core's sources: the kept ones as they were, in another table, with values added, and handed over."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, cast

from simsieve import _core
from simsieve.config.formats import is_parquet
from simsieve.json_values import record_of, row_of
from simsieve.sinks.base import Chosen, Kind, LineReader, Rows, RowSinks, Sink, SinkPath, by_part, by_source
from simsieve.sinks.tables import TableSink, line_of, table_format_of

_BATCH_RECORDS = 1 << 10


class LineRowSinks(RowSinks):
    """The sinks of rows that are read again as lines of JSON: kept ones are rows of a table."""

    ending = "jsonl"

    def unchanged(self, store: _core.Records) -> Callable[[], None]:
        """Give what checks that no source has changed."""
        return store.check_unchanged

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check that the name is one of a table."""
        table_format_of(sink, form)

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows; see `RowSinks.kept`."""
        table, read = TableSink(sink, self.columns(store), table_format_of(sink, form)), self.reader(store)
        return RecordSink(table, lambda batch: (line for _, line in read(batch)), self.unchanged(store))

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with values added; see `RowSinks.extended`."""
        columns, read = self.columns(store), self.reader(store)
        taken = (*chosen.taken, *columns)
        names = free_names(chosen.added, taken)
        last = {names[name]: kind for name, kind in chosen.added.items()}

        def lines(batch: Rows) -> Iterator[bytes]:
            return (extended(line, chosen.values(position), taken) for position, line in read(batch))

        table = TableSink(sink, columns, table_format_of(sink, form), last=last)
        return RecordSink(table, lines, self.unchanged(store))


class ChangedRowSinks(LineRowSinks):
    """The sinks of the rows of others with changed lines; `first_of` gives the first position of a source."""

    def __init__(self, rows: RowSinks, first_of: Callable[[int], int]) -> None:
        self._rows, self._first_of, self._source = rows, first_of, 0
        self.ending = rows.ending

    def of_source(self, source: int) -> RowSinks:
        """Return the sink factory for one source; see `RowSinks`."""
        made = copy(self)
        vars(made).update(_rows=self._rows.of_source(source), _source=source)
        return made

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns of the rows."""
        return self._rows.columns(store)

    @abstractmethod
    def changed(self, position: int, line: bytes) -> bytes:
        """Change the line of a row, by its position among the rows of all sources."""

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads rows as lines of JSON; numbers stay as they are written."""
        read, first = self._rows.reader(store), self._first_of(self._source)
        return lambda batch: ((position, self.changed(first + position, line)) for position, line in read(batch))


class CoreRowSinks(LineRowSinks):
    """The sinks of rows that the core has read: byte for byte where the format is that of the source."""

    def of_source(self, source: int) -> RowSinks:
        """Give itself: the store that a sink is made with has the rows of one source."""
        return self

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        if is_parquet(os.fspath(sink), form):
            table_format_of(sink, form)

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows; see `RowSinks.kept`."""
        name = os.fspath(sink)
        if is_parquet(name, form) or store.is_other_table(name, form):
            return super().kept(store, sink, form)
        return store.kept_sink(name, form, link)

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns of tables, which are texts; fields of JSON lines are found in the records."""
        return dict.fromkeys(store.columns or (), "text")

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Read a few records; see `RowSinks.records`."""
        return dict(zip(positions, map(record_of, store.objects(positions)), strict=True))

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads records as lines of JSON; see `RowSinks.reader`."""

        def read(batch: Rows) -> Iterator[tuple[int, bytes]]:
            wanted = batch.positions
            for at in range(0, len(wanted), _BATCH_RECORDS):
                positions = wanted[at : at + _BATCH_RECORDS]
                for position, record in zip(positions, store.objects(positions), strict=True):
                    yield position, record.strip() if record else b"{}"

        return read


class RecordSink:
    """The sink of records with values added, which are the rows of a table."""

    def __init__(
        self, table: TableSink, lines: Callable[[Rows], Iterable[bytes]], check_unchanged: Callable[[], None]
    ) -> None:
        self._table, self._lines, self._check_unchanged = table, lines, check_unchanged
        self.check, self.begin, self.abort = table.check, table.begin, table.abort

    def write(self, batch: Rows, /) -> None:
        """Write records."""
        self._table.write(self._lines(batch))

    def commit(self) -> None:
        """Make sure that no source has changed, and give the table its name."""
        self._check_unchanged()
        self._table.commit()


def free_names(added: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Name the values that are added to a record; one whose name the record has gets `simsieve_` before it."""
    known = set(taken)
    names = {}
    for name in added:
        free = name
        while free in known:
            free = f"simsieve_{free}"
        names[name] = free
    return names


def extended(record: bytes | None, values: Mapping[str, Any], taken: Sequence[str] = ()) -> bytes:
    """Add values to a record, which otherwise stays as it is written."""
    body = (record or b"").strip()
    try:
        # Only the names count: a number of thousands of digits is none of Python's.
        fields = row_of(body, parse_int=str)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        body, fields = b"{}", {}
    names = free_names(values, (*taken, *fields))
    more = line_of({names[name]: value for name, value in values.items()})
    return body[:-1].rstrip() + (b"," if fields else b"") + more[1:]


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
    # Archives and papers have no fields of records.
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


class MixedRowSinks(LineRowSinks):
    """The sinks of rows of several groups of sources."""

    def __init__(self, groups: Sequence[tuple[RowSinks, int]], check_unchanged: Callable[[], None]) -> None:
        self._sources = [(maker, source) for maker, count in groups for source in range(count)]
        self._check_unchanged = check_unchanged

    def unchanged(self, store: _core.Records) -> Callable[[], None]:
        """Give what checks the sources of all groups."""
        return self._check_unchanged

    def of_source(self, source: int) -> RowSinks:
        """Return the sink factory for one source; see `RowSinks.of_source`."""
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
