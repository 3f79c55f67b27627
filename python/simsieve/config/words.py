"""Messages of the library as programs with options show them: in the user's language, with options for settings."""

from collections.abc import Iterable
from contextvars import ContextVar

from simsieve.config.setting import IN_FILE, IN_URI
from simsieve.config.settings import SETTINGS
from simsieve.messages import shown

_ARGUMENTS = ("min_characters", "link", "against", "against_text_field", "anchors", "common", "exclude", "wait")
"""Arguments of functions that are no settings, and options too."""
_FROM_FILE = ContextVar[frozenset[str]]("settings of a file", default=frozenset())


def from_file(names: Iterable[str]) -> None:
    """Name the settings that a file gives: messages have their keys, as the file has them, and no options."""
    _FROM_FILE.set(frozenset(names))


def in_words(message: str) -> str:
    """Write a message of the library for people: in their language, with options for the settings that it names."""
    return shown(message, _option)


def _option(name: str) -> str:
    """The option of a setting, or its key where a file gives it; an argument that is no setting has an option too."""
    if name in _FROM_FILE.get():
        return name
    if name in SETTINGS:
        row = SETTINGS[name]
        return {IN_FILE: f"{name} (--config)", IN_URI: f"?{name} (URI)"}.get(row.rare, row.option)
    return "--" + name.replace("_", "-") if name in _ARGUMENTS else name
