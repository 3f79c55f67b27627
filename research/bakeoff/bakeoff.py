"""The bake-off of candidate sources: what finds the near pairs of real texts at the least cost.

For each length class, similarity and number of documents every source is set so that it finds 0.98 of the near pairs
(against brute force over all pairs), and its cost a document is reckoned from measured chances: keys and look-ups,
candidates met, those left by the filters, verifications. The constants of time stand in `bakeoff_sources`. Candidates
are extrapolated from how the similarities of strangers are spread, in two ways (see `mixture`): broad and narrow.

The answer is wrong where an exact source misses a pair, where real sketches find less than their chances say, or where
the brute force itself disagrees with the core. Prints Markdown.

Usage: PYTHONPATH=benches python research/bakeoff/bakeoff.py [--data FOLDER] [--seed S]
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff_labels import accuracy, labelled
from bakeoff_recipes import formulas_table, losses_table, promises_table, sketches_table
from bakeoff_sources import COUNTS, Cost, Keys
from bakeoff_tables import (
    SIMILARITIES,
    Field,
    background_table,
    cheapest,
    every_source,
    few_features_table,
    field,
    idf_table,
    markdown,
    prefix_growth,
    sets_table,
    sources_table,
    widths_table,
    winners_table,
)
from bakeoff_texts import SCHEME, SOURCES, Collection, Floats, Pairs, all_pairs, collect, sketch, sums_of
from common import DATA, finish

MOST_BINS = 400
# Over this many sketches, what is found may fall a little short of the chances; strangers that meet come in crowds.
SKETCHES, LEAST_RECALL, MOST_OFF = 4, 0.972, 2.0
RESAMPLES = 1000


def met_in_bands(docs: Collection, keys: Keys, squares: Floats | None, seed: int) -> NDArray[np.bool_]:
    """Which pairs truly meet in a band of real sketches: a matrix."""
    bins = np.floor(sketch(docs, keys.rows * keys.tables, seed, squares) * 256.0**keys.bin_bytes).astype(np.int64)
    met = np.zeros((len(docs.texts), len(docs.texts)), dtype=bool)
    for table in range(keys.tables):
        band = bins[:, table * keys.rows : (table + 1) * keys.rows]
        _, numbers = np.unique(band, axis=0, return_inverse=True)
        order = np.argsort(numbers.ravel(), kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(numbers.ravel()[order])) + 1):
            if len(group) > 1:
                met[np.ix_(group, group)] = True
    return met


# Bands that strangers meet in often enough to be counted.
COUNTED = Keys(rows=2, bin_bytes=1, bits=0, tables=10, width=128)


def background_met(docs: Collection, pairs: Pairs, squares: Floats | None, seed: int) -> tuple[float, int]:
    """How many pairs of the background meet in the counted bands: expected by the chances, and with real sketches."""
    far = np.flatnonzero(pairs.far)
    expected = COUNTED.ever(COUNTED.chance(pairs.jaccard[far], np.zeros(1, dtype=np.int64))).sum()
    met = met_in_bands(docs, COUNTED, squares, seed)
    return float(expected), int(met[pairs.a[far], pairs.b[far]].sum())


def interval(found: list[NDArray[np.bool_]], seed: int) -> tuple[float, float]:
    """The middle 95 % of the recall where sketches and pairs are drawn again, with repetition, in each set."""
    chance = np.random.default_rng(seed)
    drawn = []
    for _ in range(RESAMPLES):
        sets = []
        for met in found:
            sketches, pairs = (chance.integers(size, size=size) for size in met.shape)
            sets.append(met[np.ix_(sketches, pairs)].mean())
        drawn.append(np.mean(sets))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def checks(at: Field, costs: dict[float, list[Cost]], weights: str, seed: int) -> Iterator[tuple[list[Any], list[str]]]:
    """Real sketches against their chances, exact prefixes against brute force: a row of the table and what is wrong."""
    squares = [it if weights == "idf" else None for it in at.squares]
    sets = list(zip(at.docs, at.pairs, squares, strict=True))
    seeds = range(seed, seed + SKETCHES)
    counted = np.mean([np.sum([background_met(*it, each) for it in sets], axis=0) for each in seeds], axis=0)
    for similarity in (0.65, 0.8):
        where = f"{at.length}, {weights}, {similarity}"
        exact = next(cost for cost in costs[similarity] if cost.family == "prefix, exact")
        bands = [cost for cost in costs[similarity] if cost.family == "bands, 1 B" and cost.bins <= MOST_BINS]
        cost = cheapest(bands, at.length, COUNTS[0], broad=True)["bands, 1 B"][1]
        tables, rows = int(cost.keys), int(cost.setting.split(" x ")[1].split()[0])
        found = []
        for docs, pairs, square in sets:
            near = np.flatnonzero(pairs.cosine >= similarity - 1e-9)
            if len(near):
                met = [met_in_bands(docs, Keys(rows, 1, 0, tables, 128), square, each) for each in seeds]
                found.append(np.array([one[pairs.a[near], pairs.b[near]] for one in met]))
        recall = float(np.mean([met.mean() for met in found]))
        low, high = interval(found, seed)
        wrong = [] if exact.recall == 1 else [f"{where}: exact prefixes find {exact.recall:.4f}"]
        if recall < LEAST_RECALL:
            wrong.append(f"{where}: real sketches find {recall:.4f} where {cost.recall:.4f} was reckoned")
        if not 1 / MOST_OFF < counted[1] / counted[0] < MOST_OFF:
            wrong.append(f"{where}: {counted[1]:.0f} pairs of background meet where {counted[0]:.0f} were reckoned")
        row = [
            where,
            f"{tables} x {rows}",
            f"{cost.recall:.4f}",
            f"{recall:.4f} ({low:.4f} to {high:.4f})",
            f"{counted[0]:,.0f}",
            f"{counted[1]:,.0f}",
            f"{exact.recall:.4f}",
        ]
        yield row, wrong


def against_core(at: Field) -> list[str]:
    """Brute force and sums against the core's own similarity and fingerprint."""
    docs, pairs = at.docs[0], at.pairs[0]
    wrong = []
    for row in np.linspace(0, len(pairs.a) - 1, 50).astype(int).tolist() + np.argsort(-pairs.cosine)[:50].tolist():
        theirs = SCHEME.similarity(docs.texts[pairs.a[row]], docs.texts[pairs.b[row]])
        if abs(theirs - pairs.cosine[row]) > 1e-6:
            wrong.append(f"{docs.name}: similarity {pairs.cosine[row]} is {theirs} to the core")
    for row in range(20):
        theirs_sums = SCHEME.sums(docs.texts[row])
        if theirs_sums is None or theirs_sums.tolist() != at.sums[0][row][:128].tolist():
            wrong.append(f"{docs.name}: the sums of text {row} are others to the core")
    return wrong


