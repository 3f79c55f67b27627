"""Progress on stderr: one line that is updated on a terminal, a plain line every five seconds elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from simsieve.types import Progress

PLAIN_SECONDS = 5.0
"""Between two plain lines; a run that takes less says nothing."""


class PlainProgress:
    """Progress as plain lines, for logs.

    Args:
        write: Takes one line without its end.
        clock: Seconds from any start.
        every: Seconds between two lines.

    Example:
        >>> ticks = iter([0.0, 6.0])
        >>> progress = PlainProgress(print, lambda: next(ticks))
        >>> progress("loading", 50, 200)
        simsieve: loading 25 % (50 of 200), 6 s
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic, every: float = PLAIN_SECONDS
    ) -> None:
        self._write = write
        self._clock = clock
        self._every = every
        self._start = self._last = clock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a line if it is time for one."""
        now = self._clock()
        if now - self._last < self._every:
            return
        self._last = now
        share = f"{100 * done // total} % ({done:,} of {total:,})" if total > 0 else f"{done:,}"
        self._write(f"simsieve: {stage} {share}, {now - self._start:.0f} s")


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Return the function that the core calls during its work, and clear the line afterwards.

    Args:
        quiet: Show nothing.

    Returns:
        A function of (stage, done, total); None where nothing is to be shown.

    Example:
        >>> with shown_progress(quiet=True) as progress:
        ...     print(progress)
        None
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _terminal_progress() as progress:
            yield progress
    else:
        yield PlainProgress(lambda line: click.echo(line, err=True))


@contextmanager
def _terminal_progress() -> Iterator[Progress]:
    # Loaded here since it takes longer than the rest of the command line together, and most runs are in scripts.
    from rich import console, progress  # noqa: PLC0415 - see above

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, rate="")
        current = ""

        def show(stage: str, done: int, total: int) -> None:
            nonlocal current
            if stage != current:
                current = stage
                bar.reset(task, description=stage, total=total or None)
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, total=total or None, rate="" if speed is None else f"{speed:,.0f}/s")

        yield show
