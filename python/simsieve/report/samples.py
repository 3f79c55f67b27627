"""Pairs of documents to look at: bounded in number and in length, whatever the size of the collection."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.rows import CONTAINMENT
from simsieve.config.settings import DedupConfig
from simsieve.differences import clipped
from simsieve.display import html_side_by_side
from simsieve.errors import TooManyPairsError
from simsieve.messages import tr
from simsieve.report.page import Html, tag
from simsieve.results.near import NearDrops
from simsieve.results.texts import Texts

_COMPARED = 400_000_000
"""Pairs of fingerprints that are compared to find pairs just outside the threshold."""
_FOUND = 3_000_000
"""Pairs of fingerprints that may be near for them; of more, the nearest are taken."""
_MEASURED = 300
"""Pairs of texts whose similarity is measured for them."""
_READ = 20_000_000
"""Characters that are read for them."""
_MARGIN = 0.1
"""A pair is just outside if its similarity is at most so far below the threshold."""
_BITS = 6
"""Or if its distance is at most this many bits above it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Two documents, and how near they are.

    Args:
        a: Position of the one that represents, or of the earlier one; positions of old documents follow the new ones.
        b: Position of the other.
        similarity: Their similarity; None where it was not measured.
        distance: Their distance in bits; None where there is none.

    Example:
        >>> Sample(0, 1, 0.9, 3).b
        1
    """

    a: int
    b: int
    similarity: float | None
    distance: int | None


def shown_pair(sample: Sample, texts: Texts, *, with_texts: bool, names: tuple[str, str] | None = None) -> Html:
    """Write two documents side by side, with their differences marked.

    Args:
        sample: The pair.
        texts: Where texts and labels come from.
        with_texts: Show the texts; without them only ids and numbers.
        names: What the two are called; by default by their ids.
    """
    one, other = texts.name(sample.a), texts.name(sample.b)
    numbers = []
    if sample.similarity is not None:
        numbers.append(tr("similarity {value:.4f}", value=sample.similarity))
    if sample.distance is not None:
        numbers.append(tr("{count} bits apart", count=sample.distance))
    if not with_texts:
        ids = (tag("code", one), " ~ ", tag("code", other), " · " if numbers else "")
        return tag("div", tag("p", *ids, " · ".join(numbers)), class_="pair")
    head = tag("p", " · ".join(numbers), class_="note")
    parts = clipped(texts.text(sample.a), texts.text(sample.b))
    return tag("div", head, Html(html_side_by_side(parts, names or (one, other))), class_="pair")


def just_in(near: NearDrops, most: int) -> list[Sample]:
    """Choose the near duplicates that are least near their representatives, of each representative one."""
    order = np.argsort(-near.farness, kind="stable")
    _, first = np.unique(near.representative[order], return_index=True)
    return [sample_of(near, int(at)) for at in order[np.sort(first)[:most]]]


def sample_of(near: NearDrops, at: int) -> Sample:
    """Make a sample of a near duplicate: the representative is a, the duplicate b."""
    similarity, distance = float(near.similarity[at]), int(near.distance[at])
    return Sample(
        int(near.representative[at]), int(near.position[at]), None if np.isnan(similarity) else similarity,
        distance if distance >= 0 else None,
    )  # fmt: skip


def just_out(
    documents: _core.Documents, kept: NDArray[np.int64], texts: Texts, width: int, config: DedupConfig, most: int
) -> list[Sample]:
    """Find pairs of kept documents that are just outside the threshold, the nearest first.

    Some kept documents, spread evenly, are compared with all kept ones by their fingerprints. Under a similarity, the
    nearest pairs are then measured on their texts. Under containment there are none: bits say little of a part.

    Args:
        documents: The documents.
        kept: Positions of the kept documents that have features.
        texts: Their texts.
        width: The bits of a fingerprint.
        config: The settings, of one scheme.
        most: How many pairs at most.
    """
    if len(kept) < 2 or config.measure == CONTAINMENT:
        return []
    some = kept[:: max(1, len(kept) * len(kept) // _COMPARED)]
    threshold = config.effective_similarity
    bound = config.max_distance
    if threshold is not None:
        # Where a pair at the threshold is expected, in bits of the fingerprint; jaccard s is a cosine of 2s / (1 + s).
        cosine = threshold if config.measure == "cosine" else 2 * threshold / (1 + threshold)
        bound = round(width * float(np.arccos(cosine)) / np.pi)
    values = documents.values
    one, other, distance = _within(values[some], values[kept], width, min((bound or 0) + _BITS, width - 1))
    a, b = some[one], kept[other]
    apart = a < b
    a, b, distance = a[apart], b[apart], distance[apart]
    if threshold is None:
        out = distance > (bound or 0)
        order = np.argsort(distance[out], kind="stable")[:most]
        rows = zip(a[out][order].tolist(), b[out][order].tolist(), distance[out][order].tolist(), strict=True)
        return [Sample(i, j, None, d) for i, j, d in rows]
    # The nearest in bits first.
    order = np.argsort(distance, kind="stable")[:_MEASURED]
    found = _measured(zip(a[order].tolist(), b[order].tolist(), distance[order].tolist(), strict=True), texts, config)
    below = [one for one in found if one.similarity is not None and threshold - _MARGIN <= one.similarity < threshold]
    return sorted(below, key=lambda one: -(one.similarity or 0))[:most]


def _measured(rows: Iterable[tuple[int, int, int]], texts: Texts, config: DedupConfig) -> list[Sample]:
    found, read = [], 0
    for a, b, distance in rows:
        if read > _READ:
            break
        similarity, characters = texts.similarity(a, b, config.measure)
        read += characters
        found.append(Sample(a, b, similarity, distance))
    return found


def _within(
    some: NDArray[np.uint64], others: NDArray[np.uint64], width: int, bound: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Pairs across two collections within a distance; of too many, those of a smaller distance."""
    some, others = (np.ascontiguousarray(part) for part in (some, others))
    # One row alone is never too many.
    most = max(_FOUND, len(others))
    while True:
        try:
            return _core.near_pairs(some, None, width, bound, most, other=(others, None, width))
        except TooManyPairsError:
            if bound == 0:
                some = np.ascontiguousarray(some[: max(1, len(some) // 4)])
            bound //= 2


def cluster_samples(head: int, members: NDArray[np.int64], columns: _core.Decisions, most: int) -> list[Sample]:
    """Choose members of a cluster to show: from the least similar to the nearest, exact copies last."""
    others = members[members != head]
    similarity, distance = columns.similarity[others], columns.distance[others]
    order = np.lexsort((-distance, np.nan_to_num(similarity, nan=0.0)))
    chosen = order if len(order) <= most else order[np.linspace(0, len(order) - 1, most).astype(int)]
    return [
        Sample(
            head, int(others[at]), None if np.isnan(similarity[at]) else float(similarity[at]),
            int(distance[at]) if distance[at] >= 0 else None,
        )
        for at in chosen
    ]  # fmt: skip
