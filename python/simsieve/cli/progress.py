"""Progress on stderr: one line that is updated on a terminal, a plain line every five seconds elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from simsieve.progress import PlainProgress, progress_bar
from simsieve.types import Progress


@contextmanager
def shown_progress(*, quiet: bool, output: str | None = None) -> Iterator[Progress | None]:
    """Return the function that the core calls during its work, and clear the line afterwards.

    Args:
        quiet: Show nothing.
        output: Where results go; if that is standard output on a terminal, nothing is shown between them.

    Returns:
        A function of (stage, done, total); None where nothing is to be shown.

    Example:
        >>> with shown_progress(quiet=True) as progress:
        ...     print(progress)
        None
    """
    if quiet or (output == "-" and sys.stdout.isatty()):
        yield None
    elif sys.stderr.isatty():
        with progress_bar() as progress:
            yield progress
    else:
        yield PlainProgress(lambda line: click.echo(line, err=True))
