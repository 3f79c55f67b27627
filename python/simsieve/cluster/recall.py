"""The recall of a job's search, measured as on one machine: sampled kept rows are compared with all earlier kept ones.

A kept row near an earlier kept one is a miss of the search. The sample is drawn by a seeded hash of the positions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simsieve import _core
from simsieve.cluster import outcome, pairs, steps
from simsieve.cluster.decide import encoded_of
from simsieve.cluster.engine import Rows
from simsieve.cluster.job import Found, Job, taken
from simsieve.cluster.rows import Packed, batch_of, is_old, longs, numbers, pack, unpack
from simsieve.cluster.settings import RECALL
from simsieve.cluster.steps import Batches, SentSearch, step

_GROUP = 32
_MOST_COMPARED = 100_000
"""As in the core's `dedup/recall`: rows of the first group, and pairs after which no further group is sampled."""


def measured(job: Job, found: Found, rows: Rows, sample: int, kept: int) -> tuple[int, int]:
    """Sample at most a number of kept rows, and count those near an earlier kept one."""
    with job.engine.stage(RECALL):
        keep = steps.columns_of(job.frame.keep)
        chosen = taken(rows.map(_sampled(sample, job.config.seed, keep)))
        if chosen is None:
            return 0, 0
        ranks = _core.sample_ranks(longs(chosen["position"]), job.config.seed)
        chosen = chosen.take(pa.array(np.argsort(ranks, kind="stable")[:sample]))
        done = missed = tested = 0
        most = max(_MOST_COMPARED, kept // 4)
        while done < len(chosen) and tested <= most:
            fitting = (most - tested) * done // tested if tested else len(chosen)
            group = chosen.slice(done, max(fitting, _GROUP) if done else _GROUP)
            more, bad = _of_group(job, found, rows, group)
            done, tested, missed = done + len(group), tested + more, missed + bad
    return done, missed


def _of_group(job: Job, found: Found, rows: Rows, group: Any) -> tuple[int, int]:
    """The pairs of a group that are verified, and the rows of it that are near an earlier kept one."""
    candidates = rows.map(_compared(found.sent, pack(group))).keep()
    try:
        count = candidates.of("pairs").sums().get("pairs", 0)
        if not count:
            return 0, 0
        near = found.near(candidates).table()
        if job.config.max_lost is not None:
            near = near.filter(pc.less_equal(near["lost_b"], job.config.max_lost))
        return count, int(np.isin(longs(group["row"]), longs(near["b"])).sum())
    finally:
        candidates.drop()


@step
def _sampled(batches: Batches, sample: int, seed: int, keep: Sequence[str]) -> Batches:
    """Give the rows of least rank of each value: rows `sampled`."""
    for part, start, value, other in outcome.values_of(batches):
        rows, words = unpack(value)
        places = outcome.kept_places(rows, start, unpack(other)[0] if other is not None else None)
        places = places[~is_old(rows)[places]]
        ranks = _core.sample_ranks(longs(rows["position"])[places], seed)
        places = places[np.argsort(ranks, kind="stable")[:sample]]
        made = outcome.compared(rows, words, places, (part, start), keep)
        yield batch_of([Packed("sampled", part, len(made), pack(made))])


@step
def _compared(batches: Batches, sent: SentSearch, group: bytes) -> Batches:
    """Give the pairs of kept rows and rows of a group that may be near: rows `pairs` and `wanted`."""
    (sampled,) = unpack(group)
    own = longs(sampled["row"])
    for part, start, value, other in outcome.values_of(batches):
        rows, words = unpack(value)
        places = outcome.kept_places(rows, start, unpack(other)[0] if other is not None else None)
        kept = outcome.compared(rows, words, places, (part, start), [])
        of_kept, of_sampled, distance = sent.search().compare_sampled(encoded_of(kept), encoded_of(sampled))
        a, b = numbers(part, places + start)[of_kept], own[of_sampled]
        differ = a != b
        # Where the order of texts counts, the kept one is the earlier.
        ends = (a, b) if sent.search().is_directed else (np.minimum(a, b), np.maximum(a, b))
        found = {name: end[differ] for name, end in zip("ab", ends, strict=True)}
        if len(found["a"]):
            yield batch_of(pairs.for_partitions({**found, "distance": distance[differ].astype(np.int64)}))
