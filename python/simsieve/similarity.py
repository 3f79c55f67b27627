"""How alike two texts are by their features, and how far apart two fingerprints are by their bits."""

import operator

from simsieve.checks import is_integer
from simsieve.errors import ConfigError, core_errors
from simsieve.own import Scheme
from simsieve.records import Fingerprint
from simsieve.schemes import DEFAULT_SCHEME, load_scheme
from simsieve.texts import check_texts, lone_surrogates_named


def similarity(a: str, b: str, scheme: str | Scheme = DEFAULT_SCHEME, measure: str = "cosine") -> float:
    """Measure how alike two texts are by the weighted features of a scheme.

    It is what verification looks at under a similarity threshold: the features themselves, not the fingerprints.

    Args:
        a: A text.
        b: Another; the order does not matter but under `containment`.
        scheme: A scheme's name, a TOML file or a `Scheme`; its normaliser, features and weights are used.
        measure: `cosine` of the weight vectors (the default, as it is of a run); `jaccard`, the sum of the
            lesser weights of all features by that of the greater ones, which for features that weigh 1 is the Jaccard
            similarity of the sets; or `containment`, the share of a's weight that b has, where the order does matter.

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
    check_texts([a, b])
    core = load_scheme(scheme)
    with core_errors(), lone_surrogates_named([a, b]):
        return core.similarity(a, b, measure)


def hamming(a: Fingerprint | int, b: Fingerprint | int) -> int:
    """Count the bits in which two fingerprints differ.

    Args:
        a: A fingerprint, or its value as an unsigned integer.
        b: The other, of the same kind.

    Returns:
        The Hamming distance in bits, 0 or more.

    Raises:
        TypeError: One is a fingerprint and the other a number, or one is neither.
        ConfigError: A number is negative, or the fingerprints' digests differ.

    Example:
        >>> hamming(0b10101, 0b00110)
        3
    """
    if isinstance(a, Fingerprint) and isinstance(b, Fingerprint):
        return a.distance(b)
    if not is_integer(a) or not is_integer(b) or isinstance(a, Fingerprint) or isinstance(b, Fingerprint):
        raise TypeError(
            f"hamming takes two fingerprints or two whole numbers, not {type(a).__name__} and {type(b).__name__}"
        )
    one, other = operator.index(a), operator.index(b)
    for value in (one, other):
        if value < 0:
            raise ConfigError(f"the fingerprint {value} is negative: give an unsigned value")
    return (one ^ other).bit_count()
