"""Rows in columns: Parquet files, frames of pandas and polars, datasets, Arrow tables and streams, by pyarrow.

Of each row the core gets the text, the id and what the keep order compares. It puts them into a temporary file without
a name, so memory is bounded for Parquet files of any size.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SimsieveError, SourceError, not_read
from simsieve.json_values import json_of
from simsieve.machine import stamp
from simsieve.optional import arrow
from simsieve.registry import on_disk
from simsieve.sinks.base import no_room
from simsieve.sources.columns import BATCH_ROWS, ColumnSource
from simsieve.sources.copies import Copies
from simsieve.sources.records import Spool
from simsieve.tabular import is_typed, of_pandas, package_of, reader_of, rows_at, table_of
from simsieve.types import Progress

_WRITTEN = ("SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD")
"""The compressions that pyarrow writes."""


@contextmanager
def _source_errors(path: str) -> Iterator[None]:
    pa = arrow()
    try:
        yield
    except FileNotFoundError:
        raise SourceError("{path}: does not exist; check the name", path=path) from None
    except PermissionError as error:
        raise not_read(path, "", error) from None
    except (pa.lib.ArrowException, OSError) as error:
        what = " ".join(str(error).split())
        raise SourceError(
            "{path}: is no whole Parquet file ({what}); fetch or write it again", path=path, what=what
        ) from error


class ParquetFiles(ColumnSource):
    """Parquet files."""

    is_named = True

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        self.paths = self.parts = paths
        self.of_objects = of_objects
        self._files: dict[str, Any] = {}
        self._stamps: dict[str, tuple[int, ...]] = {}
        arrow("pyarrow.parquet")
        for path in paths:
            if os.path.isdir(path):
                raise SourceError("{path}: is a folder; name the files in it, such as '{path}/*.parquet'", path=path)
            if on_disk(path):
                self._file(path)

    def _place(self, part: str) -> str:
        return self.of_objects.place(part) if self.of_objects else part

    def _file(self, part: str) -> Any:
        """A file, opened once."""
        if part not in self._files:
            place = self._place(part)
            if os.path.exists(place) and not os.path.isfile(place):
                # It would wait for the writer of a pipe.
                raise SourceError(
                    "{path}: is no regular file, and Parquet has its index at the end: name a file", path=part
                )
            with _source_errors(part):
                self._files[part] = arrow("pyarrow.parquet").ParquetFile(place)
                self._stamps[part] = stamp(place)
        return self._files[part]

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Fetch the objects among the files, and hand the columns that a run needs to the core."""
        if self.of_objects:
            self.of_objects.fetched(self.paths)
        return super().spool(config, progress)

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """Give the schema of a file."""
        return self._file(part).schema_arrow

    def batches(self, part: str, columns: list[str] | None, rows: int = BATCH_ROWS) -> Iterator[Any]:
        """Read a file batch by batch; all columns where none are named. Threads may read side by side."""
        metadata = self._file(part).metadata
        self._check_unchanged(part)
        with _source_errors(part), arrow("pyarrow.parquet").ParquetFile(self._place(part), metadata=metadata) as file:
            yield from file.iter_batches(batch_size=rows, columns=columns)
        self._check_unchanged(part)

    def groups(self, part: str) -> list[tuple[int, Callable[[Sequence[str]], Any]]]:
        """Give the row groups of a file; see `ArrowRows.groups`."""
        file, types = self._file(part), arrow("pyarrow.types")
        plain = [field.name for field in file.schema_arrow if not types.is_nested(field.type)]

        def read(group: int, but: Sequence[str]) -> Any:
            with _source_errors(part):
                return file.read_row_group(group, columns=[name for name in plain if name not in but])

        metadata = file.metadata
        return [(metadata.row_group(at).num_rows, partial(read, at)) for at in range(metadata.num_row_groups)]

    def check_unchanged(self) -> None:
        """Check that no file has changed since it was opened."""
        for part in self.parts:
            self._check_unchanged(part)

    def _check_unchanged(self, part: str) -> None:
        if stamp(self._place(part)) != self._stamps[part]:
            raise SourceError(
                "{part}: changed while it was read; let whatever writes it finish, then run again", part=part
            )

    def compression_of(self, part: str) -> str:
        """The compression of a file, as pyarrow's writer takes it."""
        first = self._file(part).metadata
        name = first.row_group(0).column(0).compression if first.num_row_groups and first.num_columns else "SNAPPY"
        if name == "UNCOMPRESSED":
            return "none"
        # An old kind of LZ4 is read, and is not written.
        return str(name).lower() if name in _WRITTEN else "snappy"

    def row_labels(self, first: int, count: int) -> Any:
        """Return None: a row of a file has no label but its id."""
        return None


