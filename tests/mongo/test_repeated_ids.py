"""Documents that have one `_id`, as those of a view: read and written to files, and refused where they are copied."""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.mongo.resumable import documents

import simsieve as library
from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.stores.mongo.reading import spool_fields
from simsieve.stores.mongo.values import bson_document

Uri = Callable[..., str]
TEXTS = [one["text"] for one in documents(60)]
UNWOUND = [{"$unwind": "$parts"}, {"$replaceWith": {"$mergeObjects": ["$parts", {"_id": "$_id"}]}}]


def parts(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Questions of one document; a third has no text, so that nothing tells them apart but the number."""
    return [{"text": text if at % 3 else "", "number": at} for at, text in enumerate(texts)]


@pytest.fixture
def view(uri: Uri, database: Any) -> str:
    """Sixty questions in five documents, and a view that has each question as a document."""
    made = parts(TEXTS)
    database.sheets.insert_many([{"_id": at, "parts": made[12 * at : 12 * at + 12]} for at in range(5)])
    database.create_collection("view", viewOn="sheets", pipeline=UNWOUND)
    return uri("view")


def unions(database: Any) -> None:
    """A view of two collections with equal `_id`s."""
    database.a.insert_many([{"_id": at, **one} for at, one in enumerate(parts(TEXTS)[:30])])
    database.b.insert_many([{"_id": at, **one} for at, one in enumerate(parts(TEXTS)[30:])])
    database.create_collection("all", viewOn="a", pipeline=[{"$unionWith": "b"}])


def times(database: Any) -> None:
    """A time-series collection whose `_id`s repeat."""
    database.create_collection("all", timeseries={"timeField": "at"})
    begin = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = [{"_id": at % 7, "at": begin + dt.timedelta(at), **one} for at, one in enumerate(parts(TEXTS))]
    database.all.insert_many(made)


def one_long(database: Any) -> None:
    """A view whose documents all have one `_id`, and are together longer than a reply."""
    filled = [{**one, "filler": "x" * 60_000} for one in parts(TEXTS * 5)]
    database.sheets.insert_one({"_id": 1, "parts": [{**one, "filler": ""} for one in filled]})
    longer = {"$set": {"filler": {"$literal": "x" * 60_000}}}
    database.create_collection("all", viewOn="sheets", pipeline=[*UNWOUND, longer])


@pytest.mark.parametrize("make", [unions, times, one_long])
def test_kept_documents_are_written_each_once(
    uri: Uri, database: Any, tmp_path: Path, make: Callable[[Any], None]
) -> None:
    """Each kept document is written whole, also where only a field tells it from another that the run did not read."""
    make(database)
    with pytest.warns(RuntimeWarning, match=r"all: several documents have the _id .*: the ids of decisions do not"):
        result = library.dedup(uri("all"), output=tmp_path / "kept.jsonl")
    written = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert len(written) == result.counts.kept
    assert [one["text"] for one in written] == [one["text"] for one in result.kept_rows(list)]
    empty = [str(one["number"]) for one in written if not one["text"]]
    count = sum(not one["text"] for one in database.all.find({}, {"text": 1}))
    assert len(empty) == len({*empty}) == count


def test_a_collection_takes_one_of_them(simsieve: Program, uri: Uri, database: Any, view: str) -> None:
    """As a target it is refused while the view is read, and where the target is named later; the way out works."""
    told = 'several documents have the _id {"$numberInt":"0"}, and a collection takes one document of an _id: write the'
    for how in ("", "&append"):
        done = simsieve("dedup", view, "-o", uri("kept") + how)
        assert (done.code, told in done.err) == (2, True), done.err
    with pytest.warns(RuntimeWarning, match="several documents"):
        result = library.dedup(view)
    with pytest.raises(ConfigError, match="a collection takes one document of an _id"):
        result.write(uri("kept"))
    assert "kept" not in database.list_collection_names()
    database.view.aggregate([{"$unset": "_id"}, {"$out": "apart"}])
    assert library.dedup(uri("apart"), output=uri("kept")).counts.kept == database.kept.count_documents({})
    unique = [*UNWOUND[:1], {"$replaceWith": {"$mergeObjects": ["$parts", {"_id": "$parts.number"}]}}]
    database.create_collection("other", viewOn="sheets", pipeline=unique)
    assert library.dedup(uri("other"), output=uri("copied")).counts.read == 60


def test_a_run_directory_remembers_them(simsieve: Program, uri: Uri, view: str) -> None:
    """What a run that was ended has read is not read again, and still not copied."""
    words = ["dedup", view, "--run-dir", "view.rundir", "--resume"]
    assert simsieve(*words, "-o", "kept.jsonl").code == 0
    done = simsieve(*words, "-o", uri("kept"))
    assert (done.code, "a collection takes one document of an _id" in done.err) == (2, True), done.err


def test_an_index_takes_one_of_them(uri: Uri, view: str, tmp_path: Path) -> None:
    """Ids are names there."""
    told = r"records 0 and 1 of the batch have the id .*; give each record an id of its own"
    with (
        library.Index.create(tmp_path / "seen") as index,
        pytest.warns(RuntimeWarning, match="several documents"),
        pytest.raises(ConfigError, match=told),
    ):
        index.add(view)


def test_pages_of_a_range_find_them() -> None:
    """Two shards may hold documents of one `_id`: they follow one another, also over the end of a page."""
    fields = spool_fields(DedupConfig())
    made = [{"_id": at, "text": "a text"} for at in (1, 2, 2)]

    def page(some: list[dict[str, Any]]) -> bytes:
        return bson_document({"firstBatch": some, "id": 0})

    rows = _core.Rows(list(fields), 1 << 20)
    rows.begin("mongodb://localhost/shards")
    rows.add_page(page(made[:2]), list(fields.values()), None, 10)
    repeated = [rows.repeated_id]
    # The page begins with the last document once more, which is left out.
    rows.add_page(page(made[1:]), list(fields.values()), bson_document(made[1]), 10)
    assert [*repeated, rows.repeated_id] == [None, '{"$numberInt":"2"}']
    assert len(rows) == 3
