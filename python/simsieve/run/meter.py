"""The stages of a run, measured: seconds, CPU seconds and memory."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simsieve.machine import resident_bytes
from simsieve.types import Progress

FIRST_STAGE = "open"
"""What a run does before the core reports its first stage."""
SAMPLE_SECONDS = 0.1
"""Between two looks at the memory; one takes some 30 microseconds."""


@dataclass(slots=True)
class _Stage:
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    anonymous_bytes: int = 0
    mapped_bytes: int = 0


class Meter:
    """A progress that measures each stage, and passes every call on.

    A stage lasts until the next one is reported. The core repeats its last report 20 times a second, so memory is
    looked at during stages that report nothing.
    """

    def __init__(
        self,
        shown: Progress | None,
        clock: Callable[[], float] = time.perf_counter,
        cpu_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self.shown = shown
        self._clock, self._cpu_clock = clock, cpu_clock
        self._stages: dict[str, _Stage] = {}
        self._stage = FIRST_STAGE
        self._sampled = self._since = clock()
        self._cpu_since = cpu_clock()
        self._has_memory = self._look()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take a report of the core."""
        now = self._clock()
        if stage != self._stage:
            self._end_stage(now)
            self._stage = stage
        elif now - self._sampled >= SAMPLE_SECONDS:
            self._sampled = now
            self._look()
        if self.shown is not None:
            self.shown(stage, done, total)

    def measured(self) -> dict[str, Any]:
        """Give the stages so far, and the greatest memory of all; no memory where the system does not count it."""
        self._end_stage(self._clock())
        found: dict[str, Any] = {}
        if self._has_memory:
            found["peak_anonymous_bytes"] = max(stage.anonymous_bytes for stage in self._stages.values())
            found["peak_mapped_bytes"] = max(stage.mapped_bytes for stage in self._stages.values())
        found["stages"] = [self._row(name, stage) for name, stage in self._stages.items()]
        return found

    def _row(self, name: str, stage: _Stage) -> dict[str, Any]:
        row: dict[str, Any] = {
            "stage": name,
            "seconds": round(stage.seconds, 6),
            "cpu_seconds": round(stage.cpu_seconds, 6),
        }
        if self._has_memory:
            row |= {"anonymous_bytes": stage.anonymous_bytes, "mapped_bytes": stage.mapped_bytes}
        return row

    def _end_stage(self, now: float) -> None:
        """Count the time up to now for the stage at hand."""
        cpu = self._cpu_clock()
        self._look()
        stage = self._stages[self._stage]
        stage.seconds += now - self._since
        stage.cpu_seconds += cpu - self._cpu_since
        self._since, self._cpu_since = now, cpu

    def _look(self) -> bool:
        """Look at the memory; whether the system counts it."""
        stage = self._stages.setdefault(self._stage, _Stage())
        found = resident_bytes()
        if found is not None:
            stage.anonymous_bytes = max(stage.anonymous_bytes, found[0])
            stage.mapped_bytes = max(stage.mapped_bytes, found[1])
        return found is not None


def measured_of(progress: Progress | None) -> dict[str, Any]:
    """Give what a progress has measured; nothing of one that is no meter."""
    return progress.measured() if isinstance(progress, Meter) else {}
