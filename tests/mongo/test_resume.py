"""A run that is killed goes on: the target is the same, no document is there twice, and none is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mongo.resumable import Ended, counts, documents, run, written
from tools.mongod import Mongod

import simsieve
from simsieve.errors import ConfigError, SinkError, SourceError

Uri = Callable[..., str]
DOCUMENTS = 900
pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def exams(database: Any) -> Any:
    """A collection of many ranges."""
    database.exams.insert_many(documents(DOCUMENTS))
    return database.exams


def copied(uri: Uri, folder: Path, *more: str, kill_at: int = -1, query: str = "") -> Ended:
    """Copy the kept documents, and write the decisions."""
    words = ["-o", uri("kept"), "--decisions", uri("decisions"), "--run-dir", "run", "--summary", "summary.json"]
    source = uri("exams") + (f"&query={query}" if query else "")
    return run(folder, source, *words, *more, kill_at=kill_at)


def undisturbed(uri: Uri, database: Any, folder: Path) -> tuple[Any, ...]:
    """What a run that nobody stops writes, and its calls; nothing of it is left."""
    (folder / "calm").mkdir()
    calm = copied(uri, folder / "calm")
    assert calm.code == 0, calm.err
    found = (written(database.kept), decided(database), counts(folder / "calm" / "summary.json"), calm.calls)
    assert 0 < len(found[0]) < DOCUMENTS
    for name in ("kept", "decisions", "simsieve_runs"):
        database.drop_collection(name)
    return found


def decided(database: Any) -> list[Any]:
    """The decisions, without the id of the run."""
    found = list(database.decisions.find({}, {"_id": 0, "run": 0}).sort("position", 1))
    assert found == list(database.decisions.find({}, {"_id": 0, "run": 0}).sort("_id.position", 1))
    return found


def killed_at(uri: Uri, database: Any, folder: Path, parts: list[float]) -> None:
    """Kill a run at parts of its calls, and go on each time."""
    kept, decisions, told, calls = undisturbed(uri, database, folder)
    for part in parts:
        place = folder / f"killed-{part:.3f}"
        place.mkdir()
        killed = copied(uri, place, kill_at=max(1, int(calls * part)))
        assert killed.is_killed, killed.err
        ended = copied(uri, place, "--resume")
        assert ended.code == 0, (part, ended.err)
        assert written(database.kept) == kept, part
        assert decided(database) == decisions, part
        assert counts(place / "summary.json") == told, part
        assert [one["state"] for one in database.simsieve_runs.find()] == ["complete"]
        assert not [name for name in database.list_collection_names() if name.startswith("simsieve_new")]
        for name in ("kept", "decisions", "simsieve_runs"):
            database.drop_collection(name)


@pytest.mark.slow
@pytest.mark.usefixtures("exams")
def test_killed_at_any_call_it_goes_on(uri: Uri, database: Any, tmp_path: Path) -> None:
    """While it reads, while it writes decisions and target, and at the end."""
    killed_at(uri, database, tmp_path, [0.3, 0.85])


@pytest.mark.slow
@pytest.mark.usefixtures("exams")
def test_killed_thirty_times(uri: Uri, database: Any, tmp_path: Path) -> None:
    """The same at thirty places."""
    killed_at(uri, database, tmp_path, [(at + 0.5) / 30 for at in range(30)])


@pytest.mark.slow
@pytest.mark.usefixtures("exams")
def test_resumed_twice_and_when_complete(uri: Uri, database: Any, tmp_path: Path) -> None:
    """A run may be killed again while it goes on; one that is complete changes nothing."""
    kept, decisions, told, calls = undisturbed(uri, database, tmp_path)
    assert copied(uri, tmp_path, kill_at=calls // 3).is_killed
    assert copied(uri, tmp_path, "--resume", kill_at=calls // 2).is_killed
    for _ in range(2):
        ended = copied(uri, tmp_path, "--resume")
        assert ended.code == 0, ended.err
        assert (written(database.kept), decided(database), counts(tmp_path / "summary.json")) == (kept, decisions, told)
    refused = copied(uri, tmp_path)
    assert refused.code == 2 and "is there already: give ?append (URI)" in refused.err
    refused = copied(uri, tmp_path, "--resume", query='{"kept_as_it_is.at": {"$lt": 30}}')
    assert refused.code == 2 and "query is not given in the run in" in refused.err


def test_a_server_that_ends_leaves_the_run_to_be_resumed(tmp_path: Path) -> None:
    """What was written stays; the server starts again, and the run goes on."""
    with Mongod() as server:
        options = "directConnection=true&serverSelectionTimeoutMS=300&connectTimeoutMS=300"
        with server.client() as client:
            client.a.exams.insert_many(documents(DOCUMENTS))
        source, target = server.uri("a", "exams", options), server.uri("a", "kept", options)
        calm = simsieve.dedup(source)
        settings: Any = {"run_dir": tmp_path / "run"}
        result = simsieve.dedup(source, **settings)
        ended = False

        def end(stage: str, _done: int, _total: int) -> None:
            nonlocal ended
            if stage == "write" and not ended:
                ended = True
                server.kill()

        lost = pytest.raises((SinkError, SourceError), match=r"no server answers|connection was lost")
        with lost, pytest.warns(RuntimeWarning, match="it is asked again for 2 s"):
            result.write(target, progress=end)
        server.restart()
        with pytest.raises(ConfigError, match="holds a run"):
            simsieve.dedup(source, **settings)
        simsieve.dedup(source, resume=True, **settings).write(target)
        with server.client() as client:
            assert len(written(client.a.kept)) == calm.counts.kept
            told = client.a.list_collection_names()
        assert not [name for name in told if name.startswith("simsieve_new")], told
