"""The cosine that a distance lets expect."""

import math

import pytest

from simsieve import ConfigError, cosine_of_bits, explain, fingerprint, similarity


@pytest.mark.parametrize(("distance", "width"), [(0, 64), (3, 64), (38, 128), (128, 256), (200, 256), (1, 1)])
def test_the_estimate_is_in_its_interval(distance: int, width: int) -> None:
    """It is cos(pi d / f), none below 0, and the interval is narrower with more bits."""
    value, low, high = cosine_of_bits(distance, width)
    assert value == max(0, math.cos(math.pi * distance / width))
    assert 0 <= low <= value <= high <= 1
    if 4 * distance < width < 128:
        _, wide_low, wide_high = cosine_of_bits(2 * distance, 2 * width)
        assert wide_high - wide_low < high - low


def test_intervals_have_the_cosine() -> None:
    """Of 200 pairs of texts the 95 % interval has the cosine of at least 180."""
    hits = 0
    for at in range(200):
        words = [f"word{at}x{k}" for k in range(60)]
        a, b = " ".join(words), " ".join(words[at % 40 :] + [f"other{at}x{k}" for k in range(at % 40)])
        one, other = (fingerprint(text, "words256") for text in (a, b))
        assert one is not None and other is not None
        _, low, high = cosine_of_bits(one.distance(other), 256)
        hits += low <= similarity(a, b, "words256") <= high
    assert hits >= 180


def test_explain_has_it_where_there_are_features() -> None:
    """Given fingerprints have a distance and no cosine; numbers beyond the width are refused."""
    found = explain("one two three", "one two four", "words64")
    assert found.distance is not None and found.estimate == cosine_of_bits(found.distance, 64)
    assert explain("0f", "1f", "external8").estimate is None
    for distance, width in ((65, 64), (-1, 64), (0, 257)):
        with pytest.raises(ConfigError, match="is not allowed"):
            cosine_of_bits(distance, width)
