"""The rows of the closing table that say where to look: failures, sources, fields, and the largest groups."""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from simsieve.display import cut
from simsieve.errors import SimsieveError
from simsieve.messages import tr
from simsieve.report.table import with_rate
from simsieve.results.near import Texts
from simsieve.results.run import Run
from simsieve.results.told import differing_fields, differing_pictures, largest_clusters

_SHARES, _GROUPS, _TEXT = 5, 3, 48
"""Sources or values, groups, and characters of a text that are shown."""


def told_rows(result: Any, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say in the user's language what a run found, beyond its counts; nothing where there is nothing to say."""
    run, columns = result.with_sources()
    rows = []
    if codes := summary.get("failed_by_code", {}):
        rows.append((tr("failed by code"), ", ".join(f"{code} {count:,}" for code, count in codes.items())))
    if any(share["dropped"] for share in summary.get("sources", ())):
        rows += _shares(tr("drops by source"), summary["sources"])
    for field, shares in summary.get("drops_by", {}).items():
        rows += _shares(tr("drops by {field}", field=field), shares)
    # Results are written: a source that has gone since takes no more than its example from the table.
    with suppress(SimsieveError):
        rows += _differing(run, columns)
        rows += _pictures(run, columns)
        rows += _groups(run, columns)
    return rows


def _shares(label: str, shares: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The values with most drops, a row each."""
    shown = sorted(shares, key=lambda share: -share["dropped"])[:_SHARES]
    parts = []
    for share in shown:
        value = tr("(none)") if share["value"] is None else _short(share["value"])
        text = f"{value}: {with_rate(share['dropped'], share['read'])}"
        counts = {
            tr(", {count:,} failed"): share["failed"], tr(", {count:,} lose much"): share["lost_much"],
            tr(", {count:,} conflict"): share["conflicts"],
        }  # fmt: skip
        parts.append(text + "".join(template.format(count=count) for template, count in counts.items() if count))
    if len(shares) > len(shown):
        parts.append(tr("and {count:,} others", count=len(shares) - len(shown)))
    return [(label if not at else "", part) for at, part in enumerate(parts)]


def _differing(run: Run, columns: Any) -> list[tuple[str, str]]:
    texts = [
        tr(
            "{count:,} of {looked:,} near duplicates have another {field}: --differ {field} keeps them",
            count=one.different, looked=one.looked,
            field=one.field if re.fullmatch(r"[\w.-]+", one.field) else shlex.quote(one.field),
        )
        for one in differing_fields(run, columns)
    ]  # fmt: skip
    return [(tr("other fields") if not at else "", text) for at, text in enumerate(texts)]


def _pictures(run: Run, columns: Any) -> list[tuple[str, str]]:
    different, looked = differing_pictures(run, columns)
    text = tr("{count:,} of {looked:,} near duplicates have other pictures", count=different, looked=looked)
    return [(tr("other pictures"), text)] if different else []


def _groups(run: Run, columns: Any) -> list[tuple[str, str]]:
    texts = Texts(run.documents, run.schemes[0], len(columns))
    has_texts = run.schemes[0].has_features
    rows: list[tuple[str, str]] = []
    for head, size in largest_clusters(columns, _GROUPS):
        example = f": {_short(texts.text(head))}" if has_texts else ""
        shown = tr("{count:,} records like {name}", count=size, name=texts.name(head)) + example
        rows.append((tr("largest groups") if not rows else "", shown))
    return rows


def _short(text: str) -> str:
    return cut(" ".join(text[: 4 * _TEXT].split()), _TEXT)
