"""What the drops of a run lose: of each near duplicate the longest run that its representative does not have."""

from dataclasses import dataclass

from simsieve import _core

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
