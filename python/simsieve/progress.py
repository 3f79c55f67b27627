"""Progress of long work: a bar in terminals and notebooks, plain lines, JSON, or a function of the caller's.

Lines and JSON have the seconds that are left of a stage, by what it has done so far; so has the bar.
"""

import importlib.util
import json
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


JSON_SECONDS = 1.0
"""Between two objects of a stage."""


class _Stage:
    """The stage at hand: since when it runs, and how fast it is."""

    def __init__(self, now: float) -> None:
        self.name = ""
        self._begun, self._from, self._done = now, 0, 0

    def begins(self, name: str, done: int, now: float) -> bool:
        """Take a report; whether it is the first one of its stage, which may come twice, as of new and old records."""
        is_new = name != self.name or done < self._done
        self._done = done
        if is_new:
            self.name, self._begun, self._from = name, now, done
        return is_new

    def rate(self, done: int, now: float) -> float | None:
        """Give the rate a second; None in the first second, whose rate is mostly far too high."""
        seconds = now - self._begun
        return (done - self._from) / seconds if seconds >= RATE_SECONDS else None

    def left(self, done: int, total: int, now: float) -> float | None:
        """Give the seconds that are left of the stage; None where they are not known."""
        rate = self.rate(done, now)
        return (total - done) / rate if rate and total > 0 else None


class PlainProgress:
    """Progress as plain lines, for logs."""

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic, every: float = PLAIN_SECONDS
    ) -> None:
        self._write, self._clock, self._every = write, clock, every
        self._start = self._last = clock()
        self._stage = _Stage(self._start)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a line if it is time for one."""
        now = self._clock()
        self._stage.begins(stage, done, now)
        if now - self._last < self._every:
            return
        self._last = now
        share = f"{done:,}"
        if total > 0:
            share = tr("{percent} % ({done:,} of {total:,})", percent=100 * done // total, done=done, total=total)
        line = f"simsieve: {tr(stage)} {share}, {now - self._start:.0f} s"
        if (left := self._stage.left(done, total, now)) is not None:
            minutes, seconds = divmod(round(left), 60)
            line += tr("; about {left} left of this stage", left=f"{minutes}:{seconds:02}")
        self._write(line)


class JsonProgress:
    """Progress as JSON for programs: an object a line when a stage begins, and about each second."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._last = clock()
        self._stage = _Stage(self._last)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write an object if it is time for one."""
        now = self._clock()
        if not self._stage.begins(stage, done, now) and now - self._last < JSON_SECONDS:
            return
        self._last = now
        rate, left = self._stage.rate(done, now), self._stage.left(done, total, now)
        values = {
            "stage": stage,
            "done": done,
            "total": total if total > 0 else None,
            "rate": None if rate is None else round(rate, 1),
            "eta_seconds": None if left is None else round(left, 1),
        }
        self._write(json.dumps(values))


@contextmanager
def chosen_progress(option: ProgressOption) -> Iterator[Progress | None]:
    """Give what the core is to call while it works, and remove the bar afterwards."""
    if option is None or option is False:
        yield None
    elif callable(option):
        yield option
    elif option != "auto":
        raise ConfigError(
            "progress {option} is not allowed: give 'auto', a function of (stage, done, total), or None",
            option=shown(option),
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
    """Show a bar on stderr, which goes away at the end."""
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
        at = _Stage(0.0)

        def show(stage: str, done: int, total: int) -> None:
            if at.begins(stage, done, 0.0):
                bar.reset(task, description=tr(stage), total=total or None)
            rate = rate_text(bar.tasks[0].speed, bar.tasks[0].elapsed)
            bar.update(task, completed=done, total=total or None, rate=rate)

        yield show


def rate_text(speed: float | None, elapsed: float | None) -> str:
    """Write a rate; nothing in a stage's first second, whose rate is that of its start and mostly far too high."""
    return "" if speed is None or elapsed is None or elapsed < RATE_SECONDS else f"{speed:,.0f}/s"


def _is_notebook() -> bool:
    """Say whether the program runs in a kernel of Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
