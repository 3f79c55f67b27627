"""Kept rows of Parquet files, data frames and Arrow tables, written to Parquet with all their columns and types.

They can go to the other formats of tables too.
"""

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import ConfigError, InternalError, SourceError
from simsieve.json_values import record_of
from simsieve.optional import arrow
from simsieve.sinks.base import Chosen, FileSink, Kind, LineReader, Rows, RowSinks, Sink, SinkPath, by_part
from simsieve.sinks.records import LineRowSinks, free_names
from simsieve.sinks.tables import arrow_array, kind_of, line_of, table_format_of
from simsieve.tabular import rows_at

_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 64 << 20


class ArrowRows(Protocol):
    """What the sink needs of a source whose rows are in columns."""

    parts: Sequence[str]
    """The names of its files or other parts, in the order of reading."""

    def compression_of(self, part: str) -> str:
        """The compression of a Parquet file of the rows of a part, by default the usual one."""
        return "snappy"

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """The Arrow schema of a part; these of its fields are wanted."""

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """The rows of a part as Arrow batches; all columns where none are named."""

    def groups(self, part: str) -> Sequence[tuple[int, Callable[[Sequence[str]], Any]]]:
        """The row groups of a file: the rows of each, and what reads its plain columns but some; none in memory."""
        return ()

    def whole(self) -> Any:
        """All rows as one Arrow table where they are in memory, and None where they are in files."""
        return None

    def with_json(self) -> "tuple[ArrowRows, frozenset[str]]":
        """The rows, in which columns of several types are texts of JSON; and the names of those columns."""
        return self, frozenset()

    def check_unchanged(self) -> None:
        """Check that no file has changed since it was opened."""


_SHOWN = 60


