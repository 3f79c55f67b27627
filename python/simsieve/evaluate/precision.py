"""The precision of a run with its interval, from a sample of its near duplicates that people judged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simsieve.messages import tr
from simsieve.results.recall import clopper_pearson


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of near duplicates that are rightly dropped; `covered` is that in bands of which some were judged."""

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
            note += tr(
                "; of the bands with verdicts, {percent:.1f} % of the near duplicates", percent=100 * self.covered
            )
        return note


def precision_of(bands: Sequence[tuple[int, int, int]]) -> Precision:
    """Estimate the precision from a sample in bands of similarity.

    The estimate weighs each band by its near duplicates. The interval is that of Clopper and Pearson for a sample of
    the effective size (Korn and Graubard, Survey Methodology 24, 1998, section 3). That is the number of pairs that,
    drawn from all alike, would be as sure. It is rounded to the unfavourable side.
    """
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
