"""Kept rows of Parquet files, data frames and Arrow tables, written to Parquet with all their columns and types."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.optional import arrow
from simsieve.sinks.atomic import atomic_file
from simsieve.sinks.base import Chosen, SinkPath
from simsieve.sinks.records import free_names
from simsieve.sinks.tables import (
    arrow_array,
    kind_of,
    line_of,
    put_lines,
    table_format_of,
    write_table,
    written_file,
)
from simsieve.types import Progress

_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 64 << 20


class ArrowRows(Protocol):
    """What the sink needs of a source whose rows stand in columns."""

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


class ParquetSink:
    """The sink of rows in columns.

    Args:
        rows: The source of the rows, which are read again where they are in files.
    """

    def __init__(self, rows: ArrowRows) -> None:
        self._rows = rows

    def check(self, store: _core.Store | None, sink: SinkPath, form: str | None) -> None:
        """Check the sink; see `KeptSink.check`."""
        del store
        _check_sink(os.fspath(sink), form)
        # Before the work is done: not every frame of pandas can be Parquet.
        self._rows.whole()

    def write(
        self,
        columns: _core.Decisions,
        sink: SinkPath,
        form: str | None,  # noqa: ARG002 - checked before
        *,
        link: bool,  # noqa: ARG002 - for folders
        progress: Progress | None,
    ) -> None:
        """Write the kept rows with all columns; those of files under the compression of the first one."""
        kept = columns.decision == 0
        table = self._rows.whole()
        parquet = arrow("pyarrow.parquet")
        if table is not None:
            # There may be more rows than `limit` lets in.
            chosen = table.slice(0, len(kept)).filter(arrow().array(kept))
            with atomic_file(os.fspath(sink)) as file:
                parquet.write_table(chosen, file)
            return
        schema, compression = self._rows.schema(self._rows.parts[0]), self._rows.compression
        with (
            atomic_file(os.fspath(sink)) as file,
            parquet.ParquetWriter(file, schema, compression=compression) as writer,
        ):
            for group in self._groups(kept, progress):
                writer.write_table(group)

    def _groups(self, kept: NDArray[np.bool_], progress: Progress | None) -> Iterator[Any]:
        pa = arrow()
        held, size, rows = [], 0, 0
        for chosen, _ in self._chosen(kept, progress):
            held.append(chosen)
            size, rows = size + chosen.nbytes, rows + len(chosen)
            if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
                yield pa.Table.from_batches(held)
                held, size, rows = [], 0, 0
        if held:
            yield pa.Table.from_batches(held)

    def _chosen(self, mask: NDArray[np.bool_], progress: Progress | None) -> Iterator[tuple[Any, NDArray[np.int64]]]:
        """The rows of a mask, batch by batch, and their positions; there may be more rows than the mask has."""
        at = 0
        for part in self._rows.parts:
            for whole in self._rows.batches(part, None):
                batch = whole.slice(0, len(mask) - at)
                wanted = mask[at : at + len(batch)]
                positions = at + np.flatnonzero(wanted)
                at += len(batch)
                if progress is not None:
                    progress("write", at, len(mask))
                if len(positions):
                    yield (batch if wanted.all() else batch.filter(arrow().array(wanted))), positions

    def write_records(
        self,
        store: _core.Store,
        chosen: Chosen,
        sink: SinkPath,
        form: str | None,
        progress: Progress | None,
    ) -> None:
        """Write rows with columns added; those of Parquet keep their types. See `KeptSink.write_records`."""
        mask = np.zeros(store.new_len, dtype=bool)
        mask[np.asarray(chosen.positions, dtype=np.int64)] = True
        schema = self._rows.schema(self._rows.parts[0]) if self._rows.whole() is None else self._rows.whole().schema
        names = free_names(chosen.added, schema.names)
        wanted = table_format_of(sink, form)
        if wanted == "parquet":
            self._write_columns(chosen, mask, schema, names, sink, progress)
            return

        def lines() -> Iterator[bytes]:
            for batch, positions in self._chosen(mask, progress):
                for row, position in zip(batch.to_pylist(), positions.tolist(), strict=True):
                    values = chosen.values(position)
                    yield line_of(row | {names[name]: values[name] for name in names})

        kinds = dict.fromkeys(schema.names) | {names[name]: kind for name, kind in chosen.added.items()}
        write_table(sink, lambda path: put_lines(path, lines()), kinds, wanted)

    def _write_columns(
        self,
        chosen: Chosen,
        mask: NDArray[np.bool_],
        schema: Any,
        names: dict[str, str],
        sink: SinkPath,
        progress: Progress | None,
    ) -> None:
        pa = arrow()
        kinds = {
            name: kind or kind_of(chosen.values(position)[name] for position in chosen.positions)
            for name, kind in chosen.added.items()
        }
        for name, kind in kinds.items():
            schema = schema.append(pa.field(names[name], arrow_array([], kind).type))
        with (
            written_file(sink) as file,
            arrow("pyarrow.parquet").ParquetWriter(file, schema, compression=self._rows.compression) as writer,
        ):
            for batch, positions in self._chosen(mask, progress):
                values = [chosen.values(position) for position in positions.tolist()]
                added = [arrow_array([row[name] for row in values], kind) for name, kind in kinds.items()]
                writer.write_batch(pa.record_batch([*batch.columns, *added], schema=schema))


def _check_sink(sink: str, form: str | None) -> None:
    if form not in (None, "parquet") or (form is None and not sink.lower().endswith(".parquet")):
        raise ConfigError(
            f"the sink {sink} is not Parquet, and rows of Parquet files and tables are written to Parquet alone, with"
            " their types; name a sink in .parquet"
        )
    if sink == "-":
        raise ConfigError("Parquet is not written to stdout; name a file")
