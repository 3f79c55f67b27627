"""The stages of a job by their names, as Spark's own interface shows them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

_log = logging.getLogger(__name__)
COUNT = "simsieve: count the rows"
SPREAD = "simsieve: spread the texts"
PAIR = "simsieve: keys and candidate pairs"
VERIFY = "simsieve: near pairs"
ASK = "simsieve: rows that have candidates"
TEXTS = "simsieve: texts of large groups"
RECALL = "simsieve: recall"
STAGES = (COUNT, SPREAD, PAIR, VERIFY, ASK, TEXTS, RECALL)
"""All stages in their order. The decisions on all rows are a part of the caller's own jobs."""
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
