"""Tries the readings of E-Simhash's paper, and compares the nearest one with its figures.

The paper (Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251) does not define how places
count, its ceiling W_t = 90, and more. Each is an option of `esimhash128`. Its corpus, 1,565 news articles, is not
available: articles in Chinese of at least 800 characters replace it. So the order of rates is compared, not their
digits.

*Rates*: each article is edited by random deletion, move, replacement and change of words, up to a share T of them; the
rate is the share of edited articles within the distance of the original, as in experiments 1 and 2, below 10 (at most
9) and at most 10. *Strangers*: the share of pairs of unedited articles within the distance; the paper has no figure.
*Search*: one article edited by up to 10 % against all, 100 times; precision, recall and F1 over all of them (experiment
3).

The answer is wrong if the default options of `esimhash128` are not those nearest to the paper's four rates.

Usage: esimhash.py [--data FOLDER] [--articles N] [--set NAME]
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
from numpy.typing import NDArray

import simsieve
from common import DATA, finish, table

SHARES = (0.05, 0.10, 0.15, 0.20)
PAPER = {"E-Simhash": (0.833, 0.751, 0.687, 0.661), "plain SimHash": (0.679, 0.529, 0.476, 0.451)}
PAPER_SEARCH = {"E-Simhash": (0.963, 0.867, 0.912), "plain SimHash": (0.818, 0.621, 0.706)}
DISTANCE = 10
LEAST_CHARACTERS = 800
RUNS = 100

GRID: dict[str, tuple[str, ...]] = {
    "tokens": ("words", "all"),
    "tf": ("share", "count"),
    "cap": ("90", "90%", "p90"),
    "place": ("word", "rank", "character", "weight"),
    "repeat": ("first", "last", "each"),
}
"""What the paper can mean: it has a ceiling of 90 and places."""
REST: dict[str, tuple[str, ...]] = {
    "over": ("ceiling", "mean", "zero"), "from": ("1", "0"),
}  # fmt: skip
WITHOUT = {"place": "none", "cap": "none"}
"""What is no reading of the paper, but tells what places and ceiling do."""
BASELINES = ("esimhash_baseline128", "esimhash_baseline128:weights=once")


def articles(name: str, data: Path, most: int) -> list[str]:
    """The first articles that are long enough, each cluster once."""
    texts: dict[Any, str] = {}
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            record = json.loads(line)
            if len(record["text"]) >= LEAST_CHARACTERS:
                texts.setdefault(record.get("cluster", at), record["text"])
    return list(texts.values())[:most]


def edited(words: list[str], share: float, random: Random, others: Sequence[str]) -> str:
    """The text of some words with a random share of them edited, up to `share`, each in one of four ways."""
    words = list(words)
    for _ in range(round(len(words) * random.uniform(0, share))):
        at = random.randrange(len(words))
        way = random.randrange(4)
        if way == 0:
            del words[at]
        elif way == 1:
            words.insert(random.randrange(len(words)), words.pop(at))
        elif way == 2:
            words[at] = random.choice(others)
        else:
            words[at] = words[at][::-1] if len(words[at]) > 1 else words[at] * 2
    return "".join(words)


class Trial:
    """The articles, their edited forms, and what a scheme makes of them."""

    def __init__(self, texts: list[str], seed: int = 1) -> None:
        random = Random(seed)
        segmenter = simsieve.Segmenter()
        cut = [segmenter.cut(text) for text in texts]
        others = [word for words in cut[:50] for word in words]
        self.texts = texts
        self.forms = {share: [edited(words, share, random, others) for words in cut] for share in SHARES}
        self.tenth = [edited(words, 0.10, random, others) for words in cut]
        self.models: dict[str, simsieve.Model] = {}

    def printer(self, spec: str) -> simsieve.Fingerprinter:
        """The scheme with a model of the articles, of which there is one for each way of cutting words."""
        if not spec.startswith("esimhash128"):
            return simsieve.Fingerprinter(spec)
        kind = "all" if "tokens=all" in spec else "words"
        if kind not in self.models:
            self.models[kind] = simsieve.fit(self.texts, scheme=f"esimhash128:tokens={kind}")
        return simsieve.Fingerprinter(spec, model=self.models[kind])

    def rates(self, spec: str) -> list[tuple[float, float]]:
        """For each T the rate below and at the distance."""
        printer = self.printer(spec)
        plain = printer.transform(self.texts).values
        rows = []
        for forms in self.forms.values():
            far = distances(plain, printer.transform(forms).values)
            rows.append((float(np.mean(far < DISTANCE)), float(np.mean(far <= DISTANCE))))
        return rows

    def strangers(self, spec: str) -> float:
        """The share of pairs of articles within the distance."""
        n = len(self.texts)
        return len(simsieve.near_pairs(self.printer(spec).transform(self.texts), DISTANCE)[0]) / (n * (n - 1) / 2)

    def search(self, spec: str) -> tuple[float, float, float]:
        """Precision, recall and F1 of one edited article against all."""
        printer = self.printer(spec)
        plain = printer.transform(self.texts).values
        asked = Random(2).sample(range(len(self.texts)), min(RUNS, len(self.texts)))
        forms = printer.transform([self.tenth[at] for at in asked]).values
        hits = found = 0
        for at, form in zip(asked, forms, strict=True):
            near = distances(plain, form[None, :]) <= DISTANCE
            hits += int(near[at])
            found += int(near.sum())
        precision, recall = hits / max(found, 1), hits / len(asked)
        return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def distances(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Differing bits, row by row."""
    bits: NDArray[np.int64] = np.unpackbits((a ^ b).view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
    return bits


def miss(rates: Sequence[tuple[float, float]]) -> float:
    """How far rates are from the paper's: the root of the mean squared difference, below or at the distance."""
    wanted = np.array(PAPER["E-Simhash"])
    return float(min(np.sqrt(np.mean((np.array(rates)[:, way] - wanted) ** 2)) for way in (0, 1)))


def spec_of(options: dict[str, str]) -> str:
    """The scheme with these options."""
    return "esimhash128:" + ",".join(f"{key}={value}" for key, value in options.items())


def readings(trial: Trial) -> list[tuple[float, dict[str, str], list[tuple[float, float]]]]:
    """The grid, nearest first; then the remaining options around the nearest."""
    found = []
    seen: set[str] = set()

    def look(options: dict[str, str]) -> None:
        digest = trial.printer(spec_of(options)).digest
        if digest not in seen:
            seen.add(digest)
            rates = trial.rates(spec_of(options))
            found.append((miss(rates), options, rates))

    rest = {key: values[0] for key, values in REST.items()}
    for values in itertools.product(*GRID.values()):
        if values[3] in ("rank", "weight") and values[4] == "last":
            continue  # every place of a word has the same number
        look(dict(zip(GRID, values, strict=True)) | rest)
    found.sort(key=lambda row: row[0])
    print(f"{len(found)} readings tried", file=sys.stderr)
    nearest = found[0][1]
    for key, values in REST.items():
        for value in values[1:]:
            look(nearest | {key: value})
    # Of equals the usual values stand first: a stable sort.
    return sorted(found, key=lambda row: row[0])


def main() -> int:
    """Try the readings, and tell what the usual one does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--articles", type=int, default=200)
    parser.add_argument("--set", default="zh_tech_articles")
    args = parser.parse_args()
    if not (args.data / f"{args.set}.jsonl.gz").exists():
        print(f"skipped: there is no {args.set}.jsonl.gz in {args.data}", file=sys.stderr)
        return 0
    trial = Trial(articles(args.set, args.data, args.articles))
    found = readings(trial)
    digest = simsieve.Fingerprinter("esimhash128").digest
    usual = next((at for at, row in enumerate(found) if simsieve.Fingerprinter(spec_of(row[1])).digest == digest), None)
    rows: list[list[Any]] = [
        [", ".join(f"{key}={value}" for key, value in options.items()), *(at for _, at in rates), far]
        for far, options, rates in (*found[:10], found[-1])
    ]
    readable = table(("reading", *(f"T = {share:.0%}" for share in SHARES), "miss"), rows)
    beside: list[list[Any]] = []
    nearest = found[0][1]
    without = [spec_of(nearest | {key: value}) for key, value in WITHOUT.items()]
    for spec in ("esimhash128", *without, spec_of(nearest | WITHOUT), *BASELINES):
        rates, search = trial.rates(spec), trial.search(spec)
        beside.append([f"{spec}, at most {DISTANCE}", *(at for _, at in rates), *search, trial.strangers(spec)])
        beside.append([f"{spec}, below {DISTANCE}", *(below for below, _ in rates), None, None, None, None])
    beside += [[f"the paper's {name}", *PAPER[name], *PAPER_SEARCH[name], None] for name in PAPER]
    head = ("scheme", *(f"T = {share:.0%}" for share in SHARES), "precision", "recall", "F1", "strangers")
    readable += "\n\n" + table(head, beside)
    wrong = (
        [] if usual == 0 else [f"esimhash128 is reading {usual} by nearness, not the nearest: {spec_of(found[0][1])}"]
    )
    result = {"articles": len(trial.texts), "set": args.set, "nearest": spec_of(found[0][1]), "beside": beside}
    return finish("esimhash", result, readable, wrong, "simsieve")


if __name__ == "__main__":
    sys.exit(main())
