"""Prefixes of the rarest features as candidate sources: exact ones (AllPairs, PPJoin, L2AP) and the first few.

Features are ordered from rare to common. Two documents of similarity s share one among those whose removal leaves less
than s of a document's norm (Bayardo, Ma and Srikant, WWW 2007; Anastasiu and Karypis, ICDE 2014; for weight 1 the
prefix filter of Xiao et al., WWW 2008). What they share is at most what both have from the first shared one on.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff_chances import bits_within
from bakeoff_sources import RECALL, Cost
from bakeoff_texts import Collection, Floats, Ints, Pairs

FIRST = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
# Counting the documents of each feature: two passes over all features, as for a key made, sorted and walked.
COUNT = 20.0


@dataclass(frozen=True)
class Ordered:
    """A collection's entries, each document's from its rarest feature on."""

    docs: Collection
    rows: Ints
    features: Ints
    place: Ints
    rest: Floats
    own: Floats
    frequency: Ints


def rare_first(docs: Collection, squares: Floats) -> Ordered:
    """Order the features of every document by how many documents have them; `rest` is the mass from each on."""
    frequency = docs.frequency
    rank = np.empty(len(frequency), dtype=np.int64)
    rank[np.lexsort((docs.hashes, frequency))] = np.arange(len(frequency))
    order = np.lexsort((rank[docs.features], docs.rows))
    rows, features = docs.rows[order], docs.features[order]
    mass = squares[features]
    own = np.asarray(np.bincount(rows, weights=mass), dtype=np.float64)
    before = np.cumsum(mass) - mass
    rest = own[rows] - (before - before[docs.offsets[:-1]][rows])
    place = np.arange(len(rows)) - docs.offsets[:-1][rows]
    return Ordered(docs, rows, features, place, rest, own, frequency)


def meetings(ordered: Ordered, kept: NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """Every two kept entries of one feature, as indices of entries, the lower document first."""
    entries = np.flatnonzero(kept)
    entries = entries[np.lexsort((ordered.rows[entries], ordered.features[entries]))]
    _, starts, counts = np.unique(ordered.features[entries], return_index=True, return_counts=True)
    for size in np.unique(counts[counts > 1]):
        left, right = np.triu_indices(size, 1)
        groups = starts[counts == size]
        step = max(1, 4_000_000 // len(left))
        for part in (groups[at : at + step] for at in range(0, len(groups), step)):
            holders = entries[part[:, None] + np.arange(size)]
            yield holders[:, left].ravel(), holders[:, right].ravel()


def number_of(a: Ints, b: Ints, n: int) -> Ints:
    """A pair's number in the list of all pairs."""
    return np.asarray(a * n - a * (a + 1) // 2 + b - a - 1)


def spreads(pairs: Pairs, numbers: Ints, similarity: float) -> Floats:
    """How many of the pairs are background and near misses, in the three spreads (see Strangers)."""
    far = pairs.far[numbers]
    missed = ~far & (pairs.cosine[numbers] < similarity - 1e-9)
    foreign = np.count_nonzero(missed & ~pairs.kin[numbers])
    counts = (np.count_nonzero(far), np.count_nonzero(missed), foreign)
    return np.array(counts) / (len(pairs.a), pairs.documents, len(pairs.a))


def join(
    ordered: Ordered, pairs: Pairs, kept: NDArray[np.bool_], similarity: float, *, bounded: bool
) -> tuple[Floats, Ints]:
    """Bring together by the kept entries: the meetings, as spreads, and the pairs left.

    `bounded`: a pair is left where what both have from a meeting on can still be enough.
    """
    total, seen = np.zeros(3), [np.zeros(0, dtype=np.int64)]
    for x, y in meetings(ordered, kept):
        a, b = ordered.rows[x], ordered.rows[y]
        numbers = number_of(a, b, pairs.documents)
        total += spreads(pairs, numbers, similarity)
        if bounded:
            most = np.minimum(ordered.rest[x], ordered.rest[y]) / np.sqrt(ordered.own[a] * ordered.own[b])
            numbers = numbers[most >= similarity - 1e-9]
        seen.append(np.unique(numbers))
    return total, np.unique(np.concatenate(seen))


@dataclass(frozen=True)
class Met:
    """What the kept entries of a set bring together."""

    ordered: Ordered
    pairs: Pairs
    kept: NDArray[np.bool_]
    meetings: Floats
    left: Ints

    def found(self, similarity: float) -> float:
        """The share of the near pairs that is left."""
        near = self.pairs.cosine >= similarity - 1e-9
        return float(near[self.left].sum() / near.sum()) if near.any() else 1.0


def cost(family: str, setting: str, parts: list[Met], similarity: float, width: int) -> Cost:
    """The mean over the sets of a class. Keys are counted that another document has too: the others meet nobody."""
    after = []
    for met in parts:
        close = met.left[met.pairs.distances[width][met.left] <= bits_within(width, similarity)]
        after.append(spreads(met.pairs, close, similarity))
    shared = [met.kept & (met.ordered.frequency[met.ordered.features] >= 2) for met in parts]
    keys = float(np.mean([kept.sum() / met.pairs.documents for kept, met in zip(shared, parts, strict=True)]))
    left = np.mean(after, axis=0)
    return Cost(
        family=family,
        setting=setting,
        recall=float(np.mean([met.found(similarity) for met in parts])),
        keys=keys,
        kept_bytes=8 * keys + width / 8,
        meetings=np.mean([met.meetings for met in parts], axis=0),
        after_bits=left,
        verified=left,
        extra=COUNT * float(np.mean([len(met.kept) / met.pairs.documents for met in parts])),
    )


def exact_prefix(sets: list[tuple[Ordered, Pairs]], similarity: float) -> list[Met]:
    """Every pair that shares a feature of both prefixes and passes the bound of the rest."""
    found = []
    for ordered, pairs in sets:
        kept = ordered.rest >= (similarity**2 - 1e-12) * ordered.own[ordered.rows]
        found.append(Met(ordered, pairs, kept, *join(ordered, pairs, kept, similarity, bounded=True)))
    return found


def first_places(sets: list[tuple[Ordered, Pairs]], similarity: float) -> tuple[int, list[Met]] | None:
    """The fewest of the rarest shared features that bring the recall of the near pairs together."""
    for first in FIRST:
        found = []
        for ordered, pairs in sets:
            shared = ordered.frequency[ordered.features] >= 2
            before: Ints = np.cumsum(shared) - shared
            kept = shared & (before - before[ordered.docs.offsets[:-1]][ordered.rows] < first)
            found.append(Met(ordered, pairs, kept, *join(ordered, pairs, kept, similarity, bounded=False)))
        if np.mean([met.found(similarity) for met in found]) >= RECALL:
            return first, found
    return None


def prefix_sources(sets: list[tuple[Ordered, Pairs]], similarity: float, width: int) -> Iterator[Cost]:
    """The exact prefix and the first few rarest features."""
    yield cost("prefix, exact", "all pairs found", exact_prefix(sets, similarity), similarity, width)
    few = first_places(sets, similarity)
    if few is not None:
        yield cost("rarest features", f"first {few[0]}", few[1], similarity, width)
