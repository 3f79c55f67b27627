"""The generated pages of the reference say what the tables of the program say."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import pytest

from simsieve import _core
from simsieve.cli import cli
from simsieve.config.settings import SETTINGS

PAGES = {"settings": list(SETTINGS), "scheme_options": [row["key"] for row in _core.scheme_options()]}
CELLS = {"settings": 8, "scheme_options": 5}


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_is_what_its_table_says(name: str, root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is renewed with `make docs`; no row is left out, and no bar in a text makes a cell of its own."""
    written = (root / f"docs/reference/{name.replace('_', '-')}.md").read_text(encoding="utf-8")
    rows = [row.replace("\\|", "") for row in written.splitlines() if row.startswith("|")]

    assert maker(f"make_{name}").page() == written
    assert [row.split("|")[1].strip(" `") for row in rows[2:]] == PAGES[name]
    assert {row.count("|") for row in rows} == {CELLS[name] + 1}


def test_the_reference_of_the_service_is_its_description(root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale page is renewed with `make docs`, and each code of an error that the service raises has a row."""
    written = (root / "docs/reference/api.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "python/simsieve/serve").glob("*.py"))
    raised = set(re.findall(r'code="([a-z_]+)"', sources))

    assert maker("make_api").page() == written
    assert raised
    assert [code for code in raised if f"| `{code}` | " not in written] == []


def test_the_skill_is_what_the_commands_and_the_pages_say(root: Path, maker: Callable[[str], ModuleType]) -> None:
    """A stale file is renewed with `make docs`; it has each command, and begins as assistants read it."""
    written = (root / "docs/reference/SKILL.md").read_text(encoding="utf-8")

    assert maker("make_skill").page() == written
    assert re.match(r"---\nname: simsieve\ndescription: .{100,1000}?\n---\n\n# simsieve\n", written, re.DOTALL)
    listed = re.findall(r"^\| `(\w+)` \| .+\. \| `simsieve ", written, re.MULTILINE)
    assert sorted(listed) == sorted(cli.commands)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_has_a_section_with_its_options(language: str, maker: Callable[[str], ModuleType]) -> None:
    """No command is left out of the page, and the section of each names all options that are not hidden."""
    made = maker("make_cli").page(language)
    sections = {part.partition("\n")[0]: part for part in made.split("\n## simsieve ")[1:]}

    missing = [
        (name, option)
        for name, command in cli.commands.items()
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
        for option in param.opts[:1]
        if option not in sections[name]
    ]
    assert missing == []
    assert set(cli.commands) <= set(sections)
