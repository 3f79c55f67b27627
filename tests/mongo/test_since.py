"""Again tomorrow: documents that came in after a run are held against those that were kept before."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.mongo.resumable import documents

import simsieve as library
from simsieve.errors import ConfigError

Uri = Callable[..., str]


def run_of(database: Any) -> str:
    """The id of the latest run."""
    found: str = database.simsieve_runs.find_one(sort=[("started", -1)])["_id"]
    return found


def day(at: int) -> list[dict[str, Any]]:
    """The documents of a day: ten of its own, three near those of the day before, one twice."""
    made = documents(300)
    own = [{"text": one["text"]} for one in made[30 * at : 30 * at + 30 : 3]]
    near = [{"text": one["text"]} for one in made[30 * at - 28 : 30 * at - 20 : 3]] if at else []
    return [*own, *near, dict(own[0])]


def test_each_day_is_held_against_those_before(simsieve: Program, uri: Uri, database: Any) -> None:
    """Three days give the target that one run on all of them gives."""
    for at in range(3):
        database.exams.insert_many([{"_id": f"day{at}-{place:02}", **one} for place, one in enumerate(day(at))])
        since = ["--since-run", run_of(database), "--append"] if at else []
        done = simsieve("dedup", uri("exams"), *since, "-o", uri("kept"))
        assert done.code == 0, done.err
        new = len(day(at))
        assert re.search(rf"^read +{new}$", done.err, re.MULTILINE)
    whole = library.dedup(uri("exams"))
    expected = [
        one["_id"] for at, one in enumerate(database.exams.find().sort("_id", 1)) if at in set(whole.kept.tolist())
    ]
    assert [one["_id"] for one in database.kept.find().sort("_id", 1)] == expected
    assert 30 <= len(expected) < database.exams.count_documents({})
    nothing = simsieve(
        "dedup", uri("exams"), "--since-run", run_of(database), "--append", "-o", uri("kept"), "--allow-empty"
    )
    assert re.search(r"^read +0$", nothing.err, re.MULTILINE)
    assert database.kept.count_documents({}) == len(expected)


def test_runs_that_cannot_be_followed(uri: Uri, database: Any) -> None:
    """Each is refused with what to do."""
    database.exams.insert_many(day(0))
    database.other.insert_many(day(1))
    library.dedup(uri("exams")).write(uri("kept"))
    run = run_of(database)
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("exams", {"since_run": run[:-1]}, f"did you mean {run}?"),
        ("exams", {"since_run": "x"}, "there is no such run in"),
        ("exams", {"since_run": ""}, "since_run '' is not a name"),
        ("other", {"since_run": run}, "has read mongodb://"),
        ("exams", {"since_run": run, "scheme": "chars64"}, "give the same schemes"),
        ("exams", {"since_run": run, "against": uri("other")}, "give one of them"),
    ]
    for source, settings, told in cases:
        with pytest.raises(ConfigError) as refused:
            library.dedup(uri(source), **settings)
        assert told in str(refused.value)
    with pytest.raises(ConfigError, match="is no run directory"):
        library.dedup(["a text"], since_run=run)
    library.dedup(uri("other"), mark="near", apply=True).write(None)
    with pytest.raises(ConfigError, match="has written no target"):
        library.dedup(uri("other"), since_run=run_of(database))
    database.simsieve_runs.update_one({"_id": run}, {"$set": {"state": "writing"}})
    with pytest.raises(ConfigError, match="is in the state writing"):
        library.dedup(uri("exams"), since_run=run)
