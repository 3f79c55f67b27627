"""What MongoDB can do: collections as sources, and what a run writes to them."""

from collections.abc import Mapping
from typing import Any, cast

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.registry import Name, Store
from simsieve.report.table import with_rate
from simsieve.results.run import Run
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import Source
from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import CollectionRun, check_collections
from simsieve.stores.mongo.source import CollectionSource
from simsieve.types import Progress


class Collections(Store):
    """The collections of MongoDB."""

    def shown(self, name: Name) -> str:
        """The URI without password and options."""
        return address_of(name).shown

    def is_folder(self, name: Name) -> bool:
        """A collection is none."""
        return False

    def open(self, name: str, config: DedupConfig) -> CollectionSource:
        """Open a collection as a source."""
        return CollectionSource(name, config)

    def check_outputs(self, sinks: Sinks, config: DedupConfig, source: Source) -> None:
        """Check what goes to MongoDB."""
        check_collections(sinks, config, source)

    def write(self, run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> Mapping[str, Any]:
        """Write what goes to MongoDB; see `CollectionRun`."""
        return CollectionRun(run, columns, sinks).write(progress)

    def rows(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What was read and written, for people."""
        return collection_rows(summary)


STORE = Collections()


_NAMED = 3
"""Failed documents that are named."""


def collection_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Put what a run read from MongoDB and wrote to it into rows for people."""
    numbers = summary.get("collection", {})
    rows = []
    if "total" in numbers:
        rows.append((tr("in the collection"), f"{numbers['total']:,}"))
    if numbers.get("first_failed"):
        first = numbers["first_failed"][:_NAMED]
        more = summary["failed"] - len(first)
        rows.append((tr("failed _ids"), ", ".join(first) + (tr(" and {count:,} more", count=more) if more else "")))
    if numbers.get("first_failed_fields"):
        rows.append((tr("fields of the first"), ", ".join(numbers["first_failed_fields"])))
    if "run" not in numbers:
        return rows
    rows.append((tr("run"), numbers["run"]))
    for label, name in ((tr("written"), "written"), (tr("decisions written"), "decisions")):
        if name in numbers:
            rows.append((label, f"{numbers[name]:,}"))
    if "marked" in numbers:
        applied = numbers["applied"]
        note = "" if applied else tr("; nothing was written: give ?apply (URI) to write the marks")
        rows.append((tr("marked") if applied else tr("would be marked"), f"{numbers['marked']:,}{note}"))
    for label, name in (
        (tr("there before"), "present"),
        (tr("marked before"), "same"),
        (tr("not marked, field in use"), "taken"),
        (tr("changed since read"), "changed"),
    ):
        if numbers.get(name):
            rows.append((label, f"{numbers[name]:,}"))
    return rows


def shown_run(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Put the document of a run into rows for people."""
    counts = cast(Mapping[str, int], run.get("counts", {}))
    rows = [("run", str(run["_id"])), ("state", str(run["state"]))]
    if run.get("error"):
        rows.append(("error", str(run["error"])))
    rows.append(("source", str(run.get("source") or "no collection")))
    rows += [(name, f"{run[name]:%Y-%m-%d %H:%M:%S}") for name in ("started", "finished") if name in run]
    rows.append(("read", f"{counts.get('read', 0):,}"))
    for name in ("kept", "dropped", "failed"):
        rows.append((name, with_rate(counts.get(name, 0), counts.get("read", 0))))
    for one in run.get("writes", ()):
        note = {"mark": f"field {one.get('field')}", "target": one.get("how"), "decisions": ""}[one["kind"]]
        done = ", ".join(f"{count:,} {name}" for name, count in one["counts"].items() if count)
        rows.append((one["kind"], " ".join(filter(None, (one["collection"], note, f"({done or 'nothing'})"))).strip()))
    return rows
