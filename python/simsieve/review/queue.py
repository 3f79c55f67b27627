"""The queue of a review: documents with their near duplicates, the doubtful ones first, as columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simsieve.errors import ConfigError
from simsieve.evaluate.review import drawn
from simsieve.results.near import NearDrops

ORDERS = ("doubt", "lost", "conflict", "size", "sample")
"""The least near first, those that lose most, those whose numbers conflict, the largest groups, or a fair draw."""
_VIEWS = 8
"""Views that are kept; one of a million near duplicates takes up to 16 MB."""

Ranges = Mapping[str, tuple[float, float]]
"""The least and the greatest value of a column, by its name; both are allowed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants to see, and in which order."""

    order: str = ORDERS[0]
    source: int | None = None
    field: str = ""
    value: str = ""
    ranges: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Items in an order; `items` has their numbers, and `mask` the near duplicates that are shown."""

    items: NDArray[np.int64]
    mask: NDArray[np.bool_] | None

    def rank_of(self, item: int) -> int | None:
        """Give the place of an item; None where it is left out."""
        found = np.flatnonzero(self.items == item)
        return int(found[0]) if len(found) else None


class Queue:
    """Near duplicates by their representatives: an item is a representative with its near duplicates."""

    def __init__(
        self,
        near: NearDrops,
        bands: NDArray[np.int64],
        seed: int,
        columns: Mapping[str, Callable[[], NDArray[np.float64]]],
    ) -> None:
        self._near, self._bands, self._seed, self._makers = near, bands, seed, columns
        farness = near.farness
        self._members = np.lexsort((-farness, near.representative))
        heads = near.representative[self._members]
        is_first = np.ones(len(heads), dtype=bool)
        is_first[1:] = heads[1:] != heads[:-1]
        self.heads = heads[is_first]
        """The position of each item's representative, ascending: int64[items]."""
        self._starts = np.append(np.flatnonzero(is_first), len(heads))
        self._item = np.cumsum(is_first) - 1
        self._item_of = np.empty(len(heads), dtype=np.int64)
        self._item_of[self._members] = self._item
        self._farness = farness
        self._columns: dict[str, NDArray[np.float64]] = {}
        self._views: dict[Wanted, View] = {}

    def __len__(self) -> int:
        """Count the items."""
        return len(self.heads)

    def item_of(self, at: int) -> int:
        """Give the item of a near duplicate."""
        return int(self._item_of[at])

    def members(self, item: int, view: View | None = None) -> NDArray[np.int64]:
        """Give the near duplicates of an item, the least near first: those of a view, or all."""
        every = self._members[self._starts[item] : self._starts[item + 1]]
        return every if view is None or view.mask is None else every[view.mask[every]]

    def at(self, position: int) -> int | None:
        """Give the near duplicate that is at a position of the run; None where none is."""
        found = int(np.searchsorted(self._near.position, position))
        return found if found < len(self._near) and self._near.position[found] == position else None

    def view(self, wanted: Wanted) -> View:
        """Give the items that are wanted; the last few views are kept."""
        if wanted not in self._views:
            made = self._made(wanted)
            while len(self._views) >= _VIEWS:
                self._views.pop(next(iter(self._views)), None)
            self._views[wanted] = made
        return self._views[wanted]

    def column(self, name: str) -> NDArray[np.float64]:
        """Give a column of numbers, made when it is first asked for; NaN stands for none."""
        if name not in self._makers:
            raise ConfigError("{name} is no column: allowed are {names}", name=name, names=", ".join(self._makers))
        if name not in self._columns:
            self._columns[name] = self._makers[name]()
        return self._columns[name]

    def _made(self, wanted: Wanted) -> View:
        if wanted.order not in ORDERS:
            raise ConfigError(
                "order {order!r} is not known: allowed are {orders}", order=wanted.order, orders=", ".join(ORDERS)
            )
        mask = self._mask(wanted)
        shown = self._members if mask is None else self._members[mask[self._members]]
        if not len(shown):
            return View(np.empty(0, dtype=np.int64), mask)
        items = self._item_of[shown]
        starts = np.flatnonzero(np.append(True, items[1:] != items[:-1]))
        # The greatest of a key goes first; of equal ones the least near, and then the earlier.
        doubt = np.maximum.reduceat(self._farness[shown], starts)
        if wanted.order == "doubt":
            key = doubt
        elif wanted.order in ("lost", "conflict"):
            column = self._near.lost if wanted.order == "lost" else self._near.conflict
            key = np.maximum.reduceat(column[shown], starts).astype(np.float64)
        elif wanted.order == "size":
            key = np.diff(np.append(starts, len(shown))).astype(np.float64)
        else:
            rank = np.empty(len(self._near))
            rank[drawn(self._bands, self._seed)] = np.arange(len(self._near))
            key = -np.minimum.reduceat(rank[shown], starts)
        return View(items[starts][np.lexsort((-doubt, -key))], mask)

    def _mask(self, wanted: Wanted) -> NDArray[np.bool_] | None:
        """Which near duplicates are shown; None where all are."""
        ranges = list(wanted.ranges)
        if wanted.source is not None:
            ranges.append(("source", wanted.source, wanted.source))
        mask = None
        for name, low, high in ranges:
            column = self.column(name)
            inside = (column >= low) & (column <= high)
            mask = inside if mask is None else mask & inside
        return mask
