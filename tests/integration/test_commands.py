"""The commands at work: forms of input, sinks, stdin and stdout, JSON, the closing report."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program

import simsieve as library

FOX = "the quick brown fox jumps over the lazy dog and runs into the deep dark wood behind the old mill"
LOREM = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore"
LINES = [
    json.dumps({"id": "a", "text": FOX}).encode(),
    json.dumps({"id": 2, "text": LOREM}).encode(),
    json.dumps({"id": "c", "text": FOX.replace("dog", "cat")}).encode(),
    json.dumps({"text": LOREM.upper(), "more": [1, {"x": None}]}).encode(),
]
KEPT = LINES[0] + b"\n" + LINES[1] + b"\n"
MARK = b"\xef\xbb\xbf"


@pytest.fixture
def source(simsieve: Program) -> str:
    """Write the example and give its name."""
    simsieve.file("in.jsonl", b"".join(line + b"\n" for line in LINES))
    return "in.jsonl"


def summary_of(raw: bytes | str) -> dict[str, Any]:
    """Read a summary and check that its books balance."""
    summary: dict[str, Any] = json.loads(raw)
    assert summary["read"] == summary["kept"] + summary["dropped"] + summary["failed"]
    assert summary["dropped"] == summary["exact_duplicates"] + summary["near_duplicates"]
    return summary


def test_dedup(simsieve: Program, source: str) -> None:
    """One of each is written byte for byte; stderr has the report, stdout nothing."""
    outcome = simsieve("dedup", source, "-o", "out.jsonl")

    assert (outcome.code, outcome.out) == (0, b"")
    assert (simsieve.folder / "out.jsonl").read_bytes() == KEPT
    for part in ("read ", "kept ", "2 (50.00 %)", "near duplicates ", "1 (25.00 %)", "recall ", "the search was exact"):
        assert part in outcome.err


@pytest.mark.parametrize(
    ("words", "given"), [(["in.jsonl"], b""), (["-", "--input-format", "jsonl"], b"".join(x + b"\n" for x in LINES))]
)
def test_stdout_as_sink(simsieve: Program, source: str, words: list[str], given: bytes) -> None:
    """With `-o -` the records go to stdout, and with --json the summary to stderr as its only line."""
    outcome = simsieve("dedup", *words, "-o", "-", "--json", "--quiet", given=given)

    assert (outcome.code, outcome.out) == (0, KEPT)
    assert summary_of(outcome.err)["near_duplicates"] == 1


def test_summary_as_json(simsieve: Program, source: str) -> None:
    """With a file as sink --json goes to stdout; --summary writes the same counts to a file."""
    outcome = simsieve("dedup", source, "-o", "out.jsonl", "--json", "--summary", "summary.json", "--quiet")
    told, written = summary_of(outcome.out), summary_of((simsieve.folder / "summary.json").read_text())

    assert (outcome.code, outcome.err) == (0, "")
    for measured in ("seconds", "peak_rss_bytes", *(name for name in told if name.startswith("peak_"))):
        if measured in told:
            assert told.pop(measured) >= written.pop(measured) > 0
    stages = [[row["stage"] for row in summary.pop("stages")] for summary in (told, written)]
    assert stages[0] == [*stages[1], "write"]
    assert told == written
    assert (told["read"], told["kept"], told["exact_duplicates"], told["near_duplicates"]) == (4, 2, 1, 1)


def test_dry_run_writes_nothing(simsieve: Program, source: str) -> None:
    """A dry run tells what would be and writes no file."""
    words = ["-o", "out.jsonl", "--decisions", "why.jsonl", "--summary", "s.json", "--failed", "f.jsonl"]
    outcome = simsieve("dedup", source, "--dry-run", "--json", "--quiet", *words).ok()
    assert summary_of(outcome.out)["kept"] == 2
    assert [source] == simsieve.names()
    assert simsieve("dedup", source, "--dry-run").code == 0


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (MARK + b"".join(line + b"\n" for line in LINES), MARK + KEPT),
        (b"".join(line + b"\r\n" for line in LINES), KEPT.replace(b"\n", b"\r\n")),
        (b"\n".join(LINES), KEPT),
        (b"\n".join(LINES[:2]), None),
        (b"\n" + LINES[0] + b"\n\n  \n" + LINES[2] + b"\n" + LINES[1] + b"\n\n", KEPT),
    ],
    ids=["byte order mark", "CRLF", "no last line end", "no last line end, all kept", "blank lines"],
)
def test_forms_of_lines(simsieve: Program, content: bytes, kept: bytes | None) -> None:
    """A byte order mark, CRLF, blank lines and a missing last line end are read, and kept lines keep their bytes."""
    simsieve.file("in.jsonl", content)
    outcome = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--json")
    written = (simsieve.folder / "out.jsonl").read_bytes()

    assert outcome.code == 0 and summary_of(outcome.out)["failed"] == 0
    assert (content if kept is None else kept).rstrip(b"\n") == written.rstrip(b"\n")


def test_other_fields(simsieve: Program) -> None:
    """The text and the id may stand in other fields, reached by dots."""
    simsieve.file("in.jsonl", json.dumps({"meta": {"url": "u"}, "body": {"plain": FOX}}) + "\n")
    outcome = simsieve("fingerprint", "in.jsonl", "--text-field", "body.plain", "--id-field", "meta.url", "--quiet")
    made = library.fingerprint(FOX)

    assert made is not None
    assert outcome.out.decode().strip() in (f"u\t{made.hex}", f'"u"\t{made.hex}')


def test_pairs(simsieve: Program, source: str) -> None:
    """Pairs go to stdout by default, as JSON lines with ids."""
    outcome = simsieve("pairs", source)
    rows = [json.loads(line) for line in outcome.out.splitlines()]

    assert outcome.code == 0
    assert [(row["a"], row["b"]) for row in rows[:1]] == [("a", "c")]
    assert [list(row) for row in rows] == [["a", "b", "distance", "similarity", "lost_a", "lost_b", "conflict"]] * 2
    assert "2 pairs among 4 records (0 failed)" in outcome.err


def test_compare_files_and_texts(simsieve: Program) -> None:
    """Two files, or two texts, are compared to the library's distance and similarity, with their differences."""
    other = FOX.replace("dog", "cat")
    simsieve.file("a.txt", FOX)
    simsieve.file("b.txt", MARK + other.encode())
    a, b = library.fingerprint(FOX), library.fingerprint(other)
    assert a is not None
    assert b is not None

    for outcome in (
        simsieve("compare", "a.txt", "b.txt", "--json"),
        simsieve("compare", "a.txt", "-", "--json", given=other.encode()),
        simsieve("compare", "--text", FOX, other, "--json"),
    ):
        report = json.loads(outcome.out)
        assert (outcome.code, outcome.err) == (0, "")
        assert (a.hex, b.hex, a.distance(b)) == (report["a"], report["b"], report["distance"])
        assert library.similarity(FOX, other) == report["similarity"]
        assert library.similarity(FOX, other, measure="jaccard") == report["jaccard"]
        assert library.similarity(FOX, other, measure="containment") == report["a_in_b"]
        assert library.similarity(other, FOX, measure="containment") == report["b_in_a"]
        assert report["edit"] == pytest.approx(1 - 3 / len(FOX))
        assert [(place["a"], place["b"]) for place in report["differences"]] == [("dog", "cat")]
    shown = simsieve("compare", "a.txt", "b.txt").out.decode()
    assert f"{a.distance(b)} bits" in shown
    assert [line.split()[0] for line in shown.splitlines()[:5]] == [
        "similarity", "jaccard", "containment", "edit", "distance",
    ]  # fmt: skip
    assert f"edit        {1 - 3 / len(FOX):.4f}" in shown and "'dog' -> 'cat'" in shown


