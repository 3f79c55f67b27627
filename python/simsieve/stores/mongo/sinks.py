"""Collections of MongoDB as sinks: the kept documents, marks in the documents themselves, and the decisions.

Each is a sink as `simsieve.sinks.base` has them, of all records. What it writes names its run, so that the run can be
undone; see `simsieve.stores.mongo.run`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pymongo import errors

from simsieve import _core
from simsieve.bits import decimal_fingerprint
from simsieve.config.checks import RUN_FIELD
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.sinks.base import Rows
from simsieve.sinks.fields import Written, renamed
from simsieve.stores.mongo.client import RUNS, Address, Retry, connect, sink_errors
from simsieve.stores.mongo.source import CollectionSource, refuse_copies
from simsieve.stores.mongo.values import bson_document, elements_of, extended, may_have, raw_document, with_elements

How = Literal["new", "append", "replace"]
"""What a target may be: a new collection, one that is added to, or one that is replaced."""


def check_target(
    source: CollectionSource, address: Address, how: How, *, run: str | None = None, resume: bool = False
) -> None:
    """Check that a collection may be the target of a run."""
    shown = address.shown
    if source.kind == "time-series collection":
        raise ConfigError(
            "{shown}: documents of a time-series collection have no unique _id, so they are not copied; give a file "
            "for the decisions",
            shown=source.address.shown,
        )
    if source.address.namespace == address.namespace and source.address.hosts == address.hosts:
        raise ConfigError(
            "{shown} is the source too: give another collection, or mark its documents with {`mark`}", shown=shown
        )
    if source.repeated_id is not None:
        refuse_copies(source)
    with connect(address) as client, sink_errors(address, "write the target"):
        info = list(client[address.database].list_collections(filter={"name": address.collection}))
        target = {"kind": "target", "collection": address.collection, "how": "new"}
        mine = {"state": {"$ne": "undone"}, "writes": {"$elemMatch": target}} | ({} if run is None else {"_id": run})
        is_mine = resume and client[address.database][RUNS].find_one(mine) is not None
    if info and info[0].get("options", {}).get("capped"):
        raise ConfigError(
            "{shown} is a capped collection, from which the server removes documents to make room; name another "
            "collection",
            shown=shown,
        )
    if info and info[0]["type"] != "collection":
        raise ConfigError(
            "{shown} is a {info}, which takes no documents; name another collection", shown=shown, info=info[0]["type"]
        )
    if info and how == "new" and not is_mine:
        raise ConfigError(
            "{shown} is there already: give {`append`} to add to it, {`replace`}, or another name", shown=shown
        )


def check_markable(source: CollectionSource, field: str, run: str | None = None) -> None:
    """Check that documents may be marked: of a collection that an index follows, those that came in since."""
    shown = source.address.shown
    if source.kind != "collection":
        raise ConfigError("{shown} is a {kind}, whose documents cannot be marked", shown=shown, kind=source.kind)
    mine = {f"{field}.run": {"$type": "string"} if run is None else run}
    later = [] if source.since_place is None else [source.since_place.after()]
    with sink_errors(source.address, "read"):
        other = source.collection.find_one({"$and": [{field: {"$exists": True}, "$nor": [mine]}, *later]}, {field: 1})
    if other is not None:
        value = other[field]
        before = value.get("run") if isinstance(value, Mapping) else None
        there = (
            Message("the mark of run {before}: undo that run", before=before)
            if isinstance(before, str)
            else "a value: keep it"
        )
        raise ConfigError(
            "{shown}: the document {extended} has in field {field!r} {there}, or give another field",
            shown=shown, extended=extended(other["_id"]), field=field, there=there,
        )  # fmt: skip


@dataclass(frozen=True)
class RunOutcome:
    """What a run decided, as the sinks of its databases need it."""

    run: str
    columns: _core.Decisions
    documents: _core.Documents
    digest: str
    width: int
    source: CollectionSource | None
    written: Written
    resume: bool = False
    warn: Callable[[str], None] | None = None

    @property
    def total(self) -> int:
        """How many records were decided on."""
        return len(self.columns)

    @cached_property
    def decision(self) -> NDArray[np.uint8]:
        """The codes of the decisions; the core would copy the column at each call."""
        return self.columns.decision

    def decisions(self, positions: Sequence[int]) -> list[bytes]:
        """Give decisions as documents of BSON; the positions ascend."""
        packed_id = None if self.source is None else self.source.packed_id
        return self.columns.documents(positions, self.run, packed_id)


_WRITERS = 2
_DUPLICATE_KEY = 11000
_WRITES = {"insert": "documents", "update": "updates"}
_MESSAGE_BYTES = 16 << 20
"""A server takes messages of 48 MB, and documents of 16 MB."""


Write = Callable[[Sequence[Any], int], Mapping[str, int]]
"""Writes a batch after this many failures, which may each have written a part; returns the counts of its writes."""


class CollectionSink:
    """What all sinks of a collection do: they send batches in threads, count, and go on after an earlier attempt."""

    def __init__(self, address: Address, retry: Retry, doing: str, counts: Mapping[str, int]) -> None:
        self.address, self.retry = address, retry
        self.through = 0
        """The position up to which everything is written."""
        self.counts = dict(counts)
        """What was done up to there."""
        self.goes_on = False
        """Whether an earlier attempt may have written some of the following documents."""
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
        """Send no more, and wait for the writes under way."""
        self.retry.stopped.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        self._waiting.clear()
        self.retry.stopped.clear()


def write_batch(collection: Any, command: str, documents: Sequence[bytes]) -> dict[str, int]:
    """Send a batch of writes; the others are carried out where one is refused."""
    # pymongo would number the writes, so that it may send them again once. Updates without numbers took the server less
    # time in each of five trials. Here `Retry` sends a batch again.
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


KEPT = 0
_ROWS = 5_000
_GONE = 26


class TargetSink(CollectionSink):
    """The kept documents, in a collection."""

    def __init__(self, address: Address, how: How, fields: Sequence[str] | None, outcome: RunOutcome) -> None:
        if outcome.source is None:
            raise ConfigError(
                "{shown}: only documents of a collection are kept there, and the source is none; give a file",
                shown=address.shown,
            )
        client = connect(address, self)
        retry = Retry(address, client, outcome.warn)
        # Documents written; left out since they changed after they were read; and those that the target had.
        super().__init__(address, retry, "write the target", {"written": 0, "changed": 0, "present": 0})
        self.how, self._fields, self._outcome = how, fields, outcome
        self._source = outcome.source
        self._database = client[address.database]
        self._name = address.collection if how == "append" else f"simsieve_new_{outcome.run}"
        self._written = self._database[self._name]
        self._is_placed = False
        self._about = RunField(outcome)

    def check(self) -> None:
        """Check that the target may be written; see `check_target`."""
        check_target(self._source, self.address, self.how, run=self._outcome.run, resume=self._outcome.resume)

    def begin(self) -> None:
        """Make the collection beside the target that takes the documents, or find that of an earlier attempt."""
        if self.how != "append":
            self.asked(self._begin)

    def _begin(self, _failures: int) -> None:
        if self.goes_on:
            there = set(self._database.list_collection_names())
            if self._name in there:
                return
            # Between the renaming and the note of it the earlier attempt may have been killed.
            if self.address.collection in there and self.through == self._outcome.total:
                self._is_placed = True
                return
            self.through, self.goes_on = 0, False
            self.counts = dict.fromkeys(self.counts, 0)
        # What a run that was killed has left.
        self._written.drop()
        self._database.create_collection(self._name)

    def write(self, batch: Rows, /) -> None:
        """Write the kept documents among records."""
        decisions = self._outcome.decision[batch.first : batch.first + len(batch.wanted)]
        kept = Rows(batch.first, batch.wanted & (decisions == KEPT)).positions
        for positions, documents in self._source.unchanged(kept, whole=True):
            fingerprints = self._outcome.written.fingerprints(positions)
            made = [
                self._made(position, document, fingerprint)
                for position, document, fingerprint in zip(positions, documents, fingerprints, strict=True)
                if document is not None
            ]
            self.send(positions[-1] + 1, made, self._insert, changed=len(positions) - len(made))
        self.send(batch.first + len(batch.wanted))

    def _insert(self, documents: Sequence[bytes], failures: int) -> dict[str, int]:
        again = failures > 0 or self.goes_on
        there = insert(self._written, documents, may_be_there=again or self.how == "append")
        present = len(there)
        if there and again:
            # An earlier attempt has written those that are of this run.
            mine = {"_id": {"$in": there}, f"{RUN_FIELD}.run": self._outcome.run}
            present -= self._written.count_documents(mine)
        return {"present": present, "written": len(documents) - present}

    def _made(self, position: int, document: bytes, fingerprint: str | None) -> bytes:
        """The document with its fingerprint, scheme and run."""
        if self._fields is not None:
            about = self._about.document(fingerprint)
            return bson_document(self._renamed(position, raw_document(document), fingerprint) | about)
        if may_have(document, RUN_FIELD) and RUN_FIELD in (fields := raw_document(document)):
            # Of a run before, such as the one that made the source.
            return bson_document(dict(fields) | self._about.document(fingerprint))
        return with_elements(document, self._about.elements(fingerprint))

    def _renamed(self, position: int, document: Any, fingerprint: str | None) -> dict[str, Any]:
        of = self._outcome.written.of(position) | {"@fingerprint": lambda: fingerprint}
        return {"_id": document["_id"]} | renamed(self._fields or (), document, of)

    def commit(self) -> None:
        """Put the documents in their place at once."""
        self.finish()
        if self.how != "append" and not self._is_placed:
            self.asked(self._place)

    def _place(self, failures: int) -> None:
        try:
            self._written.rename(self.address.collection, dropTarget=self.how == "replace")
        except errors.OperationFailure as error:
            # The first attempt was carried out, and its answer was lost.
            if not failures or error.code != _GONE:
                raise

    def abort(self) -> None:
        """Take back what was written."""
        self.stop()
        with sink_errors(self.address, "drop the target"):
            if self.how == "append":
                self._written.delete_many({f"{RUN_FIELD}.run": self._outcome.run})
            else:
                self._written.drop()


class RunField:
    """The field of a written document that names its fingerprint, scheme and run."""

    def __init__(self, outcome: RunOutcome) -> None:
        self._outcome = outcome
        # All fingerprints are equally long, so only their digits differ between documents.
        zeros = decimal_fingerprint(0, outcome.width)
        self._before, _, self._after = elements_of(self.document(zeros)).partition(zeros.encode())
        self._without = elements_of(self.document(None))

    def document(self, fingerprint: str | None) -> dict[str, Any]:
        """The field in a document of its own."""
        outcome = self._outcome
        return {RUN_FIELD: {"fingerprint": fingerprint, "scheme": outcome.digest, "run": outcome.run}}

    def elements(self, fingerprint: str | None) -> bytes:
        """The field as BSON."""
        return self._without if fingerprint is None else self._before + fingerprint.encode() + self._after


class MarkSink(CollectionSink):
    """Marks: what was decided about each document, in a field of the document itself."""

    def __init__(self, field: str, outcome: RunOutcome, *, apply: bool) -> None:
        if outcome.source is None:
            raise ConfigError(
                "marks go to the documents of a collection of MongoDB, and the source is none: leave mark out"
            )
        # Documents marked; those that had the mark; changed since they were read; and those whose field is in use.
        counts = {"marked": 0, "same": 0, "changed": 0, "taken": 0}
        super().__init__(outcome.source.address, outcome.source.retry, "write marks", counts)
        self.field, self.apply, self._outcome, self._source = field, apply, outcome, outcome.source

    def check(self) -> None:
        """Check that the documents may be marked; see `check_markable`."""
        check_markable(self._source, self.field, self._outcome.run)

    def write(self, batch: Rows, /) -> None:
        """Write the marks of records, or count them."""
        positions = batch.positions
        if not self.apply:
            self.send(batch.first + len(batch.wanted), marked=len(positions))
            return
        for at, documents in self._source.unchanged(positions, whole=False, field=self.field):
            there = [(one, found) for one, found in zip(at, documents, strict=True) if found is not None]
            free = [one for one, found in there if self._is_free(found)]
            counts = {"changed": len(at) - len(there), "taken": len(there) - len(free)}
            self.send(at[-1] + 1, free, self._update, **counts)

    def _is_free(self, document: bytes) -> bool:
        """Whether a document has nothing in the field, or a mark of this run."""
        if not may_have(document, self.field) or self.field not in (fields := raw_document(document)):
            return True
        value = fields[self.field]
        return isinstance(value, Mapping) and value.get("run") == self._outcome.run

    def _update(self, positions: Sequence[int], failures: int) -> dict[str, int]:
        # By `_id` alone: what else a command asks for makes it four times slower.
        packed_id, outcome = self._source.packed_id, self._outcome
        updates = outcome.columns.mark_updates(positions, outcome.run, packed_id, self.field)
        done = write_batch(self._source.collection, "update", updates)
        there = done["n"]
        # Which of them an attempt had marked whose answer was lost, nobody knows.
        marked = there if failures else done["nModified"]
        return {"marked": marked, "same": there - marked, "changed": len(positions) - there}

    def abort(self) -> None:
        """Take the marks of the run away."""
        self.stop()
        if self.apply:
            with sink_errors(self.address, "remove marks"):
                self._source.collection.update_many(
                    {f"{self.field}.run": self._outcome.run}, {"$unset": {self.field: ""}}
                )


class DecisionsSink(CollectionSink):
    """What was decided about each record, a document each, with indexes."""

    def __init__(self, address: Address, outcome: RunOutcome) -> None:
        client = connect(address, self)
        retry = Retry(address, client, outcome.warn)
        super().__init__(address, retry, "write decisions", {"decisions": 0})
        self._outcome = outcome
        self._collection = client[address.database][address.collection]

    def check(self) -> None:
        """Check that the collection takes documents."""
        with sink_errors(self.address, "write decisions"):
            info = list(self._collection.database.list_collections(filter={"name": self.address.collection}))
        kind = "capped collection" if info and info[0].get("options", {}).get("capped") else info and info[0]["type"]
        if info and kind != "collection":
            raise ConfigError(
                "{shown} is a {info}, which takes no decisions; give another name", shown=self.address.shown, info=kind
            )

    def begin(self) -> None:
        """Make the indexes, and remove what an earlier attempt of the same run has left."""
        self.asked(self._begin)

    def _begin(self, _failures: int) -> None:
        for name in ("document", "representative", "decision"):
            self._collection.create_index([("run", 1), (name, 1)])
        if not self.goes_on:
            self._collection.delete_many({"run": self._outcome.run})

    def write(self, batch: Rows, /) -> None:
        """Write the decisions on records."""
        positions = batch.positions
        for start in range(0, len(positions), _ROWS):
            part = positions[start : start + _ROWS]
            self.send(part[-1] + 1, self._outcome.decisions(part), self._insert)

    def _insert(self, rows: Sequence[bytes], failures: int) -> dict[str, int]:
        insert(self._collection, rows, may_be_there=failures > 0 or self.goes_on)
        return {"decisions": len(rows)}

    def abort(self) -> None:
        """Remove the decisions of the run."""
        self.stop()
        with sink_errors(self.address, "remove decisions"):
            self._collection.delete_many({"run": self._outcome.run})


Collected = TargetSink | MarkSink | DecisionsSink
