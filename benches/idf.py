"""Measures the effect of document frequencies on unrelated texts, and whether the search finds near texts under them.

*Strangers*: the share of unrelated pairs at and above some similarities, and the share within the bits that the filter
of `--similarity 0.65` lets through, at each width. Unrelated are exam questions of different groups, and English
articles.

*Recall*: all near pairs by brute force, in plain numpy, against what `simsieve pairs` finds on one collection that is
large enough for search keys. The answer is wrong if less than 0.98 is found at the threshold, or a pair is found that
the brute force does not have.

Each figure is printed on stderr at once.

Usage: idf.py [--data FOLDER]
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simsieve
from common import DATA, finish, table
from labels import labelled
from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.run.schemes import chosen_schemes, fitted_schemes

SIMILARITIES = (0.5, 0.65, 0.8)
WIDTHS = (64, 128, 256)
WAYS = (("", "none"), ("", "fit"), ("weights=log", "fit"))
N3 = (("n=3,weights=log", "none"), ("n=3", "fit"), ("n=3,weights=log", "fit"))
STRANGERS = ("qbank", "en_tech_articles")
CROWD = ("zh_poems_two_editions", "qbank", "zh_docs_versions", "en_sms")
LEAST_RECALL = 0.98

Texts = tuple[list[str], NDArray[np.int64]]


def texts_of(names: Sequence[str], data: Path) -> Texts:
    """The texts of some sets, and a number a cluster."""
    rows = [(text, f"{name} {cluster}") for name in names for _, text, cluster in labelled(name, data)]
    _, numbers = np.unique([cluster for _, cluster in rows], return_inverse=True)
    return [text for text, _ in rows], numbers


def config_of(width: int, options: str, idf: str) -> DedupConfig:
    """The settings of one way of weighing at one width."""
    return DedupConfig(scheme=f"chars{width}:{options}" if options else f"chars{width}", idf=idf, sample=0)


class Vectors:
    """Texts as unit vectors over features: rows as (features, weights), and for each feature the rows that have it."""

    def __init__(self, texts: list[str], config: DedupConfig) -> None:
        store = _core.Store.from_texts(texts)
        scheme = fitted_schemes(chosen_schemes(config), store, config)[0]
        places: dict[int, int] = {}
        rows, columns, weights = [], [], []
        for row, text in enumerate(texts):
            features = scheme.features(text)
            columns.append(
                np.array([places.setdefault(hash_, len(places)) for _, hash_, _, _ in features], dtype=np.int64)
            )
            values = np.array([weight for _, _, _, weight in features], dtype=np.float64)
            weights.append(values / np.sqrt((values**2).sum()) if len(values) else values)
            rows.append(np.full(len(features), row))
        self.columns, self.weights = columns, weights
        flat = np.concatenate(columns)
        order = np.argsort(flat, kind="stable")
        self._rows, self._values = np.concatenate(rows)[order], np.concatenate(weights)[order]
        self._starts = np.searchsorted(flat[order], np.arange(len(places) + 1))

    def __len__(self) -> int:
        return len(self.columns)

    def cosines(self, row: int) -> NDArray[np.float64]:
        """The cosine of one row with every other."""
        columns = self.columns[row]
        if len(columns) == 0:
            return np.zeros(len(self))
        starts, ends = self._starts[columns], self._starts[columns + 1]
        lengths = ends - starts
        places = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) + np.arange(lengths.sum())
        products = self._values[places] * np.repeat(self.weights[row], lengths)
        sums: NDArray[np.float64] = np.bincount(self._rows[places], products, minlength=len(self)).astype(np.float64)
        return sums


def most_bits(width: int, similarity: float) -> int:
    """Bits that a pair at a similarity exceeds about once in 10,000, by the normal law."""
    share = math.acos(similarity) / math.pi
    return math.ceil(width * share + 3.72 * math.sqrt(width * share * (1 - share)))


def strangers(texts: Texts, options: str, idf: str) -> dict[str, float]:
    """Shares of the unrelated pairs."""
    all_texts, clusters = texts
    vectors = Vectors(all_texts, config_of(128, options, idf))
    columns, limits = {}, {}
    for width in WIDTHS:
        config = config_of(width, options, idf)
        store = _core.Store.from_texts(all_texts)
        scheme = fitted_schemes(chosen_schemes(config), store, config)[0]
        loaded = store.begin([scheme], DedupConfig(similarity=0.65)).finish()
        columns[width], limits[width] = loaded.values, most_bits(width, 0.65)
    unrelated, above, within = 0, dict.fromkeys(SIMILARITIES, 0), dict.fromkeys(WIDTHS, 0)
    for row in range(len(all_texts)):
        others = clusters[row + 1 :] != clusters[row]
        unrelated += int(others.sum())
        cosines = vectors.cosines(row)[row + 1 :][others]
        for similarity in SIMILARITIES:
            above[similarity] += int((cosines >= similarity - 1e-9).sum())
        for width, values in columns.items():
            distances = np.bitwise_count(values[row + 1 :][others] ^ values[row]).sum(axis=1)
            within[width] += int((distances <= limits[width]).sum())
    shares: dict[str, float] = {f">= {similarity}": count / unrelated for similarity, count in above.items()}
    return shares | {f"{width} bits": count / unrelated for width, count in within.items()}


def recall(texts: list[str], vectors: Vectors, config: DedupConfig, similarity: float) -> tuple[int, int, int]:
    """Near pairs by brute force, how many of them the search finds, and how many it finds beyond them."""
    near: set[tuple[int, int]] = set()
    for row in range(len(texts)):
        # What lies at the threshold but for rounding counts for both sides.
        others = np.flatnonzero(vectors.cosines(row) >= similarity - 1e-9)
        near |= {(row, int(other)) for other in others if other > row}
    settings: dict[str, Any] = {"scheme": config.scheme, "idf": config.idf, "similarity": similarity}
    found = {(pair.a_position, pair.b_position) for pair in simsieve.find_pairs(texts, **settings)}
    return len(near), len(found & near), len(found - near)


def measure_recall(data: Path, told: list[dict[str, Any]], wrong: list[str]) -> str:
    """The recall of every way of weighing at every similarity, as a table."""
    crowd, _ = texts_of(CROWD, data)
    lines: list[list[Any]] = []
    for way in WAYS:
        config = config_of(128, *way)
        vectors = Vectors(crowd, config)
        for similarity in SIMILARITIES:
            near, found, beyond = recall(crowd, vectors, config, similarity)
            share = found / near
            told.append({"options": way[0], "idf": way[1], "similarity": similarity, "near": near, "found": found})
            lines.append([f"{way[0] or 'once'} idf={way[1]}", similarity, near, found, share])
            print(lines[-1], file=sys.stderr, flush=True)
            if share < LEAST_RECALL or beyond:
                wrong.append(f"{way} at {similarity}: {share:.4f} found, {beyond} beyond the brute force")
    return table([f"{len(crowd):,} texts", "similarity", "near pairs", "found", "recall"], lines)


def measure_strangers(data: Path, told: list[dict[str, Any]]) -> str:
    """The shares of strangers under every way of weighing, as a table."""
    lines: list[list[Any]] = []
    for name in STRANGERS:
        texts = texts_of([name], data)
        for way in (*WAYS, *N3):
            shares = strangers(texts, *way)
            told.append({"set": name, "options": way[0], "idf": way[1], "strangers": shares})
            lines.append([f"{name} {way[0] or 'once'} idf={way[1]}", *[f"{share:.6f}" for share in shares.values()]])
            print(lines[-1], file=sys.stderr, flush=True)
    header = ["unrelated pairs", *[f">= {s}" for s in SIMILARITIES], *[f"{width} bits" for width in WIDTHS]]
    return table(header, lines)


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    options = parser.parse_args()
    absent = [name for name in {*STRANGERS, *CROWD} if not (options.data / f"{name}.jsonl.gz").is_file()]
    if absent:
        print(f"NOT MEASURED: {', '.join(absent)} not in {options.data}", file=sys.stderr)
        return finish("idf", {"not_measured": absent}, "", [])
    told: list[dict[str, Any]] = []
    wrong: list[str] = []
    tables = [measure_recall(options.data, told, wrong), measure_strangers(options.data, told)]
    return finish("idf", {"measured": told}, "\n\n".join(tables), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
