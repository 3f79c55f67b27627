"""What a result would keep at stricter thresholds, with the pair at the edge of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.differences import clipped
from simsieve.display import counted, html_pair, html_table, likeness
from simsieve.results.decisions import Decisions
from simsieve.results.losses import NO_LOSSES, Losses, losses_of
from simsieve.results.near import Texts, near_drops
from simsieve.results.run import Run
from simsieve.types import Decision

STEPS = tuple(round(0.4 + 0.05 * step, 2) for step in range(12))
"""The thresholds of similarity that are tried by default: 0.4, 0.45, ..., 0.95."""
_DISTANCES = 12
"""About this many distances are tried by default."""


Decide = Callable[[float], tuple[Run, _core.Decisions]]
"""Decides a run again at a threshold."""


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
        texts: The representative's text and that of this document, as the scheme sees them; two empty ones where there
            is none.
        losses: What the near duplicates lose.

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
    texts: tuple[str, str] = ("", "")
    losses: Losses = NO_LOSSES


class Thresholds(Sequence[Threshold]):
    """The outcome at several thresholds, the loosest first; a notebook shows a table, and the texts of each pair.

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

    @overload
    def __getitem__(self, index: int) -> Threshold: ...
    @overload
    def __getitem__(self, index: slice) -> "Thresholds": ...
    def __getitem__(self, index: int | slice) -> "Threshold | Thresholds":
        """Give the outcome at one threshold, or those of a slice."""
        return Thresholds(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __repr__(self) -> str:
        """Show the counts."""
        shown = ", ".join(f"{row.threshold:g}: {row.kept:,}" for row in self._rows)
        return f"<Thresholds: kept at {shown}>" if len(shown) < 100 else f"<{counted(len(self), 'Threshold')}>"

    def _repr_html_(self) -> str:
        """Show a table in a notebook, and below it each pair at the edge once, its texts side by side."""
        names = ("threshold", "kept", "dropped", "clusters", "largest_cluster")
        head = (
            "threshold", "kept", "dropped", "clusters", "largest cluster", "median lost", "longest lost", "borderline",
            "its representative",
        )  # fmt: skip
        rows = [
            [
                *(f"{getattr(row, name):,}" for name in names),
                *(None if units is None else f"{units:g}" for units in (row.losses.median, row.losses.longest)),
                *((None, None) if row.borderline is None else (row.borderline.id, row.borderline.representative)),
            ]
            for row in self._rows
        ]
        table = html_table(counted(len(self), "threshold"), head, rows)
        edges = {row.borderline.position: row for row in reversed(self._rows) if row.borderline is not None}
        return table + "".join(map(_shown, reversed(edges.values())))


def _shown(row: Threshold) -> str:
    edge = row.borderline
    assert edge is not None
    names = edge.representative, edge.id
    places = edge.representative_position, edge.position
    shown = [str(place if name is None else name) for name, place in zip(names, places, strict=True)]
    title = f"at {row.threshold:g}: {likeness(edge.similarity, edge.distance)}"
    return html_pair(title, clipped(*row.texts), (shown[0], shown[1]))


def thresholds_of(config: DedupConfig, decide: Decide, values: Sequence[float] | None) -> Thresholds:
    """Decide a run again at each of several thresholds."""
    thresholds = set(_usual(config) if values is None else values)
    return Thresholds(
        [_row(value, *decide(value)) for value in sorted(thresholds, reverse=config.max_distance is not None)]
    )


def _usual(config: DedupConfig) -> list[float]:
    if config.max_distance is not None:
        step = max(1, config.max_distance // _DISTANCES)
        return [*range(0, config.max_distance, step), config.max_distance]
    return [config.threshold, *(value for value in STEPS if value > config.threshold)]


def _row(value: float, run: Run, columns: _core.Decisions) -> Threshold:
    near, losses, counts = near_drops(columns), losses_of(columns), columns.counts
    numbers = value, counts["kept"], counts["dropped"], counts["clusters"], counts["largest_cluster"]
    if not len(near):
        return Threshold(*numbers, None, losses=losses)
    at = int(near.farness.argmax())
    a, b = int(near.representative[at]), int(near.position[at])
    texts = Texts(run.documents, run.schemes[0], len(columns))
    decisions = Decisions(None, columns, range(len(columns)))
    return Threshold(*numbers, decisions[b], (texts.text(a), texts.text(b)), losses)