class ArrowRowSinks(LineRowSinks):
    """The sinks of rows in columns: of all parts, or of some."""

    ending = "parquet"

    def __init__(self, rows: ArrowRows, parts: Sequence[str] | None = None) -> None:
        self._rows, self._parts = rows, rows.parts if parts is None else parts
        self._json: tuple[ArrowRows, frozenset[str]] | None = None

    def of_source(self, source: int) -> RowSinks:
        """Return the sink factory for one file; see `RowSinks.of_source`."""
        return ArrowRowSinks(self._rows, [self._parts[source]])

    def unchanged(self, store: _core.Records) -> Callable[[], None]:
        """Give what checks the files."""
        return self._rows.check_unchanged

    def _with_json(self) -> tuple[ArrowRows, frozenset[str]]:
        """The rows, in which columns of several types are texts of JSON; and the names of those columns."""
        if self._json is None:
            self._json = self._rows.with_json()
        return self._json

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows with all columns; see `RowSinks.kept`."""
        self._check_alike()
        if table_format_of(sink, form) == "parquet":
            return ParquetSink(self._rows, self._parts, sink)
        return super().kept(store, sink, form, link=link)

    def kept_with(
        self, store: _core.Records, sink: SinkPath, form: str | None, filled: Mapping[int, Mapping[str, Any]],
        first: int,
    ) -> None:  # fmt: skip
        """Refuse Parquet, whose types the values would lose; other tables have them. See `RowSinks.kept_with`."""
        self._check_alike()
        if table_format_of(sink, form) == "parquet":
            raise ConfigError(
                "{@`merge`} writes values as JSON has them, and the columns of {sink} would lose their types: name a"
                " file such as kept.jsonl or kept.csv",
                sink=os.fspath(sink),
            )

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with columns added; those of Parquet keep their types. See `RowSinks.extended`."""
        self._check_alike()
        if table_format_of(sink, form) == "parquet":
            return ParquetSink(self._rows, self._parts, sink, chosen)
        return super().extended(store, chosen, sink, form)

    def stream(self, wanted: NDArray[np.bool_]) -> Any:
        """Give the wanted ones of the first rows as a `pyarrow.RecordBatchReader`, with all columns and their types."""
        self._check_alike()
        schema, read = _schema(self._rows, self._parts), _Reader(self._rows, self._parts).take(Rows(0, wanted))
        return arrow().RecordBatchReader.from_batches(schema, (rows for rows, _ in read))

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns of the rows; the values decide what each holds."""
        return dict.fromkeys(_schema(self._with_json()[0], self._parts).names)

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads rows as lines of JSON; see `RowSinks.reader`."""
        given, mixed = self._with_json()
        reader = _Reader(given, self._parts)

        def read(batch: Rows) -> Iterator[tuple[int, bytes]]:
            for rows, positions in reader.take(batch):
                yield from zip(positions, map(line_of, _values(rows, mixed)), strict=True)

        return read

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Read a few rows of files, from their row groups alone; see `RowSinks.records`."""
        found: dict[int, dict[str, Any]] = {}
        groups = [group for part in self._parts for group in self._rows.groups(part)]
        for at, first, some in by_part(positions, [count for count, _ in groups]):
            rows = rows_at(groups[at][1](but), arrow().array(some))
            lines = (line_of(row) for batch in rows.combine_chunks().to_batches() for row in _values(batch))
            found |= zip((first + position for position in some), map(record_of, lines), strict=True)
        return found

    def _check_alike(self) -> None:
        """Check that the rows of all files can be in one file."""
        first, *others = self._parts
        for part in others:
            if not self._rows.schema(part).equals(self._rows.schema(first)):
                raise ConfigError(
                    "{first} and {part} have different columns or types, so one file cannot hold both; give a folder "
                    "as output, or make two runs",
                    first=first, part=part,
                )  # fmt: skip


class ParquetSink:
    """The sink of rows in columns as Parquet, with all columns and types, under the compression of the first file."""

    def __init__(self, rows: ArrowRows, parts: Sequence[str], sink: SinkPath, chosen: Chosen | None = None) -> None:
        self._rows, self._parts, self._reader, self._chosen = rows, parts, _Reader(rows, parts), chosen
        self._file = FileSink(sink, packed=False)
        self._kinds: dict[str, Kind] = {}
        self._schema: Any = None
        self._writer: Any = None
        self._held: list[Any] = []
        self._held_rows, self._held_bytes = 0, 0

    def check(self) -> None:
        """Check that the file can be written, and that Parquet has the types of all columns."""
        pa = arrow()
        schema, compression = _schema(self._rows, self._parts), self._rows.compression_of(self._parts[0])
        for field in schema:
            try:
                made = pa.schema([field])
                with arrow("pyarrow.parquet").ParquetWriter(
                    pa.BufferOutputStream(), made, compression=compression
                ) as writer:
                    writer.write_table(made.empty_table())
            except pa.ArrowException as error:
                raise ConfigError(
                    "column {name!r} is of type {type}, which Parquet cannot hold ({split}): cast or drop it, or "
                    "write JSON lines",
                    name=field.name, type=field.type, split=" ".join(str(error).split()),
                ) from None  # fmt: skip
        self._file.check()

    def begin(self) -> None:
        """Begin the file."""
        pa = arrow()
        self._schema = _schema(self._rows, self._parts)
        if self._chosen is not None:
            names = free_names(self._chosen.added, self._schema.names)
            self._kinds = _kinds(self._chosen)
            for name, kind in self._kinds.items():
                self._schema = self._schema.append(pa.field(names[name], arrow_array([], kind).type))
        self._file.begin()
        compression = self._rows.compression_of(self._parts[0])
        parquet = arrow("pyarrow.parquet")
        self._writer = parquet.ParquetWriter(self._file.stream(), self._schema, compression=compression)

    def write(self, batch: Rows, /) -> None:
        """Write rows."""
        if self._writer is None:
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
    """Reads the rows of a source in order; it begins anew where rows are wanted that precede those read last."""

    def __init__(self, rows: ArrowRows, parts: Sequence[str]) -> None:
        self._rows, self._parts = rows, parts
        self._batches: Iterator[Any] = iter(())
        self._left: Any = None
        # The position of the next row; before the first batch nothing is open.
        self._at = sys.maxsize

    def take(self, batch: Rows) -> Iterator[tuple[Any, list[int]]]:
        """Give the wanted ones of some rows as Arrow batches, with their positions."""
        if batch.first < self._at:
            self._batches = (rows for part in self._parts for rows in self._rows.batches(part, None))
            self._left, self._at = None, 0
        while self._at < batch.first:
            self._next(batch.first - self._at)
        at = 0
        while at < len(batch.wanted):
            rows = self._next(len(batch.wanted) - at)
            some = Rows(batch.first + at, batch.wanted[at : at + len(rows)])
            at += len(rows)
            if some.wanted.any():
                yield (rows if some.wanted.all() else rows_at(rows, arrow().array(some.wanted))), some.positions

    def _next(self, most: int) -> Any:
        """The next rows, not more than `most`."""
        left = next(self._batches, None) if self._left is None else self._left
        if left is None:
            raise SourceError("the table has fewer rows than it had: leave it as it is until the rows are written")
        rows = left.slice(0, most)
        self._left = left.slice(len(rows)) if len(rows) < len(left) else None
        self._at += len(rows)
        return rows


def _values(rows: Any, mixed: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """The rows as objects; JSON in the columns of several types is read."""
    try:
        made = rows.to_pylist()
    except UnicodeDecodeError:
        made = checked_texts(rows).to_pylist()
    except (OverflowError, ValueError):
        # Times that Python has not: before the year 1 and after 9999, or of nanoseconds where pandas is missing.
        made = arrow().record_batch([_times_as_text(one) for one in rows.columns], names=rows.schema.names).to_pylist()
    for row in made:
        yield row | {name: json.loads(row[name]) for name in mixed}


def checked_texts(rows: Any) -> Any:
    """Give rows whose texts are UTF-8; otherwise name the first one that is not."""
    try:
        rows.validate(full=True)
    except arrow().ArrowInvalid:
        names = rows.schema.names
        for at, name in itertools.product(range(len(rows)), names):
            try:
                rows.column(name)[at].as_py()
            except UnicodeDecodeError as error:
                key = "?" if name == names[0] else rows.column(0)[at].as_py()
                raise SourceError(
                    "column {name!r} has {value}, which is no text in UTF-8, where {first!r} is {key}: correct the "
                    "value, or leave the column out, as in ?query=SELECT ...",
                    name=name, value=ascii(error.object)[:_SHOWN], first=names[0], key=key,
                ) from None  # fmt: skip
    return rows


def _times_as_text(column: Any) -> Any:
    """A column of times as their texts in ISO 8601; other columns stay."""
    types = arrow("pyarrow.types")
    if not types.is_temporal(column.type):
        return column
    texts = column.cast(arrow().string())
    compute = arrow("pyarrow.compute")
    return compute.replace_substring(texts, " ", "T") if types.is_timestamp(column.type) else texts


def _schema(rows: ArrowRows, parts: Sequence[str]) -> Any:
    table = rows.whole()
    return rows.schema(parts[0]) if table is None else table.schema


def _kinds(chosen: Chosen) -> dict[str, Kind]:
    """What each added column holds; where only the values show it, all are read."""
    positions = np.flatnonzero(chosen.wanted).tolist()
    return {
        name: kind or kind_of(chosen.values(position)[name] for position in positions)
        for name, kind in chosen.added.items()
    }
