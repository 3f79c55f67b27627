"""Spark as the engine of a job: rows are DataFrames, and `mapInArrow` runs the steps."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import DataType, NullType, StructField, StructType
from pyspark.storagelevel import StorageLevel

from simsieve.cluster.rows import SCHEMA, Packed
from simsieve.cluster.steps import Step

_log = logging.getLogger(__name__)
_DESCRIPTION = "spark.job.description"
_TASKS = 8
_has_ids: WeakKeyDictionary[SparkSession, bool] = WeakKeyDictionary()


def _with_ids(kind: Any, ids: Any) -> Any:
    """A type with that of the ids in place of `void`, in structs too."""
    if isinstance(kind, StructType):
        return StructType([StructField(one.name, _with_ids(one.dataType, ids)) for one in kind.fields])
    return ids if kind == NullType() else kind


@dataclass(frozen=True, slots=True)
class SparkRows:
    """Rows as a DataFrame; see `cluster.engine.Rows`."""

    df: DataFrame

    def map(self, step: Step, schema: str = SCHEMA, ids: Any = None) -> "SparkRows":
        """Map the batches of each task."""
        there = self.df.schema.fields if schema.startswith("*, ") else []
        # The names of an id's fields need not be words of a schema.
        made = _with_ids(DataType.fromDDL(schema.removeprefix("*, ").replace("{id}", "void")), ids)
        return SparkRows(self.df.mapInArrow(step, StructType([*there, *made.fields])))

    def by_part(self, step: Step, count: int, schema: str = SCHEMA) -> "SparkRows":
        """Map packed rows in this many tasks; all rows of one `part` are in one task."""
        if _sends_by_id(self.df.sparkSession):
            return SparkRows(self.df.repartitionById(count, "part")).map(step, schema)
        # A task may then have several partitions, or none.
        return SparkRows(self.df.repartition(count, "part")).map(step, schema)

    def of(self, *kinds: str) -> "SparkRows":
        """The packed rows of some kinds."""
        return SparkRows(self.df.where(functions.col("kind").isin(*kinds)))

    def union(self, *others: "SparkRows") -> "SparkRows":
        """These rows and others."""
        return SparkRows(reduce(DataFrame.union, [other.df for other in others], self.df))

    def with_other(self, merged: "SparkRows", count: int, *, every: bool, is_small: bool = False) -> "SparkRows":
        """Packed rows with the value of another of their partition as `other`; small ones are sent to all executors."""
        other = merged.df.select("part", functions.col("value").alias("other"))
        return SparkRows(
            self.df.join(functions.broadcast(other) if is_small else other, "part", "left" if every else "inner")
        )

    def keep(self, *, now: bool = False) -> "SparkRows":
        """Keep the rows on the disks of the executors."""
        kept = SparkRows(self.df.persist(StorageLevel.DISK_ONLY))
        if now:
            kept.df.count()
        return kept

    def drop(self) -> object:
        """Keep them no longer."""
        return self.df.unpersist()

    def sums(self) -> dict[str, int]:
        """The sum of the numbers of packed rows of each kind."""
        found = self.df.groupBy("kind").agg(functions.sum("number").alias("rows")).collect()
        return {row["kind"]: row["rows"] for row in found}

    def table(self) -> Any:
        """The rows as a table of Arrow on the driver."""
        return self.df.toArrow()


def df_of(rows: Any) -> DataFrame:
    """Give rows of a job as a DataFrame."""
    return rows.df


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """A session of Spark, or of Spark Connect."""

    spark: SparkSession
    name: str = "Spark"

    @property
    def tasks(self) -> int:
        """How many tasks can run at a time; a client of Spark Connect does not know it."""
        context = getattr(self.spark, "sparkContext", None)
        return _TASKS if context is None else max(2, context.defaultParallelism)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name the jobs that run meanwhile. A session of Spark Connect has no names of jobs."""
        _log.info("%s", name)
        context = getattr(self.spark, "sparkContext", None)
        if context is None:
            yield
            return
        before = context.getLocalProperty(_DESCRIPTION)
        context.setLocalProperty(_DESCRIPTION, name)
        try:
            yield
        finally:
            context.setLocalProperty(_DESCRIPTION, before)

    def made(self, rows: Sequence[Packed]) -> SparkRows:
        """Rows of the driver."""
        return SparkRows(self.spark.createDataFrame(list(rows), SCHEMA))


def _sends_by_id(spark: SparkSession) -> bool:
    """Whether the engine takes the number of a partition; Spark does, and Sail 0.7 does not."""
    if getattr(spark, "sparkContext", None) is not None:
        return True
    if spark not in _has_ids:
        rows = spark.createDataFrame([(0,)], "part int")
        try:
            rows.repartitionById(1, "part").collect()
        except PySparkException:
            _has_ids[spark] = False
        else:
            _has_ids[spark] = True
    return _has_ids[spark]
