"""What a job reads of a DataFrame: its columns are checked and renamed, and the order of its rows is fixed."""

import logging
from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, functions, types
from pyspark.storagelevel import StorageLevel

from simsieve.cluster.job import Frame
from simsieve.cluster.rows import DATE, EQUAL, FACT, OLD
from simsieve.cluster.settings import (
    BETWEEN,
    KEEP_NEEDED,
    MARK,
    ORDER_NEEDED,
    PARTS_NEEDED,
    TEXTS_NEEDED,
    Named,
    is_whole_name,
    no_order,
    other_ids,
    wrong_kind,
)
from simsieve.spark.engine import SparkEngine, SparkRows

log = logging.getLogger(__name__)
_WHOLE = (types.ByteType, types.ShortType, types.IntegerType, types.LongType)
MADE_ORDER = "simsieve_order"
"""The column of an order that is made."""
_ORDERED = (*_WHOLE, types.FloatType, types.DoubleType, types.StringType)
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
"""A text that the core takes for a number."""


class Columns(Named):
    """The columns that a job reads."""

    __slots__ = ()

    def of(self, df: DataFrame) -> tuple[list[Column], list[tuple[str, bool]], str, DataFrame]:
        """Check the columns of a DataFrame; give those of a job, the keep order, and what orders the rows."""
        order, config = self.order, self.config
        texts = _joined(df, self.texts) if config.field else text_column(df, self.text)
        labels = _column(df, "id", self.id)
        if order is None and not has_whole_numbers(df, self.id):
            df, order = in_order(df, self.texts, self.id), MADE_ORDER
        place = self.id if order is None else order
        name = "id" if order is None else "order"
        _check(df, name, place, _WHOLE, ORDER_NEEDED)
        position = _column(df, name, place).cast("long").alias("position")
        columns = [position, labels.alias("id"), texts.alias("text")]
        sorting: list[tuple[str, bool]] = []
        for rule in config.keep:
            word, _, field = rule.partition(":")
            if word in ("first", "last"):
                sorting.append(("position", word == "last"))
                break
            if word in ("longest", "shortest"):
                values = [functions.length(texts)]
            else:
                _check(df, f"keep {word}", field, _ORDERED, KEEP_NEEDED)
                values = _compared(df, field)
            for value in values:
                sorting.append((f"keep_{len(sorting)}", word in ("longest", "max")))
                columns.append(value.alias(sorting[-1][0]))
        else:
            sorting.append(("position", False))
        if config.equal_fields:
            equal = [_column(df, "column", name).cast("string") for name in config.equal_fields]
            columns.append(functions.to_json(functions.array(*equal)).alias(EQUAL))
        facts = [name for names, *_ in config.field_rules for name in names]
        columns += [_fact(df, name).alias(f"{FACT}_{at}") for at, name in enumerate(facts)]
        if config.date_field is not None:
            columns.append(_fact(df, config.date_field).alias(DATE))
        return columns, sorting, place, df


def frame_of(df: DataFrame, given: Columns, against: DataFrame | None = None) -> Frame:
    """Check the columns of a DataFrame and fix the order of its rows, which old ones of another precede."""
    columns, keep, place, df = given.of(df)
    rows = df.select(*columns)
    if against is not None:
        of_old, _, _, against = given.of(against)
        if keep[-1] == ("position", True):
            rows, keep = rows.withColumn("keep_last", functions.col("position")), [*keep[:-1], ("keep_last", True)]
            keep.append(("position", False))
        # The keep order is that of new rows; old ones are in the order of their positions.
        none = {name: functions.lit(None).cast(rows.schema[name].dataType) for name, _ in keep[:-1]}
        old = against.select(*of_old).withColumns(none)
        own, other = (part.schema["id"].dataType.simpleString() for part in (rows, old))
        if own != other:
            raise other_ids(own, other)
        rows, old = rows.withColumn(OLD, functions.lit(col=False)), old.withColumn(OLD, functions.lit(col=True))
        rows, keep = rows.unionByName(old), [(OLD, True), *keep]
    found = rows.agg(
        functions.count(functions.lit(1)).alias("rows"),
        functions.count("position").alias("set"),
        functions.sum(functions.octet_length("text")).alias("bytes"),
    ).first()
    count, filled, size = (0, 0, 0) if found is None else (found["rows"], found["set"], found["bytes"] or 0)
    if filled < count:
        raise no_order(place, f"{count - filled} rows have none")
    engine, ids = SparkEngine(df.sparkSession), rows.schema["id"].dataType
    return Frame(engine, SparkRows(rows), count, size, place, tuple(keep), ids)


