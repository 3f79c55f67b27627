"""What a program calls: `dedup`, `find_pairs`, `fingerprint` and `fit` on a DataFrame."""

import os
import time
from typing import Any

from pyspark.sql import DataFrame

from simsieve.cluster.job import Job, fitted_model
from simsieve.cluster.result import SAMPLE, JobResult
from simsieve.cluster.settings import COUNT, SETTINGS, job_config
from simsieve.config.settings import SETTINGS as ALL_SETTINGS
from simsieve.errors import ConfigError
from simsieve.schemes.model import Model
from simsieve.spark.engine import SparkEngine, SparkRows, df_of
from simsieve.spark.frame import Columns, frame_of, text_column

FIT_SETTINGS = tuple(name for name in SETTINGS if "fit" in ALL_SETTINGS[name].of)


def dedup(
    df: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    against: DataFrame | str | os.PathLike[str] | None = None,
    **settings: Any,
) -> DataFrame:
    """Decide which rows of a DataFrame to keep, with the decisions of `simsieve.dedup`.

    Args:
        df: The rows. They are read twice, and must be the same each time: store columns that are computed with chance.
        text: The column of the texts; dots reach into structs where no column has the whole name.
        id: The column of the labels.
        order: A column of whole numbers that differ. It orders the rows, as their place in a file does on one machine.
            None takes the column `id` where that has whole numbers; else the rows are ordered by id and text, which
            sorts all texts.
        against: Old rows with the same columns. They precede all others and stay: none is decided on, dropped or
            compared with another old one. A row near an old one, or its copy, is dropped for it. Or the folder of an
            index, on storage that the driver and all executors read: its settings are in force, and a row near a
            document of it is dropped for that one.
        **settings: `scheme`, `combine`, `field`, `similarity`, `max_distance`, `measure`, `max_ratio`, `recall`,
            `seed`, `keep`, `block_by`, `differ`, `near`, `agree`, `sure`, `same`, `conflict`, `max_lost`, `window`,
            `date_field`, `verdicts`, `kind`, `extract`, `fold`, `cut_at`, `strip` and `idf` of `simsieve.dedup`. Fields
            are columns; values are compared as text. A column of `field`, which takes the place of `text`, has texts,
            lists of texts or whole numbers.

    Returns:
        A row for each row, in no order: `position` (the order's number), `id`, `decision`, `representative`,
        `representative_position`, `distance`, `similarity`, `measure`, `reason`, `lost`, `conflict` and `cluster` (the
        position of the kept row), as in `DedupResult.decisions.to_arrow()`; with old rows also
        `representative_collection`: where that is `old`, the position is one of an old row, and `cluster` is null.

    Raises:
        ConfigError: A setting, a column or an old one is not allowed, or a verdict names an id that rows share.
    """
    return df_of(result_of(df, text, id, order, settings, against=against).decisions())


def dedup_with_summary(
    df: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    against: DataFrame | str | os.PathLike[str] | None = None,
    sample: int = SAMPLE,
    **settings: Any,
) -> tuple[DataFrame, dict[str, Any]]:
    """Decide as `dedup`, and count and measure what was decided."""
    result = result_of(df, text, id, order, settings, sample, against)
    return df_of(result.decisions()), result.summary()


def result_of(
    df: DataFrame, text: str, id: str, order: str | None, settings: dict[str, Any], sample: int = 0, against: Any = None
) -> JobResult:
    """Decide as `dedup`, for a caller that needs only some columns of the decisions, or the recall of the search."""
    started = time.perf_counter()
    return JobResult.of(job_of(df, text, id, order, settings, against, drops=True, sample=sample), sample, started)


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
        A row for each pair: `a` and `b`, the positions of its rows, the lower first, `distance`, `similarity`,
        `lost_a`, `lost_b` and `conflict`.

    Raises:
        ConfigError: As for `dedup`; or a bucket is large, whose pairs are as many as the square of its rows.
    """
    return df_of(job_of(df, text, id, order, settings).near_pairs())


def fingerprint(
    df: DataFrame, *, text: str = "text", id: str = "id", order: str | None = None, **settings: Any
) -> DataFrame:
    """Make the fingerprint of each text of a DataFrame.

    Args:
        df: As for `dedup`.
        text: As for `dedup`.
        id: As for `dedup`.
        order: As for `dedup`.
        **settings: `scheme`, `extract`, `fold`, `cut_at`, `strip` and `idf`.

    Returns:
        `position`, `id` and `fingerprint` in hex digits, null where a text has no features.
    """
    return df_of(job_of(df, text, id, order, {"max_distance": 0, **settings}).fingerprints())


def fit(df: DataFrame, *, text: str = "text", **settings: Any) -> Model:
    """Count in how many rows of a DataFrame each feature occurs; see `simsieve.fit`.

    Args:
        df: The rows.
        text: The column of the texts.
        **settings: `scheme`, `max_features`, `extract`, `fold`, `cut_at` and `strip` of `simsieve.fit`.

    Raises:
        ConfigError: A setting is not one of these, or there is no text.
    """
    for name in settings:
        if name not in FIT_SETTINGS:
            raise ConfigError(
                "setting {name!r} is of no use to a fit on Spark: it takes {fit_settings}",
                name=name, fit_settings=", ".join(FIT_SETTINGS),
            )  # fmt: skip
    return fitted_model(SparkRows(df.select(text_column(df, text).alias("text"))), settings)


def job_of(
    df: DataFrame, text: str, id: str, order: str | None, settings: dict[str, Any], against: Any = None, **more: Any
) -> Job:
    """Check settings and columns, and count the rows."""
    old = against if hasattr(against, "mapInArrow") else None
    config, index = job_config("Spark", settings, against if old is None else None, **more)
    with SparkEngine(df.sparkSession).stage(COUNT):
        frame = frame_of(df, Columns(text, id, order, config), old)
    return Job.of(frame, config, index)
