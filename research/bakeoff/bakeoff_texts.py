"""Texts for the bake-off: the development data by length class, edited copies of it, and all of their pairs.

A set's documents come with their features as rows of numbers, so that everything after is arithmetic on arrays. The
similarity of every pair is computed exactly: nothing here samples, sketches or bounds.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import simsieve._core as core

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

SCHEME = core.Scheme("chars128")
WIDTH = 256
TOKENS = re.compile(r"[a-zA-Z0-9']+\W*|.\s*", re.DOTALL)
WORD_STEP, MIX_1, MIX_2 = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
# Features of more documents than this are counted by a product of matrices, the others pair by pair.
COMMON = 48
# Texts of different origin that are this similar have more in common than a language: a template, a subject, a copy.
KIN = 0.3
LEAST_EDIT, MOST_EDIT, LONGEST_RUN = 0.05, 0.30, 8


@dataclass(frozen=True)
class Source:
    """Where a set's texts come from: a file, its length class, how a record becomes texts, how many at most."""

    name: str
    length: str
    file: str
    texts: Callable[[dict[str, str]], list[tuple[str, str]]]
    most: int
    edited: float


def whole(row: dict[str, str]) -> list[tuple[str, str]]:
    """A record's text, or its two, with the cluster it is labelled with."""
    if "text_a" in row:
        return [(row["id"], row["text_a"]), (row["id"], row["text_b"])]
    return [(row.get("cluster") or row.get("computed_group") or row["id"], row["text"])]


def titles(row: dict[str, str]) -> list[tuple[str, str]]:
    """A record's title."""
    return [(row["id"], row["title"])] if row.get("title") else []


def answers(row: dict[str, str]) -> list[tuple[str, str]]:
    """The options of an exam question, each a text."""
    parts = re.split(r"\n\s*[\(（]?[A-E][\)）.．、]\s*", row["text"])[1:]
    return [(f"{row['id']}/{k}", part.strip()) for k, part in enumerate(parts)]


def between(least: int, most: int) -> Callable[[dict[str, str]], list[tuple[str, str]]]:
    """Texts of `least` to `most` characters."""
    return lambda row: [(name, text) for name, text in whole(row) if least <= len(text) <= most]


