"""What a run decided, as the sinks of MongoDB need it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simsieve import _core
from simsieve.mongo import Address


class CollectionDocuments(Protocol):
    """What the sinks need of a collection that was read."""

    address: Address
    client: Any
    kind: str
    collection: Any

    def ids(self, positions: Sequence[int]) -> list[Any]:
        """The `_id`s of documents."""

    def unchanged(
        self, positions: Sequence[int], *, whole: bool
    ) -> Iterator[tuple[Sequence[int], list[Any], list[Any | None]]]:
        """Positions, `_id`s and documents, None in place of a document that is gone or has changed."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run decided, as the sinks of its databases need it.

    Args:
        run: The run's id.
        columns: The decisions.
        documents: The documents, with their fingerprints.
        digest: The digest of the scheme, the first of several.
        width: The bits of its fingerprints.
        source: The collection that was read; None where the source is another.
        text_of: Gives the text of a position, as it was fingerprinted.
    """

    run: str
    columns: _core.Decisions
    documents: _core.Documents
    digest: str
    width: int
    source: CollectionDocuments | None
    text_of: Callable[[int], str]

    def fingerprint(self, position: int) -> str | None:
        """Give a fingerprint as `decimal_fingerprint` writes it; None of a text without features."""
        if not self.documents.valid[position]:
            return None
        words = self.documents.values[position].tolist()
        return decimal_fingerprint(sum(word << (64 * at) for at, word in enumerate(words)), self.width)


def decimal_fingerprint(value: int, width: int) -> str:
    """Write a fingerprint in decimal digits, always as many: so texts are equal and ordered as the numbers are.

    BSON has no whole numbers of 64 bits without a sign, and none of 128.

    Example:
        >>> decimal_fingerprint(255, 64), len(decimal_fingerprint(2**128 - 1, 128))
        ('00000000000000000255', 39)
    """
    return f"{value:0{len(str((1 << width) - 1))}}"


def decision_rows(outcome: RunOutcome, positions: Sequence[int]) -> Iterable[dict[str, Any]]:
    """Give what was decided about records; those of a collection are named by their `_id`.

    Args:
        outcome: The run.
        positions: The records', ascending.
    """
    columns, source, new = outcome.columns, outcome.source, len(outcome.columns)
    rows = [columns.row(position) for position in positions]
    keys: dict[int, Any] = {}
    if source is not None:
        named = {*positions, *(int(at) for at in columns.representative[list(positions)] if 0 <= at < new)}
        asked = sorted(named)
        keys = dict(zip(asked, source.ids(asked), strict=True))
    representatives = columns.representative[list(positions)].tolist()
    for row, position, representative in zip(rows, positions, representatives, strict=True):
        yield {
            "position": position,
            "document": keys.get(position, row["id"]),
            "decision": row["decision"],
            "reason": row["reason"],
            "representative": keys.get(representative, row["representative"]),
            "distance": row["distance"],
            "similarity": row["similarity"],
        }
