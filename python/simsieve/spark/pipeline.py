"""The order of a job, known here and nowhere else.

    check the columns -> count -> sample, freeze the search (driver) -> digests -> rows of one digest together: copies,
    fingerprints, keys -> keys of one partition together: candidate pairs -> pairs with their texts: verified
      -> decisions on what is involved (driver) -> decisions on all rows

A record's decision is a function of the texts and of the order of the rows, so partitions, retries and lost executors
change nothing.
"""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions, types
from pyspark.storagelevel import StorageLevel

from simsieve import _core
from simsieve.config.rows import FIT
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.run.schemes import chosen_scheme, only_criterion
from simsieve.schemes.model import Model
from simsieve.spark import steps
from simsieve.spark.arrays import longs, texts_of
from simsieve.spark.decide import Involved, decided
from simsieve.spark.frame import Frame, frame_of, text_column
from simsieve.spark.sent import SentScheme, SentSearch

SETTINGS = (
    "scheme", "similarity", "max_distance", "measure", "recall", "seed", "keep", "extract", "cut_at", "strip", "idf",
    "max_features",
)  # fmt: skip
"""The settings that a job takes; the others are of files, of one machine, or of rules for pairs."""
FIT_SETTINGS = ("scheme", "max_features", "extract", "cut_at", "strip")
MOST_PAIRS = 10**8
"""Near pairs that the driver decides on at most."""
MOST_TEXT_BYTES = 4 << 30
"""Bytes of texts in large buckets that the driver takes at most."""
_ROWS_A_TASK = 50_000
_KEY_BYTES_A_TASK = 96 << 20
_SAMPLED_LOG2 = 20


def dedup(df: DataFrame, *, text: str = "text", id: str = "id", order: str | None = None, **settings: Any) -> DataFrame:
    """Decide which rows of a DataFrame to keep, with the decisions of `simsieve.dedup`.

    Args:
        df: The rows. They are read three times, and must be the same each time: store what is computed with chance.
        text: The column of the texts; dots reach into structs where no column has the whole name.
        id: The column of the labels.
        order: A column of whole numbers that differ. It orders the rows, as their place in a file does on one machine.
            None takes the column `id` where that has whole numbers; else the rows are ordered by id and text, which
            sorts all texts.
        **settings: `scheme`, `similarity`, `max_distance`, `measure`, `recall`, `seed`, `keep`, `extract`, `cut_at`,
            `strip` and `idf` of `simsieve.dedup`.

    Returns:
        A row for each row, in no order: `position` (the order's number), `id`, `decision`, `representative`,
        `representative_position`, `distance`, `similarity`, `measure`, `reason` and `cluster` (the position of the kept
        row), as in `DedupResult.decisions.to_arrow()`.

    Raises:
        ConfigError: A setting or a column is not allowed, or the driver would have to take too much.
    """
    config = _config(settings)
    job = _Job.of(df, text, id, order, config)
    if not job.frame.count:
        return job.nothing()
    search = job.freeze()
    found = job.found(search)
    try:
        involved = job.involved(search, found)
    finally:
        found.release()
    return job.decisions(found.rows, involved)


def find_pairs(
    df: DataFrame, *, text: str = "text", id: str = "id", order: str | None = None, **settings: Any
) -> DataFrame:
    """Find the near pairs of small buckets among the different texts of a DataFrame.

    Args:
        df: As for `dedup`.
        text: As for `dedup`.
        id: As for `dedup`.
        order: As for `dedup`.
        **settings: As for `dedup`.

    Returns:
        A row for each pair: `a` and `b`, the positions of its rows, the lower first, `distance` and `similarity`.

    Raises:
        ConfigError: As for `dedup`; or a bucket is large, whose pairs are as many as the square of its rows.
    """
    job = _Job.of(df, text, id, order, _config(settings))
    if not job.frame.count:
        return job.spark.createDataFrame([], _NEAR)
    search = job.freeze()
    found = job.found(search)
    large = job.frame.count if found.members is None else found.members.count()
    if large:
        raise ConfigError(
            f"{large} rows are in large groups of similar texts, or there are fewer than 8,192 rows, and all"
            " their pairs would be tested on one machine: decide with simsieve.spark.dedup, or find pairs with"
            " simsieve.find_pairs"
        )
    return found.near


