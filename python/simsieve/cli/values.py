"""What a shell may complete the value of a setting's option to."""

from collections.abc import Callable, Sequence

import click
from click.shell_completion import CompletionItem

from simsieve import _core
from simsieve.config.checks import KEEP_FIELD_ORDERS, KEEP_ORDERS
from simsieve.config.formats import FORMATS
from simsieve.config.settings import COMBINE, DEFAULTS, FIT, NONE
from simsieve.schemes.scheme import schemes
from simsieve.schemes.validate import EXTRACTS

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

ENCODINGS = (
    "auto",
    "utf-8",
    "utf-16",
    "gb18030",
    "gbk",
    "big5",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "latin1",
    "windows-1252",
)
"""Common encodings of texts; others are taken too."""

_FILES = ("scheme", "idf")


def _schemes(incomplete: str) -> list[str]:
    """Names of schemes; after a colon the options of that scheme, each with its values where these can be listed."""
    name, colon, options = incomplete.partition(":")
    if not colon:
        return [info.name for info in schemes()]
    done, comma, _ = options.rpartition(",")
    given = {option.partition("=")[0] for option in done.split(",")}
    family = name.rstrip("0123456789")
    rows = [row for row in _core.scheme_options() if family in row["families"] and row["key"] not in given]
    words = [f"{row['key']}={value}" for row in rows for value in row["choices"] or [""]]
    return [f"{name}:{done}{comma}{word}" for word in words]


def _words(name: str, incomplete: str) -> Sequence[str]:
    if name == "scheme":
        return _schemes(incomplete)
    return {
        "keep": (*KEEP_ORDERS, *(f"{order}:" for order in KEEP_FIELD_ORDERS)),
        "combine": COMBINE,
        "measure": tuple(DEFAULTS),
        "extract": EXTRACTS,
        "idf": (NONE, FIT),
        "input_format": FORMATS,
        "output_format": FORMATS,
        "encoding": ENCODINGS,
    }.get(name, ())


def completer(name: str) -> Completer:
    """Return the completer of a setting's option: its words, and names of files if it takes them.

    Args:
        name: The setting's name in Python.

    Example:
        >>> option = click.Option(["--combine"])
        >>> [item.value for item in completer("combine")(click.Context(click.Command("x")), option, "a")]
        ['all', 'any']
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del ctx, param
        # Of a list with commas the last one is being written.
        done, comma, last = incomplete.rpartition(",") if name == "keep" else ("", "", incomplete)
        found = [CompletionItem(done + comma + word) for word in _words(name, incomplete) if word.startswith(last)]
        return found or ([CompletionItem(incomplete, type="file")] if name in _FILES else [])

    return complete
