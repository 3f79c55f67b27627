"""A durable index under bad input: odd ids and texts, directories that cannot be written, stops in the middle."""

import datetime as dt
import json
import math
import os
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, DigestError, FailedRecordsWarning, Index, Model, StorageError, dedup
from simsieve.errors import SimsieveError, SinkError

FIRST = "an unusual sentence about quaternions and marmalade at noon"
SECOND = "seventeen bicycles crossed the frozen harbour yesterday evening"
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index of one document, open for writing."""
    with Index.create(tmp_path / "seen", [{"id": "first", "text": FIRST}]) as made:
        yield made


@pytest.mark.parametrize("id_", [17, "17", 1.5, True, 'é\n"\\\u2028', "x" * 1_000_000, "", -(2**63)])
def test_an_id_of_any_kind(index: Index, id_: Any) -> None:
    """An id keeps its JSON type: the document is found by it, by no other, and removed by it."""
    index.add([{"id": id_, "text": SECOND}])
    assert index.get(id_) == SECOND and id_ in index
    other = str(id_) + "x" if isinstance(id_, str) else str(id_)
    assert index.get(other) is None
    assert [found for found, _ in index] == ["first", id_]
    assert index.remove([other]).missing == [other]
    assert (index.remove([id_]).kept, len(index)) == (1, 1)


@pytest.mark.parametrize(
    ("id_", "label"),
    [
        (np.int64(3), 3),
        (np.float64(1.5), 1.5),
        (np.True_, True),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC), "2026-01-02T03:00:00+00:00"),
        (b"abc", "abc"),
        (b"\xff", "/w=="),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        ("\ud800\u00e9", "\ud800\u00e9"),
    ],
)
def test_an_id_that_json_lacks(index: Index, tmp_path: Path, id_: Any, label: Any) -> None:
    """An id of any type goes in with a record or a text, is found by itself and by what it became, and goes out."""
    for as_text in (False, True):
        added = index.add_texts([SECOND], [id_]) if as_text else index.add([{"id": id_, "text": SECOND}])
        assert added.kept == 1
        assert [found for found, _ in index] == ["first", label]
        assert index.get(id_) == index.get(label) == SECOND and id_ in index
        index.export(tmp_path / "kept.jsonl")
        assert json.loads((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()[1])["id"] == label
        assert index.remove([id_]).kept == 1
    assert len(index) == 1


@pytest.mark.parametrize("id_", [None, math.nan, math.inf, np.float64("nan"), Decimal("NaN")])
def test_a_missing_id(index: Index, id_: Any) -> None:
    """What stands for no value is no id: the text has none, and none is found by it."""
    assert index.add_texts([SECOND], [id_]).kept == 1
    assert (list(index)[1], id_ in index, index.get(id_)) == ((None, SECOND), False, None)
    assert (index.remove([id_]).kept, len(index)) == (0, 2)


def test_an_id_that_a_source_escapes_is_the_same(index: Index, simsieve: Program) -> None:
    """JSON may write a text with escapes or without: the id is one, so the second record is known."""
    for name, id_ in (("a.jsonl", r"\u00e9\/"), ("b.jsonl", "é/")):
        simsieve.file(name, f'{{"id": "{id_}", "text": "{SECOND}"}}\n')
    assert index.add(simsieve.folder / "a.jsonl").kept == 1
    assert index.add(simsieve.folder / "b.jsonl").known == 1 and index.get("é/") == SECOND


def test_records_without_ids(index: Index) -> None:
    """Records without ids are taken; they are dropped as copies when they come again, and go with their batch."""
    texts = [SECOND, "never lend your umbrella to a professional magician before lunch"]
    assert index.add(texts, name="texts").kept == 2
    again = index.add(texts)
    assert (again.kept, again.dropped, again.known) == (0, 2, 0)
    assert (index.undo("texts").kept, len(index)) == (2, 1)


def test_texts_without_features(index: Index) -> None:
    """Empty texts and texts of signs alone are near nothing: each is kept, and none disturbs the others."""
    rows = [{"id": at, "text": text} for at, text in enumerate(["", "!!!", " \n", "", FIRST])]
    added = index.add(rows)
    assert (added.kept, added.dropped) == (4, 1)
    assert [index.get(at) for at in range(4)] == ["", "!!!", " \n", ""]
    assert index.check_texts(["", "?"])[0].reason == "no_features"
    index.verify()


def test_an_interrupted_batch_leaves_nothing(index: Index) -> None:
    """A batch that is stopped at any of its stages is not in the index, and the next one is."""
    rows = [{"id": at, "text": f"{SECOND} {at * 7919} {at * 104_729} {at * 1_299_709}"} for at in range(500)]
    stages: set[str] = set()

    def stop(at: str) -> Any:
        def progress(stage: str, done: int, total: int) -> None:
            stages.add(stage)
            if stage == at:
                raise KeyboardInterrupt

        return progress

    before = index.stats()
    index.check(rows, progress=stop(""))
    for stage in sorted(stages | {"store"}):
        with pytest.raises(KeyboardInterrupt):
            index.add(rows, progress=stop(stage))
        assert (index.stats(), len(list(index))) == (before, 1)
    assert index.add(rows).kept > 0
    index.verify()


def test_a_failed_record_is_no_document(index: Index, simsieve: Program) -> None:
    """A record that cannot be read is reported as in any run; the others are added."""
    simsieve.file("a.jsonl", f'no json\n{{"id": 2, "text": "{SECOND}"}}\n{{"id": 3}}\n')
    with pytest.warns(FailedRecordsWarning, match="2 of 3 records failed"):
        added = index.add(simsieve.folder / "a.jsonl")
    assert added.result is not None
    assert (added.kept, added.result.counts.failed, len(index)) == (1, 2, 2)


def test_an_index_that_may_not_be_written(index: Index, simsieve: Program) -> None:
    """A directory without the right to write is read all the same; a change of it is refused with what to do."""
    index.close()
    simsieve.file("a.jsonl", json.dumps({"id": 2, "text": SECOND}) + "\n")
    path = simsieve.folder / "seen"
    for name in path.iterdir():
        name.chmod(0o444)
    path.chmod(0o555)
    weak = simsieve.without_roots_right()
    done = weak("index", "check", "seen", "a.jsonl", "--json")
    assert (done.code, json.loads(done.out)["kept"]) == (0, 1)
    done = weak("index", "add", "seen", "a.jsonl")
    assert done.code == 2 and "the index cannot be written" in done.err and "grant the right" in done.err
    path.chmod(0o755)


def test_a_disk_that_fills_up(simsieve: Program, small_disk: Path) -> None:
    """A batch that has no room is not added, and nothing of it stays; with less the index goes on."""
    assert simsieve("index", "create", "disk/seen").code == 0
    texts = [os.urandom(600).hex() for _ in range(2000)]
    rows = [json.dumps({"id": at, "text": text}) for at, text in enumerate(texts)]
    simsieve.file("large.jsonl", "\n".join(rows))
    simsieve.file("small.jsonl", "\n".join(rows[:20]))
    before = sorted(path.name for path in (small_disk / "seen").iterdir())
    done = simsieve("index", "add", "disk/seen", "large.jsonl", "--quiet")
    assert done.code == 2 and f"no room is left in {small_disk / 'seen'}" in done.err
    assert sorted(path.name for path in (small_disk / "seen").iterdir()) == before
    assert simsieve("index", "add", "disk/seen", "small.jsonl", "--quiet").code == 0
    assert json.loads(simsieve("index", "stats", "disk/seen", "--json").out)["kept"] == 20
    assert simsieve("index", "verify", "disk/seen").code == 0


@pytest.mark.parametrize("name", ["new.jsonl", "new.jsonl.gz", "new.csv"])
def test_an_output_that_has_no_room_adds_nothing(simsieve: Program, small_disk: Path, name: str) -> None:
    """The files of a batch are whole before the index takes it: where one has no room, nothing is added or left."""
    texts = [os.urandom(600).hex() for _ in range(1000)]
    simsieve.file("a.jsonl", "".join(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(texts)))
    simsieve("index", "create", "seen")
    done = simsieve("index", "add", "seen", "a.jsonl", "-o", f"disk/{name}", "--decisions", "why.jsonl", "--quiet")
    assert done.code == 2 and f"disk/{name}: " in done.err and ".part" not in done.err
    assert list(small_disk.iterdir()) == [] and not (simsieve.folder / "why.jsonl").exists()
    assert json.loads(simsieve("index", "stats", "seen", "--json").out)["kept"] == 0
    added = simsieve("index", "add", "seen", "a.jsonl", "-o", name, "--decisions", "why.jsonl", "--quiet")
    assert added.code == 0 and len((simsieve.folder / "why.jsonl").read_text().splitlines()) == 1000
    assert (simsieve.folder / name).stat().st_size > 500_000


def test_a_refused_batch_writes_no_output(index: Index, tmp_path: Path) -> None:
    """A batch that the index refuses leaves the outputs as they were, and nothing beside them."""
    index.add([SECOND], name="monday")
    (tmp_path / "new.jsonl").write_text("old\n")
    third = [{"id": 3, "text": "never lend your umbrella to a professional magician before lunch"}]
    with pytest.raises(ConfigError, match="monday"):
        index.add(third, name="monday", output=tmp_path / "new.jsonl")
    assert (tmp_path / "new.jsonl").read_text() == "old\n"
    (tmp_path / "new.jsonl").chmod(0o640)
    (tmp_path / "link.jsonl").symlink_to("new.jsonl")
    assert index.add(third, output=tmp_path / "link.jsonl").kept == 1
    assert json.loads((tmp_path / "new.jsonl").read_text()) == third[0]
    assert (tmp_path / "new.jsonl").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.jsonl", "new.jsonl", "seen"]


def test_an_output_that_cannot_be_taken_back(simsieve: Program) -> None:
    """A device is written after the batch was added: where it fails, the error names the batch and the way back."""
    simsieve.file("a.jsonl", json.dumps({"id": 1, "text": FIRST}) + "\n")
    simsieve("index", "create", "seen")
    done = simsieve("index", "add", "seen", "a.jsonl", "-o", "/dev/full", "--quiet")
    undo = f"simsieve index undo {simsieve.folder / 'seen'} 1"
    assert done.code == 2 and f"batch 1 was added: undo it (`{undo}`), then add it again" in done.err
    assert simsieve("index", "undo", "seen", "1").code == 0
    added = simsieve("index", "add", "seen", "a.jsonl", "-o", "-", "--quiet")
    assert (added.code, json.loads(added.out)["id"]) == (0, 1)
    done = simsieve("index", "create", "made", "a.jsonl", "-o", "/dev/full")
    assert done.code == 2 and "the index made was made: remove it, then make it again" in done.err


@pytest.mark.parametrize(
    "command",
    [
        "index export seen -o seen/segment-000001",
        "index add seen b.jsonl -o seen/manifest-000001.json",
        "index add seen b.jsonl --decisions link/why.jsonl",
        "index check seen b.jsonl -o seen/",
        "dedup b.jsonl --against seen -o seen/lock",
        "dedup b.jsonl --against seen -o new.jsonl --report seen/page.html",
        "dedup b.jsonl --against seen -o new.jsonl --failed seen/failed.jsonl",
        "pairs b.jsonl --against seen -o seen/pairs.jsonl",
        "passages b.jsonl --against seen -o seen/found.jsonl",
        "index create empty b.jsonl -o empty/new.jsonl",
    ],
)
def test_an_output_in_the_index(index: Index, simsieve: Program, command: str) -> None:
    """No output goes into the directory of the index that is used, links seen through; its documents stay."""
    index.close()
    simsieve.file("b.jsonl", json.dumps({"id": 2, "text": SECOND}) + "\n")
    (simsieve.folder / "empty").mkdir()
    (simsieve.folder / "link").symlink_to("seen")
    names = sorted(path.name for path in (simsieve.folder / "seen").iterdir())
    done = simsieve(*command.split())
    assert done.code == 2 and "is in the index" in done.err and "give a place outside it" in done.err
    assert sorted(path.name for path in (simsieve.folder / "seen").iterdir()) == names
    assert list((simsieve.folder / "empty").iterdir()) == []
    with Index.open(simsieve.folder / "seen", write=True) as again:
        again.verify()
        assert list(again) == [("first", FIRST)]


def test_a_result_is_not_written_into_its_index(index: Index) -> None:
    """The result of a run against an index is not written into it later, either."""
    result = dedup([{"id": 2, "text": SECOND}], against=index.path)
    for write in (result.write, lambda path: result.report(f"{path}.html")):
        with pytest.raises(ConfigError, match="is in the index"):
            write(index.path / "lock")


def test_a_directory_that_goes_away(index: Index, tmp_path: Path) -> None:
    """A reader answers from the files that it has open; a change fails, and the moved index is as it was."""
    shutil.move(tmp_path / "seen", tmp_path / "moved")
    assert index.check_texts([FIRST])[0].decision == "dropped"
    with pytest.raises((SinkError, StorageError)):
        index.add_texts([SECOND])
    with Index.open(tmp_path / "moved") as moved:
        assert list(moved) == [("first", FIRST)]
        moved.verify()


def test_another_model_is_another_scheme(tmp_path: Path, simsieve: Program) -> None:
    """An index whose model file has changed is refused with both digests; it would compare other features."""
    rows = [f"{FIRST} {at}" for at in range(20)]
    for name, texts in (("a.txt", rows), ("b.txt", rows[:10] + ["quite another text of other words"] * 5)):
        simsieve.file(name, "\n".join(texts))
        assert simsieve("fit", name, "-o", f"{name}.model").code == 0
    model = shutil.copy(simsieve.folder / "a.txt.model", simsieve.folder / "used.model")
    Index.create(tmp_path / "seen", rows, idf=str(model)).close()
    with Index.open(tmp_path / "seen") as opened:
        assert len(opened) > 0
    shutil.copy(simsieve.folder / "b.txt.model", model)
    assert Model.load(model).documents == 15
    with pytest.raises(DigestError, match="the index was made with scheme"):
        Index.open(tmp_path / "seen")


@pytest.mark.parametrize("rule", ["block_by", "differ"])
def test_a_field_that_no_record_of_a_batch_has(tmp_path: Path, simsieve: Program, rule: str) -> None:
    """An index knows its fields: it begins empty, takes no record, and records without the field are equal in it."""
    settings: dict[str, Any] = {rule: "subject"}
    with Index.create(tmp_path / "seen", **settings) as made:
        assert made.add([]).kept == made.check([]).counts.kept == 0
        assert made.add([{"id": 1, "text": FIRST}, {"id": 2, "text": f"{FIRST}!"}]).kept == 1
        assert made.add([{"id": 3, "text": f"{FIRST}?", "subject": "art"}]).kept == 1
        assert made.check([{"id": 4, "text": f"{FIRST}!!"}]).decisions[0].representative == 1
        with pytest.raises(ConfigError, match="no field 'text'"):
            made.add([{"id": 5, "txt": SECOND}])
        with pytest.raises(ConfigError, match="the index compares the fields"):
            made.check_texts([FIRST])
    assert dedup([{"id": 4, "text": f"{FIRST}!!"}], against=tmp_path / "seen").counts.dropped == 1
    assert dedup([], **settings).counts.read == 0
    with pytest.raises(ConfigError, match="no field 'subject'"):
        dedup([{"id": 4, "text": FIRST}], **settings)
    assert simsieve("index", "create", "empty", f"--{rule.replace('_', '-')}", "subject").code == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: index.check_texts("one text"), "give a list of texts"),
        (lambda index: index.add_texts([FIRST], [1, 2]), "2 ids are given for 1 texts"),
        (lambda index: index.add_texts([FIRST], [10**5000]), "an id of type int cannot be written as JSON"),
        (lambda index: index.remove([CIRCLE]), "an id of type list cannot be written as JSON: it contains itself"),
        (lambda index: index.remove("17"), "ids is one text: give a list of ids"),
        (lambda index: index.check_texts([FIRST], np.array([1, 2])), "2 ids are given for 1 texts"),
        (lambda index: index.check_texts([FIRST, SECOND], [1]), "1 ids are given for 2 texts"),
        (lambda index: index.check_texts([FIRST, None]), "text 1 is of type NoneType: give str"),
        (lambda index: index.add_texts([None]), "text 0 is of type NoneType: give str"),
        (lambda index: index.query(None), "text 0 is of type NoneType: give str"),
        (lambda index: index.check_texts([FIRST, "a\ud800"]), "text 1 has a lone surrogate at character 1"),
        (lambda index: index.add_texts([FIRST, "a\ud800"]), "text 1 has a lone surrogate at character 1"),
        (lambda index: index.query("a\ud800"), "text 0 has a lone surrogate at character 1"),
        (lambda index: index.query(FIRST, n=-1), "n -1 is not allowed: allowed is 1"),
        (lambda index: index.query(FIRST, n="3"), "n '3' is not a whole number: allowed is 1"),
        (lambda index: index.query(FIRST, n=1.5), "n 1.5 is not a whole number: allowed is 1"),
        (lambda index: index.refreeze(-1), "expect -1 is not allowed: allowed is 0"),
        (lambda index: Index.create(index.path.with_name("new"), expect=-1), "expect -1 is not allowed: allowed is 0"),
        (lambda index: index.refreeze("9"), "expect '9' is not a whole number: allowed is 0"),
        (lambda index: index.batches(-1), "newest -1 is not allowed: allowed is 1"),
        (lambda index: index.recall(-1), "sample -1 is not allowed: allowed is 1"),
        (lambda index: index.add([SECOND], name=7), "name 7 is not a name: give a text"),
        (lambda index: index.add_texts([SECOND], name="\ud800"), r"name '\\ud800' is not a name: give a text"),
        (lambda index: index.undo(7), "batch 7 is not a name: give a text"),
        (lambda index: index.expire("\ud800"), r"before '\\ud800' is not a name: give a text"),
        (lambda index: index.add([SECOND], on_known_id="ask"), "on_known_id 'ask': known are replace, refuse"),
        (lambda index: index.add([SECOND], on_known_id=None), "on_known_id None: known are replace, refuse"),
        (lambda index: index.add_texts([SECOND], on_known_id="ignore"), "'ignore': known are replace, refuse"),
        (lambda index: index.add_texts([SECOND], on_known_id="alone"), "'alone': known are replace, refuse"),
        (lambda index: index.add([SECOND], similarity=0.9), "similarity is 0.6 in the index, and 0.9 is given"),
        (lambda index: index.undo("99"), "the index has no batch"),
        (lambda index: index.snapshot(index.path), "is there already"),
    ],
)
def test_a_mistake_is_named(index: Index, call: Any, message: str) -> None:
    """Each call that is wrong says what is, what is allowed, and leaves the index as it was."""
    before = index.stats()
    with pytest.raises((SimsieveError, TypeError), match=message):
        call(index)
    assert index.stats() == before
