"""The order of a job, known here and nowhere else.

    check the columns, count -> rows for their text partitions, by digest; a sample, freeze the search (driver)
      -> rows of one text partition together: copies, fingerprints, keys -> keys of one partition together: pairs
      -> pairs with their texts: near pairs -> decisions on what is involved (driver) -> decisions on all rows

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
from simsieve.run.cluster import MOST_PAIRS
from simsieve.run.schemes import chosen_scheme, only_criterion
from simsieve.schemes.model import Model
from simsieve.spark import indexed, outcome, pairs, steps
from simsieve.spark.decide import Involved, decided
from simsieve.spark.frame import Columns, Frame, frame_of
from simsieve.spark.packed import SCHEMA, flags, joined, longs, texts_of
from simsieve.spark.rows import SETTLED
from simsieve.spark.stages import ASK, COUNT, PAIR, SPREAD, TEXTS, VERIFY, stage, to_partitions
from simsieve.spark.steps import SentRules, SentScheme, SentSearch

MOST_TEXT_BYTES = 4 << 30
"""Bytes of texts in large buckets that the driver takes at most."""
NEAR = "a long, b long, distance long, similarity double, lost_a long, lost_b long, conflict boolean"
_ROWS_A_TASK = 250_000
_BYTES_A_TASK = 96 << 20
_KEY_BYTES = 100
_TASKS = 8
_SENT_BYTES = 64 << 20
_BROADCAST = 4
_SAMPLED_LOG2 = 20
_LONGS = pa.array([], pa.int64())
_NO_PAIRS = pa.table({
    "a": _LONGS, "b": _LONGS, "distance": _LONGS, "similarity": pa.array([], pa.float64()), "lost_a": _LONGS,
    "lost_b": _LONGS, "conflict": pa.array([], pa.bool_()),
})  # fmt: skip
_NO_MEMBERS = pa.table({"member": _LONGS, "bucket": _LONGS})


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

    def members(self) -> Any:
        """The rows of large buckets, on the driver."""
        with stage(self.rows.sparkSession, PAIR):
            found = taken(self.of("members"))
        return _NO_MEMBERS if found is None else found

    def joined(self) -> NDArray[np.int64]:
        """The rows that have the text of another, or a fact that joins, on the driver."""
        if not self.sent.rules.of_rows:
            return np.zeros(0, dtype=np.int64)
        with stage(self.rows.sparkSession, PAIR):
            found = taken(self.of("joined"))
        return np.zeros(0, dtype=np.int64) if found is None else np.unique(longs(found["row"]))

    def texts(self, wanted: DataFrame) -> DataFrame:
        """The texts of rows, for those that want them."""
        texts = self.spread.where(functions.col("kind") == "texts").union(wanted)
        return to_partitions(texts, self.partitions).mapInArrow(pairs.sought(self.frame.keep), SCHEMA)

    def near(self, candidates: DataFrame | None = None, *, packed: bool) -> DataFrame:
        """The near ones of candidate pairs, by default of those that were found; under a distance all."""
        wanted, of_pairs = (
            (self.rows if candidates is None else candidates).where(functions.col("kind") == kind)
            for kind in ("wanted", "pairs")
        )
        found = to_partitions(self.texts(wanted).union(of_pairs), self.partitions)
        return found.mapInArrow(pairs.verified(self.sent, packed=packed), SCHEMA if packed else NEAR)


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
        if config.idf == FIT and frame.count:
            model = fitted_model(frame.rows, {"scheme": scheme.spec, "max_features": config.max_features})
            scheme = scheme.with_model(model.core, own=True)
        return cls(df.sparkSession, frame, config, scheme, SentScheme.of(scheme), SentRules.of(config), index)

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
        while search is None:
            log2 = (log2 or 0) - 1
            rows = self.frame.rows.select("text").where(functions.col("text").isNotNull())
            found = rows.mapInArrow(steps.sampled(log2), "text string").distinct().toArrow()
            search = unfrozen.freeze(texts_of(found["text"]), count, log2)
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

    def decide(self, search: _core.FrozenSearch, found: Found) -> Any:
        """Decide on the rows that have candidates, on the driver."""
        keep = steps.columns_of(self.frame.keep)
        near, large, joined = _NO_PAIRS, _NO_MEMBERS, np.zeros(0, dtype=np.int64)
        if search.is_brute:
            with stage(self.spark, ASK):
                of_rows = taken(self.with_values(found.of("rows"), None).mapInArrow(outcome.asked(keep), SCHEMA))
            large = pa.table({"member": of_rows["row"], "bucket": np.zeros(len(of_rows), dtype=np.int64)})
        else:
            large, joined = found.members(), found.joined()
            near = self._near(search, found)
            wanted = np.unique(np.concatenate([longs(near["a"]), longs(near["b"]), longs(large["member"]), joined]))
            if not len(wanted):
                return None
            rows = self.with_values(found.of("rows"), outcome.by_partition(pa.table({"row": wanted}), "row"), "inner")
            with stage(self.spark, ASK):
                of_rows = taken(rows.mapInArrow(outcome.asked(keep), SCHEMA))
        involved = Involved(of_rows, near, large, joined, self.frame.keep)
        texts = self._texts(found, involved) if len(large) or len(joined) else None
        return decided(search, involved, texts, self.rules)

    def _near(self, search: _core.FrozenSearch, found: Found) -> Any:
        with stage(self.spark, VERIFY):
            is_verified = search.by_similarity or self.rules.of_rows
            near = taken(found.near(packed=True) if is_verified else found.of("pairs"))
        if near is None:
            return _NO_PAIRS
        if len(near) > MOST_PAIRS:
            raise ConfigError(
                "{count} pairs are near, and the driver decides on {most_pairs} at most: ask for a higher similarity",
                count=len(near), most_pairs=MOST_PAIRS,
            )  # fmt: skip
        if is_verified:
            return near
        unknown = pa.nulls(len(near), pa.int64())
        near = near.append_column("similarity", unknown.cast(pa.float64()))
        near = near.append_column("lost_a", unknown).append_column("lost_b", unknown)
        return near.append_column("conflict", unknown.cast(pa.bool_()))

    def with_values(self, rows: DataFrame, table: Any, how: str = "left") -> DataFrame:
        """Packed rows with the values of a table of values of text partitions."""
        if table is None or not len(table):
            return rows.withColumn("other", functions.lit(None).cast("binary"))
        sent, start, size = list[DataFrame](), 0, 0
        for at, value in enumerate(table["other"]):
            size += len(value.as_buffer())
            if size >= _SENT_BYTES or at + 1 == len(table):
                sent.append(self.spark.createDataFrame(table.slice(start, at + 1 - start)))
                start, size = at + 1, 0
        values = reduce(DataFrame.union, sent)
        return rows.join(functions.broadcast(values) if len(sent) <= _BROADCAST else values, "part", how)

    def with_changed(self, rows: DataFrame, changed: Any) -> DataFrame:
        """Packed rows with what `decide` has given."""
        return self.with_values(
            rows, outcome.by_partition(changed, "of") if changed is not None and len(changed) else None
        )

    def _texts(self, found: Found, involved: Involved) -> Any:
        """The texts of rows in large buckets, and of rows near these."""
        wanted = involved.wanted()
        rows = involved.rows
        total = int(longs(rows["bytes"])[np.isin(longs(rows["row"]), wanted)].sum())
        if total > MOST_TEXT_BYTES:
            raise ConfigError(
                "{count} rows with {total} bytes of text are in large groups of similar texts, and the driver takes "
                "{most_text_bytes} bytes at most: decide on these rows on one machine, or ask for a higher similarity",
                count=len(wanted), total=total, most_text_bytes=MOST_TEXT_BYTES,
            )  # fmt: skip
        return self.texts_of(found, wanted)

    def texts_of(self, found: Found, wanted: NDArray[np.int64]) -> Any:
        """Take the texts of rows, by their numbers, to the driver: a table of `row` and `text`."""
        asked = outcome.by_partition(pa.table({"row": wanted, "at": np.zeros_like(wanted)}), "row")
        columns = {
            "kind": pa.array(["wanted"] * len(asked)), "part": asked["part"],
            "number": pa.array([0] * len(asked), pa.int64()), "value": asked["other"],
        }  # fmt: skip
        with stage(self.spark, TEXTS):
            return taken(found.texts(self.spark.createDataFrame(pa.table(columns))))
