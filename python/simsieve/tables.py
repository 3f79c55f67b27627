"""Rows in columns: Parquet files, data frames of pandas and polars, Arrow tables. All of it goes through pyarrow.

Of each row the core gets the text, the id and what the keep order compares; it puts them into a temporary file without
a name, so memory stays bounded whatever the size of a Parquet file. The kept rows are read again and written with all
their columns and types.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.columns import BATCH_ROWS, arrow
from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.placing import placed
from simsieve.records import Progress

_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 64 << 20


@contextmanager
def _source_errors(path: str) -> Iterator[None]:
    pa = arrow()
    try:
        yield
    except FileNotFoundError:
        raise SourceError(f"{path}: does not exist; check the name") from None
    except PermissionError as error:
        raise not_read(path, "", error) from None
    except (pa.lib.ArrowException, OSError) as error:
        what = " ".join(str(error).split())
        raise SourceError(f"{path}: is no whole Parquet file ({what}); fetch or write it again") from error


class ArrowStream(Protocol):
    """What gives its rows by Arrow's protocol, as tables and frames of pandas, polars and pyarrow do."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give a capsule with the stream."""


class ParquetFiles:
    """Parquet files of one schema.

    Args:
        paths: The files.

    Raises:
        SourceError: A file is missing, or is not whole.
        ConfigError: Their columns or types differ.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.parts = paths
        self._files = {}
        self._stamps = {}
        parquet = arrow("pyarrow.parquet")
        for path in paths:
            if os.path.isdir(path):
                raise SourceError(f"{path}: is a folder; name the files in it, such as '{path}/*.parquet'")
            with _source_errors(path):
                self._files[path] = parquet.ParquetFile(path)
                self._stamps[path] = _stamp(path)
        for path in paths[1:]:
            if not self.schema(path).equals(self.schema(paths[0])):
                raise ConfigError(
                    f"{paths[0]} and {path} have different columns or types, so their rows cannot stand in one file;"
                    " make two runs"
                )

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """Give the schema of a file."""
        del wanted
        return self._files[part].schema_arrow

    def names(self, part: str) -> list[str]:
        """Give the names of a file's columns."""
        return list(self.schema(part).names)

    def batches(self, part: str, columns: list[str] | None, rows: int = BATCH_ROWS) -> Iterator[Any]:
        """Read a file batch by batch; all columns where none are named."""
        with _source_errors(part):
            yield from self._files[part].iter_batches(batch_size=rows, columns=columns)
        if _stamp(part) != self._stamps[part]:
            raise SourceError(f"{part}: changed while it was read; let whatever writes it finish, then run again")

    def check(self, store: _core.Store | None, sink: str | os.PathLike[str], form: str | None) -> None:  # noqa: ARG002
        """Check the sink; see `rows.Rows.check`."""
        _check_sink(os.fspath(sink), form)

    def write(
        self,
        columns: _core.Decisions,
        sink: str | os.PathLike[str],
        form: str | None,  # noqa: ARG002 - checked before
        *,
        link: bool,  # noqa: ARG002 - for folders
        progress: Progress | None,
    ) -> None:
        """Write the kept rows with all columns, under the compression of the first source."""
        kept = columns.decision == 0
        first = self._files[self.parts[0]]
        compression = "snappy"
        if first.metadata.num_row_groups and first.metadata.num_columns:
            compression = first.metadata.row_group(0).column(0).compression
        compression = "none" if compression == "UNCOMPRESSED" else compression.lower()
        with placed(os.fspath(sink)) as file:
            writer = arrow("pyarrow.parquet").ParquetWriter(file, self.schema(self.parts[0]), compression=compression)
            with writer:
                for table in self._groups(kept, progress):
                    writer.write_table(table)

    def _groups(self, kept: NDArray[np.bool_], progress: Progress | None) -> Iterator[Any]:
        pa = arrow()
        at, held, size, rows = 0, [], 0, 0
        for part in self.parts:
            for batch in self.batches(part, None):
                mask = kept[at : at + len(batch)]
                at += len(batch)
                if progress is not None:
                    progress("write", at, len(kept))
                if not mask.any():
                    continue
                chosen = batch if mask.all() else batch.filter(pa.array(mask))
                held.append(chosen)
                size, rows = size + chosen.nbytes, rows + len(chosen)
                if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
                    yield pa.Table.from_batches(held)
                    held, size, rows = [], 0, 0
        if held:
            yield pa.Table.from_batches(held)

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Refuse: rows of files are not kept in memory."""
        del positions
        raise ConfigError("the rows are in files: write them with `write` and read what you need of the sink")


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


class Frame:
    """A data frame or Arrow table in memory.

    Args:
        given: A frame of pandas or polars, an Arrow table or batch, or anything with `__arrow_c_stream__`.
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self.parts = ("the table",)
        self._pandas = _package(given) == "pandas"
        self._table: Any = None if self._pandas else _table(given)
        # All columns, which of pandas are needed only where they are written.
        self._whole: Any = self._table

    def names(self, part: str) -> list[str]:
        """Give the names of its columns."""
        del part
        return [str(name) for name in (self.given.columns if self._pandas else self._table.schema.names)]

    def schema(self, part: str, wanted: Sequence[str]) -> Any:
        """Give the schema of the columns that are wanted, which is all that pandas is asked to convert."""
        del part
        if self._pandas:
            whole = {name for field in wanted for name in (field, field.partition(".")[0])}
            self._table = _of_pandas(self.given.loc[:, [str(name) in whole for name in self.given.columns]])
        return self._table.schema

    def batches(self, part: str, columns: list[str]) -> Iterator[Any]:
        """Give the rows batch by batch."""
        del part
        yield from self._table.select(columns).to_batches(max_chunksize=BATCH_ROWS)

    def check(self, store: _core.Store | None, sink: str | os.PathLike[str], form: str | None) -> None:  # noqa: ARG002
        """Check the sink; see `rows.Rows.check`."""
        _check_sink(os.fspath(sink), form)
        if self._whole is None:
            # Before the work is done: not every frame of pandas can be Parquet.
            self._whole = _of_pandas(self.given)

    def write(
        self,
        columns: _core.Decisions,
        sink: str | os.PathLike[str],
        form: str | None,  # noqa: ARG002 - checked before
        *,
        link: bool,  # noqa: ARG002 - for folders
        progress: Progress | None,  # noqa: ARG002 - one step
    ) -> None:
        """Write the kept rows as Parquet."""
        kept = self._whole.filter(arrow().array(columns.decision == 0))
        with placed(os.fspath(sink)) as file:
            arrow("pyarrow.parquet").write_table(kept, file)

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Give rows in the kind that came in."""
        if self._pandas:
            return self.given.iloc[positions]
        if _package(self.given) == "polars":
            return self.given[positions]
        source = self.given if hasattr(self.given, "take") else self._table
        return source.take(arrow().array(positions))


def _of_pandas(frame: Any) -> Any:
    pa = arrow()
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.lib.ArrowException, ValueError) as error:
        what = " ".join(str(error).split())
        raise ConfigError(
            f"the table has columns of one name, or one of mixed types ({what}): give each column its own name and one"
            " type, for example with df['text'] = df['text'].astype(str)"
        ) from error


def is_frame(given: object) -> bool:
    """Say whether this is a table that `Frame` takes.

    Example:
        >>> is_frame(["a text"])
        False
    """
    if _package(given) == "pandas":
        return hasattr(given, "iloc") and hasattr(given, "columns")
    if _package(given) == "polars":
        return hasattr(given, "to_arrow") and hasattr(given, "columns")
    # An array of texts gives a stream too, and is an iterable of texts.
    return hasattr(given, "__arrow_c_stream__") and (_package(given) != "pyarrow" or hasattr(given, "schema"))


def column_texts(given: Any) -> list[Any] | None:
    """Give the values of a column: a Series of pandas or polars, an array or chunked array of Arrow.

    Args:
        given: Anything.

    Returns:
        Its values, which may be other things than texts; None where it is no column.

    Raises:
        ConfigError: A value is missing; the text has its index.

    Example:
        >>> column_texts(["a text"]) is None
        True
    """
    package = _package(given)
    if package == "pyarrow" and hasattr(given, "to_pylist") and not hasattr(given, "schema"):
        values, missing = given.to_pylist(), given.is_null().to_numpy(zero_copy_only=False)
    elif package in ("pandas", "polars") and hasattr(given, "to_list") and not hasattr(given, "columns"):
        values = given.to_list()
        missing = (given.isna() if package == "pandas" else given.is_null()).to_numpy()
    else:
        return None
    if missing.any():
        raise ConfigError(
            f"text {int(missing.argmax())} of the column is missing: leave such rows out, or give a table with the"
            " column, in which they count as failed"
        )
    return list(values)


def _package(given: object) -> str:
    return type(given).__module__.partition(".")[0]


def _table(given: Any) -> Any:
    pa = arrow()
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    if isinstance(given, pa.RecordBatchReader):
        return given.read_all()
    if isinstance(given, pa.Table):
        return given
    to_arrow: Callable[[], Any] | None = getattr(given, "to_arrow", None)
    return pa.table(given) if to_arrow is None else to_arrow()


def _check_sink(sink: str, form: str | None) -> None:
    if form not in (None, "parquet") or (form is None and not sink.lower().endswith(".parquet")):
        raise ConfigError(
            f"the sink {sink} is not Parquet, and rows of Parquet files and tables are written to Parquet alone, with"
            " their types; name a sink in .parquet"
        )
    if sink == "-":
        raise ConfigError("Parquet is not written to stdout; name a file")


def check_all_parquet(paths: Iterable[str], parquet: Iterable[str]) -> None:
    """Check that where a source is Parquet all are.

    Raises:
        ConfigError: They are mixed, or one is stdin.

    Example:
        >>> check_all_parquet(["a.parquet"], ["a.parquet"])
    """
    those = list(parquet)
    if "-" in those:
        raise ConfigError("Parquet is not read from stdin, since its table of contents stands at the end; name a file")
    others = [path for path in paths if path not in those]
    if those and others:
        raise ConfigError(
            f"{those[0]} is Parquet and {others[0]} is not, so their rows cannot stand in one sink; convert one, or"
            " make two runs"
        )
