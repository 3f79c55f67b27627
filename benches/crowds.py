"""Measures `dedup` on crowds: documents that share much of their text, against as many ordinary ones of their length.

`template`: half of each document is one text, the rest words of its own; `template-0.8` the same at similarity 0.8.
`templates`: as many templates as there are hundreds of documents. `vocabulary`: the rest are words that all documents
draw from, so all pairs are just below the threshold. `paragraphs`: eight of forty paragraphs each, so pairs are near
and nearly near in all combinations. `pool`: eight of 27, three tenths of the pool. `wide-0.3`: eight of two hundred, at
similarity 0.3. `beginning`: a third as many documents of 7 kB that begin with the same 5 kB. `below`: six tenths as
many ordinary documents, against one and a fifth as many; of fewer than 8,192 every pair is compared. `letters`: words
of four letters, so few windows are possible, and all documents have most of them; the run must warn of that.

The decisions are held against plain sums over windows of six letters: of sampled documents each dropped one must be
near its representative, and at most 2 % of the others near a kept one before them.

Processor time is that of the run without the program's start. A pair is a document and an earlier kept one of its
group; its time is that of all decisions, the walk, verifications and the reading of texts included. With `--sampled 0`
nothing is compared.

Usage: crowds.py [CROWD ...] [--documents N] [--similarity X] [--sampled N]
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import finish, table
from scale import alone

WINDOW = 6
BYTES, LONG_BYTES, BEGINNING_BYTES = 2_000, 7_000, 5_000
MEMBERS = 100
MISSED_AT_MOST = 0.02


@dataclass(frozen=True)
class Crowd:
    """A crowd: its texts, how many for each of --documents, and how many times the ordinary case it may cost."""

    texts: str
    allowed: float | None
    similarity: float | None = None
    share: float = 1.0
    ordinary_share: float = 1.0
    bytes: int = BYTES
    is_warned: bool = False


CROWDS = {
    "template": Crowd("template", 3),
    "template-0.8": Crowd("template", 3, similarity=0.8),
    "vocabulary": Crowd("vocabulary", 10),
    "paragraphs": Crowd("paragraphs", 5),
    "pool": Crowd("pool", 20),
    "wide-0.3": Crowd("wide", 20, similarity=0.3),
    "beginning": Crowd("beginning", 3, share=1 / 3, ordinary_share=1 / 3, bytes=LONG_BYTES),
    "below": Crowd("ordinary", 1, share=0.6, ordinary_share=1.2),
    "letters": Crowd("letters", 20, is_warned=True),
    "templates": Crowd("templates", 3),
}
MICROSECONDS_AT_MOST = 2.0
POOLS = {"paragraphs": 40, "pool": 27, "wide": 200}


def words(chance: random.Random, size: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    """Invented words, together about `size` bytes."""
    made: list[str] = []
    left = size
    while left > 0:
        made.append("".join(chance.choices(letters, k=chance.randint(3, 9))))
        left -= len(made[-1]) + 1
    return " ".join(made)


def groups(name: str, n: int) -> int:
    """How many groups of one size the documents of a crowd are."""
    return max(1, n // MEMBERS) if name == "templates" else 1


def crowd(name: str, n: int, size: int = BYTES) -> Iterator[str]:
    """The texts of a crowd."""
    chance = random.Random(name)
    template = words(chance, BYTES // 2)
    vocabulary = words(chance, 20_000).split()
    paragraphs = [words(chance, BYTES // 8) for _ in range(POOLS.get(name, 0))]
    beginning = words(chance, BEGINNING_BYTES)
    templates = [words(chance, BYTES // 2) for _ in range(groups(name, n))] if name == "templates" else []
    for number in range(n):
        if name == "ordinary":
            yield words(chance, size)
        elif name == "template":
            yield f"{template} {words(chance, BYTES // 2)}"
        elif name == "templates":
            yield f"{templates[number % len(templates)]} {words(chance, BYTES // 2)}"
        elif name == "vocabulary":
            yield f"{template} {' '.join(chance.choices(vocabulary, k=BYTES // 2 // 7))}"
        elif name == "beginning":
            yield f"{beginning} {words(chance, size - BEGINNING_BYTES)}"
        elif name == "letters":
            yield words(chance, BYTES, "acgt")
        else:
            yield " ".join(chance.sample(paragraphs, 8))


class Windows:
    """The distinct windows of some texts, numbered, and which of them each of all texts has."""

    def __init__(self, texts: list[str], chosen: list[int]) -> None:
        numbers: dict[str, int] = {}
        for at in chosen:
            for window in self.of(texts[at]):
                numbers.setdefault(window, len(numbers))
        sizes, rows = [], []
        for text in texts:
            own = self.of(text)
            sizes.append(len(own))
            rows.append(np.array([numbers[window] for window in own if window in numbers], dtype=np.int64))
        self.sizes = np.array(sizes)
        self.starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        self.all = np.concatenate(rows)
        self.held = np.zeros(len(numbers), dtype=np.int64)

    @staticmethod
    def of(text: str) -> set[str]:
        """The distinct windows of a text."""
        letters = text.replace(" ", "")
        return {letters[at : at + WINDOW] for at in range(len(letters) - WINDOW + 1)}

    def cosines(self, at: int) -> NDArray[np.float64]:
        """The cosine of a chosen text and each of those before it."""
        self.held[:] = 0
        self.held[self.all[self.starts[at] : self.starts[at + 1]]] = 1
        sums = np.concatenate([[0], np.cumsum(self.held[self.all[: self.starts[at]]])])
        shared = sums[self.starts[1 : at + 1]] - sums[self.starts[:at]]
        return np.asarray(shared / np.sqrt(self.sizes[at] * self.sizes[:at]))


def compare(texts: list[str], decisions: Path, similarity: float, sampled: int) -> tuple[dict[str, Any], list[str]]:
    """Hold the decisions on some texts against plain cosines."""
    with decisions.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kept = np.array([row["decision"] == "kept" for row in rows])
    missed, wrong = 0, []
    asked = sorted(random.Random(0).sample(range(1, len(texts)), min(sampled, len(texts) - 1)))
    windows = Windows(texts, asked)
    for at in asked:
        cosines = windows.cosines(at)
        if kept[at]:
            missed += bool((cosines[kept[:at]] >= similarity).any())
        elif cosines[rows[at]["representative_position"]] < similarity:
            wrong.append(f"document {at} was dropped for one that is not near")
    if missed > MISSED_AT_MOST * len(asked):
        wrong.append(f"{missed} of {len(asked)} documents were kept beside a near one")
    return {"kept": int(kept.sum()), "missed": missed, "sampled": len(asked)}, wrong


@dataclass(frozen=True)
class Run:
    """What a run on a collection cost, how its decisions compare, and what is wrong."""

    answer: dict[str, Any]
    found: dict[str, Any]
    wrong: list[str]

    @property
    def cpu_seconds(self) -> float:
        """Of the whole run."""
        return float(self.answer["seconds"]["all"][1])

    def pair_us(self, count: int) -> float | None:
        """Microseconds of the decisions for each pair of a document and an earlier kept one of its group.

        There are `count` groups of one size. None where there are few pairs. A document has half of the kept ones
        before it at least, in the mean: pairs are no fewer than these.
        """
        pairs = self.answer["read"] * self.answer["kept"] / count / 2
        seconds = self.answer["seconds"].get("decide", (0.0, 0.0))[1]
        return 1e6 * seconds / pairs if pairs >= 100_000 else None


def run(texts: list[str], similarity: float, sampled: int) -> Run:
    """Deduplicate some texts in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        source, decisions = Path(scratch, "texts.txt"), Path(scratch, "decisions.jsonl")
        source.write_text("".join(f"{text}\n" for text in texts), encoding="ascii")
        answer = alone(source, {"similarity": similarity, "keep": "first"}, decisions=decisions)
        found, wrong = compare(texts, decisions, similarity, sampled) if sampled else ({}, [])
    return Run(answer, found, wrong)


