"""Messages of the library as programs with options show them: in the user's language, with options for settings."""

import re
from collections.abc import Iterable
from contextvars import ContextVar

from simsieve.config.settings import SETTINGS
from simsieve.messages import language
from simsieve.messages.bodies import in_chinese

# Settings of one word are words of sentences too: a message that means the setting has its name between backticks.
_MARKED = re.compile(r"(?:the setting )?`(" + "|".join([*SETTINGS, "link", "against"]) + ")`")
_OPTIONS = {row.name: row.option for row in SETTINGS.values() if "_" in row.name} | {
    # An argument of one function alone, which is no setting.
    "min_characters": "--min-characters"
}
_NAMED = re.compile(r"(?<![^\s(])(?:" + "|".join(_OPTIONS) + r")(?![\w\"'./]| ?=)")


_FROM_FILE = ContextVar[frozenset[str]]("settings of a file", default=frozenset())


def from_file(names: Iterable[str]) -> None:
    """Name the settings that a file gives: messages have their keys, as the file has them, and no options.

    Example:
        >>> from_file(["cut_at"])
        >>> as_options("cut_at is wrong; raise max_record_bytes")
        'cut_at is wrong; raise --max-record-bytes'
        >>> from_file([])
    """
    _FROM_FILE.set(frozenset(names))


def in_words(message: str) -> str:
    """Write a message of the library for people: in their language, with options for the settings that it names.

    Example:
        >>> in_words("in.csv: no column 'text'; name the column that holds the text with text_field")
        "in.csv: no column 'text'; name the column that holds the text with --text-field"
    """
    return as_options((in_chinese(message) if language() == "zh" else None) or message)


def as_options(message: str) -> str:
    """Write the settings that a message names as options; text in quotes and lines of TOML are unchanged.

    The library names settings as Python has them. Names of one word, such as `similarity`, are words of the sentence;
    where the setting is meant they are between backticks.

    Example:
        >>> as_options("name the encoding with the setting `encoding`, or raise max_record_bytes")
        'name the encoding with --encoding, or raise --max-record-bytes'
        >>> as_options("max_distance 200 is not allowed: chars128 has 128 bits; see 'max_failed' and max_pairs = 5")
        "--max-distance 200 is not allowed: chars128 has 128 bits; see 'max_failed' and max_pairs = 5"
    """
    keys = _FROM_FILE.get()
    marked = _MARKED.sub(lambda found: found[1] if found[1] in keys else "--" + found[1].replace("_", "-"), message)
    return _NAMED.sub(lambda found: found[0] if found[0] in keys else _OPTIONS[found[0]], marked)
