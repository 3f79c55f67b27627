"""Measures the fingerprints' speed on one core, and the search for near pairs among random fingerprints.

Texts are cut to documents of about 2.3 kB from the development data, or generated without that data. One in twenty of
the random fingerprints is a copy of another with at most three bits changed; the answer is wrong if such a pair is not
found. A scheme that needs a model first gets one fitted on the same texts; only its fingerprints are measured. All
figures are medians of three runs.

Usage: speed.py [--data FOLDER] [--megabytes M] [--pairs N ...] [--peers-at-most N]
"""

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simsieve
from common import DATA, finish, median_seconds, table, version_of
from generate import make_corpus
from simsieve.schemes.scheme import load_scheme

SCHEMES = (
    None,
    "chars64:n=3,weights=log",
    "chars128:n=3,weights=log",
    "chars128:fold=t2s",
    "chars128:fold=tw2sp",
    "words64",
    "words64:n=3",
    "keywords64",
    "esimhash128",
)
FILES = {"zh": ("zh_tech_articles", "zh_wikipedia_passages", "zh_law"), "en": ("en_tech_articles", "en_wikipedia")}
DOCUMENT_BYTES = 2_300
MAX_DISTANCE = 3
PLANTED = 0.05


def real_texts(data: Path, lang: str) -> Iterator[str]:
    """The texts of a language in the development data."""
    for name in FILES[lang]:
        path = data / f"{name}.jsonl.gz"
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    yield json.loads(line)["text"]


def invented_texts(lang: str, size: int) -> Iterator[str]:
    """Invented texts of a language, at least `size` bytes of them where possible."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.jsonl")
        make_corpus(path, max(500, size // (300 if lang == "zh" else 1_400)))
        with path.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["lang"] == lang:
                    yield row["text"]


def documents(texts: Iterator[str], lang: str, size: int) -> list[str]:
    """Documents of about DOCUMENT_BYTES, all together about `size` bytes."""
    step = DOCUMENT_BYTES // (3 if lang == "zh" else 1)
    found: list[str] = []
    left = size
    for text in texts:
        for at in range(0, max(1, len(text) - step // 2), step):
            found.append(text[at : at + step])
            left -= len(found[-1].encode())
            if left <= 0:
                return found
    return found


def fingerprint_speed(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Bytes of UTF-8 a second, for every language and scheme, on one core."""
    size = round(options.megabytes * 1e6)
    for lang in FILES:
        texts = documents(real_texts(options.data, lang), lang, size)
        real = bool(texts)
        if not real:
            print(f"REAL TEXTS NOT MEASURED: none in {options.data}; invented ones instead ({lang})", file=sys.stderr)
            texts = documents(invented_texts(lang, size), lang, size)
        measured_bytes = sum(len(text.encode()) for text in texts)
        for scheme in SCHEMES:
            maker = simsieve.Fingerprinter() if scheme is None else simsieve.Fingerprinter(scheme)
            if scheme is not None and load_scheme(scheme).needs_model:
                maker = maker.fit(texts)
            seconds, answer = median_seconds(partial(maker.transform, texts, threads=1))
            yield {
                "texts": f"{lang} {'real' if real else 'invented'}",
                "scheme": scheme or "default",
                "documents": len(texts),
                "megabytes_per_second": measured_bytes / 1e6 / seconds,
                "valid": int(answer.valid.sum()),
            }


def planted(n: int, seed: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Random fingerprints uint64[n, 1], and the planted pairs int64[m, 2], whose sides differ in 0 to 3 bits."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 << 64, size=n, dtype=np.uint64)
    places = rng.permutation(n)[: 2 * round(n * PLANTED)].reshape(-1, 2).astype(np.int64)
    places.sort(axis=1)
    copies = values[places[:, 0]]
    for change in range(MAX_DISTANCE):
        bits = np.uint64(1) << rng.integers(0, 64, size=len(places), dtype=np.uint64)
        copies = np.where(rng.random(len(places)) < 0.75 - 0.1 * change, copies ^ bits, copies)
    values[places[:, 1]] = copies
    return values.reshape(-1, 1), places


def check_pairs(
    values: NDArray[np.uint64], places: NDArray[np.int64], answer: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
) -> list[str]:
    """What is wrong with an answer: a planted pair missing, a pair too far, a false distance, a wrong order."""
    i, j, distance = (np.asarray(part, dtype=np.int64) for part in answer)
    n, wrong = len(values), []
    keys = i * n + j
    missing = int((~np.isin(places[:, 0] * n + places[:, 1], keys)).sum())
    if missing:
        wrong.append(f"{missing} of {len(places)} planted pairs are missing among {n}")
    if not np.array_equal(np.bitwise_count(values[i, 0] ^ values[j, 0]), distance):
        wrong.append(f"a distance among {n} is not the number of differing bits")
    if len(distance) and int(distance.max()) > MAX_DISTANCE:
        wrong.append(f"a pair among {n} is {int(distance.max())} bits apart, at most {MAX_DISTANCE} asked")
    if not (bool((i < j).all()) and bool((np.diff(keys) > 0).all())):
        wrong.append(f"the pairs among {n} are not sorted, or one stands there twice")
    return wrong


def pair_speed(options: argparse.Namespace, wrong: list[str]) -> Iterator[dict[str, Any]]:
    """Seconds for all near pairs among n random fingerprints; what is wrong is added to `wrong`."""
    for n in options.pairs:
        values, places = planted(n)
        seconds, answer = median_seconds(partial(simsieve.near_pairs, values, MAX_DISTANCE))
        wrong += check_pairs(values, places, answer)
        yield {"tool": "simsieve", "fingerprints": n, "pairs": len(answer[0]), "seconds": seconds}
        if n <= options.peers_at_most and version_of("faiss-cpu") is not None:
            yield faiss_pairs(values)


def faiss_pairs(values: NDArray[np.uint64]) -> dict[str, Any]:
    """The same work by FAISS: a binary index with exact hashing, asked for every fingerprint within the distance."""
    import faiss  # noqa: PLC0415  a peer is imported only where it is installed

    data = values.view(np.uint8).reshape(len(values), 8)

    def work() -> int:
        index = faiss.IndexBinaryHash(64, 16)
        index.nflip = MAX_DISTANCE
        index.add(data)
        limits, _, _ = index.range_search(data, MAX_DISTANCE + 1)
        return (int(limits[-1]) - len(values)) // 2

    seconds, pairs = median_seconds(work)
    return {"tool": "faiss", "fingerprints": len(values), "pairs": pairs, "seconds": seconds}


def main() -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--megabytes", type=float, default=20, help="how much text of each language")
    parser.add_argument("--pairs", type=int, nargs="*", default=[1_000_000, 10_000_000], help="numbers of fingerprints")
    parser.add_argument(
        "--peers-at-most", type=int, default=1_000_000, help="the most fingerprints that peers are asked for"
    )
    options = parser.parse_args()

    wrong: list[str] = []
    speeds = list(fingerprint_speed(options))
    wrong += [
        f"{row['documents'] - row['valid']} texts without a fingerprint: {row}" for row in speeds if not row["valid"]
    ]
    pairs = list(pair_speed(options, wrong))
    readable = "\n".join(
        [
            table(["texts", "scheme", "documents", "MB/s", "valid"], [list(row.values()) for row in speeds]),
            "",
            table(["near pairs by", "fingerprints", "pairs", "seconds"], [list(row.values()) for row in pairs]),
        ]
    )
    return finish("speed", {"fingerprint": speeds, "near_pairs": pairs}, readable, wrong, "faiss-cpu")


if __name__ == "__main__":
    raise SystemExit(main())
