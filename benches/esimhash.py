"""Chooses the reading of E-Simhash's paper on one half of the articles of two corpora, and judges it on the other half.

The paper (Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251) does not define how places
count, its ceiling W_t = 90, and more. Each is an option of `esimhash128`. Its corpus, 1,565 news articles, is not
available: Chinese technical articles and Chinese statutes of at least 800 characters replace it. They are cut at 1,500
characters, since news are shorter than they are; `--cut 0` takes them whole.

A reading has seven figures, those of experiments 2 and 3: the share of edited copies found at T = 5, 10, 15 and 20 %,
and precision, recall and F1 of one edited copy searched among all. `simsieve evaluate edits` measures them. The *gap*
is the root of the mean squared difference from the paper's seven figures, at the nearer of two bounds: the paper's
"below 10" can mean at most 9 or at most 10 bits.

The nearest reading is chosen by its mean gap over the first halves of both corpora. The answer is wrong if on the
second halves `esimhash128` has a larger mean gap than the chosen reading by more than `--margin`.

Usage: esimhash.py [--data FOLDER] [--articles N] [--cut CHARACTERS] [--margin X]
"""

import argparse
import gzip
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from common import DATA, finish, table
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.edit_rates import SHARES, EditRates, run_edits
from simsieve.schemes.criteria import MOST_SCHEMES

SETS = ("zh_tech_articles", "zh_law")
PAPER = (0.833, 0.751, 0.687, 0.661, 0.963, 0.867, 0.912)
PLAIN = (0.679, 0.529, 0.476, 0.451, 0.818, 0.621, 0.706)
BOUNDS = (10, 9)
LEAST_CHARACTERS = 800

GRID: dict[str, tuple[str, ...]] = {
    "cap": ("90%", "p90", "90"),
    "over": ("ceiling", "mean", "zero"),
    "place": ("character", "word", "rank"),
    "repeat": ("each", "first"),
}
"""What the paper can mean; the default of `esimhash128` comes first in each."""
MORE = ("tokens=all", "tf=share", "from=0")
"""Options that are tried with the default of all others."""
BESIDE = ("esimhash_baseline128", "esimhash_baseline128:weights=once", "words64")
"""What is judged beside the chosen readings."""


def articles(name: str, data: Path, most: int, cut: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Two halves of the articles that are long enough, each cluster once, in a random order."""
    texts: dict[Any, str] = {}
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            record = json.loads(line)
            if len(record["text"]) >= LEAST_CHARACTERS:
                texts.setdefault(record.get("cluster", at), record["text"][: cut or None])
    every = list(texts.values())
    chosen = Random(seed).sample(every, min(most, len(every)))
    return chosen[: len(chosen) // 2], chosen[len(chosen) // 2 :]


def readings() -> list[str]:
    """The readings that are tried, the default first."""
    grid = [
        "esimhash128:" + ",".join(f"{key}={value}" for key, value in zip(GRID, values, strict=True))
        for values in itertools.product(*GRID.values())
        # Every place of a word has one rank.
        if not (values[2] == "rank" and values[3] == "first")
    ]
    return grid + [f"esimhash128:{option}" for option in MORE]


def figures(rates: EditRates, bound: float) -> list[float]:
    """The seven figures at a bound."""
    score = rates.at(threshold=bound)
    found = [rates.at(share, bound).recall or 0.0 for share in SHARES]
    return [*found, score.precision or 0.0, score.recall or 0.0, score.f1]


def gap(rates: EditRates) -> tuple[float, float]:
    """The gap to the paper at the nearer bound, and that bound."""
    gaps = [(float(np.sqrt(np.mean((np.array(figures(rates, b)) - PAPER) ** 2))), float(b)) for b in BOUNDS]
    return min(gaps)


def measured(texts: list[str], specs: Sequence[str], seed: int) -> list[EditRates]:
    """What each scheme finds at the paper's bound."""
    found: list[EditRates] = []
    for at in range(0, len(specs), MOST_SCHEMES):
        part = specs[at : at + MOST_SCHEMES]
        config = DedupConfig(scheme=[f"{spec}@{BOUNDS[0]}bits" for spec in part], seed=seed)
        found += run_edits(texts, config, draws=1).rates
    return found


def main() -> int:
    """Choose a reading on the first halves, and judge it on the second ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--articles", type=int, default=1565, help="articles of each set, both halves together")
    parser.add_argument("--cut", type=int, default=1500, help="characters of an article that are taken; 0 for all")
    parser.add_argument("--margin", type=float, default=0.02, help="by how much a gap must be smaller to count")
    args = parser.parse_args()
    absent = [name for name in SETS if not (args.data / f"{name}.jsonl.gz").exists()]
    if absent:
        print(f"E-SIMHASH NOT MEASURED: {', '.join(absent)} not in {args.data}", file=sys.stderr)
        return finish("esimhash", {"not_measured": absent}, "nothing measured", [])
    halves = {name: articles(name, args.data, args.articles, args.cut) for name in SETS}
    specs = readings()
    gaps: dict[str, list[float]] = {spec: [] for spec in specs}
    for name in SETS:
        for spec, rates in zip(specs, measured(halves[name][0], specs, 1), strict=True):
            gaps[spec].append(gap(rates)[0])
        print(f"{name}: {len(specs)} readings tried", file=sys.stderr)
    order = sorted(specs, key=lambda spec: sum(gaps[spec]))
    default = specs[0]
    shown = list(dict.fromkeys([*order[:6], default, order[-1]]))
    readable = table(
        ("chosen on the first halves", *(f"gap, {name}" for name in SETS), "mean"),
        [[spec, *gaps[spec], sum(gaps[spec]) / len(SETS)] for spec in shown],
    )
    judged_specs = list(dict.fromkeys([*order[:3], default, *BESIDE]))
    judged: dict[str, list[float]] = {spec: [] for spec in judged_specs}
    rows: list[list[Any]] = []
    for name in SETS:
        for spec, rates in zip(judged_specs, measured(halves[name][1], judged_specs, 2), strict=True):
            far, bound = gap(rates)
            judged[spec].append(far)
            rows.append([f"{name}: {spec}, at most {bound:g}", *figures(rates, bound), far])
    rows += [["the paper's E-Simhash", *PAPER, 0.0], ["the paper's plain SimHash", *PLAIN, None]]
    head = (
        "judged on the second halves",
        *(f"T = {share:.0%}" for share in SHARES),
        "precision",
        "recall",
        "F1",
        "gap",
    )
    readable += "\n\n" + table(head, rows)
    means = {spec: sum(values) / len(SETS) for spec, values in judged.items()}
    wrong = []
    if means[default] - means[order[0]] > args.margin:
        wrong.append(f"esimhash128 has the mean gap {means[default]:.3f}, {order[0]} {means[order[0]]:.3f}")
    result = {"articles": {name: sum(map(len, halves[name])) for name in SETS}, "chosen": order[0], "judged": means}
    return finish("esimhash", result, readable, wrong)


if __name__ == "__main__":
    sys.exit(main())
