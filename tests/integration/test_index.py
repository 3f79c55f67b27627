"""A durable index from Python and on the command line: its decisions, its life after a kill, and its refusals."""

import json
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.integration.conftest import Program
from tests.integration.test_run_directory import questions

from simsieve import ConfigError, Index, SourceError, StorageError, dedup

RECORDS = 9_000
"""A few more than a run compares pair by pair, so that the search has keys."""


def records(numbers: range) -> list[dict[str, Any]]:
    """Questions with their numbers as ids; many are near earlier ones."""
    return [{"id": at, "text": text} for at, text in list(enumerate(questions(numbers.stop)))[numbers.start :]]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index of some questions, open for writing."""
    with Index.create(tmp_path / "seen", records(range(300))) as made:
        yield made


def fates(result: Any) -> list[tuple[Any, ...]]:
    """Each record with what became of it, by ids."""
    return [(one.id, one.decision, one.representative, one.distance, one.similarity, one.lost) for one in result]


def test_batches_are_decided_as_all_at_once(tmp_path: Path) -> None:
    """Batches of an index keep and drop what one run on all records does, where every pair is compared."""
    whole = records(range(1000))
    expected = dedup(whole)
    with Index.create(tmp_path / "seen", whole[:300]) as made:
        added = [made.add(whole[start : start + 100]) for start in range(300, 1000, 100)]
        kept = [id_ for id_, _ in made]
        assert kept == [whole[at]["id"] for at in expected.kept]
        assert sum(batch.kept for batch in added) + len(dedup(whole[:300]).kept) == len(made) == len(kept)
        assert [text for _, text in made] == [whole[at]["text"] for at in expected.kept]
        checked = fates(made.check(whole).decisions)
        assert {id_ for id_, decision, *_ in checked if decision == "kept"} == set()


def test_batches_are_decided_as_all_at_once_under_the_keys_of_the_index(tmp_path: Path) -> None:
    """With search keys too: `alone` gives all batches at once the decisions that they had one after another."""
    whole = records(range(RECORDS))
    with Index.create(tmp_path / "seen", whole[:8000], expect=RECORDS) as made:
        decided = {row[0]: row for row in fates(made.check(whole[:8000], alone=True).decisions)}
        for start in range(8000, RECORDS, 250):
            decided |= {row[0]: row for row in fates(made.add(whole[start : start + 250]).decisions)}
        result = made.check(whole, alone=True)
        assert result.recall is not None and result.recall.sampled > 0
        assert {row[0]: row for row in fates(result.decisions)} == decided
        assert result.counts.kept == len(made)


def test_an_index_that_grows_freezes_its_keys(tmp_path: Path) -> None:
    """An index that begins empty tests every pair, then makes search keys by itself; it still drops what is near."""
    whole = records(range(RECORDS))
    with Index.create(tmp_path / "seen") as made:
        assert made.add(whole[:500]).kept + made.add(whole[500:800]).kept == len(dedup(whole[:800]).kept)
        assert made.stats()["epoch"] == 1
        made.add(whole[800:])
        assert made.stats()["epoch"] == 2
        missed = len(made) - len(dedup(whole).kept)
        assert abs(missed) <= 0.02 * len(made)
        made.verify()
    with Index.create(tmp_path / "texts") as made:
        for some in (whole[:800], whole[800:]):
            made.add_texts([row["text"] for row in some])
        assert made.stats()["epoch"] == 2


def test_a_late_template_makes_new_keys_due(tmp_path: Path) -> None:
    """Many documents of one template that the frozen set has not seen are told, and new keys end it."""
    random = Random(5)
    han = [chr(0x4E00 + at) for at in range(3000)]

    def text(own: int, of: str = "") -> str:
        return of + "".join(random.choices(han, k=own))

    template = text(90)
    with Index.create(tmp_path / "seen", [text(100) for _ in range(RECORDS)], sample=0) as index:
        assert not index.stats()["refreeze_due"]
        members = [text(110, template) for _ in range(1200)]
        index.add(members, sample=0)
        stats = index.stats()
        assert stats["refreeze_due"] and stats["largest_bucket"] > 1024
        asked = [text(110, template), members[7], members[8][:-5], text(90)]
        before = [one.decision for one in index.check_texts(asked)]
        assert before == ["kept", "dropped", "dropped", "kept"]
        index.refreeze()
        stats = index.stats()
        assert not stats["refreeze_due"] and stats["largest_bucket"] < 500
        assert [one.decision for one in index.check_texts(asked)] == before


@pytest.mark.parametrize("kind", ["python", "jsonl", "csv"])
def test_sources_of_any_kind(simsieve: Program, kind: str) -> None:
    """An index takes what `dedup` takes, and says of a batch how many it keeps."""
    rows = records(range(200))
    simsieve.file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    simsieve.file("a.csv", "id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows))
    source: Any = rows if kind == "python" else str(simsieve.folder / f"a.{kind}")
    with Index.create(simsieve.folder / "seen", source) as made:
        assert len(made) == len(dedup(rows).kept)
        known = made.add(rows) if kind == "python" else made.add(source)
        assert (known.known, known.kept, known.dropped, known.replaced) == (200, 0, 0, 0)


def test_an_id_that_is_known(index: Index) -> None:
    """A record whose id is known replaces the document, or is refused; with the same text nothing changes."""
    before = index.stats()
    same = {"id": 0, "text": index.get(0)}
    assert (index.add([same]).known, index.stats()) == (1, before)
    other = {"id": 0, "text": "a text that nobody has written before, of many words"}
    with pytest.raises(ConfigError, match="the id 0 is in the index with another text"):
        index.add([other], on_known_id="refuse")
    added = index.add([other], name="changed")
    assert (added.kept, added.replaced, index.get(0)) == (1, 1, other["text"])
    taken = index.undo("changed")
    assert (taken.kept, index.get(0)) == (1, same["text"])
    with pytest.raises(ConfigError, match="have the id 7; give each record an id of its own"):
        index.add([{"id": 7, "text": "one text of words"}, {"id": 7, "text": "another text of words"}])
    assert len(index) == before["kept"]


def test_what_was_removed_was_never_there(index: Index) -> None:
    """After a removal a near text is kept, the orphans are named, and a purge takes the text off the disk."""
    text = "an unusual sentence about quaternions and marmalade at noon"
    index.add([{"id": "a", "text": text}, {"id": "b", "text": text + "!"}, {"id": "c", "text": text + " sharp"}])
    assert [index.get(id_) for id_ in "abc"] == [text, None, None]
    assert all(id_ in index for id_ in "abc")
    assert index.check([{"id": "d", "text": text}]).counts.dropped == 1
    removed = index.remove(["a", "nobody"])
    assert (removed.kept, removed.missing, removed.orphans) == (1, ["nobody"], ["b", "c"])
    assert index.check([{"id": "d", "text": text}]).counts.kept == 1
    assert "a" not in index and index.get("a") is None
    index.compact(purge=True)
    index.verify()
    index.close()


SHAPES: list[tuple[str, Any]] = [
    ("texts", [text for _, text in list(enumerate(questions(340)))[280:340]]),
    ("records", records(range(280, 340))),
    ("records with another text under a known id", [{"id": 3, "text": "words of the third question", "more": 1}]),
    ("records of which some have no id", [{"text": "one text"}, {"id": "b", "text": "one text"}, {"text": ""}]),
]


@pytest.mark.parametrize(("name", "given"), SHAPES, ids=[name for name, _ in SHAPES])
def test_few_texts_are_decided_as_a_run_decides(index: Index, tmp_path: Path, name: str, given: Any) -> None:
    """Few texts and records take a short way to the decisions, tables and batches of a run."""
    del name

    def told(result: Any, path: Path) -> list[Any]:
        result.write(path / "kept.jsonl", path / "decisions.jsonl", path / "failed.jsonl")
        files = [(path / f"{name}.jsonl").read_text("utf-8") for name in ("kept", "decisions", "failed")]
        return [result.counts, list(result.decisions), result.recipe, result.old_read, *files]

    folders = [tmp_path / name for name in ("short", "long")]
    for folder in folders:
        folder.mkdir()
    short, long = index.check(given), index.check(given, progress=lambda *_: None)
    assert told(short, folders[0]) == told(long, folders[1]) and short.kept_rows() == long.kept_rows()
    index.snapshot(tmp_path / "copy")
    with Index.open(tmp_path / "copy", write=True) as other:
        added, expected = index.add(given), other.add(given, progress=lambda *_: None)
        assert list(added.decisions) == list(expected.decisions) == list(short.decisions)
        assert (added.kept, added.dropped, added.known) == (expected.kept, expected.dropped, expected.known)
        assert list(index) == list(other)


def test_one_record_is_a_source(index: Index) -> None:
    """A record alone is checked and added as a list of it."""
    given = {"id": "new", "text": "seventeen bicycles crossed the frozen harbour yesterday"}
    assert index.check(given).counts.kept == index.add(given).kept == 1 and index.get("new") == given["text"]


def test_near_documents_of_a_text(index: Index) -> None:
    """A query gives the kept documents that are near, the nearest first, with their texts."""
    first, second, third = (
        "an unusual sentence about quaternions and marmalade",
        "seventeen bicycles crossed the frozen harbour yesterday",
        "never lend your umbrella to a professional magician before lunch",
    )
    index.add([{"id": "a", "text": f"{first} {second}"}, {"id": "b", "text": f"{second} {third}"}])
    text = f"{first} {second} {third}"
    found = index.query(text)
    similarities = [match.similarity or 0 for match in found]
    assert {match.id for match in found} == {"a", "b"} and similarities == sorted(similarities, reverse=True)
    assert index.query(f"{first} {second}")[0].similarity == 1.0
    assert all(match.text == index.get(match.id) for match in found)
    assert index.query("nothing like it at all") == [] and len(index.query(text, n=1)) == 1


def test_readers_see_one_state(index: Index) -> None:
    """A reader answers by the state that it has opened until it refreshes; a second writer is refused."""
    reader = Index.open(index.path)
    before = len(reader)
    index.add([{"id": "x", "text": "words that are nowhere else in this collection of questions"}])
    assert (len(reader), "x" in reader) == (before, False)
    for _ in range(9):
        index.add([{"id": f"x{_}", "text": " ".join(str(7**at % 10_007 * (_ + 2)) for at in range(20))}])
    assert len(list(reader)) == before
    reader.refresh()
    assert len(reader) == before + 10
    told = r"seen is written by process \d+ \(.+\) on .* since \d+ s; wait for its end, or give `wait` with the seconds"
    with pytest.raises(StorageError, match=told):
        Index.open(index.path, write=True)
    with pytest.raises(ConfigError, match="open for reading; open it for writing"):
        reader.remove([1])
    again = pickle.loads(pickle.dumps(index))
    assert (len(again), again.path) == (len(index), index.path)


def test_a_writer_waits_for_another(index: Index) -> None:
    """With `wait` a writer takes over as soon as the other one has closed the index."""
    path = index.path
    threading.Timer(0.3, index.close).start()
    with Index.open(path, write=True, wait=20) as other:
        assert len(other) > 0
    with pytest.raises(ConfigError, match="the index is closed: open it again"):
        len(index)


def test_several_threads_ask_one_index(index: Index) -> None:
    """Threads that check and one that adds get answers of whole states."""
    rows = records(range(300, 600))
    expected = fates(index.check(rows[:50]).decisions)
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(5):
                assert fates(index.check(rows[:50]).decisions) == expected
        except BaseException as error:  # noqa: BLE001 - it is raised below
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    index.add([{"id": "y", "text": "words that are nowhere else in this collection of questions"}])
    for thread in threads:
        thread.join()
    assert not failed


def test_a_run_against_an_index(index: Index, simsieve: Program) -> None:
    """`dedup` takes an index as old documents, with its settings, and leaves it as it is."""
    rows, before = records(range(200, 500)), index.stats()
    result = dedup(rows, against=index.path)
    old = [{"id": id_, "text": text} for id_, text in index]
    assert fates(result.decisions) == fates(dedup(rows, against=old).decisions)
    assert index.stats() == before
    simsieve.file("new.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    simsieve("dedup", "new.jsonl", "--against", index.path, "-o", "kept.jsonl").ok()
    assert [row["id"] for row in simsieve.rows("kept.jsonl")] == [rows[at]["id"] for at in result.kept]
    with pytest.raises(ConfigError, match=r"similarity is 0.6 in the index, and 0.9 is given"):
        dedup(rows, against=index.path, similarity=0.9)


def test_a_snapshot_is_an_index(index: Index, tmp_path: Path) -> None:
    """A snapshot has the documents of its moment, whatever comes later."""
    index.snapshot(tmp_path / "copy")
    kept = list(index)
    index.add([{"id": "x", "text": "words that are nowhere else in this collection of questions"}])
    index.compact(purge=True)
    with Index.open(tmp_path / "copy", write=True) as copy:
        assert list(copy) == kept
        copy.verify()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("ten years of work")
    for name in ("copy", "thesis"):
        with pytest.raises(ConfigError, match="is there already; take a new folder"):
            index.snapshot(tmp_path / name)
    assert (tmp_path / "thesis" / "chapter").read_text() == "ten years of work"


def test_the_command_line(simsieve: Program) -> None:
    """All commands of an index, as a user would give them one after another."""
    rows = records(range(300))
    simsieve.file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows[:200]))
    simsieve.file("b.jsonl", "".join(json.dumps(row) + "\n" for row in rows[150:]))

    def run(*words: str, code: int = 0) -> str:
        done = simsieve("index", *words)
        assert done.code == code, done.err
        return done.out.decode()

    assert json.loads(run("create", "seen", "a.jsonl", "--json"))["read"] == 200
    checked = json.loads(run("check", "seen", "b.jsonl", "--json", "--exit-code", code=1))
    added = json.loads(
        run("add", "seen", "b.jsonl", "--name", "b", "-o", "new.jsonl", "--decisions", "why.csv", "--json")
    )
    assert [added[name] for name in ("kept", "dropped")] == [checked[name] for name in ("kept", "dropped")]
    assert (added["batch"], len(simsieve.rows("new.jsonl"))) == ("b", added["kept"])
    stats = json.loads(run("stats", "seen", "--json"))
    assert stats["kept"] == len(dedup(rows).kept)
    first = simsieve.rows("new.jsonl")[0]
    assert run("get", "seen", str(first["id"])) == first["text"] + "\n"
    assert json.loads(run("query", "seen", first["text"]).splitlines()[0])["id"] == first["id"]
    run("export", "seen", "-o", "all.jsonl")
    assert len(simsieve.rows("all.jsonl")) == stats["kept"]
    run("snapshot", "seen", "copy")
    assert json.loads(run("remove", "seen", str(first["id"]), "--json"))["kept"] == 1
    assert "no document with the id" in simsieve("index", "get", "seen", str(first["id"])).err
    assert json.loads(run("undo", "seen", "b", "--json"))["kept"] == added["kept"] - 1
    run("refreeze", "seen", "--expect", "20000")
    recall = json.loads(run("stats", "seen", "--sample", "100000", "--json"))["recall"]
    assert 0.97 < recall <= 1
    assert "earlier twin" in run("stats", "seen", "--sample", "100000")
    before = json.loads(run("stats", "seen", "--json"))["kept"]
    run("add", "seen", "b.jsonl", "--name", "2026-10-31")
    assert json.loads(run("expire", "seen", "--before", "2026-11-01", "--json"))["kept"] > 0
    assert json.loads(run("stats", "seen", "--json"))["kept"] == before
    run("compact", "seen", "--purge")
    run("verify", "seen")
    assert len(dedup(rows[:200]).kept) == json.loads(run("stats", "seen", "--json"))["kept"]


def test_what_is_no_index_is_refused(tmp_path: Path, simsieve: Program) -> None:
    """Directories that are no index or not empty, other settings, and unknown names: each message says what to do."""
    with pytest.raises(SourceError, match="is no index; name the directory of one"):
        Index.open(tmp_path / "nowhere")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "other").write_text("x")
    with pytest.raises(ConfigError, match="is not empty; take a new folder"):
        Index.create(tmp_path / "full", ["one text of words"])
    Index.create(tmp_path / "seen", ["one text of words"]).close()
    with pytest.raises(ConfigError, match="is an index already; add to it"):
        Index.create(tmp_path / "seen", ["one text of words"])
    with Index.open(tmp_path / "seen", write=True) as opened:
        with pytest.raises(ConfigError, match="scheme is chars128 in the index, and words64 is given"):
            opened.add(["one text"], scheme="words64")
        with pytest.raises(ConfigError, match='the index has no batch "x"'):
            opened.undo("x")
        opened.add(["some other text of words"], name="x")
        with pytest.raises(ConfigError, match='has a batch named "x"'):
            opened.add(["and one more text of other words"], name="x")
        opened.undo("x")
        with pytest.raises(ConfigError, match='batch "x" was undone before'):
            opened.undo("x")
        # The name is free again, also after what was undone has left the disk.
        for purge in (False, True):
            assert opened.add(["some other text of words"], name="x").kept == 1 and opened.undo("x").kept == 1
            opened.compact(purge=purge)
    with pytest.raises(ConfigError, match="idf fit is not for an index"):
        Index.create(tmp_path / "fit", ["one text of words"], idf="fit")
    assert simsieve("index", "stats", "nowhere").code == 2


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    """A flipped byte or a cut in any file of an index is refused by its name."""
    with Index.create(tmp_path / "seen", records(range(300))) as made:
        made.add(records(range(300, 400)))
    files = sorted(path for path in (tmp_path / "seen").iterdir() if path.name != "lock" and path.stat().st_size)
    newest = max(path.name for path in files if path.name.startswith("manifest"))
    for path in files:
        if path.name.startswith("manifest") and path.name != newest:
            continue
        whole = path.read_bytes()
        for damaged in (whole[: len(whole) // 2], bytes([*whole[:40], whole[40] ^ 1, *whole[41:]])):
            path.write_bytes(damaged)
            with pytest.raises(SourceError, match=path.name):
                Index.open(tmp_path / "seen").verify()
        path.write_bytes(whole)
    Index.open(tmp_path / "seen").verify()


def test_an_index_of_a_finished_run(simsieve: Program) -> None:
    """A run directory becomes an index without a second run: it has what the run has kept, and goes on from there."""
    rows = records(range(RECORDS))
    simsieve.file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert simsieve("dedup", "a.jsonl", "-o", "kept.jsonl", "--run-dir", "a.rundir").code == 0
    simsieve("index", "create", "seen", "a.jsonl", "--from-run", "a.rundir", "--json").silent()
    with Index.open(simsieve.folder / "seen") as opened:
        assert [id_ for id_, _ in opened] == [row["id"] for row in simsieve.rows("kept.jsonl")]
        assert opened.check(rows).counts.kept == 0
        opened.verify()
    assert "seen is no run directory" in simsieve("index", "create", "other", "a.jsonl", "--from-run", "seen").refused()
