"""The job for spark-submit: `python -m simsieve.spark IN -o OUT`."""

import argparse
import sys
from collections.abc import Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, functions

from simsieve.config.settings import SETTINGS
from simsieve.errors import ConfigError, SimsieveError
from simsieve.spark.frame import MADE_ORDER, has_whole_numbers, in_order
from simsieve.spark.pipeline import SETTINGS as TAKEN
from simsieve.spark.pipeline import dedup

_KINDS = {"similarity": float, "max_distance": int, "recall": float, "seed": int}
_FORMATS = ("parquet", "jsonl")


def parser() -> argparse.ArgumentParser:
    """Make the parser of the job's command line, from the table of settings.

    Example:
        >>> parser().parse_args(["in.parquet", "-o", "out", "--similarity", "0.8"]).similarity
        0.8
    """
    made = argparse.ArgumentParser(
        prog="python -m simsieve.spark",
        description="Find the near-duplicates in a collection on a cluster of Spark, and keep one of each.",
    )
    made.add_argument(
        "source", metavar="IN", help="A file or a folder of Parquet or JSON lines, on storage of the cluster."
    )
    made.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="The folder for the kept rows; it must not exist."
    )
    made.add_argument("--decisions", metavar="DIR", help="The folder for a row of what was decided about each row.")
    made.add_argument(
        "--format", choices=_FORMATS, help="The form of source and output; by the source's name if left out."
    )
    made.add_argument("--text-field", default="text", metavar="COLUMN", help="The column of the texts.")
    made.add_argument("--id-field", default="id", metavar="COLUMN", help="The column of the labels.")
    made.add_argument(
        "--order", metavar="COLUMN",
        help="A column of whole numbers that differ, which orders the rows. The ids, if they are such; else ids and"
        " texts.",
    )  # fmt: skip
    for name in TAKEN:
        setting = SETTINGS[name]
        many = {"action": "append"} if name == "keep" else {"type": _KINDS.get(name, str)}
        made.add_argument(setting.option, dest=name, help=setting.help.replace("%", "%%"), **many)
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Run the job.

    Args:
        words: The words behind the program's name; those of the process by default.

    Returns:
        0 where it is done, 2 where it could not run.
    """
    given = parser().parse_args(words)
    settings = {name: value for name in TAKEN if (value := getattr(given, name)) is not None}
    spark = SparkSession.builder.appName("simsieve").getOrCreate()
    try:
        form = given.format or _format_of(given.source)
        rows = _read(spark, given.source, form)
        order = given.order or given.id_field
        if given.order is None and not has_whole_numbers(rows, given.id_field):
            rows, order = in_order(rows, given.text_field, given.id_field), MADE_ORDER
        decisions = dedup(rows, text=given.text_field, id=given.id_field, order=order, **settings)
        # Read three times below.
        decisions = decisions.persist()
        kept = decisions.where(functions.col("decision") == "kept").select(functions.col("position").alias(order))
        _write(rows.join(kept, order, "left_semi").drop(MADE_ORDER), given.output, form)
        if given.decisions is not None:
            _write(decisions, given.decisions, form)
        for row in decisions.groupBy("decision").count().orderBy("decision").collect():
            sys.stdout.write(f"{row['decision']:<10}{row['count']:>12}\n")
    except (SimsieveError, AnalysisException) as error:
        sys.stderr.write(f"simsieve: {error}\n")
        return 2
    return 0


def _format_of(path: str) -> str:
    for form in _FORMATS:
        if path.rstrip("/").removesuffix(".gz").endswith(f".{form}"):
            return form
    raise ConfigError(f"{path}: its name does not give its form: say --format {' or --format '.join(_FORMATS)}")


def _read(spark: SparkSession, path: str, form: str) -> DataFrame:
    return spark.read.parquet(path) if form == "parquet" else spark.read.json(path)


def _write(rows: DataFrame, path: str, form: str) -> None:
    writer = rows.write.mode("errorifexists")
    (writer.parquet if form == "parquet" else writer.json)(path)


if __name__ == "__main__":
    sys.exit(main())
