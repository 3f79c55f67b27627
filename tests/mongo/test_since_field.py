"""Again tomorrow, by a field: documents are new whose value follows the greatest that a run has read."""

import datetime as dt
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.mongo.resumable import documents

import simsieve as library
from simsieve.errors import ConfigError
from simsieve.stores.mongo.values import FieldPlace, last_place, value_options

Uri = Callable[..., str]
BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def day(at: int) -> Iterator[dict[str, Any]]:
    """Twelve documents of a day; a third is near another, and `_id`s descend from day to day."""
    made = documents(300)[30 * at : 30 * at + 12]
    for place, one in enumerate(made):
        yield {"_id": 1000 - 20 * at + place, "text": one["text"], "seen": {"at": BEGIN + dt.timedelta(at, place // 3)}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the index is."""
    return tmp_path


def test_equal_values_and_documents_of_the_meantime(uri: Uri, database: Any, folder: Path) -> None:
    """Of equal values the greater `_id` is new; what is added while a run reads is read by the next, once."""
    texts = [one["text"] for one in documents(60)[::3]]
    database.exams.insert_many([{"_id": at, "text": texts[at], "at": 7} for at in range(4)])
    added = False

    def add(stage: str, _done: int, _total: int) -> None:
        nonlocal added
        if stage == "read" and not added:
            added = True
            database.exams.insert_many([{"_id": at, "text": texts[at], "at": 7 + at % 2} for at in (4, 5)])

    index = library.Index.create(folder / "seen", uri("exams"), since_field="at", progress=add)
    assert index.add(uri("exams"), since_field="at").kept > 0 and sum(1 for _ in index) == 6
    assert index.add(uri("exams"), since_field="at", allow_empty=True).kept == 0
    index.close()


def test_places_divide_a_collection_of_any_values(database: Any) -> None:
    """Each document is in one half, and the halves grow with the place, for values of all types and none."""
    from bson import Decimal128, Int64, MaxKey, MinKey, ObjectId, Timestamp

    values = [
        MinKey(), None, 5, Int64(2**60), 0.5, float("nan"), Decimal128("7.10"), "a", "$seen.at", {"$gt": 1}, b"\1",
        ObjectId("0" * 24), True, BEGIN, Timestamp(1, 2), MaxKey(), 5.0,
    ]  # fmt: skip
    database.odd.insert_many([{"_id": at, "at": value} for at, value in enumerate(values)])
    database.odd.insert_one({"_id": 99})
    total, befores = len(values) + 1, []
    for document in database.odd.with_options(codec_options=value_options()).find({"at": {"$exists": True}}):
        place = FieldPlace("at", document["at"], document["_id"])
        before = {one["_id"] for one in database.odd.find(place.until(), {"_id": 1})}
        after = {one["_id"] for one in database.odd.find(place.after(), {"_id": 1})}
        assert before | after == {one["_id"] for one in database.odd.find({}, {"_id": 1})}
        assert len(before) + len(after) == total
        assert document["_id"] in before
        befores.append(len(before))
    # The document without a value is after the least value that there is, and before all others.
    assert sorted(befores) == [1, *range(3, total + 1)]
    last = last_place(database.odd, "at", "db.odd", None)
    assert last is not None and last.id == 15


def test_fields_that_cannot_be(uri: Uri, database: Any, examples: list[dict[str, Any]], folder: Path) -> None:
    """Each is refused with what to do; documents without a value are named."""
    database.exams.insert_many([{"_id": at, "at": at, "text": one["text"]} for at, one in enumerate(examples[:9])])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"since_field": "aat"}, r"has a field 'aat': did you mean 'at'\?.* documents came in with since_field"),
        ({"since_field": "$at"}, "field '\\$at' is no name of MongoDB"),
        ({"since_field": ""}, "since_field '' is not a name"),
        ({"since_field": "at", "limit": 5}, "since_field 'at' and limit 5 are both given"),
    ]
    for settings, message in cases:
        with pytest.raises(ConfigError, match=message):
            library.Index.create(folder / "seen", uri("exams"), **settings)
    with pytest.raises(ConfigError, match="since_field 'at' is for databases"):
        library.Index.create(folder / "seen", ["a text"], since_field="at")
    for run in (library.dedup, library.find_pairs):
        with pytest.raises(ConfigError, match="An index remembers the last value"):
            run(uri("exams"), since_field="at")
    database.exams.insert_one({"_id": 20, "text": "without a value"})
    with pytest.warns(RuntimeWarning, match=r"the document .*20.* has no value in field 'at': no later run"):
        library.Index.create(folder / "one", uri("exams"), since_field="at").close()
    database.exams.insert_one({"_id": 21, "at": [1, 2], "text": "a list"})
    with pytest.raises(ConfigError, match=r"the document .*21.* has a list in field 'at'"):
        library.Index.create(folder / "seen", uri("exams"), since_field="at")
    database.empty.insert_one({"_id": 1, "at": None, "text": "words"})
    with pytest.raises(ConfigError, match="no document has a value in field 'at'"):
        library.Index.create(folder / "seen", uri("empty"), since_field="at")


def test_values_of_two_types_are_told(uri: Uri, database: Any, folder: Path) -> None:
    """A text comes before every date, so no later run would see it; whole and other numbers are one type."""
    database.exams.insert_many(
        [{"_id": at, "at": value, "text": f"text {at} on tides"} for at, value in enumerate((1, 2.5))]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library.Index.create(folder / "one", uri("exams"), since_field="at").close()
    database.exams.insert_one({"_id": 3, "at": "2026-12-01", "text": "another one"})
    with pytest.warns(RuntimeWarning, match="'at' has values of type number and of type string, which is greater"):
        library.Index.create(folder / "two", uri("exams"), since_field="at").close()


def test_a_view_is_followed_by_a_field(uri: Uri, database: Any, folder: Path) -> None:
    """It has no index of `_id`, but documents have an order."""
    database.create_collection("view", viewOn="exams", pipeline=[])
    database.exams.insert_many(list(day(0)))
    with library.Index.create(folder / "seen", uri("view"), since_field="seen.at") as index:
        database.exams.insert_many(list(day(1)))
        result = index.check(uri("view"), since_field="seen.at")
    assert result.counts.read == 12
