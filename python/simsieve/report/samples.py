"""Pairs of documents to look at: bounded in number and in length, whatever the size of the collection."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.near_rows import CONTAINMENT
from simsieve.config.settings import DedupConfig
from simsieve.differences import clipped
from simsieve.display import cut, html_side_by_side
from simsieve.errors import TooManyPairsError
from simsieve.messages import tr
from simsieve.report.page import Html, image, tag
from simsieve.results.near import NearDrops, Texts

_COMPARED = 400_000_000
"""Pairs of fingerprints that are compared to find pairs just outside the threshold."""
_FOUND = 3_000_000
"""Pairs of fingerprints that may be near for them; of more, the nearest are taken."""
_MEASURED = 300
"""Pairs of texts whose similarity is measured for them."""
_READ = 20_000_000
"""Characters that are read for them."""
_SPREAD = 2_000
"""Documents that are read to find templates."""
_BEGINNING = 4_000
"""Characters that are read of one of them."""
_SPREAD_CHARACTERS = 1_000_000
"""Characters that are read of all of them."""
_MARGIN = 0.1
"""A pair is just outside if its similarity is at most so far below the threshold."""
_BITS = 6
"""Or if its distance is at most this many bits above it."""


_LOST = 200
"""Characters of a lost run that are shown."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Two documents, and how near they are: by similarity, and by distance in bits."""

    a: int
    b: int
    similarity: float | None
    distance: int | None
    lost: int | None = None


def named(sample: Sample, texts: Texts) -> str:
    """Name two documents, and say how near they are."""
    return " · ".join((f"{texts.name(sample.a)} ~ {texts.name(sample.b)}", *_numbers(sample)))


def _numbers(sample: Sample) -> list[str]:
    numbers = []
    if sample.similarity is not None:
        numbers.append(tr("similarity {value:.4f}", value=sample.similarity))
    if sample.distance is not None:
        numbers.append(tr("{count} bits apart", count=sample.distance))
    if sample.lost is not None:
        numbers.append(tr("loses {count} units", count=sample.lost))
    return numbers


def shown_pair(sample: Sample, texts: Texts, *, with_texts: bool) -> Html:
    """Write two documents side by side, with their differences marked."""
    one, other = texts.name(sample.a), texts.name(sample.b)
    numbers = _numbers(sample)
    if not with_texts:
        ids = (tag("code", one), " ~ ", tag("code", other), " · " if numbers else "")
        return tag("div", tag("p", *ids, " · ".join(numbers)), class_="pair")
    head: Html = tag("p", " · ".join(numbers), class_="note")
    if sample.lost and (run := texts.lost(sample.a, sample.b)):
        shown = cut(run, _LOST)
        head = Html(head + tag("p", tr("lost: {run}", run=shown), class_="note"))
    if pictures := texts.pictures(sample.a, sample.b):
        both = (
            tag("figure", image(*each), tag("figcaption", each[0]))
            for each in ((one, pictures[0]), (other, pictures[1]))
        )
        return tag("div", head, tag("div", *both, class_="pictures"), class_="pair")
    parts = clipped(texts.text(sample.a), texts.text(sample.b))
    return tag("div", head, Html(html_side_by_side(parts, (one, other))), class_="pair")


def just_in(near: NearDrops, most: int) -> list[Sample]:
    """Choose the near duplicates that are least near their representatives, of each representative one."""
    order = np.argsort(-near.farness, kind="stable")
    _, first = np.unique(near.representative[order], return_index=True)
    return [sample_of(near, int(at)) for at in order[np.sort(first)[:most]]]


def sample_of(near: NearDrops, at: int) -> Sample:
    """Make a sample of a near duplicate: the representative is a, the duplicate b."""
    return Sample(int(near.representative[at]), int(near.position[at]), *near.measured(at))


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Pairs of kept documents, the nearest by their fingerprints: none that is near by a distance."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    distance: NDArray[np.int64]


def compared_kept(values: NDArray[np.uint64], kept: NDArray[np.int64], width: int, config: DedupConfig) -> Outside:
    """Compare some kept documents, spread evenly, with all kept ones by their fingerprints."""
    # Under containment there are no pairs: bits say little of a part.
    if len(kept) < 2 or config.measure == CONTAINMENT:
        nothing = np.empty(0, dtype=np.int64)
        return Outside(nothing, nothing, nothing)
    some = kept[:: max(1, len(kept) * len(kept) // _COMPARED)]
    threshold = config.effective_similarity
    bound = config.max_distance
    if threshold is not None:
        # Where a pair at the threshold is expected, in bits of the fingerprint; jaccard s is a cosine of 2s / (1 + s).
        cosine = threshold if config.measure == "cosine" else 2 * threshold / (1 + threshold)
        bound = round(width * float(np.arccos(cosine)) / np.pi)
    one, other, distance = _within(values[some], values[kept], width, min((bound or 0) + _BITS, width - 1))
    a, b = some[one], kept[other]
    apart = (a < b) & ((threshold is not None) | (distance > (bound or 0)))
    return Outside(a[apart], b[apart], distance[apart])


def just_out(outside: Outside, texts: Texts, config: DedupConfig, most: int) -> list[Sample]:
    """Choose pairs of kept documents just outside the threshold, the nearest first."""
    # Under a similarity, the nearest pairs by their fingerprints are measured on their texts.
    threshold = config.effective_similarity
    order = np.argsort(outside.distance, kind="stable")[: most if threshold is None else _MEASURED]
    columns = (outside.a, outside.b, outside.distance)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    if threshold is None:
        return [Sample(a, b, None, distance) for a, b, distance in rows]
    found = _measured(rows, texts, config)
    below = [one for one in found if one.similarity is not None and threshold - _MARGIN <= one.similarity < threshold]
    return sorted(below, key=lambda one: -(one.similarity or 0))[:most]


def spread(kept: NDArray[np.int64], texts: Texts) -> tuple[list[int], list[str]]:
    """Read the beginnings of some kept documents, spread evenly."""
    some = kept[:: max(1, -(-len(kept) // _SPREAD))].tolist()
    read: dict[int, str] = {}
    left = _SPREAD_CHARACTERS
    for position in Random(0).sample(some, len(some)):  # noqa: S311 - it draws a sample, no secret
        read[position] = texts.text(position)[:_BEGINNING]
        left -= len(read[position])
        if left < 0:
            break
    positions = sorted(read)
    return positions, [read[position] for position in positions]


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
