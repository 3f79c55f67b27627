"""Measures the search of `dedup` by stages: short questions at growing sizes, and collections of difficult shapes.

`growth`: collections of 10^5, 10^6 (and more with --most) short questions; 20 % are edited copies and 10 % exact
copies. It gives the seconds of fingerprinting, of search with verification, and of the recall sample. The answer is
wrong if the printed recall is below 0.98 or not all exact copies are found.

`shapes`: as many texts as --family says: short questions as above (the ordinary case), texts that are all different,
all equal, all near each other, and all with one template, half of the text, and not near each other. The answer is
wrong if the number of kept texts is wrong, or if a shape takes more processor time than `ALLOWED` times the ordinary
case. There are 15 % above that, because runs of one collection differ by as much on a busy machine.

Usage: scale.py [growth] [shapes] [--most N] [--family N] [--similarity X]
                [--shared WORDS] [--folder F]
"""

import argparse
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from common import finish, table
from generate import make_shorts


def staged(
    path: Path, settings: Mapping[str, Any], *, dropped: bool = False, decisions: str | None = None
) -> dict[str, Any]:
    """Deduplicate in this process; processor and wall seconds a stage, peak memory, and what came out.

    The ids of dropped texts are part of it only where they are asked for; decisions go to a file where it is named.
    """
    from simsieve.config.settings import DedupConfig  # noqa: PLC0415 - measured in a process of its own
    from simsieve.run.pipeline import run_dedup  # noqa: PLC0415
    from simsieve.sinks.checks import Sinks  # noqa: PLC0415

    def used() -> float:
        return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

    marks: list[tuple[str, float, float]] = []
    warned: list[str] = []

    def progress(stage: str, _done: int, _total: int) -> None:
        if not marks or marks[-1][0] != stage:
            marks.append((stage, time.perf_counter(), used()))

    start, before = time.perf_counter(), used()
    sinks = Sinks(decisions=decisions, dry_run=decisions is None)
    result = run_dedup(str(path), DedupConfig(**settings), sinks, progress=progress, warn=warned.append)
    marks.append(("end", time.perf_counter(), used()))
    seconds = {"all": (time.perf_counter() - start, used() - before)}
    for (stage, wall, cpu), (_, wall_then, cpu_then) in itertools.pairwise(marks):
        wall_before, cpu_before = seconds.get(stage, (0.0, 0.0))
        seconds[stage] = (wall_before + wall_then - wall, cpu_before + cpu_then - cpu)
    counts = result.counts
    return {
        "seconds": seconds,
        "peak_rss_bytes": result.peak_rss_bytes,
        "read": counts.read,
        "kept": counts.kept,
        "exact": counts.exact,
        "near": counts.near,
        "candidates": counts.candidates,
        "verified": counts.verified,
        "warned": warned,
        "recall": None if result.recall is None else result.recall.value,
        "dropped": [row.id for row in result.decisions if row.decision == "dropped"] if dropped else [],
    }