class Frame(ColumnSource):
    """A data frame or Arrow table in memory."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.parts = ("the table",)
        self._pandas = package_of(given) == "pandas"
        self._table: Any = None if self._pandas else table_of(given)
        # All columns, which of pandas are needed only where they are written.
        self._whole: Any = self._table
        self._labels: Any = None

    def names(self, part: str) -> list[str]:
        """Give the names of its columns."""
        return [str(name) for name in (self.given.columns if self._pandas else self._table.schema.names)]

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """Give the schema of the columns that are wanted, which is all that pandas is asked to convert."""
        if self._pandas:
            whole = {name for field in wanted for name in (field, field.partition(".")[0])}
            self._table = of_pandas(self.given.loc[:, [str(name) in whole for name in self.given.columns]])
        return self._table.schema

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """Give the rows batch by batch; all columns where none are named."""
        table = self.whole() if columns is None else self._table.select(columns)
        yield from table.to_batches(max_chunksize=BATCH_ROWS)

    def whole(self) -> Any:
        """Return all columns as an Arrow table."""
        if self._whole is None:
            self._whole = of_pandas(self.given)
        return self._whole

    def with_json(self) -> tuple[ColumnSource, frozenset[str]]:
        """Return the rows, with columns of pandas that hold several types as texts of JSON, and the names of those."""
        try:
            self.whole()
        except ConfigError:
            names = self.names("")
            mixed = [at for at in range(len(names)) if not is_typed(self.given.iloc[:, at])]
            if not mixed or len(set(names)) < len(names):
                raise
            frame = self.given.set_axis(names, axis="columns")
            for at in mixed:
                frame[names[at]] = [json_of(value) for value in self.given.iloc[:, at]]
            return Frame(frame), frozenset(names[at] for at in mixed)
        return self, frozenset()

    def row_labels(self, first: int, count: int) -> Any:
        """Give the index of a frame of pandas; else, or where it has levels or mixed types, the row numbers."""
        pa = arrow()
        if self._labels is None and self._pandas and self.given.index.nlevels == 1:
            # Of an index that Arrow has no type for nothing is taken.
            with suppress(pa.lib.ArrowException, TypeError):
                self._labels = pa.array(self.given.index)
        if self._labels is None:
            return super().row_labels(first, count)
        return self._labels.slice(first, count)

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Give rows in the kind that came in."""
        if self._pandas:
            return self.given.iloc[positions]
        if package_of(self.given) == "polars":
            return self.given[positions]
        if package_of(self.given) == "datasets":
            return self.given.select(positions)
        return rows_at(self.given, arrow().array(positions))


def column_texts(given: Any) -> list[Any] | None:
    """Give the values of a column: a Series of pandas or polars, an array or chunked array of Arrow."""
    package = package_of(given)
    if package == "pyarrow" and hasattr(given, "to_pylist") and not hasattr(given, "schema"):
        return list(given.to_pylist())
    if package in ("pandas", "polars") and hasattr(given, "to_list") and not hasattr(given, "columns"):
        return list(given.to_list())
    return None


class Stream(ColumnSource):
    """A stream of Arrow; the copy of its batches, in Arrow's own form and compressed, lives as long as the result."""

    parts = ("the table",)

    def __init__(self, given: Any) -> None:
        self._given: Any = reader_of(given)
        self._schema = self._given.schema
        self.keep_alive = spool = Spool()
        self._copy = Path(spool.folder, "rows.arrows")

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """Give its schema."""
        return self._schema

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """Give the rows batch by batch: first as they come, then from the copy; threads may read it side by side."""
        given, self._given = self._given, None
        for rows in self._copied() if given is None else self._passing(given):
            yield rows if columns is None else rows.select(columns)

    def _passing(self, given: Any) -> Iterator[Any]:
        """Copy the batches while they come; where no more are asked for, no more are taken from the stream."""
        ipc = arrow("pyarrow.ipc")
        try:
            with (
                self._copy.open("wb") as file,
                ipc.new_stream(file, self._schema, options=ipc.IpcWriteOptions(compression="lz4")) as copy,
            ):
                for rows in _cut(given):
                    copy.write_batch(rows)
                    yield rows
        except SourceError:
            raise
        except OSError as error:
            raise no_room(error) from error

    def _copied(self) -> Iterator[Any]:
        with arrow().OSFile(str(self._copy)) as file, arrow("pyarrow.ipc").open_stream(file) as copy:
            yield from copy

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Give rows as a table of Arrow."""
        return self.stream(positions).read_all()


def _cut(given: Any) -> Iterator[Any]:
    """The rows of a stream in batches that are not too large."""
    done = 0
    while True:
        try:
            batch = given.read_next_batch()
        except StopIteration:
            return
        except SimsieveError:
            raise
        except (arrow().ArrowException, OSError) as error:
            what = " ".join(str(error).split())
            raise SourceError(
                "the table: its stream broke off after {done:,} rows ({what}); make it again and run again",
                done=done, what=what,
            ) from error  # fmt: skip
        for first in range(0, len(batch), BATCH_ROWS):
            yield batch.slice(first, BATCH_ROWS)
        done += len(batch)
