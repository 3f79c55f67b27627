"""What the drops of a run lose: of each near duplicate the longest run that its representative does not have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.results.arrow import DROPPED, REASONS

MUCH = 20
"""Units of a run that a reader misses: ten Han characters, or three or four English words."""
_NEAR, _VERDICT = REASONS.index("near"), REASONS.index("verdict")


@dataclass(frozen=True, slots=True)
class Losses:
    """What near duplicates lose, in units: 2 for each Han, kana or Hangul character, 1 for any other.

    Args:
        measured: Near duplicates of which it was measured.
        median: The median of their longest lost runs; None where none was measured.
        longest: The longest lost run of all; None where none was measured.
        much: How many of them lose a run of more than `MUCH` units.

    Example:
        >>> losses_of(np.array([0, 4, 30]))
        Losses(measured=3, median=4.0, longest=30, much=1)
    """

    measured: int
    median: float | None
    longest: int | None
    much: int


def near_losses(columns: _core.Decisions) -> NDArray[np.int64]:
    """Units that each near duplicate loses, by position; those of which it is not known are left out."""
    near = (columns.decision == DROPPED) & ((columns.reason == _NEAR) | (columns.reason == _VERDICT))
    lost = columns.lost[near]
    return lost[lost >= 0]


def losses_of(lost: NDArray[np.int64]) -> Losses:
    """Sum up what near duplicates lose.

    Args:
        lost: Units of each: int64[n].
    """
    if not len(lost):
        return Losses(0, None, None, 0)
    return Losses(len(lost), float(np.median(lost)), int(lost.max()), int((lost > MUCH).sum()))
