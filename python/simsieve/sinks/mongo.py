"""Collections of MongoDB as sinks: the kept documents, marks in the documents themselves, and the decisions.

Each is a sink as `simsieve.sinks.base` has them, of all records. What it writes names its run, so that the run can be
undone; see `simsieve.sinks.mongo_runs`.
"""

import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal

from simsieve.config.collection import RUN_FIELD
from simsieve.errors import ConfigError
from simsieve.mongo import Address, connect, extended, may_have, raw_document, sink_errors
from simsieve.optional import mongo
from simsieve.sinks.base import Rows
from simsieve.sinks.mongo_outcome import CollectionDocuments, RunOutcome, decision_rows

How = Literal["new", "append", "replace"]
"""What a target may be: a new collection, one that is added to, or one that is replaced."""

KEPT = 0
"""The code of a kept record in the core's column."""
_ROWS = 5_000
_WRITERS = 2
_DUPLICATE_KEY = 11000


class _Writers:
    """Threads that send batches while the next one is made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        """Held while the counts change that the threads share."""
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: list[Future[None]] = []

    def send(self, write: Callable[[Sequence[Any]], None], batch: Sequence[Any]) -> None:
        """Send a batch; where too many are on their way, wait."""
        if batch:
            self._pool = self._pool or ThreadPoolExecutor(_WRITERS)
            self._waiting.append(self._pool.submit(write, batch))
        self.finish(2 * _WRITERS)

    def finish(self, most: int = 0) -> None:
        """Wait until at most so many batches are on their way."""
        while len(self._waiting) > most:
            self._waiting.pop(0).result()

    def stop(self) -> None:
        """Send no more, and wait for what is on its way."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._waiting.clear()


class TargetSink:
    """The kept documents, in a collection.

    Args:
        address: The target.
        how: Whether it is new, is added to or is replaced.
        fields: What of each document is written, as the setting `fields` has it; None writes whole documents.
        outcome: What was decided.
    """

    def __init__(self, address: Address, how: How, fields: Sequence[str] | None, outcome: RunOutcome) -> None:
        if outcome.source is None:
            raise ConfigError(
                f"{address.shown}: only documents of a collection are kept there, and the source is none; give a file"
            )
        self.address, self.how, self._fields, self._outcome = address, how, fields, outcome
        self._source = outcome.source
        self._database = connect(address, self)[address.database]
        self._name = address.collection if how == "append" else f"simsieve_new_{outcome.run}"
        self._written = self._database[self._name]
        self.counts = {"written": 0, "changed": 0, "present": 0}
        """Documents written; left out since they changed after they were read; and those that the target had."""
        self._writers = _Writers()

    def check(self) -> None:
        """Check that the target may be written; see `check_target`."""
        check_target(self._source, self.address, self.how)

    def begin(self) -> None:
        """Make the collection beside the target that takes the documents."""
        if self.how != "append":
            with sink_errors(self.address, "write the target"):
                # What a run that was killed has left.
                self._written.drop()
                self._database.create_collection(self._name)

    def write(self, batch: Rows, /) -> None:
        """Write the kept documents among records."""
        decisions = self._outcome.decision[batch.first : batch.first + len(batch.wanted)]
        kept = Rows(batch.first, batch.wanted & (decisions == KEPT)).positions
        for positions, _, documents in self._source.unchanged(kept, whole=True):
            made = [
                self._made(position, document)
                for position, document in zip(positions, documents, strict=True)
                if document is not None
            ]
            self.counts["changed"] += len(positions) - len(made)
            with sink_errors(self.address, "write the target"):
                self._writers.send(self._insert, made)

    def _insert(self, documents: Sequence[Any]) -> None:
        present = 0
        try:
            self._written.insert_many(documents, ordered=False)
        except mongo("pymongo.errors").BulkWriteError as error:
            refused = error.details["writeErrors"]
            if self.how != "append" or any(not _has_id(one) for one in refused) or error.details["writeConcernErrors"]:
                raise
            present = len(refused)
        with self._writers.lock:
            self.counts["present"] += present
            self.counts["written"] += len(documents) - present

    def _made(self, position: int, document: bytes) -> Any:
        """The document with its fingerprint, scheme and run."""
        outcome = self._outcome
        about = {"fingerprint": outcome.fingerprint(position), "scheme": outcome.digest, "run": outcome.run}
        if self._fields is not None:
            return self._renamed(position, raw_document(document)) | {RUN_FIELD: about}
        if may_have(document, RUN_FIELD) and RUN_FIELD in (fields := raw_document(document)):
            # Of a run before, such as the one that made the source.
            return dict(fields) | {RUN_FIELD: about}
        return with_field(document, RUN_FIELD, about)

    def _renamed(self, position: int, document: Any) -> dict[str, Any]:
        made = {"_id": document["_id"]}
        for one in self._fields or ():
            field, _, name = one.partition(":")
            if field == "@text":
                made[name or "text"] = self._outcome.text_of(position)
            elif field == "@fingerprint":
                made[name or "fingerprint"] = self._outcome.fingerprint(position)
            else:
                found = _inside(document, field)
                if found is not _NOTHING:
                    made[name or field] = found
        return made

    def commit(self) -> None:
        """Put the documents in their place at once."""
        with sink_errors(self.address, "write the target"):
            self._writers.finish()
            if self.how != "append":
                self._written.rename(self.address.collection, dropTarget=self.how == "replace")

    def abort(self) -> None:
        """Take back what was written."""
        self._writers.stop()
        with sink_errors(self.address, "drop the target"):
            if self.how == "append":
                self._written.delete_many({f"{RUN_FIELD}.run": self._outcome.run})
            else:
                self._written.drop()


