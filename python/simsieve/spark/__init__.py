"""Deduplication on Spark, with the decisions of one machine.

`pyspark` is imported here and in no other package. The work on rows is done by the compiled core on the executors, so
simsieve must be installed on all of them, in one version.
"""

from typing import Any

from simsieve.optional import spark as _imported

# Where it is not installed, the error says how to install it.
_imported()

from simsieve.registry import package  # noqa: E402 - after the message
from simsieve.spark.pipeline import dedup, dedup_with_summary, find_pairs, fingerprint, fit  # noqa: E402 - as above

__all__ = ["dedup", "dedup_with_summary", "find_pairs", "fingerprint", "fit", "read_mongo"]


def __getattr__(name: str) -> Any:
    """Give `read_mongo`, which needs pymongo."""
    if name != "read_mongo":
        raise AttributeError(name)
    package("mongo")
    from simsieve.spark.mongo import read_mongo  # noqa: PLC0415 - only where it is used

    return read_mongo
