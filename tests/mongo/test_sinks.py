"""What a run writes to a server: a target, marks and decisions, whole or not at all, and taken away exactly by undo."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.conftest import Program

import simsieve
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SinkError
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks
from simsieve.stores.mongo import sinks
from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import list_runs, undo_run

Uri = Callable[..., str]


def raw(collection: Any) -> list[bytes]:
    """Every document as its bytes, in the order of `_id`."""
    return [b"".join(batch for batch in collection.find_raw_batches(sort=[("_id", 1)]))]


def decimal(text: str) -> str | None:
    """The fingerprint of a text under chars64 as a target has it."""
    made = simsieve.fingerprint(text, scheme="chars64")
    return None if made is None else f"{int(made):020}"


def undo(uri: Uri, run: str) -> list[tuple[str, int]]:
    """Undo a run in the test's database."""
    return undo_run(address_of(uri(), collection=False), run)


def states(uri: Uri) -> dict[str, str]:
    """The state of every run."""
    return {run["_id"]: run["state"] for run in list_runs(address_of(uri(), collection=False))}


def test_a_target_has_the_kept_documents_whole(uri: Uri, database: Any, questions: Any) -> None:
    """With fingerprint, scheme and run; every bit of the fingerprint is there, and a query finds it."""
    result = simsieve.dedup(uri("questions"), scheme="chars64")
    result.write(uri("kept"))

    kept = result.kept.tolist()
    targets = list(database.kept.find().sort("_id", 1))
    numbers = result.summary["collection"]
    assert [one["_id"] for one in targets] == kept
    for at, target in zip(kept, targets, strict=True):
        about = target.pop("simsieve")
        value = decimal(target["text"])
        assert about == {
            "fingerprint": value, "scheme": result.summary["digest"], "run": numbers["run"]
        }  # fmt: skip
        assert target == questions.find_one({"_id": at})
        assert database.kept.count_documents({"simsieve.fingerprint": value}) >= 1
    assert (numbers["written"], numbers["changed"]) == (len(kept), 0)
    assert states(uri) == {numbers["run"]: "complete"}
    assert not [name for name in database.list_collection_names() if name.startswith("simsieve_new")]

    assert undo(uri, numbers["run"]) == [("documents of kept, which is dropped", len(kept))]
    assert sorted(database.list_collection_names()) == ["questions", "simsieve_runs"]
    assert undo(uri, numbers["run"]) == [] and states(uri) == {numbers["run"]: "undone"}


def test_a_target_of_the_documents_own_form(uri: Uri, database: Any, questions: Any) -> None:
    """Fields are chosen and renamed: cleaned text, old id and fingerprint."""
    fields = "@text:content,_id:old_id,@fingerprint:simhash,lang,kind:sort,no.such:none"
    result = simsieve.dedup(uri("questions"), scheme="chars64", fields=fields)
    result.write(uri("kept"))

    one = database.kept.find_one({"_id": 0})
    source = questions.find_one({"_id": 0})
    assert list(one) == ["_id", "content", "old_id", "simhash", "lang", "sort", "simsieve"]
    assert (one["content"], one["old_id"], one["lang"], one["sort"]) == (
        source["text"],
        0,
        source["lang"],
        source["kind"],
    )
    assert one["simhash"] == one["simsieve"]["fingerprint"] == decimal(source["text"])
    database.pages.insert_one({"_id": 1, "text": "<p>a page <b>of words</b></p>"})
    simsieve.dedup(uri("pages"), extract="text", fields="@text").write(uri("texts"))
    assert database.texts.find_one()["text"] == "a page of words"


def test_a_target_that_is_there_is_added_to_or_replaced_on_demand(uri: Uri, database: Any, questions: Any) -> None:
    """Without either it is refused before anything is read; undo takes only what the run added."""
    database.kept.insert_many([{"_id": 0, "own": 1}, {"_id": "mine"}])
    before = raw(database.kept)
    with pytest.raises(ConfigError, match="is there already: give `append` to add to it, `replace`, or another name"):
        simsieve.dedup(uri("questions")).write(uri("kept"))
    added = simsieve.dedup(uri("questions"), append=True)
    added.write(uri("kept"))
    numbers = added.summary["collection"]
    assert (numbers["present"], numbers["written"]) == (1, added.counts.kept - 1)
    assert database.kept.find_one({"_id": 0}) == {"_id": 0, "own": 1}
    both = raw(database.kept)
    added.write(uri("kept"))
    assert added.summary["collection"]["written"] == 0, "a second run changes nothing"
    assert raw(database.kept) == both
    undo(uri, numbers["run"])
    assert raw(database.kept) == before

    replaced = simsieve.dedup(uri("questions"), replace=True)
    replaced.write(uri("kept"))
    assert database.kept.count_documents({}) == replaced.counts.kept
    with pytest.raises(ConfigError, match="append and replace are both given"):
        simsieve.dedup(uri("questions"), append=True, replace=True)


