"""What is repeated in a collection, the texts without it, and how they are written."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.display import counted, html_table
from simsieve.json_values import row_of, value_at
from simsieve.messages import Message
from simsieve.results.arrow import table_of_rows
from simsieve.results.tables import write_failed
from simsieve.sinks.base import Chosen, Kind, SinkPath, write_rows
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.kept import Kept
from simsieve.sinks.tables import table_format_of, write_objects
from simsieve.sources.base import Source
from simsieve.sources.fields import first_fields
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Progress

_SHOWN, _SCOPES = 10, 1000
"""Rows that a notebook shows, and scopes that a result knows."""
_DIGITS = 1000

UNITS: dict[str, Kind | None] = {"count": "int", "documents": "int", "text": "text", "position": "int"}
ADDED: dict[str, Kind | None] = {"repeated": "text", "rest": "int"}


def _whole(digits: str) -> int | str:
    """A whole number; one of thousands of digits is none of Python's."""
    return int(digits) if len(digits) < _DIGITS else digits


@dataclass(frozen=True, slots=True)
class RepeatedUnit:
    """A unit that occurs more than once.

    Args:
        count: How often it occurs.
        documents: In how many documents.
        text: The unit as it is written where it occurs first.
        position: The place of that document among the records, from 0.

    Example:
        >>> RepeatedUnit(3, 2, "Read more", 0).count
        3
    """

    count: int
    documents: int
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class ScopeTotal:
    """The records that are equal in the field of the scope, and what goes of them.

    Args:
        scope: The value of the field; None where the scope is the collection, or a record lacks the field.
        documents: The records.
        characters: The code points of their texts.
        removed: Those of them that go.

    Example:
        >>> ScopeTotal("a.example", 2, 100, 30).removed
        30
    """

    scope: Any
    documents: int
    characters: int
    removed: int


