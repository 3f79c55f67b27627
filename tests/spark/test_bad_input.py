"""What a job refuses, before it reads a row."""

from typing import Any

import pytest

from simsieve.errors import ConfigError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


@pytest.mark.parametrize(
    ("columns", "arguments", "part"),
    [
        ("id long, text long", {}, "text 'text' is a column of bigint, and texts are needed"),
        ("id long, body string", {}, "text 'text' is no column: there are id, body"),
        ("id map<string,int>, text string", {}, "id 'id' is a column of map<string,int>, and numbers or texts order"),
        ("id long, text string, n double", {"order": "n"}, "order 'n' is a column of double"),
        ("id long, text string", {"keep": ["max:score"]}, "keep max 'score' is no column"),
        ("id long, text string, s map<string,int>", {"keep": ["max:s"]}, "numbers or texts are compared"),
        ("id long, text string", {"threads": 2}, "setting 'threads' is not one of a Spark job"),
        ("id long, text string", {"block_by": ["id"]}, "setting 'block_by' is not one of a Spark job: it takes scheme"),
        ("id long, text string", {"against": "old"}, "use simsieve.dedup on one machine for the others"),
        ("id long, text string", {"similarity": 2}, "similarity 2"),
        ("id long, text string", {"scheme": ["chars64", "words64"]}, "a Spark job is for one scheme, and 2 are given"),
    ],
)
def test_a_wrong_call_is_refused(spark: Any, columns: str, arguments: dict[str, Any], part: str) -> None:
    """The message names the column or the setting, and what is needed."""
    from simsieve.spark import dedup

    with pytest.raises(ConfigError, match=part.replace("(", "\\(")):
        dedup(spark.createDataFrame([], columns), **arguments)


@pytest.mark.parametrize(
    ("ids", "part"), [([1, 1, 2], "1 rows repeat one"), ([1, None, 2], "1 rows have none of its numbers")]
)
def test_an_order_that_orders_nothing_is_refused(spark: Any, ids: list[int | None], part: str) -> None:
    """Numbers that repeat, or are missing, are no order."""
    from simsieve.spark import dedup

    with pytest.raises(ConfigError, match=part):
        dedup(spark.createDataFrame([(label, "a text") for label in ids], "id long, text string"))


def test_a_name_with_dots_is_a_column_or_a_field(spark: Any) -> None:
    """The whole name counts first; else dots reach into structs."""
    from simsieve.spark import fingerprint

    frame = spark.createDataFrame(
        [(1, "a text of words", ("a text of words",))], "id long, `a.b` string, c struct<d string>"
    )

    rows = [fingerprint(frame, text=text).first() for text in ("a.b", "c.d")]

    assert rows[0]["fingerprint"] == rows[1]["fingerprint"] is not None


def test_another_version_on_an_executor_is_refused() -> None:
    """What was sent names the version and the digest that made it."""
    pytest.importorskip("pyspark")
    from dataclasses import replace

    from simsieve import _core
    from simsieve.spark.sent import SentScheme

    sent = SentScheme.of(_core.Scheme("chars64"))

    with pytest.raises(ConfigError, match=r"simsieve 0\.0\.0 sent the job"):
        replace(sent, version="0.0.0").scheme()
    with pytest.raises(ConfigError, match="digest"):
        replace(sent, digest="00").scheme()
