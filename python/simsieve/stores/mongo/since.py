"""The documents that came in after a run: what the run has read, and where it has put what it has kept."""

from collections.abc import Sequence
from typing import Any

from simsieve.checks import nearest
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.stores.mongo.client import RUNS, Address, address_of, connect, server_errors
from simsieve.stores.mongo.field import FieldPlace
from simsieve.stores.mongo.source import CollectionSource
from simsieve.stores.mongo.values import value_options


def old_documents(
    source: CollectionSource, run: str, target: Address | None, digests: Sequence[str], *, goes_on: bool
) -> str:
    """Let a source read only what came in after a run, and give the URI of what the run has kept."""
    places = [source.address] if target is None else [target, source.address]
    known: dict[str, None] = {}
    for place in places:
        with connect(place) as client, server_errors(place, "read the runs"):
            runs = client[place.database][RUNS].with_options(codec_options=value_options())
            found = runs.find_one({"_id": run})
            if found is None:
                known.update((one["_id"], None) for one in runs.find({}, {"_id": 1}))
                continue
        _read_after(source, run, found, digests)
        for write in found["writes"]:
            if write["kind"] == "target":
                uri = place.beside(write["collection"])
                source.follows = (run, address_of(uri))
                if not goes_on:
                    check_complete(source.address, source.follows[1])
                return uri
        raise ConfigError(
            "run {run} has written no target, so what it has kept is not known: give {@`query`} for the new "
            "documents, and the old ones by {`against`}",
            run=run,
        )  # fmt: skip
    databases = dict.fromkeys(at.database for at in places)
    near = nearest(run, known)
    hint = Message("did you mean {near}?", near=near) if near else "`simsieve mongo runs` lists them"
    raise ConfigError(
        "{@since_run} {run!r}: there is no such run in {databases}: {hint}",
        run=run, databases=" and ".join(databases), hint=hint,
    )  # fmt: skip


def check_complete(source: Address, target: Address, but: str | None = None) -> None:
    """Check that a target has no documents of a run that was cut off: they would count as old ones of a later run."""
    adds = {"$elemMatch": {"kind": "target", "collection": target.collection, "how": "append"}}
    with connect(target) as client, server_errors(target, "read the runs"):
        runs = client[target.database][RUNS]
        found = runs.find_one({"_id": {"$ne": but}, "state": "writing", "source": source.shown, "writes": adds})
    if found is not None:
        raise ConfigError(
            "run {found} adds to {shown} and is not complete, so the old documents are not known: undo it, or go on "
            "with it by {@`resume`} and its run directory",
            found=found["_id"], shown=target.shown,
        )  # fmt: skip


def _read_after(source: CollectionSource, run: str, found: dict[str, Any], digests: Sequence[str]) -> None:
    if found["state"] != "complete":
        raise ConfigError(
            "run {run} is in the state {found}: give one that is complete, or go on with it first",
            run=run, found=found["state"],
        )  # fmt: skip
    if found["source"] != source.address.shown:
        raise ConfigError(
            "run {run} has read {found}, and the source is {shown}: give that",
            run=run, found=found["source"], shown=source.address.shown,
        )  # fmt: skip
    before = [scheme["digest"] for scheme in found["schemes"]]
    if before != list(digests):
        raise ConfigError(
            "run {run} was made by the schemes {found} (digest {before}), and the digest is {digests} now: give the "
            "same schemes",
            run=run, found=", ".join(scheme["scheme"] for scheme in found["schemes"]), before=", ".join(before),
            digests=", ".join(digests),
        )  # fmt: skip
    place = found.get("last_place")
    by = None if place is None else place["field"]
    if by is not None and source.since_field != by:
        raise ConfigError(
            "run {run} has read documents in the order of the field {by!r}: give that by {@since_field}", run=run, by=by
        )
    if place is not None:
        source.since_place = FieldPlace.of(place)
    elif source.since_field is not None:
        raise ConfigError(
            "run {run} was made without {@since_field}, so it is not known which values of {since_field!r} it has "
            "read: leave {@since_field} out, or give it in every run on the collection",
            run=run, since_field=source.since_field,
        )  # fmt: skip
    elif "last_id" in found:
        source.read_since(found["last_id"])
    else:
        raise ConfigError(
            "run {run} does not say which document it has read last: run again on the whole collection", run=run
        )
