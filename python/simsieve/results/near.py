"""Near duplicates as columns, and the texts and labels of documents, for people to look at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.pair_rows import CHECKS, POSITIONS, check_word
from simsieve.display import cut
from simsieve.errors import TextError
from simsieve.messages import tr
from simsieve.results.arrow import DROPPED
from simsieve.sinks.fields import Written
from simsieve.text.edit import edit_similarity

_NEAR = _core.REASONS.index("near")


@dataclass(frozen=True, slots=True, eq=False)
class NearDrops:
    """The near duplicates, by position; exact copies are not among them.

    Args:
        position: Positions of the dropped documents, ascending: int64[n].
        representative: Positions of their representatives; those of old documents follow the new ones: int64[n].
        distance: Distances in bits; -1 where there is none: int32[n].
        similarity: Similarities in [0, 1]; NaN where bits decided: float64[n].
        lost: Units that each loses; -1 where that was not measured: int64[n].
        conflict: 1 where numbers conflict with those of the representative, 0 where not, else -1: int8[n].

    Example:
        >>> from simsieve import dedup
        >>> dedup(["the quick brown fox jumps", "the quick brown fox jumped"]).decisions.near.position.tolist()
        [1]
    """

    position: NDArray[np.int64]
    representative: NDArray[np.int64]
    distance: NDArray[np.int32]
    similarity: NDArray[np.float64]
    lost: NDArray[np.int64]
    conflict: NDArray[np.int8]

    @property
    def farness(self) -> NDArray[np.float64]:
        """How far each is from its representative, for sorting: 1 - similarity, or the distance where bits decided.

        Where schemes of both kinds decided, those found by bits count as the nearest.
        """
        if len(self.similarity) and np.isnan(self.similarity).all():
            return self.distance.astype(np.float64)
        return 1 - np.nan_to_num(self.similarity, nan=1.0)

    def measured(self, at: int) -> tuple[float | None, int | None, int | None]:
        """Give similarity, distance and lost units of one; None where there is none."""
        similarity, distance, lost = float(self.similarity[at]), int(self.distance[at]), int(self.lost[at])
        return (
            None if np.isnan(similarity) else similarity,
            None if distance < 0 else distance,
            None if lost < 0 else lost,
        )

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.position)


def near_drops(columns: _core.Decisions) -> NearDrops:
    """Take the near duplicates from the decisions of the core."""
    at = np.flatnonzero((columns.decision == DROPPED) & (columns.reason == _NEAR))
    names = ("representative", "distance", "similarity", "lost", "conflict")
    return NearDrops(at, *(getattr(columns, name)[at] for name in names))


_LABEL = 120
"""Characters of an id that are shown."""


class Texts(Written):
    """The texts and labels of a run's documents, as its scheme sees them."""

    def __init__(
        self,
        documents: _core.Documents,
        scheme: _core.Scheme,
        new: int,
        picture: Callable[[object], str | None] = lambda _: None,
    ) -> None:
        super().__init__(documents, scheme)
        self._new, self._picture = new, picture

    def label(self, position: int) -> Any:
        """Give the id, or the position where there is none."""
        found = self._documents.id(position)
        return self.place(position) if found is None else found

    def pictures(self, *positions: int) -> list[str | None]:
        """Give small forms of documents that are pictures, as `Source.picture` does; nothing if none is one."""
        found = [self._picture(self._documents.id(position)) for position in positions]
        return found if any(found) else []

    def naming(self, position: int, side: str) -> dict[str, Any]:
        """Give position and check of a document by the names of their columns on a side; None of an old one."""
        check = self._documents.check_of(position) if position < self._new else None
        known = check is not None
        return {
            POSITIONS[side]: position if known else None, CHECKS[side]: check_word(check) if check is not None else None
        }  # fmt: skip

    def place(self, position: int) -> int:
        """Give the position as people count it: that of an old document over the old sources."""
        return position - self._new * (position >= self._new)

    def name(self, position: int) -> str:
        """Give the id for people, shortened; an old document is marked as old."""
        shown = str(self.label(position))
        shown = cut(shown, _LABEL)
        return tr("{name} (old)", name=shown) if position >= self._new else shown

    def lost(self, kept: int, dropped: int) -> str:
        """Give the longest run of a dropped text that the kept one does not have, without spaces and punctuation."""
        found = self._scheme.lost(self._documents.text(dropped), self._documents.text(kept))
        return "" if found is None else found[1]

    def edit(self, a: int, b: int) -> float | None:
        """Measure the edits between two texts as they were compared; None where they are none, or too long."""
        try:
            return edit_similarity(self.text(a), self.text(b))[0] if self._scheme.given_as is None else None
        except TextError:
            return None

    def edits(self, columns: _core.Decisions) -> Iterator[float | None]:
        """Measure the edits between each dropped document and its representative; None of the others."""
        dropped = columns.decision == DROPPED
        for position, (is_dropped, kept) in enumerate(zip(dropped, columns.representative, strict=True)):
            yield self.edit(position, int(kept)) if is_dropped else None

    def similarity(self, a: int, b: int, measure: str) -> tuple[float, int]:
        """Measure two documents; give the characters that were read, too."""
        one, other = self._documents.text(a), self._documents.text(b)
        return self._scheme.similarity(one, other, measure), len(one) + len(other)