def test_a_unique_index_of_a_target_is_no_reason_to_leave_documents_out(
    uri: Uri, database: Any, questions: Any
) -> None:
    """Only a document whose `_id` is there is left out; another key that is taken is an error, and nothing stays."""
    database.kept.create_index("lang", unique=True)
    with pytest.raises(SinkError, match="duplicate key"):
        simsieve.dedup(uri("questions"), append=True).write(uri("kept"))
    assert database.kept.count_documents({}) == 0
    assert list(states(uri).values()) == ["failed"]


def test_marks_are_written_only_with_apply_and_taken_away_exactly(uri: Uri, questions: Any) -> None:
    """Nothing else of a document is touched; a second run changes nothing."""
    before = raw(questions)
    dry = simsieve.dedup(uri("questions"), mark="near")
    dry.write(None)
    assert dry.summary["collection"]["marked"] == dry.counts.read
    assert raw(questions) == before
    assert states(uri) == {}

    result = simsieve.dedup(uri("questions"), mark="near", apply=True)
    result.write(None)
    run = result.summary["collection"]["run"]
    for document, decision in zip(questions.find().sort("_id", 1), result.decisions, strict=True):
        assert document.pop("near") == {
            "run": run, "decision": decision.decision, "representative": decision.representative_position,
            "distance": decision.distance, "similarity": decision.similarity,
            "lost": decision.lost,
        }  # fmt: skip
    marked = raw(questions)
    again = simsieve.dedup(uri("questions"), mark="near", apply=True)
    again.write(None)
    numbers = again.summary["collection"]
    assert (numbers["run"], numbers["marked"], numbers["same"]) == (run, 0, again.counts.read)
    assert raw(questions) == marked
    with pytest.raises(ConfigError, match=f"the mark of run {run}: undo that run"):
        simsieve.dedup(uri("questions"), mark="near", apply=True, similarity=0.9).write(None)

    assert undo(uri, run) == [("marks in questions.near", result.counts.read)]
    assert raw(questions) == before


def test_documents_that_changed_after_they_were_read_are_left_alone(uri: Uri, database: Any, questions: Any) -> None:
    """They are not marked and not copied, but counted; so are those that are gone."""
    result = simsieve.dedup(uri("questions"), mark="near", apply=True)
    kept = result.kept.tolist()
    questions.update_one({"_id": kept[0]}, {"$set": {"text": "other words"}})
    questions.delete_one({"_id": kept[1]})
    questions.update_one({"_id": kept[2]}, {"$set": {"near": "mine"}})
    questions.update_one({"_id": kept[3]}, {"$set": {"lang": "fr"}})
    questions.insert_one({"_id": 1000, "text": "a new one"})
    with pytest.raises(ConfigError, match="a value: keep it, or give another field"):
        result.write(None)
    assert "near" not in questions.find_one({"_id": 1000})
    questions.update_one({"_id": kept[2]}, {"$unset": {"near": 1}})
    result.write(uri("kept"))

    numbers = result.summary["collection"]
    assert (numbers["changed"], numbers["marked"], numbers["written"]) == (2, result.counts.read - 2, len(kept) - 2)
    assert [one["_id"] for one in database.kept.find().sort("_id", 1)] == kept[2:]
    assert "near" not in questions.find_one({"_id": kept[0]})
    assert "near" not in questions.find_one({"_id": 1000})


def test_decisions_go_to_a_collection_with_indexes(uri: Uri, database: Any, questions: Any) -> None:
    """From any source; those of several runs stand beside one another."""
    result = simsieve.dedup(uri("questions"))
    result.write(None, uri("why"))
    texts = simsieve.dedup(["one text of words", "one text of words"])
    texts.write(None, uri("why"))

    run = result.summary["collection"]["run"]
    rows = list(database.why.find({"run": run}).sort("position", 1))
    assert [row["decision"] for row in rows] == [one.decision for one in result.decisions]
    assert [row["document"] for row in rows] == list(range(result.counts.read))
    assert [row["representative"] for row in rows] == [one.representative_position for one in result.decisions]
    assert {tuple(index["key"]) for index in database.why.list_indexes()} >= {("run", "document"), ("run", "decision")}
    result.write(None, uri("why"))
    assert list(database.why.find({"run": run}).sort("position", 1)) == rows
    undo(uri, run)
    assert [row["run"] for row in database.why.find()] == [texts.summary["collection"]["run"]] * 2


