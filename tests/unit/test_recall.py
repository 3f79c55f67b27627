"""The interval of a rate, and the recall made of it."""

import math
import random

import pytest

from simsieve import ConfigError
from simsieve.results.recall import binomial_tail, clopper_pearson, estimate


def plain_tail(successes: int, trials: int, rate: float) -> float:
    """The tail as its definition says, term by term."""
    return math.fsum(math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(successes, trials + 1))


@pytest.mark.parametrize("trials", [1, 2, 7, 40])
@pytest.mark.parametrize("rate", [0.0, 0.001, 0.2, 0.5, 0.93, 1.0])
def test_the_tail_is_its_definition(trials: int, rate: float) -> None:
    """The tail summed from logarithms equals the sum of the binomial's terms."""
    for successes in range(trials + 1):
        assert math.isclose(plain_tail(successes, trials, rate), binomial_tail(successes, trials, rate), rel_tol=1e-9)


@pytest.mark.parametrize(
    ("seen", "sampled", "confidence", "low", "high"),
    [
        # No success: 1 - ((1 - confidence) / 2) ^ (1 / sampled), from the formula that holds there.
        (0, 1000, 0.95, 0.0, 1 - 0.025 ** (1 / 1000)),
        (0, 1000, 0.95, 0.0, 0.003682),
        (0, 10, 0.95, 0.0, 0.308497),
        (10, 10, 0.95, 0.691503, 1.0),
        (5, 10, 0.95, 0.187086, 0.812914),
        (1, 1, 0.95, 0.025, 1.0),
        (0, 1, 0.95, 0.0, 0.975),
        (0, 10, 0.99, 0.0, 1 - 0.005**0.1),
    ],
)
def test_known_intervals(seen: int, sampled: int, confidence: float, low: float, high: float) -> None:
    """The interval has the values that are in print or follow in closed form."""
    assert (low, high) == pytest.approx(clopper_pearson(seen, sampled, confidence), abs=1e-6)


@pytest.mark.parametrize("sampled", [1, 3, 20, 57])
def test_the_interval_inverts_the_plain_tail(sampled: int) -> None:
    """At each end of the interval a plain tail has half of 1 - confidence."""
    for seen in range(sampled + 1):
        low, high = clopper_pearson(seen, sampled)
        if seen > 0:
            assert math.isclose(0.025, plain_tail(seen, sampled, low), rel_tol=1e-6)
        if seen < sampled:
            assert math.isclose(0.025, 1 - plain_tail(seen + 1, sampled, high), rel_tol=1e-6)


def test_the_interval_of_a_large_sample_is_quick_and_sane() -> None:
    """A hundred thousand trials give an interval around the rate, with no overflow."""
    low, high = clopper_pearson(30_000, 100_000)

    assert 0.297 < low < 0.3 < high < 0.303


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
def test_the_interval_covers_the_rate(rate: float) -> None:
    """Of simulated samples at least the promised share have an interval that holds the true rate."""
    chance = random.Random(20)
    intervals = {seen: clopper_pearson(seen, 60) for seen in range(61)}
    held = 0
    for _ in range(2000):
        low, high = intervals[sum(chance.random() < rate for _ in range(60))]
        held += low <= rate <= high

    assert held >= 0.94 * 2000


@pytest.mark.parametrize(
    ("seen", "sampled", "confidence"), [(2, 1, 0.95), (-1, 5, 0.95), (0, 0, 0.95), (1, 5, 1.0), (1, 5, 0.0)]
)
def test_what_is_no_sample_is_refused(seen: int, sampled: int, confidence: float) -> None:
    """More seen than sampled, no sample, and a confidence outside (0, 1) are refused."""
    with pytest.raises(ConfigError):
        clopper_pearson(seen, sampled, confidence)


@pytest.mark.parametrize(("dropped", "kept", "low"), [(300, 700, 0.9915), (10, 990, 0.7329)])
def test_what_a_clean_sample_proves(dropped: int, kept: int, low: float) -> None:
    """Nothing missed among 1,000 proves 0.99 where 30 % are duplicates, and 0.73 where 1 % are."""
    recall = estimate(kept, dropped, 1000, 0)
    assert recall is not None
    assert (recall.value, recall.high) == (1.0, 1.0)
    assert low == pytest.approx(recall.low, abs=1e-4)


def test_misses_lower_the_recall() -> None:
    """The recall is dropped / (dropped + kept x missed / sampled), and the interval holds it."""
    recall = estimate(800, 200, 1000, 10)

    assert recall is not None and recall.value is not None
    assert recall.value == pytest.approx(200 / (200 + 800 * 0.01))
    assert recall.low < recall.value < recall.high < 1.0 and "0.9615" in str(recall)
    assert "10 of 1,000 sampled kept documents had an earlier twin" in str(recall)
    assert (recall.sampled, recall.missed) == (1000, 10)


def test_the_ends_of_a_recall() -> None:
    """No sample gives no recall; nothing dropped gives no share, or 0 if something was missed; all missed gives one."""
    clean, missed, all_missed = estimate(10, 0, 10, 0), estimate(10, 0, 10, 1), estimate(10, 10, 5, 5)

    assert estimate(10, 5, 0, 0) is None
    assert clean is not None and missed is not None and all_missed is not None
    assert (clean.value, clean.low, clean.high) == (None, 0.0, 1.0)
    assert "nothing was dropped" in clean.text
    assert (missed.value, missed.low, missed.high) == (0.0, 0.0, 0.0)
    assert (all_missed.value, all_missed.low) == pytest.approx((0.5, 0.5))
