"""What the benchmark scripts share: naming the machine, printing a result, running a measured command."""

import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# The development data: real texts that do not come with the project.
DATA = (Path(__file__).resolve().parents[1] / "../shared/data").resolve()


def cpu_model() -> str:
    """The processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def version_of(package: str) -> str | None:
    """The installed version of a package; None where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def commit() -> str | None:
    """The commit that is measured; None outside a git checkout."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def setting(*packages: str) -> dict[str, Any]:
    """Where and with what a figure was measured: machine, date, commit and versions."""
    names = ("simsieve", "numpy", *packages)
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "python": platform.python_version(),
        "versions": {name: version_of(name) for name in names if version_of(name)},
    }


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A readable table: names to the left, figures to the right."""
    cells = [list(map(str, header)), *[[show(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join((first, *rest)).rstrip())
    return "\n".join(lines)


def show(cell: Any) -> str:
    """A figure as a person reads it."""
    if isinstance(cell, float):
        return f"{cell:.4f}" if abs(cell) < 10 else f"{cell:,.1f}"
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    return "-" if cell is None else str(cell)


def finish(name: str, result: dict[str, Any], readable: str, wrong: Sequence[str], *packages: str) -> int:
    """Print the table, what is wrong and one JSON line; the exit code: 1 where something is wrong."""
    where = setting(*packages)
    print(readable)
    print(f"{where['cpu']}, {where['cores']} cores; {where['date']}; {where['versions']}")
    for line in wrong:
        print(f"WRONG: {line}", file=sys.stderr)
    print(json.dumps({"bench": name, "ok": not wrong, **result, "wrong": list(wrong), **where}, ensure_ascii=False))
    return 1 if wrong else 0


@dataclass(frozen=True)
class Usage:
    """What a command cost: processor seconds of it and its children, wall seconds, greatest memory in bytes."""

    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int


def measured(command: Sequence[str | Path]) -> Usage:
    """Run a command and measure it.

    Raises:
        RuntimeError: It ended with another code than 0.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit code {process.returncode} from {' '.join(map(str, command))}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * unit)


def median_seconds(work: Callable[[], Any], *, repeats: int = 3) -> tuple[float, Any]:
    """The median time of some runs, and the last run's answer."""
    seconds, answer = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), answer
