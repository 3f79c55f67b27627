"""Chances for the bake-off: how the pairs of real texts are spread, and what a key or a filter makes of them."""

import math
from dataclasses import dataclass

import numpy as np

from bakeoff_texts import Floats, Ints, Pairs

WIDTHS = (64, 128, 256)
LOWEST = 0.6
MAX_BINS = 1024
DISTANCE_MISS, AGREEMENT_MISS = 1e-4, 1e-6
LOG_FACTORIALS = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 2 * MAX_BINS)))])
# Jaccard similarities of strangers are counted in these classes: 0, then equal steps of the logarithm.
EDGES = np.concatenate([[-1.0, 1e-9], np.geomspace(1e-4, 1.0, 200), [2.0]])
LEVELS = np.concatenate([[0.0, 5e-5], np.sqrt(EDGES[2:-2] * EDGES[3:-1]), [1.0]])


def binomial(n: int, p: Floats) -> Floats:
    """P(X = x) for x from 0 to n, a row for each p."""
    x = np.arange(n + 1)
    p = np.clip(p, 1e-300, 1 - 1e-15)[:, None]
    chosen = LOG_FACTORIALS[n] - LOG_FACTORIALS[x] - LOG_FACTORIALS[n - x]
    return np.asarray(np.exp(chosen + x * np.log(p) + (n - x) * np.log1p(-p)))


def quantile_above(n: int, p: float, miss: float) -> int:
    """The least x that a binomial variable exceeds with probability at most `miss`."""
    above = np.cumsum(binomial(n, np.array([p]))[0][::-1])[::-1]
    return int(np.argmax(np.append(above[1:], 0.0) <= miss))


def bits_within(width: int, similarity: float) -> int:
    """Bits that a near pair differs in at most, but for DISTANCE_MISS."""
    return quantile_above(width, math.acos(similarity) / math.pi, DISTANCE_MISS)


def log_choose(n: Ints, k: int) -> Floats:
    """Ln of n over k; minus infinity where there is no choice."""
    n = np.asarray(n)
    enough = n >= k
    n = np.where(enough, n, k)
    return np.where(enough, LOG_FACTORIALS[n] - LOG_FACTORIALS[k] - LOG_FACTORIALS[n - k], -np.inf)


def agree_on(width: int, bits: int, distance: Ints) -> Floats:
    """Chance that fingerprints at this distance agree in `bits` chosen ones."""
    return np.asarray(np.exp(log_choose(width - np.asarray(distance), bits) - log_choose(np.array([width]), bits)))


@dataclass(frozen=True)
class Near:
    """Pairs with weights that sum to 1 over those of a similarity; each set of a class has the same share."""

    cosine: Floats
    jaccard: Floats
    distances: dict[int, Ints]
    ratio: Floats
    group: Ints

    def above(self, similarity: float) -> "Near":
        """Those of at least a similarity."""
        keep = self.cosine >= similarity - 1e-9
        distances = {width: values[keep] for width, values in self.distances.items()}
        return Near(self.cosine[keep], self.jaccard[keep], distances, self.ratio[keep], self.group[keep])

    @property
    def weight(self) -> Floats:
        """Each pair's share."""
        counts = np.bincount(self.group)
        return np.asarray(1 / counts[self.group] / max(1, int((counts > 0).sum())))

    def at_threshold(self, similarity: float) -> Floats:
        """The Jaccard similarities of those just above, had they the similarity itself and the sizes they have."""
        root = np.sqrt(self.ratio[self.cosine < similarity + 0.1])
        root = np.maximum(root, similarity)
        return np.asarray(similarity * root / (1 + root * root - similarity * root))


def near_of(all_pairs: list[Pairs]) -> Near:
    """The pairs of some sets that are near at any of the similarities."""
    rows = [np.flatnonzero(pairs.cosine >= LOWEST - 1e-9) for pairs in all_pairs]
    parts = list(zip(all_pairs, rows, strict=True))
    return Near(
        cosine=np.concatenate([pairs.cosine[at] for pairs, at in parts]),
        jaccard=np.concatenate([pairs.jaccard[at] for pairs, at in parts]),
        distances={width: np.concatenate([pairs.distances[width][at] for pairs, at in parts]) for width in WIDTHS},
        ratio=np.concatenate([pairs.ratio[at] for pairs, at in parts]),
        group=np.repeat(np.arange(len(parts)), [len(at) for at in rows]),
    )


@dataclass(frozen=True)
class Strangers:
    """How pairs that are not near are spread over classes of Jaccard similarity and distances.

    Three spreads: the background (of different origin, cosine below KIN) as shares of all pairs; the near misses (the
    rest) as pairs a document of the set as it is; and those of different origin again, as shares of all pairs.
    """

    all_pairs: list[Pairs]
    background: dict[int, Floats]

    def at(self, width: int, similarity: float) -> Floats:
        """The three spreads below a similarity."""
        spread = np.zeros((3, len(EDGES) - 1, width + 1))
        spread[0] = self.background[width]
        for pairs in self.all_pairs:
            rows = pairs.misses[pairs.cosine[pairs.misses] < similarity - 1e-9]
            classes = np.searchsorted(EDGES, pairs.jaccard[rows], side="right") - 1
            cells = (classes, pairs.distances[width][rows])
            np.add.at(spread[1], cells, 1 / pairs.documents / len(self.all_pairs))
            np.add.at(spread[2], cells, ~pairs.kin[rows] / len(pairs.a) / len(self.all_pairs))
        return spread


def strangers_of(all_pairs: list[Pairs]) -> Strangers:
    """The strangers of some sets, each set with the same weight."""
    background = {width: np.zeros((len(EDGES) - 1, width + 1)) for width in WIDTHS}
    for pairs in all_pairs:
        far = np.flatnonzero(pairs.far)
        classes = np.searchsorted(EDGES, pairs.jaccard[far], side="right") - 1
        for width in WIDTHS:
            size = background[width].size
            cells = np.bincount(classes * (width + 1) + pairs.distances[width][far], minlength=size)
            background[width] += cells.reshape(background[width].shape) / len(pairs.a) / len(all_pairs)
    return Strangers(all_pairs, background)


def mixture(n: int, *, broad: bool) -> Floats:
    """How the three spreads add up for each of n documents: pairs a document.

    Broad: a document meets more background the more documents there are, and has the near misses that it has. Narrow:
    one source that goes on as it began, with near misses in proportion.
    """
    return np.array([n / 2, 1.0, 0.0]) if broad else np.array([n / 2, 0.0, n / 2])
