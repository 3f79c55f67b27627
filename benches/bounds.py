"""Compares the results of a large run under several bounds of memory and numbers of threads: the bytes must be equal.

The collection comes from `benches/generator`. Each run is a program of its own with `--memory` and `--threads`, which
gives kept records, decisions and a summary. Compared are the bytes of the first two, and the summary without times,
memory and forecast. With `--kills N` each bound is also run in a run directory, killed at random moments and resumed,
again and again until there were N kills. Printed are wall and processor seconds and the greatest anonymous memory of
each run.

The answer is wrong if two runs differ, if a run holds more anonymous memory than its bound and a tenth, or if a run
leaves a file behind.

Usage: bounds.py [--documents N] [--folder F] [--memory BOUND...] [--threads N...] [--kills N] [-- OPTIONS OF DEDUP]
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import finish, table
from large import Run, questions_file, watched
from simsieve.config.checks import memory_bytes

BOUNDS = ["256MiB", "1GiB", "4GiB", "16GiB"]
TIMES = ("seconds", "peak_rss_bytes", "peak_anonymous_bytes", "peak_mapped_bytes", "stages", "plan", "threads")
LEAST, SHARE = 256 << 20, 1.1
"""What every run may hold, and how many times its bound."""


def digest_of(path: Path) -> str:
    """A digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def results_of(folder: Path) -> dict[str, str]:
    """Digests of what a run gave; its files are removed."""
    summary, kept, decisions = (folder / name for name in ("summary.json", "kept.jsonl", "decisions.jsonl"))
    numbers = json.loads(summary.read_text(encoding="utf-8"))
    for name in TIMES:
        numbers.pop(name, None)
    counts = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    found = {"kept": digest_of(kept), "decisions": digest_of(decisions), "summary": counts}
    for path in (summary, kept, decisions):
        path.unlink()
    if left := sorted(path.name for path in folder.glob(".*")):
        raise SystemExit(f"the run left {', '.join(left)} behind")
    return found


def killed(command: list[str], kills: int, seconds: float, seed: int) -> int:
    """Kill a run at random moments; how often it was killed before it ended."""
    choose, count = random.Random(seed), 0
    for _ in range(kills):
        quiet = subprocess.DEVNULL
        with subprocess.Popen([*command, "--resume"], stdout=quiet, stderr=quiet) as process:
            try:
                process.wait(choose.uniform(0.2, 1.0) * seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                count += 1
    return count


def main() -> int:
    """Generate, run under each bound, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--folder", type=Path, help="where the files go; the collection is kept there")
    parser.add_argument("--memory", nargs="+", default=BOUNDS)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    rows: list[list[Any]] = []
    seen: dict[str, dict[str, str]] = {}
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        source = questions_file(given.folder or folder, given.documents)
        for bound in given.memory:
            for threads in given.threads:
                command = [
                    sys.executable, "-m", "simsieve", "dedup", str(source), "-o", str(folder / "kept.jsonl"),
                    "--decisions", str(folder / "decisions.jsonl"), "--summary", str(folder / "summary.json"),
                    "--progress", "json", "--memory", bound, "--threads", str(threads), *given.options,
                ]  # fmt: skip
                run, name = watched(command), f"{bound}, {threads} threads"
                rows.append([name, run.wall, run.cpu, run.anonymous / 1e6, 0])
                wrong += _noted(name, run, folder, seen, memory_bytes(bound))
                command += ["--run-dir", str(folder / "run")]
                left, whole = given.kills, run.wall
                while left > 0:
                    times = killed(command, left, whole, len(rows))
                    run, again = watched([*command, "--resume"]), f"{name}, resumed ({len(rows)})"
                    rows.append([again, run.wall, run.cpu, run.anonymous / 1e6, times])
                    wrong += _noted(again, run, folder, seen, memory_bytes(bound))
                    subprocess.run(["rm", "-r", str(folder / "run")], check=True)
                    left -= times
    first, *others = seen
    for name in others:
        for part, digest in seen[name].items():
            if digest != seen[first][part]:
                wrong.append(f"{part} under {name} differ from those under {first}")
    columns = ["run", "wall s", "CPU s", "anonymous MB", "kills"]
    result = {
        "documents": given.documents,
        "options": given.options,
        "kills": sum(row[-1] for row in rows),
        "runs": rows,
        "equal": not wrong,
        **seen[first],
    }
    return finish("bounds", result, table(columns, rows), wrong)


def _noted(name: str, run: Run, folder: Path, seen: dict[str, dict[str, str]], bound: int) -> list[str]:
    """Note the results of a run, and say what is wrong with it."""
    if run.code:
        raise SystemExit(f"{name}: dedup ended with exit code {run.code}")
    seen[name] = results_of(folder)
    most = SHARE * max(bound, LEAST)
    return [f"{name}: {run.anonymous:,} bytes of anonymous memory"] if run.anonymous > most else []


if __name__ == "__main__":
    raise SystemExit(main())
