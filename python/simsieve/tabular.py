"""What can be taken as a table: by pyarrow, pandas, polars, and whatever reads Arrow's stream."""

from typing import Any

from simsieve.optional import arrow, frames


class Tabular:
    """A table that is made when it is asked for.

    Example:
        >>> import pyarrow
        >>> class Numbers(Tabular):
        ...     def to_arrow(self):
        ...         return pyarrow.table({"n": [1, 2]})
        >>> Numbers().to_pandas()["n"].tolist()
        [1, 2]
    """

    __slots__ = ()

    def to_arrow(self) -> Any:
        """Give the rows as a `pyarrow.Table`.

        Raises:
            ConfigError: pyarrow is not installed; the text names the extra.
        """
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Give the rows as a `pandas.DataFrame`; whole numbers with missing ones among them stay whole (`Int64`).

        Raises:
            ConfigError: pandas or pyarrow is not installed; the text names the extra.
        """
        pandas, table = frames("pandas"), self.to_arrow()
        frame, types = table.to_pandas(), arrow("pyarrow.types")
        nullable = {arrow().int32(): pandas.Int32Dtype(), arrow().int64(): pandas.Int64Dtype()}
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count and types.is_integer(column.type):
                frame[name] = column.to_pandas(types_mapper=nullable.get)
        return frame

    def to_polars(self) -> Any:
        """Give the rows as a `polars.DataFrame`.

        Raises:
            ConfigError: polars or pyarrow is not installed; the text names the extra.
        """
        return frames("polars").from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows by Arrow's protocol for streams, as `polars.DataFrame` and `pyarrow.table` read it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
