"""The candidate sources of the bake-off that draw keys from sketches and fingerprints, and what each costs.

A source is judged by two things that are measured on texts: the chance that a near pair meets in one of its keys
(recall) and the chance that others do (candidates).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from bakeoff_chances import (
    AGREEMENT_MISS,
    LEVELS,
    MAX_BINS,
    Near,
    Strangers,
    agree_on,
    binomial,
    bits_within,
    mixture,
    quantile_above,
)
from bakeoff_texts import Floats, Ints, Pairs

COUNTS = (1_000_000, 10_000_000, 50_000_000)
RECALL = 0.98
# Nanoseconds: a bin of a sketch made; a key made, sorted and walked; a look-up in a table that no cache holds; a
# candidate looked at; a verification. What a million documents need fits the cache in part.
BIN, KEY = 12.0, 10.0
LOOKUP = {200_000: 25.0, 1_000_000: 25.0, 10_000_000: 80.0, 50_000_000: 80.0}
CANDIDATE = {200_000: 6.0, 1_000_000: 25.0, 10_000_000: 60.0, 50_000_000: 60.0}
VERIFY = {"short": 600.0, "medium": 1700.0, "long": 4000.0}


@dataclass(frozen=True)
class Cost:
    """A source at one setting: what a document needs, and the three spreads of pairs after each step."""

    family: str
    setting: str
    recall: float
    keys: float
    kept_bytes: float
    meetings: Floats
    after_bits: Floats
    verified: Floats
    bins: float = 0.0
    lookups: float = 0.0
    extra: float = 0.0
    at_threshold: float | None = None

    def counts(self, n: int, *, broad: bool) -> tuple[float, float, float]:
        """Candidates met, those left by the bits and those verified, a document among n."""
        shares = mixture(n, broad=broad)
        return float(self.meetings @ shares), float(self.after_bits @ shares), float(self.verified @ shares)

    def nanoseconds(self, length: str, n: int, *, broad: bool) -> float:
        """The expected time for a document among n."""
        met, _, verified = self.counts(n, broad=broad)
        made = self.extra + BIN * self.bins + KEY * self.keys + LOOKUP[n] * self.lookups
        return made + CANDIDATE[n] * met + VERIFY[length] * verified


@dataclass(frozen=True)
class Keys:
    """Keys of `rows` bins of `bin_bytes` bytes and of `bits` bits of the fingerprint, `tables` of them."""

    rows: int
    bin_bytes: int
    bits: int
    tables: int
    width: int

    def chance(self, jaccard: Floats, distance: Ints) -> Floats:
        """The chance to meet in one table."""
        met = (jaccard + (1 - jaccard) / 256.0**self.bin_bytes) ** self.rows if self.rows else np.ones(1)
        return np.asarray(met * agree_on(self.width, self.bits, distance)) if self.bits else np.asarray(met)

    def ever(self, met: Floats) -> Floats:
        """The chance to meet in any table."""
        return np.asarray(-np.expm1(self.tables * np.log1p(-np.minimum(met, 1 - 1e-12))))

    def found(self, near: Near) -> float:
        """The expected recall."""
        return float(near.weight @ self.ever(self.chance(near.jaccard, near.distances[self.width])))

    def found_at(self, jaccards: Floats) -> float:
        """The expected recall of pairs with these Jaccard similarities; keys without bits."""
        return float(self.ever(self.chance(jaccards, np.zeros(1, dtype=np.int64))).mean()) if len(jaccards) else 1.0


def fewest_tables(keys: Callable[[int], float], most: int, share: float = RECALL) -> int | None:
    """The least number of tables with which `keys` finds the share."""
    if most < 1 or keys(most) < share:
        return None
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if keys(middle) >= share else (middle + 1, high)
    return low


def agreement(bins: int, rows: int, bin_bytes: int, similarity: float) -> Floats:
    """Of pairs that met in a key of `rows` bins, the share at each level that agrees in as many bins as a near pair."""
    if not bins:
        return np.ones(len(LEVELS))
    need = bins - quantile_above(bins, 1 - similarity**2, AGREEMENT_MISS) - rows
    chance = binomial(bins - rows, LEVELS + (1 - LEVELS) / 256.0**bin_bytes)
    return np.asarray(chance[:, max(need, 0) :].sum(axis=1))


def family_of(keys: Keys) -> str:
    """The name of a kind of keys."""
    if keys.rows and keys.bits:
        return "bins and bits"
    return f"bands, {keys.bin_bytes} B" if keys.rows else "SimHash bits"


def cost_of(keys: Keys, near: Near, spread: Floats, similarity: float, padded: int = 0) -> Cost:
    """What some keys cost; the sketch has at least `padded` bins, for the sake of the filter by agreement."""
    bins = max(keys.rows * keys.tables, padded)
    met = keys.chance(LEVELS[:, None], np.arange(keys.width + 1)[None, :])
    passes = np.arange(keys.width + 1) <= bits_within(keys.width, similarity)
    left = spread * (keys.ever(met) * passes)
    parts = [f"{keys.rows} bins"] if keys.rows else []
    parts += [f"{keys.bits} bits"] if keys.bits else []
    setting = f"{keys.tables} x {' + '.join(parts)}" + (f", sketch of {bins}" if bins > keys.rows * keys.tables else "")
    return Cost(
        family=family_of(keys),
        setting=setting,
        recall=keys.found(near),
        keys=keys.tables,
        kept_bytes=bins * keys.bin_bytes + keys.width / 8,
        meetings=(spread * (keys.tables * met)).sum(axis=(1, 2)),
        after_bits=left.sum(axis=(1, 2)),
        verified=left.sum(axis=2) @ agreement(bins, keys.rows, keys.bin_bytes, similarity),
        bins=bins,
        at_threshold=None if keys.bits else keys.found_at(near.at_threshold(similarity)),
    )


BANDS = tuple((rows, size, 0) for rows in range(1, 9) for size in (1, 2))
BITS = tuple((0, 0, bits) for bits in range(12, 33, 2))
BOTH = tuple((rows, size, bits) for rows in (1, 2, 3) for size in (1, 2) for bits in (4, 8, 12))
PADS = (0, 64, 128, 192)


def key_sources(
    near: Near, strangers: Strangers, similarity: float, width: int, shapes: tuple[tuple[int, int, int], ...]
) -> Iterator[Cost]:
    """Keys of every shape at the fewest tables that reach the recall, with sketches of several lengths."""
    wanted, spread = near.above(similarity), strangers.at(width, similarity)
    if not len(wanted.cosine):
        return
    for shape in shapes:

        def recall(tables: int, shape: tuple[int, int, int] = shape) -> float:
            return Keys(*shape, tables, width).found(wanted)

        rows = shape[0]
        tables = fewest_tables(recall, MAX_BINS // rows if rows else 100_000)
        if tables is not None:
            for padded in PADS if rows else (0,):
                if padded == 0 or padded > rows * tables:
                    yield cost_of(Keys(*shape, tables, width), wanted, spread, similarity, padded)


def exact_blocks(near: Near, strangers: Strangers, similarity: float, width: int) -> Cost | None:
    """Blocks by the pigeonhole: one more than the bits in which all but two in a hundred near pairs differ at most."""
    wanted, spread = near.above(similarity), strangers.at(width, similarity)
    if not len(wanted.cosine):
        return None
    order = np.argsort(wanted.distances[width])
    reach = int(np.searchsorted(np.cumsum(wanted.weight[order]), RECALL))
    bound = int(wanted.distances[width][order][min(reach, len(order) - 1)])
    keys = Keys(0, 0, max(1, width // (bound + 1)), bound + 1, width)
    recall = float((wanted.distances[width] <= bound) @ wanted.weight)
    return replace(cost_of(keys, wanted, spread, similarity), family="exact blocks", recall=recall)


def flips(pairs: Pairs, sums: Floats, similarity: float, tables: int, bits: int) -> np.ndarray:
    """For each near pair and key, which of the later document's bits differ, from its least certain bit on."""
    rows = np.flatnonzero(pairs.cosine >= similarity - 1e-9)
    asked = sums[pairs.b[rows]][:, : tables * bits].reshape(-1, tables, bits)
    kept = sums[pairs.a[rows]][:, : tables * bits].reshape(-1, tables, bits)
    order = np.argsort(np.abs(asked), axis=2)
    return np.asarray(np.take_along_axis((asked > 0) != (kept > 0), order, axis=2))


