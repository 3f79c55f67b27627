"""Measures how far the forecasts of a run are from its outcome, on generated and real texts.

For each collection and threshold it runs `simsieve plan FILE`, the same of a tenth of its records drawn at random, with
`--documents`, and `simsieve dedup`, which forecasts at its start. The table has each forecast, the outcome, and how
many times as much was forecast.

The answer is wrong if a promised forecast is more than twice or less than half of the outcome. docs/how-to/plan.md says
what is promised: keys, pairs met, candidates, verified pairs and memory, from a file and at the start of a run; and the
recall, within a tenth. Of collections with crowds only keys, pairs met and recall are promised. Candidates and verified
pairs are, from 24 near pairs of the sample on. Of small amounts a fixed one counts: 100 MB, and a pair for ten
documents. `--no-memory` leaves out the memory.

Collections: questions of 10^5, 10^6 and 2 x 10^6 texts (`--most` changes the last), mixed documents, pages of 2 kB, a
template family, and real English and Chinese texts, cut into paragraphs.

Usage: forecast.py [NAME ...] [--most N] [--data FOLDER] [--folder F] [--no-memory]
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import DATA, Usage, finish, measured, table
from generate import make_corpus, make_shorts
from large import built_generator
from scale import shape

WITHIN = 2.0
WITHIN_RECALL = 0.1
FLOORS = {"MB": 100.0}
LEAST_NEAR = 24
"""Near pairs of a sample: fewer say little about candidates."""
PARTS = 10
"""A part of a collection is one record in this many."""
PAIRS_A_DOCUMENT = 0.1
"""Of `looks`, `candidates` and `verified`: fewer are few."""

BY_DEFAULT: tuple[str, ...] = ()
BY_SIMILARITY = {f"{at:g}": ("--similarity", str(at)) for at in (0.65, 0.8, 0.4)}
BY_DISTANCE = ("--scheme", "chars64", "--max-distance", "3")
ENGLISH = ("en_tech_articles", "en_wikipedia", "en_sms")
CHINESE = ("zh_tech_articles", "zh_wikipedia_passages", "zh_algorithm_wiki", "zh_tech_revisions")
LAW = ("zh_law",)


@dataclass(frozen=True)
class Case:
    """A collection, and the thresholds that it is searched at: options of `simsieve dedup` by name."""

    name: str
    make: Callable[[Path], object]
    thresholds: dict[str, tuple[str, ...]]
    suffix: str = ".jsonl"


@dataclass
class Forecasts:
    """The forecasts of each quantity by name, the outcome, and the quantities without a promise."""

    documents: int
    outcome: dict[str, float | None] = field(default_factory=dict)
    forecasts: dict[str, dict[str, float | None]] = field(default_factory=dict)
    open: frozenset[str] = frozenset()


def write_lines(path: Path, texts: Iterator[str]) -> None:
    """Write texts as JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)


def paragraphs(folder: Path, names: Sequence[str]) -> Iterator[str]:
    """The paragraphs of real texts: lines of 20 characters and more, and SMS whole."""
    for name in names:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                whole = [record[key] for key in ("text", "text_a", "text_b") if isinstance(record.get(key), str)]
                yield from (part for text in whole for part in text.splitlines() if len(part.strip()) >= 20)


