"""The reference page of the command line says what the commands say."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from simsieve.cli import cli


def test_the_reference_is_what_the_commands_say(root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is mended with `.venv/bin/python docs/make_cli.py`."""
    expected = maker("make_cli").page()

    assert expected == (root / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_every_command_has_a_section(root: Path) -> None:
    """No command is left out of the page."""
    written = (root / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")

    assert [name for name in cli.commands if f"\n## simsieve {name}\n" not in written] == []
