"""The tables of the bake-off: what was measured on, and each source's cost, as Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bakeoff_chances import LEVELS, WIDTHS, Near, Strangers, near_of, strangers_of
from bakeoff_prefix import Ordered, prefix_sources, rare_first
from bakeoff_sources import (
    BANDS,
    BITS,
    BOTH,
    COUNTS,
    Cost,
    exact_blocks,
    key_sources,
    probing,
)
from bakeoff_texts import Collection, Floats, Pairs, all_pairs, subset, sums_of
from common import show

SIMILARITIES = (0.6, 0.65, 0.7, 0.8, 0.9)
PROBED_BITS = (20, 23, 26)
FEATURE_BANDS = ((1, 12), (12, 24), (24, 32), (32, 48), (48, 100))
FEWEST_PAIRS, FEWEST_TEXTS = 20, 150


@dataclass(frozen=True)
class Field:
    """A length class under one kind of weights: its sets with everything measured of them."""

    length: str
    docs: list[Collection]
    pairs: list[Pairs]
    sums: list[Floats]
    squares: list[Floats]
    ordered: list[Ordered]
    near: Near
    strangers: Strangers


def field(length: str, docs: list[Collection], *, idf: bool) -> Field:
    """Measure all pairs of some sets."""
    squares = [it.idf_squares() if idf else np.ones(len(it.hashes)) for it in docs]
    sums = [sums_of(it, np.sqrt(square) if idf else None) for it, square in zip(docs, squares, strict=True)]
    pairs = [all_pairs(*it) for it in zip(docs, sums, squares, strict=True)]
    ordered = [rare_first(*it) for it in zip(docs, squares, strict=True)]
    return Field(length, docs, pairs, sums, squares, ordered, near_of(pairs), strangers_of(pairs))


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown; figures to the right."""
    lines = [list(header), ["---", *["---:"] * (len(header) - 1)], *[[show(cell) for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure(value: float) -> str:
    """Three digits of a figure that may be tiny or huge."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def place(name: str, similarity: float, n: int) -> str:
    """A row's name: class, similarity, number of documents."""
    return f"{name}, {similarity}, {n:,}"


def every_source(at: Field, similarity: float, width: int) -> list[Cost]:
    """Every source at every setting that reaches the recall."""
    found = list(key_sources(at.near, at.strangers, similarity, width, BANDS + BITS + BOTH))
    found += prefix_sources(list(zip(at.ordered, at.pairs, strict=True)), similarity, width)
    sets = list(zip(at.pairs, at.sums, strict=True))
    more = [exact_blocks(at.near, at.strangers, similarity, width)]
    more += [probing(sets, at.strangers, similarity, width, bits) for bits in PROBED_BITS]
    return found + [cost for cost in more if cost is not None]


def cheapest(costs: Iterable[Cost], length: str, n: int, *, broad: bool) -> dict[str, tuple[float, Cost]]:
    """The cheapest setting of each family, cheapest family first."""
    best: dict[str, tuple[float, Cost]] = {}
    for cost in costs:
        time = cost.nanoseconds(length, n, broad=broad)
        if time < best.get(cost.family, (np.inf, cost))[0]:
            best[cost.family] = (time, cost)
    return dict(sorted(best.items(), key=lambda item: item[1][0]))


def sets_table(fields: list[Field]) -> str:
    """What was measured on."""
    rows = []
    for at in fields:
        for docs, pairs in zip(at.docs, at.pairs, strict=True):
            near = int((pairs.cosine >= 0.65).sum())
            misses = ~pairs.kin & (pairs.cosine >= 0.3) & (pairs.cosine < 0.65)
            sizes = [f"{x:.0f}" for x in np.percentile(docs.sizes, [5, 50, 95])]
            size = f"{misses.sum() / len(pairs.a) * 1e6:,.0f}"
            cosines = np.percentile(pairs.cosine[~pairs.kin], [50, 99, 99.9])
            rows.append(
                [
                    docs.name,
                    at.length,
                    len(docs.texts),
                    " / ".join(sizes),
                    near,
                    size,
                    " / ".join(f"{x:.3f}" for x in cosines),
                ]
            )
    header = [
        "set",
        "class",
        "documents",
        "features (5, 50, 95 %)",
        "near at 0.65",
        "near misses a million pairs",
        "strangers' cosine (50, 99, 99.9 %)",
    ]
    return markdown(header, rows)


def background_table(fields: list[Field]) -> str:
    """The one Jaccard similarity that would meet in keys of r bins as often as the background does."""
    rows = []
    for at in fields:
        spread = at.strangers.at(128, 0.65)[0].sum(axis=1)
        rows.append([at.length, *[f"{(spread @ LEVELS**r / spread.sum()) ** (1 / r):.4f}" for r in range(1, 9)]])
    return markdown(["class", *[f"r = {r}" for r in range(1, 9)]], rows)


def winners_table(lengths: dict[str, dict[float, list[Cost]]], *, broad: bool) -> str:
    """For each class, similarity and number of documents: the cheapest bands, and what the others cost beside them."""
    rows = []
    for length, by_similarity in lengths.items():
        for similarity, costs in by_similarity.items():
            for n in COUNTS:
                best = cheapest(costs, length, n, broad=broad)
                (family, (time, cost)), *_ = best.items()
                others = {name: t for name, (t, _) in best.items() if not name.startswith("bands")}
                ratios = [f"{others[name] / time:,.1f}" if name in others else "-" for name in OTHERS]
                two = [best[f"bands, {b} B"][0] / time for b in (1, 2)]
                rows.append(
                    [
                        place(length, similarity, n),
                        family,
                        cost.setting,
                        f"{time:,.0f}",
                        *[f"{x:.2f}" for x in two],
                        *ratios,
                    ]
                )
    header = ["class, similarity, n", "cheapest", "setting", "ns", "1 B", "2 B", *OTHERS]
    return markdown(header, rows)


OTHERS = ("bins and bits", "prefix, exact", "rarest features", "SimHash bits", "probing", "exact blocks")


def sources_table(length: str, costs: list[Cost], n: int) -> str:
    """Every family at its cheapest setting, step by step."""
    rows = []
    for time, cost in cheapest(costs, length, n, broad=True).values():
        counts = [figure(x) for x in cost.counts(n, broad=True)]
        rows.append(
            [
                cost.family,
                cost.setting,
                f"{cost.recall:.3f}",
                figure(cost.keys),
                figure(cost.lookups),
                figure(cost.kept_bytes),
                *counts,
                f"{time:,.0f}",
            ]
        )
    header = [
        "source",
        "setting",
        "recall",
        "keys",
        "look-ups",
        "bytes",
        "candidates",
        "left by bits",
        "verified",
        "ns",
    ]
    return markdown(header, rows)


def widths_table(fields: list[Field], similarity: float, n: int) -> str:
    """The cheapest bands and their filter at each width."""
    rows = []
    for at in fields:
        for width in WIDTHS:
            costs = key_sources(at.near, at.strangers, similarity, width, BANDS)
            time, cost = cheapest(costs, at.length, n, broad=True).popitem()[1]
            met, after, verified = (figure(x) for x in cost.counts(n, broad=True))
            rows.append([at.length, width, cost.setting, met, after, verified, f"{time:,.0f}"])
    return markdown(["class", "bits", "bands", "candidates", "left by bits", "verified", "ns"], rows)


def few_features_table(docs: list[Collection]) -> str:
    """Bands and exact prefixes on texts of few features, by how many they have."""
    rows = []
    for least, most in FEATURE_BANDS:
        parts = [subset(it, np.flatnonzero((it.sizes >= least) & (it.sizes < most))) for it in docs]
        parts = [part for part in parts if len(part.texts) >= FEWEST_TEXTS]
        if not parts:
            continue
        at = field("short", parts, idf=False)
        for similarity in (0.65, 0.8):
            wanted = at.near.above(similarity)
            if len(wanted.cosine) < FEWEST_PAIRS:
                continue
            costs = list(key_sources(at.near, at.strangers, similarity, 128, BANDS))
            costs += prefix_sources(list(zip(at.ordered, at.pairs, strict=True)), similarity, 128)
            for n in COUNTS:
                best = cheapest(costs, "short", n, broad=True)
                bands = min((best[name] for name in best if name.startswith("bands")), key=lambda it: it[0])
                prefix = best["prefix, exact"]
                rows.append(
                    [
                        place(f"{least} to {most - 1}", similarity, n),
                        len(wanted.cosine),
                        bands[1].setting,
                        figure(bands[1].counts(n, broad=True)[0]),
                        f"{bands[0]:,.0f}",
                        figure(prefix[1].keys),
                        figure(prefix[1].counts(n, broad=True)[0]),
                        f"{prefix[0]:,.0f}",
                    ]
                )
    header = ["features, similarity, n", "near pairs", "bands", "candidates", "ns", "prefix keys", "candidates", "ns"]
    return markdown(header, rows)


def prefix_growth(docs: Collection) -> list[float]:
    """The chance that two of the background meet in an exact prefix, in a quarter, a half and all of a set."""
    found = []
    for part in (4, 2, 1):
        chosen = subset(docs, np.flatnonzero(docs.origin % part == 0))
        at = field("short", [chosen], idf=False)
        cost = next(prefix_sources([(at.ordered[0], at.pairs[0])], 0.65, 128))
        found.append(float(cost.meetings[0]))
    return found


def idf_table(plain: dict[str, Field], weighted: dict[str, Field], n: int) -> str:
    """Under weights by document frequency: bands of weighted sketches and of the sets' sketches."""
    rows = []
    for length, at in weighted.items():
        sets = [replace(a, jaccard=b.jaccard) for a, b in zip(at.pairs, plain[length].pairs, strict=True)]
        for similarity in SIMILARITIES:
            row: list[Any] = [f"{length}, {similarity}"]
            for near, strangers in ((at.near, at.strangers), (near_of(sets), strangers_of(sets))):
                best = cheapest(key_sources(near, strangers, similarity, 128, BANDS[::2]), length, n, broad=True)
                time, cost = best["bands, 1 B"]
                met, _, verified = cost.counts(n, broad=True)
                row += [cost.setting, figure(met), figure(verified), f"{time:,.0f}"]
            rows.append(row)
    header = [
        "class, similarity",
        "weighted sketch",
        "candidates",
        "verified",
        "ns",
        "sketch of the set",
        "candidates",
        "verified",
        "ns",
    ]
    return markdown(header, rows)
