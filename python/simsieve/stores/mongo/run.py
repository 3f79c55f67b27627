"""What a run writes to MongoDB, all of it or nothing: a target, decisions and marks, and a document that names them."""

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simsieve import _core
from simsieve._core import __version__
from simsieve.config.checks import RUN_FIELD
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SinkError
from simsieve.messages import Message
from simsieve.results.arrow import copies_of
from simsieve.results.run import Run
from simsieve.results.stored import COMPLETE, FAILED, UNDONE, WRITING, identity_of, no_run
from simsieve.sinks.base import Rows
from simsieve.sinks.checks import Sinks
from simsieve.sinks.fields import Written
from simsieve.sources.base import Source
from simsieve.stores.mongo.client import RUNS, Address, Retry, connect, named, server_errors, sink_errors
from simsieve.stores.mongo.sinks import (
    Collected,
    DecisionsSink,
    How,
    MarkSink,
    RunOutcome,
    TargetSink,
    check_markable,
    check_target,
)
from simsieve.stores.mongo.source import CollectionSource
from simsieve.types import Progress

_NOTING = "write the run's document"


def writes_of(sink: Collected) -> dict[str, Any]:
    """Describe what a sink writes, for the run's document."""
    collection = sink.address.collection
    written = {"counts": dict(sink.counts), "through": sink.through}
    if isinstance(sink, MarkSink):
        return {"kind": "mark", "collection": collection, "field": sink.field, **written}
    if isinstance(sink, TargetSink):
        return {"kind": "target", "collection": collection, "how": sink.how, **written}
    return {"kind": "decisions", "collection": collection, **written}


