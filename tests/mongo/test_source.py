"""Collections as sources: every document once, in the order of `_id`, decided as the same texts from a file are."""

import datetime as dt
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.test_references import KEPT, REFERENCES

import simsieve
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.results import DedupResult
from simsieve.sources.opening import open_source
from simsieve.stores.mongo import reading as source
from simsieve.stores.mongo.reading import projection_of

WORDS = "the quick brown fox jumps over a lazy dog while seven wise men watch rivers of cold green water run by".split()


def of_file(folder: Path, records: list[dict[str, Any]], **options: Any) -> DedupResult:
    """Decide on the same records from a file of JSON lines."""
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return simsieve.dedup(path, **options)


def assert_same(ours: DedupResult, theirs: DedupResult) -> None:
    """Both decided alike on every document."""
    for a, b in zip(ours.decisions, theirs.decisions, strict=True):
        assert (a.position, a.decision, a.reason, a.representative_position, a.distance, a.similarity) == (
            b.position, b.decision, b.reason, b.representative_position, b.distance, b.similarity
        )  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"scheme": "keywords64", "max_distance": 2}, {"keep": "max:date,longest"}])
def test_the_kept_set_is_that_of_a_file(
    uri: Callable[..., str], questions: Any, examples: list[dict[str, Any]], tmp_path: Path, options: dict[str, Any]
) -> None:
    """Document for document, with the same counts."""
    ours, theirs = simsieve.dedup(uri("questions"), **options), of_file(tmp_path, examples, **options)

    assert_same(ours, theirs)
    assert ours.counts == theirs.counts and ours.summary["collection"]["total"] == len(examples)
    assert ours.decisions[3].id == '{"$numberInt":"3"}'
    assert [document["_id"] for document in ours.kept_rows(list)] == ours.kept.tolist()


def test_a_collection_keeps_the_laws_of_sources(
    uri: Callable[..., str], database: Any, examples: list[dict[str, Any]]
) -> None:
    """Equal documents have one identity, rows are fetched by position, and a changed document is left out."""
    database.laws.insert_many([{"_id": at, "text": row["text"]} for at, row in enumerate(examples)])
    config = DedupConfig()
    one, other = (open_source(uri("laws"), config) for _ in range(2))
    stores = [source.read(config) for source in (one, other)]
    some = np.array([0, 2, 3, 7])
    whole = stores[0].objects(range(len(examples)))

    assert one.identity() == other.identity()
    assert stores[0].objects(some.tolist()) == [whole[at] for at in some]
    assert [row["_id"] for row in one.take(some)] == some.tolist()
    database.laws.update_one({"_id": 2}, {"$set": {"text": "another text"}})
    assert [row["_id"] for row in one.take(some)] == [0, 3, 7]
    other.read(config)
    assert one.identity() != other.identity()


