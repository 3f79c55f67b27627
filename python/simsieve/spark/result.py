"""What a job has decided: decisions, counts, recall, and the summary of them."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions, types

from simsieve import _core
from simsieve.cluster import outcome, steps
from simsieve.cluster.engine import Rows
from simsieve.cluster.job import Changed, Found, Job
from simsieve.cluster.recall import measured
from simsieve.cluster.rows import flags, longs
from simsieve.results.hubs import HUBS, LEAST, Crowd, crowds_of, kind_of_some, may_have_hubs
from simsieve.results.losses import MUCH
from simsieve.results.recall import EXACT, estimate
from simsieve.results.summary import SCHEMA_VERSION, describe_schemes
from simsieve.spark.engine import df_of
from simsieve.types import Recall

_LOOKED_AT = 200
"""About this many kept rows are looked at with their texts."""
_DOUBTFUL = f"of_lost > {MUCH} or of_conflict"
_KINDS = {
    **dict.fromkeys(("position", "representative_position", "lost", "cluster"), types.LongType()),
    "distance": types.IntegerType(), "similarity": types.DoubleType(), "conflict": types.BooleanType(),
}  # fmt: skip


@dataclass
class JobResult:
    """What a job has decided."""

    job: Job
    rows: Rows | None
    changed: Changed | None = None
    seconds: float = 0.0
    recall: Recall | None = None
    doubts: dict[str, Any] = field(default_factory=dict)
    labels: dict[int, Any] = field(default_factory=dict)

    @cached_property
    def reasons(self) -> dict[tuple[str, str], int]:
        """How many rows have each decision and reason."""
        counts: dict[tuple[str, str], int] = defaultdict(int)
        for row in self._of_rows(outcome.counted(), "decision string, reason string, count long").collect():
            counts[row["decision"], row["reason"]] += row["count"]
        return dict(counts)

    def decisions(self) -> DataFrame:
        """Give the decisions."""
        label = df_of(self.job.frame.rows).schema["id"].dataType
        kinds = {"id": label, "representative": label, **_KINDS}
        fields = [
            types.StructField(name, kinds.get(name, types.StringType()))
            for name in outcome.columns(old=self.job.has_old)
        ]
        return self._of_rows(self.job.decided(), types.StructType(fields))

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

    def doubt(self, found: Found) -> None:
        """Look for hubs among the near duplicates, and for a kind that the texts look like; read the texts of few."""
        crowds = self._crowds()
        kept = self.counts().get("kept", 0)
        rows = np.zeros(0, dtype=np.int64)
        if not self.job.config.kind:
            step = outcome.kept_rows(max(1, kept // _LOOKED_AT))
            rows = np.sort(longs(self._of_rows(step, "row long").toArrow()["row"]))
        wanted = np.unique([*(at for crowd in crowds for at in crowd.documents), *rows.tolist()]).astype(np.int64)
        table = self.job.texts_of(found, wanted) if len(wanted) else None
        if table is None:
            return
        scheme = self.job.scheme
        texts = dict(zip(table["row"].to_pylist(), table["text"].to_pylist(), strict=True))
        text = {at: scheme.used_text(texts[at])[0] if scheme.has_features else texts[at] for at in texts}
        looks = kind_of_some(scheme, rows, lambda some: [text[at] for at in some.tolist()])
        hubs = [crowd.hub(self.labels[crowd.documents[0]], [text[at] for at in crowd.documents]) for crowd in crowds]
        self.doubts = {name: doubt for name, doubt in (("hubs", hubs), ("looks_like", looks)) if doubt}

    def _near(self) -> Any:
        """The near rows; of many those of the largest hubs alone."""
        if self.changed is None:
            return None
        if self.changed.table is not None:
            return self.changed.table.filter(pc.field("of") != pc.field("to_row"))
        near = self._changed_rows(self.changed).where("of <> to_row")
        heads = near.groupBy("to_row").agg(
            functions.count("of").alias("size"), functions.count_if(functions.expr(_DOUBTFUL)).alias("doubtful")
        )
        heads = heads.where(f"size >= {LEAST} and 2 * doubtful > size").orderBy(functions.desc("size")).limit(HUBS)
        return near.join(functions.broadcast(heads), "to_row", "left_semi").toArrow()

    def _changed_rows(self, changed: Changed) -> DataFrame:
        label = df_of(self.job.frame.rows).schema["id"].dataType.simpleString()
        schema = ", ".join(f"{name} {kind.format(id=label)}" for name, kind in outcome.CHANGED)
        return df_of(changed.rows.map(outcome.changed_rows(), schema))

    def _crowds(self) -> list[Crowd]:
        near = self._near() if may_have_hubs(self.job.scheme) else None
        if near is None:
            return []
        near = near.sort_by("of_position")
        much = pc.fill_null(pc.greater(near["of_lost"], MUCH), False)  # noqa: FBT003 - Arrow's own
        conflict = pc.fill_null(near["of_conflict"], False)  # noqa: FBT003 - Arrow's own
        crowds = crowds_of(self.job.scheme, longs(near["of"]), longs(near["to_row"]), flags(much), flags(conflict))
        for head in [crowd.documents[0] for crowd in crowds]:
            at = near.filter(pc.equal(near["to_row"], head)).slice(0, 1)
            label = at["to_id"][0].as_py()
            self.labels[head] = at["to"][0].as_py() if label is None else label
        return crowds

    def summary(self) -> dict[str, Any]:
        """Give the job in numbers, as the summary of `simsieve dedup`, without those that are not counted here."""
        counts, recall = self.counts(), self.recall
        sizes = self._of_rows(outcome.clustered(), "cluster long, count long").groupBy("cluster")
        largest = sizes.agg(functions.sum("count").alias("rows")).agg(functions.max("rows").alias("most")).first()
        dropped = None if largest is None else largest["most"]
        clusters = self.reasons.get(("kept", "representative"), 0)
        told = {}
        if self.changed is not None and self.changed.table is not None:
            much, conflicts = pc.greater(self.changed.table["of_lost"], MUCH), self.changed.table["of_conflict"]
            told = {"lost_much": pc.sum(much).as_py(), "conflicts": pc.sum(conflicts).as_py()}
        elif self.changed is not None:
            doubts = {"lost_much": f"of_lost > {MUCH}", "conflicts": "of_conflict"}
            sums = (functions.count_if(functions.expr(what)).alias(name) for name, what in doubts.items())
            told = self._changed_rows(self.changed).agg(*sums).collect()[0].asDict()
        return {
            "schema_version": SCHEMA_VERSION,
            "read": sum(counts.values()),
            **{name: counts.get(name, 0) for name in ("kept", "dropped", "failed")},
            "exact_duplicates": self.reasons.get(("dropped", "exact"), 0),
            "near_duplicates": self.reasons.get(("dropped", "near"), 0),
            "clusters": clusters,
            "largest_cluster": (dropped or 0) + 1 if counts.get("kept") else 0,
            **{name: count for name, count in told.items() if count},
            **self.doubts,
            "recall": None if recall is None else recall.value,
            "recall_interval": None if recall is None else [recall.low, recall.high],
            **describe_schemes(
                self.job.schemes, self.job.config, [{"digest": one.recipe_digest} for one in self.job.unfrozen()]
            ),
            "plan": {"kernel": _core.kernel(), "tasks": self.job.engine.tasks, "text_partitions": self.job.partitions},
            "seconds": round(self.seconds, 6),
        }

    def _of_rows(self, step: steps.Step, schema: types.StructType | str) -> DataFrame:
        if self.rows is None:
            return df_of(self.job.frame.rows).sparkSession.createDataFrame([], schema)
        return df_of(self.job.with_changed(self.rows, self.changed).map(step, schema))
