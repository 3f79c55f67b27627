"""The choice of a scheme and a threshold from scores, and how far the choice is from chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simsieve.evaluate.metrics import PairScore

_RESAMPLES = 200
_MOST_PAIRS = 20_000
"""Above this many pairs there are fewer resamples."""
_MARGIN = 0.03
"""A default stays unless another choice has an F1 higher by more than this. Trial: docs/how-to/calibrate.md."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The scores of a scheme at all thresholds."""

    scheme: str
    rows: list[PairScore]
    average_precision: float
    resampled: NDArray[np.float64]


class Goal(NamedTuple):
    """What a choice is to reach: a least precision, a least recall, or without both the best F1."""

    precision: float | None = None
    recall: float | None = None

    def key(self, row: PairScore) -> tuple[float, float, float]:
        """Give a key that is greater for a better score: first the distance from the goal, or 0."""
        precision, recall = row.precision or 0.0, row.recall or 0.0
        short = max(0.0, (self.precision or 0.0) - precision) + max(0.0, (self.recall or 0.0) - recall)
        if self.precision is not None and self.recall is None:
            return -short, recall, row.f1
        if self.recall is not None and self.precision is None:
            return -short, precision, row.f1
        return -short, row.f1, recall

    def place(self, rows: Sequence[PairScore]) -> int:
        """Give the place of the best score that found something; of several as good, the one in the middle."""
        keys = [(bool(row.found), self.key(row)) for row in rows]
        most = max(keys)
        best = [at for at, key in enumerate(keys) if key == most]
        return best[len(best) // 2]


_BEST = Goal()


@dataclass(frozen=True, slots=True)
class Choice:
    """A scheme and a threshold."""

    curve: Curve
    row: PairScore
    is_reached: bool
    alike: tuple[float, float]
    others: list[str]
    better: PairScore | None = None
    """Of a default that stays, the best score of all, where that is another."""


def resampled_f1(
    nearness: NDArray[np.float64], right: NDArray[np.bool_], gold: int, thresholds: Sequence[float], seed: int = 0
) -> NDArray[np.float64]:
    """Resample the pairs, and give the F1 at each threshold."""
    # Each pair counts as often as a Poisson variable of mean 1 says, which is the bootstrap for many pairs. Pairs are
    # taken as independent; those of one large cluster are not, so there the spread is too small.
    draw = np.random.default_rng(seed)
    order = np.argsort(-nearness, kind="stable")
    near, good = -nearness[order], right[order]
    ends = np.searchsorted(near, -np.asarray(thresholds) + 1e-12, side="right")
    rounds = _RESAMPLES if len(near) <= _MOST_PAIRS else max(20, _RESAMPLES * _MOST_PAIRS // len(near))
    found = np.empty((rounds, len(thresholds)))
    unfound = gold - int(right.sum())
    for at in range(rounds):
        weights = draw.poisson(1.0, len(near))
        all_found = np.concatenate([[0], np.cumsum(weights)])[ends]
        rights = np.concatenate([[0], np.cumsum(weights * good)])
        whole = rights[-1] + draw.poisson(unfound)
        found[at] = 2 * rights[ends] / np.maximum(all_found + whole, 1)
    return found


def choose(curves: Sequence[Curve], goal: Goal = _BEST, default: float | None = None) -> Choice:
    """Choose a scheme and a threshold for a goal, from the scores of at least one scheme."""
    # Without a goal the first scheme at the threshold `default` stays where nothing is clearly better.
    every = [(curve, at) for curve in curves for at, row in enumerate(curve.rows) if row.found] or [(curves[0], 0)]
    best, _ = max(every, key=lambda one: goal.key(one[0].rows[one[1]]))
    place = goal.place(best.rows)
    better = None
    if default is not None and goal == Goal():
        row, first = best.rows[place], curves[0]
        at = min(range(len(first.rows)), key=lambda at: abs(first.rows[at].threshold - default))
        if row.f1 - first.rows[at].f1 <= _MARGIN:
            best, place, better = first, at, None if row is first.rows[at] else row
    others = [curve.scheme for curve in curves if curve is not best and not _differ(_best(curve), _best(best))]
    is_reached = goal.key(best.rows[place])[0] >= 0
    return Choice(best, best.rows[place], is_reached, _alike(best, place), others, better)


def _best(curve: Curve) -> NDArray[np.float64]:
    """The resampled F1 at the threshold with the best F1."""
    return curve.resampled[:, max(range(len(curve.rows)), key=lambda at: curve.rows[at].f1)]


def _differ(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether 95 % of the differences have one sign."""
    size = min(len(one), len(other))
    low, high = np.quantile(one[:size] - other[:size], [0.025, 0.975])
    return bool(low > 0 or high < 0)


def _alike(curve: Curve, place: int) -> tuple[float, float]:
    chosen = curve.resampled[:, place]
    low = high = place
    while low > 0 and not _differ(curve.resampled[:, low - 1], chosen):
        low -= 1
    while high < len(curve.rows) - 1 and not _differ(curve.resampled[:, high + 1], chosen):
        high += 1
    return curve.rows[low].threshold, curve.rows[high].threshold
