"""An index that follows a collection by a field: it knows up to where it has read, and takes what came in since."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.mongo.resumable import documents

import simsieve as library
from simsieve.errors import ConfigError

Uri = Callable[..., str]
BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
DAYS = 3


def come_in(database: Any, at: int, count: int = 12) -> None:
    """The documents of a day; a third is near another, and their `_id`s descend from day to day."""
    made = documents(300)[30 * at : 30 * at + count]
    database.bank.insert_many([
        {"_id": 1000 - 20 * at + place, "text": one["text"], "created": BEGIN + dt.timedelta(at, place // 3)}
        for place, one in enumerate(made)
    ])  # fmt: skip


def read(err: str, row: str = "read") -> int:
    """A number of the closing table."""
    found = re.search(rf"^{row} +([\d,]+)$", err, re.MULTILINE)
    assert found, err
    return int(found[1].replace(",", ""))


@pytest.fixture
def daily(simsieve: Program, uri: Uri) -> Callable[..., Any]:
    """The line of a daily job."""
    return lambda command, *more, field="created", query="{}", mark="": simsieve(
        "index", command, "seen", f"{uri('bank')}&since_field={field}&query={query}{mark}", *more
    )


def test_each_day_takes_what_came_in(simsieve: Program, uri: Uri, database: Any, daily: Callable[..., Any]) -> None:
    """Each day reads its own documents, and the target has what the index keeps; a day without any is no mistake."""
    come_in(database, 0)
    made = daily("create", "-o", uri("kept"))
    assert (made.code, read(made.err)) == (0, 12), made.err
    for at in range(1, DAYS):
        come_in(database, at)
        checked = daily("check")
        assert (checked.code, read(checked.err)) == (0, 12)
        refused = daily("add", "-o", uri("kept"))
        assert (refused.code, "is there already: give ?append (URI)" in refused.err) == (2, True)
        added = daily("add", "-o", uri("kept") + "&append")
        assert (added.code, read(added.err)) == (0, 12), added.err
    nothing = daily("add", "-o", uri("kept") + "&append")
    assert (nothing.code, read(nothing.err), "warning" in nothing.err) == (0, 0, False), nothing.err
    with library.Index.open(simsieve.folder / "seen") as index:
        kept = {id_ for id_, _ in index}
    assert kept == {f'{{"$numberInt":"{one["_id"]}"}}' for one in database.kept.find({}, {"_id": 1})}
    assert simsieve("index", "verify", "seen").code == 0


def test_an_index_that_was_there_begins_to_follow(simsieve: Program, uri: Uri, database: Any, daily: Any) -> None:
    """The first time all is read and known, and nothing is added; from then on only what is new is read."""
    come_in(database, 0)
    assert simsieve("index", "create", "seen", uri("bank")).code == 0
    first = daily("add")
    assert (read(first.err), read(first.err, "known before")) == (12, 12)
    assert read(daily("add").err) == 0


def test_what_was_not_added_is_read_again(simsieve: Program, uri: Uri, database: Any, daily: Any) -> None:
    """Batch and place are one: an add that fails keeps the place, and an undone batch comes again with later ones."""
    come_in(database, 0)
    daily("create")
    come_in(database, 1)
    assert daily("add", "--name", "monday").code == 0
    come_in(database, 2)
    failed = daily("add", "--name", "monday", "-o", uri("kept"))
    assert failed.code == 2 and "the database has what the run wrote" in failed.err
    assert read(daily("add", "--name", "tuesday", "-o", uri("kept") + "&append").err) == 12
    assert simsieve("index", "undo", "seen", "monday").code == 0
    again = daily("add")
    assert (read(again.err), read(again.err, "known before")) == (24, 12)
    assert read(daily("add").err) == 0
    assert simsieve("index", "snapshot", "seen", "copy").code == 0
    come_in(database, 3)
    assert read(simsieve("index", "add", "copy", uri("bank") + "&since_field=created").err) == 12


def test_other_fields_and_queries_are_refused(simsieve: Program, uri: Uri, database: Any, daily: Any) -> None:
    """They would pass over documents."""
    come_in(database, 0)
    assert daily("create", query='{"_id": {"$gt": 0}}').code == 0
    told = 'is {"_id": {"$gt": {"$numberInt": "0"}}} in the index that follows'
    assert told in daily("add").err
    told = "is created in the index that follows"
    assert told in daily("add", query='{"_id": {"$gt": 0}}', field="_id").err
    (simsieve.folder / "a.jsonl").write_text('{"text": "a text of words"}\n')
    assert "since_field" in simsieve("index", "add", "seen", "a.jsonl", settings='since_field = "created"').err
    with library.Index.open(simsieve.folder / "seen", write=True) as index, pytest.raises(ConfigError, match="follows"):
        index.add(uri("bank"), since_field="_id")


def test_ids_of_documents_are_found_by_their_text(simsieve: Program, uri: Uri, database: Any) -> None:
    """An ObjectId by its hex digits, and a number as it is written."""
    database.ids.insert_many([{"text": "one text of words"}, {"_id": 7, "text": "another one, not alike"}])
    one = database.ids.find_one({"_id": {"$ne": 7}})["_id"]
    assert simsieve("index", "create", "seen", uri("ids")).code == 0
    assert simsieve("index", "get", "seen", str(one)).out == b"one text of words\n"
    assert simsieve("index", "get", "seen", "7").out == b"another one, not alike\n"
    assert "no document with the id" in simsieve("index", "get", "seen", "0" * 24).err
    assert b"removed 1 kept" in simsieve("index", "remove", "seen", str(one)).out


def test_marks_of_a_day_name_the_old_documents(simsieve: Program, uri: Uri, database: Any, daily: Any) -> None:
    """`?mark` writes what the index decided about each new document into it, and an undone mark goes."""
    come_in(database, 0)
    assert daily("create", "-o", uri("kept"), mark="&mark=sieve&apply").code == 0
    again = database.bank.find_one({"_id": 1000})
    database.bank.insert_one({**again, "_id": 5, "created": BEGIN + dt.timedelta(9), "sieve": None})
    database.bank.update_one({"_id": 5}, {"$unset": {"sieve": ""}})
    seen = daily("check", mark="&mark=looked")
    assert (seen.code, database.bank.count_documents({"looked": {"$exists": True}})) == (0, 0), seen.err
    added = daily("add", "-o", uri("kept") + "&append", mark="&mark=sieve&apply")
    assert added.code == 0, added.err
    mark = database.bank.find_one({"_id": 5})["sieve"]
    assert (mark["decision"], mark["representative"]) == ("dropped", '{"$numberInt":"1000"}')
    assert database.bank.count_documents({"sieve.decision": {"$in": ["kept", "dropped"]}}) == 13
