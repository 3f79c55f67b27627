"""The table at the end of a run: rows of label and value, plain text; who shows them decides how they look."""

from collections.abc import Mapping
from typing import Any

from simsieve.types import Recall

_UNITS = ("B", "kB", "MB", "GB", "TB")


def summary_rows(summary: Mapping[str, Any], recall: Recall | None) -> list[tuple[str, str]]:
    """Put a run's summary into rows for people.

    Args:
        summary: What `DedupResult.summary` gives.
        recall: What `DedupResult.recall` gives; None shows as not measured.

    Returns:
        (label, value) for each line, in the order to show them.

    Example:
        >>> from simsieve import dedup
        >>> result = dedup(["one text here", "one text here"])
        >>> summary_rows(result.summary, result.recall)[:2]
        [('read', '2'), ('kept', '1 (50.00 %)')]
    """
    read, seconds = summary["read"], summary["seconds"]
    rows = [("read", f"{read:,}")]
    for label, key in (
        ("kept", "kept"),
        ("exact duplicates", "exact_duplicates"),
        ("near duplicates", "near_duplicates"),
        ("failed", "failed"),
    ):
        rows.append((label, with_rate(summary[key], read)))
    if "old_read" in summary:
        rows += [
            ("old records", f"{summary['old_read']:,} ({summary['old_failed']:,} failed)"),
            ("duplicates of old", with_rate(summary["old_duplicates"], read)),
        ]
    plan = summary.get("plan", {})
    told = dict.fromkeys(("candidates", "verified", "seconds", "bytes"), "")
    if plan.get("forecast"):
        forecast, outcome = plan["forecast"], plan["outcome"]
        told = {name: f" (forecast {forecast[name]:,})" for name in ("candidates", "verified")}
        told["seconds"] = f" (after loading {outcome['seconds']:.2f}, forecast {forecast['seconds']:.2f})"
        told["bytes"] = f" (forecast {readable_bytes(forecast['bytes'])})"
    rows += [
        ("clusters", f"{summary['clusters']:,}"),
        ("largest cluster", f"{summary['largest_cluster']:,}"),
        ("repeated ids", f"{summary['repeated_ids']:,}"),
        ("recall", "not measured" if recall is None else recall.text),
        ("candidate pairs", f"{summary['candidates']:,}{told['candidates']}"),
        ("verified pairs", f"{summary['verified']:,}{told['verified']}"),
        ("seconds", f"{seconds:.2f}{told['seconds']}"),
        ("speed", f"{summary['bytes_read'] / 1e6 / seconds:,.1f} MB/s" if seconds > 0 else "-"),
        ("peak memory", readable_bytes(summary["peak_rss_bytes"]) + told["bytes"]),
    ]
    return rows


def with_rate(part: int, whole: int) -> str:
    """Write a count with its share of the whole in percent; without one where the whole is 0.

    Example:
        >>> with_rate(1, 3)
        '1 (33.33 %)'
    """
    return f"{part:,} ({100 * part / whole:.2f} %)" if whole else f"{part:,}"


def readable_bytes(size: int) -> str:
    """Write a size in decimal units, 1 kB being 1,000 bytes.

    Example:
        >>> readable_bytes(1_234_567)
        '1.2 MB'
    """
    value, unit = float(size), _UNITS[0]
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"


def aligned(rows: list[tuple[str, str]]) -> str:
    """Set rows as lines of text, the values beginning in one column.

    Example:
        >>> print(aligned([("a", "1"), ("long", "2")]))
        a     1
        long  2
    """
    width = max((len(label) for label, _ in rows), default=0)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)