def alone(
    path: Path, settings: Mapping[str, Any], *, dropped: bool = False, decisions: Path | None = None
) -> dict[str, Any]:
    """As `staged`, in a process of its own, so that its memory is its own."""
    code = (
        "import json, sys, pathlib, scale\n"
        "path, more = sys.argv[1:]\n"
        "json.dump(scale.staged(pathlib.Path(path), **json.loads(more)), sys.stdout)"
    )
    to = None if decisions is None else str(decisions.resolve())
    more = json.dumps({"settings": dict(settings), "dropped": dropped, "decisions": to})
    command = [sys.executable, "-c", code, str(path.resolve()), more]
    done = subprocess.run(command, cwd=Path(__file__).parent, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def row_of(name: str, answer: dict[str, Any]) -> list[Any]:
    """One line of the table."""
    seconds = answer["seconds"]

    def part(*stages: str) -> list[float]:
        return [sum(seconds.get(stage, (0.0, 0.0))[at] for stage in stages) for at in (0, 1)]

    wall, cpu = part("search", "decide")
    each = 1e6 * seconds["all"][1] / answer["read"]
    return [
        name, seconds["all"][0], seconds["all"][1], part("fingerprint")[1], wall, cpu, part("recall")[1], each,
        answer["peak_rss_bytes"] / 1e6, answer["kept"], answer["recall"],
    ]  # fmt: skip


HEADER = [
    "collection", "wall s", "CPU s", "fingerprint", "search+verify wall", "search+verify CPU", "recall", "us a text",
    "peak MB", "kept", "recall printed",
]  # fmt: skip


def growth(folder: Path, most: int, similarity: float) -> tuple[list[list[Any]], list[str]]:
    """Short questions, ten times as many each time."""
    rows, wrong = [], []
    n = 100_000
    while n <= most:
        path = folder.resolve() / f"questions-{n}.jsonl"
        make_shorts(path, n)
        answer = alone(path, {"similarity": similarity})
        rows.append(row_of(f"{n:,} questions", answer))
        if answer["recall"] < 0.98:
            wrong.append(f"{n} questions: recall {answer['recall']:.4f}, at least 0.98 asked")
        if answer["exact"] < 0.1 * n - 1:
            wrong.append(f"{n} questions: {answer['exact']} exact copies found, {n // 10} made")
        path.unlink()
        n *= 10
    return rows, wrong


def words(chance: random.Random, n: int) -> list[str]:
    """Invented words of 3 to 9 letters."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(n)]


def shape(name: str, n: int, shared: int = 10) -> Iterator[str]:
    """The texts of a shape: 21 words each, of a vocabulary of 30,000; a template has `shared` of them."""
    chance = random.Random(3)
    vocabulary, template = words(chance, 30_000), words(chance, 20)
    for _ in range(n):
        if name == "all different":
            text = chance.choices(vocabulary, k=21)
        elif name == "equal":
            text = template
        elif name == "near each other":
            text = template.copy()
            text[chance.randrange(20)] = chance.choice(vocabulary)
        else:
            text = [*template[:shared], *chance.choices(vocabulary, k=21 - shared)]
        yield " ".join(text)


# Measured at 700,000 texts: 0.9, 0.4, 1.2 and 1.9 times the ordinary case.
ALLOWED = {"all different": 2.0, "equal": 1.0, "near each other": 2.0, "one template": 2.0}
NOISE = 1.15


def shapes(folder: Path, n: int, similarity: float, shared: int) -> tuple[list[list[Any]], list[str]]:
    """The shapes, held against the ordinary case."""
    rows, wrong, ordinary = [], [], 0.0
    allowed = {
        "ordinary": (n // 2, n),
        "all different": (n, n),
        "equal": (1, 1),
        "near each other": (1, n // 1000),
        "one template": (n, n),
    }
    for name, (least, most) in allowed.items():
        path = folder.resolve() / f"shape.{'jsonl' if name == 'ordinary' else 'txt'}"
        if name == "ordinary":
            make_shorts(path, n)
        else:
            with path.open("w", encoding="ascii") as file:
                file.writelines(f"{text}\n" for text in shape(name, n, shared))
        answer = alone(path, {"similarity": similarity})
        rows.append(row_of(f"{n:,} {name}", answer))
        cpu = answer["seconds"]["all"][1]
        ordinary = ordinary or cpu
        if not 0.999 * least <= answer["kept"] <= most:
            wrong.append(f"{name}: {answer['kept']} kept, {least} to {most} are right")
        times = ALLOWED.get(name, 1.0)
        if cpu > NOISE * times * ordinary:
            wrong.append(
                f"{name}: {cpu:.1f} processor seconds, more than {times:g} times {ordinary:.1f} of the ordinary case"
            )
    return rows, wrong


def main() -> int:
    """Read the command line; use a temporary folder unless one is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", help="growth, shapes; both by default")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--family", type=int, default=700_000)
    parser.add_argument("--similarity", type=float, default=0.8)
    parser.add_argument("--shared", type=int, default=10, help="words of the template, of 21; 10 by default")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    parts = options.parts or ["growth", "shapes"]
    rows: list[list[Any]] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if "growth" in parts:
            found, bad = growth(Path(folder), options.most, options.similarity)
            rows, wrong = [*rows, *found], [*wrong, *bad]
        if "shapes" in parts:
            found, bad = shapes(Path(folder), options.family, options.similarity, options.shared)
            rows, wrong = [*rows, *found], [*wrong, *bad]
    result = {"similarity": options.similarity, "header": HEADER, "rows": rows}
    return finish("scale", result, table(HEADER, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
