"""Measures the search by bits: all pairs at several sizes, widths and distances, across collections, and queries.

The fingerprints are random; one in twenty is a copy of another with bits changed, up to the requested distance. The
answer is wrong if a planted pair is missing (at a recall below 1: if more are missing than it allows), or if a distance
or the order is false. Figures are medians; the peak is of the whole process, with input and answer.

Peers, each skipped with a message if it is not installed: FAISS's binary multi-index hash (`faiss-cpu`), the
`simhash-pybind` package, and a dozen lines of numpy that sort the ten choices of two of five blocks.

Usage: near_pairs.py [--quick] [--large] [--repeats N]
"""

import argparse
import importlib
import resource
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simsieve
from common import finish, median_seconds, table

Values = NDArray[np.uint64]
PLANTED = 0.05
QUERIES = 1_000
# n, words, distance, threads, recall
JOINS = (
    (1_000_000, 1, 3, 1, 1.0),
    (1_000_000, 1, 3, 2, 1.0),
    (10_000_000, 1, 3, 1, 1.0),
    (10_000_000, 1, 3, 2, 1.0),
    (10_000_000, 1, 8, 2, 1.0),
    (10_000_000, 2, 10, 2, 1.0),
    (1_000_000, 2, 16, 2, 1.0),
    (1_000_000, 2, 16, 2, 0.98),
    (10_000_000, 2, 16, 2, 0.98),
)
QUICK = ((200_000, 1, 3, 1, 1.0), (200_000, 2, 10, 2, 1.0), (200_000, 2, 16, 2, 0.98))
LARGE = (100_000_000, 1, 3, 2, 1.0)


def planted(n: int, words: int, bits: int, seed: int = 1) -> tuple[Values, NDArray[np.int64]]:
    """Random fingerprints uint64[n, words], and planted pairs int64[m, 2]; half of these are exactly `bits` apart."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 << 64, size=(n, words), dtype=np.uint64)
    places = rng.choice(n, size=2 * round(n * PLANTED), replace=False).reshape(-1, 2).astype(np.int64)
    places.sort(axis=1)
    copies = values[places[:, 0]]
    # Bits are flipped at distinct places: a random start and odd steps through the width, a power of two.
    width = 64 * words
    start = rng.integers(0, width, size=len(places))
    step = 2 * rng.integers(0, width // 2, size=len(places)) + 1
    flips = np.where(rng.random(len(places)) < 0.5, bits, rng.integers(0, bits + 1, size=len(places)))
    for turn in range(bits):
        at = (start + turn * step) % width
        flip = np.where(turn < flips, np.uint64(1) << (at % 64).astype(np.uint64), np.uint64(0))
        for word in range(words):
            copies[:, word] ^= np.where(at // 64 == word, flip, np.uint64(0))
    values[places[:, 1]] = copies
    return values, places


def check(
    values: Values, places: NDArray[np.int64], answer: tuple[NDArray[Any], ...], bits: int, recall: float = 1.0
) -> list[str]:
    """What is wrong with an answer."""
    i, j, distance = answer
    n, wrong = len(values), []
    keys = i * n + j
    wanted = places[:, 0] * n + places[:, 1]
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    missing = len(wanted) if not len(keys) else int((keys[at] != wanted).sum())
    # Four standard deviations of as many pairs, each found with the recall.
    allowed = (1 - recall) * len(places) + 4 * (recall * (1 - recall) * len(places)) ** 0.5
    if missing > allowed:
        wrong.append(f"{missing} of {len(places)} planted pairs are missing among {n}, {allowed:.0f} allowed")
    differing = np.zeros(len(i), dtype=np.int64)
    for word in range(values.shape[1]):
        differing += np.bitwise_count(values[i, word] ^ values[j, word])
    if not np.array_equal(differing, distance):
        wrong.append(f"a distance among {n} is not the number of differing bits")
    if len(distance) and int(distance.max()) > bits:
        wrong.append(f"a pair among {n} is {int(distance.max())} bits apart, at most {bits} asked")
    if not (bool((i < j).all()) and bool((np.diff(keys) > 0).all())):
        wrong.append(f"the pairs among {n} are not sorted, or one stands there twice")
    return wrong


def peak_gigabytes() -> float:
    """The most memory that this process has had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def join(case: tuple[int, int, int, int, float], repeats: int, wrong: list[str]) -> dict[str, Any]:
    """All pairs of one collection."""
    n, words, bits, threads, recall = case
    values, places = planted(n, words, bits)
    work = partial(simsieve.near_pairs, values, bits, threads=threads, recall=recall, seed=1)
    spent = time.process_time()
    seconds, answer = median_seconds(work, repeats=repeats)
    spent = (time.process_time() - spent) / repeats
    wrong += check(values, places, answer, bits, recall)
    return row("simsieve", values, bits, threads, recall, len(answer[0]), seconds, spent)


def row(
    tool: str,
    values: Values,
    bits: int,
    threads: int,
    recall: float,
    pairs: int,
    seconds: float,
    cpu_seconds: float | None = None,
) -> dict[str, Any]:
    """One line of the table."""
    return {
        "tool": tool,
        "fingerprints": len(values),
        "bits": 64 * values.shape[1],
        "distance": bits,
        "recall": recall,
        "threads": threads,
        "pairs": pairs,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_gigabytes": peak_gigabytes(),
    }


