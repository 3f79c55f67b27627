"""What the tests of Spark share: a real cluster of processes, and collections with their decisions on one machine."""

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tools.spark_cluster import SparkCluster
from tools.spark_engines import missing, sessions

import simsieve

PYTHON = str(Path(simsieve.__file__).resolve().parents[1])


ENGINE = os.environ.get("SIMSIEVE_SPARK_ENGINE", "cluster")
"""What runs the jobs: `cluster` (a master and two workers), `connect` (a server of Spark Connect before such), or
`sail`."""
NEED_A_CLUSTER = {
    "test_faults": "workers are killed by their process ids, which a client does not know",
    "test_mongo": "collections of MongoDB were tried in a cluster only",
}
"""Tests that run in a cluster only, and why."""
NOT_ON_CONNECT = {
    "test_the_page_does_what_it_shows": "the page reads a relative path, which is one of the server's folder"
}
"""What does not hold where the session is a client, and why."""
NOT_ON_SAIL = ("test_job", "test_how_to")
"""Tests of `python -m simsieve.spark`: it checks its outputs by a path that cannot be read, and Sail reads a path that
is not there as no rows."""


def dedup(*given: Any, **settings: Any) -> Any:
    """Call `simsieve.spark.dedup`: Spark is loaded where a test runs."""
    from simsieve import spark

    return spark.dedup(*given, **settings)


def dedup_with_summary(*given: Any, **settings: Any) -> Any:
    """Call the function of this name of `simsieve.spark`."""
    from simsieve import spark

    return spark.dedup_with_summary(*given, **settings)


def main(words: Sequence[str]) -> int:
    """Carry out `python -m simsieve.spark`."""
    from simsieve.spark import __main__ as job

    return job.main(words)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot run on the engine."""
    for item in items:
        if ENGINE != "cluster" and item.path.stem in NEED_A_CLUSTER:
            item.add_marker(pytest.mark.skip(reason=f"NOT TESTED on {ENGINE}: {NEED_A_CLUSTER[item.path.stem]}"))
        name = getattr(item, "originalname", item.name)
        if ENGINE != "cluster" and name in NOT_ON_CONNECT:
            item.add_marker(pytest.mark.skip(reason=f"NOT TESTED on {ENGINE}: {NOT_ON_CONNECT[name]}"))
        if ENGINE == "sail" and item.path.stem in NOT_ON_SAIL:
            item.add_marker(pytest.mark.skip(reason="NOT TESTED on sail: the job cannot check its outputs there"))


def _check_engine() -> None:
    """Skip loudly where the engine is not there."""
    lacks = missing(ENGINE)
    if lacks is not None:
        if os.environ.get("SIMSIEVE_SPARK") == "required":
            pytest.fail(f"there is no {ENGINE}, and it must be tested: {lacks}")
        pytest.skip(f"SPARK NOT TESTED on {ENGINE}: {lacks}")


@pytest.fixture(scope="session")
def cluster() -> Iterator[SparkCluster]:
    """A master and two workers for all tests of a process; skips loudly where they cannot be."""
    _check_engine()
    with SparkCluster(python_path=PYTHON) as running:
        yield running


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The session of the engine."""
    _check_engine()
    if ENGINE == "cluster":
        yield request.getfixturevalue("cluster").session()
        return
    with sessions(ENGINE, PYTHON) as session:
        yield session


def mixed(count: int, seed: int = 0) -> list[str | None]:
    """Texts of all kinds: unrelated ones, edited and exact copies, a family, a crowd of one template, and no texts."""
    draw = random.Random(seed)
    words = [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 8))) if n % 3 else chr(0x4E00 + n)
        for n in range(3000)
    ]
    template = " ".join(draw.choices(words, k=12))
    texts: list[str | None] = []
    for at in range(count):
        kind = draw.random()
        own = draw.choices(words, k=draw.randint(8, 30))
        if kind < 0.1 and at > 50:
            old = texts[draw.randrange(at)] or "nothing"
            parts = old.split(" ")
            parts[draw.randrange(len(parts))] = draw.choice(words)
            texts.append(" ".join(parts))
        elif kind < 0.15 and at > 50:
            copied = texts[draw.randrange(at)]
            texts.append(None if copied is None else copied.replace(" ", "  ").upper())
        elif kind < 0.18:
            texts.append(f"{template} {own[0]}")
        elif kind < 0.25:
            texts.append(f"{template} {' '.join(own[:10])}")
        elif kind < 0.26:
            texts.append(draw.choice([None, "", "!!!", "?"]))
        else:
            texts.append(" ".join(own))
    return texts


def table(texts: Sequence[str | None]) -> Any:
    """The texts as an Arrow table with an id, a place and a score."""
    pa = pytest.importorskip("pyarrow")
    scores = [None if at % 7 == 0 else (at * 37) % 11 for at in range(len(texts))]
    ids = [f"d{at // 2}" for at in range(len(texts))]
    places = [3 * at - 100 for at in range(len(texts))]
    kinds = {"id": pa.string(), "text": pa.string(), "place": pa.int64(), "score": pa.int64()}
    columns = {"id": ids, "text": texts, "place": places, "score": scores}
    return pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()})


def expected(rows: Any, against: Any = None, **settings: Any) -> list[dict[str, Any]]:
    """The decisions of one machine, with the places of the rows as their positions; an index has no places.

    Rows of a cluster have no lines. Under a distance it reads no texts: it does not know what is lost of near rows and
    of their copies.
    """
    of_one = simsieve.dedup(rows, against=against, max_failed="100%", sample=0, **settings).decisions.to_arrow()
    found: list[dict[str, Any]] = of_one.drop_columns(["source", "line"]).to_pylist()
    places = {name: rows["place"].to_pylist() for name in ("position", "representative_position", "cluster")}
    of_old = [None] * 10**6 if against is None or isinstance(against, str) else against["place"].to_pylist()
    for row in found:
        for name, of_new in places.items():
            is_old = name == "representative_position" and row.get("representative_collection") == "old"
            row[name] = None if row[name] is None else (of_old if is_old else of_new)[row[name]]
        if "max_distance" in settings and (row["reason"] in {"near", "agree"} or row["distance"] or row["lost"]):
            row["lost"] = row["conflict"] = None
    return found


def judged(new: Any, **settings: Any) -> list[tuple[str, str, str]]:
    """Verdicts on 30 of the rows that are dropped for others of these, at most one on each; the ids must differ."""
    draw, ids, used = random.Random(9), {*new["id"].to_pylist()}, set[str]()
    dropped = [row for row in expected(new, **settings) if row["reason"] in {"near", "exact"}]
    verdicts = []
    for row in draw.sample(dropped, 30):
        pair = row["id"], row["representative"]
        if not used & {*pair} and ids >= {*pair}:
            used |= {*pair}
            verdicts.append((*pair, draw.choice(["same", "different", "keep a", "keep b"])))
    return verdicts


def got(decisions: Any) -> list[dict[str, Any]]:
    """The decisions of a job in the order of the rows."""
    rows: list[dict[str, Any]] = decisions.toArrow().sort_by("position").to_pylist()
    return rows


def shuffled(spark: Any, rows: Any, partitions: int, seed: int = 0) -> Any:
    """The rows as a DataFrame in another order, in `partitions` partitions; one has most rows."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    frame = spark.createDataFrame(rows.take(order))
    if seed % 2:
        return frame.repartition(partitions)
    from pyspark.sql.functions import expr

    return frame.repartition(partitions, expr("case when place % 10 = 0 then place % 7 else -1 end"))
