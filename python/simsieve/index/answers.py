"""What a change of an index came to, and what a query finds."""

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.json_values import json_of, utf8_of
from simsieve.results.arrow import DROPPED, KEPT
from simsieve.results.dedup import DedupResult
from simsieve.types import Decision


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
    """The run that decided on the batch; None for texts alone."""
    decisions: Sequence[Decision] = ()
    """The decisions on the batch, by position."""
    exact: int = 0
    """Of the dropped documents the exact copies; records that were known before are none."""


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


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """What an index knows of an id.

    Example:
        >>> IndexDocument(8, "dropped", representative=7, similarity=0.93).text is None
        True
    """

    id: Any
    """The id."""
    decision: Literal["kept", "dropped"]
    """Whether the document stayed."""
    text: str | None = None
    """The text of a kept document; that of a dropped one is not stored."""
    representative: Any = None
    """Of a dropped document the id of the kept one that it is near; None where that has none, or was removed."""
    similarity: float | None = None
    """Of a dropped document the similarity of the two in [0, 1]; None where only the bits decide."""


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """The documents in an index of one batch: those added together, or a removal.

    Example:
        >>> BatchCounts(2, "monday", kept=25, dropped=5, gone=0, removed=0, undone=False).name
        'monday'
    """

    number: int
    """Its number, from 1 in the order of the changes."""
    name: str
    """Its name; its number where it was given none."""
    kept: int
    """Documents of it that the index keeps."""
    dropped: int
    """Documents of it that were dropped."""
    gone: int
    """Documents of it, kept or dropped, that were removed, replaced or undone since."""
    removed: int
    """Documents of earlier batches that it removed or replaced."""
    undone: bool
    """Whether it was undone."""


def decisions_on_texts(
    config: DedupConfig, fates: Iterable[Any], ids: Iterable[Any] = (), decision: type[Decision] = Decision
) -> list[Decision]:
    """Decisions on texts, by number, from the core's fates; with their ids where they have some."""
    measure: Any = config.measure_of(config.effective_similarity)
    kinds: Any = _core.DECISIONS
    reasons: Any = _core.REASONS
    rows = []
    for at, (of_core, label) in enumerate(zip_longest(fates, ids)):
        code, reason, (raw, of), distance, similarity, lost, conflict = of_core
        if code != DROPPED:
            # A text fails where the scheme cannot use it.
            why: Any = reasons[reason] if code == KEPT else "unusable_text"
            rows.append(decision(at, label, kinds[code], None, None, None, None, None, why))
            continue
        rows.append(
            decision(
                at, label, "dropped", None if raw is None else json.loads(raw), of, distance, similarity, measure,
                reasons[reason], None if lost < 0 else lost, None if conflict < 0 else bool(conflict),
                representative_collection="old" if of is None else "new",
            )
        )  # fmt: skip
    return rows


def id_named(index: Container[Any], name: str) -> Any:
    """The id that a text means: itself, the JSON value that it is, or the `_id` of MongoDB with these digits."""
    means: list[Any] = [name, *({kind: name} for kind, digits in _DIGITS.items() if re.fullmatch(digits, name))]
    with suppress(ValueError, RecursionError):
        means.append(json.loads(name))
    # In extended JSON an `_id` is known as it is written, or as the object that it is.
    means += [_encode(value) for value in means if isinstance(value, dict)]
    found = [value for at, value in enumerate(means) if value not in means[:at] and value in index]
    if len(found) > 1:
        raise ConfigError(
            "the index has the ids {texts}: name one in Python, or as JSON in an address that ends in ?json=1",
            texts=", ".join(map(repr, found)),
        )
    return found[0] if found else name


_DIGITS = {"$oid": "[0-9a-f]{24}", "$numberInt": r"-?\d+", "$numberLong": r"-?\d+"}
"""How `_id`s of MongoDB are written in extended JSON, by their types."""


def ids_of(raw: Iterable[str]) -> list[Any]:
    """Ids, of their JSON."""
    return [json.loads(one) for one in raw]


def taken_out(batch: str, counts: Mapping[str, Any]) -> IndexBatch:
    """The documents taken out of an index, from the core's counts."""
    missing, orphans = ids_of(counts["missing"]), ids_of(counts["orphans"])
    return IndexBatch(batch, counts["kept"], counts["dropped"], missing=missing, orphans=orphans)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def raw_id(id: Any) -> str:
    """Write an id as the core has it: in JSON, as that of a record in memory is written."""
    try:
        # `json_of` makes an encoder for each.
        raw = _encode(id) if type(id) is str or type(id) is int else json_of(id, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(
            "an id of type {kind} cannot be written as JSON: {error}; give a text or a number",
            kind=type(id).__name__, error=str(error),
        ) from None  # fmt: skip
    return raw if raw.isascii() else utf8_of(raw).decode()


def raw_label(id: Any) -> str | None:
    """Write the id of a new document as the core has it; None of a missing one, such as NaN."""
    raw = "null" if id is None else raw_id(id)
    return None if raw == "null" else raw
