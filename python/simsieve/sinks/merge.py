"""Values that kept records lack, out of the records that were dropped for them: the setting `merge`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.json_values import exact_line, exact_values
from simsieve.sinks.base import Rows, RowSinks, Sink, SinkPath, wanted_lines
from simsieve.sinks.records import ChangedRowSinks

ALL = "*"
"""Stands for every field but the id."""
Filled = Mapping[int, Mapping[str, Any]]
"""The values that kept records take, by position and field."""


def filled_values(
    rows: RowSinks, store: _core.Records, representative: NDArray[np.int64], dropped: NDArray[np.bool_],
    fields: Sequence[str], id_field: str,
) -> Filled:  # fmt: skip
    """Find the values that kept records lack and dropped ones have; of several the first one by position."""
    # Old records stay as they are.
    dropped = dropped & (representative < len(dropped))
    heads = np.zeros(len(dropped), dtype=np.bool_)
    heads[representative[dropped]] = True
    has: dict[int, set[str]] = {}
    for position, record in _records(rows, store, heads):
        found = {name for name, value in record.items() if not lacks(value)}
        if ALL in fields or not found.issuperset(fields):
            has[position] = found
    filled: dict[int, dict[str, Any]] = {}
    for position, record in _records(rows, store, dropped & np.isin(representative, list(has))):
        head = int(representative[position])
        for name, value in record.items():
            is_asked = name != id_field if ALL in fields else name in fields
            if is_asked and not lacks(value) and name not in has[head]:
                filled.setdefault(head, {}).setdefault(name, value)
    return filled


def lacks(value: Any) -> bool:
    """Whether a value is none: null, an empty text, list or object."""
    plain = value.strip() if isinstance(value, str) else value
    return value is None or (isinstance(plain, (str, list, dict)) and not plain)


def counts_of(filled: Filled) -> dict[str, Any]:
    """Count the records that take values, and the values by field, for a summary."""
    each = Counter(name for values in filled.values() for name in values)
    return {"records": len(filled), "values": each.total(), "fields": dict(each.most_common())}


def _records(
    rows: RowSinks, store: _core.Records, wanted: NDArray[np.bool_]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for position, line in wanted_lines(rows, store, wanted):
        record = exact_values(line)
        yield position, record if isinstance(record, dict) else {}


class MergedRowSinks(ChangedRowSinks):
    """The sinks of kept rows with the values that they lacked: tables of any format."""

    def __init__(self, rows: RowSinks, first_of: Callable[[int], int]) -> None:
        super().__init__(rows, first_of)
        self.filled: dict[int, Mapping[str, Any]] = {}
        """What the rows take; nothing until they are written."""

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows; see `RowSinks.kept`."""
        own = self._rows.kept_with(store, sink, form, self.filled, self._first_of(self._source))
        return own or super().kept(store, sink, form, link=link)

    def changed(self, position: int, line: bytes) -> bytes:
        """Fill a record; one that takes nothing stays as it is written."""
        taken = self.filled.get(position)
        return exact_line({**exact_values(line), **taken}) if taken else line
