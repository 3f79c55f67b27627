"""What a job has decided: decisions, counts, recall, and the summary of them."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions, types

from simsieve import _core
from simsieve.results.losses import MUCH
from simsieve.results.recall import EXACT, estimate
from simsieve.results.summary import SCHEMA_VERSION, describe_schemes
from simsieve.run.schemes import only_criterion
from simsieve.spark import outcome, steps
from simsieve.spark.job import Found, Job
from simsieve.spark.recall import measured
from simsieve.types import Recall

_KINDS = {
    **dict.fromkeys(("position", "representative_position", "lost", "cluster"), types.LongType()),
    "distance": types.IntegerType(), "similarity": types.DoubleType(), "conflict": types.BooleanType(),
}  # fmt: skip


@dataclass
class JobResult:
    """What a job has decided."""

    job: Job
    rows: DataFrame | None
    changed: Any = None
    seconds: float = 0.0
    recall: Recall | None = None

    @cached_property
    def reasons(self) -> dict[tuple[str, str], int]:
        """How many rows have each decision and reason."""
        counts: dict[tuple[str, str], int] = defaultdict(int)
        for row in self._of_rows(outcome.counted(), "decision string, reason string, count long").collect():
            counts[row["decision"], row["reason"]] += row["count"]
        return dict(counts)

    def decisions(self) -> DataFrame:
        """Give the decisions."""
        label = self.job.frame.rows.schema["id"].dataType
        similarity = only_criterion(self.job.config, "a job").similarity
        step = outcome.decided(self.job.config.measure_of(similarity), measured=similarity is not None)
        kinds = {"id": label, "representative": label, **_KINDS}
        fields = [types.StructField(name, kinds.get(name, types.StringType())) for name in outcome.COLUMNS]
        return self._of_rows(step, types.StructType(fields))

    def counts(self) -> dict[str, int]:
        """Count the rows of each decision."""
        counts: dict[str, int] = defaultdict(int)
        for (decision, _), count in self.reasons.items():
            counts[decision] += count
        return dict(counts)

    def positions(self, *, kept: bool) -> DataFrame:
        """Give the positions of the rows that are kept, or of those that are not."""
        return self._of_rows(outcome.chosen(kept=kept), "position long")

    def measure(self, found: Found, sample: int, *, exact: bool) -> None:
        """Measure the recall of the search; one that is exact misses nothing."""
        if exact:
            self.recall = EXACT
            return
        counts = self.counts()
        kept, dropped = counts.get("kept", 0), counts.get("dropped", 0)
        self.recall = estimate(kept, dropped, *measured(self.job, found, self.changed, sample, kept))

    def summary(self) -> dict[str, Any]:
        """Give the job in numbers, as the summary of `simsieve dedup`, without those that are not counted here."""
        counts, recall = self.counts(), self.recall
        sizes = self._of_rows(outcome.clustered(), "cluster long, count long").groupBy("cluster")
        largest = sizes.agg(functions.sum("count").alias("rows")).agg(functions.max("rows").alias("most")).first()
        dropped = None if largest is None else largest["most"]
        clusters = self.reasons.get(("kept", "representative"), 0)
        told = {}
        if self.changed is not None:
            much = pc.greater(self.changed["of_lost"], MUCH)
            told = {"lost_much": pc.sum(much).as_py(), "conflicts": pc.sum(self.changed["of_conflict"]).as_py()}
        return {
            "schema_version": SCHEMA_VERSION,
            "read": sum(counts.values()),
            **{name: counts.get(name, 0) for name in ("kept", "dropped", "failed")},
            "exact_duplicates": self.reasons.get(("dropped", "exact"), 0),
            "near_duplicates": self.reasons.get(("dropped", "near"), 0),
            "clusters": clusters,
            "largest_cluster": (dropped or 0) + 1 if counts.get("kept") else 0,
            **{name: count for name, count in told.items() if count},
            "recall": None if recall is None else recall.value,
            "recall_interval": None if recall is None else [recall.low, recall.high],
            **describe_schemes([self.job.scheme], self.job.config, [{"digest": self.job.unfrozen().recipe_digest}]),
            "plan": {"kernel": _core.kernel(), "tasks": self.job.tasks, "text_partitions": self.job.partitions},
            "seconds": round(self.seconds, 6),
        }

    def _of_rows(self, step: steps.Step, schema: types.StructType | str) -> DataFrame:
        if self.rows is None:
            return self.job.spark.createDataFrame([], schema)
        return self.job.with_changed(self.rows, self.changed).mapInArrow(step, schema)
