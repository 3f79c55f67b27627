"""The values that users hold in their hands: fingerprints, decisions, counts, recall and pairs. Plain data, no work.

A `Fingerprint` knows its scheme and that scheme's digest, so that two that do not belong together are never compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

from simsieve.bits import read_bits
from simsieve.display import counted, html_values
from simsieve.errors import ConfigError, DigestError

SimilarityMeasure = Literal["cosine", "jaccard", "containment"]
"""What a similarity threshold of a run is of."""
PairMeasure = SimilarityMeasure
"""What `similarity` measures between two texts."""
FingerprintFormat = Literal["hex", "int", "bits"]
"""How a fingerprint is written."""
FailureCode = Literal[
    "not_json",
    "not_object",
    "no_text_field",
    "text_not_string",
    "lone_surrogate",
    "invalid_utf8",
    "undecodable",
    "bad_quotes",
    "ragged_row",
    "nul",
    "unreadable",
    "bad_name",
    "not_text",
    "too_long",
    "bad_date",
    "unusable_text",
]
"""Why a record failed; docs/reference/failures.md explains each."""
Reason = Literal["unique", "representative", "no_features", "exact", "near", "verdict", "agree"] | FailureCode
"""Why a record was kept, dropped or failed."""

Progress = Callable[[str, int, int], None]
"""Called now and then from long work with (stage, done, total); an exception it raises stops the work."""
ProgressOption = Progress | Literal["auto", False] | None
"""What `progress=` takes: a function, `auto` for a bar in terminals and notebooks, None or False for nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one record, and why.

    Args:
        position: The record's place in its sources, from 0, over all new sources in the order given.
        id: The record's label with its JSON type; None where it has none.
        decision: `kept`, `dropped` or `failed`.
        representative: The label of the kept document that represents this one; its own where it is kept.
        representative_position: That document's position; None where the record failed.
        distance: Hamming distance to the representative in bits; None where there is none.
        similarity: Similarity to the representative in [0, 1]; None where it was not measured.
        measure: What decided, and what `similarity` is: `cosine`, or `jaccard` where the run's measure is that;
            `hamming` where bits did. None where nothing was compared.
        reason: `unique`, `representative`, `no_features`, `exact`, `near`, `verdict`, or a failed record's code.
        lost: Of a dropped record the longest run of its text that the representative does not have, in units: 2 for
            each Han, kana or Hangul character, 1 for any other. None of other records, and where it was not measured.
        conflict: Of a dropped record whether its numbers conflict with those of the representative, as `conflict` in
            [settings](../reference/settings.md) says; None as for `lost`.
        source: The file that the record is in, or what stands for it, as for failed records; None where none is known.
        line: The record's line or row in it, from 1; in a list and in memory its index, from 0.
        representative_collection: Where the run was against old documents: `new` or `old`, the collection in which
            `representative_position` counts, each from 0. None where there was one collection, or no representative.
        scheme: Where one of several schemes suffices: the first under which it is near its representative. None where
            it is kept, or where there is one scheme or all must agree.

    Example:
        >>> decision = Decision(1, "b", "dropped", "a", 0, 3, 0.91, "cosine", "near")
        >>> decision.reason
        'near'
    """

    position: int
    id: Any
    decision: Literal["kept", "dropped", "failed"]
    representative: Any
    representative_position: int | None
    distance: int | None
    similarity: float | None
    measure: SimilarityMeasure | Literal["hamming"] | None
    reason: Reason
    lost: int | None = None
    conflict: bool | None = None
    source: str | None = None
    line: int | None = None
    representative_collection: Literal["new", "old"] | None = None
    scheme: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many records of each kind a run had; all are numbers of records unless noted.

    Args:
        read: Records found in the sources.
        kept: Those kept.
        dropped: Those dropped: `exact` + `near`.
        exact: Dropped because their normalised text equals another's.
        near: Dropped because they are near a kept document, by their texts or by a verdict.
        failed: Those that could not be used.
        clusters: Kept documents that represent at least one dropped document.
        largest_cluster: Documents in the largest cluster, its kept one among them.
        candidates: Pairs that the search proposed.
        verified: Pairs that were compared on features or bits.

    Example:
        >>> Counts(5, 2, 2, 1, 1, 1, 1, 3, 2, 1).balanced
        True
    """

    read: int
    kept: int
    dropped: int
    exact: int
    near: int
    failed: int
    clusters: int
    largest_cluster: int
    candidates: int
    verified: int

    @property
    def balanced(self) -> bool:
        """Whether read = kept + dropped + failed, and dropped = exact + near."""
        return self.read == self.kept + self.dropped + self.failed and self.dropped == self.exact + self.near

    def rows(self) -> list[tuple[str, str]]:
        """Give the counts of records as labels and values for people, with their shares."""
        named = [(name, getattr(self, name)) for name in ("read", "kept", "exact", "near", "failed")]
        rows = [(name, f"{count:,} ({count / max(self.read, 1):.1%})") for name, count in named]
        return [*rows, ("clusters", f"{self.clusters:,}"), ("largest cluster", f"{self.largest_cluster:,}")]

    def _repr_html_(self) -> str:
        """Show the counts in a notebook."""
        return html_values(f"{counted(self.dropped, 'duplicate')} among {counted(self.read, 'record')}", self.rows())


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the duplicates that the search found, estimated from a sample of kept documents.

    Args:
        sampled: Kept documents that were compared with every earlier kept one; 0 where the search was exact.
        missed: How many of them had an earlier kept twin, which the search missed.
        confidence: Confidence of the interval, in (0, 1).
        value: The estimate in [0, 1]; None where nothing was dropped and nothing missed, so that there is no share.
        low: The interval's lower end in [0, 1].
        high: Its upper end in [0, 1].
        text: The same in words, with what the sample can prove.

    Example:
        >>> Recall(1000, 0, 0.95, 1.0, 0.99, 1.0, "1.0000 (95 % interval 0.9900 to 1.0000)").value
        1.0
    """

    sampled: int
    missed: int
    confidence: float
    value: float | None
    low: float
    high: float
    text: str

    def __str__(self) -> str:
        """The recall in words."""
        return self.text


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents that are near each other, the earlier one first; across two collections the new one.

    Args:
        a: Label of the first document.
        b: Label of the second.
        a_position: Position of the earlier document; against old documents, of the new one.
        b_position: Position of the later one; `a_position` < `b_position`. Against old documents, of the old one,
            counted over the old sources, from 0.
        distance: Hamming distance in bits; None where one has no fingerprint and a verdict joins them.
        similarity: Similarity in [0, 1]; None where only the bits decide, or only a verdict. Under measure containment
            the share of the smaller document that the other has.
        contained: Under measure containment which one the other contains: `a`, `b` or `both`; else None.
        lost_a: The longest run of the first text that the second does not have, in units as in `Decision`; None where
            it was not measured.
        lost_b: The same of the second.
        conflict: Whether the numbers of the two conflict; None where it was not measured.

    Example:
        >>> Pair("x", "y", 0, 4, 2, 0.97).b_position
        4
    """

    a: Any
    b: Any
    a_position: int
    b_position: int
    distance: int | None
    similarity: float | None
    contained: Literal["a", "b", "both"] | None = None
    lost_a: int | None = None
    lost_b: int | None = None
    conflict: bool | None = None


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The fingerprint of one text, with the scheme that made it.

    Args:
        value: The bits as an unsigned integer.
        width: How many bits, 1 to 256.
        scheme: The scheme's spec.
        digest: The scheme's digest, in hex.

    Raises:
        ConfigError: The value does not fit into the width.

    Example:
        >>> one = Fingerprint(value=10, width=8, scheme="demo", digest="00")
        >>> one.hex, one.bits, int(one)
        ('0a', '00001010', 10)
    """

    value: int
    width: int
    scheme: str
    digest: str

    def __post_init__(self) -> None:
        """Check that the value fits."""
        if self.value < 0 or self.value >> self.width:
            raise ConfigError(
                "fingerprint value {value} does not fit into {width} bits", value=self.value, width=self.width
            )

    @classmethod
    def from_bits(cls, bits: str, scheme: str, digest: str) -> Self:
        """Make a fingerprint of its bits, as `bits` has them; `Scheme.read` knows scheme and digest.

        Args:
            bits: 1 to 256 zeros and ones, most significant bit first.
            scheme: The scheme's spec.
            digest: The scheme's digest, in hex.

        Raises:
            TypeError: `bits` is no text.
            ConfigError: It has other characters, none, or too many.

        Example:
            >>> Fingerprint.from_bits("00001010", "demo", "00").hex
            '0a'
        """
        return cls(read_bits(bits), len(bits), scheme, digest)

    def __int__(self) -> int:
        """Give the bits as an unsigned integer."""
        return self.value

    @property
    def hex(self) -> str:
        """The value in hex, most significant digit first, padded with zeros to a digit for every 4 bits."""
        return f"{self.value:0{(self.width + 3) // 4}x}"

    @property
    def bits(self) -> str:
        """The value in binary, most significant bit first, `width` digits."""
        return f"{self.value:0{self.width}b}"

    def distance(self, other: "Fingerprint") -> int:
        """Count the bits in which two fingerprints of one scheme differ.

        Args:
            other: A fingerprint with the same digest.

        Returns:
            The Hamming distance, 0 to `width` bits.

        Raises:
            TypeError: `other` is no fingerprint.
            DigestError: The digests differ; the text names both schemes and digests.

        Example:
            >>> Fingerprint(10, 8, "demo", "00").distance(Fingerprint(9, 8, "demo", "00"))
            2
        """
        if not isinstance(other, Fingerprint):
            raise TypeError(f"a fingerprint is compared with a fingerprint, not with {type(other).__name__}")
        if self.digest != other.digest:
            raise DigestError.of_schemes((self.scheme, self.digest), (other.scheme, other.digest))
        return (self.value ^ other.value).bit_count()
