"""The decisions of a run, over columns: each is made when it is asked for."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from simsieve import _core
from simsieve.display import counted, html_table
from simsieve.results.arrow import COLUMNS, DROPPED, SOMETIMES, Decided, decisions_stream, decisions_table
from simsieve.results.near import NearDrops, near_drops
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Decision

_SHOWN = 10
"""Rows that a notebook shows."""


class Decisions(Tabular, Sequence[Decision]):
    """The decisions of a run, by position; `DedupResult.decisions` gives them.

    `to_arrow`, `to_pandas`, `to_polars` and Arrow's stream give a table: the fields of `Decision`, and `cluster`. That
    is the position of the kept document that a record belongs to. It is null if the record failed or was dropped for an
    old one. Labels are one column: int64 where all are whole numbers, text where all are strings, and else JSON.
    `pandas.DataFrame(decisions)` makes every decision one by one, since pandas asks a sequence for its items only. A
    million take half a minute, and 0.3 s by `to_pandas` or `pandas.DataFrame.from_arrow`.

    Example:
        >>> from simsieve import dedup
        >>> decisions = dedup(["one text here", "one text here"]).decisions
        >>> [decision.reason for decision in decisions]
        ['representative', 'exact']
        >>> decisions.to_pandas()["cluster"].tolist()
        [0, 0]
    """

    def __init__(self, result: Any, columns: _core.Decisions, positions: range) -> None:
        self._result = result
        self._columns = columns
        self._positions = positions

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the result that has them."""
        return _of_result, (self._result, self._positions)

    @property
    def _decided(self) -> Decided:
        return Decided.of(*self._result.with_sources())

    def __repr__(self) -> str:
        """Show the counts."""
        return f"<Decisions on {counted(len(self), 'record')}: {self._counted()}>"

    def _repr_html_(self) -> str:
        """Show the first decisions in a notebook."""
        names = tuple(name for name in COLUMNS if name not in SOMETIMES)
        shown, more = list(range(min(_SHOWN, len(self)))), ""
        if len(self) > _SHOWN:
            half = _SHOWN // 2
            codes = self._columns.decision[self._positions.start :: self._positions.step][: len(self)]
            dropped = half + np.flatnonzero(codes[half:] == DROPPED)[:half]
            shown, more = [*range(_SHOWN - len(dropped)), *dropped.tolist()], f"; {_SHOWN} of them"
        rows = ([getattr(decision, name) for name in names] for decision in (self[at] for at in shown))
        return html_table(f"{counted(len(self), 'decision')}: {self._counted()}{more}", names, rows)

    def _counted(self) -> str:
        at = self._positions
        codes = self._columns.decision[at.start : at.stop : at.step] if at.step > 0 else self._columns.decision[at]
        counts = np.bincount(codes, minlength=len(_core.DECISIONS)).tolist()
        return ", ".join(f"{count:,} {name}" for name, count in zip(_core.DECISIONS, counts, strict=True))

    def __len__(self) -> int:
        """Count the decisions."""
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> "Decisions": ...
    def __getitem__(self, index: int | slice) -> "Decision | Decisions":
        """Give one decision, or those of a slice."""
        if isinstance(index, slice):
            return Decisions(self._result, self._columns, self._positions[index])
        row = self._columns.row(self._positions[index])
        return Decision(**{name: row[name] for name in Decision.__slots__})

    @property
    def near(self) -> NearDrops:
        """The near duplicates of the whole run, as columns."""
        return near_drops(self._columns)

    def to_arrow(self) -> ArrowTable:
        """Give the decisions as a `pyarrow.Table`; see the class."""
        table = decisions_table(self._decided)
        at = self._positions
        return table if len(at) == len(table) and at.step == 1 else table.take(np.asarray(at, dtype=np.int64))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the decisions by Arrow's protocol for streams, block by block."""
        if self._positions != range(len(self._columns)):
            return super().__arrow_c_stream__(requested_schema)
        return decisions_stream(self._decided).__arrow_c_stream__(requested_schema)


def _of_result(result: Any, positions: range) -> Decisions:
    return Decisions(result, result.with_sources()[1], positions)
