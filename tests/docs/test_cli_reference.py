"""The reference page of the command line says what the commands say."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from simsieve.cli import cli

PAGES = {"en": "docs/reference/cli.md", "zh": "docs/zh/cli.md"}


@pytest.mark.parametrize("language", PAGES)
def test_the_reference_is_what_the_commands_say(language: str, root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is renewed with `.venv/bin/python docs/make_cli.py`."""
    expected = maker("make_cli").page(language)

    assert expected == (root / PAGES[language]).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", PAGES)
def test_every_command_has_a_section(language: str, root: Path) -> None:
    """No command is left out of the page."""
    written = (root / PAGES[language]).read_text(encoding="utf-8")

    assert [name for name in cli.commands if f"\n## simsieve {name}\n" not in written] == []