@pytest.mark.parametrize("failing", ["_insert", "_update", "commit"])
def test_a_run_that_fails_leaves_nothing(
    uri: Uri, database: Any, questions: Any, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Neither target nor decisions nor marks; its document says why."""
    before = raw(questions)

    def fail(*_: Any) -> None:
        raise SinkError("the disk is full")

    of = sinks.MarkSink if failing == "_update" else sinks.TargetSink
    monkeypatch.setattr(of, failing, fail)
    config = DedupConfig(mark="near", apply=True)
    with pytest.raises(SinkError, match="the disk is full"):
        run_dedup(uri("questions"), config, Sinks(uri("kept"), uri("why")))

    assert raw(questions) == before
    assert database.why.count_documents({}) == 0 and "kept" not in database.list_collection_names()
    runs = list_runs(address_of(uri(), collection=False))
    assert [(run["state"], run["error"]) for run in runs] == [("failed", "the disk is full")]


def test_a_run_that_was_complete_and_fails_keeps_what_it_had(
    uri: Uri, database: Any, questions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks and documents that were added stay, and its state tells; nothing is left beside the target."""
    result = simsieve.dedup(uri("questions"), mark="near", apply=True, replace=True)
    result.write(uri("kept"))
    before = raw(questions), raw(database.kept)

    def fail(*_: Any) -> None:
        raise SinkError("the disk is full")

    monkeypatch.setattr(sinks.TargetSink, "_insert", fail)
    with pytest.raises(SinkError, match="the disk is full"):
        result.write(uri("kept"))

    assert (raw(questions), raw(database.kept)) == before
    assert list(states(uri).values()) == ["failed"]
    assert not [name for name in database.list_collection_names() if name.startswith("simsieve_new")]
    undo(uri, next(iter(states(uri))))
    assert sorted(database.list_collection_names()) == ["questions", "simsieve_runs"]


def test_what_cannot_be_taken_back_is_said(uri: Uri, questions: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first error comes first, and the run that is to be undone is named."""

    def fail(*_: Any) -> None:
        raise SinkError("the server is gone")

    monkeypatch.setattr(sinks.MarkSink, "_update", fail)
    monkeypatch.setattr(sinks.MarkSink, "abort", fail)
    with pytest.raises(
        SinkError, match=r"the server is gone; nor could all .* be taken back .*: undo run [0-9a-f]{16}"
    ):
        simsieve.dedup(uri("questions"), mark="near", apply=True).write(None)


def test_the_command_line_writes_lists_and_undoes(simsieve: Program, uri: Uri, database: Any, questions: Any) -> None:
    """The report has the counts and rates of a collection; documents go to files as extended JSON too."""
    before = raw(questions)
    done = simsieve("dedup", f"{uri('questions')}&mark=near", "-o", "kept.jsonl", "--decisions", uri("why"))
    assert done.code == 0, done.err
    assert "would be marked    63; nothing was written: give ?apply (URI) to write the marks" in done.err
    assert "in the collection  63" in done.err and done.err.count("kept  ") == 1
    for command, words, code in (("runs", (), 0), ("undo", ("no",), 2)):
        assert simsieve("mongo", command, uri("questions"), *words).code == code
    done = simsieve("mongo", "undo", uri())
    assert (done.code, "RUN is missing: `simsieve mongo runs mongodb://" in done.err) == (2, True)
    lines = (simsieve.folder / "kept.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 36 and lines[0].startswith('{"_id": {"$numberInt": "0"}, "id": ')

    done = simsieve("dedup", f"{uri('questions')}&mark=near&apply", "-o", uri("kept"), "--summary", "s.json")
    assert done.code == 0, done.err
    assert database.kept.count_documents({}) == 36
    listed = simsieve("mongo", "runs", uri())
    assert listed.code == 0
    run = next(line.split()[-1] for line in listed.out.decode().splitlines() if line.startswith("run"))
    assert "mark      questions field near (63 marked)" in listed.out.decode()
    undone = simsieve("mongo", "undo", uri(), run)
    assert (undone.code, undone.out.decode().splitlines()) == (
        0, ["removed 63 marks in questions.near", "removed 36 documents of kept, which is dropped"]
    )  # fmt: skip
    assert raw(questions) == before
    assert "there is nothing to undo" in simsieve("mongo", "undo", uri(), run).err
    wrong = simsieve("mongo", "undo", uri(), run[:-1] + "x")
    assert (wrong.code, wrong.err.count(f"did you mean {run}?")) == (2, 1)


def test_documents_that_no_reply_and_no_message_has_room_for(uri: Uri, database: Any) -> None:
    """They are asked for, marked and copied in parts."""
    texts = [" ".join(f"word{at * 7919 * step % 9973}" for step in range(1, 13)) for at in range(1, 22)]
    pages = [bytes([at]) * (1 << 20) for at in range(len(texts))]
    database.long.insert_many(
        [{"_id": at, "text": text, "page": page} for at, (text, page) in enumerate(zip(texts, pages, strict=True))]
    )
    result = simsieve.dedup(uri("long"), mark="near", apply=True)
    result.write(uri("kept"))
    assert result.summary["collection"]["marked"] == len(texts)
    kept = list(database.kept.find().sort("_id", 1))
    assert [one["_id"] for one in kept] == result.kept.tolist() == list(range(len(texts)))
    assert [one["page"] for one in kept] == pages
