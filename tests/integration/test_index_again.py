"""What an index has is sent again, is asked about again, or is made again after a stop."""

import json
import multiprocessing
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import xxhash
from tests.integration.conftest import Program

from simsieve import ConfigError, Index, SimsieveError, SourceError, dedup, similarity

FIRST = "an unusual sentence about quaternions and marmalade at noon"
SECOND = "seventeen bicycles crossed the frozen harbour yesterday evening"
WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
NEAR = [" ".join([*WORDS[:-1], "dozen"]), " ".join(["uno", *WORDS[1:-1], "dozen"])]


@pytest.mark.parametrize("text", [FIRST, "", "!!!", ":-) :-)"])
def test_a_record_of_any_text_is_known(tmp_path: Path, text: str) -> None:
    """A record that is sent again, with features or without, is known and changes nothing."""
    with Index.create(tmp_path / "seen", [{"id": 1, "text": text}], sample=0) as index:
        for _ in range(2):
            again = index.add([{"id": 1, "text": text}], on_known_id="refuse", sample=0)
            assert (again.kept, again.dropped, again.known, again.replaced) == (0, 0, 1, 0)
        assert list(index) == [(1, text)] and index.stats()["changes"] == 1


def test_what_was_known_is_no_copy_of_itself(simsieve: Program) -> None:
    """The table of a batch that is added again has no duplicates; a new copy beside it is one."""
    rows = [{"id": 1, "text": FIRST}, {"id": 2, "text": SECOND}, {"id": 3, "text": SECOND}, {"id": 4, "text": NEAR[0]}]
    near = {"id": 5, "text": NEAR[0] + " again"}
    simsieve.file("a.jsonl", "".join(json.dumps(row) + "\n" for row in [*rows, near]))
    assert simsieve("index", "create", "seen", "a.jsonl").code == 0
    more = [{"id": 6, "text": FIRST}, {"id": 7, "text": NEAR[0] + " twice"}]
    simsieve.file("b.jsonl", "".join(json.dumps(row) + "\n" for row in [*rows, near, *more]))
    for name, exact, others in (("a.jsonl", 0, 0), ("b.jsonl", 1, 1)):
        words = simsieve("index", "add", "seen", name).err.split()
        told = {row: int(words[words.index(row) + after]) for row, after in (("exact", 2), ("near", 2), ("known", 2))}
        assert told == {"exact": exact, "near": others, "known": 5}


