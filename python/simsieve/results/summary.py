"""A run's summary: its numbers, the schemes in it, and its form as a line of JSON."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simsieve import _core
from simsieve.config.near_rows import CONTAINMENT
from simsieve.config.setting import CLEANED
from simsieve.config.settings import DedupConfig
from simsieve.display import counted, html_values
from simsieve.results.arrow import FAILED
from simsieve.results.hubs import hubs_of, looks_like
from simsieve.results.losses import losses_of
from simsieve.results.run import Run
from simsieve.results.told import DropShare, as_rows, by_source, failed_by_code
from simsieve.sinks.base import SinkPath, write_text
from simsieve.types import Counts, Recall

MEASURED = ("peak_anonymous_bytes", "peak_mapped_bytes", "stages")
"""Keys of the measurements of a run; memory is left out where the system does not count it."""

_MOST_SHARES = 1000
"""Sources, and values of a field, whose drops a summary counts."""

SCHEMA_VERSION = 1
"""Version of the summary's keys and their meaning."""


def encodings_of(store: _core.Records) -> list[tuple[str, str, bool]]:
    """List each source for which `encoding` was given: its name, its encoding, and whether that was found out."""
    # Of a folder it is each encoding other than UTF-8 that was found in it, and the name has the number of files.
    return [(os.fspath(path), name, detected) for path, name, detected in store.encodings]


def small_main_texts(documents: _core.Documents, threads: int) -> tuple[int, int, int] | None:
    """Count pages whose main text is less than a tenth of the visible text; of many, in a sample."""
    for looked, small, position in filter(None, _core.small_parts(documents, threads)):
        if position is not None:
            return looked, small, position
    return None


def run_summary(
    run: Run,
    columns: _core.Decisions,
    counts: Counts,
    recall: Recall | None,
    took: Mapping[str, Any],
    written: Mapping[str, Any],
    drops_by: Mapping[str, Sequence[DropShare]],
) -> dict[str, Any]:
    """Give a run in numbers, ready for JSON; rates are in [0, 1], sizes in bytes, times in seconds."""
    more: dict[str, Any] = {}
    if run.store.is_against:
        more = {
            "old_read": len(run.store) - run.store.new_len,
            "old_failed": run.documents.old_failed,
            "old_duplicates": int(np.count_nonzero(columns.representative >= len(columns))),
        }
    failed = np.flatnonzero(columns.decision == FAILED).tolist()
    losses = losses_of(columns)
    doubts = {
        "lost_much": losses.much,
        "conflicts": losses.conflicts,
        "hubs": hubs_of(run.documents, run.schemes, columns),
        "looks_like": None if run.config.kind else looks_like(run.documents, run.schemes, columns),
    }
    more |= {name: doubt for name, doubt in doubts.items() if doubt}
    if encodings := encodings_of(run.store):
        more["encodings"] = [{"source": path, "encoding": name, "detected": found} for path, name, found in encodings]
    if run.config.verdicts is not None:
        more["verdicts"] = run.documents.verdicts()[0]
    if small := small_main_texts(run.documents, run.config.threads):
        more["small_main_texts"] = {"looked_at": small[0], "small": small[1]}
    left_out = run.rows.left_out
    if left_out.others:
        more["other_files"] = left_out.others.total()
        more["other_files_by_suffix"] = dict(left_out.others.most_common())
    if left_out.count:
        more["same_files"] = left_out.count
    if left_out.records:
        more["other_records"] = dict(left_out.records.most_common())
    if collection := {**run.rows.summary(counts, failed), **written}:
        more["collection"] = collection
    texts, *matched = run.documents.cleaned
    found = {name: count for name, count in zip(CLEANED, matched, strict=True) if count is not None}
    if found:
        more["matched"] = {"texts": texts, **found}
    return {
        "schema_version": SCHEMA_VERSION,
        "read": counts.read,
        "kept": counts.kept,
        "dropped": counts.dropped,
        "exact_duplicates": counts.exact,
        "near_duplicates": counts.near,
        "failed": counts.failed,
        "clusters": counts.clusters,
        "largest_cluster": counts.largest_cluster,
        "lost_median": losses.median,
        "lost_longest": losses.longest,
        "repeated_ids": run.documents.repeated_ids,
        "candidates": counts.candidates,
        "verified": counts.verified,
        "recall": None if recall is None else recall.value,
        "recall_interval": None if recall is None else [recall.low, recall.high],
        **describe_schemes(run.schemes, run.config, run.documents.recipes),
        "plan": {"kernel": _core.kernel(), "threads": run.config.threads, "batch": run.config.batch, **run.plan},
        "seconds": round(took["seconds"], 6),
        "bytes_read": run.store.bytes_read,
        "peak_rss_bytes": took["peak_rss_bytes"],
        **{name: took[name] for name in MEASURED if name in took},
        "blank_lines": run.store.blank_lines,
        **more,
        **_where(run, columns, drops_by),
    }