_NOTHING = object()


def _inside(document: Any, field: str) -> Any:
    found = document
    for part in field.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return _NOTHING
        found = found[part]
    return found


def _has_id(error: Mapping[str, Any]) -> bool:
    return error.get("code") == _DUPLICATE_KEY and list(error.get("keyPattern", {})) == ["_id"]


def with_field(raw: bytes, name: str, value: Mapping[str, Any]) -> Any:
    """Add a field to a raw document, of which nothing else is decoded."""
    field = mongo("bson").encode({name: value})[4:-1]
    made = struct.pack("<i", len(raw) + len(field)) + raw[4:-1] + field + b"\0"
    return raw_document(made)


def check_target(source: CollectionDocuments, address: Address, how: How) -> None:
    """Check that a collection may be the target of a run.

    Args:
        source: The collection that is read.
        address: The target.
        how: Whether it is new, is added to or is replaced.

    Raises:
        ConfigError: It is the source, or is there and neither `append` nor `replace` is given.
        SinkError: The server refuses.
    """
    shown = address.shown
    if source.kind == "time-series collection":
        raise ConfigError(
            f"{source.address.shown}: documents of a time-series collection have no unique _id, so they are not"
            " copied; give a file for the decisions"
        )
    if source.address.namespace == address.namespace and source.address.hosts == address.hosts:
        raise ConfigError(f"{shown} is the source too: give another collection, or mark its documents with `mark`")
    with connect(address) as client, sink_errors(address, "write the target"):
        info = list(client[address.database].list_collections(filter={"name": address.collection}))
    if info and info[0]["type"] != "collection":
        raise ConfigError(f"{shown} is a {info[0]['type']}, which takes no documents; name another collection")
    if info and how == "new":
        raise ConfigError(f"{shown} is there already: give append to add to it, replace, or another name")


def check_markable(source: CollectionDocuments, field: str, run: str | None = None) -> None:
    """Check that the documents of a collection may be marked.

    Args:
        source: The collection.
        field: The field for the marks.
        run: The run, whose own marks may be there; None where it is not known yet, and marks of any run may.

    Raises:
        ConfigError: They are of no plain collection, or one has a value in the field.
        SinkError: The server refuses.
    """
    shown = source.address.shown
    if source.kind != "collection":
        raise ConfigError(f"{shown} is a {source.kind}, whose documents cannot be marked")
    mine = {f"{field}.run": {"$type": "string"} if run is None else run}
    with sink_errors(source.address, "read"):
        other = source.collection.find_one({field: {"$exists": True}, "$nor": [mine]}, {field: 1})
    if other is not None:
        value = other[field]
        before = value.get("run") if isinstance(value, Mapping) else None
        told = f"the mark of run {before}: undo that run" if isinstance(before, str) else "a value: keep it"
        raise ConfigError(
            f"{shown}: the document {extended(other['_id'])} has in field {field!r} {told}, or give another field"
        )


