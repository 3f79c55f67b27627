"""The job for spark-submit: `python -m simsieve.spark IN -o OUT`."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession, functions

from simsieve.cluster.result import SAMPLE, JobResult
from simsieve.cluster.settings import SETTINGS as TAKEN
from simsieve.config.setting import REPEATED
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SimsieveError
from simsieve.messages import tr
from simsieve.registry import in_database, store_of
from simsieve.results.hubs import warn_of_hubs
from simsieve.results.summary import write_summary
from simsieve.run.against import index_named
from simsieve.screen import visible
from simsieve.spark.engine import df_of
from simsieve.spark.frame import MADE_ORDER, with_order
from simsieve.spark.pipeline import result_of

_FEW_ROWS = 5_000_000
"""Positions that are sent to all executors, so that no row moves to be joined with them."""
_FORMATS = ("parquet", "jsonl")
_NO_FILE_SYSTEM = ("UnsupportedFileSystemException", "ClassNotFoundException: Class org.apache.hadoop.fs")
_TRACE = "\n\nJVM stacktrace:"
DONE, TOO_MANY_FAILED, COULD_NOT_RUN = 0, 1, 2
"""The exit codes, as those of `simsieve dedup`."""


def parser() -> argparse.ArgumentParser:
    """Make the parser of the job's command line, from the table of settings."""
    made = argparse.ArgumentParser(
        prog="python -m simsieve.spark",
        description="Find the near-duplicates in a collection on a cluster of Spark, and keep one of each.",
    )
    made.add_argument(
        "source", metavar="IN",
        help="A file or a folder of Parquet or JSON lines, on storage of the cluster, or the URI of a collection of"
        " MongoDB.",
    )  # fmt: skip
    made.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="The folder for the kept rows; it must not exist."
    )
    made.add_argument(
        "--decisions", metavar="DIR", help="The folder for a row of what was decided about each row; it must not exist."
    )
    made.add_argument(
        "--format", choices=_FORMATS, help="The form of source and output; by the source's name if left out."
    )
    made.add_argument(
        "--against", metavar="OLD",
        help="Old rows that stay, of the form and with the columns of IN: what is near one is dropped for it. Or the"
        " folder of an index that the driver and all executors can read.",
    )  # fmt: skip
    made.add_argument("--text-field", default="text", metavar="COLUMN", help="The column of the texts.")
    made.add_argument("--id-field", default="id", metavar="COLUMN", help="The column of the labels.")
    made.add_argument(
        "--order", metavar="COLUMN",
        help="A column of whole numbers that differ, which orders the rows. The ids, if they are such; else ids and"
        " texts.",
    )  # fmt: skip
    made.add_argument("--summary", metavar="FILE", help="The file of the driver for the summary, as a line of JSON.")
    for name in (*TAKEN, "max_failed", "query", "sample"):
        setting = SETTINGS[name]
        many: dict[str, Any] = {"action": "append"} if setting.several == REPEATED else {"type": setting.kind}
        made.add_argument(setting.option, dest=name, help=setting.help.replace("%", "%%"), **many)
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run the job."""
    given = parser().parse_args(words)
    settings = {name: value for name in TAKEN if (value := getattr(given, name)) is not None}
    try:
        spark = _session()
        config = DedupConfig.from_settings(
            {name: value for name in ("max_failed", "sample") if (value := getattr(given, name)) is not None}
        )
        form = given.format or _format_of(given.source)
        _check_outputs(spark, [path for path in (given.output, given.decisions) if path is not None])
        order = given.order or ("position" if in_database(given.source) else None)
        texts = DedupConfig.from_settings(settings).text_field if given.field else (given.text_field,)
        columns = texts, given.id_field, order
        rows, order = with_order(_read(spark, given, given.source, form), *columns)
        against = given.against
        if against is not None and index_named(against) is None:
            against, _ = with_order(_read(spark, given, against, form), *columns)
        sample = SAMPLE if config.sample is None else config.sample
        result = result_of(rows, given.text_field, given.id_field, order, settings, sample, against)
        counts = result.counts()
        if given.summary is not None:
            write_summary(given.summary, result.summary())
        if given.decisions is not None:
            _write(df_of(result.decisions()), given.decisions, form)
        # Last, so that all is there where the kept rows are.
        kept = _kept(rows, result, counts)
        if in_database(given.source):
            from simsieve.spark.mongo import PACKED, documents  # noqa: PLC0415 - only for collections

            kept = kept.select(PACKED).mapInArrow(documents(given.source), "value string")
            kept.write.mode("error").text(given.output)
        else:
            _write(kept.drop(MADE_ORDER), given.output, form)
    except (SimsieveError, PySparkException) as error:
        # A client of Spark Connect gets the trace of Java too.
        text = error.message if isinstance(error, SimsieveError) else str(error).partition(_TRACE)[0]
        sys.stderr.write(visible(f"simsieve: {in_words(text)}\n"))
        return COULD_NOT_RUN
    for decision, count in sorted(counts.items()):
        sys.stdout.write(f"{decision:<10}{count:>12}\n")
    if result.recall is not None:
        sys.stdout.write(f"{'recall':<10}{result.recall.text}\n")
    warn_of_hubs(result.doubts.get("hubs", []), lambda text: sys.stderr.write(f"simsieve: {visible(in_words(text))}\n"))
    if kind := result.doubts.get("looks_like"):
        sys.stdout.write(f"{tr('looks like'):<12}{tr('{kind}: compare the settings of --for {kind}', kind=kind)}\n")
    failed, read = counts.get("failed", 0), sum(counts.values())
    if config.allows_failed(failed, read):
        return DONE
    text = tr("{failed:,} of {count:,} rows failed, more than --max-failed {limit} allows")
    sys.stderr.write(f"simsieve: {text.format(failed=failed, count=read, limit=config.max_failed)}\n")
    return TOO_MANY_FAILED


def _session() -> SparkSession:
    """The session of the process."""
    try:
        return SparkSession.builder.appName("simsieve").getOrCreate()
    except PySparkException as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        raise ConfigError(
            "Spark does not start ({getcondition}): install Java 17 or later, and set JAVA_HOME to it",
            getcondition=error.getCondition(),
        ) from None


def _check_outputs(spark: SparkSession, paths: Sequence[str]) -> None:
    """Refuse outputs that exist, or lie in one another, before there is any work."""
    whole = []
    for path in paths:
        # A file of any form can be read so, and reading is planned and not done. It needs no RDD and no Java.
        try:
            with _reached(path):
                spark.read.format("binaryFile").load(path).schema  # noqa: B018 - it makes the plan
        except AnalysisException as error:
            if error.getCondition() != "PATH_NOT_FOUND":
                raise
            whole.append((error.getMessageParameters() or {}).get("path", path).rstrip("/") + "/")
        else:
            raise ConfigError("{path}: an output is there already; name a folder that does not exist", path=path)
    if len(whole) > 1 and (whole[0].startswith(whole[1]) or whole[1].startswith(whole[0])):
        raise ConfigError(
            "{paths} and {paths_2} are one folder, or one is in the other; name two folders",
            paths=paths[0], paths_2=paths[1],
        )  # fmt: skip


def _format_of(path: str) -> str:
    if in_database(path):
        return "jsonl"
    for form in _FORMATS:
        if path.rstrip("/").removesuffix(".gz").endswith(f".{form}"):
            return form
    raise ConfigError(
        "{path}: its name does not give its form: say --format {formats}",
        path=path, formats=" or --format ".join(_FORMATS),
    )  # fmt: skip


@contextmanager
def _reached(path: str) -> Iterator[None]:
    """Say clearly that Spark has no file system of a path."""
    try:
        yield
    # An error of Java comes as another class to a client of Spark Connect.
    except Exception as error:
        if not any(name in str(error) for name in _NO_FILE_SYSTEM):
            raise
        raise ConfigError(
            "{path}: Spark has no file system {partition!r}: name a path of one that it has, or start the job with "
            "the package of this one (--packages)",
            path=path, partition=path.partition(":")[0],
        ) from None  # fmt: skip


def _read(spark: SparkSession, given: argparse.Namespace, source: str, form: str) -> DataFrame:
    if in_database(source):
        if given.format == "parquet":
            shown = store_of(source).shown(source)
            raise ConfigError(
                "{shown}: --format parquet is not for a collection, whose documents are written as JSON lines; leave "
                "it out",
                shown=shown,
            )
        from simsieve.spark import read_mongo  # noqa: PLC0415 - only for collections

        return read_mongo(
            spark, source, text=given.text_field, keep=given.keep or SETTINGS["keep"].default, query=given.query
        )
    if given.query is not None:
        raise ConfigError("--query is for a collection of MongoDB; leave it out, or name the URI of a collection as IN")
    with _reached(source):
        rows = spark.read.parquet(source) if form == "parquet" else spark.read.json(source)
        # A client of Spark Connect looks at the path when it needs the columns.
        rows.schema  # noqa: B018 - as above
        return rows


def _kept(rows: DataFrame, result: JobResult, counts: dict[str, int]) -> DataFrame:
    """The kept rows. Few that are not kept are sent to all executors."""
    others = sum(count for decision, count in counts.items() if decision != "kept")
    chosen = df_of(result.positions(kept=others > _FEW_ROWS)).withColumnRenamed("position", MADE_ORDER)
    if others <= _FEW_ROWS:
        return rows.join(functions.broadcast(chosen), MADE_ORDER, "left_anti")
    return rows.join(chosen, MADE_ORDER, "left_semi")


def _write(rows: DataFrame, path: str, form: str) -> None:
    writer = rows.write.mode("error")
    (writer.parquet if form == "parquet" else writer.json)(path)


if __name__ == "__main__":
    sys.exit(main())
