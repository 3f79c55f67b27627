"""Folders, links and archives: what is read, and what is said of the rest."""

import gzip
import json
import os
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.warc_files import http, record

CHOIR = "The choir rehearses in the old fire station until the roof is repaired."
FERRY = "The ferry leaves at seven, and brings the red lamp to the harbour office."


@pytest.fixture
def run(simsieve: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program, in whose folder the test is too."""
    monkeypatch.chdir(simsieve.folder)
    return simsieve


@pytest.fixture
def box(run: Program) -> None:
    """A folder with a folder in it, and a link, a hard link and a linked folder that lead to one text."""
    del run
    Path("box/in").mkdir(parents=True)
    Path("box/in/one.txt").write_text(CHOIR)
    Path("box/two.txt").write_text(FERRY)
    Path("box/alias.txt").symlink_to("in/one.txt")
    Path("box/linked").symlink_to("in")
    os.link("box/in/one.txt", "box/z.txt")


@pytest.mark.usefixtures("box")
@pytest.mark.parametrize(
    ("sources", "kept"),
    [
        (["box"], ["box/in/one.txt", "box/two.txt"]),
        (["box", "box"], ["box/in/one.txt", "box/two.txt"]),
        (["box", "./box/"], ["box/in/one.txt", "box/two.txt"]),
        (["box", "box/in"], ["box/in/one.txt", "box/two.txt"]),
        (["box/in", "box"], ["box/in/one.txt", "box/two.txt"]),
        (["box/linked", "box/in"], ["box/in/one.txt"]),
        (["box/linked"], ["box/linked/one.txt"]),
    ],
)
def test_a_file_is_read_once(run: Program, sources: list[str], kept: list[str]) -> None:
    """Links, hard links, folders in folders and names given twice make no copies; the first name is told."""
    ended = run("dedup", *sources, "-o", "kept.txt", "--json").ok()
    assert Path("kept.txt").read_text().split() == kept
    numbers = ended.summary()
    assert (numbers["read"], numbers["dropped"]) == (len(kept), 0)
    assert ("read once" in ended.err) == (numbers.get("same_files", 0) > 0) == (sources != ["box/linked"])


def test_a_file_that_is_named_twice_is_read_once(run: Program) -> None:
    """Patterns, names and links of one file make one source; the name that is no link stays, in its place."""
    Path("a.jsonl").write_text(json.dumps({"text": CHOIR}) + "\n")
    Path("b.jsonl").write_text(json.dumps({"text": FERRY}) + "\n")
    Path("link.jsonl").symlink_to("b.jsonl")
    for words in (["a.jsonl", "./a.jsonl", "b.jsonl"], ["link.jsonl", "*.jsonl"], ["*.jsonl", "a.jsonl"]):
        ended = run("dedup", *words, "-o", "kept/", "--json", settings="replace = true")
        assert (ended.code, ended.summary()["read"], sorted(os.listdir("kept"))) == (0, 2, ["a.jsonl", "b.jsonl"])
        assert "what is there twice is read once" in ended.err


@pytest.mark.usefixtures("box")
def test_no_file_is_an_old_document_of_itself(run: Program) -> None:
    """New files are left out of the old folder around them, which is told; nothing old left is an error."""
    Path("box/in/three.txt").write_text(FERRY + " At eight.")
    ended = run("dedup", "box/in", "--against", "box", "-o", "new.txt", "--json")
    assert Path("new.txt").read_text().split() == ["box/in/one.txt"]
    assert (ended.summary()["old_read"], ended.summary()["old_duplicates"]) == (1, 1)
    for sources, against in (
        ("box", "box/in"),
        ("box", "box"),
        ("box/in", "box/in/one.txt"),
        ("box/in", "box/alias.txt"),
    ):
        ended = run("dedup", sources, "--against", against, "--dry-run")
        assert ended.code == 2 and "both a source and an old document" in ended.err
    Path("new.jsonl").write_text(json.dumps({"text": CHOIR}))
    Path("old.jsonl").write_text(json.dumps({"text": FERRY}))
    ended = run("dedup", "new.jsonl", "--against", "*.jsonl", "--dry-run", "--json")
    assert (ended.summary()["old_read"], ended.summary()["kept"]) == (1, 1)
    assert "new.jsonl is left out of --against, because it is a source: 1 of 2 old files" in ended.err


def test_a_folder_of_records_is_read_file_by_file(run: Program) -> None:
    """All formats are read, each file has its output, and files without records are told by their ending."""
    Path("shards/deep").mkdir(parents=True)
    Path("shards/a.jsonl").write_text(json.dumps({"text": CHOIR}) + "\n")
    Path("shards/deep/b.csv").write_text(f"id,text\n1,{CHOIR}\n2,{FERRY.replace(',', '')}\n")
    Path("shards/notes.doc").write_text("")
    Path("shards/_SUCCESS").write_text("")
    Path("shards/.crc").write_text("")
    ended = run("dedup", "shards", "-o", "kept/", "--json")
    assert (ended.code, sorted(os.listdir("kept"))) == (0, ["a.jsonl", "b.csv"])
    numbers = ended.summary()
    assert (numbers["read"], numbers["kept"], numbers["other_files"]) == (3, 2, 3)
    assert numbers["other_files_by_suffix"] == {".doc": 1, "": 1, ".": 1}
    assert "shards: 3 files are not read: 1 without an ending, 1 hidden, 1 .doc; --suffix names" in ended.err
    Path("shards/README.md").write_text("What is here")
    ended = run("dedup", "shards", "--dry-run", "--json")
    assert ended.summary()["read"] == 1 and "name 'shards/**/*.csv' 'shards/**/*.jsonl' too" in ended.err


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["code", "--suffix", "py"], "code/x.py\n"),
        (["code", "--suffix", ".PY", "--suffix", "*.rst"], "code/x.py\ncode/z.rst\n"),
        (["code/*.py", "--each", "file"], "code/x.py\n"),
        (["code/x.py", "code/y.py", "--each", "line"], "a = 1\nb = 2\n"),
        (["code", "--each", "line", "--suffix", ".py"], "a = 1\nb = 2\n"),
    ],
)
def test_other_files_are_documents_where_they_are_named(run: Program, words: list[str], kept: str) -> None:
    """A file or a line is a document, as `--each` says; `--suffix` names the files of a folder."""
    Path("code").mkdir()
    for name in ("x.py", "y.py"):
        Path("code", name).write_text("a = 1\nb = 2\n")
    Path("code/z.rst").write_text(FERRY)
    ended = run("dedup", *words, "-o", "-", "--quiet")
    assert (ended.code, ended.out.decode()) == (0, kept)
    told = run("dedup", "code", "--dry-run").refused()
    assert "but 2 .py, 1 .rst: --suffix names the files that are documents, such as .py" in told
    assert "for a text give --each file or line" in run("dedup", "code/*.py", "--dry-run").err


def test_files_that_are_documents_go_to_a_folder(run: Program) -> None:
    """`--each file` with a pattern gives what the folder gives: paths, ids, files, and the same on a later run."""
    Path("in/deep").mkdir(parents=True)
    for name, text in (("a.txt", CHOIR), ("b.txt", CHOIR), ("deep/a.txt", FERRY)):
        Path("in", name).write_text(text)
    run("dedup", "in", "-o", "one/", "--decisions", "one.jsonl", "-q")
    run("dedup", "in/**/*.txt", "--each", "file", "-o", "two/", "--decisions", "two.jsonl").ok()
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert Path("two/deep/a.txt").read_text() == FERRY
    assert not Path("two/b.txt").exists()
    Path("new.txt").write_text(FERRY + "!")
    ended = run("dedup", "new.txt", "--each", "file", "--against", "in", "--dry-run", "--json")
    assert (ended.summary()["old_read"], ended.summary()["dropped"]) == (3, 1)


def test_lines_of_several_texts_are_warned_of(run: Program) -> None:
    """Several .txt files may be meant as documents; `--each` says which."""
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(CHOIR)
    warning = "each line of 2 .txt files is a document"
    assert warning in run("dedup", "a.txt", "b.txt", "--dry-run").err
    assert warning not in run("dedup", "a.txt", "b.txt", "--each", "line", "--dry-run").err
    assert warning not in run("dedup", "a.txt", "--dry-run").err


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.wet.gz", "crawl.wet"])
def test_texts_of_warc_are_read_and_other_records_counted(run: Program, name: str) -> None:
    """Conversions and resources with text are records, as in WET files; all else is counted by type."""
    pytest.importorskip("warcio")
    text = "港口的老灯塔"
    whole = b"".join(
        [
            record(b"software: a", 1, "warcinfo", content="application/warc-fields"),
            record(CHOIR.encode(), 2, "conversion", content="text/plain"),
            record(text.encode("gb18030"), 3, "resource", content="text/plain; charset=gb18030"),
            record(f"<p>{FERRY}".encode(), 4, "resource", content="text/html"),
            record(b"GIF89a", 5, "resource", content="image/gif"),
            record(http(b"x", "image/png"), 6),
        ]
    )
    Path(name).write_bytes(gzip.compress(whole) if name.endswith(".gz") else whole)
    ended = run("dedup", name, "-o", "kept.jsonl", "--json")
    assert [json.loads(line)["text"] for line in Path("kept.jsonl").read_text().splitlines()] == [
        CHOIR,
        text,
        f"<p>{FERRY}",
    ]
    assert ended.summary()["other_records"] == {"warcinfo": 1, "resource image/gif": 1, "response image/png": 1}
    ended = run("dedup", name, "-o", "kept.jsonl")
    assert "other records     3: 1 resource image/gif, 1 response image/png, 1 warcinfo" in ended.err
