"""Writes docs/reference/settings.md from the settings table; a test checks that the page is current.

Usage: make_settings.py [FILE]; `-` writes to standard output.
"""

from pathlib import Path

from making import written

from simsieve.cli import cli
from simsieve.cli.help import settings_of
from simsieve.config.setting import IN_FILE, IN_URI, Setting
from simsieve.config.settings import SETTINGS

PAGE = Path(__file__).parent / "reference" / "settings.md"
OPENING = """# Settings

This page is made from `simsieve.config.settings.SETTINGS` by `docs/make_settings.py`; a test fails when it is stale.
A setting has one name in Python (`simsieve.dedup(..., max_distance=3)`) and in a file of settings (`max_distance = 3`),
and its option on the command line (`--max-distance 3`).
Rare settings have no option: they stand in a file of settings, and those of MongoDB in the URI of a collection too
(`mongodb://localhost/exams.raw?since_field=created`). Such files: [docs/how-to/settings.md](../how-to/settings.md).

| name | option | in a file | default | allowed | unit | what it does | commands |
|---|---|---|---|---|---|---|---|
"""
OPTIONS = {IN_FILE: "in a file", IN_URI: "in the URI, or a file"}
KINDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def cell(text: str) -> str:
    """A cell of a table, in which no bar may stand."""
    return text.replace("|", "\\|")


def default_of(setting: Setting) -> str:
    """The default as a file of settings would have it."""
    if setting.default is None:
        return "not given"
    if isinstance(setting.default, bool):
        return f"`{str(setting.default).lower()}`"
    value = ",".join(setting.default) if isinstance(setting.default, tuple) else setting.default
    return f"`{value}`"


def row(setting: Setting) -> str:
    """One row of the page."""
    kind = KINDS[setting.kind] + (" or list" if setting.several else "")
    commands = [name for name, command in sorted(cli.commands.items()) if setting.name in settings_of(command)]
    option = OPTIONS.get(setting.rare, f"`{setting.option}`")
    cells = (
        f"`{setting.name}`", option, kind, default_of(setting), setting.allowed, setting.unit or "-",
        setting.help, ", ".join(commands),
    )  # fmt: skip
    return "| " + " | ".join(cell(text) for text in cells) + " |\n"


def page() -> str:
    """The whole page."""
    return OPENING + "".join(row(setting) for setting in SETTINGS.values())


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
