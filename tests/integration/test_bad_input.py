"""What the command line makes of input that is not as it should be: one row a case."""

import json
from typing import NamedTuple

import pytest
from tests.integration.conftest import Program
from tests.integration.powerless import what_is_closed_is_closed

GOOD = b'{"id": 1, "text": "a text that is good and has enough words to have features"}\n'
OTHER = b'{"id": 2, "text": "something else altogether, of which nothing stands in the first"}\n'


BAD_RECORDS = [
    (b"this is no JSON", "not_json"),
    (b'{"text": "cut of', "not_json"),
    (b'{"text": "a"} {"text": "b"}', "not_json"),
    (b'["a", "list"]', "not_object"),
    (b'"text"', "not_object"),
    (b'{"body": "a text"}', "no_text_field"),
    (b'{"text": null}', "text_not_string"),
    (b'{"text": 12}', "text_not_string"),
    (b'{"text": ["a"]}', "text_not_string"),
    (b'{"text": "half \\ud83d of it"}', "lone_surrogate"),
    (b'{"text": "caf\xe9"}', "invalid_utf8"),
]


def test_bad_records_fail_alone(simsieve: Program) -> None:
    """Each bad record is counted, told and kept apart, the others are decided, and the exit code is 1."""
    codes = [code for _, code in BAD_RECORDS]
    simsieve.file("in.jsonl", GOOD + b"".join(record + b"\n" for record, _ in BAD_RECORDS) + OTHER)
    sides = ["--failed", "failed.jsonl", "--decisions", "why.jsonl", "--summary", "summary.json"]
    outcome = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", *sides, "--quiet")
    failed, why = (simsieve.rows(name) for name in ("failed.jsonl", "why.jsonl"))
    summary = json.loads((simsieve.folder / "summary.json").read_text())

    assert outcome.code == 1
    assert outcome.err.startswith("simsieve: 11 of 13 records failed, more than --max-failed 0 allows")
    assert "(not_json)" in outcome.err
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert [(row["position"], row["code"]) for row in failed] == list(enumerate(codes, 1))
    assert [row["reason"] for row in why] == ["unique", *codes, "unique"]
    assert (summary["read"], summary["kept"], summary["dropped"], summary["failed"]) == (13, 2, 0, 11)


@pytest.mark.parametrize(("limit", "code"), [("0", 1), ("1", 0), ("100%", 0), ("50%", 0), ("10%", 1)])
def test_max_failed_decides_the_exit_code(limit: str, code: int, simsieve: Program) -> None:
    """Failed records within --max-failed end in 0, more in 1; the sink is the same."""
    simsieve.file("in.jsonl", GOOD + b"bad\n" + OTHER)
    outcome = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--max-failed", limit)

    assert code == outcome.code
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert "1 of 3 records failed" in outcome.err


class Refused(NamedTuple):
    """A command line that cannot be carried out: its words after `dedup`, and what the message says."""

    name: str
    words: list[str]
    parts: list[str]


REFUSED = [
    Refused("sink is source", ["in.jsonl", "-o", "in.jsonl"], ["in.jsonl", "source"]),
    Refused("sink is a link to the source", ["in.jsonl", "-o", "link.jsonl"], ["link.jsonl", "source"]),
    Refused("decisions into the source", ["in.jsonl", "-o", "out.jsonl", "--decisions", "in.jsonl"], ["source"]),
    Refused("one sink twice", ["in.jsonl", "-o", "out.jsonl", "--failed", "out.jsonl"], ["out.jsonl"]),
    Refused("one sink, two names", ["in.jsonl", "-o", "o.jsonl", "--failed", "./o.jsonl"], ["are the same file"]),
    Refused("two tables", ["in.jsonl", "-o", "o.jsonl", "--decisions", "s", "--failed", "s"], ["are the same file"]),
    Refused("table and summary", ["in.jsonl", "-o", "o.jsonl", "--decisions", "s", "--summary", "s"], ["same file"]),
    Refused("stdout twice", ["in.jsonl", "-o", "-", "--failed", "-"], ["-"]),
    Refused("summary's folder missing", ["in.jsonl", "-o", "out.jsonl", "--summary", "nowhere/s.json"], ["nowhere"]),
    Refused("sink of another form", ["in.jsonl", "-o", "out.txt"], ["out.txt"]),
    Refused("no source", ["-o", "out.jsonl"], ["SOURCE"]),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_cannot_run_says_so_in_one_line(case: Refused, simsieve: Program) -> None:
    """A run that cannot be carried out ends with 2, tells why in one line, and writes and changes nothing."""
    simsieve.file("in.jsonl", GOOD + OTHER)
    (simsieve.folder / "link.jsonl").symlink_to(simsieve.folder / "in.jsonl")
    outcome = simsieve("dedup", *case.words)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith("simsieve: ")
    assert len(outcome.err.splitlines()) == 1
    assert [part for part in case.parts if part not in outcome.err] == []
    assert simsieve.names() == ["in.jsonl", "link.jsonl"]
    assert (simsieve.folder / "in.jsonl").read_bytes() == GOOD + OTHER


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
    ("a model to merge", ["fit", "--merge", "closed", "-o", "o.model"], "closed: the model may not be read"),
    ("a text", ["compare", "in.jsonl", "closed"], "closed: the text may not be read"),
    ("a page", ["fingerprint", "--pages", "closed"], "closed: the page may not be read"),
]


@pytest.mark.skipif(not what_is_closed_is_closed(), reason="NOT TESTED: root reads any file, and keeps that right here")
@pytest.mark.parametrize(("words", "told"), [case[1:] for case in UNREADABLE], ids=[case[0] for case in UNREADABLE])
def test_an_unreadable_file_is_refused(words: list[str], told: str, simsieve: Program) -> None:
    """A file that may not be read is refused by name, with what to do, and nothing is written; root is no exception."""
    simsieve.file("in.jsonl", GOOD)
    simsieve.file("closed", GOOD).chmod(0)
    outcome = simsieve.without_roots_right()(*words)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: {told}")
    assert outcome.err.endswith("may not be read; grant the right to read it, or run as its owner\n")
    assert simsieve.names() == ["closed", "in.jsonl"]
