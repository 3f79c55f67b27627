"""The table of bad input: each case comes out as it says, and the page is what came out."""

from pathlib import Path

import pytest
from tests.integration.bad_files import GOOD
from tests.integration.bad_inputs import CASES, OPENING, Case, row, run
from tests.integration.conftest import Program
from tests.integration.powerless import what_is_closed_is_closed

CLOSED = what_is_closed_is_closed()
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bad-input.md"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_has_its_outcome(case: Case) -> None:
    """The outcome is the one expected, it has a message where it is no success, and the page has its row."""
    if case.closed and not CLOSED:
        pytest.skip("NOT TESTED: root reads any file here, and that right cannot be put away")
    outcome, message = run(case)

    assert outcome.startswith(case.expect) and (message == "") == outcome.startswith("kept")
    assert "\n" not in message
    assert row(case) in PAGE.read_text(encoding="utf-8")


def test_the_page_has_these_cases_and_no_others() -> None:
    """There are at least fifty kinds, each once, and the page has a row for each."""
    written = PAGE.read_text(encoding="utf-8")

    assert len({case.name for case in CASES}) == len(CASES) >= 50
    assert written.startswith(OPENING) and len(written.removeprefix(OPENING).splitlines()) == len(CASES)


@pytest.mark.long
@pytest.mark.skipif(not CLOSED, reason="NOT TESTED: root reads any file, and keeps that right here")
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
