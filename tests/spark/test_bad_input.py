"""What a job refuses, before it reads a row."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.spark.conftest import ENGINE, dedup

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
        ("id long, text string", {"threads": 2}, "setting 'threads' is not one of a Spark job: it takes field, scheme"),
        ("id long, text string", {"window": "1d"}, "window and date_field belong together"),
        ("id long, text string", {"near": ["year:1"]}, "column 'year' is no column: there are id, text"),
        ("id long, text string", {"kind": "references"}, "column 'doi' is no column"),
        ("id long, text string", {"against": "old"}, "against 'old' is no index: give a DataFrame or a Dataset"),
        ("id long, text string", {"similarity": 2}, "similarity 2"),
    ],
)
def test_a_wrong_call_is_refused(spark: Any, columns: str, arguments: dict[str, Any], part: str) -> None:
    """The message names the column or the setting, and what is needed."""
    with pytest.raises(ConfigError, match=part.replace("(", "\\(")):
        dedup(spark.createDataFrame([], columns), **arguments)


@pytest.mark.parametrize(
    ("ids", "part"), [([1, 1, 2], "1 rows repeat one"), ([1, None, 2], "1 rows have none of its numbers")]
)
def test_an_order_that_orders_nothing_is_refused(spark: Any, ids: list[int | None], part: str) -> None:
    """Numbers that repeat, or are missing, are no order."""
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


def test_texts_in_a_column_with_dots_are_decided_on(spark: Any) -> None:
    """All columns of a job may have dots in their names."""
    frame = spark.createDataFrame([(1, "a text of words"), (2, "a text of words")], "`a.id` long, `a.b` string")

    rows = dedup(frame, text="a.b", id="a.id", keep=["min:a.id"]).orderBy("position").collect()

    assert [row["reason"] for row in rows] == ["representative", "exact"]


def test_repeated_ids_and_empty_partitions_change_nothing(spark: Any) -> None:
    """Positions are what counts; most partitions have no row, and one has all."""
    texts = ["one text of words", "another one altogether", "one text of words"]
    frame = spark.createDataFrame(
        [(at, "same", text) for at, text in enumerate(texts)], "n long, id string, text string"
    )

    rows = dedup(frame.repartition(6, "id"), order="n").orderBy("position").collect()

    assert [row["decision"] for row in rows] == ["kept", "kept", "dropped"]


def test_an_order_is_made_where_no_column_orders(spark: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Ids that are texts do not order: ids and texts do, and a message says so."""
    frame = spark.createDataFrame([("b", "a text of words"), ("a", "a text of words")], "id string, text string")

    with caplog.at_level("INFO", "simsieve.spark.frame"):
        rows = dedup(frame).collect()

    assert {row["id"]: row["decision"] for row in rows} == {"a": "kept", "b": "dropped"}
    assert "the rows are ordered by the columns 'id' and 'text'" in caplog.text


def test_a_model_of_a_local_file_is_sent_along(spark: Any, tmp_path: Path) -> None:
    """The executors weigh by the model, of whose file the driver alone knows."""
    import simsieve
    from simsieve.spark import fingerprint

    texts = ["one text of words", "another text of words", "a third one"]
    simsieve.fit(texts, scheme="chars64").save(tmp_path / "own.model")
    spec = f"chars64:weights=idf,model={tmp_path / 'own.model'}"
    one = simsieve.fingerprint(texts[0], scheme=spec)
    frame = spark.createDataFrame(list(enumerate(texts)), "id long, text string")

    made = fingerprint(frame, scheme=spec)
    (tmp_path / "own.model").unlink()

    assert one is not None
    assert made.where("id = 0").first()["fingerprint"] == one.hex


@pytest.mark.skipif(ENGINE != "cluster", reason="NOT TESTED: a client of Connect needs no Java")
def test_an_old_java_is_refused(tmp_path: Path) -> None:
    """A job whose Java ends at once says what to install."""
    pytest.importorskip("pyspark")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho UnsupportedClassVersionError >&2\nexit 1\n")
    java.chmod(0o755)
    words = [sys.executable, "-m", "simsieve.spark", "in.jsonl", "-o", str(tmp_path / "out")]

    done = subprocess.run(
        words, check=False, env={**os.environ, "JAVA_HOME": str(tmp_path)}, capture_output=True, text=True
    )

    assert done.returncode == 2 and "install Java 17 or later, and set JAVA_HOME to it" in done.stderr
    assert "Traceback" not in done.stderr


def test_another_version_on_an_executor_is_refused() -> None:
    """What was sent names the version and the digest that made it."""
    pytest.importorskip("pyspark")
    from dataclasses import replace

    from simsieve import _core
    from simsieve.cluster.steps import SentScheme

    sent = SentScheme.of(_core.Scheme("chars64"))

    with pytest.raises(ConfigError, match=r"simsieve 0\.0\.0 sent the job"):
        replace(sent, version="0.0.0").scheme()
    with pytest.raises(ConfigError, match="digest"):
        replace(sent, digest="00").scheme()
