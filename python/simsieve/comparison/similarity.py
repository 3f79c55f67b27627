"""The similarity of two texts by their features."""

import math
from typing import NamedTuple

from simsieve.bits import MOST_BITS
from simsieve.checks import check_integer
from simsieve.results.recall import clopper_pearson
from simsieve.schemes.custom import Tokens
from simsieve.schemes.scheme import DEFAULT_SCHEME, AnyScheme, load_scheme
from simsieve.text.checks import all_written, lone_surrogates_named
from simsieve.types import PairMeasure


class CosineEstimate(NamedTuple):
    """A cosine read off the bits of two fingerprints, with its interval; all in [0, 1].

    Example:
        >>> cosine_of_bits(0, 64).value
        1.0
    """

    value: float
    low: float
    high: float


def cosine_of_bits(distance: int, width: int, confidence: float = 0.95) -> CosineEstimate:
    """Estimate the cosine of two texts' weighted features from the Hamming distance of their fingerprints.

    A bit differs with the probability angle / pi (Charikar, STOC 2002, section 3). So the estimate is
    cos(pi distance / width), and its interval is that of Clopper and Pearson for the rate distance / width. Weights
    are not negative, so a negative cosine counts as 0.

    Args:
        distance: Differing bits, 0 to `width`.
        width: Bits of a fingerprint, 1 to 256.
        confidence: The probability that the interval has the cosine, in (0, 1).

    Raises:
        ConfigError: A number is not allowed.

    Example:
        >>> [round(number, 3) for number in cosine_of_bits(16, 128)]
        [0.924, 0.818, 0.974]
    """
    bits = check_integer("width", width, 1, MOST_BITS)
    rate = check_integer("distance", distance, 0, bits)
    low, high = clopper_pearson(rate, bits, confidence)
    return CosineEstimate(*(max(0.0, math.cos(math.pi * share)) for share in (rate / bits, high, low)))


def similarity(
    a: str | Tokens, b: str | Tokens, scheme: AnyScheme = DEFAULT_SCHEME, measure: PairMeasure = "cosine"
) -> float:
    """Measure the similarity of two texts by the weighted features of a scheme.

    Verification under a similarity threshold uses it: it compares the features, not the fingerprints.

    Args:
        a: A text.
        b: Another; the order does not matter but under `containment`.
        scheme: A scheme's name, a TOML file, a `Scheme` or a `CustomScheme`; its normaliser, features and
            weights are used.
        measure: `cosine` of the weight vectors (the default, as it is of a run); `jaccard`, the sum of the lesser
            weights of all features divided by the sum of the greater ones, which for features of weight 1 is the
            Jaccard similarity of the sets; or `containment`, the share of a's weight that b has, for which the order
            matters.

    Returns:
        A number in [0, 1]; 0 where a text has no features.

    Raises:
        TypeError: A text is no `str`.
        ConfigError: The scheme or the measure is not known.
        TextError: The scheme cannot use a text.

    Example:
        >>> similarity("the quick brown fox", "the quick brown fox")
        1.0
        >>> similarity("one two", "one two three", scheme="words64", measure="containment")
        1.0
    """
    core = load_scheme(scheme)
    one, other = all_written([a, b], () if core.given_as is None else (core.given_as,))
    with lone_surrogates_named([one, other]):
        return core.similarity(one, other, measure)
