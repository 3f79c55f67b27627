"""Runs as users start them are killed at random times: thirty times the job, and ten times the primary of three nodes.

Each time the run goes on, and what is there at the end is that of a run that nobody disturbed, byte for byte.
"""

import hashlib
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.mongo.resumable import documents
from tools.mongod import Mongod, ReplicaSet

DOCUMENTS = 50_000
JOB_KILLS, PRIMARY_KILLS = 30, 10
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


class Left(NamedTuple):
    """What is in a database after a run: of each collection how many documents, and a digest of all their bytes."""

    kept: tuple[int, str]
    decisions: tuple[int, str]
    exams: tuple[int, str]


def digest(collection: Any) -> tuple[int, str]:
    """The documents in the order of `_id`."""
    found = hashlib.sha256()
    for batch in collection.find_raw_batches({}, sort=[("_id", 1)]):
        found.update(batch)
    return collection.count_documents({}), found.hexdigest()


def left(database: Any) -> Left:
    """What a run has left; nothing is beside it."""
    assert [one["state"] for one in database.simsieve_runs.find()] == ["complete"]
    assert set(database.list_collection_names()) == {*Left._fields, "simsieve_runs"}
    return Left(*(digest(database[name]) for name in Left._fields))


def clear(database: Any) -> None:
    """Take away what a run has left."""
    for name in ("kept", "decisions", "simsieve_runs"):
        database.drop_collection(name)
    database.exams.update_many({"near": {"$exists": True}}, {"$unset": {"near": ""}})


def load(database: Any) -> None:
    """A collection of documents; a third is near another one."""
    made = documents(DOCUMENTS)
    for start in range(0, DOCUMENTS, 5_000):
        database.exams.insert_many(made[start : start + 5_000])


def start(uri: Callable[[str], str], *more: str) -> subprocess.Popen[str]:
    """Start a run that copies, marks and writes the decisions."""
    words = [uri("exams") + "&mark=near&apply", "-o", uri("kept"), "--decisions", uri("decisions"), *more]
    command = [sys.executable, "-m", "simsieve", "dedup", *words, "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(run: subprocess.Popen[str]) -> None:
    """Wait for a run that nothing stops."""
    _, told = run.communicate(timeout=600)
    assert run.returncode == 0, told


def calm(uri: Callable[[str], str], database: Any, *more: str) -> tuple[Left, float]:
    """What a run that nobody disturbs leaves, and its seconds."""
    began = time.monotonic()
    ended(start(uri, *more))
    seconds = time.monotonic() - began
    found = left(database)
    assert 0 < found.kept[0] < found.decisions[0] == DOCUMENTS
    assert database.exams.count_documents({"near.decision": "kept"}) == found.kept[0]
    clear(database)
    return found, seconds


def test_the_job_is_killed(mongod: Mongod, database: Any, tmp_path: Path) -> None:
    """By SIGKILL, at times that are random over the whole run."""
    load(database)

    def uri(name: str) -> str:
        return mongod.uri(database.name, name)

    expected, seconds = calm(uri, database, "--run-dir", str(tmp_path / "calm"))
    chance, killed = random.Random(7), 0
    while killed < JOB_KILLS:
        folder = tmp_path / f"run-{killed}"
        run = start(uri, "--run-dir", str(folder))
        # Before that it imports.
        time.sleep(seconds * chance.uniform(0.1, 1.0))
        run.send_signal(signal.SIGKILL)
        _, told = run.communicate()
        if run.returncode != -signal.SIGKILL:
            assert run.returncode == 0, told
        else:
            killed += 1
            ended(start(uri, "--run-dir", str(folder), "--resume"))
        assert left(database) == expected, f"kill {killed}"
        clear(database)


def kill_later(replica_set: ReplicaSet, seconds: float) -> tuple[threading.Timer, list[Mongod]]:
    """A timer that kills the primary, and the member that it has killed."""
    killed: list[Mongod] = []
    timer = threading.Timer(seconds, lambda: killed.append(replica_set.kill_primary()))
    timer.start()
    return timer, killed


def test_the_primary_is_killed(replica_set: ReplicaSet) -> None:
    """At random times: the run waits for the next primary, and goes on."""
    from pymongo import WriteConcern

    with replica_set.client() as client:
        database = client.get_database("a", write_concern=WriteConcern("majority"))
        load(database)

        def uri(name: str) -> str:
            return replica_set.uri("a", name)

        expected, seconds = calm(uri, database)
        chance = random.Random(7)
        for at in range(PRIMARY_KILLS):
            kill, killed = kill_later(replica_set, seconds * chance.uniform(0.1, 0.9))
            ended(start(uri))
            kill.join()
            assert left(database) == expected, f"kill {at}"
            killed[0].restart()
            replica_set.wait()
            clear(database)
