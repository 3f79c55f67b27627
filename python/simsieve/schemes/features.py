"""The features of one text under a scheme, for people to look at."""

from dataclasses import dataclass

from simsieve import _core
from simsieve.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Feature:
    """One distinct feature of a text; `Scheme.features` gives them.

    Args:
        text: Its characters.
        hash: The low 64 bits of its hash.
        count: How often it occurs; 1 of an element of a page, whose weight has the number in it.
        weight: What it counts for in the fingerprint and in the similarity, as the scheme rounds it. Of elements of
            pages only the weights of one page compare.

    Example:
        >>> Feature("fox", 7, 2, 2.0).weight
        2.0
    """

    text: str
    hash: int
    count: int
    weight: float


def features_of(core: _core.Scheme, text: str) -> list[Feature]:
    """Give the distinct features of a text; see `Scheme.features`."""
    if not isinstance(text, str):
        raise TypeError(f"text is of type {type(text).__name__}: give str")
    if not core.has_features:
        raise ConfigError("scheme {spec!r} has no features to show: it takes fingerprints, not texts", spec=core.spec)
    unit = 1 << core.fraction_bits
    try:
        found = core.features(text)
    except UnicodeEncodeError as error:
        raise ConfigError(
            "the text has a lone surrogate at character {start}: replace it first", start=error.start
        ) from None
    return [Feature(name, number, count, weight / unit) for name, number, count, weight in found]
