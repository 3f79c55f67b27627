"""How a collection is read: ranges of `_id`, the pages of a range, and what a run directory remembers of them."""

import base64
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bson.max_key import MaxKey
from bson.raw_bson import DEFAULT_RAW_BSON_OPTIONS
from pymongo import errors

from simsieve import _core
from simsieve.checks import check_same
from simsieve.messages import Message
from simsieve.stores.mongo.client import Address, Retry
from simsieve.stores.mongo.values import bson_document, one_of, value_options, values_of_document

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
    """What is read of a collection."""

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
