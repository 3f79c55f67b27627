"""What a change of an index came to, and what a query finds."""

from dataclasses import dataclass, field
from typing import Any

from simsieve.results.dedup import DedupResult


@dataclass(frozen=True, slots=True)
class IndexBatch:
    """What one batch has added to an index, or what was taken out of it.

    Example:
        >>> IndexBatch("monday", kept=2, dropped=1).known
        0
    """

    batch: str
    """The name of the batch; empty where documents were removed by their ids."""
    kept: int
    """Documents that the index keeps of it; or kept documents that are gone."""
    dropped: int
    """Documents that were dropped; or dropped documents that are forgotten."""
    known: int = 0
    """Records whose ids and texts the index had before: nothing changed for them."""
    replaced: int = 0
    """Documents that records with the same ids have replaced."""
    missing: list[Any] = field(default_factory=list)
    """Ids that no document has."""
    orphans: list[Any] = field(default_factory=list)
    """Ids of documents that were dropped for one that is gone now: add them again."""
    result: DedupResult | None = None
    """The run that decided on the batch."""


@dataclass(frozen=True, slots=True)
class IndexMatch:
    """A kept document that is near a text.

    Example:
        >>> IndexMatch(7, 0.93, 4, "the quick brown fox jumps").similarity
        0.93
    """

    id: Any
    """Its id; None where it has none."""
    similarity: float | None
    """Similarity in [0, 1]; None where only the bits decide."""
    distance: int | None
    """Hamming distance of the fingerprints in bits."""
    text: str
    """Its text."""
