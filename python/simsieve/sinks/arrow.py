"""Kept rows of Parquet files, data frames and Arrow tables, written to Parquet with all their columns and types.

They can go to the other formats of tables too.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from simsieve import _core
from simsieve.errors import InternalError, SourceError
from simsieve.optional import arrow
from simsieve.sinks.base import Chosen, Kind, Rows, Sink, SinkPath
from simsieve.sinks.files import FileSink
from simsieve.sinks.records import RecordSink, free_names
from simsieve.sinks.tables import TableSink, arrow_array, kind_of, line_of, table_format_of

_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 64 << 20


class ArrowRows(Protocol):
    """What the sink needs of a source whose rows are in columns."""

    @property
    def parts(self) -> Sequence[str]:
        """The names of its files, or of what else it reads one after another."""

    @property
    def compression(self) -> str:
        """The compression of a file of these rows."""

    def schema(self, part: str) -> Any:
        """The Arrow schema of a part."""

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """The rows of a part as Arrow batches; all columns where none are named."""

    def whole(self) -> Any:
        """All rows as one Arrow table where they are in memory, and None where they are in files."""

    def with_json(self) -> "tuple[ArrowRows, frozenset[str]]":
        """The rows, in which columns of several types are texts of JSON; and the names of those columns."""

    def check_unchanged(self) -> None:
        """Check that no file has changed since it was opened.

        Raises:
            SourceError: One has.
        """


class ArrowRowSinks:
    """The sinks of rows in columns.

    Args:
        rows: The source of the rows, which are read again where they are in files.
    """

    def __init__(self, rows: ArrowRows) -> None:
        self._rows = rows

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        table_format_of(sink, form)

    def kept(self, store: _core.Store, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows with all columns; see `RowSinks.kept`."""
        del store, link
        wanted = table_format_of(sink, form)
        if wanted == "parquet":
            return ParquetSink(self._rows, sink)
        given, mixed = self._rows.with_json()
        reader = _Reader(given)

        def lines(batch: Rows) -> Iterator[bytes]:
            for rows, _ in reader.take(batch):
                yield from map(line_of, _values(rows, mixed))

        columns = dict.fromkeys(_schema(given).names)
        return RecordSink(TableSink(sink, columns, wanted), lines, self._rows.check_unchanged)

    def extended(self, store: _core.Store, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with columns added; those of Parquet keep their types. See `RowSinks.extended`."""
        del store
        wanted = table_format_of(sink, form)
        if wanted == "parquet":
            return ParquetSink(self._rows, sink, chosen)
        given, mixed = self._rows.with_json()
        columns = _schema(given).names
        names = free_names(chosen.added, columns)
        reader = _Reader(given)

        def lines(batch: Rows) -> Iterator[bytes]:
            for rows, positions in reader.take(batch):
                for row, position in zip(_values(rows, mixed), positions, strict=True):
                    values = chosen.values(position)
                    yield line_of(row | {names[name]: values[name] for name in names})

        kinds = dict.fromkeys(columns) | {names[name]: kind for name, kind in chosen.added.items()}
        return RecordSink(TableSink(sink, kinds, wanted), lines, self._rows.check_unchanged)


class ParquetSink:
    """The sink of rows in columns as Parquet, with all columns and types, under the compression of the first file.

    Args:
        rows: The source of the rows.
        sink: The file.
        chosen: Values that are added, as further columns; None adds none.
    """

    def __init__(self, rows: ArrowRows, sink: SinkPath, chosen: Chosen | None = None) -> None:
        self._rows, self._chosen = rows, chosen
        self._file = FileSink(sink, packed=False)
        self._kinds: dict[str, Kind] = {}
        self._schema: Any = None
        self._reader: _Reader | None = None
        self._writer: Any = None
        self._held: list[Any] = []
        self._held_rows, self._held_bytes = 0, 0

    def check(self) -> None:
        """Check that the file can be written."""
        self._file.check()

    def begin(self) -> None:
        """Begin the file, and the reading of the rows."""
        pa = arrow()
        self._schema = _schema(self._rows)
        if self._chosen is not None:
            names = free_names(self._chosen.added, self._schema.names)
            self._kinds = _kinds(self._chosen)
            for name, kind in self._kinds.items():
                self._schema = self._schema.append(pa.field(names[name], arrow_array([], kind).type))
        self._file.begin()
        self._reader = _Reader(self._rows)
        parquet = arrow("pyarrow.parquet")
        self._writer = parquet.ParquetWriter(self._file.stream(), self._schema, compression=self._rows.compression)

    def write(self, batch: Rows, /) -> None:
        """Write rows."""
        if self._reader is None:
            raise InternalError("the Parquet sink was not begun; call begin before write")
        for rows, positions in self._reader.take(batch):
            made = self._extended(rows, positions)
            self._held.append(made)
            self._held_rows, self._held_bytes = self._held_rows + len(made), self._held_bytes + made.nbytes
            if self._held_rows >= _GROUP_ROWS or self._held_bytes >= _GROUP_BYTES:
                self._write_group()

    def commit(self) -> None:
        """Make sure that no file has changed, and give the Parquet file its name."""
        if self._writer is None:
            raise InternalError("the Parquet sink was not begun; call begin before commit")
        self._write_group()
        self._writer.close()
        self._rows.check_unchanged()
        self._file.commit()

    def abort(self) -> None:
        """Remove the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            # Its last bytes go to a file that is thrown away.
            with suppress(Exception):
                writer.close()
        self._held = []
        self._file.abort()

    def _extended(self, rows: Any, positions: Sequence[int]) -> Any:
        if self._chosen is None:
            return rows
        values = [self._chosen.values(position) for position in positions]
        added = [arrow_array([row[name] for row in values], kind) for name, kind in self._kinds.items()]
        return arrow().record_batch([*rows.columns, *added], schema=self._schema)

    def _write_group(self) -> None:
        held, self._held = self._held, []
        self._held_rows, self._held_bytes = 0, 0
        if held:
            self._writer.write_table(arrow().Table.from_batches(held))


class _Reader:
    """Reads the rows of a source once, in order.

    Args:
        rows: The source of the rows; it may have more than are taken.
    """

    def __init__(self, rows: ArrowRows) -> None:
        self._batches = (batch for part in rows.parts for batch in rows.batches(part, None))
        self._left: Any = None

    def take(self, batch: Rows) -> Iterator[tuple[Any, list[int]]]:
        """Give the wanted ones of the next rows as Arrow batches, with their positions."""
        at = 0
        while at < len(batch.wanted):
            left = next(self._batches, None) if self._left is None else self._left
            if left is None:
                raise SourceError("the table has fewer rows than it had: leave it as it is until the rows are written")
            rows = left.slice(0, len(batch.wanted) - at)
            self._left = left.slice(len(rows)) if len(rows) < len(left) else None
            some = Rows(batch.first + at, batch.wanted[at : at + len(rows)])
            at += len(rows)
            if some.wanted.any():
                yield (rows if some.wanted.all() else rows.filter(arrow().array(some.wanted))), some.positions


def _values(rows: Any, mixed: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The rows as objects; what is JSON in the columns of several types is read."""
    for row in rows.to_pylist():
        yield row | {name: json.loads(row[name]) for name in mixed}


def _schema(rows: ArrowRows) -> Any:
    table = rows.whole()
    return rows.schema(rows.parts[0]) if table is None else table.schema


def _kinds(chosen: Chosen) -> dict[str, Kind]:
    """What each added column holds; where only the values show it, all are read."""
    positions = np.flatnonzero(chosen.wanted).tolist()
    return {
        name: kind or kind_of(chosen.values(position)[name] for position in positions)
        for name, kind in chosen.added.items()
    }
