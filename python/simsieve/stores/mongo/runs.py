"""The runs that wrote to a database of MongoDB: each has a document there with what it wrote, and can be undone."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from simsieve._core import __version__
from simsieve.checks import nearest
from simsieve.config.mongo import RUN_FIELD
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.stores.mongo.client import RUNS, Address, Retry, connect, server_errors, sink_errors
from simsieve.stores.mongo.sinks import Collected, MarkSink, TargetSink

WRITING, COMPLETE, FAILED, UNDONE = "writing", "complete", "failed", "undone"

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


class RunDocuments:
    """The documents of one run, one in each database that it writes to."""

    def __init__(
        self,
        run: str,
        about: Mapping[str, Any],
        sinks: Iterable[Collected],
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._run, self._about = run, about
        self._databases: dict[tuple[str, str], tuple[Any, list[Collected], Retry]] = {}
        for sink in sinks:
            key = (sink.address.hosts, sink.address.database)
            if key not in self._databases:
                client = connect(sink.address, self)
                self._databases[key] = (client[sink.address.database][RUNS], [], Retry(sink.address, client, warn))
            self._databases[key][1].append(sink)

    def begin(self, *, resume: bool = False) -> bool:
        """Put the documents there, and say whether the same run was complete before."""
        complete = bool(self._databases)
        for runs, sinks, retry in self._databases.values():
            with sink_errors(sinks[0].address, "write the run's document"):
                before = retry(_NOTING, partial(_found, runs, self._run))
                complete = complete and before.get("state") == COMPLETE
                if resume and before.get("state") in (WRITING, COMPLETE):
                    for sink in sinks:
                        _go_on(sink, before["writes"])
                about = {**self._about, "version": __version__, "started": before.get("started", _now())}
                writes = [writes_of(sink) for sink in sinks]
                made = {"_id": self._run, "state": WRITING, **about, "writes": writes}
                retry(_NOTING, partial(_put, runs, made))
        return complete

    def note(self) -> None:
        """Put down how far it has come."""
        self._set(lambda writes: {"writes": writes})

    def finish(self, state: str, error: BaseException | None = None) -> None:
        """Put down how it ended."""
        failure = {} if error is None else {"error": str(error)[:1000]}
        self._set(lambda writes: {"state": state, "finished": _now(), "writes": writes, **failure})

    def _set(self, fields: Callable[[list[dict[str, Any]]], dict[str, Any]]) -> None:
        for runs, sinks, retry in self._databases.values():
            with sink_errors(sinks[0].address, "write the run's document"):
                made = fields([writes_of(sink) for sink in sinks])
                retry(_NOTING, partial(_changed, runs, self._run, made))


def _found(runs: Any, run: str, _failures: int) -> dict[str, Any]:
    return runs.find_one({"_id": run}) or {}


def _put(runs: Any, made: Mapping[str, Any], _failures: int) -> None:
    runs.replace_one({"_id": made["_id"]}, made, upsert=True)


def _changed(runs: Any, run: str, fields: Mapping[str, Any], _failures: int) -> None:
    runs.update_one({"_id": run}, {"$set": fields})


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
    """Take away what a run wrote to a database: marks, decisions, and the documents that it added.

    A target that only this run wrote is dropped. What a target held before it was replaced does not come back.
    """
    with connect(address) as client, sink_errors(address, "undo the run"):
        database = client[address.database]
        found = database[RUNS].find_one({"_id": run})
        if found is None:
            known = {one["_id"]: None for one in database[RUNS].find({}, {"_id": 1})}
            near = nearest(run, known)
            hint = Message("did you mean {near}?", near=near) if near else "`simsieve mongo runs` lists them"
            raise ConfigError("{shown}: there is no run {run!r}: {hint}", shown=address.shown, run=run, hint=hint)
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
