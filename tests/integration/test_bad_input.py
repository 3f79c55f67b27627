"""What the command line makes of input that is not as it should be: one row a case."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.integration.powerless import what_is_closed_is_closed

if TYPE_CHECKING:
    from tests.integration.conftest import Program

GOOD = b'{"id": 1, "text": "a text that is good and has enough words to have features"}\n'
OTHER = b'{"id": 2, "text": "something else altogether, of which nothing stands in the first"}\n'


class BadRecord(NamedTuple):
    """A record that fails: its bytes, its code, and what the message says."""

    name: str
    record: bytes
    code: str
    parts: list[str]


BAD_RECORDS = [
    BadRecord("no JSON", b"this is no JSON", "not_json", ["JSON"]),
    BadRecord("cut JSON", b'{"text": "cut of', "not_json", ["JSON"]),
    BadRecord("two values", b'{"text": "a"} {"text": "b"}', "not_json", ["JSON"]),
    BadRecord("no object", b'["a", "list"]', "not_object", ["object"]),
    BadRecord("a bare string", b'"text"', "not_object", ["object"]),
    BadRecord("no text field", b'{"body": "a text"}', "no_text_field", ["text", "body", "text_field"]),
    BadRecord("null", b'{"text": null}', "text_not_string", ["null"]),
    BadRecord("a number", b'{"text": 12}', "text_not_string", ["12"]),
    BadRecord("a list", b'{"text": ["a"]}', "text_not_string", ["list"]),
    BadRecord("lone surrogate", b'{"text": "half \\ud83d of it"}', "lone_surrogate", ["\\ud83d"]),
    BadRecord("invalid UTF-8", b'{"text": "caf\xe9"}', "invalid_utf8", ["UTF-8"]),
]


@pytest.mark.parametrize("case", BAD_RECORDS, ids=[case.name for case in BAD_RECORDS])
def test_a_bad_record_fails_alone(case: BadRecord, simsieve: "Program") -> None:
    """A bad record is counted, told and kept apart, the rest goes on, and the exit code is 1."""
    simsieve.file("in.jsonl", GOOD + case.record + b"\n" + OTHER)
    outcome = simsieve(
        "dedup", "in.jsonl", "-o", "out.jsonl", "--failed", "failed.jsonl", "--decisions", "why.jsonl",
        "--summary", "summary.json", "--quiet",
    )  # fmt: skip
    failed = [json.loads(line) for line in (simsieve.folder / "failed.jsonl").read_text().splitlines()]
    why = [json.loads(line) for line in (simsieve.folder / "why.jsonl").read_text().splitlines()]
    summary = json.loads((simsieve.folder / "summary.json").read_text())

    assert outcome.code == 1
    assert outcome.err.startswith("simsieve: 1 of 3 records failed, more than --max-failed 0 allows")
    assert case.code in outcome.err
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert [(1, case.code)] == [(row["position"], row["code"]) for row in failed]
    assert [part for part in case.parts if part not in failed[0]["message"]] == []
    assert [row["decision"] for row in why] == ["kept", "failed", "kept"]
    assert case.code == why[1]["reason"]
    assert (summary["read"], summary["kept"], summary["dropped"], summary["failed"]) == (3, 2, 0, 1)


@pytest.mark.parametrize(("limit", "code"), [("0", 1), ("1", 0), ("100%", 0), ("50%", 0), ("10%", 1)])
def test_max_failed_decides_the_exit_code(limit: str, code: int, simsieve: "Program") -> None:
    """Failed records within --max-failed end in 0, more in 1; the sink is the same."""
    simsieve.file("in.jsonl", GOOD + b"bad\n" + OTHER)
    outcome = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--max-failed", limit)

    assert code == outcome.code
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert "1 of 3 records failed" in outcome.err


def test_a_zero_byte_in_a_text_file(simsieve: "Program") -> None:
    """A line of a text file with a zero byte fails; the others go on."""
    simsieve.file("in.txt", b"a line that is good\nbad\0line\nanother good line\n")
    outcome = simsieve("dedup", "in.txt", "-o", "out.txt", "--quiet")

    assert outcome.code == 1
    assert "(nul)" in outcome.err
    assert (simsieve.folder / "out.txt").read_bytes() == b"a line that is good\nanother good line\n"


def test_a_record_beyond_the_limit(simsieve: "Program") -> None:
    """A record longer than --max-record-bytes fails; the others go on."""
    simsieve.file("in.jsonl", GOOD + b'{"text": "' + b"long " * 1000 + b'"}\n' + OTHER)
    outcome = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--quiet", "--max-record-bytes", "1000")

    assert outcome.code == 1
    assert "too_long" in outcome.err
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER


class Refused(NamedTuple):
    """A command line that cannot be carried out: its words after `dedup`, and what the message says."""

    name: str
    words: list[str]
    parts: list[str]


REFUSED = [
    Refused("missing file", ["missing.jsonl", "-o", "out.jsonl"], ["missing.jsonl"]),
    Refused("a folder", [".", "-o", "out.jsonl", "--input-format", "jsonl"], ["."]),
    Refused("sink is source", ["in.jsonl", "-o", "in.jsonl"], ["in.jsonl", "source"]),
    Refused("sink is a link to the source", ["in.jsonl", "-o", "link.jsonl"], ["link.jsonl", "source"]),
    Refused("decisions into the source", ["in.jsonl", "-o", "out.jsonl", "--decisions", "in.jsonl"], ["source"]),
    Refused("one sink twice", ["in.jsonl", "-o", "out.jsonl", "--failed", "out.jsonl"], ["out.jsonl"]),
    Refused("stdout twice", ["in.jsonl", "-o", "-", "--failed", "-"], ["-"]),
    Refused("sink's folder missing", ["in.jsonl", "-o", "nowhere/out.jsonl"], ["nowhere"]),
    Refused("summary's folder missing", ["in.jsonl", "-o", "out.jsonl", "--summary", "nowhere/s.json"], ["nowhere"]),
    Refused("sink of another form", ["in.jsonl", "-o", "out.txt"], ["out.txt"]),
    Refused("unknown form", ["in.xlsx", "-o", "out.jsonl"], ["in.xlsx"]),
    Refused("unknown scheme", ["in.jsonl", "-o", "out.jsonl", "--scheme", "nosuch"], ["nosuch"]),
    Refused("similarity", ["in.jsonl", "-o", "out.jsonl", "--similarity", "1.5"], ["similarity 1.5", "(0, 1]"]),
    Refused("no number", ["in.jsonl", "-o", "out.jsonl", "--similarity", "much"], ["--similarity", "much"]),
    Refused("distance", ["in.jsonl", "-o", "out.jsonl", "--max-distance", "200"], ["--max-distance 200", "0..127"]),
    Refused(
        "both thresholds",
        ["in.jsonl", "-o", "out.jsonl", "--max-distance", "3", "--similarity", "0.8"],
        ["similarity 0.8", "--max-distance 3"],
    ),
    Refused("keep", ["in.jsonl", "-o", "out.jsonl", "--keep", "bigest"], ["bigest", "longest"]),
    Refused("no sink", ["in.jsonl"], ["-o", "--dry-run"]),
    Refused("no source", ["-o", "out.jsonl"], ["SOURCE"]),
    Refused("unknown option", ["in.jsonl", "-o", "out.jsonl", "--nosuch"], ["--nosuch"]),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_cannot_run_says_so_in_one_line(case: Refused, simsieve: "Program") -> None:
    """A run that cannot be carried out ends with 2, tells why in one line, and writes and changes nothing."""
    simsieve.file("in.jsonl", GOOD + OTHER)
    simsieve.file("in.xlsx", b"PK")
    (simsieve.folder / "link.jsonl").symlink_to(simsieve.folder / "in.jsonl")
    outcome = simsieve("dedup", *case.words)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith("simsieve: ")
    assert len(outcome.err.splitlines()) == 1
    assert [part for part in case.parts if part not in outcome.err] == []
    assert simsieve.names() == ["in.jsonl", "in.xlsx", "link.jsonl"]
    assert (simsieve.folder / "in.jsonl").read_bytes() == GOOD + OTHER


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_cut_file_is_refused(
    ending: str, share: float, simsieve: "Program", packed: Callable[[str, bytes], bytes]
) -> None:
    """A packed file that is cut off, wherever, is refused by name, and nothing is written."""
    content = b"".join(b'{"text": "line %d %s"}\n' % (number, os.urandom(40).hex().encode()) for number in range(300))
    whole = packed(f"out.jsonl.{ending}", content)
    name = f"cut.jsonl.{ending}"
    simsieve.file(name, whole[: int(len(whole) * share)])
    outcome = simsieve("dedup", name, "-o", "out.jsonl")

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: {name}: ")
    assert "cut off" in outcome.err
    assert [name] == simsieve.names()


UNREADABLE = [
    ("the source", ["dedup", "closed", "-o", "out.jsonl", "--input-format", "jsonl"], "closed: may not be read"),
    (
        "old documents",
        ["dedup", "in.jsonl", "--against", "closed", "-o", "o", "--input-format", "jsonl"],
        "closed: may",
    ),
    (
        "a file of settings",
        ["dedup", "in.jsonl", "-o", "o.jsonl", "--config", "closed"],
        "closed: the file of settings",
    ),
    ("a saved run", ["dedup", "--from-run", "closed", "-o", "o.jsonl"], "closed: the saved run may not be read"),
    ("a model to merge", ["fit", "--merge", "closed", "-o", "o.model"], "closed: the model may not be read"),
    ("a text", ["compare", "in.jsonl", "closed"], "closed: the text may not be read"),
    ("a page", ["fingerprint", "--pages", "closed"], "closed: the page may not be read"),
]


@pytest.mark.skipif(not what_is_closed_is_closed(), reason="NOT TESTED: root reads any file, and keeps that right here")
@pytest.mark.parametrize(("words", "told"), [case[1:] for case in UNREADABLE], ids=[case[0] for case in UNREADABLE])
def test_an_unreadable_file_is_refused(words: list[str], told: str, simsieve: "Program") -> None:
    """A file that may not be read is refused by name, with what to do, and nothing is written; root is no exception."""
    simsieve.file("in.jsonl", GOOD)
    simsieve.file("closed", GOOD).chmod(0)
    outcome = simsieve.without_roots_right()(*words)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: {told}")
    assert outcome.err.endswith("may not be read; grant the right to read it, or run as its owner\n")
    assert simsieve.names() == ["closed", "in.jsonl"]


@pytest.mark.parametrize("name", ["in.jsonl", "in.txt"])
def test_an_empty_file_is_no_error(name: str, simsieve: "Program") -> None:
    """An empty file has no records: exit 0, an empty sink."""
    simsieve.file(name, b"")
    sink = Path(name).with_stem("out")
    outcome = simsieve("dedup", name, "-o", sink, "--json")
    summary = json.loads(outcome.out)

    assert outcome.code == 0
    assert (simsieve.folder / sink).read_bytes() == b""
    assert (summary["read"], summary["kept"], summary["dropped"], summary["failed"]) == (0, 0, 0, 0)


def test_too_many_pairs_are_refused(simsieve: "Program") -> None:
    """More pairs than --max-pairs are counted, not written, and end with 2."""
    simsieve.file("in.jsonl", GOOD * 4)
    outcome = simsieve("pairs", "in.jsonl", "-o", "out.jsonl", "--max-pairs", "5")

    assert outcome.code == 2
    assert "6" in outcome.err
    assert simsieve.names() == ["in.jsonl"]
