"""What is asked of each document, and why a query finds none: the types of its fields, there and in the collection."""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import bson

from simsieve.config.checks import keep_fields
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, SourceError
from simsieve.messages import Message
from simsieve.sources.fields import near_field

_LOOKED_AT = 100
_COMPARES = frozenset(("$eq", "$gt", "$gte", "$lt", "$lte"))
_OF_LISTS = frozenset(("$in", "$all"))
_OF_QUERIES = frozenset(("$and", "$or"))
_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool,), "a truth value"),
    ((int, float, bson.Decimal128), "a number"),
    ((str,), "a text"),
    ((dt.datetime, bson.DatetimeMS), "a date"),
    ((bson.Timestamp,), "a timestamp"),
    ((bson.ObjectId,), "an ObjectId"),
    ((bytes,), "bytes"),
    ((Mapping,), "a document"),
    ((list,), "a list"),
)


class NothingFoundError(SourceError):
    """A query finds none of the documents of a collection; the program ends with 1."""

    exit_code = 1


def check_found(collection: Any, shown: str, query: Mapping[str, Any], warn: Callable[[str], None] | None) -> None:
    """Refuse a query that finds none of the documents of a collection, or warn of it; and say why."""
    sample = list(collection.find().limit(_LOOKED_AT))
    if not sample:
        return
    why = next(filter(None, (_why(name, value, sample) for name, value in _compared(query))), "check its values")
    told = Message(
        "{shown}: the query finds none of {count:,} documents: {why}",
        shown=shown, count=collection.count_documents({}), why=why,
    )  # fmt: skip
    if warn is None:
        raise NothingFoundError(told)
    warn(told)


def _compared(query: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The fields that a query compares, each with a value; what it negates is left out."""
    for name, value in query.items():
        if name in _OF_QUERIES:
            for inner in value:
                yield from _compared(inner, above)
        elif not name.startswith("$"):
            yield from _operands(above + name, value)


def _operands(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not (isinstance(value, Mapping) and value and all(key.startswith("$") for key in value)):
        yield name, value
        return
    for operator, operand in value.items():
        if operator in _COMPARES:
            yield name, operand
        elif operator in _OF_LISTS:
            yield from ((name, one) for one in operand)
        elif operator == "$elemMatch":
            is_of_values = all(key.startswith("$") for key in operand)
            yield from _operands(name, operand) if is_of_values else _compared(operand, f"{name}.")


def _why(name: str, given: Any, sample: Sequence[Mapping[str, Any]]) -> Message | None:
    values = [value for document in sample for value in _values(document, name.split("."))]
    if given is None or _kind(given) is None:
        return None
    if not values:
        near = near_field(name, list(dict.fromkeys(key for document in sample for key in document)))
        hint = "" if near is None else Message("; did you mean {near!r}?", near=near)
        return Message('no document that was looked at has "{name}"{hint}', name=name, hint=hint)
    kinds = {_kind(value) for value in values} - {None}
    if not kinds or _kind(given) in kinds:
        return None
    kind = next(kind for kind in map(_kind, values) if kind is not None and (kind != "a list" or len(kinds) == 1))
    return Message(
        '"{name}" is {kind}, and the query has {given}{advice}',
        name=name, kind=kind, given=_kind(given), advice=_advice(kind, given),
    )  # fmt: skip


def _values(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """The values at a path, through lists as the server goes; a list and its items are values."""
    if isinstance(value, list):
        if not path:
            yield value
        for item in value:
            if path or not isinstance(item, list):
                yield from _values(item, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:])


def _kind(value: Any) -> str | None:
    return next((kind for types, kind in _KINDS if isinstance(value, types)), None)


def _advice(kind: str, given: Any) -> Message | str:
    """How the value is written as one of this type."""
    written: Any = None
    if kind == "a date" and isinstance(given, str):
        time = given if "T" in given else f"{given or '2026-12-01'}T00:00:00Z"
        written = {"$date": time}
    elif kind == "an ObjectId" and isinstance(given, str):
        written = {"$oid": given if bson.ObjectId.is_valid(given) else "0" * 24}
    elif kind == "a text" and isinstance(given, (int, float)):
        written = str(given)
    elif kind == "a number" and isinstance(given, str):
        try:
            written = json.loads(given)
        except ValueError:
            return ""
    return "" if written is None else Message(": write {written}", written=json.dumps(written, ensure_ascii=False))


ID = "$id"
"""The key of the packed `_id` in the spool. No field that can be asked for begins with a dollar."""
_STEPS = re.compile(r"\.(\*|\d+)(\.|$)")
"""What leads into a list in the name of a field."""


def spool_fields(config: DedupConfig) -> dict[str, tuple[str, str]]:
    """Give what the spool has of each document: key -> (field, form); see `_core.Rows.add_documents`."""
    # The core takes the texts out of a list, which it gets with all that it is in.
    texts = (name.partition(".")[0] if _STEPS.search(name) else name for name in config.text_field)
    found = {name: (name, "text") for name in texts}
    for name in keep_fields(config.keep):
        found.setdefault(name, (name, "value"))
    for name in (*config.equal_fields, *config.rule_fields):
        found.setdefault(name, (name, "value"))
    if config.date_field is not None:
        # As a label a date is told from a number.
        found[config.date_field] = (config.date_field, "label")
    label = "_id" if config.id_field == SETTINGS["id_field"].default else config.id_field
    found.setdefault(config.id_field, (label, "label"))
    # The last one: so the bytes before it end with its key.
    return {**found, ID: ("_id", "packed")}


def projection_of(names: Sequence[str]) -> dict[str, int]:
    """Give the projection of fields; of a field and one inside it the outer one alone, as the server demands."""
    for name in names:
        if name.startswith("$") or any(not part or part.startswith("$") for part in name.split(".")):
            raise ConfigError(
                "field {name!r} is no name of MongoDB: no part of it may be empty or begin with a dollar", name=name
            )
    known = {*names, "_id"}
    inner = {name for name in known for outer in known if name.startswith(outer + ".")}
    return {name: 1 for name in (*names, "_id") if name not in inner}
