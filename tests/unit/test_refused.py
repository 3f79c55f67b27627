"""Wrong calls of the library: each is refused with what was given and what is allowed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.refused import CLEANING, FILES, FINGERPRINTS, OTHERS, SOURCES
from tests.unit.refused_schemes import SCHEMES

DOORS = {
    "sources": SOURCES, "cleaning": CLEANING, "schemes": SCHEMES, "fingerprints": FINGERPRINTS, "others": OTHERS,
    "files": FILES,
}  # fmt: skip
ROWS = [pytest.param(*row, id=f"{door}-{at}") for door, rows in DOORS.items() for at, row in enumerate(rows, 1)]


@pytest.mark.parametrize(("call", "error", "parts"), ROWS)
def test_a_wrong_call_is_refused(
    call: Callable[[], object], error: type[Exception], parts: tuple[str, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The error is of its class, and its message has the value, the place and what is allowed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as caught:
        call()
    assert [part for part in parts if part not in str(caught.value)] == [], str(caught.value)
