"""The law of decisions in its plainest form, by which runs, windows, rules on fields and indexes are measured."""

import tempfile
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from simsieve import Index
from simsieve.results import Decision

Outcome = tuple[str, str, int | None]
"""Decision, reason, and the position of whom a record is kept or dropped for."""


def walked(count: int, near: Callable[[int, int], bool]) -> list[int]:
    """The law where no copies are told apart: keep what is near to nothing kept before."""
    kept: list[int] = []
    for position in range(count):
        if not any(near(position, other) for other in kept):
            kept.append(position)
    return kept


def said(decisions: Iterable[Decision]) -> list[tuple[int, str, int | None, str]]:
    """What decisions say besides the measure and the scheme."""
    return [(one.position, one.decision, one.representative_position, one.reason) for one in decisions]


def decided(
    order: Iterable[int], of: Callable[[int], Hashable], near: Callable[[int, int], tuple[int, str] | None]
) -> dict[int, Outcome]:
    """Decide on records in their keep order, each held against those that are kept.

    `of` gives what exact copies have in common, and None of a record without features. `near` gives the distance of a
    record and a kept one, with the reason; None where they are not near.
    """
    kept: list[int] = []
    first: dict[Hashable, int] = {}
    found: dict[int, Outcome] = {}
    for at in order:
        key = of(at)
        copied = at if key is None else first.setdefault(key, at)
        if copied != at:
            found[at] = ("dropped", "exact", found[copied][2])
            continue
        pairs = ((place, near(at, other)) for place, other in enumerate(kept))
        best = min(((pair[0], place, pair[1]) for place, pair in pairs if pair is not None), default=None)
        if best is None:
            kept.append(at)
            found[at] = ("kept", "no_features" if key is None else "unique", at)
        else:
            found[at] = ("dropped", best[2], kept[best[1]])
    for decision, _, head in list(found.values()):
        if decision == "dropped" and head is not None:
            found[head] = ("kept", "representative", head)
    return found


def batches_are_one_run(
    rows: list[dict[str, Any]], cut: int, expected: Sequence[tuple[str, int | None]], **settings: Any
) -> None:
    """An index of the records up to a place decides the others as one run does; `check` says before what `add` does.

    A record has its position as "id"; `expected` has its decision and whom it is kept or dropped for.
    """
    rest = {name: settings[name] for name in ("sample", "max_failed") if name in settings}
    with tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/seen", rows[:cut], **settings) as index:
        assert {id_ for id_, _ in index} == {at for at, one in enumerate(expected[:cut]) if one[0] == "kept"}
        if cut < len(rows):
            checked = index.check(rows[cut:], **rest).decisions
            added = index.add(rows[cut:], **rest).decisions
            assert list(checked) == list(added)
            assert [(one.decision, one.representative) for one in added] == expected[cut:]
        assert {id_ for id_, _ in index} == {at for at, one in enumerate(expected) if one[0] == "kept"}
        index.verify()
