"""Measures how well near pairs agree with people's labels, on the development data.

| set | texts | near by label |
|---|---|---|
| zh_tech_revisions | articles | the first version and the published one |
| zh_poems_two_editions | classical poems, most of them short | one poem in two editions |
| zh_docs_versions | product documentation | one page in several versions |
| qbank | exam questions | a group computed from rare 4-grams: no human label |

`simsieve evaluate labels` runs on each: it gives the scores at the default threshold, and finds the threshold with the
best F1 from similarity 0.4 upward. `simsieve dedup` runs once, and `pairs` on what it kept. The answer is wrong if a
figure is below its floor, or if two kept texts are near each other.

The set of manual pages in Simplified and in Traditional Chinese is measured without and with each fold. Its labels mark
pairs of one page in two scripts. Pages that share most of their words (`sha256sum`, `sha384sum`) count as wrong if they
are found near. So at the default threshold the pages' similarity limits precision, with any fold.

`--scheme` and `--idf` measure other weights, `--measure` another measure of similarity; the floors are for the default
alone. Under Jaccard the sweep starts at 0.25, the value of sets of one size at a cosine of 0.4. `--conflict` keeps
pairs apart as `simsieve dedup` does.

Usage: labels.py [--data FOLDER] [--scheme NAME] [--idf none|fit|MODEL] [--measure cosine|jaccard] [--conflict KINDS]
    [SET ...]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from common import DATA, finish, measured, records, table
from simsieve.config.near_rows import DEFAULTS

STEP = 0.005
LOWEST = {"cosine": 0.4, "jaccard": 0.25}
AS_IT_COMES = ("--scheme", "chars128", "--idf", "none", "--measure", "cosine")


@dataclass(frozen=True)
class Floors:
    """The least F1 that is right; None where nothing is asked."""

    default: float | None
    best: float


SETS = {
    "zh_tech_revisions": Floors(default=0.985, best=0.995),
    "zh_poems_two_editions": Floors(default=0.93, best=0.98),
    "zh_docs_versions": Floors(default=0.92, best=0.96),
    "qbank": Floors(default=None, best=0.83),
}


SCRIPTS = "zh_manpages_hans_hant"
"""One text in two scripts, as often as there are clusters."""
FOLDS = {
    "none": Floors(default=None, best=0.0),
    "t2s": Floors(default=None, best=0.96),
    "tw2sp": Floors(default=None, best=0.99),
}
LEAST_RECALL = 0.99
"""With a fold, at the default threshold."""


def source_of(name: str, data: Path) -> Path:
    """The file of a set; any other set is NAME.jsonl with id, text and cluster."""
    plain = data / f"{name}.jsonl"
    return plain if plain.is_file() else data / f"{name}.jsonl.gz"


def labelled(name: str, data: Path) -> Iterator[tuple[str, str, str]]:
    """The texts of a set: (id, text, cluster)."""
    for row in records(source_of(name, data)):
        if "text_a" in row:
            yield f"{row['id']}/A", row["text_a"], row["id"]
            yield f"{row['id']}/B", row["text_b"], row["id"]
        else:
            yield row["id"], row["text"], str(row.get("cluster") or row.get("computed_group") or f"alone {row['id']}")


def near_pairs(source: Path, sink: Path, *options: str) -> int:
    """How many pairs `simsieve pairs` finds."""
    measured([sys.executable, "-m", "simsieve", "pairs", source, "-o", sink, "--quiet", *options])
    with sink.open("rb") as lines:
        return sum(1 for _ in lines)


@dataclass(frozen=True)
class Measured:
    """One set: what `simsieve evaluate labels` says of it, and what `dedup` kept."""

    seen: dict[str, Any]
    f1_by_threshold: list[float]
    kept: int
    near_among_kept: int

    @property
    def default(self) -> dict[str, Any]:
        """The score as simsieve comes."""
        at: dict[str, Any] = self.seen["at"]
        return at

    @property
    def best(self) -> dict[str, Any]:
        """The score at the best threshold."""
        best: dict[str, Any] = self.seen["best"]
        return best


def measure(name: str, data: Path, way: Sequence[str]) -> Measured:
    """Measure one set; sets of less than 8,192 texts have every pair looked at, so the last count is exact."""
    with tempfile.TemporaryDirectory() as folder:
        source, sink = Path(folder, "texts.jsonl"), Path(folder, "pairs.jsonl")
        with source.open("w", encoding="utf-8") as out:
            for number, text, cluster in labelled(name, data):
                out.write(json.dumps({"id": number, "text": text, "label": cluster}, ensure_ascii=False) + "\n")
        lowest = str(LOWEST[way[-1]])
        command = [sys.executable, "-m", "simsieve", "evaluate", "labels", str(source), "--labels", "label", "--json"]
        told = subprocess.run([*command, "--from", lowest, "--quiet", *way], check=True, capture_output=True)
        seen = json.loads(told.stdout)
        kept = Path(folder, "kept.jsonl")
        if "fit" in way:
            # What is kept is looked at with the model of all.
            model = Path(folder, "all.model")
            measured([sys.executable, "-m", "simsieve", "fit", source, "-o", model, "--quiet", *way[:2]])
            way = [*way[:2], "--idf", str(model), *way[4:]]
        measured([sys.executable, "-m", "simsieve", "dedup", source, "-o", kept, "--quiet", *way])
        left = near_pairs(kept, sink, *way)
        with kept.open("rb") as lines:
            n_kept = sum(1 for _ in lines)
    f1 = [row["f1"] for row in seen.pop("thresholds")]
    return Measured(seen, f1, n_kept, left)


def judge(name: str, seen: Measured, floors: Floors) -> list[str]:
    """What is below its floor, or left over."""
    default, best = seen.default["f1"], seen.best["f1"]
    wrong = []
    if seen.near_among_kept:
        wrong.append(f"{name}: {seen.near_among_kept} pairs of kept texts are near each other")
    if floors.default is not None and default < floors.default:
        wrong.append(f"{name}: F1 {default:.4f} at the default threshold, at least {floors.default} asked")
    if best < floors.best:
        wrong.append(f"{name}: F1 {best:.4f} at the best threshold, at least {floors.best} asked")
    return wrong


HEADER = [
    "set", "texts", "gold pairs", "precision", "recall", "F1", "best at", "best F1", "average precision", "B-cubed F1",
    "Rand", "kept", "near left",
]  # fmt: skip


def row(name: str, seen: Measured) -> list[Any]:
    """A line of the table."""
    default, best, clusters = seen.default, seen.best, seen.seen["clusters"]
    scores = [*(default[key] for key in ("precision", "recall", "f1")), best["threshold"], best["f1"]]
    scores += [seen.seen["average_precision"], clusters["bcubed_f1"], clusters["adjusted_rand"]]
    return [name, seen.seen["documents"], seen.seen["gold_pairs"], *scores, seen.kept, seen.near_among_kept]


def folds(data: Path) -> tuple[list[list[Any]], dict[str, Any], list[str]]:
    """Measure texts in two scripts without and with each fold: lines of the table, all figures, what is wrong."""
    lines, told, wrong = [], {}, []
    for fold, floors in FOLDS.items():
        name = f"fold={fold}"
        seen = measure(SCRIPTS, data, ("--scheme", f"chars128:{name}", *AS_IT_COMES[2:]))
        lines.append(row(name, seen))
        told[name] = asdict(seen)
        wrong += judge(name, seen, floors)
        if fold != "none" and seen.default["recall"] < LEAST_RECALL:
            wrong.append(
                f"{name}: recall {seen.default['recall']:.4f} at the default threshold, at least {LEAST_RECALL} asked"
            )
    return lines, told, wrong


def run(
    names: Iterable[str],
    data: Path,
    absent: Sequence[str],
    way: Sequence[str] = AS_IT_COMES,
    *,
    with_folds: bool = False,
) -> int:
    """Measure the sets, print, and compare with the floors; `absent` ones are told in the result.

    `way` is how texts are measured: `--scheme NAME --idf WHICH --measure WHICH`; `with_folds` adds the texts in two
    scripts.
    """
    lines: list[list[Any]] = []
    told: dict[str, Any] = {}
    wrong: list[str] = []
    for name in names:
        seen = measure(name, data, way)
        told[name] = asdict(seen)
        lines.append(row(name, seen))
        wrong += judge(name, seen, SETS.get(name, Floors(default=None, best=0.0))) if tuple(way) == AS_IT_COMES else []
    readable = table(HEADER, lines) if lines else ""
    if told:
        means = np.mean([one["f1_by_threshold"] for one in told.values()], axis=0)
        lowest, default = LOWEST[way[-1]], DEFAULTS[way[-1]]
        at, asked = int(means.argmax()), round((default - lowest) / STEP)
        readable += (
            f"\nmean F1 {means[asked]:.4f} at {default}; {means[at]:.4f} at {lowest + STEP * at:.3f}, the best for all"
        )
    told_folds: dict[str, Any] = {}
    if with_folds:
        more, told_folds, bad = folds(data)
        readable += f"\n\n{SCRIPTS}\n{table(HEADER, more)}"
        wrong += bad
    figures = {"way": list(way), "sets": told, "folds": told_folds, "not_measured": list(absent)}
    return finish("labels", figures, readable, wrong)


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--scheme", default=AS_IT_COMES[1], help="as `simsieve dedup` takes it")
    parser.add_argument("--idf", default=AS_IT_COMES[3], help="as `simsieve dedup` takes it")
    parser.add_argument("--measure", default=AS_IT_COMES[5], choices=LOWEST, help="as `simsieve dedup` takes it")
    parser.add_argument("--conflict", help="as `simsieve dedup` takes it")
    known = [*SETS, SCRIPTS]
    parser.add_argument(
        "sets", nargs="*", default=known, metavar="SET", help=f"of {', '.join(known)}, or NAME.jsonl with cluster"
    )
    options = parser.parse_args()
    absent = [name for name in options.sets if not source_of(name, options.data).is_file()]
    if absent:
        print(f"LABELS NOT MEASURED: {', '.join(absent)} not in {options.data}", file=sys.stderr)
    conflict = ("--conflict", options.conflict) if options.conflict else ()
    way = ("--scheme", options.scheme, "--idf", options.idf, *conflict, "--measure", options.measure)
    present = [name for name in options.sets if name not in absent]
    with_folds = SCRIPTS in present and way == AS_IT_COMES
    return run([name for name in present if name != SCRIPTS], options.data, absent, way, with_folds=with_folds)


if __name__ == "__main__":
    raise SystemExit(main())
