"""How well the default similarity agrees with labels on short texts, by the number of their features."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff_texts import LABELLED, Collection, Pairs, collect

SIMILARITY, LEAST, FEWEST = 0.65, 0.2, 10
EDGES = (1, 12, 24, 32, 48, 96, 192, 1000)


def labelled(data: Path, seed: int) -> list[Collection]:
    """The sets of short texts that are there; absent ones are told."""
    found = []
    for source in LABELLED:
        if (data / f"{source.file}.jsonl.gz").is_file():
            found.append(collect(source, data, seed))
        else:
            print(f"LABELS NOT MEASURED: {source.name}, {source.file} is not in {data}", file=sys.stderr)
    return found


def scores(near: NDArray[np.bool_], kin: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision, recall and F1 of pairs."""
    right, found, gold = int((near & kin).sum()), int(near.sum()), int(kin.sum())
    precision, recall = right / found if found else 1.0, right / gold
    return precision, recall, 2 * right / (found + gold)


def accuracy(sets: list[Collection], all_of: list[Pairs]) -> tuple[list[str], list[list[Any]]]:
    """A header and a row for each set and range of features (of the smaller text of a pair) that has labelled pairs."""
    rows: list[list[Any]] = []
    for docs, pairs in zip(sets, all_of, strict=True):
        smaller = np.minimum(docs.sizes[pairs.a], docs.sizes[pairs.b])
        for least, most in pairwise(EDGES):
            inside = np.flatnonzero((smaller >= least) & (smaller < most) & ((pairs.cosine >= LEAST) | pairs.kin))
            cosine, kin = pairs.cosine[inside], pairs.kin[inside]
            if kin.sum() < FEWEST:
                continue
            best = max((scores(cosine >= at - 1e-9, kin)[2], -at) for at in np.arange(LEAST, 1, 0.01))
            texts = int(((docs.sizes >= least) & (docs.sizes < most)).sum())
            rows.append(
                [docs.name, f"{least} to {most - 1}", texts, int(kin.sum()), *scores(cosine >= SIMILARITY - 1e-9, kin)]
            )
            rows[-1] += [f"{-best[1]:.2f}", best[0]]
    header = ["set", "features", "texts", "labelled pairs", "precision", "recall", "F1", "best at", "best F1"]
    return header, rows
