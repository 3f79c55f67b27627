"""What the bake-off means for the recipe: what a recall promises, how bands are chosen, what the filters lose."""

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from bakeoff_chances import AGREEMENT_MISS, MAX_BINS, WIDTHS, binomial, bits_within, quantile_above
from bakeoff_sources import CANDIDATE, COUNTS, PADS, RECALL, Cost, Keys, cost_of, fewest_tables
from bakeoff_tables import SIMILARITIES, Field, cheapest, figure, markdown, place
from bakeoff_texts import KIN, Collection, Pairs

# Of all near pairs of the texts; of two texts of equal size exactly at the threshold; of any two at the threshold.
PROMISES = (("mean", RECALL), ("equal", 0.9), ("equal", RECALL), ("any", RECALL))
PROMISED = {"mean": "of near pairs", "equal": "at the threshold, equal sizes", "any": "at the threshold, any sizes"}
# The recipe's own constants, today and as proposed; nanoseconds as in `bakeoff_sources`.
REGISTER = 64
BYTE_COST, KEY_COST, CANDIDATE_COST, BACKGROUND, LEAST_SKETCH = 12.0, 10.0, 6.0, 0.04, 128
MOST_FEATURES = 48
FEATURES = (1, 8, 12, 16, 24, 48, 100, 100_000)


def promised_jaccard(similarity: float, promise: str) -> float:
    """The Jaccard similarity of a pair at the threshold: of equal sizes, or of any (one holds the other)."""
    return similarity / (2 - similarity) if promise == "equal" else similarity**2