class LinesResult(Tabular):
    r"""A collection and what is repeated in it; `lines` makes it.

    `to_arrow`, `to_pandas` and `to_polars` give the repeated units with the fields of `RepeatedUnit`.

    Example:
        >>> from simsieve import lines
        >>> result = lines(["All rights reserved.\none", "All rights reserved.\ntwo"], keep_repeats=0)
        >>> result.texts()
        ['one', 'two']
        >>> result.spans(0)
        [(0, 21)]
    """

    def __init__(
        self,
        core: _core.Lines,
        removed: _core.RemovedLines,
        store: _core.Records,
        config: DedupConfig,
        scope: str | None,
        rest_below: int,
        place: tuple[Source, Kept],
        recall: float | None,
    ) -> None:
        self._core, self._removed, self._store, self._scope = core, removed, store, scope
        self._source, self._kept = place
        self.config = config
        """The settings in force."""
        self.recall = recall
        """The measured recall of the search for near units; None where only equal ones count."""
        self.characters: NDArray[np.uint32] = core.characters
        """The code points of every text: uint32[n]."""
        self.removed: NDArray[np.uint32] = removed.characters
        """Those of them that go."""
        rest = self.characters - self.removed
        self.short: NDArray[np.int64] = np.flatnonzero((self.removed > 0) & (rest < rest_below))
        """The positions of documents that lose something and have less left than `rest_below`: they are not written."""

    @property
    def read(self) -> int:
        """Records read."""
        return len(self._store)

    def __repr__(self) -> str:
        """Show the counts."""
        text = f"{counted(self.summary['removed_units'], 'unit')} go of {counted(self.read, 'record')}"
        return f"<LinesResult: {text}>"

    def _repr_html_(self) -> str:
        """Show the most frequent units in a notebook."""
        rows = ([getattr(one, name) for name in UNITS] for one in self.repeated[:_SHOWN])
        return html_table(repr(self)[1:-1], list(UNITS), rows)

    @cached_property
    def repeated(self) -> list[RepeatedUnit]:
        """The most frequent units that are repeated, at most 1,000."""
        return [
            RepeatedUnit(count, documents, text, position)
            for count, documents, position, text in self._removed.frequent
        ]

    @cached_property
    def scopes(self) -> list[ScopeTotal]:
        """What goes of each scope, most characters first, at most 1,000."""
        totals = self._removed.scopes[:_SCOPES]
        values = dict.fromkeys((total[0] for total in totals), None)
        if self._scope is not None:
            positions = sorted(values)
            for position, line in zip(positions, self._store.objects(positions), strict=True):
                values[position] = value_at(row_of(line or b"{}", parse_int=_whole), self._scope)
        return [ScopeTotal(values[first], *counts) for first, *counts in totals]

    def text(self, position: int) -> str:
        """Give the text of a record without what goes."""
        return self._removed.text(position)

    def texts(self) -> list[str]:
        """Give the texts of all records that are written, without what goes."""
        return [self.text(position) for position in np.flatnonzero(self._written).tolist()]

    def spans(self, position: int) -> list[tuple[int, int]]:
        """Give what goes of a text, as places in its code points; ends are not among them."""
        return self._removed.spans(position)

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self._core.failures()

    @property
    def _read(self) -> NDArray[np.bool_]:
        """The records that did not fail."""
        wanted = np.ones(self.read, dtype=np.bool_)
        wanted[[position for position, _, _ in self.failures()]] = False
        return wanted

    @property
    def _written(self) -> NDArray[np.bool_]:
        wanted = self._read
        wanted[self.short] = False
        return wanted

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, ready for JSON."""
        distinct, repeated, count = self._removed.counts
        gone = self.removed > 0
        return {
            "read": self.read, "failed": len(self.failures()), "units": self._core.units, "distinct": distinct,
            "repeated": repeated, "removed_units": count, "characters": int(self.characters.sum(dtype=np.int64)),
            "removed_characters": int(self.removed.sum(dtype=np.int64)), "changed": int(gone.sum()),
            "empty": int((gone & (self.removed == self.characters)).sum()), "short": len(self.short),
            "recall": self.recall, "scopes": [asdict(one) for one in self.scopes[: 1 if self._scope is None else 100]],
        }  # fmt: skip

    def to_arrow(self) -> ArrowTable:
        """Give the repeated units as a `pyarrow.Table`; see the class."""
        return table_of_rows(UNITS, map(asdict, self.repeated))

    def write_units(self, sink: SinkPath) -> None:
        """Write the repeated units as a table, whole or not at all.

        Args:
            sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-` for JSON lines on stdout.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: The ending is none that a table can have.
        """
        write_objects(sink, UNITS, map(asdict, self.repeated), safe=self.config.safe_cells)

    def write_failed(self, sink: SinkPath) -> None:
        """Write the failed records with their bytes and the reason."""
        write_failed(self._core, sink, safe=self.config.safe_cells)

    def write_short(self, sink: SinkPath) -> None:
        """Write the records with too little left as they were read, with what goes of them."""
        short = np.zeros(self.read, dtype=np.bool_)
        short[self.short] = True
        self._write_whole(sink, short, None, None)

    def write_records(self, sinks: Sinks, progress: Progress | None) -> None:
        """Write the records to a sink that was checked before the sources were read."""
        if sinks.kept is None:
            return
        wanted = self._read if sinks.annotate else self._written
        if not wanted.any():
            reason = Message("of {read:,} records none is written", read=self.read)
            check_replaced(sinks.kept, reason, allow_empty=self.config.allow_empty)
        if sinks.annotate:
            self._write_whole(sinks.kept, wanted, self.config.output_format, progress)
            return
        self._kept.open(self._removed.store)
        write_rows(self._kept.sink(), wanted, progress)

    def _write_whole(
        self, name: SinkPath, wanted: NDArray[np.bool_], form: str | None, progress: Progress | None
    ) -> None:
        """Write records as they were read, with what goes of their texts and how much is left."""
        is_lines = table_format_of(name, form) == "jsonl"

        def values(position: int) -> dict[str, Any]:
            spans = self.spans(position)
            rest = int(self.characters[position]) - int(self.removed[position])
            return {"repeated": spans if is_lines else json.dumps(spans), "rest": rest}

        chosen = Chosen(wanted, ADDED, values, tuple(first_fields(self._store)))
        sink = self._source.row_sinks().extended(self._store, chosen, name, form)
        sink.check()
        write_rows(sink, wanted, progress)