def test_a_second_writer_is_told_of_the_first(simsieve: Program) -> None:
    """The message names the program that writes, without its other words, and the option that waits."""
    assert simsieve("index", "create", "seen").code == 0
    opened = "import time; from simsieve import Index; index = Index.open('seen', write=True); print(1, flush=True)"
    words = [sys.executable, "-c", f"{opened}; time.sleep(60)", "password"]
    with subprocess.Popen(words, cwd=simsieve.folder, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None and first.stdout.readline()
        told = simsieve("index", "add", "seen", "-").err
        first.kill()
    assert f"is written by process {first.pid} ({Path(sys.executable).name}) on " in told
    assert "password" not in told and "wait for its end, or give --wait with the seconds to wait" in told


@pytest.mark.parametrize("settings", [{"differ": "group"}, {"block_by": "group"}])
def test_a_record_with_another_field_replaces(tmp_path: Path, settings: dict[str, Any]) -> None:
    """A text is another document where a field that is compared has another value: it replaces, or is refused."""
    rows: list[dict[str, Any]] = [{"id": 1, "text": FIRST, "group": "a"}, {"id": 2, "text": SECOND, "group": "a"}]
    with Index.create(tmp_path / "seen", rows, sample=0, **settings) as index:
        assert index.add(rows, sample=0).known == 2
        changed = [{"id": 1, "text": FIRST, "group": "b"}]
        with pytest.raises(ConfigError, match="another text, date or field"):
            index.add(changed, on_known_id="refuse", sample=0)
        added = index.add(changed, sample=0)
        assert (added.kept, added.replaced, len(index)) == (1, 1, 2)
        # A text alone has no field: it is compared with all.
        assert [match.id for match in index.query(FIRST)] == [1]


def test_the_recall_of_an_index_with_fields(tmp_path: Path) -> None:
    """The recall is measured under the rules of the index: its fields, and what must be the same in two texts."""
    texts = [f"{FIRST} {at % 7}" if at % 5 == 0 else f"{at} {at * 7} {SECOND[at % 9 :]}" for at in range(60)]
    rows = [{"id": at, "text": text, "group": at % 2} for at, text in enumerate(texts)]
    with Index.create(tmp_path / "seen", rows, expect=20_000, block_by="group", same="numbers", sample=0) as index:
        recall = index.recall(50)
        assert recall is not None and recall.sampled > 40 and recall.missed == 0


def test_a_dropped_record_stays_dropped(tmp_path: Path) -> None:
    """A dropped record is known again also after a nearer document was kept; as one with a verdict it counts anew."""
    texts = [" ".join(WORDS), *NEAR]
    first, dropped, nearer = [{"id": at, "text": text} for at, text in enumerate(texts)]
    assert (similarity(texts[0], texts[2], measure="jaccard") or 0) < 0.75
    settings: dict[str, Any] = {"measure": "jaccard", "similarity": 0.75, "sample": 0}
    with Index.create(tmp_path / "seen", [first, dropped], **settings) as index:
        assert index.add([nearer], sample=0).kept == 1
        again = index.add([dropped], sample=0)
        assert (again.kept, again.dropped, again.known, again.replaced) == (0, 0, 1, 0)
        copy, resent = (index.check([{"id": id_, "text": NEAR[0]}]).decisions[0] for id_ in (3, 1))
        assert (copy.representative, copy.reason) == (0, "exact")
        # Sent again under its id it is no copy of itself.
        assert (resent.representative, resent.reason) == (0, "near")
        assert index.check_texts([NEAR[0]])[0].representative == 0
        # After its representative is gone, and after its own removal, it is a text like others.
        assert index.check_texts([NEAR[0]])[0].reason == "exact"
        index.remove([1])
        assert index.check_texts([NEAR[0]])[0].representative == 2
        assert index.add([dropped], sample=0).dropped == 1
        told_apart = index.add([dropped], verdicts=[(1, 2, "different"), (1, 0, "different")], sample=0)
        assert (told_apart.kept, told_apart.replaced) == (1, 1)
        assert index.add([dropped], sample=0).known == 1
        assert (len(index), index.stats()["dropped"]) == (3, 0)


def test_a_batch_without_a_name_takes_a_free_number(tmp_path: Path) -> None:
    """A name may be a number: later changes take others, so each name means one batch."""
    with Index.create(tmp_path / "seen", [FIRST], sample=0) as index:
        index.add([{"id": "a", "text": SECOND}], name="3", sample=0)
        assert index.add([{"id": "b", "text": " ".join(WORDS)}], sample=0).batch == "4"
        index.remove(["b"])
        assert [batch.name for batch in index.batches()] == ["1", "3", "4", "5"]
        with pytest.raises(ConfigError, match='has a batch named "4"'):
            index.add([NEAR[0]], name="4", sample=0)
        assert (index.undo("3").kept, index.get("a")) == (1, None)


def test_one_state_is_iterated(tmp_path: Path) -> None:
    """Documents that stay are each given once, whatever is removed meanwhile."""
    rows = [{"id": at, "text": f"{at * 7919} {at * 104729}"} for at in range(9_000)]
    with Index.create(tmp_path / "seen", rows, sample=0) as index:
        expected, found = [id_ for id_, _ in index], []
        for at, (id_, _) in enumerate(index):
            if at == 0:
                index.remove(range(3_000))
                index.compact(purge=True)
            found.append(id_)
        assert found == expected and len(index) == sum(id_ >= 3_000 for id_ in expected)


def test_a_damaged_newest_manifest_is_refused(tmp_path: Path, simsieve: Program) -> None:
    """The state before the last change is not taken for the newest, and nothing is overwritten."""
    path = tmp_path / "seen"
    with Index.create(path, [FIRST], sample=0) as index:
        index.add([SECOND], sample=0)
    newest = path / "manifest-000002.json"
    whole = newest.read_bytes()
    files = sorted(path.iterdir())

    def is_refused() -> None:
        with pytest.raises(SourceError, match=r"manifest-000002\.json: is the newest manifest of an index"):
            Index.open(path, write=True)
        assert newest.name in simsieve("index", "verify", path).refused()
        assert sorted(path.iterdir()) == files

    for damaged in (b"", whole[:-20], whole[:100] + b"X" + whole[101:], b"\xff" + whole):
        newest.write_bytes(damaged)
        is_refused()
    newest.unlink()
    newest.mkdir()
    is_refused()
    newest.rmdir()
    newest.symlink_to("nowhere")
    is_refused()
    newest.unlink()
    newest.write_bytes(whole)
    assert len(Index.open(path)) == 2


CASES = [
    ("The Quick brown fox jumps over IT", "the quick brown fox jumps over it", {}),
    ("天空很蓝，海港也很安静", "天空很藍，海港也很安靜", {"scheme": "chars128:fold=t2s"}),
    ("a b  c d e f g h", "a b c d e f g h", {}),
]


@pytest.mark.parametrize(("first", "second", "settings"), CASES)
def test_a_known_id_with_another_writing_replaces_its_document(
    tmp_path: Path, first: str, second: str, settings: dict[str, Any]
) -> None:
    """The text is the one that came last, by both ways to add; the same writing again is known."""
    with Index.create(tmp_path / "seen", [{"id": 1, "text": first}], sample=0, **settings) as index:
        for text in (second, first, second):
            added = index.add([{"id": 1, "text": text}], sample=0)
            assert (added.known, added.replaced, index.get(1), len(index)) == (0, 1, text, 1)
            assert index.add([{"id": 1, "text": text}], sample=0).known == 1
            assert index.add_texts([text], [1]).known == 1
        assert index.add_texts([first], [1]).replaced == 1 and index.get(1) == first
        with pytest.raises(ConfigError, match="with another text"):
            index.add([{"id": 1, "text": second}], sample=0, on_known_id="refuse")
        dropped = index.add([{"id": 2, "text": f"{first}"}], sample=0)
        assert (dropped.dropped, index.add([{"id": 2, "text": second}], sample=0).known) == (1, 1)


SEVERAL = [
    "one two three four five six cinque eight nine ten cinque twelve thirteen fourteen",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
    "one two three four five six seven eight nine ten eleven tre thirteen fourteen",
]


@pytest.mark.parametrize("combine", ["all", "any"])
@pytest.mark.parametrize("schemes", [["chars64@0.6", "words64@0.5"], ["words64@0.5", "chars64@0.6"]])
def test_a_copy_of_a_dropped_document_under_several_schemes(tmp_path: Path, schemes: list[str], combine: str) -> None:
    """It has the representative of that one, as in one run, also where a nearer document was kept later."""
    how: dict[str, Any] = {"scheme": schemes, "combine": combine, "sample": 0}
    rows = [{"id": at, "text": text} for at, text in enumerate([*SEVERAL, SEVERAL[1], SEVERAL[1].upper()])]
    with Index.create(tmp_path / "seen", **how) as index:
        found = [(d.id, d.decision, d.representative) for row in rows for d in index.add([row], sample=0).decisions]
    assert found == [(d.id, d.decision, d.representative) for d in dedup(rows, **how).decisions]


def test_a_known_id_is_one_under_every_scheme(tmp_path: Path) -> None:
    """A text that the first scheme takes for another writing, and the second does not, is another text."""
    how: dict[str, Any] = {"scheme": ["chars128:fold=t2s", "chars128"], "combine": "all", "sample": 0}
    texts = ["港口的老燈塔每隔兩年重新刷漆一次", "港口的老灯塔每隔两年重新刷漆一次"]
    with Index.create(tmp_path / "seen", [{"id": 1, "text": texts[0]}], **how) as index:
        added = index.add([{"id": 1, "text": texts[1]}], sample=0)
        assert (added.known, added.replaced, index.get(1)) == (0, 1, texts[1])
        assert index.add([{"id": 2, "text": texts[0]}], sample=0).kept == len(dedup(texts, **how).kept) - 1


def test_a_fork_does_not_write(tmp_path: Path) -> None:
    """A fork has the lock and not what its parent writes: it is refused, and each acknowledged text stays."""
    with Index.create(tmp_path / "seen", [FIRST], sample=0) as index:
        context = multiprocessing.get_context("fork")
        told = context.SimpleQueue()

        def add() -> None:
            try:
                index.add_texts([SECOND], ["child"])
            except ConfigError as error:
                told.put(str(error))

        fork = context.Process(target=add)
        fork.start()
        fork.join()
        assert "this is a fork of it" in told.get()
        index.add_texts([SECOND], ["parent"])
    assert [id_ for id_, _ in Index.open(tmp_path / "seen")] == [None, "parent"]


def test_threads_add_at_the_same_time(tmp_path: Path) -> None:
    """Threads wait for one another: each batch is decided on what those before it have added."""
    with Index.create(tmp_path / "seen", sample=0) as index:
        failed: list[SimsieveError] = []

        def add(first: int) -> None:
            try:
                for at in range(first, first + 10):
                    # Each thread has one text of its own and one that all have.
                    index.add([{"id": f"r{at}", "text": f"{at * 7919} {at * 104729}"}], sample=0)
                    index.add_texts([f"{at % 10} {FIRST}", SECOND], [f"t{at}", f"s{at}"])
            except SimsieveError as error:
                failed.append(error)

        threads = [threading.Thread(target=add, args=(100 * at,)) for at in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert sum(text == SECOND for _, text in index) == 1
        assert index.stats()["kept"] + index.stats()["dropped"] == 90
        index.verify()


KILLED = """
import os, signal, sys
from simsieve import Index
progress = lambda stage, done, total: os.kill(os.getpid(), signal.SIGKILL) if stage == "store" else None
rows = [{"id": at, "text": f"{at * 7919} {at * 104729}"} for at in range(20_000)]
Index.create(sys.argv[1], rows, progress=progress)
"""


def test_an_index_whose_making_was_killed_is_made_again(tmp_path: Path) -> None:
    """What a killed making has left is not in the way; a file of the user is, and stays."""
    path = tmp_path / "seen"
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -signal.SIGKILL
    assert sorted(file.name for file in path.iterdir()) != ["lock"]
    (path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty"):
        Index.create(path, [FIRST], sample=0)
    (path / "notes.txt").unlink()
    with Index.create(path, [FIRST], sample=0) as index:
        assert len(index) == 1
    assert {file.name.split("-")[0] for file in path.iterdir()} == {"frozen", "lock", "manifest", "newest", "segment"}


def test_a_snapshot_is_whole_or_not_there(tmp_path: Path) -> None:
    """A snapshot that fails leaves nothing at its name, and says which side the fault is on."""
    path, to = tmp_path / "seen", tmp_path / "copy"
    with Index.create(path, [FIRST], sample=0) as index:
        reader = Index.open(path)
        for at in range(8):
            index.add_texts([f"{at * 7919} {at * 104729}"], [at])
        index.compact(purge=True)
        with pytest.raises(ConfigError, match="refresh"):
            reader.snapshot(to)
        assert not to.exists()
        other = tmp_path / "copy.unfinished"
        other.mkdir()
        (other / "segment-000001").write_text("not of a snapshot")
        reader.refresh()
        reader.snapshot(to)
    assert len(Index.open(to)) == 9 and sorted(tmp_path.iterdir()) == [to, other, path]
    assert (other / "segment-000001").read_text() == "not of a snapshot"


def test_forged_numbers_are_refused(tmp_path: Path) -> None:
    """A manifest with a right checksum and impossible numbers or settings is refused by name."""
    path = tmp_path / "seen"
    with Index.create(path, [FIRST], sample=0):
        pass
    manifest = path / "manifest-000001.json"
    made = json.loads(manifest.read_text().splitlines()[0])
    most = 2**64 - 1
    forged: list[dict[str, Any]] = [
        {"settings": "[]"}, {"settings": "{"}, {"bucket": 2**63}, {"number": most}, {"recipes": made["recipes"] * 2},
        *({"next": made["next"] | {name: 2**32 - 1 if name == "batch" else most}} for name in made["next"]),
    ]  # fmt: skip
    for change in forged:
        line = json.dumps(made | change)
        manifest.write_text(f"{line}\n{xxhash.xxh3_128_hexdigest(line.encode())}\n")
        with pytest.raises(SourceError, match=r"manifest-000001\.json"):
            Index.open(path, write=True)
