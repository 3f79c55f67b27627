"""How a collection is read: ranges of `_id`, the fields that are asked for, and why a query finds none."""

import base64
import datetime as dt
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bson
from bson.max_key import MaxKey
from bson.raw_bson import DEFAULT_RAW_BSON_OPTIONS
from pymongo import errors

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.checks import keep_fields
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, SourceError
from simsieve.messages import Message
from simsieve.sources.fields import near_field
from simsieve.stores.mongo.client import Address, Retry
from simsieve.stores.mongo.values import bson_document, one_of, value_options, values_of_document

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


CursorRange = tuple[Any, Any]
"""The first `_id` of a range and the first one after it, each as a document; None where the range has no end."""

_RANGES, _MOST_RANGES = 8, 200
_SAMPLED = 100
_FEW_DOCUMENTS = 20_000
_RANGE_DOCUMENTS = 250_000
"""Documents of a range; a run that goes on reads the last ones again."""
_PAGE_DOCUMENTS = 20_000


@dataclass(frozen=True)
class CollectionReader:
    """The documents that are read of a collection."""

    collection: Any
    query: Mapping[str, Any]
    projection: Mapping[str, int]
    limit: int | None
    has_index: bool
    fields: Sequence[tuple[str, str]]
    retry: Retry

    def ranges(self, total: int, *, resumable: bool) -> list[CursorRange]:
        """Cut a collection into ranges of `_id` of about as many documents each, over all types of `_id`."""
        if not self.has_index or self.limit is not None or total < _FEW_DOCUMENTS:
            return [(None, None)]
        count = min(max(total // _RANGE_DOCUMENTS, _RANGES), _MOST_RANGES) if resumable else _RANGES
        sampled = self.collection.with_options(codec_options=value_options()).aggregate(
            [{"$sample": {"size": count * _SAMPLED}}, {"$project": {"_id": 1}}, {"$sort": {"_id": 1}}]
        )
        ids = [document["_id"] for document in sampled]
        cuts = [ids[at] for at in range(_SAMPLED, len(ids) - _SAMPLED // 2, _SAMPLED)]
        # Two equal cuts would make a range that the server refuses.
        cuts = [cut for at, cut in enumerate(cuts) if not at or repr(cut) != repr(cuts[at - 1])]
        return _between([{"_id": cut} for cut in cuts])

    def read_range(self, rows: _core.Rows, part: CursorRange, count: Callable[[_core.Rows], None]) -> None:
        """Read a range in the order of `_id`, a page at a time."""
        # A page is a request of its own: no cursor is lost with a connection, and any server may answer. pymongo's
        # cursors would make an object of each raw document, which takes a fifth of the time.
        attempts = self.retry.attempts("read")
        most = sys.maxsize if self.limit is None else self.limit
        after: bytes | None = None
        is_again = False
        while (left := most - len(rows)) > 0 and not self.retry.stopped.is_set():
            last_id = None if after is None else _id_of(after)
            if last_id is not None and isinstance(last_id["_id"], MaxKey):
                # A server refuses the range after the greatest value that there is.
                return
            try:
                page = self._page(part, last_id, left, is_again=is_again)
            except errors.PyMongoError as error:
                attempts.failed(error)
                continue
            attempts.worked()
            added, last = rows.add_page(page, self.fields, after, left)
            if added:
                count(rows)
                after, is_again = last, True
            elif is_again:
                # The last document alone came once more. It may be so long that no other had room in the page.
                is_again = False
            else:
                return

    def _page(self, part: CursorRange, last: Mapping[str, Any] | None, left: int, *, is_again: bool) -> bytes:
        """Ask for a page after the document of an `_id`, which comes once more where `is_again` says so."""
        least, end = part
        collection = self.collection
        command: dict[str, Any] = {
            "find": collection.name,
            "filter": self.query,
            "projection": self.projection,
            "sort": {"_id": 1},
            "hint": {"_id": 1},
            "batchSize": _PAGE_DOCUMENTS,
            "singleBatch": True,
        }
        command |= {name: value for name, value in (("min", last or least), ("max", end)) if value is not None}
        if last is not None and not is_again:
            command["filter"] = {"$and": [self.query, {"_id": {"$ne": last["_id"]}}]}
        if self.limit is not None:
            command["limit"] = left + is_again
        return _asked(collection, command)

    def read_all(self, begin: Callable[[], _core.Rows], count: Callable[[_core.Rows], None]) -> _core.Rows:
        """Read a collection without an index of `_id`; after an error it is read again from its beginning."""
        attempts = self.retry.attempts("read")
        while True:
            rows = begin()
            try:
                for batch in self._batches():
                    rows.add_documents(batch, self.fields)
                    count(rows)
                    if self.retry.stopped.is_set():
                        break
            except errors.PyMongoError as error:
                attempts.failed(error)
            else:
                return rows

    def _batches(self) -> Iterator[bytes]:
        # The server sorts for want of an index.
        options: dict[str, Any] = {"sort": [("_id", 1)], "batch_size": _PAGE_DOCUMENTS, "allow_disk_use": True}
        sent: Iterator[bytes] = self.collection.find_raw_batches(
            self.query, self.projection, limit=self.limit or 0, **options
        )
        return sent


class NotedRanges:
    """The ranges of a collection in a run directory: those that are read, and those that are left."""

    def __init__(self, directory: _core.RunDirectory, address: Address, about: Mapping[str, Any]) -> None:
        self.directory = directory
        self._name = "read-" + hashlib.blake2b(address.shown.encode(), digest_size=4).hexdigest()
        self._about = json.loads(json.dumps(about, default=str))

    def known(self) -> tuple[int, list[CursorRange]] | None:
        """The number of documents and the ranges; None where nothing was noted."""
        noted = self.directory.noted(self._name)
        if noted is None:
            return None
        before = json.loads(noted)
        of = Message("the run in {path}", path=self.directory.path)
        for name, now in self._about.items():
            was = before["about"].get(name)
            check_same(name, was, now, of, Message("give the same, or name another run directory"))
        cuts = [values_of_document(base64.b64decode(cut)) for cut in before["cuts"]]
        return before["total"], _between(cuts)

    def note(self, total: int, ranges: list[CursorRange]) -> None:
        """Note them, before the first range is read; see `known`."""
        cuts = [_packed(end) for _, end in ranges if end is not None]
        found = {"about": self._about, "total": total, "cuts": cuts}
        self.directory.note(self._name, json.dumps(found))

    def name(self, at: int) -> str:
        """The name of a range's documents in the directory."""
        return f"{self._name}-{at:04}"


def documents_of(collection: Any, ids: bytes, count: int, projection: Mapping[str, int] | None) -> bytes | None:
    """Ask for documents by `_id`."""
    # A cursor of pymongo would make an object of each document.
    command = {"find": collection.name, "filter": one_of("_id", ids), "batchSize": count + 1}
    if projection is not None:
        command["projection"] = projection
    reply = _asked(collection, command)
    left = _core.cursor_number(reply)
    if left:
        collection.database.command("killCursors", collection.name, cursors=[left])
    return None if left else reply


def all_of(collection: Any, ids: bytes, projection: Mapping[str, int] | None) -> list[bytes]:
    """Ask for all documents of `_id`s that several have, as replies of one document each."""
    raw = collection.with_options(codec_options=DEFAULT_RAW_BSON_OPTIONS)
    return [bson_document({"firstBatch": [document]}) for document in raw.find(one_of("_id", ids), projection)]


def _asked(collection: Any, command: dict[str, Any]) -> bytes:
    """Send a command that reads, and give the document of its cursor."""
    if collection.read_concern.level is not None:
        command["readConcern"] = collection.read_concern.document
    preference = collection.read_preference
    # The documents in the reply stay bytes.
    reply = collection.database.command(command, read_preference=preference, codec_options=DEFAULT_RAW_BSON_OPTIONS)
    return bytes(reply["cursor"].raw)


def _packed(document: Mapping[str, Any]) -> str:
    return base64.b64encode(bson_document(document)).decode()


def _between(ends: list[Any]) -> list[CursorRange]:
    return list(zip([None, *ends], [*ends, None], strict=True))


def _id_of(document: bytes) -> dict[str, Any]:
    return {"_id": values_of_document(document)["_id"]}