def cut(size: int) -> Callable[[dict[str, str]], list[tuple[str, str]]]:
    """The first `size` characters, where there are half as many."""
    return lambda row: [(name, text[:size]) for name, text in whole(row) if len(text) >= size // 2]


SOURCES = (
    Source("poems", "short", "zh_poems_two_editions", between(10, 100), 3200, 0.0),
    Source("messages", "short", "en_sms", between(20, 100), 1600, 0.5),
    Source("questions", "short", "qbank", between(20, 100), 1600, 0.5),
    Source("exams", "medium", "qbank", between(101, 2000), 1400, 0.3),
    Source("passages", "medium", "zh_wikipedia_passages", cut(700), 1000, 0.5),
    Source("pages", "medium", "en_tech_articles", cut(2000), 1000, 0.5),
    Source("manuals", "long", "zh_docs_versions", between(800, 8000), 600, 0.2),
    Source("revisions", "long", "zh_tech_revisions", between(800, 8000), 600, 0.2),
    Source("articles", "long", "en_tech_articles", between(2000, 16000), 400, 0.5),
    Source("encyclopaedia", "long", "en_wikipedia", between(2000, 40000), 60, 0.5),
)

# Short texts whose agreement with labels is told by their features; without labels, edited copies are the duplicates.
LABELLED = (
    Source("poems", "short", "zh_poems_two_editions", between(1, 400), 5000, 0.0),
    Source("questions", "short", "qbank", between(1, 400), 2000, 0.0),
    Source("messages, edited", "short", "en_sms", between(1, 400), 2000, 0.5),
    Source("titles, edited", "short", "zh_tech_articles", titles, 1400, 0.5),
    Source("exam options, edited", "short", "qbank", answers, 2000, 0.5),
)


def records(path: Path) -> Iterator[dict[str, str]]:
    """The records of a compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def edit(text: str, other: str, rng: np.random.Generator) -> str:
    """A copy with 5 to 30 % of its words (Chinese: characters) replaced, inserted or deleted, in runs of 1 to 8."""
    words, foreign = TOKENS.findall(text), TOKENS.findall(other)
    left = max(1, round(len(words) * rng.uniform(LEAST_EDIT, MOST_EDIT)))
    while left > 0 and words:
        run = int(rng.integers(1, min(LONGEST_RUN, left) + 1))
        at = int(rng.integers(0, max(1, len(words) - run + 1)))
        source = int(rng.integers(0, max(1, len(foreign) - run + 1)))
        kind = rng.integers(0, 3)
        words[at : at + (run if kind != 1 else 0)] = foreign[source : source + run] if kind != 2 else []
        left -= run
    return "".join(words)


@dataclass(frozen=True)
class Collection:
    """A set's documents: features as rows of dense numbers, in one array with offsets; no two rows are equal."""

    name: str
    length: str
    texts: list[str]
    origin: Ints
    edited: NDArray[np.bool_]
    offsets: Ints
    features: Ints
    hashes: Words

    @property
    def sizes(self) -> Ints:
        """Features of each document."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> Ints:
        """The document of each entry of `features`."""
        return np.repeat(np.arange(len(self.texts)), self.sizes)

    @property
    def frequency(self) -> Ints:
        """Documents of each feature."""
        return np.bincount(self.features, minlength=len(self.hashes))

    def idf_squares(self) -> Floats:
        """Each feature's squared weight, ln((N + 1) / (df + 1)) + 1 being the weight."""
        idf = np.log((len(self.texts) + 1) / (self.frequency + 1)) + 1
        return np.asarray(idf * idf)


def collect(source: Source, data: Path, seed: int) -> Collection:
    """Read a set, add edited copies, and make features; of documents with equal features one stays."""
    rng = np.random.default_rng([seed, *source.name.encode()])
    found = [pair for row in records(data / f"{source.file}.jsonl.gz") for pair in source.texts(row)]
    return make(source.name, source.length, found[: source.most], source.edited, rng)


def make(name: str, length: str, found: list[tuple[str, str]], share: float, rng: np.random.Generator) -> Collection:
    """A collection of the texts and of edited copies of a share of them."""
    order = rng.permutation(len(found))[: round(len(found) * share)]
    others = rng.integers(0, len(found), len(order))
    copies = [(found[i][0], edit(found[i][1], found[j][1], rng)) for i, j in zip(order, others, strict=True)]
    origins: dict[str, int] = {}
    seen: set[bytes] = set()
    texts, origin, edited, rows = [], [], [], []
    for number, (cluster, text) in enumerate(found + copies):
        row = np.sort(np.array([hashed for _, hashed, _, _ in SCHEME.features(text)], dtype=np.uint64))
        if not len(row) or row.tobytes() in seen:
            continue
        seen.add(row.tobytes())
        texts.append(text)
        origin.append(origins.setdefault(cluster, len(origins)))
        edited.append(number >= len(found))
        rows.append(row)
    hashes, features = np.unique(np.concatenate(rows), return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return Collection(name, length, texts, np.array(origin), np.array(edited), offsets, features, hashes)


def subset(docs: Collection, chosen: Ints) -> Collection:
    """Some of the documents, as a collection of their own."""
    kept = np.isin(docs.rows, chosen)
    used, features = np.unique(docs.features[kept], return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(docs.sizes[chosen])])
    texts = [docs.texts[row] for row in chosen]
    return Collection(
        docs.name, docs.length, texts, docs.origin[chosen], docs.edited[chosen], offsets, features, docs.hashes[used]
    )


def mixed(hashes: Words, k: int) -> Words:
    """Word `k` of the hashes, as the core mixes it."""
    if k == 0:
        return hashes
    x = hashes + np.array([k], dtype=np.uint64) * WORD_STEP
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return np.asarray(x ^ (x >> np.uint64(31)))


def sums_of(docs: Collection, weights: Floats | None) -> Floats:
    """The sums of the WIDTH bits of every document, for weights of its features (None: each 1)."""
    words = np.stack([mixed(docs.hashes, k) for k in range(WIDTH // 64)], axis=1)
    sums = np.empty((len(docs.texts), WIDTH), dtype=np.float32)
    for row, (start, end) in enumerate(zip(docs.offsets[:-1], docs.offsets[1:], strict=True)):
        ids = docs.features[start:end]
        bits = np.unpackbits(words[ids].view(np.uint8), axis=1, bitorder="little")
        weight = np.ones(len(ids), dtype=np.float32) if weights is None else weights[ids].astype(np.float32)
        sums[row] = 2 * (weight @ bits.astype(np.float32)) - weight.sum()
    return np.asarray(sums, dtype=np.float64)


@dataclass(frozen=True)
class Pairs:
    """All pairs of a collection, a < b: cosine, Jaccard similarity (of squared weights) and distances at each width.

    `ratio` is the smaller mass by the larger. `far` are strangers: of different origin, cosine below KIN.
    """

    documents: int
    a: Ints
    b: Ints
    cosine: Floats
    jaccard: Floats
    ratio: Floats
    distances: dict[int, Ints]
    kin: NDArray[np.bool_]
    far: NDArray[np.bool_]
    misses: Ints


def shared_mass(docs: Collection, squares: Floats) -> Floats:
    """For every two documents the squared weights of the features they share, summed: a matrix."""
    n, frequency = len(docs.texts), docs.frequency
    order = np.argsort(docs.features, kind="stable")
    entries, starts = docs.rows[order], np.concatenate([[0], np.cumsum(frequency)])
    cells_mass = np.zeros(n * n)
    for df in np.unique(frequency[(frequency >= 2) & (frequency <= COMMON)]):
        ids = np.flatnonzero(frequency == df)
        left, right = np.triu_indices(df, 1)
        step = max(1, 4_000_000 // len(left))
        for part in (ids[at : at + step] for at in range(0, len(ids), step)):
            holders = entries[starts[part][:, None] + np.arange(df)]
            cells = (holders[:, left] * n + holders[:, right]).ravel()
            np.add.at(cells_mass, cells, np.repeat(squares[part], len(left)))
    mass = cells_mass.reshape(n, n)
    frequent = np.flatnonzero(frequency > COMMON)
    for at in range(0, len(frequent), 4096):
        part = frequent[at : at + 4096]
        dense = np.zeros((n, len(part)), dtype=np.float32)
        for column, feature in enumerate(part):
            dense[entries[starts[feature] : starts[feature + 1]], column] = np.sqrt(squares[feature])
        mass += np.triu(dense @ dense.T, 1)
    return np.asarray(mass)


def all_pairs(docs: Collection, sums: Floats, squares: Floats) -> Pairs:
    """Every pair, measured."""
    a, b = np.triu_indices(len(docs.texts), 1)
    mass = shared_mass(docs, squares)[a, b]
    own = np.bincount(docs.rows, weights=squares[docs.features])
    bits = np.packbits(sums > 0, axis=1, bitorder="little").view(np.uint64)
    distances, done = {}, np.zeros(len(a), dtype=np.int64)
    for word in range(WIDTH // 64):
        done += np.bitwise_count(bits[a, word] ^ bits[b, word])
        if word != 2:
            distances[64 * (word + 1)] = done.copy()
    cosine = np.minimum(mass / np.sqrt(own[a] * own[b]), 1.0)
    kin = docs.origin[a] == docs.origin[b]
    far = ~kin & (cosine < KIN)
    return Pairs(
        documents=len(docs.texts),
        a=a,
        b=b,
        cosine=cosine,
        jaccard=mass / (own[a] + own[b] - mass),
        ratio=np.minimum(own[a], own[b]) / np.maximum(own[a], own[b]),
        distances=distances,
        kin=kin,
        far=far,
        misses=np.flatnonzero(~far),
    )


def sketch(docs: Collection, length: int, seed: int, squares: Floats | None = None) -> NDArray[np.float64]:
    """Min-wise sketches of `length` bins; two agree in a bin with the probability of their Jaccard similarity.

    Weight 1: fast similarity sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017), each feature thrown once a round.
    Squared weights: the arrivals of each feature are a Poisson process of that rate (ProbMinHash, Ertl, TKDE 2022).
    """
    rng = np.random.default_rng(seed)
    n, count = len(docs.texts), len(docs.hashes)
    least, live = np.full(n * length, np.inf), np.arange(n)
    best = np.full(n * length, -1.0)
    clock = np.zeros(count)
    rows, features = docs.rows, docs.features
    for turn in range(4 * length):
        draw = rng.random(count)
        clock = turn + draw if squares is None else clock - np.log1p(-draw) / squares
        bins, label = rng.integers(0, length, count), rng.random(count)
        cells = rows * length + bins[features]
        times = clock[features]
        before = least[cells]
        np.minimum.at(least, cells, times)
        won = (times == least[cells]) & (times < before)
        best[cells[won]] = label[features[won]]
        latest = least.reshape(n, length)[live].max(axis=1)
        soonest = np.full(n, np.inf)
        np.minimum.at(soonest, rows, times)
        live = live[latest > soonest[live]]
        stays = np.isin(rows, live)
        rows, features = rows[stays], features[stays]
        if not len(rows):
            break
    return best.reshape(n, length)
