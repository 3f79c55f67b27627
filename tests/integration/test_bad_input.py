"""What the command line makes of input that is not as it should be: one row a case."""

import json

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


@pytest.mark.skipif(not what_is_closed_is_closed(), reason="NOT TESTED: root reads any file, and keeps that right here")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["dedup", "closed", "-o", "out.jsonl", "--input-format", "jsonl"], "closed: may not be read"),
        (["dedup", "in.jsonl", "--against", "closed", "-o", "o", "--input-format", "jsonl"], "closed: may"),
        (["dedup", "in.jsonl", "-o", "o.jsonl", "--config", "closed"], "closed: the file of settings"),
        (["fit", "--merge", "closed", "-o", "o.model"], "closed: the model may not be read"),
        (["compare", "in.jsonl", "closed"], "closed: the text may not be read"),
        (["fingerprint", "--pages", "closed"], "closed: the page may not be read"),
    ],
)
def test_an_unreadable_file_is_refused(words: list[str], told: str, simsieve: Program) -> None:
    """A file that may not be read is refused by name, with what to do, and nothing is written; root is no exception."""
    simsieve.file("in.jsonl", GOOD)
    simsieve.file("closed", GOOD).chmod(0)
    outcome = simsieve.without_roots_right()(*words)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: {told}")
    assert outcome.err.endswith("may not be read; grant the right to read it, or run as its owner\n")
    assert simsieve.names() == ["closed", "in.jsonl"]
