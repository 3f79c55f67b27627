"""Finds all pairs within three bits among a thousand million random fingerprints of 64 bits, from a file.

The file (8 bytes a fingerprint) is made in the given folder and removed at the end without --keep. Known pairs are
planted: every `--every`-th fingerprint has a copy, half the file away, with 0 to 3 bits changed. The answer is wrong if
one is missing, or if a distance or the order is false.

Usage: billion.py FOLDER [--fingerprints N] [--every N] [--memory BYTES] [--threads N] [--keep]
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simsieve
from common import finish, memory_of, table
from near_pairs import check, peak_gigabytes

BITS = 3
CHUNK = 1 << 24


def planted_flips(places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The bits in which the copy of each planted fingerprint differs: 0 to 3 of them, by the place alone."""
    count, shift = (places // 7) % (BITS + 1), (places * 13) % 62
    return ((np.uint64(1) << count.astype(np.uint64)) - np.uint64(1)) << shift.astype(np.uint64)


def make(path: Path, n: int, every: int) -> None:
    """Write the file: each chunk from a seed of its own, so that its first half can be had again for the copies."""
    half = n // 2

    def chunk(start: int, end: int) -> NDArray[np.uint64]:
        first, last = start // CHUNK, (end - 1) // CHUNK
        parts = [np.random.default_rng(seed).integers(0, 1 << 64, CHUNK, np.uint64) for seed in range(first, last + 1)]
        return np.concatenate(parts)[start - first * CHUNK : end - first * CHUNK]

    with path.open("wb") as out:
        for start in range(0, n, CHUNK):
            end = min(n, start + CHUNK)
            values = chunk(start, end)
            places = np.arange(max(0, start - half), max(0, min(end - half, half)), dtype=np.int64)
            places = places[places % every == 0]
            if len(places):
                low, high = int(places[0]), int(places[-1]) + 1
                values[places + half - start] = chunk(low, high)[places - low] ^ planted_flips(places)
            values.tofile(out)


def anonymous_gigabytes() -> float | None:
    """The most memory of this process that is not the file's pages, in GB, where the system tells: now, at the end."""
    found = memory_of(os.getpid()).get("RssAnon")
    return None if found is None else found / 1e9


def main() -> int:
    """Read the command line, make the file, search, check, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="where the file is made: 8 GB for the default")
    parser.add_argument("--fingerprints", type=int, default=10**9, help="how many, at most 2^32 - 1")
    parser.add_argument("--every", type=int, default=40, help="how far apart the planted ones are")
    parser.add_argument("--memory", type=int, default=0, help="bytes for tables; 0: what simsieve finds sensible")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--keep", action="store_true", help="leave the file there")
    options = parser.parse_args()

    n = options.fingerprints
    path = options.folder / f"simsieve-billion-{n}-{options.every}.u64"
    start = time.perf_counter()
    make(path, n, options.every)
    made = time.perf_counter() - start
    try:
        values = np.memmap(path, dtype=np.uint64, mode="r")
        start, spent = time.perf_counter(), time.process_time()
        answer = simsieve.near_pairs(values, BITS, memory=options.memory, threads=options.threads)
        seconds, cpu = time.perf_counter() - start, time.process_time() - spent
        peak = peak_gigabytes()
        places = np.arange(0, n // 2, options.every, dtype=np.int64)
        wrong = check(values.reshape(-1, 1), np.stack([places, places + n // 2], axis=1), answer, BITS)
    finally:
        if not options.keep:
            path.unlink()
    result: dict[str, Any] = {
        "fingerprints": n,
        "planted": len(range(0, n // 2, options.every)),
        "pairs": len(answer[0]),
        "make_seconds": made,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_gigabytes_with_file": peak,
        "gigabytes_without_file": anonymous_gigabytes(),
        "memory": options.memory,
        "threads": options.threads or os.cpu_count(),
    }
    readable = table(["what", "figure"], [[name, figure] for name, figure in result.items()])
    return finish("billion", result, readable, wrong)


if __name__ == "__main__":
    raise SystemExit(main())
