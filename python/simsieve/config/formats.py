"""The formats of sources and sinks, the format of a file's name, and the encodings of sources."""

import os
import re
from collections.abc import Iterable, Mapping

from simsieve.checks import shown
from simsieve.config.checks import EACH
from simsieve.errors import ConfigError
from simsieve.messages import Setting
from simsieve.registry import format_of, is_whole

TEXT_FORMATS = ("jsonl", "json", "txt", "csv", "tsv")
"""The formats that the core reads and writes: all but lists of JSON byte for byte."""

FORMATS = (*TEXT_FORMATS, "parquet")

_FILE_ENDING = re.compile(r"\.((jsonl|ndjson|json|txt|csv|tsv)(\.gz|\.zst)?|parquet)$", re.IGNORECASE)
_TEXT = re.compile(r"\.txt(\.gz|\.zst)?$", re.IGNORECASE)
PAGES = (".html", ".htm", ".xhtml")
"""Endings of pages."""
DOCUMENTS = (".txt", ".md", ".markdown", *PAGES)
"""The endings of files of a folder that are documents, where no others are named; papers are documents too."""


def known_format(setting: str, name: object) -> object:
    """Check the name of a format."""
    if name not in FORMATS:
        raise ConfigError(
            "{setting} {name!r} is not known: allowed are {formats} and {formats_2}; leave it out to go by the file's "
            "ending",
            setting=Setting(setting), name=name, formats=", ".join(FORMATS[:-1]), formats_2=FORMATS[-1],
        )  # fmt: skip
    return name


def is_parquet(path: str, given: str | None = None) -> bool:
    """Return whether a file is Parquet, by the given format or else by its extension."""
    return given == "parquet" if given is not None else path.lower().endswith(".parquet")


def is_text(path: str) -> bool:
    """Return whether a file is text by its extension, so that each line of it is a document."""
    return _TEXT.search(path) is not None


def has_records(path: str) -> bool:
    """Return whether a file has records by its extension: all files that are read, but text."""
    return (_FILE_ENDING.search(path) is not None or format_of(path) is not None) and not is_text(path)


def is_document(path: str, each: str | None, given: str | None) -> bool:
    """Return whether a file that is named by itself is one document: a page, a paper, or any text under `each` file."""
    if path == "-" or os.path.isdir(path):
        return False
    if each == EACH[0]:
        return given is not None or is_whole(path) or not has_records(path)
    ending = path.lower()
    return each is None and given is None and (is_whole(path) or (ending.endswith(DOCUMENTS) and not is_text(path)))


def looks_like_file(text: str) -> bool:
    """Return whether a text ends like the name of a readable file, and has no white space."""
    return (_FILE_ENDING.search(text) is not None or format_of(text) is not None) and not re.search(r"\s", text)


COMMON = (
    "auto", "utf-8", "utf-16", "gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "latin1", "windows-1252"
)  # fmt: skip
"""Common encodings of texts, which a shell completes; others are taken too."""


def encoding(_: str, value: object) -> str | tuple[str, ...]:
    """Check encodings, and bring them to one form: a name, or a tuple of names, most with a pattern."""
    if isinstance(value, Mapping):
        value = [f"{pattern}={name}" for pattern, name in value.items()]
    several = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    for one in several or ("",):
        if not isinstance(one, str) or not all(part.strip() for part in one.rsplit("=", 1)):
            raise ConfigError(
                "encoding {one} is not allowed: give auto, a name such as gb18030, or PATTERN=NAME such as "
                "'*.csv=gb18030'",
                one=shown(one),
            )
    usual = [one for one in several if "=" not in one]
    if len(usual) > 1:
        raise ConfigError(
            "encoding {usual} and encoding {usual_2} are both given for all sources: give one of them, or a pattern "
            "before each, such as '*.csv=gb18030'",
            usual=usual[0], usual_2=usual[1],
        )  # fmt: skip
    return usual[0] if several == tuple(usual) else several


def rules_of(encoding: str | tuple[str, ...]) -> list[tuple[str | None, str]]:
    """Give checked encodings as pairs of pattern and name; the one for the rest has no pattern."""
    parts = (one.rpartition("=") for one in ((encoding,) if isinstance(encoding, str) else encoding))
    return [(pattern if equals else None, name) for pattern, equals, name in parts]


_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def safe_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would calculate; numbers stay."""
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def given_cell(text: str) -> str:
    """Give the text that `safe_cell` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
