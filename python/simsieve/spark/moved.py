"""How rows of the engine get to the tasks of their partitions."""

from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

_has_ids: WeakKeyDictionary[SparkSession, bool] = WeakKeyDictionary()


def to_partitions(rows: DataFrame, count: int) -> DataFrame:
    """Move packed rows, so that all of one `part` are in one task."""
    if _sends_by_id(rows.sparkSession):
        return rows.repartitionById(count, "part")
    # A task may then have several partitions, or none.
    return rows.repartition(count, "part")


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