def classes(data: Path, seed: int) -> dict[str, list[Collection]]:
    """The sets that are there, by length class; absent ones are told."""
    found: dict[str, list[Collection]] = {}
    for source in SOURCES:
        if (data / f"{source.file}.jsonl.gz").is_file():
            found.setdefault(source.length, []).append(collect(source, data, seed))
        else:
            print(f"BAKE-OFF WITHOUT {source.name}: {source.file} is not in {data}", file=sys.stderr)
    return found


def run(data: Path, seed: int) -> int:
    """Measure everything and print it."""
    docs = classes(data, seed)
    if not docs:
        print(f"BAKE-OFF NOT RUN: no development data in {data}", file=sys.stderr)
        return 0
    parts: list[str] = []
    wrong: list[str] = []
    checked: list[list[Any]] = []
    fields: dict[str, dict[str, Field]] = {}
    winners: dict[str, dict[str, dict[float, list[Cost]]]] = {}
    for weights in ("once", "idf"):
        fields[weights] = {length: field(length, sets, idf=weights == "idf") for length, sets in docs.items()}
        winners[weights] = {}
        for length, at in fields[weights].items():
            costs = {similarity: every_source(at, similarity, 128) for similarity in SIMILARITIES}
            winners[weights][length] = costs
            for row, errors in checks(at, costs, weights, seed):
                checked.append(row)
                wrong += errors
            if weights == "once":
                wrong += against_core(at)
    plain, ones = fields["once"], list(fields["once"].values())

    def part(title: str, text: str) -> None:
        parts.append(f"## {title}\n\n{text}\n")

    part("Sets", sets_table(ones))
    part("Background", background_table(ones))
    part("Cheapest, features once, 128 bits, broad", winners_table(winners["once"], broad=True))
    part("Cheapest, features once, 128 bits, narrow", winners_table(winners["once"], broad=False))
    part("Cheapest, weights by document frequency, 128 bits, broad", winners_table(winners["idf"], broad=True))
    for length in plain:
        for similarity in (0.65, 0.8):
            name = f"Every source: {length}, {similarity}, 10 million, features once, 128 bits"
            part(name, sources_table(length, winners["once"][length][similarity], COUNTS[1]))
    part("Widths: 0.65, 10 million", widths_table(ones, 0.65, COUNTS[1]))
    part("Weights by document frequency: 10 million", idf_table(plain, fields["idf"], COUNTS[1]))
    part("What a recall of 0.98 promises", promises_table(ones))
    part("The recipe's formula", formulas_table(ones))
    part("Length of sketches: 1 million", sketches_table(ones, COUNTS[0]))
    few = labelled(data, seed)
    part("Few features", few_features_table(few))
    few_pairs = [all_pairs(it, sums_of(it, None), np.ones(len(it.hashes))) for it in few]
    everything = [*zip(few, few_pairs, strict=True), *[it for at in ones for it in zip(at.docs, at.pairs, strict=True)]]
    part("Near pairs lost by the bits", losses_table(everything))
    if "short" in docs:
        growth = [[it.name, *[f"{x * 1e6:.3g}" for x in prefix_growth(it)]] for it in docs["short"]]
        header = ["meetings in exact prefixes a million pairs of background, 0.65", "a quarter", "a half", "all"]
        part("Prefixes as a set grows", markdown(header, growth))
    part("Agreement with labels at 0.65, by features", markdown(*accuracy(few, few_pairs)))
    header = [
        "class, weights, similarity",
        "bands",
        "recall by chances",
        "by sketches (95 %)",
        "background met in 10 x 2, by chances",
        "by sketches",
        "exact prefix",
    ]
    part("Checks", markdown(header, checked))
    return finish(
        "bakeoff",
        {"recall_by_sketches": {row[0]: float(row[3].split()[0]) for row in checked}},
        "\n".join(parts),
        wrong,
    )


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--seed", type=int, default=1, help="of the edits and the sketches")
    options = parser.parse_args()
    return run(options.data, options.seed)


if __name__ == "__main__":
    raise SystemExit(main())
