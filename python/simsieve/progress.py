"""Progress of long work: a bar in terminals and notebooks, plain lines elsewhere, or a function of the caller's."""

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simsieve.checks import shown
from simsieve.errors import ConfigError
from simsieve.messages import tr
from simsieve.types import Progress, ProgressOption

PLAIN_SECONDS = 5.0
"""Between two plain lines; a run that takes less says nothing."""
RATE_SECONDS = 1.0
"""How long a stage runs before its rate is shown."""


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
        share = f"{done:,}"
        if total > 0:
            share = tr("{percent} % ({done:,} of {total:,})", percent=100 * done // total, done=done, total=total)
        self._write(f"simsieve: {tr(stage)} {share}, {now - self._start:.0f} s")


@contextmanager
def chosen_progress(option: ProgressOption) -> Iterator[Progress | None]:
    """Give what the core is to call while it works, and remove the bar afterwards.

    Args:
        option: A function of (stage, done, total); `auto` for a bar where stderr is a terminal or the program is a
            notebook; None or False for nothing.

    Raises:
        ConfigError: It is none of these.

    Example:
        >>> with chosen_progress(None) as progress:
        ...     print(progress)
        None
    """
    if option is None or option is False:
        yield None
    elif callable(option):
        yield option
    elif option != "auto":
        raise ConfigError(
            f"progress {shown(option)} is not allowed: give 'auto', a function of (stage, done, total), or None"
        )
    elif _is_notebook() and importlib.util.find_spec("ipywidgets") is None:
        # rich draws its bar in notebooks by ipywidgets, and warns where there is none.
        yield PlainProgress(lambda line: print(line, file=sys.stderr))  # noqa: T201  what was asked for
    elif _is_notebook() or sys.stderr.isatty():
        with progress_bar() as progress:
            yield progress
    else:
        yield None


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a bar on stderr, which goes away at the end.

    Example:
        >>> with progress_bar() as progress:
        ...     progress("loading", 50, 200)
    """
    # Loaded here since it takes longer than the rest of simsieve together, and most runs are in scripts.
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
        task = bar.add_task(tr("starting"), total=None, rate="")
        current = ""

        def show(stage: str, done: int, total: int) -> None:
            nonlocal current
            if stage != current:
                current = stage
                bar.reset(task, description=tr(stage), total=total or None)
            rate = rate_text(bar.tasks[0].speed, bar.tasks[0].elapsed)
            bar.update(task, completed=done, total=total or None, rate=rate)

        yield show


def rate_text(speed: float | None, elapsed: float | None) -> str:
    """Write a rate; nothing in a stage's first second, whose rate is that of its start and mostly far too high.

    Args:
        speed: Items a second, where it is known.
        elapsed: Seconds since the stage began.

    Example:
        >>> rate_text(20_000_000.0, 0.2), rate_text(2500.0, 3.0)
        ('', '2,500/s')
    """
    return "" if speed is None or elapsed is None or elapsed < RATE_SECONDS else f"{speed:,.0f}/s"


def _is_notebook() -> bool:
    """Say whether the program runs in a kernel of Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