def fingerprint(
    df: DataFrame, *, text: str = "text", id: str = "id", order: str | None = None, **settings: Any
) -> DataFrame:
    """Make the fingerprint of each text of a DataFrame.

    Args:
        df: As for `dedup`.
        text: As for `dedup`.
        id: As for `dedup`.
        order: As for `dedup`.
        **settings: `scheme`, `extract`, `cut_at`, `strip` and `idf`.

    Returns:
        `position`, `id` and `fingerprint` in hex digits, null where a text has no features.
    """
    job = _Job.of(df, text, id, order, _config({"max_distance": 0, **settings}))
    rows = job.frame.rows.select("position", "id", "text")
    schema = types.StructType([*rows.drop("text").schema.fields, types.StructField("fingerprint", types.StringType())])
    return rows.mapInArrow(steps.fingerprinted(job.sent), schema)


def fit(df: DataFrame, *, text: str = "text", **settings: Any) -> Model:
    """Count in how many rows of a DataFrame each feature occurs; see `simsieve.fit`.

    Args:
        df: The rows.
        text: The column of the texts.
        **settings: `scheme`, `max_features`, `extract`, `cut_at` and `strip` of `simsieve.fit`.

    Raises:
        ConfigError: A setting is not one of these, or there is no text.
    """
    for name in settings:
        if name not in FIT_SETTINGS:
            raise ConfigError(f"setting {name!r} is of no use to a fit on Spark: it takes {', '.join(FIT_SETTINGS)}")
    rows = df.select(text_column(df, text).alias("text"))
    found = rows.mapInArrow(steps.fitted(settings), "model binary").toArrow()
    # The executors of the user's own job made these bytes.
    models = [pickle.loads(model) for model in found["model"].to_pylist()]  # noqa: S301
    if not models:
        raise ConfigError("there is no text to fit a model on")
    merged: Model = models[0].merge(*models[1:])
    return merged


_PAIRS = "a long, b long, distance long, member long, bucket long"
_NEAR = "a long, b long, distance long, similarity double"


def _config(settings: dict[str, Any]) -> DedupConfig:
    for name in settings:
        if name not in SETTINGS:
            raise ConfigError(f"setting {name!r} is not one of a Spark job: it takes {', '.join(SETTINGS)}")
    return DedupConfig.from_settings(settings)


@dataclass(frozen=True)
class _Found:
    """The encoded rows, the near pairs, and the rows of large buckets; no such rows where all are in one."""

    rows: DataFrame
    near: DataFrame
    members: DataFrame | None = None
    pairs: DataFrame | None = None

    def release(self) -> None:
        """Let go of what only the driver asked for."""
        if self.pairs is not None:
            self.pairs.unpersist()


