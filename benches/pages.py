"""Measures the main text of pages against known lines and phrases, and the speed of extraction on one core.

Pages of one site share header, menus and footer. On html_doc_sites a line of visible text counts as furniture if at
least half of a site's pages in one language have it. A line of a single page is that page's own. Main text should keep
the second and lose the first. html_crawled_cc has phrases that the main text of its pages must and must not have. The
answer is wrong if a floor is missed.

Usage: pages.py [--data FOLDER]
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from common import data_sets, finish, table
from simsieve import Fingerprinter
from simsieve.text.html import dom_fingerprint, extract_main, extract_text

# Fingerprints made of pages, the extraction included.
SCHEMES = ("chars128:extract=text", "chars128:extract=main", "words64:extract=text")
SITES, CRAWLED = "html_doc_sites", "html_crawled_cc"
SMALLEST_GROUP = 5
# Of own lines kept, of furniture lines lost; of phrases right.
FLOORS = {"own kept": 0.8, "furniture lost": 0.95, "must have": 0.9, "must not have": 0.9}

Record = dict[str, Any]


def by_lines(rows: Sequence[Record], extract: Callable[[str], str]) -> dict[str, float]:
    """The shares of own lines kept and furniture lines lost, in characters."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["site"], row["lang"]].append(row["html"])
    kept, total = Counter[str](), Counter[str]()
    for pages in groups.values():
        if len(pages) < SMALLEST_GROUP:
            continue
        whole = [set(extract_text(page).splitlines()) for page in pages]
        seen = Counter(line for lines in whole for line in lines)
        for page, lines in zip(pages, whole, strict=True):
            main = set(extract(page).splitlines())
            for line in lines:
                kind = "own" if seen[line] == 1 else "furniture" if seen[line] * 2 >= len(pages) else "other"
                total[kind] += len(line)
                kept[kind] += len(line) * (line in main)
    return {"own kept": kept["own"] / total["own"], "furniture lost": 1 - kept["furniture"] / total["furniture"]}


def by_phrases(rows: Sequence[Record], extract: Callable[[str], str]) -> dict[str, float]:
    """The shares of phrases that are rightly there and rightly not."""
    there, wanted, absent, unwanted = 0, 0, 0, 0
    for row in rows:
        text = " ".join(extract(row["html"]).split())
        for phrase in row["must_have"] or []:
            wanted += 1
            there += " ".join(phrase.split()) in text
        for phrase in row["must_not_have"] or []:
            unwanted += 1
            absent += " ".join(phrase.split()) not in text
    return {"must have": there / wanted, "must not have": absent / unwanted}


def speed(rows: Sequence[Record], work: Callable[[list[str]], object]) -> float:
    """MB of HTML a second of processor time, the best of three; `work` is given all pages."""
    pages = [row["html"] for row in rows]
    size = sum(len(page.encode()) for page in pages)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work(pages)
        best = min(best, time.process_time() - start)
    return size / best / 1e6


def one_by_one(work: Callable[[str], object]) -> Callable[[list[str]], object]:
    """What does the work for all pages."""
    return lambda pages: [work(page) for page in pages]


def fingerprints(scheme: str) -> Callable[[list[str]], object]:
    """What makes the fingerprints of all pages on one core."""
    return partial(Fingerprinter(scheme).transform, threads=1)


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    sets = data_sets(__doc__, "pages", SITES, CRAWLED)
    if sets is None:
        return 0
    sites, crawled = sets
    told = {
        name: {**by_lines(sites, extract), **by_phrases(crawled, extract)}
        for name, extract in (("visible text", extract_text), ("main text", extract_main))
    }
    speeds = {
        name: speed(sites, one_by_one(work))
        for name, work in (("dom64", dom_fingerprint), ("visible text", extract_text), ("main text", extract_main))
    }
    speeds |= {scheme: speed(sites, fingerprints(scheme)) for scheme in SCHEMES}
    got = told["main text"]
    wrong = [
        f"main text: {name} {got[name]:.4f}, at least {floor} asked"
        for name, floor in FLOORS.items()
        if got[name] < floor
    ]
    readable = table(["", *FLOORS], [[name, *(found[key] for key in FLOORS)] for name, found in told.items()])
    readable += "\n" + table(["", "MB/s of HTML, with the border"], [[name, rate] for name, rate in speeds.items()])
    return finish("pages", {"shares": told, "mb_per_second": speeds}, readable, wrong)


if __name__ == "__main__":
    raise SystemExit(main())
