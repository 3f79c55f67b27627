"""Tables in memory: those that are given, and what gives itself to pyarrow, pandas, polars and Arrow's stream."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from simsieve.errors import ConfigError
from simsieve.optional import arrow, frames

if TYPE_CHECKING:
    # For users that have them; where a package is missing, its type is unknown.
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    PandasFrame: TypeAlias = pd.DataFrame
    PolarsFrame: TypeAlias = pl.DataFrame
    ArrowTable: TypeAlias = pa.Table
else:
    PandasFrame = PolarsFrame = ArrowTable = Any


class ArrowStream(Protocol):
    """What gives its rows by Arrow's protocol, as tables and frames of pandas, polars and pyarrow do.

    Example:
        >>> import pyarrow
        >>> hasattr(pyarrow.table({"text": ["a text"]}), "__arrow_c_stream__")
        True
    """

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give a capsule with the stream."""


class Tabular:
    """A table that is made when it is asked for."""

    __slots__ = ()

    def to_arrow(self) -> ArrowTable:
        """Give the rows as a `pyarrow.Table`."""
        raise NotImplementedError

    def to_pandas(self) -> PandasFrame:
        """Give the rows as a `pandas.DataFrame`; whole numbers with missing ones among them stay whole (`Int64`)."""
        pandas, table = frames("pandas"), self.to_arrow()
        frame, types = table.to_pandas(), arrow("pyarrow.types")
        nullable = {arrow().int32(): pandas.Int32Dtype(), arrow().int64(): pandas.Int64Dtype()}
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count and types.is_integer(column.type):
                frame[name] = column.to_pandas(types_mapper=nullable.get)
        return frame

    def to_polars(self) -> PolarsFrame:
        """Give the rows as a `polars.DataFrame`."""
        return frames("polars").from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows by Arrow's protocol for streams, as `polars.DataFrame` and `pyarrow.table` read it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def is_frame(given: object) -> bool:
    """Say whether this is a table of pandas, polars, Arrow or Hugging Face's datasets, or a stream of rows."""
    if package_of(given) == "datasets":
        # A stream is an iterable of records, and a mapping has a table for each split.
        return hasattr(given, "__len__") and not isinstance(given, Mapping)
    if package_of(given) == "pandas":
        return hasattr(given, "iloc") and hasattr(given, "columns")
    # An array of texts gives a stream too, and is an iterable of texts.
    return is_stream(given) or (package_of(given) in {"pyarrow", "polars"} and _is_table(given))


def _is_table(given: object) -> bool:
    return hasattr(given, "__arrow_c_stream__") and hasattr(given, "columns")


def is_stream(given: object) -> bool:
    """Say whether this gives its rows batch by batch, perhaps once: a reader, a query, others of Arrow's protocol."""
    package = package_of(given)
    if package in {"pandas", "datasets"} or (package in {"pyarrow", "polars"} and _is_table(given)):
        return False
    if package == "pyarrow":
        return any(hasattr(given, name) for name in ("read_next_batch", "to_reader", "scanner"))
    return hasattr(given, "__arrow_c_stream__") and not (package == "polars" and hasattr(given, "to_list"))


def is_reader(kind: type) -> bool:
    """Say whether a type is `pyarrow.RecordBatchReader`, without importing it."""
    return (kind.__module__.partition(".")[0], kind.__name__) == ("pyarrow", "RecordBatchReader")


def reader_of(given: Any) -> Any:
    """Make a `pyarrow.RecordBatchReader` of a stream; see `is_stream`."""
    reader = arrow().RecordBatchReader
    if isinstance(given, reader):
        return given
    # A data set of Arrow has scanners, and these have readers.
    given = given.scanner() if hasattr(given, "scanner") else given
    return given.to_reader() if hasattr(given, "to_reader") else reader.from_stream(given)


def of_pandas(frame: Any) -> Any:
    """Make an Arrow table of a frame of pandas, without its index."""
    pa = arrow()
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.lib.ArrowException, ValueError) as error:
        what = " ".join(str(error).split())
        raise ConfigError(
            "the table has columns of one name, or one of mixed types ({what}): give each column its own name and one "
            "type, for example with df['text'] = df['text'].astype(str)",
            what=what,
        ) from error


def is_typed(column: Any) -> bool:
    """Say whether Arrow has a type for all values of a column of pandas."""
    pa = arrow()
    try:
        pa.array(column, from_pandas=True)
    except (pa.lib.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def package_of(given: object) -> str:
    """Give the name of the package that a value's type comes from."""
    return type(given).__module__.partition(".")[0]


def plain_type(kind: Any) -> Any:
    """Give the type without views, with which pyarrow can choose rows; other types stay."""
    pa, types = arrow(), arrow("pyarrow.types")
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    if types.is_struct(kind):
        return pa.struct([field.with_type(plain_type(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type), kind.keys_sorted)
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        field = kind.value_field.with_type(plain_type(kind.value_type))
        if types.is_fixed_size_list(kind):
            return pa.list_(field, kind.list_size)
        return pa.list_(field) if types.is_list(kind) else pa.large_list(field)
    return views.get(str(kind), kind)


def rows_at(rows: Any, which: Any) -> Any:
    """Choose rows of a table or batch of Arrow, whose columns keep their types."""
    pa, types, compute = arrow(), arrow("pyarrow.types"), arrow("pyarrow.compute")

    def chosen(given: Any) -> Any:
        return given.filter(which) if types.is_boolean(which.type) else given.take(which)

    def column(given: Any) -> Any:
        with suppress(pa.ArrowNotImplementedError):
            return chosen(given)
        if types.is_run_end_encoded(given.type):
            return compute.run_end_encode(chosen(compute.run_end_decode(given)), given.type.run_end_type)
        return chosen(given.cast(plain_type(given.type))).cast(given.type)

    with suppress(pa.ArrowNotImplementedError):
        return chosen(rows)
    return type(rows).from_arrays([column(one) for one in rows.columns], schema=rows.schema)


def table_of(given: Any) -> Any:
    """Make an Arrow table of a frame or table; see `is_frame`."""
    if package_of(given) == "pandas":
        return of_pandas(given)
    if is_stream(given):
        return reader_of(given).read_all()
    pa = arrow()
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    if package_of(given) == "datasets":
        table = given.with_format("arrow")[:]
        # Rows that were shuffled or selected come as a piece each, which take five times as long to hand over.
        return table.combine_chunks() if len(table.to_batches()) > len(table) // 1000 + 1 else table
    return given if isinstance(given, pa.Table) else given.to_arrow()