def test_schemes(simsieve: Program) -> None:
    """The schemes are a table for people, with the default marked, and JSON with digests; a name gives all of it."""
    rows = json.loads(simsieve("schemes", "--json").out)
    shown = simsieve("schemes").out.decode()
    details = simsieve("schemes", *(row["name"] for row in rows)).out.decode()

    names = [row["name"] for row in rows]
    assert names == [*(info.name for info in library.schemes()), "phash64", "dhash64", "ahash64", "whash64"]
    assert [line for line in (shown + details).splitlines() if len(line) > 80] == []
    assert "\nchars128*  " in shown
    for row in rows:
        assert f"\n{row['name']}" in shown
        assert f"name      {row['name']}\n" in details
        assert row["digest"] in details
    assert [row["name"] for row in json.loads(simsieve("schemes", "dom64", "--json").out)] == ["dom64"]
    assert "unknown scheme 'chars129': did you mean 'chars128'?" in simsieve("schemes", "chars129").err


@pytest.mark.parametrize("words", [["--help"], [], ["dedup", "--help"], ["pairs", "--help"], ["--version"]])
def test_help_and_version(simsieve: Program, words: list[str]) -> None:
    """Help and version go to stdout and are no failure."""
    assert b"simsieve" in simsieve(*words).silent().out


FULL = [
    ["schemes"],
    ["schemes", "--json"],
    ["compare", "--text", "one text", "another text"],
    ["plan", "in.txt"],
    ["fingerprint", "a.html"],
    ["completion", "bash"],
    ["dedup", "--print-config"],
    ["dedup", "in.txt", "-o", "-", "--quiet"],
    ["pairs", "--help"],
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NOT TESTED: there is no device that is always full here")
@pytest.mark.parametrize("words", FULL, ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_an_error(simsieve: Program, words: list[str], unbuffered: str) -> None:
    """What cannot be written is told in one line with exit code 2, whether the system says so at once or at the end."""
    simsieve.file("in.txt", f"{FOX}\n")
    simsieve.file("a.html", "<p>words of a page</p>")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            simsieve.command(*words),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=simsieve.folder,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )

    told = done.stderr.decode()
    assert (done.returncode, told.count("\n")) == (2, 1), told
    assert told.startswith("simsieve: -: ")
    assert "No space left on device" in told or "no room left" in told


@pytest.mark.parametrize("command", ["fingerprint", "schemes", "pairs", "dedup"])
def test_a_closed_pipe_is_a_normal_end(simsieve: Program, command: str) -> None:
    """When the reader of stdout goes away, the program ends quietly with 0."""
    simsieve.file("in.txt", "".join(f"{FOX} {number % 5}\n" for number in range(600)))
    words = {"dedup": ["in.txt", "-o", "-", "--quiet"], "schemes": []}.get(command, ["in.txt", "--quiet"])
    with subprocess.Popen(
        simsieve.command(command, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=simsieve.folder
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        told = running.stderr.read()
        code = running.wait(timeout=100)

    assert (code, told) == (0, b"")
