"""Deduplication on Ray, with the decisions of one machine.

`ray` is imported here and in no other package. The work on rows is done by the compiled core in Ray's workers, so
simsieve must be installed on all nodes, in one version.
"""

from simsieve.optional import ray_data as _imported

# Where it is not installed, the error says how to install it.
_imported()

from simsieve.ray.pipeline import dedup, dedup_with_summary, find_pairs  # noqa: E402 - after the message

__all__ = ["dedup", "dedup_with_summary", "find_pairs"]
