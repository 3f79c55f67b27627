"""Documents of MongoDB as the bytes in which a server sends them, and the values in them.

Most documents of a run are sent on as they came: nothing of them is decoded.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bson
from bson import codec_options, json_util, raw_bson

from simsieve.errors import ConfigError


def value_options() -> Any:
    """The codec options under which every value can be sent back as it was: times beyond Python's, any UUID."""
    return codec_options.CodecOptions(
        document_class=dict, tz_aware=True, datetime_conversion=codec_options.DatetimeConversion.DATETIME_MS
    )


def raw_document(document: bytes) -> Any:
    """Give a document that decodes a field when it is asked for, and is sent as it is."""
    return raw_bson.RawBSONDocument(document)


def one_of(field: str, array: bytes) -> Any:
    """Give the query for documents whose field has one of the values of an array of BSON; none is decoded."""
    values = _inner(b"\x04$in\0" + array)
    return raw_document(_inner(b"\x03" + field.encode() + b"\0" + values))


def _inner(elements: bytes) -> bytes:
    """A document of BSON that has these elements."""
    return (len(elements) + 5).to_bytes(4, "little") + elements + b"\0"


def with_elements(document: bytes, elements: bytes) -> bytes:
    """Add elements to a document; nothing is decoded."""
    return b"".join(((len(document) + len(elements)).to_bytes(4, "little"), document[4:-1], elements, b"\0"))


def elements_of(document: Mapping[str, Any]) -> bytes:
    """Encode a document, and give its elements alone."""
    return bson_document(document)[4:-1]


def may_have(document: bytes, field: str) -> bool:
    """Say, without decoding a document, whether it may have a field; its values may hold the same bytes."""
    return field.encode() + b"\0" in document


def bson_document(value: Any) -> bytes:
    """Encode a document."""
    encoded: bytes = bson.encode(value)
    return encoded


def values_of_document(document: bytes) -> dict[str, Any]:
    """Decode a document; every value can be sent back as it was."""
    found: dict[str, Any] = bson.decode(document, value_options())
    return found


def values_of(array: bytes) -> list[Any]:
    """Give the values of an array of BSON, each of the type that it has there."""
    return list(bson.decode(array, value_options()).values())


def extended(value: Any) -> str:
    """Write a value as canonical extended JSON."""
    written: str = json_util.dumps(value, json_options=json_util.CANONICAL_JSON_OPTIONS, ensure_ascii=False)
    return written


@dataclass(frozen=True)
class FieldPlace:
    """A place in the order of a field; documents of one value are in the order of `_id`.

    The server compares values of all types, so a place divides a collection in two, whatever its documents hold. A
    document without the field is before every place.
    """

    field: str
    value: Any
    id: Any

    def after(self) -> dict[str, Any]:
        """The query for documents after this place."""
        # The first condition alone is one for which the server uses an index of the field.
        return {"$and": [{"$expr": self._compared("$gte")}, {"$expr": self._ordered("$gt", "$gt")}]}

    def until(self) -> dict[str, Any]:
        """The query for the document of this place, and those before it."""
        return {"$expr": self._ordered("$lt", "$lte")}

    def _ordered(self, of_value: str, of_id: str) -> dict[str, Any]:
        id_ = {of_id: ["$_id", {"$literal": self.id}]}
        return {"$or": [self._compared(of_value), {"$and": [self._compared("$eq"), id_]}]}

    def _compared(self, operator: str) -> dict[str, Any]:
        return {operator: [f"${self.field}", {"$literal": self.value}]}

    def described(self) -> dict[str, Any]:
        """The place as a document, for the run's document and the run directory."""
        return {"field": self.field, "value": self.value, "_id": self.id}

    def packed(self, **more: Any) -> str:
        """The place as a text, from which every type comes back."""
        return base64.b64encode(bson_document(self.described() | more)).decode()

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> "FieldPlace":
        """Make a place from the values that `described` gave."""
        return cls(described["field"], described["value"], described["_id"])


def check_values(collection: Any, field: str, shown: str) -> str | None:
    """Check that the documents can be ordered by a field."""
    collection = collection.with_options(codec_options=value_options())
    found = collection.find_one({field: {"$type": "array"}}, {"_id": 1})
    if found is not None:
        raise ConfigError(
            "{shown}: the document {extended} has a list in field {field!r}, which has no place in the order of "
            "values: name a field with one value by {@since_field}",
            shown=shown, extended=extended(found["_id"]), field=field,
        )  # fmt: skip
    found = collection.find_one({field: None}, {"_id": 1})
    return None if found is None else extended(found["_id"])


_NUMBERS = {"int", "long", "double", "decimal"}


def types_of_ends(collection: Any, field: str) -> tuple[str, str] | None:
    """Give the types of the least and the greatest value of a field; None where they are one: so are all between."""
    ends = []
    for order in (1, -1):
        steps = [
            {"$match": {field: {"$ne": None}}},
            {"$sort": {field: order}},
            {"$limit": 1},
            {"$project": {"_id": 0, "type": {"$type": f"${field}"}}},
        ]
        ends += [found["type"] for found in collection.aggregate(steps, allowDiskUse=True)]
    names = ["number" if name in _NUMBERS else name for name in ends]
    return (names[0], names[-1]) if len(set(names)) > 1 else None


def last_place(collection: Any, field: str, shown: str, since: FieldPlace | None) -> FieldPlace | None:
    """Give the place of the last document in the order of a field."""
    collection = collection.with_options(codec_options=value_options())
    query = {} if since is None else since.after()
    greatest = collection.find_one(query, sort=[(field, -1)], projection={field: 1})
    if greatest is None:
        return since
    value = _inside(greatest, field)
    if value is None:
        raise ConfigError(
            "{shown}: no document has a value in field {field!r}: name the field by which documents came in with "
            "{@since_field}",
            shown=shown, field=field,
        )  # fmt: skip
    equal = {"$expr": {"$eq": [f"${field}", {"$literal": value}]}}
    last = collection.find_one(equal, {"_id": 1}, sort=[("_id", -1)])
    # It may have changed meanwhile; then the one that was found first is the last.
    return FieldPlace(field, value, (last or greatest)["_id"])


def _inside(document: Mapping[str, Any], field: str) -> Any:
    found: Any = document
    for part in field.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
