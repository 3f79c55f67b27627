"""A folder with files of several kinds is read whole, in every command and in Python, and unread files are told."""

import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.integration.conftest import Program
from tests.integration.paper_files import SCAN, pdf, pdf_of, shown, word

import simsieve as library
from simsieve import ConfigError, SourceError, UnreadFilesWarning
from simsieve.cli import cli
from simsieve.messages import shown as shown_to_people
from simsieve.messages import speaking

LAMP = "The keeper paints the old lighthouse every second year, as his grandfather did before him, and nobody asks why."
ROOF = "The choir rehearses in the fire station until the roof of the hall is repaired, which takes until the spring."
FILES: dict[str, bytes] = {
    "a.txt": LAMP.encode(),
    "b.docx": word([LAMP]),
    "c.PDF": pdf([[LAMP[:50], LAMP[50:]]]),
    "d.md": ROOF.encode(),
    "deep/e.html": f"<p>{ROOF}</p>".encode(),
    "deep/f.Docx": word([ROOF]),
}
LEFT = {".DS_Store": b"", "~$b.docx": bytes(162), "Thumbs.db": b"", "._c.pdf": b"", "x.cfg": b"x", "y.CFG": b"y"}
TOLD = "in: 6 files are not read: 4 hidden, 2 .cfg; "


