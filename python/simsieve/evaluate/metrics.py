"""Agreement with labels: pairwise precision, recall and F1, B-cubed, adjusted Rand index, average precision.

And the precision of a run, from a sample of its near duplicates that people judged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve.messages import tr
from simsieve.results.recall import clopper_pearson


@dataclass(frozen=True, slots=True)
class PairScore:
    """Pairwise agreement at one threshold: a similarity, or a distance in bits."""

    threshold: float
    found: int
    right: int
    gold: int

    @property
    def precision(self) -> float | None:
        """The share of the found pairs that are right; None where none was found."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of the right pairs that were found; None where there is none."""
        return self.right / self.gold if self.gold else None

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where nothing right was found."""
        return 2 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0

    @property
    def precision_interval(self) -> tuple[float, float]:
        """The interval of 95 % of the precision, for pairs that err independently."""
        return clopper_pearson(self.right, self.found) if self.found else (0.0, 1.0)

    @property
    def recall_interval(self) -> tuple[float, float]:
        """The interval of 95 % of the recall, for pairs that err independently."""
        return clopper_pearson(self.right, self.gold) if self.gold else (0.0, 1.0)


def similarities_from(low: float, step: float) -> list[float]:
    """Give the similarities that are tried, ascending: from a least one to 1 at most, in equal steps."""
    return [round(low + step * at, 6) for at in range(int((1 - low) / step + 1e-9) + 1)]


def sweep(
    nearness: NDArray[np.float64],
    right: NDArray[np.bool_],
    gold: int,
    thresholds: Sequence[float],
    *,
    by_distance: bool,
) -> list[PairScore]:
    """Score found pairs at several thresholds, which are inclusive bounds."""
    sign = 1.0 if by_distance else -1.0
    order = np.argsort(sign * nearness, kind="stable")
    placed, rights = sign * nearness[order], np.concatenate([[0], np.cumsum(right[order])])
    rows = []
    for threshold in thresholds:
        # A similarity is a rounded quotient; one of exactly the threshold counts.
        found = int(np.searchsorted(placed, sign * threshold + 1e-12, side="right"))
        rows.append(PairScore(threshold, found, int(rights[found]), gold))
    return rows


def average_precision(
    nearness: NDArray[np.float64], right: NDArray[np.bool_], gold: int, *, by_distance: bool
) -> float:
    """Average the precision over the right pairs, ranked by nearness; a right pair that was not found adds 0."""
    # Of equally near pairs all count together, as in scikit-learn.
    if not len(nearness):
        return 0.0
    keys = nearness if by_distance else -nearness
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(keys[order]) > 0, True))
    rights = np.cumsum(right[order])[ends]
    precision = rights / (ends + 1)
    return float((np.diff(np.concatenate([[0], rights])) * precision).sum() / gold)


@dataclass(frozen=True, slots=True)
class ClusterScore:
    """Agreement of clusters with labels; B-cubed is a mean over the documents of shares of clusters and labels."""

    bcubed_precision: float
    bcubed_recall: float
    adjusted_rand: float

    @property
    def bcubed_f1(self) -> float:
        """The harmonic mean of B-cubed precision and recall."""
        total = self.bcubed_precision + self.bcubed_recall
        return 2 * self.bcubed_precision * self.bcubed_recall / total if total else 0.0


def cluster_score(clusters: NDArray[np.int64], labels: NDArray[np.int64]) -> ClusterScore:
    """Compare clusters with labels."""
    # Sources: Bagga and Baldwin, "Entity-based cross-document coreferencing using the vector space model", ACL 1998
    # (B-cubed); Hubert and Arabie, "Comparing partitions", Journal of Classification 2 (1985), 193-218.
    both, shared = np.unique(np.stack([clusters, labels]), axis=1, return_counts=True)
    _, own, of_cluster = np.unique(both[0], return_inverse=True, return_counts=True)
    of_cluster = np.bincount(own, weights=shared)
    _, label, _ = np.unique(both[1], return_inverse=True, return_counts=True)
    of_label = np.bincount(label, weights=shared)
    shared = shared.astype(np.float64)
    documents = shared.sum()
    precision = float((shared**2 / of_cluster[own]).sum() / documents)
    recall = float((shared**2 / of_label[label]).sum() / documents)
    together, in_cluster, in_label = (
        float((counts * (counts - 1)).sum()) / 2 for counts in (shared, of_cluster, of_label)
    )
    every = documents * (documents - 1) / 2
    by_chance = in_cluster * in_label / every if every else 0.0
    most = (in_cluster + in_label) / 2
    rand = 1.0 if most == by_chance else (together - by_chance) / (most - by_chance)
    return ClusterScore(precision, recall, float(rand))


def components(count: int, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give each of `count` documents the least position that pairs lead to, one after another."""
    first = np.arange(count, dtype=np.int64)
    while True:
        before = first.copy()
        np.minimum.at(first, a, first[b])
        np.minimum.at(first, b, first[a])
        first = first[first]
        if (first == before).all():
            return first


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of near duplicates that are rightly dropped; `covered` is the share in bands with judged pairs."""

    judged: int
    wrong: int
    value: float | None
    low: float
    high: float
    covered: float

    @property
    def text(self) -> str:
        """The precision in words."""
        if self.value is None:
            return tr("not measured: no pair is judged")
        note = tr(
            "{value:.4f} (95 % interval {low:.4f} to {high:.4f}; {wrong:,} of {judged:,} judged pairs are wrong)",
            value=self.value, low=self.low, high=self.high, wrong=self.wrong, judged=self.judged,
        )  # fmt: skip
        if self.covered < 1:
            note += tr("; of the bands with verdicts, {percent:.1f} % of the pairs", percent=100 * self.covered)
        return note


def precision_of(bands: Sequence[tuple[int, int, int]]) -> Precision:
    """Estimate the precision from a sample in bands of similarity."""
    # The estimate weighs each band by its near duplicates. The interval is that of Clopper and Pearson for a sample of
    # the effective size (Korn and Graubard, Survey Methodology 24, 1998, section 3). That is the number of pairs that,
    # drawn from all alike, would be as sure. It is rounded to the unfavourable side.
    judged = sum(seen for _, seen, _ in bands)
    wrong = sum(bad for _, _, bad in bands)
    whole = sum(size for size, _, _ in bands)
    covered = sum(size for size, seen, _ in bands if seen)
    if not judged:
        return Precision(0, 0, None, 0.0, 1.0, 0.0)
    parts = [(size / covered, seen, bad / seen) for size, seen, bad in bands if seen]
    # The sum of the weights may round to more than 1.
    rate = min(1.0, sum(weight * share for weight, _, share in parts))
    # The variance of the estimate; of bands without an error, that of the common rate.
    variance = sum(weight**2 * rate * (1 - rate) / seen for weight, seen, _ in parts)
    measured = sum(weight**2 * share * (1 - share) / seen for weight, seen, share in parts)
    spread = 1 / sum(weight**2 / seen for weight, seen, _ in parts)
    size = min(spread, rate * (1 - rate) / max(variance, measured)) if 0 < rate < 1 else spread
    trials = max(1, min(judged, math.floor(size + 1e-9)))
    low, _ = clopper_pearson(trials - min(trials, math.ceil(rate * trials - 1e-9)), trials)
    _, high = clopper_pearson(trials - math.floor(rate * trials + 1e-9), trials)
    return Precision(judged, wrong, 1 - rate, min(low, 1 - rate), max(high, 1 - rate), covered / whole)
