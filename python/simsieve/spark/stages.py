"""The stages of a job by their names, as Spark shows them, and how rows get to the tasks of their partitions."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger(__name__)
COUNT = "simsieve: count the rows"
SPREAD = "simsieve: spread the texts"
PAIR = "simsieve: keys and candidate pairs"
VERIFY = "simsieve: near pairs"
ROUNDS = "simsieve: rounds of decisions"
DECIDE = "simsieve: decisions on rows that have candidates"
TEXTS = "simsieve: texts of some kept rows"
RECALL = "simsieve: recall"
STAGES = (COUNT, SPREAD, PAIR, VERIFY, ROUNDS, DECIDE, RECALL, TEXTS)
"""All stages in their order. In a small job that of decisions has those of near pairs and rounds in it. The decisions
on all rows are a part of the caller's own jobs."""
_DESCRIPTION = "spark.job.description"


@contextmanager
def stage(spark: SparkSession, name: str) -> Iterator[None]:
    """Name the jobs that run meanwhile. A session of Spark Connect has no names of jobs."""
    _log.info("%s", name)
    context = getattr(spark, "sparkContext", None)
    if context is None:
        yield
        return
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, name)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)


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