@dataclass(frozen=True)
class _Place:
    """The runs of a database, and the sinks of one run that write to it."""

    runs: Any
    sinks: list[Collected]
    retry: Retry

    def ask(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method of the collection of the runs, which may be done twice."""
        with sink_errors(self.sinks[0].address, _NOTING):
            return self.retry(_NOTING, lambda _: getattr(self.runs, method)(*given, **named))


class RunDocuments:
    """The documents of one run, one in each database that it writes to."""

    def __init__(
        self, run: str, about: Mapping[str, Any], sinks: Iterable[Collected], warn: Callable[[str], None] | None = None
    ) -> None:
        self._run, self._about = run, about
        self._places: dict[tuple[str, str], _Place] = {}
        for sink in sinks:
            key = (sink.address.hosts, sink.address.database)
            if key not in self._places:
                client = connect(sink.address, self)
                self._places[key] = _Place(client[sink.address.database][RUNS], [], Retry(sink.address, client, warn))
            self._places[key].sinks.append(sink)

    def begin(self, *, resume: bool = False) -> bool:
        """Put the documents there, and say whether the same run was complete before."""
        complete = bool(self._places)
        for place in self._places.values():
            before = place.ask("find_one", {"_id": self._run}) or {}
            complete = complete and before.get("state") == COMPLETE
            if resume and before.get("state") in (WRITING, COMPLETE):
                for sink in place.sinks:
                    _go_on(sink, before["writes"])
            about = {**self._about, "version": __version__, "started": before.get("started", _now())}
            writes = [writes_of(sink) for sink in place.sinks]
            made = {"_id": self._run, "state": WRITING, **about, "writes": writes}
            place.ask("replace_one", {"_id": self._run}, made, upsert=True)
        return complete

    def note(self) -> None:
        """Put down how far it has come."""
        self._set()

    def finish(self, state: str, error: BaseException | None = None) -> None:
        """Put down how it ended."""
        failure = {} if error is None else {"error": str(error)[:1000]}
        self._set(state=state, finished=_now(), **failure)

    def _set(self, **fields: Any) -> None:
        for place in self._places.values():
            made = {**fields, "writes": [writes_of(sink) for sink in place.sinks]}
            place.ask("update_one", {"_id": self._run}, {"$set": made})


def _go_on(sink: Collected, before: Iterable[Mapping[str, Any]]) -> None:
    mine = writes_of(sink)
    for write in before:
        if all(write.get(name) == mine[name] for name in ("kind", "collection")):
            sink.go_on(write["counts"], write.get("through", 0))


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def list_runs(address: Address) -> list[dict[str, Any]]:
    """List the runs that wrote to a database, the latest first."""
    with connect(address) as client, server_errors(address, "read the runs"):
        return list(client[address.database][RUNS].find().sort("started", -1))


def undo_run(address: Address, run: str) -> list[tuple[str, int]]:
    """Take away what a run wrote to a database: marks, decisions, and the documents that it added."""
    # A target that only this run wrote is dropped. What a target held before it was replaced does not come back.
    with connect(address) as client, sink_errors(address, "undo the run"):
        database = client[address.database]
        found = database[RUNS].find_one({"_id": run})
        if found is None:
            known = [one["_id"] for one in database[RUNS].find({}, {"_id": 1})]
            raise no_run(address.shown, run, known)
        if found["state"] == UNDONE:
            return []
        there = set(database.list_collection_names())
        # The last that was written goes first.
        done = [_undone(database, run, one) for one in reversed(found["writes"]) if one["collection"] in there]
        temporary = database[f"simsieve_new_{run}"]
        temporary.drop()
        database[RUNS].update_one({"_id": run}, {"$set": {"state": UNDONE, "finished": _now()}})
        return done


def _undone(database: Any, run: str, write: Mapping[str, Any]) -> tuple[str, int]:
    name = write["collection"]
    collection = database[name]
    if write["kind"] == "mark":
        field = write["field"]
        done = collection.update_many({f"{field}.run": run}, {"$unset": {field: ""}})
        return Message("marks in {name}.{field}", name=name, field=field), done.modified_count
    if write["kind"] == "decisions":
        count = collection.delete_many({"run": run}).deleted_count
        if collection.find_one() is None:
            collection.drop()
        return Message("decisions in {name}", name=name), count
    mine, others = {f"{RUN_FIELD}.run": run}, {f"{RUN_FIELD}.run": {"$ne": run}}
    if write["how"] == "append" or collection.find_one(others) is not None:
        return Message("documents of {name}", name=name), collection.delete_many(mine).deleted_count
    count = collection.estimated_document_count()
    collection.drop()
    return Message("documents of {name}, which is dropped", name=name), count


_log = logging.getLogger(__name__)
_BATCH_ROWS = 1 << 13
_NOTED_SECONDS = 2.0
"""How often a run that may go on puts down how far it has come."""


def check_collections(sinks: Sinks, config: DedupConfig, source: Source) -> None:
    """Check, before the sources are read, the settings and sinks that are for MongoDB."""
    target, _ = named(sinks.kept), named(sinks.decisions)
    collection = source if isinstance(source, CollectionSource) else None
    if config.mark is not None and collection is not None:
        check_markable(collection, config.mark)
    if target is not None:
        if collection is None:
            raise ConfigError(
                "{shown}: only documents of a collection are kept in MongoDB: give a file", shown=target.shown
            )
        if sinks.annotate:
            raise ConfigError("annotated records go to a file: give one, or write decisions or marks to MongoDB")
        check_target(collection, target, _how(config), resume=config.resume)
        collection.is_copied = True


def _how(config: DedupConfig) -> How:
    return "append" if config.append else "replace" if config.replace else "new"


class CollectionRun:
    """What one run writes to MongoDB."""

    def __init__(self, run: Run, columns: _core.Decisions, sinks: Sinks) -> None:
        documents, config, schemes = run.documents, run.config, run.schemes
        source = run.rows if isinstance(run.rows, CollectionSource) else None
        target, decisions = named(sinks.kept), named(sinks.decisions)
        self._sinks: list[Collected] = []
        self._columns = columns
        self._resume, self._is_resumable = config.resume, config.resume or config.run_dir is not None
        shown = [None if one is None else one.shown for one in (target, decisions)]
        self.run, self._about = identity_of(run, None if source is None else source.address.shown, shown)
        """The run's id: the same documents, settings and sinks have the same."""
        self._about["counts"] = dict(columns.counts)
        outcome = RunOutcome(
            self.run, columns, documents, schemes[0].digest, schemes[0].width, source,
            Written(documents, schemes[0], lambda: copies_of(columns.decision, columns.representative)),
        )  # fmt: skip
        self._warn = None if source is None else source.retry.warn
        outcome = replace(outcome, resume=config.resume, warn=self._warn)
        if decisions is not None:
            self._sinks.append(DecisionsSink(decisions, outcome))
        if target is not None:
            self._sinks.append(TargetSink(target, _how(config), config.fields, outcome))
        if config.mark is not None and source is not None:
            # The last one: it changes documents where they are.
            self._sinks.append(MarkSink(config.mark, outcome, apply=config.apply))

    def write(self, progress: Progress | None = None) -> dict[str, Any]:
        """Write all of it, or nothing; with a run directory what was written stays for a run that goes on."""
        for sink in self._sinks:
            sink.check()
        written = [sink for sink in self._sinks if not isinstance(sink, MarkSink) or sink.apply]
        documents = RunDocuments(self.run, self._about, written, self._warn)
        was_complete = documents.begin(resume=self._resume)
        try:
            for sink in self._sinks:
                sink.begin()
                self._put(sink, documents, progress)
            # The last one waits for what it has sent; only then a target takes its place.
            for sink in reversed(self._sinks):
                sink.commit()
        except BaseException as error:
            if self._is_resumable:
                self._leave(documents, error)
                raise
            left = self._take_back(documents, error, was_complete=was_complete)
            if left is None:
                raise
            raise SinkError(
                "{error}; nor could all that was written be taken back ({left}): undo run {run} when the server "
                "answers",
                error=error, left=left, run=self.run,
            ) from error  # fmt: skip
        documents.finish(COMPLETE)
        counts = {name: count for sink in self._sinks for name, count in sink.counts.items() if name != "changed"}
        changed = max((sink.counts.get("changed", 0) for sink in self._sinks), default=0)
        _log.info("run %s wrote to MongoDB: %s", self.run, counts)
        applied = {} if self._mark is None else {"mark": self._mark.field, "applied": self._mark.apply}
        return {"run": self.run, **counts, "changed": changed, **applied}

    def _leave(self, documents: RunDocuments, error: BaseException) -> None:
        """Leave what was written to a run that goes on; the servers may not answer."""
        for sink in self._sinks:
            sink.stop()
        with suppress(SinkError):
            documents.finish(WRITING, error)

    def _take_back(self, documents: RunDocuments, error: BaseException, *, was_complete: bool) -> SinkError | None:
        """Take back what was written, of a run that was complete only a new target; give a server's error."""
        left = None
        for sink in self._sinks:
            if was_complete and not (isinstance(sink, TargetSink) and sink.how != "append"):
                continue
            try:
                sink.abort()
            except SinkError as second:
                left = second
        try:
            documents.finish(FAILED, error)
        except SinkError as second:
            left = second
        return left

    @property
    def _mark(self) -> MarkSink | None:
        return next((sink for sink in self._sinks if isinstance(sink, MarkSink)), None)

    def _put(self, sink: Collected, documents: RunDocuments, progress: Progress | None) -> None:
        total = len(self._columns)
        stage = "mark" if isinstance(sink, MarkSink) else "write"
        noted = time.monotonic()
        for first in range(sink.through, total, _BATCH_ROWS):
            if progress is not None:
                progress(stage, first, total)
            sink.write(Rows(first, np.ones(min(_BATCH_ROWS, total - first), dtype=bool)))
            if self._is_resumable and time.monotonic() - noted > _NOTED_SECONDS:
                documents.note()
                noted = time.monotonic()
        sink.finish()
        if self._is_resumable:
            documents.note()
        if progress is not None:
            progress(stage, total, total)
