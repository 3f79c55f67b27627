"""What a run read from databases and wrote to them, for people."""

from collections.abc import Mapping
from typing import Any, cast

from simsieve.messages import tr
from simsieve.report.table import with_rate

_NAMED = 3
"""Failed documents that are named."""


def written_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Put what a run read from databases and wrote to them into rows for people."""
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
    """Put what a database notes of a run into rows for people."""
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
