"""Measures `simsieve lines`: what it costs on generated web text, and whether what goes is what was planted.

A page has 20 to 40 lines of its own, each with a number that no other has, five lines of its site and two that any page
may have. So what is repeated is known: the first of each planted line stays, and all others go, with their characters.
With --near each planted line ends in a digit of its own, and near ones count as equal: then the share of the planted
lines that go is a recall, and no other may go.

Usage: lines.py [--megabytes N] [--near]
"""

import argparse
import json
import random
import sys
import tempfile
from itertools import accumulate
from pathlib import Path

from common import finish, measured, table

GOALS = {False: 12.0, True: 40.0}
"""CPU seconds a GB at most, of equal units and of near ones, with the module of `make build`."""
RECALL = 0.98
SITES = 1000


class Pages:
    """Writes pages, and counts what is repeated in them."""

    def __init__(self, seed: int, *, near: bool) -> None:
        self._random, self._near, self._number = random.Random(seed), near, 0
        signs = [chr(0x4E00 + at * 7 % 6000) for at in range(3000)]
        weights = list(accumulate(1 / (rank + 3) for rank in range(3000)))
        self._signs, self._weights = signs, weights
        self._base = "".join(self._random.choices(signs, cum_weights=weights, k=1 << 20))
        self._sites = [[self._run(40, 60) for _ in range(8)] for _ in range(SITES)]
        self._common = [self._run(40, 60) for _ in range(200)]
        self._seen: set[str] = set()
        self.units = self.characters = 0

    def _run(self, least: int, most: int) -> str:
        length = self._random.randrange(least, most)
        if self._near:
            return "".join(self._random.choices(self._signs, cum_weights=self._weights, k=length))
        # Ten times as fast; parts of two lines may be the same, which only a search for near ones sees.
        start = self._random.randrange(len(self._base) - length)
        return self._base[start : start + length]

    def page(self) -> tuple[str, str]:
        """A site and a text."""
        site = self._random.randrange(SITES)
        planted = self._random.sample(self._sites[site], 5) + self._random.sample(self._common, 2)
        lines = [(line, line + f"{self._random.randrange(10)}" * self._near) for line in planted]
        for _ in range(self._random.randrange(20, 40)):
            self._number += 1
            lines.append(("", f"{self._number}{self._run(30, 100)}"))
        self._random.shuffle(lines)
        left = []
        for key, line in lines:
            if key in self._seen:
                self.units += 1
            else:
                left.append(line)
            if key:
                self._seen.add(key)
        text = "\n".join(line for _, line in lines)
        self.characters += len(text) - len("\n".join(left))
        return f"site{site}.example", text


def taken(source: Path, clean: Path) -> tuple[int, int]:
    """The lines that went, and their characters, breaks among them."""
    lines = characters = 0
    with source.open(encoding="utf-8") as before, clean.open(encoding="utf-8") as after:
        for one, other in zip(before, after, strict=True):
            whole, left = json.loads(one)["text"], json.loads(other)["text"]
            lines += whole.count("\n") - left.count("\n") + (whole != "" and left == "")
            characters += len(whole) - len(left)
    return lines, characters


def main() -> int:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=100, help="the size of the generated text")
    parser.add_argument("--near", action="store_true", help="plant lines that are near one another, not equal")
    given = parser.parse_args()
    program, wrong = Path(sys.executable).with_name("simsieve"), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        source, clean = (Path(folder, name) for name in ("web.jsonl", "clean.jsonl"))
        pages, size = Pages(3, near=given.near), 0
        with source.open("w", encoding="utf-8") as out:
            while size < given.megabytes * 1_000_000:
                site, text = pages.page()
                line = json.dumps({"site": site, "text": text}, ensure_ascii=False) + "\n"
                size += len(line.encode())
                out.write(line)
        words: list[str | Path] = [
            program,
            "lines",
            source,
            "-o",
            clean,
            "-q",
            *(["--near", "0.9"] if given.near else []),
        ]
        used = measured(words)
        units, characters = taken(source, clean)
    seconds, share = used.cpu_seconds / (size / 1e9), units / max(1, pages.units)
    if not given.near and (units, characters) != (pages.units, pages.characters):
        wrong.append(f"{units} lines of {characters} characters went, {pages.units} of {pages.characters} were planted")
    if not RECALL <= share <= 1:
        wrong.append(f"{share:.4f} of the planted lines went")
    if seconds > GOALS[given.near]:
        wrong.append(f"{seconds:.1f} CPU s a GB, more than {GOALS[given.near]}")
    row = [used.cpu_seconds, seconds, used.wall_seconds, used.peak_rss_bytes / 1e6, share]
    head = ("lines", "cpu s", "cpu s a GB", "s", "MB", "of the planted")
    name = f"{size / 1e6:,.0f} MB, {'near' if given.near else 'equal'}"
    figures = {"cpu_seconds_a_gb": round(seconds, 2), "planted": round(share, 4), "bytes": size}
    return finish("lines", figures, table(head, [[name, *row]]), wrong)


if __name__ == "__main__":
    sys.exit(main())
