"""The formats of sources and sinks, and the format of a file's name."""

import re

from simsieve.errors import ConfigError
from simsieve.registry import format_of

TEXT_FORMATS = ("jsonl", "json", "txt", "csv", "tsv")
"""The formats that the core reads and writes: all but lists of JSON byte for byte."""

FORMATS = (*TEXT_FORMATS, "parquet")

_FILE_ENDING = re.compile(r"\.((jsonl|ndjson|json|txt|csv|tsv)(\.gz|\.zst)?|parquet)$", re.IGNORECASE)
_TEXT = re.compile(r"\.txt(\.gz|\.zst)?$", re.IGNORECASE)
DOCUMENTS = (".txt", ".md", ".markdown", ".html", ".htm", ".xhtml")
"""The endings of files of a folder that are documents, where no others are named."""


def check_format(setting: str, name: str | None) -> None:
    """Check the name of a format.

    Args:
        setting: The setting's name, for the message.
        name: The format, or None if the name of the file decides.

    Raises:
        ConfigError: It is not known.

    Example:
        >>> check_format("input_format", "xlsx")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: input_format 'xlsx' is not known: allowed are jsonl, json, ...
    """
    if name is not None and name not in FORMATS:
        raise ConfigError(
            f"{setting} {name!r} is not known: allowed are {', '.join(FORMATS[:-1])} and {FORMATS[-1]};"
            " leave it out to go by the file's ending"
        )


def is_parquet(path: str, given: str | None = None) -> bool:
    """Return whether a file is Parquet, by the given format or else by its extension.

    Example:
        >>> is_parquet("a.PARQUET"), is_parquet("a.parquet", "txt")
        (True, False)
    """
    return given == "parquet" if given is not None else path.lower().endswith(".parquet")


def is_text(path: str) -> bool:
    """Return whether a file is text by its extension, so that each line of it is a document.

    Example:
        >>> is_text("a.txt.gz"), is_text("a.md")
        (True, False)
    """
    return _TEXT.search(path) is not None


def has_records(path: str) -> bool:
    """Return whether a file has records by its extension: all files that are read, but text.

    Example:
        >>> has_records("a.jsonl.zst"), has_records("a.txt")
        (True, False)
    """
    return (_FILE_ENDING.search(path) is not None or format_of(path) is not None) and not is_text(path)


def looks_like_file(text: str) -> bool:
    """Return whether a text ends like the name of a readable file, and has no white space.

    Example:
        >>> looks_like_file("a.csv.gz"), looks_like_file("see a.csv")
        (True, False)
    """
    return (_FILE_ENDING.search(text) is not None or format_of(text) is not None) and not re.search(r"\s", text)