def promised(at: Field, similarity: float, n: int, promise: str, share: float) -> tuple[float, Cost] | None:
    """The cheapest bands of single bytes that keep a promise of finding a share of pairs."""
    wanted, spread = at.near.above(similarity), at.strangers.at(128, similarity)
    level = np.array([promised_jaccard(similarity, promise)])
    costs = []
    for rows in range(1, 9):

        def recall(tables: int, rows: int = rows) -> float:
            keys = Keys(rows, 1, 0, tables, 128)
            return keys.found(wanted) if promise == "mean" else keys.found_at(level)

        tables = fewest_tables(recall, MAX_BINS // rows, share)
        if tables is not None:
            costs += [cost_of(Keys(rows, 1, 0, tables, 128), wanted, spread, similarity, pad) for pad in PADS]
    best = cheapest(costs, at.length, n, broad=True)
    return best["bands, 1 B"] if best else None


def promises_table(fields: list[Field]) -> str:
    """What four ways to promise a recall cost: bands, the recall they reach (mean / at the threshold), nanoseconds."""
    rows = []
    for at in fields:
        for similarity in SIMILARITIES:
            for n in COUNTS:
                row = [place(at.length, similarity, n)]
                for promise, share in PROMISES:
                    found = promised(at, similarity, n, promise, share)
                    if found is None:
                        row += ["-", "-"]
                    else:
                        time, cost = found
                        reached = f"{cost.recall:.4f} / {cost.at_threshold or 0:.2f}"
                        row += [f"{cost.setting.partition(',')[0]} ({reached})", f"{time:,.0f}"]
                rows.append(row)
    header = ["class, similarity, n"]
    for promise, share in PROMISES:
        header += [f"{share} {PROMISED[promise]}", "ns"]
    return markdown(header, rows)


def background(rows: int) -> float:
    """The proposed constant: the Jaccard similarity of strangers as keys of this many bins see it."""
    return 0.015 + 0.006 * rows


def candidate_cost(log2_n: int) -> float:
    """The proposed cost of a candidate: from 2^17 to 2^23 documents they grow out of the cache."""
    return min(60.0, max(6.0, 6.0 + 9.0 * (log2_n - 17)))


def sharp_sketch(similarity: float) -> int:
    """The proposed least sketch: one in a hundred pairs of cosine KIN and equal sizes agrees as a near pair does."""
    level = KIN / (2 - KIN)
    for size in range(REGISTER, MAX_BINS, REGISTER):
        need = size - quantile_above(size, 1 - similarity**2, AGREEMENT_MISS)
        if quantile_above(size, level + (1 - level) / 256, 0.01) < need:
            return size
    return MAX_BINS


def chosen(similarity: float, n: int, promise: str, *, proposed: bool) -> tuple[int, int, int]:
    """Bands, rows and sketch bytes of the recipe's formula for n records, with today's constants or those proposed."""
    log2_n = n.bit_length() - 1
    others = 2.0**log2_n / 2 if proposed else 2.0**log2_n
    jaccard = promised_jaccard(similarity, promise)
    best = (math.inf, 0, 0, 0)
    for rows in range(1, 17):
        meet = jaccard**rows
        bands = 1 if meet >= 1 else max(1, math.ceil(math.log(1 - RECALL) / math.log1p(-meet)))
        if bands * rows > MAX_BINS:
            break
        size = -(-bands * rows // REGISTER) * REGISTER
        size = max(size, sharp_sketch(similarity) if proposed else LEAST_SKETCH)
        apart = background(rows) if proposed else BACKGROUND
        met = others * bands * (apart + (1 - apart) / 256) ** rows
        look = candidate_cost(log2_n) if proposed else CANDIDATE_COST
        cost = BYTE_COST * (size if proposed else bands * rows) + KEY_COST * bands + look * met
        best = min(best, (cost, bands, rows, size))
    return best[1:]


def formulas_table(fields: list[Field]) -> str:
    """The recipe's formula today, with the proposed constants, and with these for equal sizes: on every class."""
    rows = []
    for similarity in SIMILARITIES:
        for n in CANDIDATE:
            row = [place("", similarity, n).removeprefix(", ")]
            for promise, proposed in (("any", False), ("any", True), ("equal", True)):
                bands, per_band, size = chosen(similarity, n, promise, proposed=proposed)
                costs = [
                    cost_of(
                        Keys(per_band, 1, 0, bands, 128),
                        at.near.above(similarity),
                        at.strangers.at(128, similarity),
                        similarity,
                        size,
                    )
                    for at in fields
                ]
                times = [cost.nanoseconds(at.length, n, broad=True) for at, cost in zip(fields, costs, strict=True)]
                row += [f"{bands} x {per_band}, {size} B", f"{min(cost.recall for cost in costs):.4f}"]
                row += [" / ".join(f"{time:,.0f}" for time in times)]
            rows.append(row)
    names = " / ".join(at.length for at in fields)
    header = ["similarity, n"]
    for name in ("today", "proposed constants", "and for equal sizes"):
        header += [name, "least mean recall", f"ns: {names}"]
    return markdown(header, rows)


def sketches_table(fields: list[Field], n: int) -> str:
    """Longer sketches than the bands need: what the sharper filter saves, and what the bins cost."""
    rows = []
    for at in fields:
        for similarity in SIMILARITIES:
            found = promised(at, similarity, n, "equal", RECALL)
            if found is None:
                continue
            tables, per_band = int(found[1].keys), int(found[1].setting.split(" x ")[1].split()[0])
            row = [f"{at.length}, {similarity}", f"{tables} x {per_band}"]
            for size in (0, 64, 128, 192, 256):
                spread = at.strangers.at(128, similarity)
                keys = Keys(per_band, 1, 0, tables, 128)
                cost = cost_of(keys, at.near.above(similarity), spread, similarity, size)
                short = size and size < tables * per_band
                verified = figure(cost.counts(n, broad=True)[2])
                row.append("-" if short else f"{cost.nanoseconds(at.length, n, broad=True):,.0f} ({verified})")
            rows.append(row)
    header = ["class, similarity", "bands", *[f"{size} bytes: ns (verified)" for size in ("their", 64, 128, 192, 256)]]
    return markdown(header, rows)


def differing(shared: int, own_a: int, own_b: int) -> float:
    """The chance that a bit of two sets differs, exactly: each feature adds or subtracts one, a tie is 0."""

    def sums(count: int) -> np.ndarray:
        return np.asarray([math.comb(count, ones) / 2**count for ones in range(count + 1)])

    steps = np.arange(shared + 1) * 2 - shared
    above = []
    for own in (own_a, own_b):
        reach = (np.arange(own + 1) * 2 - own)[:, None] + steps[None, :] > 0
        above.append(sums(own) @ reach)
    return float(sums(shared) @ (above[0] * (1 - above[1]) + above[1] * (1 - above[0])))


def losses_table(sets: Iterable[tuple[Collection, Pairs]]) -> str:
    """What the filter by bits loses of near pairs, by the features of the smaller text.

    By arithmetic for the worst two sets (up to MOST_FEATURES each), at 128 bits; and counted on texts at every width.
    """
    found = list(sets)
    rows = []
    for similarity in (0.65, 0.8):
        for least, most in pairwise(FEATURES):
            lost, seen = dict.fromkeys(WIDTHS, 0), 0
            for docs, pairs in found:
                smaller = np.minimum(docs.sizes[pairs.a], docs.sizes[pairs.b])
                near = np.flatnonzero((pairs.cosine >= similarity - 1e-9) & (smaller >= least) & (smaller < most))
                seen += len(near)
                for width in WIDTHS:
                    lost[width] += int((pairs.distances[width][near] > bits_within(width, similarity)).sum())
            name = f"{least} to {most - 1}" if most < FEATURES[-1] else f"{least} and more"
            worst = worst_loss(least, most, similarity) if most <= MOST_FEATURES else None
            counts = [f"{lost[width]}" for width in WIDTHS]
            rows.append([f"{similarity}, {name}", "-" if worst is None else f"{worst:.1e}", seen, *counts])
    header = [
        "similarity, features",
        "worst by arithmetic",
        "near pairs",
        *[f"lost at {width} bits" for width in WIDTHS],
    ]
    return markdown(header, rows)


def worst_loss(least: int, most: int, similarity: float) -> float:
    """The greatest chance that the bits lose a near pair whose smaller set has `least` to `most` - 1 features."""
    bound, worst = bits_within(128, similarity), 0.0
    for small in range(least, most):
        for large in range(small, min(MOST_FEATURES, int(small / similarity**2)) + 1):
            shared = math.ceil(similarity * math.sqrt(small * large) - 1e-9)
            if shared <= small:
                chance = differing(shared, small - shared, large - shared)
                worst = max(worst, float(binomial(128, np.array([chance]))[0, bound + 1 :].sum()))
    return worst
