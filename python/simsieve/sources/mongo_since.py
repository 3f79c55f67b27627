"""The documents that came in after a run: what the run has read, and where it has put what it has kept."""

from collections.abc import Sequence
from typing import Any

from simsieve.checks import nearest
from simsieve.errors import ConfigError
from simsieve.mongo import RUNS, Address, connect, server_errors, value_options
from simsieve.sources.mongo import CollectionSource


def old_documents(source: CollectionSource, run: str, target: Address | None, digests: Sequence[str]) -> str:
    """Let a source read only what came in after a run, and give the URI of what the run has kept.

    Args:
        source: The collection that the run has read.
        run: The run's id.
        target: Where the kept documents go, in whose database the run is looked for first.
        digests: The digests of the schemes in force.

    Returns:
        The URI of the run's target, with all that was kept there before it.

    Raises:
        ConfigError: There is no such run, it is not complete, has read another collection or by other schemes, or has
            kept its documents nowhere.
        SourceError: A server does not answer, or refuses.
    """
    places = [source.address] if target is None else [target, source.address]
    known: dict[str, None] = {}
    for place in places:
        with connect(place) as client, server_errors(place, "read the runs"):
            runs = client[place.database][RUNS].with_options(codec_options=value_options())
            found = runs.find_one({"_id": run})
            if found is None:
                known.update((one["_id"], None) for one in runs.find({}, {"_id": 1}))
                continue
        source.read_since(_last_id(source, run, found, digests))
        for write in found["writes"]:
            if write["kind"] == "target":
                return place.beside(write["collection"])
        raise ConfigError(
            f"run {run} has written no target, so what it has kept is not known: give the setting `query` for the new"
            " documents, and the old ones by against"
        )
    near = nearest(run, known)
    hint = f"did you mean {near}?" if near else "`simsieve mongo runs` lists them"
    raise ConfigError(
        f"since_run {run!r}: there is no such run in {' and '.join(at.database for at in places)}: {hint}"
    )


def _last_id(source: CollectionSource, run: str, found: dict[str, Any], digests: Sequence[str]) -> Any:
    if found["state"] != "complete":
        raise ConfigError(
            f"run {run} is in the state {found['state']}: give one that is complete, or go on with it first"
        )
    if found["source"] != source.address.shown:
        raise ConfigError(f"run {run} has read {found['source']}, and the source is {source.address.shown}: give that")
    before = [scheme["digest"] for scheme in found["schemes"]]
    if before != list(digests):
        raise ConfigError(
            f"run {run} was made by the schemes {', '.join(scheme['scheme'] for scheme in found['schemes'])} (digest"
            f" {', '.join(before)}), and the digest is {', '.join(digests)} now: give the same schemes"
        )
    if "last_id" not in found:
        raise ConfigError(f"run {run} does not say which document it has read last: run again on the whole collection")
    return found["last_id"]
