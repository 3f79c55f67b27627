"""Writes docs/reference/settings.md from the settings table; a test checks that the page is current.

Usage: make_settings.py [FILE]; `-` writes to standard output.
"""

from pathlib import Path

from making import written

from simsieve.cli import cli
from simsieve.config.setting import Setting
from simsieve.config.settings import SETTINGS

PAGE = Path(__file__).parent / "reference" / "settings.md"
OPENING = """# Settings

This page is made from `simsieve.config.settings.SETTINGS` by `docs/make_settings.py`; a test fails when it is stale.
A setting has one name in Python (`simsieve.dedup(..., max_distance=3)`) and in a file of settings (`max_distance = 3`),
and its option on the command line (`--max-distance 3`). Such files: [docs/how-to/settings.md](../how-to/settings.md).

| name | option | in a file | default | allowed | unit | what it does | commands |
|---|---|---|---|---|---|---|---|
"""
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
    commands = [name for name, command in sorted(cli.commands.items()) if takes(command.params, setting)]
    cells = (
        f"`{setting.name}`", f"`{setting.option}`", kind, default_of(setting), setting.allowed, setting.unit or "-",
        setting.help, ", ".join(commands),
    )  # fmt: skip
    return "| " + " | ".join(cell(text) for text in cells) + " |\n"


def takes(params: list[object], setting: Setting) -> bool:
    """Whether a command has the option that was made from a setting."""
    return any(
        getattr(param, "name", "") == setting.name and setting.option in getattr(param, "opts", ()) for param in params
    )


def page() -> str:
    """The whole page."""
    return OPENING + "".join(row(setting) for setting in SETTINGS.values())


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
