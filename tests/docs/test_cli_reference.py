"""The reference page of the command line says what the commands say."""

import importlib.util
from pathlib import Path
from types import ModuleType

from simsieve.cli import cli


def maker(root: Path) -> ModuleType:
    """Load the script that writes the page."""
    spec = importlib.util.spec_from_file_location("make_cli", root / "docs" / "make_cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_commands_say(root: Path) -> None:
    """A stale page is mended with `.venv/bin/python docs/make_cli.py`."""
    expected = maker(root).page()

    assert expected == (root / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_every_command_has_a_section(root: Path) -> None:
    """No command is left out of the page."""
    written = (root / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")

    assert [name for name in cli.commands if f"\n## simsieve {name}\n" not in written] == []
