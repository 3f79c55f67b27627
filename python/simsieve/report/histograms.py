"""The charts of a run: similarities and distances of near duplicates and of rejected candidates, sizes of clusters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.report.page import Html, bars, none_of, tag
from simsieve.results.arrow import cluster_sizes, heads
from simsieve.results.near import NearDrops

_BINS = 20
_STEPS = (0.005, 0.01, 0.02, 0.05)
"""Widths of a bar of similarities: round numbers, so that the threshold is between two bars."""
_EVERY = 4
"""Every fourth label is written."""


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart; one label in `every` is written, below a bar or where it begins; the mark is the threshold, in bars."""

    title: str
    labels: Sequence[str]
    counts: NDArray[np.int64]
    every: int = _EVERY
    mark: float | None = None
    are_edges: bool = False


def histograms(
    near: NearDrops, columns: _core.Decisions, config: DedupConfig, outside: NDArray[np.int64] | None = None
) -> list[Html]:
    """Draw the charts of a run."""
    _, _, bits, similarity = columns.rejected(config.seed, config.threads)
    if outside is not None and len(outside):
        bits = outside
    one = config.criteria[0] if len(config.criteria) == 1 else None
    limits = (None, None) if one is None else (one.similarity, one.max_distance)
    charts = [*_similarities(near, similarity, limits[0]), *_distances(near, bits, limits[1]), *_sizes(columns)]
    if not charts:
        return [none_of(tr("No document was dropped."))]
    name = tr("threshold")
    drawn = [
        tag(
            "div", tag("h3", each.title),
            bars(
                each.labels, [int(count) for count in each.counts], each.title, each.every,
                None if each.mark is None else (each.mark, name), are_edges=each.are_edges,
            ),
        )
        for each in charts
    ]  # fmt: skip
    note = tr(
        "Rejected candidates are pairs of kept documents that the search compared and that are not near. They are a"
        " sample, so compare where their bars are, not how high. Many of them close to the near duplicates mean that"
        " the threshold decides much."
    )
    notes = [tag("p", note, class_="note")] if len(bits) else []
    return [tag("div", *drawn, class_="charts"), *notes]


def _similarities(near: NearDrops, rejected: NDArray[np.float64], limit: float | None) -> list[_Chart]:
    measured = near.similarity[~np.isnan(near.similarity)]
    both = np.concatenate([measured, rejected])
    if not len(both):
        return []
    lowest = min(float(both.min()), 1.0 if limit is None else limit)
    step = next((step for step in _STEPS if (1 - lowest) / step <= _BINS), _STEPS[-1])
    # One range for both charts, so that a place in one is the same place in the other; equal texts are in the last bar.
    bins = max(1, math.ceil((1 - lowest) / step - 1e-9))
    low = 1 - bins * step
    edges = np.append(low + step * np.arange(bins), 1.0001)
    labels = [f"{edge:.3g}" for edge in edges[:-1]]
    titles = (
        tr("Similarity of near duplicates to their representatives"),
        tr("Similarity of rejected candidates: {count:,} pairs of a sample", count=len(rejected)),
    )
    mark = None if limit is None else (limit - low) / step
    # A similarity that is the edge of a bar may be written a little below it.
    return [
        _Chart(title, labels, np.histogram(np.clip(values + 1e-9, low, 1.0), bins=edges)[0], mark=mark, are_edges=True)
        for title, values in zip(titles, (measured, rejected), strict=True)
        if len(values)
    ]


def _distances(near: NearDrops, rejected: NDArray[np.int64], limit: int | None) -> list[_Chart]:
    measured = near.distance[near.distance >= 0].astype(np.int64)
    most = max((int(values.max()) for values in (measured, rejected) if len(values)), default=-1)
    if most < 0:
        return []
    step = -(-(most + 1) // _BINS)
    bins = most // step + 1
    labels = [f"{at * step}" if step == 1 else f"{at * step}-{at * step + step - 1}" for at in range(bins)]
    titles = (
        tr("Distance of near duplicates to their representatives, in bits"),
        tr("Distance of rejected candidates, in bits: {count:,} pairs of a sample", count=len(rejected)),
    )
    mark = None if limit is None or limit > most else (limit + 1) / step
    return [
        _Chart(title, labels, np.bincount(values // step, minlength=bins), mark=mark)
        for title, values in zip(titles, (measured, rejected), strict=True)
        if len(values)
    ]


def _sizes(columns: _core.Decisions) -> list[_Chart]:
    """The sizes of the clusters of two and more new documents: 2, 3-4, 5-8, and so on."""
    sizes = cluster_sizes(heads(columns.decision, columns.representative))
    sizes = sizes[sizes > 1]
    if not len(sizes):
        return []
    counts = np.bincount(np.ceil(np.log2(sizes)).astype(int))[1:]
    ends = [2**power for power in range(1, len(counts) + 1)]
    labels = ["2" if end == 2 else f"{end // 2 + 1}-{end}" for end in ends]
    return [_Chart(tr("Clusters by size"), labels, counts, max(1, len(labels) // 6))]
