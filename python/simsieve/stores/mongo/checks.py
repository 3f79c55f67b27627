"""Checks before anything is written to MongoDB: the target, and the documents that are marked."""

from collections.abc import Mapping
from typing import Literal

from simsieve.errors import ConfigError
from simsieve.stores.mongo.client import RUNS, Address, connect, sink_errors
from simsieve.stores.mongo.outcome import CollectionDocuments
from simsieve.stores.mongo.values import extended

How = Literal["new", "append", "replace"]
"""What a target may be: a new collection, one that is added to, or one that is replaced."""


def check_target(
    source: CollectionDocuments, address: Address, how: How, *, run: str | None = None, resume: bool = False
) -> None:
    """Check that a collection may be the target of a run."""
    shown = address.shown
    if source.kind == "time-series collection":
        raise ConfigError(
            f"{source.address.shown}: documents of a time-series collection have no unique _id, so they are not"
            " copied; give a file for the decisions"
        )
    if source.address.namespace == address.namespace and source.address.hosts == address.hosts:
        raise ConfigError(f"{shown} is the source too: give another collection, or mark its documents with `mark`")
    if source.follows is not None:
        _check_followed(*source.follows, address, how)
    with connect(address) as client, sink_errors(address, "write the target"):
        info = list(client[address.database].list_collections(filter={"name": address.collection}))
        target = {"kind": "target", "collection": address.collection, "how": "new"}
        mine = {"state": {"$ne": "undone"}, "writes": {"$elemMatch": target}} | ({} if run is None else {"_id": run})
        is_mine = resume and client[address.database][RUNS].find_one(mine) is not None
    if info and info[0]["type"] != "collection":
        raise ConfigError(f"{shown} is a {info[0]['type']}, which takes no documents; name another collection")
    if info and how == "new" and not is_mine:
        raise ConfigError(f"{shown} is there already: give `append` to add to it, `replace`, or another name")


def _check_followed(run: str, old: Address, target: Address, how: How) -> None:
    """Check that new documents are added to the old ones: a later run takes all of them as old ones."""
    if (target.namespace, target.hosts) != (old.namespace, old.hosts):
        raise ConfigError(
            f"{target.shown}: new documents are added to what run {run} has kept: give {old.shown}, and `append`"
        )
    if how == "replace":
        raise ConfigError(
            f"{target.shown} has what run {run} has kept, which would be lost: give `append` in place of `replace`"
        )
    if how == "new":
        raise ConfigError(f"{target.shown} has what run {run} has kept: give `append`")


def check_markable(source: CollectionDocuments, field: str, run: str | None = None) -> None:
    """Check that the documents of a collection may be marked."""
    shown = source.address.shown
    if source.kind != "collection":
        raise ConfigError(f"{shown} is a {source.kind}, whose documents cannot be marked")
    mine = {f"{field}.run": {"$type": "string"} if run is None else run}
    with sink_errors(source.address, "read"):
        other = source.collection.find_one({field: {"$exists": True}, "$nor": [mine]}, {field: 1})
    if other is not None:
        value = other[field]
        before = value.get("run") if isinstance(value, Mapping) else None
        there = f"the mark of run {before}: undo that run" if isinstance(before, str) else "a value: keep it"
        raise ConfigError(
            f"{shown}: the document {extended(other['_id'])} has in field {field!r} {there}, or give another field"
        )