class MarkSink:
    """Marks: what was decided about each document, in a field of the document itself.

    Args:
        field: The field.
        apply: Write them; else they are only counted.
        outcome: What was decided.
    """

    def __init__(self, field: str, outcome: RunOutcome, *, apply: bool) -> None:
        if outcome.source is None:
            raise ConfigError(
                "marks go to the documents of a collection of MongoDB, and the source is none: leave mark out"
            )
        self.field, self.apply, self._outcome, self._source = field, apply, outcome, outcome.source
        self.address = outcome.source.address
        self.counts = {"marked": 0, "same": 0, "changed": 0, "taken": 0}
        """Documents marked; those that had the mark; changed since they were read; and those whose field is in use."""
        self._writers = _Writers()

    def check(self) -> None:
        """Check that the documents may be marked; see `check_markable`."""
        check_markable(self._source, self.field, self._outcome.run)

    def begin(self) -> None:
        """Do nothing: marks go to documents that are there."""

    def write(self, batch: Rows, /) -> None:
        """Write the marks of records, or count them."""
        positions = batch.positions
        if not self.apply:
            self.counts["marked"] += len(positions)
            return
        marks = dict(zip(positions, self._marks(positions), strict=True))
        for at, ids, documents in self._source.unchanged(positions, whole=False, field=self.field):
            there = [(key, marks[one], found) for one, key, found in zip(at, ids, documents, strict=True) if found]
            free = [(key, mark) for key, mark, found in there if self._is_free(found)]
            with self._writers.lock:
                self.counts["changed"] += len(at) - len(there)
                self.counts["taken"] += len(there) - len(free)
            with sink_errors(self.address, "write marks"):
                self._writers.send(self._update, free)

    def _is_free(self, document: bytes) -> bool:
        """Whether a document has nothing in the field, or a mark of this run."""
        if not may_have(document, self.field) or self.field not in (fields := raw_document(document)):
            return True
        value = fields[self.field]
        return isinstance(value, Mapping) and value.get("run") == self._outcome.run

    def _update(self, updates: Sequence[tuple[Any, Mapping[str, Any]]]) -> None:
        # By `_id` alone: what else a command asks for makes it four times slower.
        update = mongo("pymongo").UpdateOne
        done = self._source.collection.bulk_write(
            [update({"_id": key}, {"$set": {self.field: mark}}) for key, mark in updates], ordered=False
        )
        with self._writers.lock:
            self.counts["marked"] += done.modified_count
            self.counts["same"] += done.matched_count - done.modified_count
            self.counts["changed"] += len(updates) - done.matched_count

    def _marks(self, positions: Sequence[int]) -> list[dict[str, Any]]:
        rows = decision_rows(self._outcome, positions)
        names = ("decision", "representative", "distance", "similarity")
        return [{"run": self._outcome.run, **{name: row[name] for name in names}} for row in rows]

    def commit(self) -> None:
        """Wait until each mark is in its place."""
        with sink_errors(self.address, "write marks"):
            self._writers.finish()

    def abort(self) -> None:
        """Take the marks of the run away."""
        self._writers.stop()
        if self.apply:
            with sink_errors(self.address, "remove marks"):
                self._source.collection.update_many(
                    {f"{self.field}.run": self._outcome.run}, {"$unset": {self.field: ""}}
                )


class DecisionsSink:
    """What was decided about each record, a document each, with indexes.

    Args:
        address: The collection; it may have the decisions of other runs.
        outcome: What was decided.
    """

    def __init__(self, address: Address, outcome: RunOutcome) -> None:
        self.address, self._outcome = address, outcome
        self._collection = connect(address, self)[address.database][address.collection]
        self.counts = {"decisions": 0}
        """Decisions written."""

    def check(self) -> None:
        """Check that the collection takes documents.

        Raises:
            ConfigError: It is a view or a time-series collection.
            SinkError: The server refuses.
        """
        with sink_errors(self.address, "write decisions"):
            info = list(self._collection.database.list_collections(filter={"name": self.address.collection}))
        if info and info[0]["type"] != "collection":
            raise ConfigError(
                f"{self.address.shown} is a {info[0]['type']}, which takes no decisions; give another name"
            )

    def begin(self) -> None:
        """Make the indexes, and remove what an earlier attempt of the same run has left."""
        with sink_errors(self.address, "write decisions"):
            for name in ("document", "representative", "decision"):
                self._collection.create_index([("run", 1), (name, 1)])
            self._collection.delete_many({"run": self._outcome.run})

    def write(self, batch: Rows, /) -> None:
        """Write the decisions on records."""
        run, positions = self._outcome.run, batch.positions
        with sink_errors(self.address, "write decisions"):
            for start in range(0, len(positions), _ROWS):
                rows = [
                    {"_id": {"run": run, "position": row["position"]}, "run": run, **row}
                    for row in decision_rows(self._outcome, positions[start : start + _ROWS])
                ]
                self._collection.insert_many(rows, ordered=False)
                self.counts["decisions"] += len(rows)

    def commit(self) -> None:
        """Do nothing: each decision names its run."""

    def abort(self) -> None:
        """Remove the decisions of the run."""
        with sink_errors(self.address, "remove decisions"):
            self._collection.delete_many({"run": self._outcome.run})


Collected = TargetSink | MarkSink | DecisionsSink
"""A sink of this module."""