def test_several_cursors_read_each_document_once(
    uri: Callable[..., str], database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranges of `_id` of mixed types give all documents in the order that the server sorts them in."""
    monkeypatch.setattr(source, "_FEW_DOCUMENTS", 100)
    monkeypatch.setattr(source, "_SAMPLED", 3)
    monkeypatch.setattr(source, "_PAGE_DOCUMENTS", 50)
    draw = np.random.default_rng(7)
    texts = [" ".join(draw.choice(WORDS, 12)) for _ in range(1500)]
    makers: list[Callable[[int], Any]] = [
        int, str, float, lambda at: {"b": at, "a": str(at)},
        lambda at: dt.datetime(2020, 1, 1, tzinfo=dt.UTC) + dt.timedelta(at),
        lambda at: bytes([at % 256, at // 256]),
    ]  # fmt: skip
    documents = [{"_id": makers[at % len(makers)](at), "text": text} for at, text in enumerate(texts)]
    draw.shuffle(documents)
    database.mixed.insert_many(documents)
    ordered = list(database.mixed.find().sort("_id", 1))

    ours = simsieve.dedup(uri("mixed"))
    theirs = of_file(tmp_path, [{"text": document["text"]} for document in ordered])

    assert_same(ours, theirs)
    assert len({decision.id for decision in ours.decisions}) == len(documents)
    assert [document["_id"] for document in ours.kept_rows(list)] == [ordered[at]["_id"] for at in ours.kept]


def test_every_type_of_id_is_a_label_and_comes_back(uri: Callable[..., str], database: Any) -> None:
    """A string that looks like an object id has its label; the document that is asked for is the right one."""
    from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId, Timestamp, UuidRepresentation

    id_ = ObjectId("0" * 24)
    ids = [
        MinKey(), None, 5, Int64(2**60), 0.5, Decimal128("7.10"), '{"$oid": "x"}', str(id_), {"b": 1, "a": [1, "x"]},
        Binary(b"\1\2", 200), Binary.from_uuid(uuid.UUID(int=3), UuidRepresentation.STANDARD), id_, True,
        dt.datetime(1969, 7, 20, tzinfo=dt.UTC), Timestamp(1, 2), MaxKey(),
    ]  # fmt: skip
    database.ids.insert_many([{"_id": one, "text": f"{' '.join(WORDS)} {at}"} for at, one in enumerate(ids)])
    result = simsieve.dedup(uri("ids"), similarity=1.0)

    shown = [decision.id for decision in result.decisions]
    assert result.counts.kept == len(ids)
    for label in ('{"$numberInt":"5"}', '{"$numberLong":"1152921504606846976"}', '{"$oid":"' + "0" * 24 + '"}', None):
        assert label in shown
    assert [document["text"] for document in result.kept_rows(list)] == [
        document["text"] for document in database.ids.find().sort("_id", 1)
    ]


def test_a_query_a_limit_fields_in_fields_and_several_of_them(
    uri: Callable[..., str], database: Any, tmp_path: Path
) -> None:
    """What is read is what the settings say; old documents may be a collection too."""
    documents: list[dict[str, Any]] = [
        {
            "_id": at,
            "q": {"stem": f"{' '.join(WORDS)} {at // 2}", "hint": "x" if at % 2 else None},
            "year": 2019 + at % 3,
        }
        for at in range(12)
    ]
    database.nested.insert_many(documents)

    found = simsieve.dedup(uri("nested"), text_field=["q.stem", "q.hint"], query='{"year": {"$gte": 2020}}', limit=5)
    assert found.counts.read == 5
    assert [decision.id for decision in found.decisions] == [f'{{"$numberInt":"{at}"}}' for at in (1, 2, 4, 5, 7)]
    assert found.summary["collection"]["total"] == 8 and found.summary["collection"]["processed"] == 5

    new = [documents[3]["q"]["stem"], "something else altogether, in other words"]
    assert simsieve.dedup(new, against=uri("nested"), text_field="q.stem", similarity=1.0).kept.tolist() == [1]
    whole = simsieve.dedup(uri("nested"), text_field="q.stem", id_field="year", keep="max:year")
    assert whole.decisions[1].id == 2020, "a field that is compared is a plain number"


def test_fingerprints_are_found_in_their_field(uri: Callable[..., str], database: Any, tmp_path: Path) -> None:
    """As in other sources: the field `fingerprint`, where no document has a field `text` and none is named."""
    values = ["ff", "fe", "00"]
    database.prints.insert_many([{"_id": at, "fingerprint": value} for at, value in enumerate(values)])
    settings: dict[str, Any] = {"scheme": "external64", "max_distance": 1}
    ours = simsieve.dedup(uri("prints"), **settings)
    assert_same(ours, of_file(tmp_path, [{"fingerprint": value} for value in values], **settings))
    assert ours.kept.tolist() == [0, 2]
    numbers = simsieve.dedup(uri("prints"), scheme="external64:format=int", max_distance=1, text_field="fingerprint")
    assert numbers.counts.failed == 2
    database.both.insert_one({"_id": 1, "fingerprint": "ff", "text": "no hex"})
    assert simsieve.dedup(uri("both"), **settings).counts.failed == 1


def test_fields_that_are_missing_or_of_another_type_fail(uri: Callable[..., str], database: Any) -> None:
    """Each is counted and named, and the others are decided."""
    database.odd.insert_many(
        [{"_id": 0, "text": "a text of words"}, {"_id": 1, "text": 5}, {"_id": 2}, {"_id": 3, "text": ["x"]},
         {"_id": 4, "text": None}, {"_id": 5, "text": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}, {"_id": 6, "text": b"x"}]
    )  # fmt: skip
    result = simsieve.dedup(uri("odd"))

    assert result.counts.failed == 6
    assert [code for _, code, _ in result.failures()] == [
        "text_not_string", "no_text_field", "text_not_string", "text_not_string", "text_not_string", "text_not_string"
    ]  # fmt: skip
    assert "odd document 2: " in result.failures()[0][2]
    assert 'document 3: the document with _id {"$numberInt":"2"} has no field "text"; fix' in result.failures()[1][2]
    assert result.summary["collection"]["first_failed_fields"] == ["_id", "text"]
    assert result.summary["collection"]["first_failed"] == [f'{{"$numberInt": "{at}"}}' for at in range(1, 7)]


def test_views_time_series_and_capped_collections_are_read(uri: Callable[..., str], database: Any) -> None:
    """They have no index of `_id` whose ranges can be read, or no order."""
    texts = ["one text of words", "another one, not alike", "one text of words"]
    database.base.insert_many([{"_id": at, "body": text} for at, text in enumerate(texts)])
    database.create_collection("view", viewOn="base", pipeline=[{"$project": {"text": "$body"}}])
    database.create_collection("capped", capped=True, size=100_000)
    database.create_collection("clustered", clusteredIndex={"key": {"_id": 1}, "unique": True})
    database.create_collection("times", timeseries={"timeField": "at"})
    for name in ("capped", "clustered", "times"):
        now = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        database[name].insert_many([{"_id": at, "at": now, "text": text} for at, text in enumerate(texts)])

    for name in ("view", "capped", "clustered", "times"):
        assert simsieve.dedup(uri(name)).kept.tolist() == [0, 1], name


def test_settings_of_files_are_refused_and_an_empty_collection_is_read(uri: Callable[..., str], database: Any) -> None:
    """A query is for collections, a format for files."""
    database.create_collection("empty")

    with pytest.warns(RuntimeWarning, match="it has no record"):
        assert simsieve.dedup(uri("empty")).counts.read == 0
    with pytest.raises(ConfigError, match="input_format 'jsonl' is for files"):
        simsieve.dedup(uri("empty"), input_format="jsonl")
    with pytest.raises(ConfigError, match=r"query '{}' is for databases"):
        simsieve.dedup(["a text"], query="{}")
    for query in ("{", "[]", "5"):
        with pytest.raises(ConfigError, match=r"query .* give"):
            simsieve.dedup(uri("empty"), query=query)
    for name in ("$x", "a..b", "a.$b"):
        with pytest.raises(ConfigError, match="is no name of MongoDB"):
            projection_of([name])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=30))
def test_any_texts_are_decided_as_those_in_memory(uri: Callable[..., str], database: Any, texts: list[str]) -> None:
    """Zero bytes, quotes, line breaks and all scripts come through."""
    database.any.drop()
    database.any.insert_many([{"text": text} for text in texts])

    ours, theirs = simsieve.dedup(uri("any"), sample=0), simsieve.dedup([{"text": text} for text in texts], sample=0)

    assert ours.kept.tolist() == theirs.kept.tolist()
    assert [failure[:2] for failure in ours.failures()] == [failure[:2] for failure in theirs.failures()]


def test_the_texts_of_lists_are_those_of_a_file(uri: Callable[..., str], database: Any, tmp_path: Path) -> None:
    """Paths into lists reach the same texts as in JSON lines; another value fails with its place and value."""
    chats: list[dict[str, Any]] = [
        {"_id": 0, "a": {"m": [{"c": "one text"}, {"c": "two"}]}},
        {"_id": 1, "a": {"m": [{"c": "one text"}, {"c": "two"}]}},
        {"_id": 2, "a": {"m": []}},
        {"_id": 3, "a": {"m": [{"c": None}]}},
        {"_id": 4, "a": {"m": [{"c": "another"}]}},
    ]
    database.chats.insert_many(chats)
    for name in ("a.m.*.c", "a.m.0.c"):
        options: dict[str, Any] = {"text_field": name, "max_failed": 2}
        ours, theirs = simsieve.dedup(uri("chats"), **options), of_file(tmp_path, chats, id_field="_id", **options)
        assert_same(ours, theirs)
        assert [failure[:2] for failure in ours.failures()] == [failure[:2] for failure in theirs.failures()]
        assert [document["_id"] for document in ours.kept_rows(list)] == [0, 4]
    with pytest.raises(ConfigError, match=r"has a field 'a\.x\.\*\.c'"):
        simsieve.dedup(uri("chats"), text_field="a.x.*.c")


def test_dates_of_documents_are_in_windows(uri: Callable[..., str], database: Any) -> None:
    """A date is known from a number, whatever its year, also in a keep order; a document without one fails."""
    start = dt.datetime(1998, 5, 1, tzinfo=dt.UTC)
    text = "the quick brown fox jumps over the lazy dog"
    dates = [start, start + dt.timedelta(days=7), start + dt.timedelta(days=8), "1998-05-02", 1_700_000_000, 12, None]
    database.dated.insert_many([{"_id": at, "text": text, "at": {"day": day}} for at, day in enumerate(dates)])
    options: dict[str, Any] = {"window": "7d", "date_field": "at.day", "max_failed": 2}
    of = [one.representative_position for one in simsieve.dedup(uri("dated"), **options).decisions]
    assert of == [0, 0, 2, 0, 4, None, None]
    with pytest.warns(simsieve.SimsieveWarning, match="numbers precede texts"):
        latest = simsieve.dedup(uri("dated"), keep="max:at.day", **options)
    assert latest.kept.tolist() == [0, 2, 4]


def test_references_by_other_names_and_inside_documents(database: Any, uri: Callable[..., str]) -> None:
    """The usual names are found in any case, dots reach into documents, and a name that no document has is told."""
    names = {"title": "Article Title", "author": "Authors", "year": "Publication Year", "doi": "DI", "pages": "Pages"}
    rows = [{names.get(name, name): value for name, value in row.items()} for row in REFERENCES]
    database.other.insert_many([{"_id": row["id"], **row} for row in rows])
    inside = [{"_id": row["id"], "meta": row} for row in REFERENCES]
    database.inside.insert_many([{"_id": "0", "meta": {"title": "none"}}, *inside])
    assert [
        one.id for one in simsieve.dedup(uri("other"), kind="references").decisions if one.decision == "kept"
    ] == KEPT
    near = ["meta.year:1", "meta.volume:0", "meta.pages:range", "meta.author:names"]
    rules: dict[str, Any] = {"near": near, "differ": ["meta.doi:known"], "agree": ["meta.doi"]}
    found = simsieve.dedup(uri("inside"), kind="references", text_field="meta.title", **rules)
    assert [one.id for one in found.decisions if one.decision == "kept"] == ["0", *KEPT]
    text: dict[str, Any] = {"text_field": "meta.title"}
    for wrong in (
        text | {"near": ["meta.jear:1"]},
        text | {"agree": ["meta.dio"]},
        {"field": ["meta.title", "meta.autor"]},
    ):
        with pytest.raises(ConfigError, match=r"has a field 'meta\.\w+': did you mean 'meta\.\w+'.* name a field with"):
            simsieve.dedup(uri("inside"), **wrong)
    # A field of few documents is no mistake.
    database.inside.insert_many([{"_id": f"t{at}", "meta": {"title": f"t {at}"}} for at in range(120)])
    database.inside.insert_one({"_id": "last", "meta": {"title": "Bees", "isbn": "1"}})
    assert simsieve.dedup(uri("inside"), text_field="meta.title", agree=["meta.isbn"]).counts.read == 122 + len(
        REFERENCES
    )


def test_documents_that_lack_the_fields_of_an_index(database: Any, uri: Callable[..., str], tmp_path: Path) -> None:
    """An index knows its fields, so documents without them are added, as records of a file are."""
    database.plain.insert_many(
        [{"_id": "a", "text": "one text of words"}, {"_id": "b", "text": "some other text here"}]
    )
    first = [{"id": "z", "text": "a first text of an index", "isbn": "1", "lang": "en"}]
    with simsieve.Index.create(tmp_path / "seen", first, agree=["isbn"], differ=["lang"], sample=0) as index:
        index.add(uri("plain"), sample=0)
        assert [id_ for id_, _ in index] == ["z", "a", "b"]
    with pytest.raises(ConfigError, match=r"has a field 'isbn'.*; name a field with"):
        simsieve.dedup(uri("plain"), agree=["isbn"])
