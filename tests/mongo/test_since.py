"""Again tomorrow: documents that came in after a run are held against those that were kept before."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.mongo.resumable import documents, run, run_of, written

import simsieve as library
from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.stores.mongo import reading
from simsieve.stores.mongo.client import Address, Retry, address_of
from simsieve.stores.mongo.runs import undo_run
from simsieve.stores.mongo.values import bson_document, values_of

Uri = Callable[..., str]


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


def refused(uri: Uri, target: str, **settings: Any) -> str:
    """What a run of the library on `exams` says that does not write its target."""
    with pytest.raises(ConfigError) as error:
        library.dedup(uri("exams"), **settings).write(uri(target))
    return str(error.value)


def test_new_documents_are_added_to_the_target_of_the_run(simsieve: Program, uri: Uri, database: Any) -> None:
    """Else the target would lose the old documents, or a later run would compare with a part of them."""
    database.exams.insert_many([{"_id": f"a{at:02}", **one} for at, one in enumerate(day(0))])
    library.dedup(uri("exams")).write(uri("kept"))
    run, before = run_of(database), list(database.kept.find())
    database.exams.insert_many([{"_id": f"b{at:02}", **one} for at, one in enumerate(day(1))])

    for words, told in (
        (["-o", uri("kept"), "--replace"], "which would be lost: give --append in place of --replace"),
        (["-o", uri("kept")], f"has what run {run} has kept: give --append\n"),
        (["-o", uri("other")], f"new documents are added to what run {run} has kept: give mongodb://"),
        (["-o", uri("other"), "--append"], f"{database.name}.kept, and --append\n"),
    ):
        done = simsieve("dedup", uri("exams"), "--since-run", run, *words)
        assert done.code == 2
        assert told in done.err
        assert not re.search(r"^read ", done.err, re.MULTILINE)
    assert "in place of `replace`" in refused(uri, "kept", since_run=run, replace=True)
    assert refused(uri, "kept", since_run=run).endswith("has kept: give `append`")
    assert "and `append`" in refused(uri, "other", since_run=run, append=True)
    assert list(database.kept.find()) == before
    assert "other" not in database.list_collection_names()


def test_a_limit_when_the_last_document_of_the_run_is_gone(uri: Uri, database: Any) -> None:
    """No more documents are read than the limit, and the next run begins behind them."""
    made = documents(60)[::3]
    database.exams.insert_many([{"_id": at, "text": one["text"]} for at, one in enumerate(made[:5])])
    library.dedup(uri("exams")).write(uri("kept"))
    database.exams.delete_one({"_id": 4})
    database.exams.insert_many([{"_id": at, "text": made[at]["text"]} for at in range(5, 12)])
    for last in (7, 10, 11):
        settings: dict[str, Any] = {"since_run": run_of(database), "limit": 3, "append": True}
        library.dedup(uri("exams"), **settings).write(uri("kept"))
        assert database.simsieve_runs.find_one({"_id": run_of(database)})["last_id"] == last
        database.exams.delete_one({"_id": last})
    assert [one["_id"] for one in database.kept.find().sort("_id", 1)] == list(range(12))


def test_no_document_is_read_beyond_a_limit(database: Any) -> None:
    """Whatever was read before an outage."""
    database.exams.insert_many([{"_id": at} for at in range(9)])
    retry = Retry(Address("", "h", "d", "exams"), database.client)
    reader = reading.CollectionReader(database.exams, {}, {"_id": 1}, 3, True, [("_id", "packed")], retry)
    gone, there = bson_document({"_id": -1}), bson_document({"_id": 0})
    for after, done, read in (
        (None, 0, [0, 1, 2]),
        (gone, 0, [0, 1, 2]),
        (there, 1, [1, 2]),
        (there, 3, []),
        (there, 4, []),
    ):
        rows = _core.Rows(["_id"], 1 << 20)
        rows.begin("exams")
        rows.add_documents(bson_document({"_id": "before"}) * done, [("_id", "packed")])
        reader.read_range(rows, (None, None), after, lambda _: None)
        store = rows.finish()
        assert values_of(store.unpacked(range(done, len(store)), "_id")) == read, (after, done)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_run_that_was_killed_is_undone_or_goes_on(uri: Uri, database: Any, tmp_path: Path) -> None:
    """What it has added is no old document of the same run, started again."""
    made = documents(900)
    database.exams.insert_many([one for one in made if isinstance(one["_id"], int)][:30])
    assert run(tmp_path, uri("exams"), "-o", uri("kept")).code == 0
    first = run_of(database)
    database.exams.insert_many([one for one in made if isinstance(one["_id"], str)])
    words = [uri("exams"), "--since-run", first, "--append", "-o", uri("kept")]
    held = [*words, "--run-dir", "killed"]
    calm = run(tmp_path, *words, "--run-dir", "calm")
    assert calm.code == 0, calm.err
    expected, calls = written(database.kept), calm.calls
    undo_run(address_of(uri(), collection=False), run_of(database))

    assert run(tmp_path, *held, kill_at=int(calls * 0.9)).is_killed
    unfinished = database.simsieve_runs.find_one({"state": "writing"})["_id"]
    assert 30 < database.kept.count_documents({}) < len(expected)
    told = f"run {unfinished} adds to mongodb://"
    for again in (words, [*words, "--run-dir", "new"], [*words, "--run-dir", "new", "--resume"]):
        ended = run(tmp_path, *again)
        assert ended.code == 2
        assert told in ended.err
        assert "undo it, or go on with it by --resume and its run directory" in ended.err
    assert run(tmp_path, *held, "--resume").code == 0
    assert written(database.kept) == expected
    undo_run(address_of(uri(), collection=False), unfinished)

    # Without a run directory a run makes fewer calls.
    calls = run(tmp_path, *words).calls
    undo_run(address_of(uri(), collection=False), run_of(database))
    assert run(tmp_path, *words, kill_at=int(calls * 0.85)).is_killed
    unfinished = database.simsieve_runs.find_one({"state": "writing"})["_id"]
    assert f"run {unfinished} adds to mongodb://" in run(tmp_path, *words).err
    undo_run(address_of(uri(), collection=False), unfinished)
    assert run(tmp_path, *words).code == 0
    assert written(database.kept) == expected


def test_a_run_that_began_meanwhile(uri: Uri, database: Any) -> None:
    """It is found before the target is written, too."""
    database.exams.insert_many([{"_id": f"a{at:02}", **one} for at, one in enumerate(day(0))])
    library.dedup(uri("exams")).write(uri("kept"))
    database.exams.insert_many([{"_id": f"b{at:02}", **one} for at, one in enumerate(day(1))])
    result = library.dedup(uri("exams"), since_run=run_of(database), append=True)
    other = {**database.simsieve_runs.find_one(), "_id": "another", "state": "writing"}
    other["writes"][0]["how"] = "append"
    database.simsieve_runs.insert_one(other)
    with pytest.raises(ConfigError, match="run another adds to"):
        result.write(uri("kept"))
    database.simsieve_runs.delete_one({"_id": "another"})
    result.write(uri("kept"))
    result.write(uri("kept"))


def test_ranges_of_a_query_and_of_later_documents(
    uri: Uri, database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a run directory they are read in ranges; decisions are the same."""
    for name, value in (("_FEW_DOCUMENTS", 100), ("_SAMPLED", 5), ("_RANGE_DOCUMENTS", 50), ("_PAGE_DOCUMENTS", 20)):
        monkeypatch.setattr(reading, name, value)
    made = documents(900)
    database.exams.insert_many([one for one in made if isinstance(one["_id"], int)])
    library.dedup(uri("exams")).write(uri("kept"))
    since: dict[str, Any] = {"since_run": run_of(database)}
    database.exams.insert_many([one for one in made if isinstance(one["_id"], str)])
    query = {"query": '{"kept_as_it_is.at": {"$gte": 100}}'}
    for at, settings in enumerate((query, since, query | since)):
        folder = tmp_path / f"{at}.rundir"
        theirs, ours = library.dedup(uri("exams"), **settings), library.dedup(uri("exams"), run_dir=folder, **settings)
        assert [one.id for one in ours.decisions] == [one.id for one in theirs.decisions]
        assert ours.kept.tolist() == theirs.kept.tolist()
        assert ours.summary["collection"]["total"] == theirs.summary["collection"]["total"]
        noted: Any = None
        name = reading.NotedRanges(noted, address_of(uri("exams")), {}).name(4)
        assert [path for path in folder.iterdir() if path.name.startswith(name)]
