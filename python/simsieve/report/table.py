"""The table at the end of a run: rows of label and value, plain text, in the user's language."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simsieve.display import readable_bytes
from simsieve.messages import tr
from simsieve.registry import in_database, store_of
from simsieve.results.losses import MUCH
from simsieve.screen import cells, padded, wrapped
from simsieve.sources.folders import HIDDEN, MORE, counts_by
from simsieve.types import Recall

if TYPE_CHECKING:
    from simsieve.sinks.checks import Sinks

_SHOWN_SECONDS = 0.01
"""A stage of fewer seconds has no row."""


def summary_rows(summary: Mapping[str, Any], recall: Recall | None, *, verbose: bool = False) -> list[tuple[str, str]]:
    """Put a run's summary into rows for people, in their language."""
    read = summary["read"]
    rows = [
        (tr("read"), f"{read:,}"),
        (tr("kept"), with_rate(summary["kept"], read)),
        (tr("exact duplicates"), with_rate(summary["exact_duplicates"], read)),
        (tr("near duplicates"), with_rate(summary["near_duplicates"], read)),
        (tr("failed"), with_rate(summary["failed"], read)),
    ]
    if "old_read" in summary:
        old = tr("{count:,} ({failed:,} failed)", count=summary["old_read"], failed=summary["old_failed"])
        rows += [(tr("old records"), old), (tr("duplicates of old"), with_rate(summary["old_duplicates"], read))]
    if "max_ratio" in summary:
        text = tr("in kept documents of at most {ratio:g} times the features", ratio=summary["max_ratio"])
        rows.append((tr("containment"), text))
    if "verdicts" in summary:
        rows.append((tr("verdicts"), _verdicts(summary["verdicts"])))
    rows += _left_out(summary)
    rows += [(tr("clusters"), f"{summary['clusters']:,}"), (tr("largest cluster"), f"{summary['largest_cluster']:,}")]
    if summary.get("lost_longest") is not None:
        rows.append((tr("lost by near"), _lost(summary)))
    if conflicts := summary.get("conflicts"):
        text = tr("numbers of {count:,} of {near:,} near duplicates conflict: --conflict numbers keeps them apart")
        rows.append((tr("conflicts"), text.format(count=conflicts, near=summary["near_duplicates"])))
    for hub in summary.get("hubs", ()):
        text = tr("{near:,} like {name}: {much:,} lose much, {conflicts:,} conflict; they share {passage!r}")
        counts = {name: hub[name] for name in ("conflicts", "passage")}
        numbers = {"near": hub["near_duplicates"], "much": hub["lost_much"], "name": hub["representative"]}
        rows.append((tr("probably forms"), text.format_map({**counts, **numbers})))
    if kind := summary.get("looks_like"):
        rows.append((tr("looks like"), tr("{kind}: compare the settings of --for {kind}", kind=kind)))
    rows.append((tr("recall"), recall_text(recall)))
    if verbose:
        return rows + _search_rows(summary)
    return [
        *rows,
        (tr("seconds"), f"{summary['seconds']:.2f}"),
        (tr("peak memory"), readable_bytes(summary["peak_rss_bytes"])),
    ]


