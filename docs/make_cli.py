"""Writes docs/reference/cli.md from the help texts of the commands; a test checks that the page is current.

Usage: make_cli.py [FILE]; `-` writes to standard output.
"""

from pathlib import Path

import click
from making import written

from simsieve.cli import cli

PAGE = Path(__file__).parent / "reference" / "cli.md"
OPENING = """# The command line

This page is made from the commands' own help by `docs/make_cli.py`; a test fails when it is stale. The same work from
Python: `simsieve.dedup`, `simsieve.find_pairs`, `simsieve.Fingerprinter`, `simsieve.similarity` and `simsieve.schemes`.
"""
WIDTH = 100


def help_of(command: click.Command, parent: click.Context | None, name: str) -> str:
    """A command's help as `--help` prints it, at a fixed width."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    return command.get_help(context)


def page() -> str:
    """The whole page."""
    top = click.Context(cli, info_name="simsieve", terminal_width=WIDTH, max_content_width=WIDTH)
    sections = [("simsieve", help_of(cli, None, "simsieve"))]
    for name, command in sorted(cli.commands.items()):
        sections.append((f"simsieve {name}", help_of(command, top, name)))
        if isinstance(command, click.Group):
            group = click.Context(command, info_name=name, parent=top)
            inner = sorted(command.commands.items())
            sections += [(f"simsieve {name} {part}", help_of(one, group, part)) for part, one in inner]
    return OPENING + "".join(f"\n## {title}\n\n```text\n{told}\n```\n" for title, told in sections)


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
