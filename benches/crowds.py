"""Measures `dedup` on crowds: 10,000 documents of 2 kB that share much of their text, against as many ordinary ones.

`template`: half of each document is one text, the rest words of its own. `vocabulary`: the rest are words that all
documents draw from, so all pairs are just below the threshold. `paragraphs`: eight of forty paragraphs each, so pairs
are near and nearly near in all combinations. `letters`: words of four letters, so few windows are possible, and all
documents have most of them.

The decisions are held against plain sums over windows of six letters: of sampled documents each dropped one must be
near its representative, and at most 2 % of the others near a kept one before them.

Usage: crowds.py [CROWD ...] [--documents N] [--similarity X] [--sampled N]
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import finish, measured, table

WINDOW = 6
BYTES = 2000
CROWDS = ("ordinary", "template", "vocabulary", "paragraphs", "letters")
# How many times the ordinary case a crowd may cost; one of letters is bounded by its warning alone.
ALLOWED = {"template": 3, "vocabulary": 10, "paragraphs": 5}
MISSED_AT_MOST = 0.02


def words(chance: random.Random, size: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    """Invented words, together about so many bytes."""
    made: list[str] = []
    left = size
    while left > 0:
        made.append("".join(chance.choices(letters, k=chance.randint(3, 9))))
        left -= len(made[-1]) + 1
    return " ".join(made)


def crowd(name: str, n: int) -> Iterator[str]:
    """The texts of a crowd."""
    chance = random.Random(name)
    template = words(chance, BYTES // 2)
    vocabulary = words(chance, 20_000).split()
    paragraphs = [words(chance, BYTES // 8) for _ in range(40)]
    for _ in range(n):
        if name == "ordinary":
            yield words(chance, BYTES)
        elif name == "template":
            yield f"{template} {words(chance, BYTES // 2)}"
        elif name == "vocabulary":
            yield f"{template} {' '.join(chance.choices(vocabulary, k=BYTES // 2 // 7))}"
        elif name == "paragraphs":
            yield " ".join(chance.sample(paragraphs, 8))
        else:
            yield words(chance, BYTES, "acgt")


class Windows:
    """The distinct windows of all texts, numbered, text after text."""

    def __init__(self, texts: list[str]) -> None:
        numbers: dict[str, int] = {}
        rows = []
        for text in texts:
            letters = text.replace(" ", "")
            own = {letters[at : at + WINDOW] for at in range(len(letters) - WINDOW + 1)}
            rows.append([numbers.setdefault(window, len(numbers)) for window in own])
        self.sizes = np.array([len(row) for row in rows])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.all = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
        self.held = np.zeros(len(numbers), dtype=np.int64)

    def cosines(self, at: int) -> NDArray[np.float64]:
        """The cosine of a text and each of those before it."""
        self.held[:] = 0
        self.held[self.all[self.starts[at] : self.starts[at + 1]]] = 1
        shared = np.add.reduceat(self.held[self.all[: self.starts[at]]], self.starts[:at])
        return np.asarray(shared / np.sqrt(self.sizes[at] * self.sizes[:at]))


def compare(texts: list[str], decisions: Path, similarity: float, sampled: int) -> tuple[dict[str, Any], list[str]]:
    """Hold the decisions on some texts against plain cosines."""
    with decisions.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kept = np.array([row["decision"] == "kept" for row in rows])
    windows = Windows(texts)
    missed, wrong = 0, []
    asked = sorted(random.Random(0).sample(range(1, len(texts)), min(sampled, len(texts) - 1)))
    for at in asked:
        cosines = windows.cosines(at)
        if kept[at]:
            missed += bool((cosines[kept[:at]] >= similarity).any())
        elif cosines[rows[at]["representative_position"]] < similarity:
            wrong.append(f"document {at} was dropped for one that is not near")
    if missed > MISSED_AT_MOST * len(asked):
        wrong.append(f"{missed} of {len(asked)} documents were kept beside a near one")
    return {"kept": int(kept.sum()), "missed": missed, "sampled": len(asked)}, wrong


def main() -> int:
    """Make the crowds, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("crowds", nargs="*", help=f"of {', '.join(CROWDS[1:])}; the first three by default")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--similarity", type=float, default=0.65)
    parser.add_argument("--sampled", type=int, default=200)
    given = parser.parse_args()
    rows: list[list[Any]] = []
    wrong: list[str] = []
    ordinary = 0.0
    for name in ["ordinary", *(given.crowds or CROWDS[1:4])]:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            texts = list(crowd(name, given.documents))
            source, decisions = folder / "texts.txt", folder / "decisions.jsonl"
            source.write_text("".join(f"{text}\n" for text in texts), encoding="ascii")
            command = [
                sys.executable, "-m", "simsieve", "dedup", source, "-o", folder / "kept.txt", "--decisions", decisions,
                "--similarity", given.similarity, "--keep", "first",
            ]  # fmt: skip
            usage = measured(list(map(str, command)))
            found, bad = compare(texts, decisions, given.similarity, given.sampled)
        ordinary = ordinary or usage.cpu_seconds
        times = usage.cpu_seconds / ordinary
        rows.append(
            [
                name,
                usage.cpu_seconds,
                times,
                usage.peak_rss_bytes / 1e6,
                found["kept"],
                found["missed"],
                found["sampled"],
            ]
        )
        wrong += [f"{name}: {line}" for line in bad]
        if times > ALLOWED.get(name, times):
            wrong.append(f"{name}: {times:.1f} times the ordinary case, at most {ALLOWED[name]} asked")
    header = ["crowd", "CPU s", "times the ordinary", "peak MB", "kept", "missed", "of sampled"]
    result = {"documents": given.documents, "similarity": given.similarity, "header": header, "rows": rows}
    return finish("crowds", result, table(header, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
