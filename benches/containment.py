"""Measures what `max_ratio` costs under `--measure containment`, and the parts that are found.

The documents are English, generated, of 640 words. Each part has the words of a document from a random place on, one of
32, 16, 8, 4 or 2 of them, or all, and some of its words are replaced. So between the threshold and 0.05 more of its
features are in the document. A run with the ratio R may drop a part if its document has at most R times its features.
Of these parts it should find the recall that `simsieve plan` tells, or 0.98 if that is less. The answer is wrong where
it finds less by more than three standard deviations, or if the plan of a larger ratio has fewer keys or tests.

Usage: containment.py [--documents N] [--parts N] [--similarity X] [--folder F]
"""

import argparse
import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from common import finish, table
from generate import TOPICS, Ids, Language, draw, language
from planted import TRIALS, write
from scale import alone
from simsieve import Scheme, plan
from simsieve import similarity as similarity_of

RATIOS = (1, 2, 4, 8, 16, 32)
WORDS = 640
ASKED = 0.98
DEVIATIONS = 3
HEADER = [
    "max ratio", "parts", "found", "recall", "at this ratio", "found", "recall", "CPU s", "candidates", "verified",
    "peak MB", "plan: keys", "plan: tests a document", "plan: recall at this ratio",
]  # fmt: skip


def part_of(lang: Language, whole: Ids, ratio: int, least: float, rng: np.random.Generator) -> tuple[str, float] | None:
    """A part of a document whose containment is within 0.05 above the threshold, and its ratio of features."""
    scheme = Scheme("chars128")
    text = lang.text(whole)
    features = len(scheme.features(text))
    length = len(whole) // ratio
    start = rng.integers(len(whole) - length + 1)
    copy = whole[start : start + length].copy()
    for _ in range(TRIALS):
        copy[rng.integers(len(copy))] = rng.integers(lang.words)
        part = lang.text(copy)
        found = similarity_of(part, text, measure="containment")
        if found < least:
            copy = whole[start : start + length].copy()
        elif found < least + 0.05:
            return part, features / len(scheme.features(part))
    return None


def main() -> int:
    """Make the documents and their parts, run with each ratio, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--parts", type=int, default=500, help="of each ratio")
    parser.add_argument("--similarity", type=float, default=0.8)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    rng = np.random.default_rng(5)
    lang = language("en", rng)
    lengths = np.full(given.documents, WORDS)
    tokens = draw(lang, lengths, rng.integers(TOPICS, size=given.documents), rng)
    wholes = np.split(tokens, np.cumsum(lengths)[:-1])
    # Each document has one part at most.
    parts: dict[str, tuple[str, float, int]] = {}
    for place, ratio in enumerate(RATIOS):
        for number in range(place * given.parts, (place + 1) * given.parts):
            made = part_of(lang, wholes[number], ratio, given.similarity, rng)
            if made is not None:
                parts[f"p{number}"] = (*made, ratio)
    first = [(f"d{number}", lang.text(whole)) for number, whole in enumerate(wholes)]
    texts = [*first, *((key, text) for key, (text, _, _) in parts.items())]
    rows: list[list[Any]] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder, "documents.jsonl")
        write(path, iter(texts))
        before: dict[str, float] = {}
        for most in RATIOS:
            settings = {"measure": "containment", "similarity": given.similarity, "max_ratio": most, "keep": "first"}
            answer = alone(path, settings, dropped=True)
            dropped = set(answer["dropped"])
            # Edits change the number of features a little, so the groups are by the features, not by the words.
            near = Counter(key in dropped for key, (_, ratio, _) in parts.items() if ratio <= most)
            last = Counter(key in dropped for key, (_, ratio, _) in parts.items() if most / 2 < ratio <= most)
            expected = plan(path, measure="containment", max_ratio=most, similarity=given.similarity)
            promised = min(expected.recall_of_parts, ASKED)
            rows.append(
                [
                    most, near.total(), near[True], near[True] / max(near.total(), 1), last.total(), last[True],
                    last[True] / max(last.total(), 1), answer["seconds"]["all"][1], answer["candidates"],
                    answer["verified"], answer["peak_rss_bytes"] / 1e6, expected.keys, expected.looks / len(texts),
                    expected.recall_of_parts,
                ]
            )  # fmt: skip
            noise = DEVIATIONS * math.sqrt(promised * (1 - promised) * near.total())
            if near[True] < promised * near.total() - noise:
                wrong.append(f"ratio {most}: {near[True]} of {near.total()} parts found, {promised:.3f} expected")
            costs = {"keys": float(expected.keys), "tests": expected.looks}
            wrong += [
                f"the plan of ratio {most} has fewer {name}: {cost:.0f}, {before[name]:.0f} before"
                for name, cost in costs.items()
                if cost < before.get(name, 0)
            ]
            before = costs
    result = {"documents": len(first), "similarity": given.similarity, "header": HEADER, "rows": rows}
    return finish("containment", result, table(HEADER, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
