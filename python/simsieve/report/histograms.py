"""The charts of a run: similarities and distances of near duplicates and of rejected candidates, sizes of clusters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.report.chart import bars
from simsieve.report.page import Html, none_of, section, tag
from simsieve.results.arrow import cluster_sizes, heads
from simsieve.results.near import NearDrops

_BINS = 20
_EVERY = 4
"""One in so many labels is written."""

_Chart = tuple[str, Sequence[str], NDArray[np.int64], int]
"""Title, labels, counts, and which labels are written."""


def histograms(
    near: NearDrops, columns: _core.Decisions, config: DedupConfig, outside: NDArray[np.int64] | None = None
) -> Html:
    """Draw the charts of a run."""
    _, _, bits, similarity = columns.rejected(config.seed, config.threads)
    if outside is not None and len(outside):
        bits = outside
    charts = [*_similarities(near, similarity), *_distances(near, bits), *_sizes(columns)]
    if not charts:
        return section(tr("Charts"), none_of(tr("No document was dropped.")))
    drawn = [
        tag("div", tag("h3", title), bars(labels, [int(count) for count in counts], title, every))
        for title, labels, counts, every in charts
    ]
    note = tr(
        "Rejected candidates are pairs of kept documents that the search compared and that are not near. They are a"
        " sample, so compare where their bars are, not how high. Many of them close to the near duplicates mean that"
        " the threshold decides much."
    )
    notes = [tag("p", note, class_="note")] if len(bits) else []
    return section(tr("Charts"), tag("div", *drawn, class_="charts"), *notes)


def _similarities(near: NearDrops, rejected: NDArray[np.float64]) -> list[_Chart]:
    measured = near.similarity[~np.isnan(near.similarity)]
    both = np.concatenate([measured, rejected])
    if not len(both):
        return []
    low = float(both.min())
    # One range for both charts, so that a place in one is the same place in the other.
    edges = np.linspace(low, 1.0 if low < 1 else 1.0001, _BINS + 1)
    labels = [f"{edge:.3f}" for edge in edges[:-1]]
    titles = (
        tr("Similarity of near duplicates to their representatives"),
        tr("Similarity of rejected candidates: {count:,} pairs of a sample", count=len(rejected)),
    )
    return [
        (title, labels, np.histogram(values, bins=edges)[0], _EVERY)
        for title, values in zip(titles, (measured, rejected), strict=True)
        if len(values)
    ]


def _distances(near: NearDrops, rejected: NDArray[np.int64]) -> list[_Chart]:
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
    return [
        (title, labels, np.bincount(values // step, minlength=bins), _EVERY)
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
    return [(tr("Clusters by size"), labels, counts, max(1, len(labels) // 6))]
