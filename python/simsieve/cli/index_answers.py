"""What the commands on a durable index say of their outcome."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simsieve.cli.common import echo, say
from simsieve.errors import ConfigError
from simsieve.messages import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simsieve.index import BatchCounts, Index, IndexBatch, IndexDocument
    from simsieve.results.dedup import DedupResult


def tell(opened: "Index", result: "DedupResult", added: "IndexBatch | None", *, as_json: bool, quiet: bool) -> None:
    """Say what a run has decided, and what the index has."""
    counts = result.counts
    # The numbers count decisions. The table says what is new: a document that was known before is no copy of itself.
    exact, near = (counts.exact, counts.near) if added is None else (added.exact, added.dropped - added.exact)
    numbers: dict[str, Any] = {
        "read": counts.read, "kept": counts.kept, "dropped": counts.dropped, "exact": counts.exact, "near": counts.near,
        "failed": counts.failed,
    }  # fmt: skip
    rows = [
        (tr("read"), counts.read), (tr("kept"), counts.kept), (tr("exact duplicates"), exact),
        (tr("near duplicates"), near), (tr("failed"), counts.failed),
    ]  # fmt: skip
    if added is not None:
        numbers |= {"batch": added.batch, "known": added.known, "replaced": added.replaced, "orphans": added.orphans}
        rows += [(tr("known before"), added.known), (tr("replaced"), added.replaced)]
    numbers["documents"] = len(opened)
    if as_json:
        echo(json.dumps(numbers, ensure_ascii=False))
    elif not quiet:
        from simsieve.report.table import aligned

        rows.append((tr("documents of the index"), numbers["documents"]))
        echo(aligned([(name, f"{value:,}") for name, value in rows]), err=True)
        _tell_orphans(numbers.get("orphans", []))
    if not quiet and opened.stats()["refreeze_due"]:
        say(tr("the index has outgrown its search keys: `simsieve index refreeze {path}`", path=opened.path))


def text_of(found: "IndexDocument", path: str) -> str:
    """The text of a kept document; an error that says whom a dropped one was dropped for."""
    if found.text is None:
        shown = {name: json.dumps(value, ensure_ascii=False) for name, value in asdict(found).items()}
        raise ConfigError(
            "{path}: the document {id} was dropped for {representative} with the similarity {similarity}, and its text "
            "is not stored: ask for that one",
            path=path, id=shown["id"], representative=shown["representative"], similarity=shown["similarity"],
        )  # fmt: skip
    return found.text


def tell_batches(batches: "Sequence[BatchCounts]", *, as_json: bool) -> None:
    """Show what is in an index of each batch."""
    if as_json:
        echo(json.dumps([asdict(batch) for batch in batches], ensure_ascii=False))
        return
    from simsieve.report.table import columned

    counts = [tr("kept"), tr("dropped"), tr("gone"), tr("removed by it")]
    rows = [[tr("batch"), *counts, ""]]
    for batch in batches:
        numbers = (batch.kept, batch.dropped, batch.gone, batch.removed)
        name = " ".join(batch.name.splitlines())
        rows.append([name, *(f"{number:,}" for number in numbers), tr("undone") if batch.undone else ""])
    echo("\n".join(line.rstrip() for line in columned(rows).splitlines()))


def tell_taken(taken: "IndexBatch", *, as_json: bool) -> None:
    """Say what was removed."""
    if as_json:
        echo(json.dumps({"kept": taken.kept, "dropped": taken.dropped, "missing": taken.missing,
                         "orphans": taken.orphans}, ensure_ascii=False))  # fmt: skip
        return
    echo(tr("removed {kept:,} kept documents and {dropped:,} dropped ones", kept=taken.kept, dropped=taken.dropped))
    if taken.missing:
        say(tr("{count:,} ids are not in the index: {ids}", count=len(taken.missing), ids=_some(taken.missing)))
    _tell_orphans(taken.orphans)


def _tell_orphans(orphans: list[Any]) -> None:
    if orphans:
        text = tr("{count:,} documents were dropped for one that is gone; add them again: {ids}")
        say(text.format(count=len(orphans), ids=_some(orphans)))


def _some(ids: list[Any]) -> str:
    shown = ", ".join(json.dumps(one, ensure_ascii=False) for one in ids[:10])
    return shown + (", ..." if len(ids) > 10 else "")