@dataclass(frozen=True)
class _Job:
    """A checked frame and the settings of a job."""

    spark: SparkSession
    frame: Frame
    config: DedupConfig
    scheme: _core.Scheme
    sent: SentScheme

    @classmethod
    def of(cls, df: DataFrame, text: str, id: str, order: str | None, config: DedupConfig) -> "_Job":
        scheme = chosen_scheme(config, "a Spark job")
        frame = frame_of(df, text, id, order, config.keep)
        if config.idf == FIT and frame.count:
            model = fit(frame.rows, scheme=scheme.spec, max_features=config.max_features)
            scheme = scheme.with_model(model.core, own=True)
        return cls(df.sparkSession, frame, config, scheme, SentScheme.of(scheme))

    @property
    def keep_columns(self) -> list[str]:
        return [name for name, _ in self.frame.keep if name != "position"]

    def nothing(self) -> DataFrame:
        label = self.frame.rows.schema["id"].dataType.simpleString()
        return self.spark.createDataFrame(
            [],
            f"position long, id {label}, decision string, representative {label}, representative_position long,"
            " distance int, similarity double, measure string, reason string, cluster long",
        )

    def freeze(self) -> _core.FrozenSearch:
        """Freeze the search by a sample of the texts, which comes to the driver."""
        config, count = self.config, self.frame.count
        criterion = only_criterion(config, "a Spark job")
        unfrozen = _core.UnfrozenSearch(
            self.scheme, count, criterion.similarity, criterion.max_distance, config.measure, config.recall, config.seed
        )
        least = unfrozen.sample_log2
        log2 = 0 if least is None else max(least, count.bit_length() - _SAMPLED_LOG2)
        while True:
            texts = pa.array([], pa.large_string())
            if least is not None:
                rows = self.frame.rows.select("text").where(functions.col("text").isNotNull())
                found = rows.mapInArrow(steps.sampled(log2), "text string").distinct().toArrow()
                texts = found["text"]
            search = unfrozen.freeze(texts_of(texts), count, log2)
            if search is not None:
                return search
            log2 -= 1

    def found(self, search: _core.FrozenSearch) -> _Found:
        """Encode the rows and find their candidates."""
        frame = self.frame
        sent = SentSearch.of(self.scheme, search)
        keys = (search.mean_keys or 0.0) * frame.count * 100
        parts_log2 = max(3, int(keys / _KEY_BYTES_A_TASK).bit_length())
        digests = types.StructType(
            [
                *frame.rows.schema.fields,
                types.StructField("digest", types.BinaryType()),
                types.StructField("failure", types.StringType()),
            ]
        )
        tasks = max(frame.count // _ROWS_A_TASK, min(8, 1 + frame.count // 1000))
        rows = (
            frame.rows.mapInArrow(steps.digested(self.sent), digests)
            .repartition(tasks, "digest")
            .sortWithinPartitions("digest", *frame.sorting())
            .mapInArrow(steps.encoded(sent, parts_log2, self.keep_columns), self._encoded_schema())
            .persist(StorageLevel.DISK_ONLY)
        )
        if search.is_brute:
            return _Found(rows, self.spark.createDataFrame([], _NEAR))
        pairs = (
            rows.where(functions.col("part").isNotNull())
            .select("part", "piece")
            .repartition(1 << parts_log2, "part")
            .sortWithinPartitions("part")
            .mapInArrow(steps.paired(sent), _PAIRS)
            .persist(StorageLevel.DISK_ONLY)
        )
        candidates = pairs.where(functions.col("a").isNotNull()).select("a", "b", "distance").distinct()
        members = pairs.where(functions.col("member").isNotNull()).select("member", "bucket")
        if only_criterion(self.config, "a job").max_distance is not None:
            near = candidates.withColumn("similarity", functions.lit(None).cast("double"))
            return _Found(rows, near, members, pairs)
        involved = candidates.select(functions.col("a").alias("position")).union(candidates.select("b")).distinct()
        texts = frame.rows.select("position", "text").join(involved, "position", "left_semi")
        near = (
            candidates.join(texts.toDF("a", "text_a"), "a")
            .join(texts.toDF("b", "text_b"), "b")
            .mapInArrow(steps.verified(sent), _NEAR)
        )
        return _Found(rows, near, members, pairs)

    def _encoded_schema(self) -> types.StructType:
        rows = self.frame.rows.schema
        label = rows["id"].dataType
        kinds = [
            ("position", types.LongType()), ("id", label), ("failure", types.StringType()), ("first", types.LongType()),
            ("valid", types.BooleanType()), ("size", types.IntegerType()), ("words", types.BinaryType()),
            *((name, rows[name].dataType) for name in self.keep_columns),
            ("copied", types.BooleanType()), ("first_id", label), ("part", types.IntegerType()),
            ("piece", types.BinaryType()),
        ]  # fmt: skip
        return types.StructType([types.StructField(name, kind) for name, kind in kinds])

    def involved(self, search: _core.FrozenSearch, found: _Found) -> Any:
        """Decide on the rows that have candidates, on the driver."""
        compared = found.rows.where("part is null and valid").select(
            "position", "id", "size", "words", *self.keep_columns
        )
        if found.members is None:
            of_rows = compared.toArrow()
            at = longs(of_rows["position"])
            near = pa.table({"a": at[:0], "b": at[:0], "distance": at[:0], "similarity": pa.array([], pa.float64())})
            large = pa.table({"member": at, "bucket": np.zeros_like(at)})
        else:
            near = found.near.toArrow()
            if len(near) > MOST_PAIRS:
                raise ConfigError(
                    f"{len(near)} pairs are near, and the driver decides on {MOST_PAIRS} at most: ask for a higher"
                    " similarity"
                )
            large = found.members.toArrow()
            positions = np.unique(np.concatenate([longs(near["a"]), longs(near["b"]), longs(large["member"])]))
            of_rows = compared.join(self._positions(positions), "position", "left_semi").toArrow()
        involved = Involved(of_rows, near, large, self.frame.keep)
        texts = self._texts(involved.wanted()) if len(large) else None
        return decided(search, involved, texts)

    def _positions(self, positions: Any) -> DataFrame:
        return self.spark.createDataFrame(pa.table({"position": pa.array(positions, pa.int64())}))

    def _texts(self, positions: Any) -> Any:
        texts = self.frame.rows.select("position", "text").join(self._positions(positions), "position", "left_semi")
        size = texts.agg(functions.sum(functions.octet_length("text")).alias("bytes")).first()
        total = 0 if size is None else size["bytes"] or 0
        if total > MOST_TEXT_BYTES:
            raise ConfigError(
                f"{len(positions)} rows with {total} bytes of text are in large groups of similar texts, and the driver"
                f" takes {MOST_TEXT_BYTES} bytes at most: decide on these rows on one machine, or ask for a higher"
                " similarity"
            )
        return texts.toArrow()

    def decisions(self, rows: DataFrame, table: Any) -> DataFrame:
        """Put the decisions on the involved rows and on their copies into all rows."""
        measured = only_criterion(self.config, "a job").similarity is not None
        involved = self.spark.createDataFrame(table)
        all_rows = rows.where("part is null").select(
            "position", "id", "failure", "first", "first_id", "valid", "copied"
        )
        of_all = all_rows.join(involved, all_rows["first"] == involved["of"], "left")
        failed, is_copy = functions.col("failure").isNotNull(), functions.col("first") != functions.col("position")
        to = functions.coalesce("to", "first")
        dropped = to != functions.col("position")
        compared = functions.col("valid") | is_copy
        measure = self.config.measure_of(only_criterion(self.config, "a job").similarity)
        represents = functions.col("represents") | functions.col("copied")
        reason = (
            functions.when(failed, functions.col("failure"))
            .when(~compared, "no_features")
            .when(is_copy, "exact")
            .when(dropped, "near")
            .when(represents, "representative")
            .otherwise("unique")
        )
        representative = functions.when(~failed, to)
        return of_all.select(
            "position",
            functions.when(~failed, functions.col("id")).alias("id"),
            functions.when(failed, "failed").when(dropped, "dropped").otherwise("kept").alias("decision"),
            functions.when(~failed, functions.coalesce("to_id", "first_id")).alias("representative"),
            representative.alias("representative_position"),
            functions.when(~failed & compared, functions.coalesce("of_distance", functions.lit(0)))
            .cast("int")
            .alias("distance"),
            functions.when(
                ~failed & compared & functions.lit(measured), functions.coalesce("of_similarity", functions.lit(1.0))
            ).alias("similarity"),
            functions.when(~failed & compared, measure).alias("measure"),
            reason.alias("reason"),
            representative.alias("cluster"),
        )
