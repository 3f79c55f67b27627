"""The runs that wrote to a database of MongoDB: each has a document there with what it wrote, and can be undone."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
