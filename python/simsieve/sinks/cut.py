"""Records with another text than they were read with: what the core has not as it was, it does not write."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import InternalError
from simsieve.json_values import exact_line, exact_values
from simsieve.optional import arrow
from simsieve.sinks.arrow import ArrowRows, ArrowRowSinks
from simsieve.sinks.base import RowSinks
from simsieve.sinks.records import ChangedRowSinks, CoreRowSinks


class NewTexts:
    """The texts that records get: known after the sinks are checked, before they are written."""

    def __init__(self, field: str) -> None:
        self.field = field
        self._changed: NDArray[np.bool_] | None = None
        self._text: Callable[[int], str] = str
        self._firsts = [0]

    def are(self, store: _core.Records, changed: NDArray[np.bool_], text: Callable[[int], str]) -> None:
        """Say which records of a store get another text, and what gives it."""
        self._changed, self._text = changed, text
        self._firsts = np.cumsum([0, *(count for _, count in store.sources)]).tolist()

    def first_of(self, source: int) -> int:
        """Give the position of the first record of a source."""
        return self._firsts[source]

    def changed(self, positions: slice | int) -> Any:
        """Say whether records get another text."""
        if self._changed is None:
            raise InternalError("the new texts are not known yet; say what they are before records are written")
        return self._changed[positions]

    def put(self, record: Mapping[str, Any], position: int) -> dict[str, Any]:
        """Give a record with its new text."""
        return with_value(record, self.field, self._text(position))


def with_value(record: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Give a record with another value in a field: by its whole name, else its dots reach into objects.

    Example:
        >>> with_value({"a": {"b": 1, "c": 2}}, "a.b", 3)
        {'a': {'b': 3, 'c': 2}}
    """
    first, dot, rest = name.partition(".")
    if name in record or not dot:
        return {**record, name: value}
    inner = record.get(first)
    return {**record, first: with_value(inner if isinstance(inner, Mapping) else {}, rest, value)}


def cut_rows(rows: RowSinks, source: Any, texts: NewTexts) -> RowSinks:
    """Give the sinks of records with new texts; what the core reads it cuts itself."""
    if isinstance(rows, CoreRowSinks):
        return rows
    return ArrowRowSinks(_CutColumns(source, texts)) if isinstance(rows, ArrowRowSinks) else _CutRowSinks(rows, texts)


class _CutRowSinks(ChangedRowSinks):
    """The sinks of rows of any kind as lines of JSON."""

    def __init__(self, rows: RowSinks, texts: NewTexts) -> None:
        super().__init__(rows, texts.first_of)
        self._texts = texts

    def changed(self, position: int, line: bytes) -> bytes:
        """Put the new text into a record that has one."""
        texts = self._texts
        return exact_line(texts.put(exact_values(line), position)) if texts.changed(position) else line


class _CutColumns:
    """Rows in columns with new texts in one column; all keep their types."""

    def __init__(self, rows: ArrowRows, texts: NewTexts) -> None:
        self._rows, self._texts, self.parts = rows, texts, rows.parts
        self.compression_of, self.schema, self.whole = rows.compression_of, rows.schema, rows.whole
        self.check_unchanged, self.groups = rows.check_unchanged, rows.groups

    def with_json(self) -> tuple[ArrowRows, frozenset[str]]:
        """Give the rows, in which columns of several types are texts of JSON; see `ArrowRows`."""
        rows, mixed = self._rows.with_json()
        return _CutColumns(rows, self._texts), mixed

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """Give the rows of a part with their texts."""
        first = self._texts.first_of(self.parts.index(part))
        for rows in self._rows.batches(part, columns):
            changed = np.flatnonzero(self._texts.changed(slice(first, first + len(rows)))).tolist()
            yield self._with_texts(rows, changed, first) if changed else rows
            first += len(rows)

    def _with_texts(self, rows: Any, changed: Sequence[int], first: int) -> Any:
        names, name = rows.schema.names, self._texts.field
        column = name if name in names else name.partition(".")[0]
        at = names.index(column)
        values = rows.column(at).to_pylist()
        for place in changed:
            values[place] = self._texts.put({column: values[place]}, first + place)[column]
        made = list(rows.columns)
        made[at] = arrow().array(values, type=rows.schema.field(at).type)
        return arrow().record_batch(made, schema=rows.schema)
