"""The documents that a run dropped as near their representatives, as columns, and the longest runs that they lose."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.results.arrow import DROPPED

_NEAR = _core.REASONS.index("near")


@dataclass(frozen=True, slots=True, eq=False)
class NearDrops:
    """The near duplicates, by position; exact copies are not among them.

    Args:
        position: Positions of the dropped documents, ascending: int64[n].
        representative: Positions of their representatives; those of old documents follow the new ones: int64[n].
        distance: Distances in bits; -1 where there is none: int32[n].
        similarity: Similarities in [0, 1]; NaN where bits decided: float64[n].
        lost: Units that each loses; -1 where that was not measured: int64[n].
        conflict: 1 where numbers conflict with those of the representative, 0 where not, else -1: int8[n].

    Example:
        >>> from simsieve import dedup
        >>> dedup(["the quick brown fox jumps", "the quick brown fox jumped"]).decisions.near.position.tolist()
        [1]
    """

    position: NDArray[np.int64]
    representative: NDArray[np.int64]
    distance: NDArray[np.int32]
    similarity: NDArray[np.float64]
    lost: NDArray[np.int64]
    conflict: NDArray[np.int8]

    @property
    def farness(self) -> NDArray[np.float64]:
        """How far each is from its representative, for sorting: 1 - similarity, or the distance where bits decided.

        Where schemes of both kinds decided, those found by bits count as the nearest.
        """
        if len(self.similarity) and np.isnan(self.similarity).all():
            return self.distance.astype(np.float64)
        return 1 - np.nan_to_num(self.similarity, nan=1.0)

    def measured(self, at: int) -> tuple[float | None, int | None, int | None]:
        """Give similarity, distance and lost units of one; None where there is none."""
        similarity, distance, lost = float(self.similarity[at]), int(self.distance[at]), int(self.lost[at])
        return (
            None if np.isnan(similarity) else similarity,
            None if distance < 0 else distance,
            None if lost < 0 else lost,
        )

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.position)


def near_drops(columns: _core.Decisions) -> NearDrops:
    """Take the near duplicates from the decisions of the core."""
    at = np.flatnonzero((columns.decision == DROPPED) & (columns.reason == _NEAR))
    names = ("representative", "distance", "similarity", "lost", "conflict")
    return NearDrops(at, *(getattr(columns, name)[at] for name in names))


MUCH = 20
"""Units of a run that a reader misses: ten Han characters, or three or four English words."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What near duplicates lose, in units: 2 for each Han, kana or Hangul character, 1 for any other."""

    measured: int
    median: float | None
    longest: int | None
    much: int
    conflicts: int = 0
    """Those whose numbers conflict with the ones of their representatives."""


NO_LOSSES = Losses(0, None, None, 0)


def losses_of(columns: _core.Decisions) -> Losses:
    """Sum up what near duplicates lose."""
    measured, median, longest, much, conflicts = columns.lost_summary(MUCH)
    return Losses(measured, median if measured else None, longest if measured else None, much, conflicts)