def queries(n: int, repeats: int, wrong: list[str]) -> dict[str, Any]:
    """A batch of queries, one thread, among n fingerprints of 64 bits; each has one row within three bits."""
    values, _ = planted(n, 1, 3)
    rng = np.random.default_rng(2)
    wanted = rng.choice(n, size=QUERIES, replace=False)
    asked = values[wanted] ^ (np.uint64(0b111) << rng.integers(0, 62, size=(QUERIES, 1), dtype=np.uint64))
    start = time.perf_counter()
    index = simsieve.HammingIndex(values, 3)
    arranged = time.perf_counter() - start
    seconds, (i, j, distance) = median_seconds(partial(index.query, asked, threads=1), repeats=max(5, repeats))
    found = set(zip(i.tolist(), j.tolist(), strict=True))
    alone, (ones,) = median_seconds(lambda: ([index.query(asked[at : at + 1])[1].tolist() for at in range(QUERIES)],))
    if [row for rows in ones for row in rows] != j.tolist():
        wrong.append(f"queries one by one find other rows among {n} than all at once")
    missing = sum((query, int(at)) not in found for query, at in enumerate(wanted))
    if missing:
        wrong.append(f"{missing} of {QUERIES} queries do not find their row among {n}")
    if not np.array_equal(np.bitwise_count(asked[i, 0] ^ values[j, 0]), distance):
        wrong.append(f"a query's distance among {n} is not the number of differing bits")
    return {
        "fingerprints": n,
        "queries": QUERIES,
        "arrange_seconds": arranged,
        "microseconds_a_query": seconds / QUERIES * 1e6,
        "microseconds_a_call": alone / QUERIES * 1e6,
    }


def five_choose_two(values: Values, bits: int) -> int:
    """The pairs within three bits, by numpy: sort by two of five blocks, compare the runs of equal keys."""
    rows, found = values[:, 0], set[tuple[int, int]]()
    bounds = [0, 13, 26, 39, 52, 64]
    masks = [np.uint64((1 << high) - (1 << low)) for low, high in pairwise(bounds)]
    for one, other in combinations(masks, 2):
        keys = rows & (one | other)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        gap = 1
        while len(at := np.flatnonzero(ordered[gap:] == ordered[:-gap])):
            a, b = order[at], order[at + gap]
            near = np.bitwise_count(rows[a] ^ rows[b]) <= bits
            found.update(zip(a[near].tolist(), b[near].tolist(), strict=True))
            gap += 1
    return len({(min(pair), max(pair)) for pair in found})


def faiss_pairs(values: Values, bits: int) -> int:
    """The pairs by FAISS's multi-index hash: four tables of 16 bits, nothing flipped (exact for three bits)."""
    faiss = importlib.import_module("faiss")
    data = values.view(np.uint8).reshape(len(values), -1)
    index = faiss.IndexBinaryMultiHash(64, 4, 16)
    index.add(data)
    limits, _, _ = index.range_search(data, bits + 1)
    return (int(limits[-1]) - len(values)) // 2


def pybind_pairs(values: Values, bits: int) -> int:
    """The pairs by simhash-pybind: its all-pairs search over five blocks."""
    simhash = importlib.import_module("simhash")
    return len(simhash.find_all(values[:, 0].tolist(), bits + 2, bits))


PEERS: dict[str, tuple[str | None, Callable[[Values, int], int]]] = {
    "numpy, 5 choose 2": (None, five_choose_two),
    "faiss-cpu, multi-hash": ("faiss", faiss_pairs),
    "simhash-pybind": ("simhash", pybind_pairs),
}


def peers(n: int) -> Iterator[dict[str, Any]]:
    """The same work by other tools, one run each; their pairs are told, not checked."""
    values, _ = planted(n, 1, 3)
    for name, (module, work) in PEERS.items():
        try:
            if module:
                importlib.import_module(module)
        except ImportError:
            print(f"NOT MEASURED: {name} is not installed", file=sys.stderr)
            continue
        seconds, pairs = median_seconds(partial(work, values, 3), repeats=1)
        yield row(name, values, 3, 1, 1.0, pairs, seconds)


def main() -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="only small sizes, a few seconds")
    parser.add_argument("--large", action="store_true", help="also 10^8 fingerprints (4 GB of memory)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the median is taken")
    options = parser.parse_args()

    wrong: list[str] = []
    cases = QUICK if options.quick else (*JOINS, LARGE) if options.large else JOINS
    joins = [join(case, options.repeats, wrong) for case in cases]
    joins += peers(100_000 if options.quick else 1_000_000)
    asked = [queries(200_000 if options.quick else 10_000_000, options.repeats, wrong)]
    header = ["by", "fingerprints", "bits", "k", "recall", "threads", "pairs", "seconds", "CPU s", "peak GB"]
    readable = "\n".join(
        [
            table(header, [list(line.values()) for line in joins]),
            "",
            table(
                ["indexed", "queries", "arrange s", "us a query", "us a query alone"],
                [list(line.values()) for line in asked],
            ),
        ]
    )
    return finish("near_pairs", {"joins": joins, "queries": asked}, readable, wrong, "faiss-cpu", "simhash-pybind")


if __name__ == "__main__":
    raise SystemExit(main())
