"""Checks before anything is written to MongoDB: the target, and the documents that are marked."""

from collections.abc import Mapping
from typing import Literal

from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.stores.mongo.client import RUNS, Address, connect, sink_errors
from simsieve.stores.mongo.source import CollectionSource, refuse_copies
from simsieve.stores.mongo.values import extended

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
