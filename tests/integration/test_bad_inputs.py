"""The table of bad input: each case comes out as it says, and the page is what came out."""

from pathlib import Path

import pytest
from tests.integration.bad_inputs import CASES, OPENING, Case, row, run
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
