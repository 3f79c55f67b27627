"""The recall of a search with its interval, from a sample of kept documents.

The core draws kept documents by a seeded hash of their position and compares each with all earlier kept ones. Here the
two counts (sampled, missed) become a share with an interval. `pipeline` calls `estimate` once a run.

The core has a binomial tail too, `base::stats`. It is for at most 512 bits and adds every term from n down. It is made
of `libm`'s logarithms, because a recipe depends on it. A review may have millions of trials, so the tail here starts at
the boundary and stops where terms no longer count.
"""

import math

from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.types import Recall


def binomial_tail(successes: int, trials: int, rate: float) -> float:
    """Return the probability of at least this many successes in independent trials."""
    # The terms are summed from their logarithms, so that no factorial overflows.
    if successes <= 0 or rate >= 1.0:
        return 1.0
    if rate <= 0.0:
        return 0.0
    upper = successes > trials * rate
    # Outwards from the boundary the terms only fall, so the sum ends when they no longer count.
    outwards = range(successes, trials + 1) if upper else range(successes - 1, -1, -1)
    total = 0.0
    for k in outwards:
        term = math.exp(_log_term(k, trials, rate))
        total += term
        if term <= total * 1e-18:
            break
    return min(1.0, max(0.0, total if upper else 1.0 - total))


def _log_term(successes: int, trials: int, rate: float) -> float:
    rest = trials - successes
    ways = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(rest + 1)
    return ways + successes * math.log(rate) + rest * math.log1p(-rate)


def clopper_pearson(seen: int, sampled: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval for a rate, given `seen` successes in `sampled` trials."""
    # Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    # Biometrika 26 (1934), section 3. At each end a tail of the binomial distribution has half of 1 - confidence;
    # bisection finds it, without a closed form or table.
    if sampled < 1 or not 0 <= seen <= sampled:
        raise ConfigError(
            "{seen} of {sampled} is no sample: give 0 <= seen <= sampled and sampled >= 1", seen=seen, sampled=sampled
        )
    if not 0 < confidence < 1:
        raise ConfigError("confidence {confidence} is outside (0, 1): give a share such as 0.95", confidence=confidence)
    half = (1 - confidence) / 2
    low = 0.0 if seen == 0 else _rate_where(seen, sampled, half)
    high = 1.0 if seen == sampled else 1 - _rate_where(sampled - seen, sampled, half)
    return low, high


def _rate_where(successes: int, trials: int, tail: float) -> float:
    """The rate at which P(X >= successes) = tail; the tail grows with the rate, so bisection finds it."""
    low, high = 0.0, 1.0
    while high - low > 1e-13:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if binomial_tail(successes, trials, middle) < tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2


EXACT = Recall(0, 0, 1.0, 1.0, 1.0, 1.0, "1.0000 (the search was exact: every near pair is found)")
"""The recall of a search that compares every pair, or finds every pair within a distance: nothing is sampled."""


def estimate(kept: int, dropped: int, sampled: int, missed: int, confidence: float = 0.95) -> Recall | None:
    """Estimate the share of the duplicates that a search found."""
    # Of `sampled` kept documents, `missed` have an earlier kept twin that the search missed. So about kept x missed /
    # sampled of all kept ones have one, and the recall is dropped / (dropped + that). The interval's ends are those of
    # the rate missed / sampled. It treats the sample as drawn from an endless collection. So it is too wide where the
    # sample is a large part of the kept documents.
    if sampled == 0 and missed == 0:
        return None
    low_rate, high_rate = clopper_pearson(missed, sampled, confidence)
    seen = Message("{missed} of {sampled:,} sampled kept documents had an earlier twin", missed=missed, sampled=sampled)
    if dropped == 0 and missed == 0:
        text = Message("no share to measure: nothing was dropped and {seen}", seen=seen)
        return Recall(sampled, missed, confidence, None, 0.0, 1.0, text)
    value, low, high = (dropped / (dropped + kept * rate) for rate in (missed / sampled, high_rate, low_rate))
    text = Message(
        "{value:.4f} ({confidence:g} % interval {low:.4f} to {high:.4f}; {seen})",
        value=value, confidence=confidence * 100, low=low, high=high, seen=seen,
    )  # fmt: skip
    return Recall(sampled, missed, confidence, value, low, high, text)
