"""The similarity of two texts by their features."""

from simsieve.schemes.custom import Tokens
from simsieve.schemes.scheme import DEFAULT_SCHEME, AnyScheme, load_scheme
from simsieve.text.checks import all_written, lone_surrogates_named
from simsieve.types import PairMeasure


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
