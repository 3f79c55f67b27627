"""A durable index and the folder that a process is in: paths that are given from there stay right in another one."""

import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, Index, similarity

TEXTS = [
    "an unusual sentence about quaternions and marmalade at noon",
    "seventeen bicycles crossed the frozen harbour yesterday evening",
    "never lend your umbrella to a professional magician before lunch",
]


@pytest.fixture
def files(simsieve: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program in a folder with texts, a model, templates and a scheme."""
    monkeypatch.chdir(simsieve.folder)
    simsieve.file("texts.txt", "\n".join(TEXTS))
    simsieve.file("ignore.jsonl", json.dumps({"simsieve_template": 1, "text": "All rights reserved by the towns."}))
    assert simsieve("fit", "texts.txt", "-o", "m.model").code == 0
    simsieve.file("own.toml", 'features = "words"\n')
    return simsieve


@pytest.mark.filterwarnings("ignore:0 of . texts? have a template")
@pytest.mark.parametrize(
    "settings",
    [
        {"idf": "m.model"},
        {"ignore": "ignore.jsonl"},
        {"scheme": "chars128:weights=idf,model=m.model"},
        {"scheme": "own.toml"},
        {"scheme": ["chars128:weights=idf,model=m.model@0.8", "own.toml@0.5"], "combine": "all"},
    ],
)
def test_an_index_finds_its_files_from_any_folder(
    files: Program, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    """A file that a setting names is found again from every folder, and its relative name is still the same file."""
    made = Index.create("seen", TEXTS[:1], **settings)
    assert made.add(TEXTS[1:2], **settings).kept == 1
    monkeypatch.chdir("/")
    # In this process: the next change, a question, and another process that opens the pickled index.
    assert made.add(TEXTS).kept == 1 and [one.text for one in made.query(TEXTS[0])] == TEXTS[:1]
    made.refreeze()
    with pickle.loads(pickle.dumps(made)) as reader:
        assert len(reader) == 3 and reader.path == files.folder / "seen"
    made.close()
    with Index.open(files.folder / "seen", write=True) as opened:
        assert [text for _, text in opened] == TEXTS


def test_an_index_that_is_opened_by_a_relative_path(files: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that was opened under a relative path is the same one after the process has changed its folder."""
    Index.create("seen", TEXTS[:1]).close()
    with Index.open("seen", write=True) as opened:
        (files.folder / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        assert opened.add_texts(TEXTS[1:]).kept == 2
        opened.compact(purge=True)
        opened.snapshot("copy")
        opened.verify()
        assert Path(repr(opened).split("'")[1]) == files.folder / "seen" and os.listdir() == ["copy"]


@pytest.mark.parametrize("wait", [math.nan, math.inf, -1, "soon"])
def test_a_wait_that_is_none(files: Program, wait: Any) -> None:
    """A time that does not end, or is none, is refused with what is allowed, from Python and on the command line."""
    Index.create("seen").close()
    with pytest.raises(ConfigError, match=r"wait .* give a number in \[0, inf\)"):
        Index.open("seen", write=True, wait=wait)
    done = files("index", "remove", "seen", "9", f"--wait={wait}")
    assert done.code == 2 and "wait" in done.err and "Traceback" not in done.err


FIRST: list[dict[str, Any]] = [
    {"id": 1, "text": "the quick brown fox jumps over the lazy dog"},
    {"id": 2, "text": "lorem ipsum dolor sit"},
]
MONDAY: list[dict[str, Any]] = [
    {"id": 3, "text": "the quick brown fox jumped over the lazy dog"},
    {"id": 2, "text": "another text altogether, which has the place of the second"},
    {"id": "x", "text": "something that nobody has written before today"},
]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of two batches; the second one replaces a document of the first."""
    made = Index.create(tmp_path / "seen", FIRST, sample=0)
    made.add(MONDAY, name="monday", sample=0)
    return made


def told(index: Index) -> list[tuple[str, int, int, int, int, bool]]:
    """The batches without their numbers."""
    return [(one.name, one.kept, one.dropped, one.gone, one.removed, one.undone) for one in index.batches()]


def test_each_batch_has_its_counts(index: Index) -> None:
    """Batches come in their order, with what is there of each and what it removed; a purge forgets what is gone."""
    assert [one.number for one in index.batches()] == [1, 2]
    assert [one.name for one in index.batches(1)] == ["monday"]
    assert told(index) == [("1", 1, 0, 1, 0, False), ("monday", 2, 1, 0, 1, False)]
    index.remove(["x", 3])
    assert told(index)[1:] == [("monday", 1, 0, 2, 1, False), ("3", 0, 0, 0, 2, False)]
    index.undo("3")
    assert told(index)[1:] == [("monday", 2, 1, 0, 1, False), ("3", 0, 0, 0, 2, True)]
    index.undo("monday")
    assert told(index)[:2] == [("1", 2, 0, 0, 0, False), ("monday", 0, 0, 3, 1, True)]
    for batch in index.batches():
        assert batch.kept + batch.dropped == 0 or not batch.undone
    assert sum(one.kept for one in index.batches()) == len(index)
    index.compact(purge=True)
    assert told(index) == [("1", 2, 0, 0, 0, False)]


def test_a_dropped_document_names_its_representative(index: Index) -> None:
    """An id is that of a kept document with its text, of a dropped one with its representative, or of none."""
    kept, dropped = index.find(1), index.find(3)
    assert kept is not None and (kept.decision, kept.text) == ("kept", FIRST[0]["text"])
    assert dropped is not None and (dropped.decision, dropped.text, dropped.representative) == ("dropped", None, 1)
    assert dropped.similarity == similarity(FIRST[0]["text"], MONDAY[0]["text"])
    assert (index.find("3"), index.get(3), 3 in index) == (None, None, True)
    index.remove([1])
    orphan = index.find(3)
    assert orphan is not None and (orphan.decision, orphan.representative) == ("dropped", None)


def test_the_command_line_tells_both(index: Index, simsieve: Program) -> None:
    """`batches` is a table or JSON; `get` ends with 2 for a dropped document, and says whom it was dropped for."""
    path = str(index.path)
    index.close()
    shown = simsieve("index", "batches", path)
    assert [line.split() for line in shown.out.decode().splitlines()[1:]] == [
        ["1", "1", "0", "1", "0"],
        ["monday", "2", "1", "0", "1"],
    ]
    rows = json.loads(simsieve("index", "batches", path, "--json").out)
    assert [row["name"] for row in rows] == ["1", "monday"]
    assert "the document 3 was dropped for 1 with the similarity 0." in simsieve("index", "get", path, "3").refused()
    found = json.loads(simsieve("index", "get", path, "3", "--json").out)
    assert (found["decision"], found["representative"], found["text"]) == ("dropped", 1, None)
    assert json.loads(simsieve("index", "get", path, "x", "--json").out)["decision"] == "kept"
