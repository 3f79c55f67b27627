"""The order of documents by a field, such as the time at which they came in: what a run has read, and what follows."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simsieve.errors import ConfigError
from simsieve.stores.mongo.values import bson_document, extended, value_options


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
        """Make a place of what `described` gave."""
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
