"""What a drop loses: definitions compared by the answers of exam questions, and the one of simsieve checked.

Usage: python benches/lost.py [DATA] [--definitions]

DATA is a folder with qbank.jsonl.gz and others, by default ../shared/data. Printed are, for `dedup --max-lost N --keep
longest` on the exam questions: near drops, the share whose answer is that of their representative, the doubtful share
(another answer, and texts of about one length), and the share of the default's drops with equal answers that still
drop one record. Checked is that no drop loses more than N, nor more than 3 N by windows of six
units. With --definitions other definitions are tried in the same way, each in a plain form. Last come the units that
true pairs of other sets lose.
"""

import argparse
import difflib
import random
import re
import sys
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from common import DATA, records
from simsieve import dedup, find_pairs

BOUNDS = (4, 6, 8, 9, 10, 12, 16, 20, 30, 60)
ALIKE = 0.85
"""Two texts are of about one length if the shorter has at least this share of the longer's length."""

Definition = Callable[[str, str], int]


def compact(text: str) -> str:
    """The letters and digits of a text."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def units(text: str) -> int:
    """Two for each wide character, one for any other."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


def runs(text: str, other: str, size: int) -> list[tuple[bool, int]]:
    """The runs of characters that are in a window of both texts, and of those that are not, with their units."""

    def windows(s: str) -> list[tuple[int, int]]:
        found, end, held = [], 0, 0
        for start in range(len(s)):
            while end < len(s) and held < size:
                held += units(s[end])
                end += 1
            if held < size:
                break
            found.append((start, end))
            held -= units(s[start])
        return found

    there = {other[start:end] for start, end in windows(other)}
    covered = bytearray(len(text))
    for start, end in windows(text):
        if text[start:end] in there:
            covered[start:end] = b"\1" * (end - start)
    made: list[tuple[bool, int]] = []
    for c, is_covered in zip(text, covered, strict=True):
        if made and made[-1][0] == bool(is_covered):
            made[-1] = (made[-1][0], made[-1][1] + units(c))
        else:
            made.append((bool(is_covered), units(c)))
    return made


def plain(size: int) -> Definition:
    """The longest run outside windows of a size."""
    return lambda text, other: max((n for covered, n in runs(text, other, size) if not covered), default=0)


def merged(size: int, least: int) -> Definition:
    """As `plain`, but a covered run of fewer units than `least` between two lost ones is lost too."""

    def lost(text: str, other: str) -> int:
        joined: list[tuple[bool, int]] = []
        for covered, n in runs(text, other, size):
            is_covered = covered and not (n < least and joined)
            if joined and joined[-1][0] == is_covered:
                joined[-1] = (is_covered, joined[-1][1] + n)
            else:
                joined.append((is_covered, n))
        return max((n for covered, n in joined if not covered), default=0)

    return lost


def total(text: str, other: str) -> int:
    """All units outside windows of six units."""
    return sum(n for covered, n in runs(text, other, 6) if not covered)


def aligned(text: str, other: str) -> int:
    """The longest block that is not in the other text, by a line-up of both."""
    blocks = difflib.SequenceMatcher(None, other, text, autojunk=False).get_opcodes()
    return max((units(text[start:end]) for kind, _, _, start, end in blocks if kind != "equal"), default=0)


DEFINITIONS: dict[str, Definition] = {
    "windows of 8 units": plain(8), "windows of 6 units": plain(6), "windows of 4 units": plain(4),
    "windows of 6, covered runs below 10 lost": merged(6, 10),
    "windows of 8, covered runs below 10 lost": merged(8, 10),
    "sum over windows of 6": total, "alignment": aligned,
}  # fmt: skip


def read(data: Path, name: str) -> list[dict[str, object]]:
    """The records of a set."""
    return list(records(data / f"{name}.jsonl.gz"))


