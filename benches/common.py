"""Shared by the benchmark scripts: names the machine, prints a result, runs a measured command."""

import argparse
import gzip
import importlib.metadata
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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


def version_in(python: str | Path, package: str) -> str | None:
    """The version of a package that an interpreter has; None where it has none, or is not there."""
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    try:
        done = subprocess.run([python, "-c", code, package], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


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


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def absent_sets(bench: str, folder: Path, names: Iterable[str]) -> list[str]:
    """The data sets that are not in a folder; they are said loudly."""
    absent = [name for name in names if not (folder / f"{name}.jsonl.gz").is_file()]
    if absent:
        print(f"NOT MEASURED: {bench}, for {', '.join(absent)} not in {folder}", file=sys.stderr)
    return absent


def data_sets(doc: str | None, bench: str, *names: str) -> list[list[dict[str, Any]]] | None:
    """The records of data sets, of the folder that `--data` names; `None`, said loudly, where one is not there."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    folder = parser.parse_args().data
    if absent := absent_sets(bench, folder, names):
        finish(bench, {"not_measured": absent}, "nothing measured", [])
        return None
    return [list(records(folder / f"{name}.jsonl.gz")) for name in names]


@dataclass(frozen=True)
class Usage:
    """What a command cost: processor seconds of it and its children, wall seconds, greatest memory in bytes."""

    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int


def memory_of(process: int) -> dict[str, int]:
    """The memory of a running process in bytes, where the system counts it: `RssAnon`, and `VmHWM`, its greatest."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return {}
    return {name: int(size) * 1024 for name, size in re.findall(r"(RssAnon|VmHWM):\s+(\d+) kB", status)}


LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, 1, 0)])
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
answer = [os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, seconds, usage.ru_maxrss]
json.dump(answer, open(sys.argv[1], "w"))
"""
"""A process counts the memory of the one that started it as its own, so a small one must: this."""


def measured(command: Sequence[str | Path]) -> Usage:
    """Run a command, the program by its path, and measure it.

    Raises:
        RuntimeError: It ended with another code than 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "usage.json")
        subprocess.run([sys.executable, "-S", "-c", LAUNCHER, answer, *command], check=True)
        code, cpu, wall, peak = json.loads(answer.read_text(encoding="ascii"))
    if code != 0:
        raise RuntimeError(f"exit code {code} from {' '.join(map(str, command))}")
    return Usage(cpu, wall, peak * (1 if sys.platform == "darwin" else 1024))


def median_seconds(work: Callable[[], Any], *, repeats: int = 3) -> tuple[float, Any]:
    """The median time of some runs, and the last run's answer."""
    seconds, answer = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), answer
