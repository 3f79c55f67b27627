"""A replica set of three nodes whose primary is killed: the run goes on with the next one, and nothing is lost."""

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.mongo.resumable import documents, written
from tools.mongod import ReplicaSet

import simsieve
from simsieve.stores.mongo import reading as mongo_reading
from simsieve.stores.mongo import run as collections
from simsieve.stores.mongo import source as mongo

DOCUMENTS = 3000
pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def exams(replica_set: ReplicaSet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A collection that most members have, which is read and written in small pieces."""
    for module, name, value in [
        (mongo_reading, "_FEW_DOCUMENTS", 100), (mongo_reading, "_SAMPLED", 5), (mongo_reading, "_PAGE_DOCUMENTS", 40),
        (mongo, "_ASKED", 40), (mongo, "_FIRST_ASKED", 40), (collections, "_BATCH_ROWS", 200),
    ]:  # fmt: skip
        monkeypatch.setattr(module, name, value)
    replica_set.wait()
    with replica_set.client() as client:
        client.drop_database("a")
        client.a.exams.with_options(write_concern=_majority()).insert_many(documents(DOCUMENTS))
        yield client.a


def _majority() -> Any:
    from pymongo import WriteConcern

    return WriteConcern("majority")


def killer(replica_set: ReplicaSet, stage: str, share: float) -> tuple[Callable[[str, int, int], None], list[Any]]:
    """A progress that kills the primary in a stage, once; and the members that it has killed."""
    killed: list[Any] = []

    def show(now: str, done: int, total: int) -> None:
        if now == stage and not killed and total and done >= share * total:
            killed.append(replica_set.kill_primary())

    return show, killed


def copied_and_marked(replica_set: ReplicaSet, database: Any, stage: str, share: float, target: str) -> None:
    """Copy the kept documents and mark all, while the primary is killed."""
    show, killed = killer(replica_set, stage, share)
    before = list(database.exams.find({}, {"near": 0}).sort("_id", 1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = simsieve.dedup(replica_set.uri("a", "exams"), mark="near", apply=True, progress=show)
        result.write(replica_set.uri("a", target), progress=show)
    assert len(killed) == 1
    # pymongo itself asks a second time, which may be enough.
    assert all("it is asked again for 60 s" in str(one.message) for one in told)
    try:
        assert result.counts.read == DOCUMENTS
        found = written(database[target])
        for document in found:
            document.pop("simsieve")
        kept = [before[position] for position in result.kept.tolist()]
        assert found == sorted(kept, key=lambda one: (isinstance(one["_id"], str), one["_id"]))
        assert database.exams.count_documents({"near.decision": "kept"}) == len(kept)
        assert database.exams.count_documents({"near.decision": "dropped"}) == DOCUMENTS - len(kept)
        assert list(database.exams.find({}, {"near": 0}).sort("_id", 1)) == before
        numbers = result.summary["collection"]
        assert (numbers["written"], numbers["marked"], numbers["changed"]) == (len(kept), DOCUMENTS, 0)
        assert [one["state"] for one in database.simsieve_runs.find({"writes.collection": target})] == ["complete"]
    finally:
        killed[0].restart()
        replica_set.wait()


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["read", "write"])
def test_the_primary_is_killed(replica_set: ReplicaSet, exams: Any, stage: str) -> None:
    """While documents are read, and while the target is written."""
    copied_and_marked(replica_set, exams, stage, 0.3, "kept")


@pytest.mark.slow
def test_the_primary_is_killed_ten_times(replica_set: ReplicaSet, exams: Any) -> None:
    """At random places of reading, writing and marking."""
    places = random.Random(7)
    for at in range(10):
        exams.exams.update_many({}, {"$unset": {"near": ""}})
        stage = places.choice(["read", "write", "mark"])
        copied_and_marked(replica_set, exams, stage, places.random() * 0.9, f"kept_{at}")
