"""Measures `dedup` on texts of 3 kB that share paragraphs and are not near each other, at two sizes.

`pool`: paragraphs of a fixed pool. `growing`: of a pool that grows with the collection, eight texts a paragraph.
`quoted`: half of each text is the beginning of one of the thousand texts before it. `site`: the header and footer of
one of a hundred sites around own text. `form`: one of 1,000 templates with three own fields, half of the text. Own text
is recombined of short pieces of the pool. One text in a hundred is an earlier one without its end: a planted copy.

The answer is wrong if less than 98 % of the planted copies are dropped, or if a text costs more than 1.4 times as much
processor time, or 1.2 times as much memory, at the last size as at the first.

With `--checks N` an index is made of the texts in place of a run, N further texts of the kind are checked 2,000 a call,
and added. The answer is then wrong if a check or an addition of a text costs more than 1.4 times at the last size, or a
planted copy among the further texts is not dropped.

Usage: sharing.py [KIND ...] [--language zh|en|both] [--sizes N N] [--similarity X] [--checks N] [--to FILE]
                  [--data FOLDER]
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import DATA, absent_sets, finish, records, table
from scale import alone
from simsieve import Index

SETS = {"zh": ["zh_tech_articles"], "en": ["en_tech_articles"], "both": ["zh_tech_articles", "en_tech_articles"]}
KINDS = ("pool", "growing", "quoted", "site", "form")
BYTES, PIECE, COPY_OF, FOUND_AT_LEAST = 3_000, 24, 100, 0.98
TIMES_CPU, TIMES_MEMORY = 1.4, 1.2


def pool(data: Path, names: list[str]) -> list[str]:
    """The paragraphs of more than 40 characters."""
    texts = (record["text"] for name in names for record in records(data / f"{name}.jsonl.gz"))
    lines = {" ".join(line.split()) for text in texts for line in text.splitlines()}
    return sorted(line for line in lines if len(line) > 40)


class Texts:
    """The texts of one kind, from a pool of paragraphs."""

    def __init__(self, kind: str, paragraphs: list[str], n: int) -> None:
        self.kind, self.paragraphs, self.n = kind, paragraphs, n
        letters = "".join(paragraphs)
        self.size = BYTES * len(letters) // len(letters.encode())
        self.earlier: list[str] = []

    def own(self, chance: random.Random, size: int) -> str:
        """Text that no other one has: pieces of paragraphs."""
        made = []
        for paragraph in chance.choices(self.paragraphs, k=size // PIECE):
            at = chance.randrange(len(paragraph))
            made.append(paragraph[at : at + PIECE])
        return "".join(made)

    def drawn(self, chance: random.Random) -> str:
        """Paragraphs of a pool."""
        made: list[str] = []
        left = self.size
        while left > 0:
            if self.kind == "pool":
                made.append(chance.choice(self.paragraphs))
            else:
                made.append(self.own(random.Random(chance.randrange(self.n)), self.size // 8))
            left -= len(made[-1])
        return " ".join(made)

    def text(self, chance: random.Random) -> str:
        """One text."""
        half = self.size // 2
        if self.kind in ("pool", "growing"):
            return self.drawn(chance)
        if self.kind == "quoted":
            quoted = chance.choice(self.earlier) if self.earlier else ""
            return f"{self.own(chance, half)} {quoted[:half]}"
        number = chance.randrange(100 if self.kind == "site" else 1000)
        shared = self.own(random.Random(number), half)
        if self.kind == "site":
            return f"{shared[: half // 2]} {self.own(chance, half)} {shared[half // 2 :]}"
        parts = [shared[at * half // 3 : (at + 1) * half // 3] for at in range(3)]
        return " ".join(f"{part} {self.own(chance, half // 3)}" for part in parts)

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        chance = random.Random(self.kind)
        for at in range(self.n):
            is_copy = at % COPY_OF == COPY_OF - 1
            text = chance.choice(self.earlier) if is_copy else self.text(chance)
            yield text[: len(text) * 19 // 20] if is_copy else text, is_copy
            if not is_copy:
                self.earlier = [*self.earlier[-999:], text]


def write(texts: Texts, path: Path) -> set[int]:
    """Write texts as lines; the places of the planted copies."""
    copies = set()
    with path.open("w", encoding="utf-8") as out:
        for at, (text, is_copy) in enumerate(texts):
            out.write(f"{text}\n")
            if is_copy:
                copies.add(at)
    return copies


def dropped(decisions: Path) -> set[int]:
    """The places of the texts that were dropped."""
    with decisions.open(encoding="utf-8") as lines:
        return {at for at, line in enumerate(lines) if json.loads(line)["decision"] == "dropped"}


def checked(texts: Texts, new: int, folder: Path) -> tuple[list[Any], float]:
    """Microseconds a text to make an index, to check and add the last texts; and the share of copies that is found."""
    source = folder / "texts.txt"
    further: list[str] = []
    copies: set[int] = set()
    with source.open("w", encoding="utf-8") as out:
        for at, (text, is_copy) in enumerate(texts):
            if at < texts.n - new:
                out.write(f"{text}\n")
                continue
            if is_copy:
                copies.add(len(further))
            further.append(text)

    def cost(n: int, work: Callable[[], Any]) -> float:
        before = time.process_time()
        work()
        return 1e6 * (time.process_time() - before) / n

    index: list[Index] = []
    costs = [cost(texts.n - new, lambda: index.append(Index.create(folder / "index", str(source), sample=0)))]
    parts = [further[at : at + 2_000] for at in range(0, new, 2_000)]
    costs.append(cost(new, lambda: [index[0].check(part) for part in parts]))
    answers: list[Any] = []
    costs.append(cost(new, lambda: answers.extend(row for part in parts for row in index[0].add(part).decisions)))
    index[0].close()
    found = {at for at, row in enumerate(answers) if row.decision == "dropped"}
    return costs, len(copies & found) / max(1, len(copies))


def decided(texts: Texts, similarity: float, folder: Path) -> tuple[list[Any], float, list[float]]:
    """The row of one run, the share of copies that it drops, and processor time and memory a text."""
    source, decisions, n = folder / "texts.txt", folder / "decisions.jsonl", texts.n
    copies = write(texts, source)
    answer = alone(source, {"similarity": similarity, "keep": "first"}, decisions=decisions)
    seconds = answer["seconds"]
    costs = [1e6 * seconds["all"][1] / n, answer["peak_rss_bytes"] / n]
    decide = 1e6 * seconds.get("decide", (0.0, 0.0))[1] / n
    counts = [answer["candidates"] / n, answer["verified"] / n, answer["near"]]
    found = len(copies & dropped(decisions)) / len(copies)
    return [seconds["all"][1], costs[0], decide, costs[1], *counts, found], found, costs


RUNS = ["kind", "texts", "CPU s", "us a text", "decide us", "bytes a text", "candidates", "verified", "near", "found"]
CHECKS = ["kind", "texts", "create us a text", "check us", "add us", "found"]


def main() -> int:
    """Make the texts, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("kinds", nargs="*", default=KINDS, help=f"of {', '.join(KINDS)}")
    parser.add_argument("--language", choices=SETS, default="both")
    parser.add_argument("--sizes", type=int, nargs=2, default=[200_000, 1_000_000])
    parser.add_argument("--similarity", type=float, default=0.6)
    parser.add_argument("--checks", type=int, metavar="N", help="check and add N further texts beside an index")
    parser.add_argument("--to", type=Path, help="write the texts of the last size to this file, and run nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    given = parser.parse_args()
    if absent := absent_sets("sharing", given.data, SETS[given.language]):
        return finish("sharing", {"not_measured": absent}, "nothing measured", [])
    paragraphs = pool(given.data, SETS[given.language])
    if given.to:
        write(Texts(given.kinds[0], paragraphs, given.sizes[1]), given.to)
        return 0
    rows: list[list[Any]] = []
    wrong: list[str] = []
    limits = [("a check", TIMES_CPU), ("an addition", TIMES_CPU)]
    if not given.checks:
        limits = [("CPU time", TIMES_CPU), ("memory", TIMES_MEMORY)]
    for kind in given.kinds:
        costs = []
        for n in given.sizes:
            texts = Texts(kind, paragraphs, n + (given.checks or 0))
            with tempfile.TemporaryDirectory() as scratch:
                if given.checks:
                    each, found = checked(texts, given.checks, Path(scratch))
                    row = [*each, found]
                    each = each[1:]
                else:
                    row, found, each = decided(texts, given.similarity, Path(scratch))
            costs.append(each)
            rows.append([kind, n, *row])
            if found < FOUND_AT_LEAST:
                wrong.append(f"{kind}: {found:.3f} of the planted copies of {n} texts are dropped")
        for (cost, times), least, most in zip(limits, *costs, strict=True):
            if most > times * least:
                wrong.append(f"{kind}: {cost} of a text takes {most / least:.2f} times what it takes at the first size")
    header = CHECKS if given.checks else RUNS
    return finish("sharing", {"header": header, "rows": rows}, table(header, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
