"""The reference of the command line, made of the help of the commands."""

from collections.abc import Callable
from types import ModuleType

import click
import pytest

from simsieve.cli import cli


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
