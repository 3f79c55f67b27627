"""A durable index and the folder that a process is in: paths that are given from there stay right in another one."""

import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, Index

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