HEADER = [
    "crowd", "documents", "similarity", "CPU s", "ordinary CPU s", "times", "asked at most", "peak MB", "kept",
    "missed", "of sampled", "verified", "us a pair",
]  # fmt: skip


def main() -> int:
    """Make the crowds, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("crowds", nargs="*", help=f"of {', '.join(CROWDS)}; all but the last two by default")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--similarity", type=float, default=0.65, help="of crowds that have none of their own")
    parser.add_argument("--sampled", type=int, default=200)
    given = parser.parse_args()
    rows: list[list[Any]] = []
    wrong: list[str] = []
    ordinary: dict[tuple[int, int, float], float] = {}
    for name in given.crowds or list(CROWDS)[:-2]:
        kind = CROWDS[name]
        similarity = kind.similarity or given.similarity
        beside = round(given.documents * kind.ordinary_share), kind.bytes, similarity
        if beside not in ordinary:
            ordinary[beside] = run(list(crowd("ordinary", *beside[:2])), similarity, 0).cpu_seconds
        texts = list(crowd(kind.texts, round(given.documents * kind.share), kind.bytes))
        one = run(texts, similarity, given.sampled)
        times = one.cpu_seconds / ordinary[beside]
        pair_us = one.pair_us(groups(kind.texts, len(texts)))
        rows.append(
            [
                name, len(texts), similarity, one.cpu_seconds, ordinary[beside], times, kind.allowed,
                one.answer["peak_rss_bytes"] / 1e6, one.answer["kept"], one.found.get("missed"), given.sampled,
                one.answer["verified"], pair_us,
            ]
        )  # fmt: skip
        wrong += [f"{name}: {line}" for line in one.wrong]
        if kind.allowed is not None and times > kind.allowed:
            wrong.append(f"{name}: {times:.1f} times the ordinary case, at most {kind.allowed:g} asked")
        if pair_us is not None and pair_us > MICROSECONDS_AT_MOST:
            wrong.append(f"{name}: {pair_us:.1f} microseconds a pair, at most {MICROSECONDS_AT_MOST:g} asked")
        if any("do not distinguish" in text for text in one.answer["warned"]) != kind.is_warned:
            wrong.append(f"{name}: {'no warning' if kind.is_warned else 'a warning'} of features that are all alike")
    return finish("crowds", {"header": HEADER, "rows": rows}, table(HEADER, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
