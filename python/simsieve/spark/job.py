"""The order of a job, known here and nowhere else.

    check the columns, count -> rows for their text partitions, by digest; a sample, freeze the search (driver)
      -> rows of one text partition together: copies, fingerprints, keys -> keys of one partition together: pairs
      -> pairs with their texts: near pairs -> rounds, and the walk of what they leave open -> decisions on all rows

A record's decision is a function of the texts and of the order of the rows, so partitions, retries and lost executors
change nothing. Between the steps many rows are one value of bytes, see `packed`.
"""

import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.storagelevel import StorageLevel

from simsieve import _core
from simsieve.config.near_rows import FIT
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.run.against import index_named
from simsieve.run.schemes import chosen_scheme, only_criterion
from simsieve.schemes.model import Model
from simsieve.spark import decide, indexed, outcome, pairs, rounds, steps, verdicts
from simsieve.spark.frame import Columns, Frame, frame_of
from simsieve.spark.packed import SCHEMA, flags, groups, joined, longs, pack, texts_of
from simsieve.spark.rows import SETTLED, keep_order, partitions_of
from simsieve.spark.stages import COUNT, DECIDE, PAIR, ROUNDS, SPREAD, TEXTS, VERIFY, stage, to_partitions
from simsieve.spark.steps import SentRules, SentScheme, SentSearch

NEAR = "a long, b long, distance long, similarity double, lost_a long, lost_b long, conflict boolean"
_LARGE = "row long, bucket long"
_ROWS_A_TASK = 250_000
_BYTES_A_TASK = 96 << 20
_KEY_BYTES = 100
_TASKS = 8
_SENT_BYTES = 64 << 20
_SAMPLED_LOG2 = 20


def fitted_model(rows: DataFrame, settings: Mapping[str, Any]) -> Model:
    """Fit a model on the texts of rows in parts, and merge these."""
    found = rows.select("text").mapInArrow(steps.fitted(settings), "model binary").toArrow()
    # The executors of the user's own job made these bytes.
    models = [pickle.loads(model) for model in found["model"].to_pylist()]  # noqa: S301
    if not models:
        raise ConfigError("there is no text to fit a model on")
    merged: Model = models[0].merge(*models[1:])
    return merged


def taken(rows: DataFrame) -> Any:
    """The packed tables of rows on the driver, in one; None where there is no row."""
    found = joined(rows.select("value").toArrow()["value"].to_pylist())
    return found[0] if found else None


@dataclass(frozen=True)
class Found:
    """The packed rows of both steps, by which what was found of the texts is reached."""

    spread: DataFrame
    rows: DataFrame
    sent: SentSearch
    partitions: int
    frame: Frame

    def of(self, kind: str) -> DataFrame:
        """The rows of a kind."""
        return self.rows.where(functions.col("kind") == kind)

    def large(self) -> DataFrame:
        """The rows of large buckets with these; without a bucket those that may be joined by what they carry."""
        return self.rows.where("kind in ('members', 'joined')").mapInArrow(pairs.large(), _LARGE)

    def counts(self) -> dict[str, int]:
        """How many candidate pairs, rows of large buckets and rows that may be joined there are."""
        with stage(self.rows.sparkSession, PAIR):
            of_kinds = self.rows.where("kind in ('pairs', 'members', 'joined')").groupBy("kind")
            found = of_kinds.agg(functions.sum("number").alias("rows")).collect()
        return {row["kind"]: row["rows"] for row in found if row["rows"]}

    def texts(self, wanted: DataFrame) -> DataFrame:
        """The texts of rows, for those that want them."""
        texts = self.spread.where(functions.col("kind") == "texts").union(wanted)
        return to_partitions(texts, self.partitions).mapInArrow(pairs.sought(self.frame.keep), SCHEMA)

    def near(self, candidates: DataFrame | None = None, *, positions: bool = False) -> DataFrame:
        """The near ones of candidate pairs, by default of those that were found; under a distance all."""
        wanted, of_pairs = (
            (self.rows if candidates is None else candidates).where(functions.col("kind") == kind)
            for kind in ("wanted", "pairs")
        )
        found = to_partitions(self.texts(wanted).union(of_pairs), self.partitions)
        return found.mapInArrow(pairs.verified(self.sent, self.frame.keep, positions=positions), NEAR)

    def pairs(self, *, in_order: bool) -> DataFrame:
        """The near pairs that were found. Under a distance alone no text is read, unless they must be in keep order."""
        if in_order or self.sent.search().by_similarity or self.sent.rules.of_rows:
            return self.near()
        return to_partitions(self.of("pairs"), self.partitions).mapInArrow(pairs.as_found(), NEAR)