def _where(run: Run, columns: _core.Decisions, drops_by: Mapping[str, Sequence[DropShare]]) -> dict[str, Any]:
    """Say where records failed and were dropped."""
    found: dict[str, Any] = {}
    if codes := failed_by_code(run.documents.failures()):
        found["failed_by_code"] = codes
    if len(sources := by_source(run, columns)) > 1:
        found["sources"] = as_rows(sources, _MOST_SHARES)
    if drops_by:
        found["drops_by"] = {field: as_rows(shares, _MOST_SHARES) for field, shares in drops_by.items()}
    return found


def summary_line(summary: Mapping[str, Any]) -> str:
    """Write a summary as one line of JSON, without a line end."""
    return json.dumps(summary, ensure_ascii=False, allow_nan=False)


def write_summary(sink: SinkPath, summary: Mapping[str, Any]) -> None:
    """Write a summary to a file, which appears whole."""
    write_text(sink, summary_line(summary) + "\n")


def describe_schemes(
    schemes: Sequence[_core.Scheme], config: DedupConfig, recipes: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Describe the schemes of a run for its summary; of several, the digests cover all together."""
    if len(schemes) == 1:
        # A scheme of pictures has the digest of given fingerprints, and a name of its own.
        name = str(config.scheme) if config.picture_hash else schemes[0].spec
        one = {"scheme": name, "digest": schemes[0].digest, "recipe_digest": recipes[0]["digest"]}
        return one | _of_frozen(recipes[0]) | _of_containment(config)
    each = [
        {
            "scheme": scheme.spec,
            "digest": scheme.digest,
            "recipe_digest": recipe["digest"],
            **_of_frozen(recipe),
            "similarity": criterion.similarity,
            "max_distance": criterion.max_distance,
            "measure": config.measure_of(criterion.similarity),
        }
        for scheme, recipe, criterion in zip(schemes, recipes, config.criteria, strict=True)
    ]

    # Loaded here, since it loads OpenSSL, and most runs have one scheme.
    import hashlib  # noqa: PLC0415 - see above

    def of_all(name: str) -> str:
        joined = "\n".join([config.combine, *(str(row[name]) for row in each)])
        return hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()

    frozen = any(row.get("frozen_digest") for row in each)
    return {
        "scheme": f"{config.combine} of {', '.join(scheme.spec for scheme in schemes)}",
        "digest": of_all("digest"),
        "recipe_digest": of_all("recipe_digest"),
        "frozen_digest": of_all("frozen_digest") if frozen else None,
        "schemes": each,
    } | _of_containment(config)


def _of_frozen(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The digest of a search's frozen set, where the core gives it."""
    return {"frozen_digest": recipe["frozen_digest"]} if "frozen_digest" in recipe else {}


def _of_containment(config: DedupConfig) -> dict[str, Any]:
    """The measure and the bound of sizes, where near pairs depend on them."""
    return {"measure": config.measure, "max_ratio": config.max_ratio} if config.measure == CONTAINMENT else {}


def counts_html(counts: Counts, recall: Recall | None, seconds: float, too_many: object) -> str:
    """Write the counts and the recall of a run for a notebook."""
    rows = counts.rows()
    if too_many is not None:
        rows = [
            (name, f"{value}, more than max_failed {too_many} allows" if name == "failed" else value)
            for name, value in rows
        ]
    rows += [("recall", "not measured" if recall is None else recall.text), ("seconds", f"{seconds:.2f}")]
    return html_values(f"{counted(counts.dropped, 'duplicate')} among {counted(counts.read, 'record')}", rows)
