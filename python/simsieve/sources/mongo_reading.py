"""How a collection is read: ranges of `_id`, the cursors that read them, and what a run directory remembers of them."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.mongo import Address, bson_document, documents_of, value_options, values_of_document

CursorRange = tuple[Any, Any]
"""The first `_id` of a range and the first one after it, each as a document; None where the range has no end."""

_RANGES, _MOST_RANGES = 8, 200
_SAMPLED = 100
_FEW_DOCUMENTS = 20_000
_RANGE_DOCUMENTS = 250_000
"""Documents of a range, of which a run that goes on reads the last ones again."""
_BATCH_DOCUMENTS = 20_000


@dataclass(frozen=True)
class CollectionReader:
    """What is read of a collection.

    Args:
        collection: The collection.
        query: Which documents.
        projection: Which fields.
        limit: How many documents; None reads all.
        has_index: Whether it has an index of `_id`, whose ranges can be read.
    """

    collection: Any
    query: Mapping[str, Any]
    projection: Mapping[str, int]
    limit: int | None
    has_index: bool

    def ranges(self, total: int, *, resumable: bool, since: bytes | None = None) -> list[CursorRange]:
        """Cut a collection into ranges of `_id` of about as many documents each, over all types of `_id`.

        Args:
            total: How many documents there are, about, whatever the query.
            resumable: Make the ranges so short that few documents are read again by a run that goes on.
            since: Cut only after this document; None cuts everywhere.
        """
        if not self.has_index or self.limit is not None or total < _FEW_DOCUMENTS:
            return [(None, None)]
        count = min(max(total // _RANGE_DOCUMENTS, _RANGES), _MOST_RANGES) if resumable else _RANGES
        sampled = self.collection.with_options(codec_options=value_options()).aggregate(
            [{"$sample": {"size": count * _SAMPLED}}, {"$project": {"_id": 1}}, *_after(since), {"$sort": {"_id": 1}}]
        )
        ids = [document["_id"] for document in sampled]
        cuts = [ids[at] for at in range(_SAMPLED, len(ids) - _SAMPLED // 2, _SAMPLED)]
        # Two equal cuts would make a range that the server refuses.
        cuts = [cut for at, cut in enumerate(cuts) if not at or repr(cut) != repr(cuts[at - 1])]
        return _between([{"_id": cut} for cut in cuts])

    def batches(self, part: CursorRange, after: bytes | None, done: int) -> Iterator[bytes]:
        """Read a range in the order of `_id`.

        Args:
            part: The range.
            after: The last document that was read of it, or None; it is not read again.
            done: How many documents were read of it.

        Yields:
            Documents, one after another as the server sends them.
        """
        options: dict[str, Any] = {"sort": [("_id", 1)], "batch_size": _BATCH_DOCUMENTS}
        if self.has_index:
            options["hint"] = [("_id", 1)]
        else:
            options["allow_disk_use"] = True
        least, end = part
        last = None if after is None else _id_of(after)
        bounds = {name: value for name, value in (("min", last or least), ("max", end)) if value is not None}
        if self.limit is not None:
            if done >= self.limit:
                return
            # The last one is sent once more, if it is still there and the query finds it.
            options["limit"] = self.limit - done + (last is not None)
        for sent in self.collection.find_raw_batches(self.query, self.projection, **options, **bounds):
            batch = sent
            if last is not None:
                first, *others = documents_of(batch) or [b""]
                if first and bson_document(_id_of(first)) == bson_document(last):
                    batch = b"".join(others)
                last = None
            if self.limit is not None:
                found = documents_of(batch)[: self.limit - done]
                batch, done = b"".join(found), done + len(found)
            yield batch


class NotedRanges:
    """The ranges of a collection in a run directory: those that are read, and those that are left.

    Args:
        directory: The run directory.
        address: The collection.
        about: What decides which documents are read and how; a run that goes on has the same.
    """

    def __init__(self, directory: _core.RunDirectory, address: Address, about: Mapping[str, Any]) -> None:
        self.directory = directory
        self._name = "read-" + hashlib.blake2b(address.shown.encode(), digest_size=4).hexdigest()
        self._about = json.loads(json.dumps(about, default=str))
        self._shown = address.shown

    def known(self) -> tuple[int, list[CursorRange]] | None:
        """The number of documents and the ranges that were noted; None where none were.

        Raises:
            ConfigError: What is read was another then.
        """
        noted = self.directory.noted(self._name)
        if noted is None:
            return None
        before = json.loads(noted)
        for name, now in self._about.items():
            if before["about"].get(name) != now:
                was = json.dumps(before["about"].get(name), ensure_ascii=False)
                raise ConfigError(
                    f"{self._shown}: {name} was {was} when the run began, and is"
                    f" {json.dumps(now, ensure_ascii=False)} now; go on with what it was, or name another run directory"
                )
        return before["total"], _between([values_of_document(base64.b64decode(cut)) for cut in before["cuts"]])

    def note(self, total: int, ranges: list[CursorRange]) -> None:
        """Note the ranges, before the first is read."""
        cuts = [base64.b64encode(bson_document(end)).decode() for _, end in ranges if end is not None]
        self.directory.note(self._name, json.dumps({"about": self._about, "total": total, "cuts": cuts}))

    def name(self, at: int) -> str:
        """The name of a range's documents in the directory."""
        return f"{self._name}-{at:04}"


def _after(since: bytes | None) -> list[dict[str, Any]]:
    """The stage that lets only `_id`s through that follow one, of whatever type they are."""
    if since is None:
        return []
    return [{"$match": {"$expr": {"$gt": ["$_id", {"$literal": _id_of(since)["_id"]}]}}}]


def _between(ends: list[Any]) -> list[CursorRange]:
    return list(zip([None, *ends], [*ends, None], strict=True))


def _id_of(document: bytes) -> dict[str, Any]:
    return {"_id": values_of_document(document)["_id"]}
