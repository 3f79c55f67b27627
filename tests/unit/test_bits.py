"""Fingerprints as bits: blocks, texts of zeros and ones, and back."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from simsieve import ConfigError, Fingerprinter, Scheme, cosine_of_bits, explain, fingerprint, hamming, similarity
from simsieve.results import Fingerprint

TEXTS = ["the quick brown fox jumps", "lorem ipsum dolor sit amet", "", "我来到北京清华大学"]


def plain_blocks(bits: str, count: int) -> list[int]:
    """Blocks of a text of bits: the wider ones first."""
    each, wider = divmod(len(bits), count)
    sizes = [each + 1] * wider + [each] * (count - wider)
    ends = list(itertools.accumulate(sizes))
    return [int(bits[end - size : end], 2) for end, size in zip(ends, sizes, strict=True)]


@pytest.mark.parametrize("scheme", ["chars64", "chars128", "chars256", "gemantic100", "angelo32"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 16, 32])
def test_blocks_are_those_of_the_bits(scheme: str, count: int) -> None:
    """Each block is a piece of the text of bits; pieces differ by at most one bit in width."""
    prints = Fingerprinter(scheme).transform(TEXTS)
    if count < prints.width / 64:
        with pytest.raises(ConfigError, match=rf"allowed is {-(-prints.width // 64)}\.\.{prints.width}"):
            prints.blocks(count)
        return
    blocks = prints.blocks(count)

    assert blocks.shape == (len(TEXTS), count) and blocks.dtype == np.uint64
    for row, one in zip(blocks.tolist(), prints, strict=True):
        assert row == ([0] * count if one is None else plain_blocks(one.bits, count))


@pytest.mark.parametrize("scheme", ["chars64", "chars128", "gemantic10", "angelo32"])
def test_what_is_written_is_read_back(scheme: str) -> None:
    """Bits, hex digits and the number make the fingerprint that they were made of."""
    made = fingerprint(TEXTS[3], scheme)
    assert made is not None
    known = Scheme(scheme)

    assert known.read(made.bits) == known.read(made.hex) == known.read(int(made)) == made
    assert known.read(made.hex.upper()) == made
    assert Fingerprint.from_bits(made.bits, made.scheme, made.digest) == made
    assert made.distance(known.read(made.bits)) == 0


def test_texts_of_bits_have_a_distance() -> None:
    """It is the distance of their numbers; both have one width."""
    one, other = fingerprint(TEXTS[0]), fingerprint(TEXTS[1])
    assert one is not None and other is not None

    assert hamming(one.bits, other.bits) == one.distance(other) == hamming(int(one), int(other))
    with pytest.raises(ConfigError, match="the texts have 3 and 2 bits"):
        hamming("101", "10")
    with pytest.raises(ConfigError, match="'12' are not allowed: give 1 to 256 zeros and ones"):
        hamming("12", "10")
    mixed: list[tuple[Any, Any]] = [("101", 5), (5, "101"), (one, one.bits)]
    for a, b in mixed:
        with pytest.raises(TypeError, match="or two texts of bits"):
            hamming(a, b)


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
