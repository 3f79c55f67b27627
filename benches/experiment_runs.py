"""Runs of `simsieve dedup` as programs of their own, for `experiments.py`: memory, kills, bad lines."""

import argparse
import base64
import json
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from common import table
from large import Run, dedup_command, digest_of, questions_file, watched
from simsieve.config.checks import memory_bytes

Given = argparse.Namespace


class Outcome(NamedTuple):
    """What an experiment found: numbers, a table, and what is wrong."""

    result: dict[str, Any]
    readable: str
    wrong: list[str]


LEAST, SHARE, MOST_COST = 256 << 20, 1.1, 1.1
TIMES = ("seconds", "peak_rss_bytes", "peak_anonymous_bytes", "peak_mapped_bytes", "stages", "plan", "threads")
RUN_COLUMNS = ["run", "wall s", "CPU s", "anonymous MB", "kills"]


def command_of(source: Path, folder: Path, given: Given, *more: str) -> list[str]:
    """A command that writes kept records, decisions and a summary into a folder."""
    files = {"-o": "kept.jsonl", "--decisions": "decisions.jsonl", "--summary": "summary.json"}
    outputs = [part for option, name in files.items() for part in (option, str(folder / name))]
    return dedup_command(source, *outputs, *more, *given.options)


def results_of(folder: Path) -> dict[str, Any]:
    """Digests of the results of a run, and its summary without times; its files are removed."""
    if left := sorted(path.name for path in folder.glob(".*")):
        raise SystemExit(f"the run left {', '.join(left)} behind")
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    counts = {name: value for name, value in summary.items() if name not in TIMES}
    found = {name: digest_of(folder / f"{name}.jsonl") for name in ("kept", "decisions")}
    for name in ("summary.json", "kept.jsonl", "decisions.jsonl"):
        (folder / name).unlink()
    return {**found, "summary": counts}


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


def bounds(given: Given) -> Outcome:
    """Run under each bound, killed and not, and compare."""
    rows: list[list[Any]] = []
    seen: dict[str, dict[str, Any]] = {}
    wrong: list[str] = []

    def note(name: str, run: Run, kills: int, bound: str) -> None:
        if run.code:
            raise SystemExit(f"{name}: dedup ended with exit code {run.code}")
        seen[name] = results_of(folder)
        rows.append([name, run.wall, run.cpu, run.anonymous / 1e6, kills])
        if run.anonymous > SHARE * max(memory_bytes(bound), LEAST):
            wrong.append(f"{name}: {run.anonymous:,} bytes of anonymous memory")

    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        source = questions_file(given.folder or folder, given.documents)
        for bound in given.memory:
            for threads in given.threads:
                command = command_of(source, folder, given, "--memory", bound, "--threads", str(threads))
                name, run = f"{bound}, {threads} threads", watched(command)
                note(name, run, 0, bound)
                command += ["--run-dir", str(folder / "run")]
                for left in range(given.kills, 0, -1):
                    times = killed(command, left, run.wall, len(rows))
                    note(f"{name}, resumed ({len(rows)})", watched([*command, "--resume"]), times, bound)
                    subprocess.run(["rm", "-r", str(folder / "run")], check=True)
    first = next(iter(seen))
    wrong += [
        f"{part} under {name} differ from those under {first}"
        for name, found in seen.items()
        for part in found
        if found[part] != seen[first][part]
    ]
    result = {"documents": given.documents, "kills": sum(row[-1] for row in rows), "runs": rows}
    return Outcome(result, table(RUN_COLUMNS, rows), wrong)


EVERY = 1000
BAD = [
    b"this is no JSON", b'{"id": 1, "text": 7}', b'{"id": 1}', b'{"id": 1, "text": "\xff\xfe"}',
    b'{"id": 1, "text": "cut',
]  # fmt: skip


def with_bad_lines(good: Path, mixed: Path) -> int:
    """Insert a bad line after every 999 lines; how many were inserted."""
    bad = 0
    with good.open("rb") as lines, mixed.open("wb") as out:
        for number, line in enumerate(lines, 1):
            out.write(line)
            if number % (EVERY - 1) == 0:
                out.write(BAD[bad % len(BAD)] + b"\n")
                bad += 1
    return bad


def failed_rows(failed: Path) -> list[tuple[int, bytes]]:
    """The position and the bytes of each failed record."""
    rows = map(json.loads, failed.read_bytes().splitlines())
    return [
        (row["position"], base64.b64decode(row["record_base64"]) if "record_base64" in row else row["record"].encode())
        for row in rows
    ]


def bad_lines(given: Given) -> Outcome:
    """Run on the good lines and on both, and compare."""
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        good, mixed = questions_file(given.folder or folder, given.documents), folder / "mixed.jsonl"
        bad = with_bad_lines(good, mixed)
        one, first = watched(command_of(good, folder, given)), results_of(folder)
        failures = folder / "failed.jsonl"
        more = watched(command_of(mixed, folder, given, "--max-failed", "1%", "--failed", str(failures)))
        second, failed = results_of(folder), failed_rows(failures)
    wrong = []
    if failed != [((at + 1) * EVERY - 1, BAD[at % len(BAD)]) for at in range(bad)]:
        wrong.append(f"{len(failed)} failed records, not the {bad} bad lines at their positions")
    if first["kept"] != second["kept"]:
        wrong.append("the kept records differ")
    counts = second["summary"]
    if (counts["failed"], counts["read"], counts["dropped"]) != (
        bad, given.documents + bad, first["summary"]["dropped"],
    ):  # fmt: skip
        wrong.append(f"{counts['read']} read, {counts['failed']} failed, {counts['dropped']} dropped; {bad} were bad")
    if more.cpu > MOST_COST * one.cpu:
        wrong.append(f"bad lines cost {more.cpu / one.cpu:.2f} times the run without them")
    rows = [[name, r.wall, r.cpu, r.anonymous / 1e6, 0] for name, r in (("good lines", one), ("with bad lines", more))]
    return Outcome({"documents": given.documents, "bad": bad}, table(RUN_COLUMNS, rows), wrong)
