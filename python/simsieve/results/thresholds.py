"""What a result would keep at stricter thresholds, with the pair at the edge of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simsieve.config.settings import DedupConfig
from simsieve.display import counted, html_table
from simsieve.results.decisions import Decisions
from simsieve.types import Counts, Decision, Progress

STEPS = tuple(round(0.4 + 0.05 * step, 2) for step in range(12))
"""The thresholds of similarity that are tried by default: 0.4, 0.45, ..., 0.95."""
_DISTANCES = 12
"""About this many distances are tried by default."""


class Result(Protocol):
    """What is needed of `DedupResult`."""

    @property
    def config(self) -> DedupConfig:
        """The settings of the run."""

    @property
    def counts(self) -> Counts:
        """The counts."""

    @property
    def decisions(self) -> Decisions:
        """The decisions."""

    @property
    def rethreshold(self) -> Callable[..., "Result"]:
        """What decides again at a stricter threshold."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a threshold keeps, and the near duplicate that it drops with the least certainty.

    Args:
        threshold: A similarity, or a distance in bits.
        kept: Documents kept.
        dropped: Documents dropped.
        clusters: Kept documents that represent another.
        largest_cluster: Documents in the largest cluster.
        borderline: The decision on the dropped document that is least near its representative, exact copies left out;
            None where there is none.

    Example:
        >>> Threshold(0.8, 5, 1, 1, 2, None).kept
        5
    """

    threshold: float
    kept: int
    dropped: int
    clusters: int
    largest_cluster: int
    borderline: Decision | None


class Thresholds(Sequence[Threshold]):
    """The outcome at several thresholds, the loosest first; a notebook shows it as a table.

    `DedupResult.thresholds` makes it.

    Example:
        >>> len(Thresholds([]))
        0
    """

    def __init__(self, rows: Sequence[Threshold]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        """Count the thresholds."""
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        """Give the outcome at one threshold, or those of a slice."""
        return Thresholds(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __iter__(self) -> Iterator[Threshold]:
        """Go through the thresholds."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Show the counts."""
        shown = ", ".join(f"{row.threshold:g}: {row.kept:,}" for row in self._rows)
        return f"<Thresholds: kept at {shown}>" if len(shown) < 100 else f"<{counted(len(self), 'Threshold')}>"

    def _repr_html_(self) -> str:
        """Show a table in a notebook."""
        names = ("threshold", "kept", "dropped", "clusters", "largest_cluster")
        head = ("threshold", "kept", "dropped", "clusters", "largest cluster", "borderline", "its representative")
        rows = [
            [
                *(f"{getattr(row, name):,}" for name in names),
                *((None, None) if row.borderline is None else (row.borderline.id, row.borderline.representative)),
            ]
            for row in self._rows
        ]
        return html_table(counted(len(self), "threshold"), head, rows)


def thresholds_of(result: Result, values: Sequence[float] | None, progress: Progress | None) -> Thresholds:
    """Decide a result again at each of several thresholds.

    Args:
        result: The result, whose threshold is the loosest allowed.
        values: The thresholds; see `DedupResult.thresholds`.
        progress: Called now and then with (stage, done, total).

    Raises:
        ConfigError: A threshold is looser than the run's.
    """
    config = result.config
    name = "similarity" if config.max_distance is None else "max_distance"
    if values is None:
        values = _usual(config)
    rows = []
    for value in sorted(set(values), reverse=name == "max_distance"):
        one = result if value == config.threshold else result.rethreshold(progress=progress, sample=0, **{name: value})
        rows.append(_row(value, one))
    return Thresholds(rows)


def _usual(config: DedupConfig) -> list[float]:
    if config.max_distance is not None:
        step = max(1, config.max_distance // _DISTANCES)
        return [*range(0, config.max_distance, step), config.max_distance]
    return [config.threshold, *(value for value in STEPS if value > config.threshold)]


def _row(value: float, result: Result) -> Threshold:
    counts = result.counts
    decisions = result.decisions
    near = decisions.near
    edge = decisions[int(near.position[near.farness.argmax()])] if len(near) else None
    return Threshold(value, counts.kept, counts.dropped, counts.clusters, counts.largest_cluster, edge)
