"""What a job has decided: decisions, counts, recall, and the summary of them."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc

from simsieve import _core
from simsieve.cluster import outcome
from simsieve.cluster.engine import Rows
from simsieve.cluster.job import Changed, Found, Job, taken
from simsieve.cluster.recall import measured
from simsieve.cluster.rows import flags, joined, longs
from simsieve.results.hubs import HUBS, Crowd, crowds_of, kind_of_some, may_have_hubs
from simsieve.results.losses import MUCH
from simsieve.results.recall import EXACT, estimate
from simsieve.results.summary import SCHEMA_VERSION, describe_schemes
from simsieve.types import Recall

SAMPLE = 1000
"""Kept rows that are sampled for the recall by default."""
_LOOKED_AT = 200
"""About this many kept rows are looked at with their texts."""


@dataclass
class JobResult:
    """What a job has decided: its rows with what `decide` has given, and that."""

    job: Job
    rows: Rows
    changed: Changed | None = None
    seconds: float = 0.0
    recall: Recall | None = None
    doubts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job, sample: int, started: float) -> "JobResult":
        """Decide, and look at the decisions where kept rows are sampled."""
        if not job.frame.count:
            return cls(job, job.engine.made([]))
        spread, search = job.frozen()
        found = job.found(spread, search)
        try:
            changed = job.decide(found)
            result = cls(job, job.with_changed(found.rows.of("rows"), changed), changed)
            if sample:
                result.measure(found, sample, exact=search.is_exact)
                result.doubt(found)
        except BaseException:
            found.rows.drop()
            raise
        finally:
            spread.drop()
        result.seconds = time.perf_counter() - started
        return result

    @cached_property
    def counted(self) -> Rows:
        """What is counted of the decisions."""
        return self.rows.map(outcome.counted(self.job.partitions)).keep()

    @cached_property
    def told(self) -> dict[str, int]:
        """How many rows have each decision and reason, and how many lose much or conflict."""
        return self.counted.sums()

    @cached_property
    def heads(self) -> tuple[int, list[int]]:
        """The rows of the largest cluster, and the keys of the rows that are probably hubs."""
        found = self.counted.of("heads").by_part(outcome.largest(), self.job.partitions).table()
        hubs = [table.sort_by([("near", "descending")]) for table in joined(found["value"].to_pylist())]
        return pc.max(found["number"]).as_py() or 0, [key for table in hubs for key in table["head"].to_pylist()][:HUBS]

    def decisions(self) -> Rows:
        """Give the decisions."""
        return self.job.decided(self.rows)

    def counts(self) -> dict[str, int]:
        """Count the rows of each decision."""
        counts: dict[str, int] = defaultdict(int)
        for kind, count in self.told.items():
            decision, _, reason = kind.partition(" ")
            counts[decision] += count if reason else 0
        return {decision: count for decision, count in counts.items() if count}

    def positions(self, *, kept: bool) -> Rows:
        """Give the positions of the rows that are kept, or of those that are not."""
        return self.rows.map(outcome.chosen(kept=kept), "position long")

    def measure(self, found: Found, sample: int, *, exact: bool) -> None:
        """Measure the recall of the search; one that is exact misses nothing."""
        if exact:
            self.recall = EXACT
            return
        counts = self.counts()
        kept, dropped = counts.get("kept", 0), counts.get("dropped", 0)
        self.recall = estimate(kept, dropped, *measured(self.job, found, self.rows, sample, kept))

    def doubt(self, found: Found) -> None:
        """Look for hubs among the near duplicates, and for a kind that the texts look like; read the texts of few."""
        crowds = self._crowds()
        kept = self.counts().get("kept", 0)
        rows = np.zeros(0, dtype=np.int64)
        if not self.job.config.kind:
            step = outcome.kept_rows(max(1, kept // _LOOKED_AT))
            rows = np.sort(longs(self.rows.map(step, "row long").table()["row"]))
        wanted = np.unique([*(at for _, crowd in crowds for at in crowd.documents), *rows.tolist()]).astype(np.int64)
        table = self.job.texts_of(found, wanted) if len(wanted) else None
        if table is None:
            return
        scheme = self.job.scheme
        texts = dict(zip(table["row"].to_pylist(), table["text"].to_pylist(), strict=True))
        text = {at: scheme.used_text(texts[at])[0] if scheme.has_features else texts[at] for at in texts}
        looks = kind_of_some(scheme, rows, lambda some: [text[at] for at in some.tolist()])
        hubs = [crowd.hub(name, [text[at] for at in crowd.documents]) for name, crowd in crowds]
        self.doubts = {name: doubt for name, doubt in (("hubs", hubs), ("looks_like", looks)) if doubt}

    def _crowds(self) -> list[tuple[Any, Crowd]]:
        """The probable hubs, each with the id of the row, or its position where it has none."""
        if self.changed is None or not may_have_hubs(self.job.scheme) or not self.heads[1]:
            return []
        near = taken(self.changed.rows.map(outcome.near_of(self.heads[1]))).sort_by("of_position")
        much = pc.fill_null(pc.greater(near["of_lost"], MUCH), False)  # noqa: FBT003 - Arrow's own
        conflict = pc.fill_null(near["of_conflict"], False)  # noqa: FBT003 - Arrow's own
        crowds = crowds_of(self.job.scheme, longs(near["of"]), longs(near["to_row"]), flags(much), flags(conflict))
        at = (near["to_row"].index(crowd.documents[0]).as_py() for crowd in crowds)
        rows = (near.slice(place, 1).to_pylist()[0] for place in at)
        names = (row["to"] if row["to_id"] is None else row["to_id"] for row in rows)
        return list(zip(names, crowds, strict=True))

    def summary(self) -> dict[str, Any]:
        """Give the job in numbers, as the summary of `simsieve dedup`, without those that are not counted here."""
        counts, recall = self.counts(), self.recall
        exact = self.told.get("dropped exact", 0)
        return {
            "schema_version": SCHEMA_VERSION,
            "read": sum(counts.values()),
            **{name: counts.get(name, 0) for name in ("kept", "dropped", "failed")},
            "exact_duplicates": exact,
            "near_duplicates": counts.get("dropped", 0) - exact,
            "clusters": self.told.get("kept representative", 0),
            "largest_cluster": self.heads[0],
            **{name: count for name in ("lost_much", "conflicts") if (count := self.told.get(name))},
            **self.doubts,
            "recall": None if recall is None else recall.value,
            "recall_interval": None if recall is None else [recall.low, recall.high],
            **describe_schemes(
                self.job.schemes, self.job.config, [{"digest": one.recipe_digest} for one in self.job.unfrozen()]
            ),
            "plan": {"kernel": _core.kernel(), "tasks": self.job.engine.tasks, "text_partitions": self.job.partitions},
            "seconds": round(self.seconds, 6),
        }
