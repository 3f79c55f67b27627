"""What a run on a collection says: one source, whatever ranges it is read in, and why a query finds nothing."""

import datetime as dt
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.conftest import Program

import simsieve as library
from simsieve.results.told import DropShare, by_source
from simsieve.stores.mongo import reading
from simsieve.stores.mongo.reading import NothingFoundError

Uri = Callable[..., str]
BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


@pytest.fixture
def bank(database: Any) -> Any:
    """Three hundred questions; the later ones are near earlier ones under another answer."""
    draw = random.Random(3)
    new = [" ".join(f"word{draw.randrange(500)}" for _ in range(15)) for _ in range(150)]
    texts = [*new, *(f"{text} again" for text in new)]
    database.bank.insert_many([
        {"_id": at, "text": text, "answer": "ABC"[at % 3], "level": at // 100, "created": BEGIN + dt.timedelta(at),
         "of": {"user": "a"}, "tags": ["x", "y"], "key": f"{at:024x}"}
        for at, text in enumerate(texts)
    ])  # fmt: skip
    return database.bank


def test_a_collection_is_one_source(uri: Uri, bank: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of `_id` are no sources: guard, warning and table have the whole collection under its whole name."""
    monkeypatch.setattr(reading, "_FEW_DOCUMENTS", 10)
    monkeypatch.setattr(reading, "_SAMPLED", 5)
    name = re.sub(r"\?.*", "", uri("bank"))
    # The last half is dropped, so each range there loses nearly all.
    result = library.dedup(uri("bank"), similarity=0.5, max_dropped="60%")
    counts = result.counts
    assert counts.dropped == 150
    assert by_source(*result.with_sources()) == [DropShare(name, 300, 150, 0)]
    assert "sources" not in result.summary
    told = f"^{re.escape(name)}: {counts.dropped} of 300 records would be dropped, more than max_dropped 10% allows"
    with pytest.raises(library.ConfigError, match=told):
        library.dedup(uri("bank"), similarity=0.5, max_dropped="10%")


def test_fields_of_documents_tell_near_ones_apart(simsieve: Program, uri: Uri, bank: Any) -> None:
    """As of files; values are compared by their types, and dates that all differ are none."""
    bank.update_many({}, [{"$set": {"answer": {"$switch": {
        "branches": [{"case": {"$lt": ["$_id", 150]}, "then": {"$mod": ["$_id", 4]}}],
        "default": {"$mod": [{"$add": ["$_id", 1]}, 4]},
    }}}}])  # fmt: skip
    done = simsieve("dedup", uri("bank"), "--dry-run", "--similarity", "0.5")
    assert re.search(r"^other fields +150 of 150 near duplicates have another answer: --differ", done.err, re.MULTILINE)
    assert "another created" not in done.err


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ('{"created": {"$gte": "2026-12-01"}}',
         '"created" is a date, and the query has a text: write {"$date": "2026-12-01T00:00:00Z"}'),
        ('{"$and": [{"created": {"$lt": 5}}]}', '"created" is a date, and the query has a number'),
        ('{"level": {"$in": ["1", "2"]}}', '"level" is a number, and the query has a text: write 1'),
        ('{"_id": "7"}', '"_id" is a number, and the query has a text: write 7'),
        ('{"answer": 5}', '"answer" is a text, and the query has a number: write "5"'),
        ('{"of.user": {"$oid": "0123456789abcdef01234567"}}', '"of.user" is a text, and the query has an ObjectId'),
        ('{"tags": {"$elemMatch": {"$eq": 3}}}', '"tags" is a text, and the query has a number: write "3"'),
        ('{"$or": [{"anser": "A"}]}', "no document that was looked at has \"anser\"; did you mean 'answer'?"),
        ('{"answer": "Z"}', "check its values"),
        ('{"answer": {"$regex": "Z"}}', "check its values"),
        ('{"created": {"$gt": {"$date": "2036-01-01T00:00:00Z"}}}', "check its values"),
    ],
)  # fmt: skip
def test_a_query_that_finds_nothing_says_why(simsieve: Program, uri: Uri, bank: Any, query: str, told: str) -> None:
    """The run ends with 1 before it writes; `--allow-empty` makes it a warning."""
    shown = re.sub(r"\?.*", "", uri("bank"))
    words = ("dedup", f"{uri('bank')}&query={query}", "-o", "kept.jsonl")
    done = simsieve(*words)
    line = f"{shown}: the query finds none of 300 documents: {told}\n"
    assert (done.code, done.err) == (1, f"simsieve: {line}")
    assert not (simsieve.folder / "kept.jsonl").exists()
    done = simsieve(*words, "--allow-empty")
    assert done.code == 0 and f"simsieve: warning: {line}" in done.err


def test_queries_of_other_commands_and_kinds(uri: Uri, bank: Any) -> None:
    """A view, an ObjectId; a collection without documents has no types."""
    database = bank.database
    database.create_collection("view", viewOn="bank", pipeline=[{"$limit": 10}])
    with pytest.raises(NothingFoundError, match=r"view: the query finds none of 10 documents: \"level\" is a number"):
        library.find_pairs(uri("view"), query='{"level": "x"}')
    database.ids.insert_one({"text": "a text of words"})
    one = str(database.ids.find_one()["_id"])
    with pytest.raises(NothingFoundError, match=r'"_id" is an ObjectId, and the query has a text: write {"\$oid": '):
        library.dedup(uri("ids"), query=f'{{"_id": "{one}"}}')
    database.create_collection("none")
    with pytest.warns(RuntimeWarning, match="it has no record"):
        assert library.dedup(uri("none"), query='{"a": 1}').counts.read == 0