def _fact(df: DataFrame, name: str) -> Column:
    """A column as the core reads a value: a text as it is, a time in UTC, and what has parts as JSON."""
    value, kind = _column(df, "column", name), _type(df, "column", name)
    if isinstance(kind, types.TimestampType):
        value = functions.to_utc_timestamp(value, functions.current_timezone())
        return functions.date_format(value, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    if isinstance(kind, types.ArrayType | types.MapType | types.StructType):
        return functions.to_json(value)
    return value.cast("string")


def text_column(df: DataFrame, name: str) -> Column:
    """Give the column of the texts."""
    _check(df, "text", name, (types.StringType,), TEXTS_NEEDED)
    return _column(df, "text", name)


def _joined(df: DataFrame, names: tuple[str, ...]) -> Column:
    """The texts of several columns as the core parts them again; null where a row has none of them."""
    texts = []
    for name in names:
        _check(df, "text", name, (types.StringType, types.ArrayType, *_WHOLE), PARTS_NEEDED)
        value = _column(df, "text", name)
        if isinstance(kind := _type(df, "text", name), types.ArrayType):
            if not isinstance(kind.elementType, types.StringType):
                raise wrong_kind("text", name, kind.simpleString(), PARTS_NEEDED)
            # A list counts as a set.
            value = functions.array_join(functions.array_sort(value), "\n")
        texts.append(functions.translate(value.cast("string"), MARK, " "))
    whole = functions.concat_ws(BETWEEN, *(functions.coalesce(text, functions.lit("")) for text in texts))
    return functions.when(functions.coalesce(*texts).isNotNull(), whole)


def has_whole_numbers(df: DataFrame, name: str) -> bool:
    """Return whether a column has whole numbers."""
    return isinstance(_type(df, "id", name), _WHOLE)


def with_order(df: DataFrame, texts: Sequence[str], id: str, order: str | None) -> tuple[DataFrame, str | None]:
    """Put the numbers that order the rows into a column `MADE_ORDER`, by which rows and decisions are joined."""
    if order is None and not has_whole_numbers(df, id):
        return in_order(df, texts, id), MADE_ORDER
    name, place = ("id", id) if order is None else ("order", order)
    _check(df, name, place, _WHOLE, ORDER_NEEDED)
    return df.withColumn(MADE_ORDER, _column(df, name, place)), order


def in_order(df: DataFrame, texts: Sequence[str], id: str) -> DataFrame:
    """Add a column of the order by id and text, and then by all other columns of numbers and texts."""
    _check(df, "id", id, _ORDERED, "numbers or texts order the rows; name a column of whole numbers with order")
    log.info("no order is named: the rows are ordered by the columns %r and %r", id, ", ".join(texts))
    others = [field.name for field in df.schema if isinstance(field.dataType, _ORDERED)]
    columns = [_column(df, "id", id), *(_column(df, "text", name) for name in texts)]
    columns += [_column(df, "column", name) for name in others]
    # The numbers depend on partitions, so they are made once. Their order does not.
    return (
        df.orderBy(*columns)
        .withColumn(MADE_ORDER, functions.monotonically_increasing_id())
        .persist(StorageLevel.DISK_ONLY)
    )


def _column(df: DataFrame, what: str, name: str) -> Column:
    """A column by its whole name, or, where there is none of it, a field of a struct."""
    return functions.col("`" + name.replace("`", "``") + "`" if is_whole_name(what, name, df.columns) else name)


def _type(df: DataFrame, what: str, name: str) -> Any:
    return df.select(_column(df, what, name).alias("value")).schema["value"].dataType


def _check(df: DataFrame, what: str, name: str, allowed: tuple[type, ...], needed: str) -> None:
    kind = _type(df, what, name)
    if not isinstance(kind, allowed):
        raise wrong_kind(what, name, kind.simpleString(), needed)


def _compared(df: DataFrame, name: str) -> list[Column]:
    """The columns that compare a field as the core does: of texts, those written like numbers precede the others."""
    value, kind = _column(df, "keep", name), _type(df, "keep", name)
    if isinstance(kind, types.StringType):
        # The core takes off the white space of ASCII; doubles of large whole numbers can be equal where these differ.
        trimmed = functions.regexp_replace(value, r"^[ \t\n\f\r]+|[ \t\n\f\r]+$", "")
        is_number, is_whole = trimmed.rlike(_NUMBER), trimmed.rlike(r"^[+-]?\d{1,38}$")
        return [
            functions.when(is_number, trimmed.cast("double")),
            functions.when(is_whole, trimmed.cast("decimal(38,0)")),
            functions.when(~is_number & (trimmed != ""), value),
        ]
    if not isinstance(kind, types.FloatType | types.DoubleType):
        return [value]
    value = value.cast("double")
    # A value that is no finite number is missing, as in JSON.
    return [functions.when(functions.abs(value) < functions.lit(float("inf")), value)]
