"""Progress on stderr: one line that is updated on a terminal, a plain line every five seconds elsewhere, or JSON."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from simsieve.cli.common import echo
from simsieve.progress import JsonProgress, PlainProgress, progress_bar
from simsieve.types import Progress

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