@dataclass(frozen=True)
class Changed:
    """The rows that are dropped or represent others: a value for each text partition, and few of them as a table."""

    frame: DataFrame
    table: Any = None


@dataclass(frozen=True)
class Job:
    """A checked frame and the settings of a job."""

    spark: SparkSession
    frame: Frame
    config: DedupConfig
    scheme: _core.Scheme
    sent: SentScheme
    rules: SentRules
    index: Path | None = None

    @classmethod
    def of(
        cls, df: DataFrame, text: str, id: str, order: str | None, config: DedupConfig, against: Any = None
    ) -> "Job":
        """Check columns and settings, and count the rows."""
        scheme = chosen_scheme(config, "a Spark job")
        with stage(df.sparkSession, COUNT):
            index = index_named(against)
            frame = frame_of(df, Columns(text, id, order, config), None if index is not None else against)
            rules = SentRules.of(config, verdicts.found(frame, config.verdicts))
        if config.idf == FIT and frame.count:
            model = fitted_model(frame.rows, {"scheme": scheme.spec, "max_features": config.max_features})
            scheme = scheme.with_model(model.core, own=True)
        return cls(df.sparkSession, frame, config, scheme, SentScheme.of(scheme), rules, index)

    @property
    def partitions(self) -> int:
        """How many text partitions there are."""
        frame = self.frame
        small = min(self.tasks - 1, frame.count // 1000)
        return 1 + max(frame.count // _ROWS_A_TASK, frame.bytes // _BYTES_A_TASK, small)

    @property
    def tasks(self) -> int:
        """How many tasks can run at a time; a client of Spark Connect does not know it."""
        context = getattr(self.spark, "sparkContext", None)
        return _TASKS if context is None else max(2, context.defaultParallelism)

    def unfrozen(self) -> _core.UnfrozenSearch:
        """Give the search before it is frozen."""
        config, _ = self.config, only_criterion(self.config, "a Spark job")
        return _core.UnfrozenSearch(self.scheme, self.frame.count, config.nearness[0], config.recall, config.seed)

    def rows(self) -> DataFrame:
        """The rows of the frame, with what an index has settled."""
        rows = self.frame.rows
        if self.index is None:
            return rows
        label = rows.schema["id"].dataType.simpleString()
        schema = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in rows.schema.fields)
        step = indexed.looked_up(str(self.index), self.config, self.sent)
        return rows.mapInArrow(step, f"{schema}, {SETTLED} {indexed.KIND.format(id=label)}")

    def frozen(self) -> tuple[DataFrame, _core.FrozenSearch]:
        """Spread the rows over the text partitions, and freeze the search by a sample of the texts."""
        count, unfrozen = self.frame.count, self.unfrozen()
        least = unfrozen.sample_log2
        log2 = None if least is None else max(least, count.bit_length() - _SAMPLED_LOG2)
        spread = self.rows().mapInArrow(steps.spread(self.sent, self.rules, self.partitions, log2), SCHEMA)
        spread = spread.persist(StorageLevel.DISK_ONLY)
        with stage(self.spark, SPREAD):
            ends = spread.where("kind in ('order', 'sample')").select("kind", "value").toArrow()
        values: dict[str, list[bytes]] = {"order": [], "sample": []}
        for kind, value in zip(ends["kind"].to_pylist(), ends["value"].to_pylist(), strict=True):
            values[kind].append(value)
        self._check_order(joined(values["order"])[0])
        found = joined(values["sample"])
        texts = found[0]["text"] if found else pa.array([], pa.large_string())
        search = unfrozen.freeze(texts_of(texts), count, log2 or 0)
        rows = self.frame.rows.select("text").where(functions.col("text").isNotNull())
        while search is None:
            log2 = (log2 or 0) - 1
            found = rows.mapInArrow(steps.sampled(log2), "text string").distinct().toArrow()
            search = unfrozen.freeze(texts_of(found["text"]), count, log2)
        while (log2 := search.crowd_log2) is not None:
            sent = SentSearch.of(self.scheme, search)
            keys = rows.mapInArrow(steps.sampled_keys(sent, log2), "keys binary").toArrow()["keys"].to_pylist()
            search = search.split([np.frombuffer(some, dtype=np.uint64) for some in keys], log2)
        return spread, search

    def _check_order(self, ends: Any) -> None:
        """Check that all positions differ; by themselves only where the tasks do not have one range of them each."""
        ends = ends.sort_by([("old", "ascending"), ("low", "ascending")])
        low, high, old = longs(ends["low"]), longs(ends["high"]), flags(ends["old"])
        if not (flags(ends["differ"]).all() and ((low[1:] > high[:-1]) | (old[1:] != old[:-1])).all()):
            self.frame.check_order()

    def encoded(self, spread: DataFrame, sent: SentSearch, parts_log2: int) -> DataFrame:
        """Encode the rows; their keys are for `2^parts_log2` partitions."""
        texts = to_partitions(spread.where(functions.col("kind") == "texts"), self.partitions)
        return texts.mapInArrow(steps.encoded(sent, parts_log2, self.frame.keep), SCHEMA)

    def parts_log2(self, search: _core.FrozenSearch) -> int:
        """Give how many partitions of keys there are."""
        keys = (search.mean_keys or 0.0) * self.frame.count * _KEY_BYTES
        return (max(self.partitions, math.ceil(keys / _BYTES_A_TASK)) - 1).bit_length()

    def found(self, spread: DataFrame, search: _core.FrozenSearch) -> Found:
        """Encode the rows and find their candidates."""
        sent, log2 = SentSearch.of(self.scheme, search, self.rules), self.parts_log2(search)
        rows = self.encoded(spread, sent, log2)
        if not search.is_brute:
            rows = to_partitions(rows, max(self.partitions, 1 << log2)).mapInArrow(pairs.paired(sent), SCHEMA)
        return Found(spread, rows.persist(StorageLevel.DISK_ONLY), sent, self.partitions, self.frame)

    def decide(self, found: Found) -> Changed | None:
        """Decide on the rows that have candidates: a value of changed rows for each text partition that has some."""
        if found.sent.search().is_brute:
            return self._on_driver(found, None)
        counts = found.counts()
        if not counts:
            return None
        large = found.large() if counts.keys() - {"pairs"} else None
        # A verdict may change the keep order, which rounds take as it is.
        is_small = sum(counts.values()) <= rounds.MOST_WALKED
        if is_small and (decided := self._on_driver(found, large)) is not None:
            return decided
        near = found.pairs(in_order=True).persist(StorageLevel.DISK_ONLY)
        held, bins = [near], 1
        with stage(self.spark, VERIFY):
            near.count()
        if is_small or self.rules.verdicts:
            near = near.withColumn("bin", functions.lit(0))
        else:
            bins = max(2, self.partitions)
            near = self._in_rounds(near, large, bins, held)
        changed = self._walked(found, near, large, bins)
        with stage(self.spark, DECIDE):
            size = changed.agg(functions.sum(functions.length("other")).alias("bytes")).first()
        for frame in held:
            frame.unpersist()
        is_sent = ((size and size["bytes"]) or 0) <= _SENT_BYTES
        return Changed(functions.broadcast(changed) if is_sent else changed)

    def _on_driver(self, found: Found, large: DataFrame | None) -> Changed | None:
        """Decide on few rows on the driver, which takes less time there; None where their texts are many."""
        with stage(self.spark, DECIDE):
            near, of_large, rows = decide.NO_PAIRS, decide.NO_ROWS, self.with_changed(found.of("rows"), None)
            is_brute = found.sent.search().is_brute
            if not is_brute:
                near, of_large = found.pairs(in_order=False).toArrow(), of_large if large is None else large.toArrow()
            a, b, row = longs(near["a"]), longs(near["b"]), longs(of_large["row"])
            if not is_brute:
                wanted = np.unique(np.concatenate([a, b, row]))
                asked = self.sent_to_rows(pa.table({"row": wanted, "at": np.zeros_like(wanted)}), "row")
                rows = found.of("rows").join(asked, "part")
            rows = taken(rows.mapInArrow(outcome.asked(steps.columns_of(self.frame.keep)), SCHEMA))
            if rows is None:
                return None
            if is_brute:
                row = longs(rows["row"])
                of_large = pa.table({"row": row, "bucket": np.zeros_like(row)})
            read = np.unique(np.concatenate([row, a[np.isin(b, row)], b[np.isin(a, row)]]))
            if not is_brute and longs(rows["bytes"])[np.isin(longs(rows["row"]), read)].sum() > _SENT_BYTES:
                return None
            texts = self.texts_of(found, read) if len(read) else None
            rows = rows.take(pa.array(keep_order(rows, self.frame.keep)))
            changed = decide.decided(found.sent.search(), rows, near, of_large, texts, self.rules)
            return Changed(self.sent_to_rows(changed, "of"), changed)

    def sent_to_rows(self, table: Any, by: str) -> DataFrame:
        """A table of the driver as values for the text partitions of the numbers in a column, for all executors."""
        table = table.sort_by(by)
        parts = partitions_of(longs(table[by]))
        found = [(part, pack(table.take(pa.array(at)))) for part, at in groups(parts)]
        return functions.broadcast(self.spark.createDataFrame(found, outcome.MERGED))

    def _in_rounds(self, near: DataFrame, large: DataFrame | None, bins: int, held: list[DataFrame]) -> DataFrame:
        """Decide in rounds on what is certain; the pairs that are left with their tasks in a column `bin`."""
        most = self.config.max_lost
        allowed = near if most is None else near.where(functions.col("lost_b") <= most)
        state = allowed.mapInArrow(rounds.begun(), SCHEMA)
        if large is not None:
            stays = large.select("row", functions.lit(0).alias("at")).distinct()
            state = state.union(stays.mapInArrow(pairs.for_rows("stays"), SCHEMA))
        with stage(self.spark, ROUNDS):
            for _ in range(rounds.ROUNDS):
                state = to_partitions(state, self.partitions).mapInArrow(rounds.decided(), SCHEMA)
                held.append(state.persist(StorageLevel.DISK_ONLY))
                told = state.where("kind = 'told'").agg(functions.sum("number").alias("rows")).first()
                if told is None or not told["rows"]:
                    break
        left = to_partitions(state, self.partitions).mapInArrow(rounds.in_bins(bins), f"{NEAR}, bin int")
        held.append(left.persist(StorageLevel.DISK_ONLY))
        return left

    def _walked(self, found: Found, near: DataFrame, large: DataFrame | None, bins: int) -> DataFrame:
        ends = [near.select(functions.col(name).alias("row"), functions.col("bin").alias("at")) for name in ("a", "b")]
        sent = [near.mapInArrow(pairs.for_bins("near"), SCHEMA)]
        if large is not None:
            rows = large.select("row").distinct().withColumn("at", functions.lit(0))
            # Texts are read of rows that may be near others by no listed pair, and of those near such rows.
            beside = [
                near.where("bin = 0").join(rows.select(functions.col("row").alias(name)), name, "left_semi")
                .select(functions.col(other).alias("row"), functions.lit(0).alias("at"))
                for name, other in (("a", "b"), ("b", "a"))
            ]  # fmt: skip
            texts = reduce(DataFrame.union, [rows, *beside]).distinct().mapInArrow(pairs.for_rows("wanted"), SCHEMA)
            ends.append(rows)
            sent.append(large.withColumn("bin", functions.lit(0)).mapInArrow(pairs.for_bins("large"), SCHEMA))
            sent.append(found.texts(texts))
        asked = reduce(DataFrame.union, ends).distinct().mapInArrow(pairs.for_rows("ask"), SCHEMA)
        rows = found.of("rows").join(self._merged(asked, "row"), "part")
        sent.append(rows.mapInArrow(outcome.asked(steps.columns_of(self.frame.keep)), SCHEMA))
        walked = to_partitions(reduce(DataFrame.union, sent), bins)
        changed = walked.mapInArrow(decide.walked(found.sent, self.frame.keep), SCHEMA)
        return self._merged(changed, "of").persist(StorageLevel.DISK_ONLY)

    def _merged(self, rows: DataFrame, by: str) -> DataFrame:
        """One value of each text partition."""
        return to_partitions(rows, self.partitions).mapInArrow(outcome.merged(by), outcome.MERGED)

    def with_changed(self, rows: DataFrame, changed: Changed | None) -> DataFrame:
        """Packed rows with what `decide` has given."""
        if changed is None:
            return rows.withColumn("other", functions.lit(None).cast("binary"))
        return rows.join(changed.frame, "part", "left")

    def texts_of(self, found: Found, wanted: NDArray[np.int64]) -> Any:
        """Take the texts of rows, by their numbers, to the driver: a table of `row` and `text`."""
        rows = self.spark.createDataFrame(pa.table({"row": wanted, "at": np.zeros_like(wanted)}))
        with stage(self.spark, TEXTS):
            return taken(found.texts(rows.mapInArrow(pairs.for_rows("wanted"), SCHEMA)))
