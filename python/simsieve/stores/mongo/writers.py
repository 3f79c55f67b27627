"""Writing to MongoDB: batches on their way in threads, and batches that are written once more after an outage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from pymongo import errors

from simsieve.stores.mongo.client import Address, Retry, sink_errors
from simsieve.stores.mongo.values import raw_document

_WRITERS = 2
_DUPLICATE_KEY = 11000
_WRITES = {"insert": "documents", "update": "updates"}
_MESSAGE_BYTES = 16 << 20
"""A server takes messages of 48 MB, and documents of 16 MB."""


Write = Callable[[Sequence[Any], int], Mapping[str, int]]
"""Writes a batch after this many failures, each of which may have written a part; returns what was done, in counts."""


class CollectionSink:
    """What all sinks of a collection do: they send batches in threads, count, and go on after an earlier attempt."""

    def __init__(self, address: Address, retry: Retry, doing: str, counts: Mapping[str, int]) -> None:
        self.address, self.retry = address, retry
        self.through = 0
        """The position up to which everything is written."""
        self.counts = dict(counts)
        """What was done up to there."""
        self.goes_on = False
        """Whether an earlier attempt may have written some of what follows."""
        self._doing = doing
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: list[tuple[int, Mapping[str, int], Future[Mapping[str, int]] | None]] = []

    def go_on(self, counts: Mapping[str, int], through: int) -> None:
        """Go on from what an earlier attempt of the run has written."""
        self.counts.update(counts)
        self.through, self.goes_on = through, True

    def begin(self) -> None:
        """Do nothing; a sink that makes something first has its own."""

    def commit(self) -> None:
        """Wait until everything is written."""
        self.finish()

    def asked(self, work: Callable[[int], None]) -> None:
        """Do something at the server that may be done twice."""
        with sink_errors(self.address, self._doing):
            self.retry(self._doing, work)

    def send(self, end: int, batch: Sequence[Any] = (), write: Write | None = None, **counts: int) -> None:
        """Send a batch; where too many are on their way, wait."""
        self._pool = self._pool or ThreadPoolExecutor(_WRITERS)
        sent = None
        if batch and write is not None:
            sent = self._pool.submit(self.retry, self._doing, partial(write, batch))
        self._waiting.append((end, counts, sent))
        self.finish(2 * _WRITERS)

    def finish(self, most: int = 0) -> None:
        """Wait until at most a number of batches are on their way."""
        while len(self._waiting) > most:
            end, counts, sent = self._waiting[0]
            with sink_errors(self.address, self._doing):
                done = {} if sent is None else sent.result()
            for one in (counts, done):
                for name, count in one.items():
                    self.counts[name] += count
            self.through = max(self.through, end)
            self._waiting.pop(0)

    def stop(self) -> None:
        """Send no more, and wait for what is on its way."""
        self.retry.stopped.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        self._waiting.clear()
        self.retry.stopped.clear()


def write_batch(collection: Any, command: str, documents: Sequence[bytes]) -> dict[str, int]:
    """Send a batch of writes; the others are carried out where one is refused.

    pymongo would number the writes, so that it may send them again once. Updates without numbers took the server less
    time in each of five trials. Here `Retry` sends a batch again.
    """
    counts = {"n": 0, "nModified": 0}
    refused: list[Any] = []
    lacking: list[Any] = []
    for part in _messages(documents):
        sent = {command: collection.name, _WRITES[command]: [raw_document(one) for one in part], "ordered": False}
        if not collection.write_concern.is_server_default:
            sent["writeConcern"] = collection.write_concern.document
        done = collection.database.command(sent)
        for name in counts:
            counts[name] += done.get(name, 0)
        refused += done.get("writeErrors", ())
        lacking += [done["writeConcernError"]] if "writeConcernError" in done else []
    if refused or lacking:
        found = {"writeErrors": refused, "writeConcernErrors": lacking}
        raise errors.BulkWriteError(found)
    return counts


def _messages(documents: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Cut a batch into parts that a message has room for."""
    start = size = 0
    for at, document in enumerate(documents):
        if at > start and size + len(document) > _MESSAGE_BYTES:
            yield documents[start:at]
            start, size = at, 0
        size += len(document)
    yield documents[start:]


def insert(collection: Any, documents: Sequence[bytes], *, may_be_there: bool) -> list[Any]:
    """Insert documents; some may be there already."""
    try:
        write_batch(collection, "insert", documents)
    except errors.BulkWriteError as error:
        refused = error.details["writeErrors"]
        if not may_be_there or error.details["writeConcernErrors"] or not all(map(_has_id, refused)):
            raise
        return [one["keyValue"]["_id"] for one in refused]
    return []


def _has_id(error: Mapping[str, Any]) -> bool:
    return error.get("code") == _DUPLICATE_KEY and list(error.get("keyPattern", {})) == ["_id"]
