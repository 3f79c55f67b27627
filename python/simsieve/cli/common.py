"""What the commands share: the exit code for failed records, and lines on stderr."""

from collections.abc import Sequence
from pathlib import Path

import click

from simsieve.config import DedupConfig

DONE, TOO_MANY_FAILED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130
"""The exit codes: done; done with more failed records than allowed; could not run; interrupted."""


def say(line: str) -> None:
    """Write one line to stderr, with the program's name before it.

    Example:
        >>> say("nothing to do")
    """
    click.echo("simsieve: " + " ".join(line.split("\n")), err=True)


def as_source(sources: Sequence[str]) -> Path | list[Path]:
    """Give the command line's sources as the library takes them.

    Example:
        >>> str(as_source(["-"]))
        '-'
    """
    paths = [Path(source) for source in sources]
    return paths[0] if len(paths) == 1 else paths


def closing_code(
    config: DedupConfig, failures: Sequence[tuple[int, str, str]], read: int, *, quiet: bool, what: str = "records"
) -> int:
    """Tell of failed records on stderr, and give the exit code.

    Args:
        config: Its `max_failed` decides.
        failures: The failed records as (position, code, message).
        read: Records read.
        quiet: Say nothing while the failed records are within what is allowed.
        what: What to call them.

    Returns:
        0, or 1 where more records failed than `max_failed` allows.

    Example:
        >>> closing_code(DedupConfig(), [], 10, quiet=False)
        0
    """
    allowed = config.allows_failed(len(failures), read)
    if failures and not (quiet and allowed):
        position, code, message = failures[0]
        excess = "" if allowed else f", more than --max-failed {config.max_failed} allows"
        say(f"{len(failures):,} of {read:,} {what} failed{excess}; the first is record {position} ({code}): {message}")
    return DONE if allowed else TOO_MANY_FAILED
