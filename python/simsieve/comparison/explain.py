"""The similarity of two texts by one measure or by all measures, and their differences."""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from simsieve.bits import MOST_BITS
from simsieve.checks import check_integer
from simsieve.comparison.fingerprint import Fingerprinter
from simsieve.differences import Difference, aligned_parts, differences
from simsieve.display import counted, html_side_by_side, html_table
from simsieve.messages import Message
from simsieve.results.recall import clopper_pearson
from simsieve.schemes.custom import Tokens
from simsieve.schemes.scheme import DEFAULT_SCHEME, AnyScheme, load_scheme
from simsieve.text.checks import all_written, lone_surrogates_named
from simsieve.text.edit import edit_similarity, tree_similarity
from simsieve.types import Fingerprint, PairMeasure


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


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The result of `explain` for two texts a and b. A notebook shows them side by side, differences in colour.

    Args:
        scheme: The scheme that was asked for.
        a: The first text's fingerprint; None where it has no features.
        b: The second's.
        distance: Differing bits of the two; None where there is none.
        estimate: The cosine that the distance lets expect, with its 95 % interval; None where there is none, or the
            scheme has no features.
        similarity: The cosine of the weighted features, in [0, 1]; this and the next three are None where the scheme
            has no features, and 0 where a text has none.
        jaccard: The sum of the lesser weights of all features divided by the sum of the greater ones.
        a_in_b: The share of a's weight that b has, in [0, 1].
        b_in_a: The share of b's weight that a has.
        edit: 1 less the edits of characters by the length of the longer text (Levenshtein), in [0, 1]; of the
            normalised texts; of pages, of the extracted texts. None where it was not measured.
        edit_note: Why `edit` is None; else None.
        tree_edit: Of two pages, 1 less the edits of elements by the elements of the larger page, in [0, 1]: the least
            number that are inserted, deleted (their children stay) or get another tag. None where it was not measured.
        tree_edit_note: Why `tree_edit` is None; else None.
        differences: Where the texts differ, word by word.
        texts: The two texts as the scheme sees them: of pages, the extracted text; without parts that are taken out.

    Example:
        >>> explain("the quick brown fox", "the quick red fox").differences
        [Difference(a_start=10, b_start=10, a='brown', b='red')]
    """

    scheme: str
    a: Fingerprint | None
    b: Fingerprint | None
    distance: int | None
    estimate: CosineEstimate | None
    similarity: float | None
    jaccard: float | None
    a_in_b: float | None
    b_in_a: float | None
    edit: float | None
    edit_note: str | None
    tree_edit: float | None
    tree_edit_note: str | None
    differences: list[Difference]
    texts: tuple[str, str] = ("", "")

    def as_json(self) -> dict[str, Any]:
        """Give all but the texts as JSON has it; fingerprints are hex."""
        fields = {name: value for name, value in asdict(self).items() if name != "texts"}
        return fields | {side: None if one is None else one.hex for side, one in (("a", self.a), ("b", self.b))}

    def __repr__(self) -> str:
        """Show the main figures."""
        similarity = "none" if self.similarity is None else f"{self.similarity:.4f}"
        distance = "none" if self.distance is None else Message("{distance} bits", distance=self.distance)
        found = counted(len(self.differences), "difference")
        return f"<Explanation by {self.scheme}: similarity {similarity}, distance {distance}, {found}>"

    def _repr_html_(self) -> str:
        """Show the texts side by side in a notebook."""
        names = ("similarity", "distance", "jaccard", "a_in_b", "b_in_a", "edit", "tree_edit")
        figures = [getattr(self, name) for name in names]
        head = html_table(f"{counted(len(self.differences), 'difference')}, by {self.scheme}", names, [figures])
        return head + html_side_by_side(aligned_parts(*self.texts))


def explain(a: str | Tokens, b: str | Tokens, scheme: AnyScheme = DEFAULT_SCHEME) -> Explanation:
    """Compare two texts by all measures, and list their differences.

    Only `similarity` and `jaccard` are similarities: a text and a small part of it have a containment of 1 one way, and
    are not near.

    Args:
        a: A text, or a page under a scheme on pages.
        b: Another.
        scheme: A scheme's name, a TOML file, a `Scheme` or a `CustomScheme`.

    Raises:
        TypeError: A text is no `str`.
        ConfigError: The scheme is not known.
        TextError: The scheme cannot use a text; a is text 0.

    Example:
        >>> found = explain("one two three four", "one two three", scheme="words64")
        >>> found.jaccard, found.a_in_b, found.b_in_a
        (0.75, 0.75, 1.0)
    """
    core = load_scheme(scheme)
    a, b = all_written([a, b], () if core.given_as is None else (core.given_as,))
    one, other = Fingerprinter(scheme).transform([a, b])
    seen = [core.used_text(text)[0] for text in (a, b)]
    edit, note = edit_similarity(*seen) if core.has_features else (None, "the scheme takes fingerprints, not texts")
    tree, why = tree_similarity(a, b) if core.takes_pages else (None, "the scheme takes texts, not pages")

    def measured(first: str, second: str, measure: PairMeasure) -> float | None:
        return similarity(first, second, scheme, measure) if core.has_features else None

    distance = None if one is None or other is None else one.distance(other)
    return Explanation(
        scheme=str(scheme),
        a=one,
        b=other,
        distance=distance,
        estimate=None if distance is None or not core.has_features else cosine_of_bits(distance, core.width),
        similarity=measured(a, b, "cosine"),
        jaccard=measured(a, b, "jaccard"),
        a_in_b=measured(a, b, "containment"),
        b_in_a=measured(b, a, "containment"),
        edit=edit,
        edit_note=None if edit is not None else note,
        tree_edit=tree,
        tree_edit_note=None if tree is not None else why,
        differences=differences(*seen),
        texts=(seen[0], seen[1]),
    )


compare = explain
"""`explain` under the name of the command and of the service."""
