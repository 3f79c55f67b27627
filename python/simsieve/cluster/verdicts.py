"""Verdicts of people on rows of a job: their ids are found once, and the rows with a verdict are walked in one task."""

import logging
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.rows import is_old, longs
from simsieve.config.verdicts import DIFFERENT, KEEP, SAME, read_verdicts
from simsieve.errors import ConfigError

log = logging.getLogger(__name__)
Verdicts = tuple[tuple[int, int, int], ...]
"""The keys of two rows, and the number of the verdict."""


def keys_of(rows: Any) -> NDArray[np.int64]:
    """Give numbers by which rows are known: their positions, and whether they are old."""
    return 2 * longs(rows["position"]) + is_old(rows)


def named(given: Any) -> list[str]:
    """Give the ids that verdicts name, as texts."""
    return sorted({str(name) for a, b, _ in read_verdicts(given) for name in (a, b)})


def found(table: Any, given: Any) -> Verdicts:
    """Find the rows that verdicts name, the new ones first, in a table of these with their ids as texts."""
    named = read_verdicts(given)
    rows: dict[str, list[int]] = defaultdict(list)
    for name, key in sorted(zip(table["label"].to_pylist(), keys_of(table).tolist(), strict=True)):
        rows[name].append(key)
    verdicts, unknown = [], 0
    for *names, verdict in named:
        keys = [_row(str(name), rows) for name in names]
        a, b = keys
        if a is None or b is None:
            unknown += 1
        elif verdict == KEEP and b % 2 and not a % 2:
            raise ConfigError(
                "a verdict keeps the record {value:?} before {value_2:?}, which is an old one, and old ones are never"
                " dropped; say same or different of them",
                value=str(names[0]), value_2=str(names[1]),
            )  # fmt: skip
        else:
            # Old ones precede as it is.
            verdicts.append((a, b, SAME if verdict == KEEP and a % 2 else verdict))
    if unknown:
        log.warning("%d verdicts name an id that no row has", unknown)
    return tuple(verdicts)


def _row(label: str, rows: dict[str, list[int]]) -> int | None:
    new = [key for key in rows[label] if not key % 2]
    if len(new) > 1:
        raise ConfigError("{count} rows have the id {label!r}, and a verdict names it", count=len(new), label=label)
    return next(iter([*new, *rows[label]]), None)


def marked(keys: NDArray[np.int64], verdicts: Verdicts) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Give the places of rows with a verdict, and the number of it: both rows of a verdict have one."""
    ends = np.array([key for *pair, _ in verdicts for key in pair], dtype=np.int64)
    places = np.flatnonzero(np.isin(keys, ends))
    pairs = [(place, at // 2) for place in places.tolist() for at in np.flatnonzero(ends == keys[place]).tolist()]
    place, number = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return place, number.astype(np.uint64)


def in_order(rows: Any, verdicts: Verdicts) -> tuple[Any, list[tuple[int, int, int]]]:
    """Put rows, which are in keep order, into that of verdicts; and give the verdicts by the places of their rows."""

    def by_places(rows: Any) -> list[tuple[int, int, int]]:
        place = {key: at for at, key in enumerate(keys_of(rows).tolist())}
        return [(place[a], place[b], verdict) for a, b, verdict in verdicts if a in place and b in place]

    order = _core.order_of_verdicts(len(rows), by_places(rows))
    rows = rows.take(order)
    return rows, by_places(rows)


def not_apart(near: Any, a: NDArray[Any], b: NDArray[Any], verdicts: list[tuple[int, int, int]]) -> NDArray[np.bool_]:
    """Which near pairs no verdict keeps apart, by the places of their rows."""
    apart = {frozenset(pair) for *pair, verdict in verdicts if verdict == DIFFERENT}
    kept = (frozenset(pair) not in apart for pair in zip(a.tolist(), b.tolist(), strict=True))
    return np.fromiter(kept, dtype=bool, count=len(near))