def folder(where: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return where


@pytest.fixture
def run(simsieve: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program, in whose folder is a folder of files of several kinds; the test is there too."""
    monkeypatch.chdir(simsieve.folder)
    folder(simsieve.folder / "in", FILES | LEFT)
    simsieve.file("library.jsonl", json.dumps({"id": "lamp", "text": LAMP}) + "\n")
    return simsieve


@pytest.mark.parametrize(
    "words",
    [
        "dedup in -o kept.txt",
        "dedup library.jsonl --against in -o kept.jsonl",
        "pairs in -o pairs.jsonl",
        "review in -o page.html",
        "passages in -o shared.jsonl",
        "passages library.jsonl --against in -o shared.jsonl",
        "templates in -o templates.jsonl",
        "lines in -o left/",
        "thresholds in",
        "fingerprint in -o prints.tsv",
        "index create new in",
        "index add made in",
        "index check made in",
        "fit in -o model",
        "plan in",
        "calibrate in",
        "evaluate edits in --min-characters 20",
    ],
)
def test_every_command_tells_what_it_does_not_read(run: Program, words: str) -> None:
    """The warning has counts by ending and what to do, once, where the user wants quiet too."""
    if " made " in words:
        assert run("index", "create", "made", "library.jsonl").code == 0
    ended = run(*words.split(), "--quiet")
    assert ended.err.count(TOLD) == 1 and "--suffix names the files that are" in ended.err
    assert "failed" not in ended.err


@pytest.mark.parametrize(
    "call",
    [
        library.dedup,
        library.find_pairs,
        library.passages,
        lambda source: library.lines(source, unit="line"),
        library.templates,
        library.plan,
        lambda source: library.Index.create("new", source),
        lambda source: library.Index.open("made", write=True).add(source),
        lambda source: library.Index.open("made").check(source),
        lambda source: library.dedup([{"text": LAMP}], against=source),
        lambda source: library.passages([LAMP], against=source),
    ],
)
def test_every_function_warns_of_what_it_does_not_read(run: Program, call: Callable[[Path], object]) -> None:
    """The warning has a category of its own, and comes once."""
    if not os.path.isdir("made"):
        library.Index.create("made", "library.jsonl")
    with warnings.catch_warnings(record=True, action="always") as caught:
        call(Path("in"))
    told = [str(warning.message) for warning in caught if warning.category is UnreadFilesWarning]
    assert [f"{text.rpartition('; ')[0]}; " for text in told] == [TOLD], run.folder


@pytest.mark.parametrize("source", [["in"], ["in/*.*", "in/deep/*.*", "--each", "file"]])
def test_documents_of_a_folder_have_one_order_and_one_kind_of_name(run: Program, source: list[str]) -> None:
    """Each file is a document, named from the folder on, in the order of the paths."""
    for name in ("x.cfg", "y.CFG"):
        Path("in", name).unlink()
    ended = run("passages", *source, "--against", "library.jsonl", "-o", "shared.jsonl", "--quiet")
    found = run.rows("shared.jsonl")
    assert (ended.code, [row["document"] for row in found]) == (0, ["a.txt", "b.docx", "c.PDF"])
    assert [row["document_position"] for row in found] == [0, 1, 2]
    run("dedup", *source, "-o", "kept.jsonl", "--decisions", "all.jsonl", "--quiet")
    assert [row["id"] for row in run.rows("all.jsonl")] == sorted(FILES)


@pytest.mark.parametrize("source", ["in", "in/*", "one"])
def test_kept_files_come_out_byte_for_byte(run: Program, source: str) -> None:
    """Whatever kinds they are of, kept files are copied, or linked, and dropped ones are not there."""
    if source == "in/*":
        for name in ("deep/e.html", "deep/f.Docx", "x.cfg", "y.CFG"):
            Path("in", name).unlink()
        Path("in/deep").rmdir()
    if source == "one":
        folder(Path("one"), {name: FILES[name] for name in ("b.docx", "c.PDF", "deep/f.Docx")})
    each = ["--each", "file"] if source == "in/*" else []
    for link in ([], ["--link"]):
        kept = f"kept{len(link)}"
        ended = run("dedup", source, *each, "-o", f"{kept}/", "--keep", "last", "--quiet", *link)
        found = {str(path.relative_to(kept)) for path in Path(kept).rglob("*") if path.is_file()}
        last = {"in": {"c.PDF", "deep/f.Docx"}, "in/*": {"c.PDF", "d.md"}, "one": {"c.PDF", "deep/f.Docx"}}[source]
        assert (ended.code, found) == (0, last)
        assert all(Path(kept, name).read_bytes() == FILES[name] for name in found)
    own = ("one" if source == "one" else "in") + "/c.PDF"
    assert os.path.samefile("kept1/c.PDF", own) and not os.path.samefile("kept0/c.PDF", own)
    assert "with something in it" in run("dedup", source, *each, "-o", "kept0/").err
    assert run("dedup", source, *each, "-o", "list.txt", "--link").code == 2 and not Path("list.txt").exists()


def test_lists_and_tables_of_kept_files(run: Program) -> None:
    """A list has the paths; a table has id, path and text of each; texts that something was cut out of are texts."""
    assert run("dedup", "in", "-o", "-", "-q").out.decode().split() == ["in/a.txt", "in/d.md"]
    run("dedup", "in", "-o", "kept.jsonl", "--keep", "last", "-q")
    assert run.rows("kept.jsonl") == [
        {"id": "c.PDF", "path": "in/c.PDF", "text": f"{LAMP[:50]}\n{LAMP[50:]}"},
        {"id": "deep/f.Docx", "path": "in/deep/f.Docx", "text": ROOF},
    ]
    run("dedup", "in", "-o", "first.jsonl", "-q")
    assert [(row.pop("id"), sorted(row)) for row in run.rows("first.jsonl")] == [
        ("a.txt", ["path", "text"]), ("d.md", ["path", "text"]),
    ]  # fmt: skip
    folder(Path("two"), {"a.docx": word(["One", LAMP]), "b.docx": word(["Two", LAMP]), "c.docx": word(["Three"])})
    assert run("lines", "two", "-o", "left/", "--keep-repeats", "0", "-q").code == 0
    assert sorted(os.listdir("left")) == ["a.docx.txt", "b.docx.txt", "c.docx"]
    assert Path("left/a.docx.txt").read_text() == "One"
    assert run("lines", "two/a.docx", "two/b.docx", "-o", "left.jsonl", "-q").code == 0
    assert [row["text"] for row in run.rows("left.jsonl")] == [f"One\n{LAMP}", "Two"]


@pytest.mark.usefixtures("run")
def test_papers_without_a_text_are_told() -> None:
    """A document of no words is kept and counted; one that cannot be read fails in the language of the user."""
    folder(Path("papers"), {"a.docx": word([]), "b.docx": word([" ", ""]), "c.docx": word([ROOF]), "d.docx": b"x"})
    with pytest.warns(UnreadFilesWarning, match="papers: 2 documents have no text"):
        result = library.dedup("papers", max_failed=1)
    assert [row.decision for row in result.decisions] == ["kept", "kept", "kept", "failed"]
    ((_, _, why),) = result.failures()
    with speaking("zh"):
        assert "不是完整的 Word 文件（File is not a zip file）" in shown_to_people(why, str)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["in", "--suffix", ".docx", "--suffix", ".pdf"], 3),
        (["in", "--suffix", "cfg"], 2),
        (["in", "--suffix", "txt", "--suffix", "docx"], 3),
        (["in/a.txt", "library.jsonl", "--each", "file"], 2),
        (["in", "--limit", "2"], 2),
        (["in/deep/e.html"], 1),
        (["in/d.md", "in/b.docx", "in/deep/e.html"], 3),
        (["in", "in/deep"], 6),
    ],
)
def test_files_are_read_by_their_kind(run: Program, words: list[str], read: int) -> None:
    """Endings and files that are named, and records beside texts: nothing is read as what it is not."""
    ended = run("dedup", *words, "--dry-run", "--json")
    assert (ended.code, ended.summary()["read"]) == (0, read), ended.err


@pytest.mark.parametrize("side", ["file", "frame", "index"])
def test_each_file_is_for_the_side_with_texts(run: Program, side: str) -> None:
    """Old records beside new texts are read by their records; where no side has texts, the setting is refused."""
    if side == "index":
        run("index", "create", "library", "library.jsonl")
    old: Any = {"file": "library.jsonl", "frame": [{"id": "lamp", "text": LAMP}], "index": "library"}[side]
    found = library.passages([Path("in/a.txt"), Path("in/d.md")], against=old, each="file")
    assert [(row.document, row.source) for row in found] == [("a.txt", "lamp")]
    if side != "index":
        result = library.dedup([Path("in/a.txt"), Path("in/d.md")], against=old, each="file")
        assert [row.decision for row in result.decisions] == ["dropped", "kept"]
        with pytest.raises(ConfigError, match="each"):
            library.dedup("library.jsonl", against=old, each="file")


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("z.docx", b"", "unreadable", "is no whole Word file"),
        ("z.pdf", b"", "unreadable", "is no whole PDF file"),
        ("z.pdf", pdf_of([SCAN]), "not_text", "let a program such as ocrmypdf"),
        ("z.txt", b"caf\xe9", "invalid_utf8", "with iconv"),
    ],
)
def test_bad_files_of_a_folder_fail_alone(run: Program, name: str, content: bytes, code: str, words: str) -> None:
    """A file that cannot be used is a failed record with its name and what to do; the others are read."""
    Path("in", name).write_bytes(content)
    ended = run("dedup", "in", "-o", "kept.txt", "--failed", "failed.jsonl", "--max-failed", "1", "--json")
    (row,) = run.rows("failed.jsonl")
    assert (ended.code, ended.summary()["read"], row["code"]) == (0, 7, code)
    assert f"in/{name}: " in row["message"]
    assert words in row["message"]


def test_without_what_reads_pdf_the_rest_of_a_folder_is_read(run: Program, capsys: pytest.CaptureFixture[str]) -> None:
    """The PDF files fail with the package to install; a PDF file that is named by itself is an error."""
    with mock.patch.dict(sys.modules, {"pypdfium2": None}):
        assert cli(["dedup", "in", "-o", "kept.txt", "--max-failed", "1", "--json"], standalone_mode=False) == 0
        told = capsys.readouterr()
        assert json.loads(told.out)["failed"] == 1
        assert "in/c.PDF: PDF files are read by pypdfium2, which is not installed: pip install pypdfium2" in told.err
        with pytest.raises(ConfigError, match="pip install pypdfium2"):
            library.dedup("in/c.PDF")
    assert not run.folder.joinpath("kept.jsonl").exists()


def test_pages_that_are_pictures_are_warned_of(run: Program) -> None:
    """Text that only a person can read is not read, which no command keeps to itself."""
    folder(Path("scans"), {"a.pdf": pdf_of([shown([LAMP]), SCAN, SCAN]), "b.txt": ROOF.encode()})
    assert "scans: 2 pages are pictures, as in a scan" in run("pairs", "scans", "-o", "pairs.jsonl", "-q").err


@pytest.mark.parametrize(
    ("files", "words", "message"),
    [
        ({"a.cfg": b"x"}, ["no"], "no: the folder has no .txt, .md, .html, "),
        ({"a.cfg": b"x"}, ["no"], "but 1 .cfg: --suffix names the files that are documents, such as .cfg"),
        ({".a": b"x", "~$a.docx": b"x"}, ["no"], "no: the folder has no"),
        ({"~$a.docx": b"x"}, ["no/*.docx"], "no/*.docx: no file matches this pattern"),
        ({}, ["https://example.org/page.html"], "`curl -s https://example.org/page.html > page.html`"),
        ({}, ["http://example.org/"], "`curl -s http://example.org > page.html`"),
        ({}, ["http://example.org/a?b=c&d"], "> page.html`"),
        ({}, ["https://example.org/a.docx"], "> a.docx`"),
        ({}, ["https://example.org/a.jsonl"], "| simsieve dedup - --input-format jsonl ...`"),
        ({}, ["https://example.org/a.csv.gz"], "| simsieve dedup - --input-format csv ...`"),
        ({"a.docx": word([LAMP])}, ["no/a.docx", "--each", "line"], "no/a.docx: is one document and has no lines"),
        ({"a.docx": word([LAMP])}, ["no/a.docx", "--encoding", "gbk"], "encoding 'gbk' is for text files"),
        ({"a.html": b"x", "b.jsonl": b""}, ["no/a.html", "no/b.jsonl", "-o", "kept/"], "document: make two runs"),
    ],
)
def test_what_cannot_be_read_has_an_advice(
    run: Program, files: dict[str, bytes], words: list[str], message: str
) -> None:
    """An error names what is there, and the way to go on."""
    Path("no").mkdir()
    folder(Path("no"), files)
    assert message in run("dedup", *words, *([] if "-o" in words else ["--dry-run"])).refused()


def test_links_and_hidden_files_of_patterns(run: Program) -> None:
    """A paper is read once by whatever names; a pattern leaves out what a program keeps beside an open document."""
    Path("in/link.docx").symlink_to("b.docx")
    os.link("in/b.docx", "in/hard.docx")
    ended = run("dedup", "in/*.docx", "in", "-o", "kept.txt", "--json")
    assert (ended.code, ended.summary()["read"]) == (0, len(FILES))
    assert "in: 1 file is not read: 1 hidden; rename those that are meant" in run("dedup", "in/*.docx", "--dry-run").err


def test_a_paper_that_changes_ends_the_run(run: Program) -> None:
    """What is written is a copy of the file, so it has to be the one that was read."""
    result = library.dedup("in/b.docx")
    Path("in/b.docx").write_bytes(word([ROOF, LAMP]))
    with pytest.raises(SourceError, match=r"in/b\.docx: changed while it was read"):
        result.write("kept.jsonl")
    assert not run.folder.joinpath("kept.jsonl").exists()


def test_a_run_on_a_folder_goes_on(run: Program) -> None:
    """The same folder has the same identity, so that a run resumes, and an index of it holds new papers against it."""
    for _ in range(2):
        words = ["dedup", "in", "-o", "kept.txt", "--decisions", "all.jsonl", "--run-dir", "day1", "--resume", "--json"]
        assert run(*words).summary()["kept"] == 2
    folder(Path("new"), {"g.docx": word([LAMP + " Indeed."]), "h.pdf": pdf([["A text that nobody has seen before."]])})
    assert run("index", "create", "seen", "--from-run", "day1").code == 0
    assert run("index", "add", "seen", "new", "-o", "more/").code == 0
    assert os.listdir("more") == ["h.pdf"]
