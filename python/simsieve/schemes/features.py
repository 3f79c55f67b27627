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


class OfCore:
    """What all schemes have that the core's object knows."""

    __slots__ = ("core",)
    core: _core.Scheme

    def features(self, text: str) -> list[Feature]:
        """Show what this scheme makes of a text: its features with their hashes, counts and weights.

        Args:
            text: A text, or a page where the scheme is on pages.

        Returns:
            The distinct features in the order of their first occurrence; none of a text without features.

        Raises:
            TypeError: The text is no `str`.
            ConfigError: The scheme has no features or waits for a model, or the text holds a lone surrogate.
            TextError: The scheme cannot use the text.

        Example:
            >>> import simsieve
            >>> found = simsieve.Scheme("words64:weights=tf").features("a b a")
            >>> [(feature.text, feature.count, feature.weight) for feature in found]
            [('a', 2, 2.0), ('b', 1, 1.0)]
        """
        if not isinstance(text, str):
            raise TypeError(f"text is of type {type(text).__name__}: give str")
        if not self.core.has_features:
            template = "scheme {spec!r} has no features to show: it takes fingerprints, not texts"
            raise ConfigError(template, spec=self.core.spec)
        unit = 1 << self.core.fraction_bits
        try:
            found = self.core.features(text)
        except UnicodeEncodeError as error:
            raise ConfigError(
                "the text has a lone surrogate at character {start}: replace it first", start=error.start
            ) from None
        return [Feature(name, number, count, weight / unit) for name, number, count, weight in found]

    @property
    def spec(self) -> str:
        """The spec in its short form: defaults are left out, and a model is named by its digest."""
        return self.core.spec

    @property
    def digest(self) -> str:
        """Hex digest of all that decides a bit."""
        return self.core.digest

    @property
    def width(self) -> int:
        """Bits of a fingerprint."""
        return self.core.width