def pages(path: Path, documents: int) -> None:
    """Write pages of 2 kB."""
    command: list[str | Path] = [built_generator(), path, "--documents", str(documents), "--pages"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def template(path: Path, documents: int) -> None:
    """Write texts of one template, half of each, that are not similar."""
    path.write_text("".join(f"{text}\n" for text in shape("one template", documents)), encoding="ascii")


def cases(options: argparse.Namespace) -> list[Case]:
    """All collections."""
    usual = {"default": BY_DEFAULT, **BY_SIMILARITY, "distance 3": BY_DISTANCE}
    large = {name: given for name, given in usual.items() if name != "0.4"}
    made = [
        Case("questions 100k", lambda path: make_shorts(path, 100_000), usual),
        Case("questions 1m", lambda path: make_shorts(path, 1_000_000), usual),
        Case(f"questions {options.most / 1e6:g}m", lambda path: make_shorts(path, options.most), large),
        Case("mixed 100k", lambda path: make_corpus(path, 100_000), {"default": BY_DEFAULT, "distance 3": BY_DISTANCE}),
        Case("pages 200k", lambda path: pages(path, 200_000), {"default": BY_DEFAULT, "0.8": BY_SIMILARITY["0.8"]}),
        Case("template 100k", lambda path: template(path, 100_000), {"0.8": BY_SIMILARITY["0.8"]}, ".txt"),
    ]
    for name, files in (("English", ENGLISH), ("Chinese", CHINESE), ("law", LAW)):
        absent = [file for file in files if not (options.data / f"{file}.jsonl.gz").is_file()]
        if absent:
            print(f"NOT MEASURED: {name} texts, for {', '.join(absent)} not in {options.data}", file=sys.stderr)
            continue
        make = lambda path, files=files: write_lines(path, paragraphs(options.data, files))  # noqa: E731
        made.append(Case(name, make, {"default": BY_DEFAULT, "0.8": BY_SIMILARITY["0.8"]}))
    return [case for case in made if not options.names or any(name in case.name for name in options.names)]


def simsieve(*arguments: str | Path) -> list[str | Path]:
    """A command of this interpreter's simsieve."""
    return [sys.executable, "-m", "simsieve", *arguments]


def planned(*arguments: str | Path) -> dict[str, Any]:
    """A plan as the command prints it."""
    done = subprocess.run(simsieve("plan", *arguments, "--json"), check=True, capture_output=True, text=True)
    plan: dict[str, Any] = json.loads(done.stdout)
    return plan


def of_plan(plan: dict[str, Any]) -> dict[str, float | None]:
    """The quantities of a plan; without a sample the candidates are assumed, and left out."""
    is_known = plan["sampled"]
    return {
        "keys": plan["keys_mean"],
        "looks": plan["looks"],
        "candidates": plan["candidates"] if is_known else None,
        "verified": plan["verified"] if is_known else None,
        "MB": plan["bytes"] / 1e6,
        "recall": plan["recall_of_equals"] if plan["recall_of_sample"] is None else plan["recall_of_sample"],
    }


def of_run(numbers: dict[str, Any] | None) -> dict[str, float | None]:
    """The quantities of a forecast or outcome in a summary."""
    found = numbers or {}
    quantities = {name: found.get(name) for name in ("keys", "looks", "candidates", "verified", "recall")}
    quantities["MB"] = None if found.get("bytes") is None else found["bytes"] / 1e6
    return quantities


def ran(source: Path, options: Sequence[str], folder: Path) -> list[Forecasts]:
    """The forecasts of the whole run, and of its work before it writes."""
    summary, kept = folder / "summary.json", folder / f"kept{source.suffix}"
    usage: Usage = measured(simsieve("dedup", source, "-o", kept, "--summary", summary, "--quiet", *options))
    done = json.loads(summary.read_text(encoding="utf-8"))
    plan, read = done["plan"], done["read"]
    outcome = plan.get("outcome") or {}
    whole = of_run(
        {**outcome, "candidates": done["candidates"], "verified": done["verified"], "recall": done["recall"]}
    )
    spent: dict[str, float | None] = {"MB": usage.peak_rss_bytes / 1e6}
    from_file = planned(source, *options)
    few = {"candidates", "verified"}
    unknown: set[str] = set()
    if from_file["crowd"]:
        unknown = {*few, "MB"}
    elif from_file["near_pairs"] < LEAST_NEAR:
        unknown = few
    part, draw = folder / f"part{source.suffix}", random.Random(1)
    with source.open("rb") as lines:
        part.write_bytes(b"".join(line for line in lines if draw.random() < 1 / PARTS))
    from_part = planned(part, "--documents", str(read), *options)
    return [
        Forecasts(read, whole | spent, {"part": of_plan(from_part), "file": of_plan(from_file)}, frozenset(unknown)),
        Forecasts(read, of_run(outcome), {"start": of_run(plan.get("forecast"))}, frozenset(unknown)),
    ]


PROMISED = ("file", "start")


def off(name: str, forecast: float, outcome: float, documents: int) -> float:
    """How many times as much was forecast as came; of small amounts the floor counts."""
    floor = FLOORS.get(name, 0.0)
    if name in ("looks", "candidates", "verified"):
        floor = PAIRS_A_DOCUMENT * documents
    return max(forecast, floor) / max(outcome, floor, 1e-9)


def judged(what: str, found: Forecasts, left_out: Sequence[str]) -> tuple[list[list[Any]], list[str]]:
    """Rows of the table, and what is wrong."""
    rows, wrong = [], []
    for forecast, numbers in found.forecasts.items():
        for name, value in numbers.items():
            came = found.outcome.get(name)
            if value is None or came is None:
                continue
            ratio = off(name, value, came, found.documents)
            is_off = abs(value - came) > WITHIN_RECALL if name == "recall" else not 1 / WITHIN <= ratio <= WITHIN
            is_promised = forecast in PROMISED and name not in left_out and name not in found.open
            rows.append(
                [what, forecast, name, value, came, ratio, "off" if is_off else "", "" if is_promised else "no"]
            )
            if is_off and is_promised:
                wrong.append(f"{what}: {name} forecast by {forecast} as {value:,.4g}, and {came:,.4g} came")
    return rows, wrong


HEADER = ["collection", "forecast by", "of", "forecast", "outcome", "ratio", "", "promised"]


def main() -> int:
    """Read the command line, and measure each case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="parts of the names of collections; all by default")
    parser.add_argument("--most", type=int, default=2_000_000)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--thresholds", nargs="*", help="names of thresholds, such as 0.8; all by default")
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    rows: list[list[Any]] = []
    wrong: list[str] = []
    left_out = ["MB"] if options.no_memory else []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name).resolve()
        for case in cases(options):
            source = folder / f"source{case.suffix}"
            case.make(source)
            for threshold, given in case.thresholds.items():
                if options.thresholds and threshold not in options.thresholds:
                    continue
                for found in ran(source, given, folder):
                    shown, bad = judged(f"{case.name}, {threshold}", found, left_out)
                    rows += shown
                    print(table(HEADER, shown), flush=True)
                    wrong += bad
            source.unlink()
    return finish("forecast", {"rows": rows}, table(HEADER, [row for row in rows if row[-2]]), wrong)


if __name__ == "__main__":
    sys.exit(main())
