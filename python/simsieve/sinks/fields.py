"""Kept records with changed lines: chosen fields, filled values (`merge`), and texts without repeated passages."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.bits import decimal_fingerprint
from simsieve.errors import InternalError
from simsieve.json_values import exact_line, exact_values, value_at
from simsieve.optional import arrow
from simsieve.sinks.arrow import ArrowRows, ArrowRowSinks
from simsieve.sinks.base import Chosen, Kind, Rows, RowSinks, Sink, SinkPath, wanted_lines
from simsieve.sinks.records import ChangedRowSinks, CoreRowSinks

_NOTHING = object()
_KINDS: dict[str, Kind] = {"@text": "text", "@original": "text", "@fingerprint": "text", "@copies": "int"}
"""What the columns hold that are no fields of the records."""


_BETWEEN = "\n\x1e"
"""What the core has between the texts of fields that are compared apart."""


def in_lines(text: str) -> str:
    """Give a text as people read it: fields that are compared apart are lines of it."""
    return text.replace(_BETWEEN, "\n")


class Written:
    """What a run knows of its documents beside their fields."""

    def __init__(
        self,
        documents: _core.Documents,
        scheme: _core.Scheme,
        copies: Callable[[], NDArray[np.int64]] = lambda: np.zeros(0, dtype=np.int64),
    ) -> None:
        self._documents, self._scheme, self._count = documents, scheme, copies

    @cached_property
    def _copies(self) -> NDArray[np.int64]:
        return self._count()

    def text(self, position: int) -> str:
        """Give a text as it was compared: extracted, cut and stripped; of fields that are compared apart all."""
        text = self._documents.text(position)
        if _BETWEEN in text:
            return in_lines(text)
        return self._scheme.used_text(text)[0] if self._scheme.has_features else text

    def original(self, position: int) -> str:
        """Give a text as it was read."""
        return in_lines(self._documents.text(position))

    @cached_property
    def _values(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        return self._documents.values, self._documents.valid

    def fingerprints(self, positions: Sequence[int]) -> list[str | None]:
        """Give fingerprints as `decimal_fingerprint` writes them; None of a text without features."""
        values, valid = self._values
        words = values[positions].astype("<u8", copy=False)
        size = words.itemsize * words.shape[1]
        raw = words.tobytes()
        found = (int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size))
        return [
            decimal_fingerprint(value, self._scheme.width) if is_valid else None
            for value, is_valid in zip(found, valid[positions].tolist(), strict=True)
        ]

    def of(self, position: int) -> dict[str, Callable[[], Any]]:
        """Give what makes each value of `config.checks.WRITTEN` for a document."""
        return {
            "@text": lambda: self.text(position),
            "@original": lambda: self.original(position),
            "@fingerprint": lambda: self.fingerprints([position])[0],
            "@hex": lambda: self._in_digits(position, "x", (self._scheme.width + 3) // 4),
            "@bits": lambda: self._in_digits(position, "b", self._scheme.width),
            "@copies": lambda: int(self._copies[position]),
        }

    def _in_digits(self, position: int, base: str, digits: int) -> str | None:
        """A fingerprint with all its digits, the most significant first."""
        decimal = self.fingerprints([position])[0]
        return None if decimal is None else f"{int(decimal):0{digits}{base}}"


def renamed(
    fields: Sequence[str], record: Mapping[str, Any], written: Mapping[str, Callable[[], Any]]
) -> dict[str, Any]:
    """Give some fields of a record under new names; a field that it does not have is left out."""
    made = {}
    for one in fields:
        field, _, name = one.partition(":")
        value = written[field]() if field in written else value_at(record, field, _NOTHING)
        if value is not _NOTHING:
            made[name or field.removeprefix("@")] = value
    return made


def values_of(
    rows: RowSinks, store: _core.Records, positions: NDArray[np.int64], fields: Sequence[str]
) -> dict[int, dict[str, Any]]:
    """Read some fields of the records at some positions."""
    wanted = np.zeros(store.new_len, dtype=bool)
    wanted[positions] = len(fields) > 0
    records = ((position, json.loads(line)) for position, line in wanted_lines(rows, store, wanted))
    return {at: renamed(fields, record, {}) if isinstance(record, dict) else {} for at, record in records}


class FieldRowSinks(ChangedRowSinks):
    """The sinks of some fields of kept rows: tables of any format."""

    def __init__(self, rows: RowSinks, fields: Sequence[str], first_of: Callable[[int], int]) -> None:
        super().__init__(rows, first_of)
        self._fields = fields
        self.written: Written | None = None
        """What the run knows of its documents; None until they are written."""

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of whole rows with values added; see `RowSinks.extended`."""
        return self._rows.extended(store, chosen, sink, form)

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns by their new names."""
        known = self._rows.columns(store)
        named = (one.partition(":") for one in self._fields)
        return {name or field.removeprefix("@"): _KINDS.get(field) or known.get(field) for field, _, name in named}

    def changed(self, position: int, line: bytes) -> bytes:
        """Give the fields of a record."""
        record, of = exact_values(line), {} if self.written is None else self.written.of(position)
        return exact_line(renamed(self._fields, record if isinstance(record, dict) else {}, of))


def lacking_field(fields: Sequence[str], known: Sequence[str]) -> str | None:
    """Give the first field that no record seems to have."""
    for one in fields:
        field = one.partition(":")[0]
        parts = field.split(".")
        ways = {field, ".".join(parts[:2]), parts[0]}
        if not field.startswith("@") and not ways & set(known):
            return field
    return None


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
