"""The texts and labels of documents, for people to look at."""

from collections.abc import Callable, Iterator
from typing import Any

from simsieve import _core
from simsieve.config.pair_rows import CHECKS, POSITIONS, check_word
from simsieve.display import cut
from simsieve.errors import TextError
from simsieve.messages import tr
from simsieve.results.arrow import DROPPED
from simsieve.sinks.fields import Written
from simsieve.text.edit import edit_similarity

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
