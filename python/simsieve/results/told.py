"""What a person asks after a run: where records were dropped or failed, and what tells the dropped ones from the kept.

All of it comes from the decisions that a run has; a few records are read again to look at their fields.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as dataclass_field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.checks import LENGTH, failed_limit
from simsieve.config.pair_rows import cell_text
from simsieve.errors import ConfigError
from simsieve.json_values import record_of, value_at
from simsieve.messages import Message
from simsieve.results.arrow import DROPPED, FAILED, copies_of
from simsieve.results.losses import MUCH
from simsieve.results.near import near_drops
from simsieve.results.run import Run
from simsieve.sinks.base import wanted_lines

LOOKED_AT = 200
"""Near duplicates whose fields are compared with those of their representatives."""
_FIELDS = 3
_LEAST_DIFFERENT, _LEAST_SHARE = 3, 0.2
"""A field is told if at least this number and this share of near duplicates have another value."""
_LABEL_COPIES = 0.5
"""A field that differs in more than this share of exact copies, such as an address, tells texts not apart."""
_LENGTHS = (0, 100, 1_000, 10_000, 100_000, 2**63 - 1)
"""Bytes of a record at which the groups of lengths begin."""
_MANY = 100
"""Records of a source from which on more than half dropped are worth a note."""
_HALF = 0.5
_BLOCK = 1 << 14
_EXACT = _core.REASONS.index("exact")


@dataclass(frozen=True, slots=True)
class DropShare:
    """How many of the records with one value were dropped; `DedupResult.drops_by` gives them.

    Args:
        value: The value as text; None of records without one.
        read: Records with it.
        dropped: Of these, records that were dropped.
        failed: Of these, records that failed.
        lost_much: Of the dropped ones, near duplicates that lose more than 20 units.
        conflicts: Of them, near duplicates whose numbers conflict with those of their representatives.

    Example:
        >>> from simsieve import dedup
        >>> rows = [{"text": "one text here", "by": "a"}, {"text": "one text here", "by": "b"}]
        >>> [(share.value, share.read, share.dropped) for share in dedup(rows).drops_by("by")]
        [('b', 1, 1), ('a', 1, 0)]
    """

    value: str | None
    read: int
    dropped: int
    failed: int
    lost_much: int = 0
    conflicts: int = 0


def by_source(run: Run, columns: _core.Decisions) -> list[DropShare]:
    """Count what was dropped and failed of each source, in their order; those of old documents are left out."""
    shares, first, decision = list[DropShare](), 0, columns.decision
    near = near_drops(columns)
    told = near.position[near.lost > MUCH], near.position[near.conflict > 0]
    for path, count in run.store.sources:
        if first >= len(decision):
            break
        part = np.bincount(decision[first : first + count], minlength=FAILED + 1).tolist()
        # A source in memory has a name that nobody gave.
        name = path if run.rows.is_named else "the records"
        much, conflicts = (int(np.diff(np.searchsorted(at, [first, first + count]))[0]) for at in told)
        shares.append(DropShare(name, count, part[DROPPED], part[FAILED], much, conflicts))
        first += count
    return shares


def by_field(run: Run, columns: _core.Decisions, field: str) -> list[DropShare]:
    """Count what was dropped and failed of the records with each value of a field; most dropped first."""
    decision, counts = columns.decision.tolist(), dict[str | None, list[int]]()
    near = near_drops(columns)
    told = [set(near.position[chosen].tolist()) for chosen in (near.lost > MUCH, near.conflict > 0)]
    for position, value in _lengths(run, len(decision)) if field == LENGTH else _values(run, len(decision), field):
        of_value = counts.setdefault(value, [0] * (FAILED + 1 + len(told)))
        of_value[decision[position]] += 1
        for at, those in enumerate(told, FAILED + 1):
            of_value[at] += position in those
    shares = [
        DropShare(value, sum(each[: FAILED + 1]), each[DROPPED], *each[FAILED:]) for value, each in counts.items()
    ]
    return sorted(shares, key=lambda share: (-share.dropped, -share.read, share.value or ""))


def _values(run: Run, count: int, field: str) -> Iterator[tuple[int, str | None]]:
    for position, line in wanted_lines(run.sinks, run.store, np.ones(count, dtype=bool)):
        value = value_at(record_of(line), field)
        yield position, None if value is None else cell_text(value)


def _lengths(run: Run, count: int) -> Iterator[tuple[int, str]]:
    names = [f"{low}-{high - 1}" if high < _LENGTHS[-1] else f"{low}-" for low, high in pairwise(_LENGTHS)]
    for first in range(0, count, _BLOCK):
        at = range(first, min(first + _BLOCK, count))
        groups = np.searchsorted(_LENGTHS, run.store.sizes(at).astype(np.int64), side="right") - 1
        yield from zip(at, (names[group] for group in groups.tolist()), strict=True)


def as_rows(shares: Sequence[DropShare], most: int) -> list[dict[str, Any]]:
    """Give shares as JSON has them."""
    return [asdict(share) for share in shares[:most]]


def failed_by_code(failures: Sequence[tuple[int, str, str]]) -> dict[str, int]:
    """Count failed records by their code, most first."""
    return dict(Counter(code for _, code, _ in failures).most_common())


@dataclass(frozen=True, slots=True)
class Differing:
    """A field in which near duplicates differ from their representatives, and how often."""

    field: str
    different: int
    looked: int


def differing_fields(run: Run, columns: _core.Decisions) -> list[Differing]:
    """Find the fields by which near duplicates differ from their representatives, on a sample of them."""
    # A field that differs in exact copies too says nothing of the texts. Where a few records are not read without all
    # others, as in archives, none is looked at.
    near, copies = near_drops(columns), np.flatnonzero(columns.reason == _EXACT)
    exact = _compared(run, copies, columns.representative[copies], len(columns))
    known = {*run.config.text_field, run.config.id_field, *run.config.equal_fields, *run.config.rule_fields}
    told = [
        Differing(field, pairs.different, pairs.looked)
        for field, pairs in _compared(run, near.position, near.representative, len(columns)).items()
        if field not in known
        and pairs.different >= max(_LEAST_DIFFERENT, pairs.looked * _LEAST_SHARE)
        and not pairs.is_label
        and not (field in exact and exact[field].different > exact[field].looked * _LABEL_COPIES)
    ]
    return sorted(told, key=lambda one: (-one.different, one.field))[:_FIELDS]


def differing_pictures(run: Run, columns: _core.Decisions) -> tuple[int, int]:
    """Count the near duplicates whose pictures differ from those of their representatives, and those looked at."""
    near, scheme = near_drops(columns), run.schemes[0]
    if not scheme.has_features:
        return 0, 0
    looked = np.unique(np.linspace(0, len(near) - 1, min(LOOKED_AT, len(near))).astype(int)).tolist()
    pairs = ((int(near.position[at]), int(near.representative[at])) for at in looked)
    pictures = (tuple(scheme.used_text(run.documents.text(position))[1] for position in pair) for pair in pairs)
    return sum(one != other for one, other in pictures), len(looked)


@dataclass(slots=True)
class _Pairs:
    """Pairs with a field in one record at least, those whose values differ, and the values."""

    looked: int = 0
    different: int = 0
    values: set[str | None] = dataclass_field(default_factory=set)

    @property
    def is_label(self) -> bool:
        """Whether no two records of all have the same value, as with an address."""
        return len(self.values) == 2 * self.looked


def _compared(run: Run, dropped: NDArray[np.int64], representative: NDArray[np.int64], new: int) -> dict[str, _Pairs]:
    """Compare the fields of a sample of documents with those of their representatives."""
    usable = np.flatnonzero(representative < new)
    # One of each representative, so that a value is of one record.
    usable = usable[np.unique(representative[usable], return_index=True)[1]]
    chosen = usable[np.unique(np.linspace(0, len(usable) - 1, min(LOOKED_AT, len(usable))).astype(int))]
    both = np.stack([dropped[chosen], representative[chosen]])
    at = np.unique(both).tolist()
    read = run.sinks.records(run.store, at, run.config.text_field)
    records = {position: _plain(record) for position, record in read.items()}
    found: dict[str, _Pairs] = {}
    for one, other in ((records[a], records[b]) for a, b in both.T.tolist() if a in records and b in records):
        for name in one.keys() | other.keys():
            pairs = found.setdefault(name, _Pairs())
            pairs.looked += 1
            pairs.different += one.get(name) != other.get(name)
            pairs.values |= {one.get(name), other.get(name)}
    return found


def _plain(record: Mapping[str, Any]) -> dict[str, str]:
    """The fields that have one value, each as text."""
    return {name: cell_text(value) for name, value in record.items() if not isinstance(value, (dict, list))}


def largest_clusters(columns: _core.Decisions, most: int) -> list[tuple[int, int]]:
    """Give the kept documents that stand for most, of three and more each: position and size."""
    sizes = copies_of(columns.decision, columns.representative)
    # A pair is no group that is worth a line.
    groups = np.flatnonzero(sizes >= 3)
    chosen = groups[np.argsort(-sizes[groups], kind="stable")[:most]]
    return list(zip(chosen.tolist(), sizes[chosen].tolist(), strict=True))


def check_dropped(run: Run, columns: _core.Decisions, tell: Any) -> None:
    """Stop a run if a source loses more than `max_dropped`; without a bound tell if one loses over half."""
    limit = run.config.max_dropped
    for share in by_source(run, columns):
        if limit is not None and share.dropped * 100 > failed_limit(limit)[0] * share.read:
            raise ConfigError(
                "{source}: {dropped:,} of {read:,} records would be dropped, more than {@max_dropped} {limit} allows, "
                "and nothing is written: look at them with a dry run and a report, then raise the similarity or "
                "{@max_dropped}",
                source=share.value, dropped=share.dropped, read=share.read, limit=limit,
            )  # fmt: skip
        if limit is None and share.read >= _MANY and share.dropped > _HALF * share.read and not run.store.is_against:
            tell(Message(
                "{source}: more than half is dropped, {dropped:,} of {read:,} records; {@max_dropped} 50% would stop "
                "such a run before it writes",
                source=share.value, dropped=share.dropped, read=share.read,
            ))  # fmt: skip
