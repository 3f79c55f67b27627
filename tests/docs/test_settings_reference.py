"""The reference page of the settings says what their table says."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from simsieve.config.settings import SETTINGS


def test_the_reference_is_what_the_table_says(root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is renewed with `.venv/bin/python docs/make_settings.py`."""
    expected = maker("make_settings").page()

    assert expected == (root / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")


def test_every_setting_has_a_row_of_as_many_cells(root: Path) -> None:
    """No setting is left out, and no bar in a text makes a cell of its own."""
    rows = (root / "docs" / "reference" / "settings.md").read_text(encoding="utf-8").splitlines()
    rows = [row.replace("\\|", "") for row in rows if row.startswith("|")]

    assert [row.split("|")[1].strip(" `") for row in rows[2:]] == list(SETTINGS)
    assert {row.count("|") for row in rows} == {9}
