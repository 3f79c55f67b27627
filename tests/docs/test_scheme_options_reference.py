"""The reference page of scheme options says what the core's table says."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from simsieve import _core


def test_the_reference_is_what_the_table_says(root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is renewed with `.venv/bin/python docs/make_scheme_options.py`."""
    expected = maker("make_scheme_options").page()

    assert expected == (root / "docs" / "reference" / "scheme-options.md").read_text(encoding="utf-8")


def test_every_option_has_a_row_of_as_many_cells(root: Path) -> None:
    """No option is left out, and no bar in a text makes a cell of its own."""
    rows = (root / "docs" / "reference" / "scheme-options.md").read_text(encoding="utf-8").splitlines()
    rows = [row.replace("\\|", "") for row in rows if row.startswith("|")]

    assert [row.split("|")[1].strip(" `") for row in rows[2:]] == [row["key"] for row in _core.scheme_options()]
    assert {row.count("|") for row in rows} == {6}
