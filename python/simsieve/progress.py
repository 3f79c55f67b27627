"""Progress of long work: a bar in terminals and notebooks, plain lines, JSON, or a function of the caller's.

Bar, lines and JSON show the whole run too: the pipeline gives the seconds that the plan expects of each stage.
"""

import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
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


class WholeRun:
    """The share of a whole run that is done, and the seconds that are left.

    Stages that are over say how far the plan is off; the stage at hand says so itself once it has run for a second.
    """

    def __init__(self, now: float) -> None:
        self._start = now
        self._expected: dict[str, float] = {}
        self._stage = ""
        self._begun = now
        self._planned = self._took = self._share = 0.0

    def expect(self, seconds: Mapping[str, float]) -> None:
        """Take the seconds that each stage is expected to take, in the order of the stages."""
        self._expected = dict(seconds)

    def update(self, stage: str, done: int, total: int, now: float) -> tuple[float | None, float | None]:
        """Return the share of the whole, which never falls, and the seconds left; None where none is known."""
        if stage != self._stage:
            if self._stage in self._expected:
                self._planned += self._expected[self._stage]
                self._took += now - self._begun
            self._stage, self._begun = stage, now
        if stage not in self._expected:
            return None, None
        part = min(done / total, 1.0) if total > 0 else 0.0
        here = now - self._begun
        planned = self._expected[stage]
        off = (self._took + here) / (self._planned + part * planned) if self._planned + part * planned > 0 else 1.0
        own = here * (1 - part) / part if part > 0 and here >= RATE_SECONDS else (1 - part) * planned * off
        names = list(self._expected)
        left = own + off * sum(self._expected[name] for name in names[names.index(stage) + 1 :])
        elapsed = now - self._start
        self._share = max(self._share, elapsed / (elapsed + left) if elapsed + left > 0 else 0.0)
        return self._share, left


class ShownProgress:
    """Progress that is shown: stages, and the whole run once the pipeline says what it expects."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self.whole = WholeRun(self._start)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take what the core says."""


class PlainProgress(ShownProgress):
    """Progress as plain lines, for logs."""

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic, every: float = PLAIN_SECONDS
    ) -> None:
        super().__init__(clock)
        self._write = write
        self._every = every
        self._last = self._start

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a line if it is time for one."""
        now = self._clock()
        whole, left = self.whole.update(stage, done, total, now)
        if now - self._last < self._every:
            return
        self._last = now
        share = f"{done:,}"
        if total > 0:
            share = tr("{percent} % ({done:,} of {total:,})", percent=100 * done // total, done=done, total=total)
        self._write(f"simsieve: {tr(stage)} {share}, {now - self._start:.0f} s{whole_text(whole, left)}")


class JsonProgress(ShownProgress):
    """Progress as JSON for programs: an object a line when a stage begins, and about each second."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._write = write
        self._stage = ""
        self._last = self._begun = self._start
        self._from = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write an object if it is time for one."""
        now = self._clock()
        whole, left = self.whole.update(stage, done, total, now)
        if stage != self._stage:
            self._stage, self._begun, self._from = stage, now, done
        elif now - self._last < JSON_SECONDS:
            return
        self._last = now
        seconds = now - self._begun
        values = {
            "stage": stage,
            "done": done,
            "total": total if total > 0 else None,
            "rate": round((done - self._from) / seconds, 1) if seconds >= RATE_SECONDS else None,
            "eta_seconds": None if left is None else round(left, 1),
            "whole": None if whole is None else round(whole, 4),
        }
        self._write(json.dumps(values))


def whole_text(whole: float | None, left: float | None) -> str:
    """Write how far the whole run is; nothing where that is not known."""
    if whole is None or left is None:
        return ""
    minutes, seconds = divmod(round(left), 60)
    return tr("; {share} % of the run, about {left} left", share=int(100 * whole), left=f"{minutes}:{seconds:02}")


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
        )  # fmt: skip
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
        progress.TextColumn("{task.fields[whole]}"),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(tr("starting"), total=None, rate="", whole="")

        class Bar(ShownProgress):
            """The bar of the stage, with the whole run beside it."""

            current = ""

            def __call__(self, stage: str, done: int, total: int) -> None:
                if stage != self.current:
                    self.current = stage
                    bar.reset(task, description=tr(stage), total=total or None)
                rate = rate_text(bar.tasks[0].speed, bar.tasks[0].elapsed)
                whole = whole_text(*self.whole.update(stage, done, total, self._clock())).removeprefix("; ")
                bar.update(task, completed=done, total=total or None, rate=rate, whole=whole)

        yield Bar()


def rate_text(speed: float | None, elapsed: float | None) -> str:
    """Write a rate; nothing in a stage's first second, whose rate is that of its start and mostly far too high."""
    return "" if speed is None or elapsed is None or elapsed < RATE_SECONDS else f"{speed:,.0f}/s"


def _is_notebook() -> bool:
    """Say whether the program runs in a kernel of Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