def _left_out(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was not read, and what patterns took out of texts."""
    rows = []
    words = {"": tr("without an ending"), HIDDEN: tr("hidden"), MORE: tr("others")}
    if "same_files" in summary:
        rows.append((tr("same files again"), f"{summary['same_files']:,}"))
    for name, label in (("other_files_by_suffix", tr("other files")), ("other_records", tr("other records"))):
        if name in summary:
            counts = Counter(summary[name])
            rows.append((label, f"{counts.total():,}: {counts_by(counts, words)}"))
    if "merged" in summary:
        counts = summary["merged"]
        rows.append((tr("merged"), tr("{values:,} values into {records:,} records").format_map(counts)))
    matched = dict(summary.get("matched", {}))
    texts = matched.pop("texts", 0)
    text = tr("matched in {count:,} of {texts:,} texts")
    return rows + [(name.replace("_", "-"), text.format(count=count, texts=texts)) for name, count in matched.items()]


def _lost(summary: Mapping[str, Any]) -> str:
    """What near duplicates lose, and how many lose much."""
    text = tr(
        "median {median:g}, longest {longest:,} units", median=summary["lost_median"], longest=summary["lost_longest"]
    )
    if much := summary.get("lost_much", 0):
        text += tr(
            "; {count:,} of {near:,} lose more than {units}", count=much, near=summary["near_duplicates"], units=MUCH
        )
    return text


def _verdicts(counts: Mapping[str, Any]) -> str:
    text = tr("{same:,} same, {different:,} different, {keep:,} keep").format_map(counts)
    if counts["unknown"]:
        text += tr("; {unknown:,} on unknown ids").format_map(counts)
    return text


def _search_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the search did, each number beside its forecast where there is one."""
    seconds = summary["seconds"]
    plan = summary.get("plan", {})
    forecast, outcome = (plan.get(name) or {} for name in ("forecast", "outcome"))
    rows = [(tr("repeated ids"), f"{summary['repeated_ids']:,}")]
    if "keys" in outcome:
        rows += [
            (tr("keys"), tr("{count:,.2f} a document", count=outcome["keys"]) + _forecast(forecast, "keys")),
            (tr("tested pairs"), f"{outcome['looks']:,}{_forecast(forecast, 'looks')}"),
        ]
    rows += [
        (tr("candidate pairs"), f"{summary['candidates']:,}{_forecast(forecast, 'candidates')}"),
        (tr("verified pairs"), f"{summary['verified']:,}{_forecast(forecast, 'verified')}"),
        (tr("seconds"), f"{seconds:.2f}"),
    ]
    # The rate of less than a second is that of starting, not of the work.
    if seconds >= 1:
        rows.append((tr("speed"), f"{summary['bytes_read'] / 1e6 / seconds:,.1f} MB/s"))
    rows.append((tr("peak memory"), readable_bytes(summary["peak_rss_bytes"]) + _forecast(forecast, "bytes")))
    if "peak_anonymous_bytes" in summary:
        anonymous, mapped = (readable_bytes(summary[f"peak_{part}_bytes"]) for part in ("anonymous", "mapped"))
        text = tr("{anonymous} anonymous, {mapped} of mapped files", anonymous=anonymous, mapped=mapped)
        rows.append((tr("of it"), text))
    return [*rows, *(_stage_row(stage) for stage in summary.get("stages", ()) if stage["seconds"] >= _SHOWN_SECONDS)]


def _stage_row(row: Mapping[str, Any]) -> tuple[str, str]:
    """What a stage took."""
    stage = str(row["stage"])
    took = tr("{seconds:.2f} s, {cpu:.2f} CPU s", seconds=row["seconds"], cpu=row["cpu_seconds"])
    if "anonymous_bytes" in row:
        parts = [readable_bytes(row[f"{part}_bytes"]) for part in ("anonymous", "mapped")]
        took += tr(", {anonymous} + {mapped} mapped", anonymous=parts[0], mapped=parts[1])
    return f"  {tr(stage)}", took


def _forecast(forecast: Mapping[str, Any], name: str) -> str:
    """What was forecast at the start of the run."""
    shown = {"bytes": readable_bytes, "keys": "{:,.2f}".format}.get(name, "{:,}".format)
    value = forecast.get(name)
    return "" if value is None else tr(" (forecast {value})", value=shown(value))


def recall_text(recall: Recall | None) -> str:
    """Write a recall with its interval."""
    if recall is None:
        return tr("not measured")
    if recall.sampled == 0:
        return tr("1.0000 (the search was exact: every near pair is found)")
    if recall.value is None:
        return tr("nothing was dropped, and none of {sampled:,} sampled was missed", sampled=recall.sampled)
    text = tr("{value:.4f} ({percent:g} % interval {low:.4f} to {high:.4f}; {missed:,} of {sampled:,} missed)")
    return text.format(
        value=recall.value, percent=100 * recall.confidence, low=recall.low, high=recall.high, missed=recall.missed,
        sampled=recall.sampled,
    )  # fmt: skip


def output_rows(sinks: "Sinks") -> list[tuple[str, str]]:
    """Say where each result went."""
    if sinks.dry_run:
        return [(tr("output"), tr("nothing was written: --dry-run"))]
    named = (
        (tr("output"), sinks.kept),
        (tr("decisions"), sinks.decisions),
        (tr("dropped records"), sinks.dropped),
        (tr("cluster table"), sinks.clusters),
        (tr("failed records"), sinks.failed),
        (tr("summary"), sinks.summary),
        (tr("report"), sinks.report),
    )
    return [(label, _place(path)) for label, path in named if path is not None]


def _place(path: str | os.PathLike[str]) -> str:
    """Where a result went; a URI is shown without its password."""
    if in_database(path):
        return store_of(path).shown(path)
    return tr("standard output") if path == "-" else os.fspath(path)


def with_rate(part: int, whole: int) -> str:
    """Write a count with its share of the whole in percent; without one where the whole is 0."""
    return f"{part:,} ({100 * part / whole:.2f} %)" if whole else f"{part:,}"


def aligned(rows: list[tuple[str, str]], gap: int = 2, width: int | None = None) -> str:
    """Set rows as lines of text, the values beginning in one column."""
    first = max((cells(label) for label, _ in rows), default=0) + gap
    lines = []
    for label, value in rows:
        parts = [value] if width is None else wrapped(value, width - first) or [""]
        lines += [padded("" if at else label, first) + part for at, part in enumerate(parts)]
    return "\n".join(lines)


def columned(rows: Sequence[Sequence[str]], gap: int = 2) -> str:
    """Set rows of cells as lines of text: the first column begins, the others end in one place."""
    widths = [max(cells(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        padded(row[0], widths[0])
        + "".join(" " * (gap + width - cells(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )
