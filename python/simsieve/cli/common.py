"""What the commands share: the exit code for failed records, lines on stderr, and progress."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from simsieve.config.settings import DedupConfig
from simsieve.config.uris import shown
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SourceError, TextError, not_read
from simsieve.files import read_file
from simsieve.messages import language, tr
from simsieve.progress import JsonProgress, PlainProgress, progress_bar
from simsieve.registry import StoreName, in_database, on_disk, store_of
from simsieve.screen import visible
from simsieve.text.html import decode
from simsieve.types import Progress

DONE, TOO_MANY_FAILED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130
"""The exit codes: done; done with more failed records than allowed; could not run; interrupted."""


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text; what it has of records and file names cannot act on the terminal."""
    click.echo(visible(text), err=err, nl=nl)


def say(line: str) -> None:
    """Write one line to stderr, with the program's name before it; where stderr takes nothing, the exit code speaks."""
    with suppress(OSError):
        echo("simsieve: " + " ".join(line.split("\n")), err=True)


def warned(text: str) -> None:
    """Print a warning to stderr; settings that it names are shown as options."""
    say(tr("warning: ") + in_words(text))


def noted(text: str) -> None:
    """Print a note to stderr; settings that it names are shown as options."""
    say(in_words(text))


def as_source(sources: Sequence[str]) -> str | os.PathLike[str] | list[os.PathLike[str]]:
    """Give the command line's sources as the library takes them; a path object would lose a slash of a URI."""
    if len(sources) == 1 and in_database(sources[0]):
        return sources[0]
    for source in filter(in_database, sources):
        text = tr("{name} is a collection, which is a source of its own: name it alone")
        raise ConfigError(text.format(name=store_of(source).shown(source)))
    paths: list[os.PathLike[str]] = [Path(source) if on_disk(source) else StoreName(source) for source in sources]
    return paths[0] if len(paths) == 1 else paths


WORDS = "simsieve.words"
"""The name under which a context knows the words of the command line."""


def command_line(ctx: click.Context) -> str:
    """Write the command line that is being carried out, without the passwords of URIs."""
    words = ctx.find_root().meta.get(WORDS, [ctx.info_name or ""])
    words = [word.encode(errors="backslashreplace").decode() for word in words]
    return shlex.join(["simsieve", *map(shown, words)])


def raw_of(path: str) -> bytes:
    """Read a file, or stdin."""
    return sys.stdin.buffer.read() if path == "-" else read_file(path, may_be_given=True)


def text_file(path: str) -> str:
    """Read a file of text, or stdin, in UTF-8."""
    try:
        raw = raw_of(path)
    except OSError as error:
        raise not_read(path, "the text", error, "give a file of text, or --text for a literal") from error
    try:
        # Not "utf-8-sig", which counts bytes from after the mark.
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        text = tr("{path}: byte {place} is not UTF-8; convert the file first", path=path, place=error.start)
        raise SourceError(text) from error


def page_of(path: str, charset: str | None = None) -> str:
    """Read a page of HTML from a file or stdin, in any encoding."""
    try:
        raw = raw_of(path)
    except OSError as error:
        raise not_read(path, "the page", error, "give a page of HTML") from error
    try:
        return decode(raw, charset)[0]
    except TextError as error:
        raise TextError.of(path, error) from error


CODES = {
    "not_json": "no JSON",
    "not_object": "no JSON object",
    "no_text_field": "no text field",
    "text_not_string": "the text is no string",
    "lone_surrogate": "a lone surrogate",
    "invalid_utf8": "no UTF-8",
    "undecodable": "not of the encoding",
    "bad_quotes": "wrong quotes",
    "ragged_row": "another number of columns",
    "nul": "a NUL byte",
    "unreadable": "not readable",
    "bad_name": "a bad file name",
    "not_text": "no text",
    "too_long": "too long",
    "bad_date": "no date",
    "unusable_text": "the scheme cannot use the text",
}
"""The codes of failed records in words, for languages that the codes are not written in."""


def code_text(code: str) -> str:
    """Write the code of a failed record; in another language than English its words follow."""
    return code if language() == "en" or code not in CODES else f"{code}, {tr(CODES[code])}"


def closing_code(
    config: DedupConfig, failures: Sequence[tuple[int, str, str]], read: int, *, quiet: bool, what: str = "records"
) -> int:
    """Report failed records on stderr, and return the exit code."""
    allowed = config.allows_failed(len(failures), read)
    if failures and not (quiet and allowed):
        position, code, message = failures[0]
        excess = "" if allowed else tr(", more than --max-failed {limit} allows", limit=config.max_failed)
        text = tr("{count:,} of {read:,} {what} failed{excess}; the first is record {position} ({code}): {message}")
        say(
            text.format(
                count=len(failures), read=read, what=tr(what), excess=excess, position=position,
                code=code_text(code), message=in_words(message),
            )
        )  # fmt: skip
    return DONE if allowed else TOO_MANY_FAILED


KINDS = ("auto", "bar", "plain", "json", "none")
"""What `--progress` takes."""


@contextmanager
def shown_progress(*, quiet: bool, output: str | None = None, kind: str = "auto") -> Iterator[Progress | None]:
    """Return the function that the core calls during its work, and clear the line afterwards."""
    if kind == "auto":
        if quiet or (output == "-" and sys.stdout.isatty()):
            kind = "none"
        else:
            kind = "bar" if sys.stderr.isatty() else "plain"
    if kind == "none":
        yield None
    elif kind == "bar":
        with progress_bar() as progress:
            yield progress
    else:
        shown = JsonProgress if kind == "json" else PlainProgress
        yield shown(lambda line: echo(line, err=True))
