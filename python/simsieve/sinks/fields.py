"""Chosen fields of records under new names, with the text as it was compared: the setting `fields`."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.bits import decimal_fingerprint
from simsieve.json_values import exact_line, exact_values, value_at
from simsieve.sinks.base import Chosen, Kind, Rows, RowSinks, Sink, SinkPath, wanted_lines
from simsieve.sinks.records import ChangedRowSinks

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