def probing(
    sets: list[tuple[Pairs, Floats]], strangers: Strangers, similarity: float, width: int, bits: int
) -> Cost | None:
    """Disjoint keys of bits; the later document looks up its keys and those with their least certain bits flipped.

    The probes come in the order of their likelihood, where the bit of each rank flips on its own as often as it does.
    """
    tables = width // bits
    wrong = [found for pairs, sums in sets if len(found := flips(pairs, sums, similarity, tables, bits))]
    if not wrong:
        return None
    flip = np.clip(np.mean([found.mean(axis=(0, 1)) for found in wrong], axis=0), 1e-4, 0.4999)
    steps = np.maximum(1, np.round(24 * np.log((1 - flip) / flip))).astype(np.int64)
    ways = np.zeros(int(steps.sum()) + 1)
    ways[0] = 1
    for step in steps:
        ways[step:] += ways[:-step].copy()
    place = np.cumsum(ways) - ways / 2
    ranks = np.concatenate([place[(found * steps).sum(axis=2)] for found in wrong])
    weight = np.concatenate([np.full(len(found), 1 / len(found) / len(wrong)) for found in wrong])
    best = (np.inf, 0.0, 0, 0.0)
    for used in range(1, tables + 1):
        first = ranks[:, :used].min(axis=1)
        order = np.argsort(first)
        reach = int(np.searchsorted(np.cumsum(weight[order]), RECALL))
        probes = max(1.0, float(first[order][min(reach, len(order) - 1)]))
        best = min(best, (probes * used, probes, used, float(weight @ (first <= probes))))
    lookups, probes, used, recall = best
    spread, met = strangers.at(width, similarity), agree_on(width, bits, np.arange(width + 1))
    after = spread * np.minimum(1, lookups * met) * (np.arange(width + 1) <= bits_within(width, similarity))
    return Cost(
        family="probing",
        setting=f"{used} x {bits} bits, {probes:,.0f} probes each",
        recall=recall,
        keys=used,
        kept_bytes=width / 8 + width / 4,
        meetings=(spread * (lookups * met)).sum(axis=(1, 2)),
        after_bits=after.sum(axis=(1, 2)),
        verified=after.sum(axis=(1, 2)),
        lookups=lookups,
    )