class Bank:
    """Exam questions with their answers, and the pairs that are near by the default."""

    def __init__(self, data: Path) -> None:
        rows = read(data, "qbank")
        self.texts = [str(row["text"]) for row in rows]
        self.compact = [compact(text) for text in self.texts]
        self.answers = [self.answer(row["answer"]) for row in rows]
        self.file = data / "qbank.jsonl.gz"
        self.pairs = [(pair.a_position, pair.b_position) for pair in find_pairs(str(self.file))]
        drops = self.drops()
        self.equal = [(a, b) for a, b in drops.items() if self.answers[a] == self.answers[b]]
        print(f"default: {len(drops)} near drops, {len(self.equal)} with equal answers")

    @staticmethod
    def answer(value: object) -> str:
        """An answer in one notation."""
        return compact("".join(map(str, value)) if isinstance(value, list) else str(value)).replace("答案", "")

    def drops(self, **settings: object) -> dict[int, int]:
        """The near drops of a run with their representatives."""
        near = dedup(str(self.file), **settings).decisions.near  # type: ignore[arg-type]
        return dict(zip(near.position.tolist(), near.representative.tolist(), strict=True))

    def decided(self, allowed: set[tuple[int, int]]) -> dict[int, int]:
        """The near drops of the plain loop, the longest first, under a relation of dropped and kept."""
        order = sorted(range(len(self.texts)), key=lambda at: (-len(self.texts[at]), at))
        place = {at: rank for rank, at in enumerate(order)}
        others: dict[int, list[int]] = {}
        for a, b in self.pairs:
            others.setdefault(max(a, b, key=place.__getitem__), []).append(min(a, b, key=place.__getitem__))
        kept: set[int] = set()
        found: dict[int, int] = {}
        for at in order:
            earlier = sorted(others.get(at, []), key=place.__getitem__)
            near = [to for to in earlier if to in kept and (at, to) in allowed]
            if near:
                found[at] = near[0]
            else:
                kept.add(at)
        return {at: to for at, to in found.items() if self.compact[at] != self.compact[to]}

    def row(self, drops: dict[int, int]) -> str:
        """The figures of some drops."""
        equal = sum(self.answers[at] == self.answers[to] for at, to in drops.items())
        sizes = ((len(self.compact[at]), len(self.compact[to]), at, to) for at, to in drops.items())
        doubtful = sum(
            min(a, b) >= ALIKE * max(a, b) and self.answers[at] != self.answers[to] for a, b, at, to in sizes
        )
        still = sum(a in drops or b in drops for a, b in self.equal)
        count = max(1, len(drops))
        return f"{len(drops):5d}  {equal / count:.3f}  {doubtful / count:.3f}  {still / len(self.equal):.3f}"


def check(bank: Bank, most: int) -> list[str]:
    """Decide with a bound, print the figures, and name what breaks the promise."""
    result = dedup(str(bank.file), max_lost=most, keep="longest")
    near = result.decisions.near
    drops = dict(zip(near.position.tolist(), near.representative.tolist(), strict=True))
    print(f"  {most:3d}  {bank.row(drops)}")
    wrong = [
        f"{at} loses {units}, more than {most}"
        for at, units in zip(drops, near.lost.tolist(), strict=True)
        if units > most
    ]
    by_six = plain(6)
    wrong += [
        f"{at} loses more than {3 * most} units by windows of six" for at, to in drops.items()
        if by_six(bank.compact[at], bank.compact[to]) > 3 * most
    ]  # fmt: skip
    return wrong


def compare(bank: Bank) -> None:
    """Try each definition in its plain form."""
    for name, lost in DEFINITIONS.items():
        print(f"{name}\n    N  drops  equal  doubt  still dropped")
        both = {(x, y): lost(bank.compact[x], bank.compact[y]) for a, b in bank.pairs for x, y in ((a, b), (b, a))}
        for most in BOUNDS[:-1]:
            allowed = {pair for pair, units in both.items() if units <= most}
            print(f"  {most:3d}  {bank.row(bank.decided(allowed))}")


def true_pairs(data: Path) -> dict[str, list[tuple[str, str]]]:
    """Some pairs of each set whose texts people call one."""
    draw = random.Random(1)

    def of_clusters(name: str) -> list[tuple[str, str]]:
        groups: dict[object, list[str]] = {}
        for row in read(data, name):
            if row.get("cluster"):
                groups.setdefault(row["cluster"], []).append(str(row["text"]))
        pairs = [pair for texts in groups.values() for pair in pairwise(texts)]
        return draw.sample(pairs, min(250, len(pairs)))

    revisions = draw.sample(read(data, "zh_tech_revisions"), 250)
    return {
        "revisions of articles": [(str(row["text_a"]), str(row["text_b"])) for row in revisions],
        "poems in two editions": of_clusters("zh_poems_two_editions"),
        "documentation in versions": of_clusters("zh_docs_versions"),
    }


def print_true_pairs(data: Path) -> None:
    """Print for each set the share of the true pairs in which one text, and each, loses at most N units."""
    lost = plain(8)
    for name, pairs in true_pairs(data).items():
        texts = [(compact(a)[:9000], compact(b)[:9000]) for a, b in pairs]
        both = [sorted((lost(a, b), lost(b, a))) for a, b in texts if a != b]
        count = max(1, len(both))
        shares = (
            f"{most}: {sum(least <= most for least, _ in both) / count:.2f}"
            f" {sum(more <= most for _, more in both) / count:.2f}"
            for most in (10, 20, 30, 60, 100, 200)
        )
        print(f"{name} ({len(both)} pairs): {'; '.join(shares)}")


def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--definitions", action="store_true", help="try the other definitions too; takes a minute")
    given = parser.parse_args()
    if not (given.data / "qbank.jsonl.gz").is_file():
        print(f"NOT MEASURED: {given.data} has no qbank.jsonl.gz")
        return 0
    bank = Bank(given.data)
    print("dedup --max-lost N --keep longest\n    N  drops  equal  doubt  still dropped")
    wrong = [message for most in BOUNDS for message in check(bank, most)]
    if given.definitions:
        compare(bank)
    print("true pairs: share of which one, each loses at most N units")
    print_true_pairs(given.data)
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
