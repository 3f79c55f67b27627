"""The page on a run: what was decided, how sure that is, and the texts at the threshold."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.messages import tr
from simsieve.report.chart import bars
from simsieve.report.page import Html, folded, none_of, page, section, table, tag
from simsieve.report.samples import Sample, cluster_samples, just_in, just_out, shown_pair
from simsieve.report.table import recall_text, summary_rows, with_rate
from simsieve.results.arrow import KEPT, REASONS, heads
from simsieve.results.near import NearDrops, near_drops
from simsieve.results.run import Run
from simsieve.results.texts import Texts
from simsieve.sinks.base import SinkPath
from simsieve.sinks.files import write_text

MOST_PAIRS = 10
"""Pairs of each kind that are shown."""
MOST_CLUSTERS = 10
_OF_A_CLUSTER = 3
MOST_FAILED = 50
_BINS = 20
_NO_FEATURES = REASONS.index("no_features")


def write_report(
    result: Any, run: Run, columns: _core.Decisions, sink: SinkPath, *, with_texts: bool, command: str | None
) -> None:
    """Write the page on a run; see `DedupResult.report`.

    Raises:
        SinkError: The file cannot be written.
    """
    content = report_page(result, run, columns, with_texts=with_texts, command=command)
    write_text(sink, content, private=True)


def report_page(result: Any, run: Run, columns: _core.Decisions, *, with_texts: bool, command: str | None) -> str:
    """Make the page on a run.

    Args:
        result: The result.
        run: What it knows of its run.
        columns: Its decisions.
        with_texts: Show texts.
        command: The command line that makes the run again; None gives the call in Python.
    """
    summary, near = result.summary, near_drops(columns)
    texts = Texts(run.documents, run.schemes[0], len(columns))

    def shown(samples: Sequence[Sample]) -> list[Html]:
        return [shown_pair(sample, texts, with_texts=with_texts) for sample in samples]

    return page(
        tr("Near-duplicates: {count:,} of {read:,} records", count=summary["dropped"], read=summary["read"]),
        _cards(result),
        section(tr("How sure"), *_recall(result)),
        _histograms(near, columns, run.config),
        section(tr("At the threshold"), *_edges(run, columns, near, texts, shown)),
        section(tr("Largest clusters"), *_clusters(columns, texts, shown)),
        section(tr("What the search did"), table((), summary_rows(summary, result.recall, verbose=True))),
        section(tr("Failed records"), *_failed(result)),
        section(tr("Do it again"), *_again(summary, run.config, command)),
    )


def _cards(result: Any) -> Html:
    counts = result.counts
    named = (
        (tr("read"), counts.read),
        (tr("kept"), counts.kept),
        (tr("exact duplicates"), counts.exact),
        (tr("near duplicates"), counts.near),
        (tr("failed"), counts.failed),
        (tr("clusters"), counts.clusters),
        (tr("largest cluster"), counts.largest_cluster),
    )

    def card(label: str, count: int) -> Html:
        share = with_rate(count, counts.read).partition(" ")[2] if count != counts.read else ""
        is_share = label not in (tr("clusters"), tr("largest cluster"))
        return tag("div", tag("b", f"{count:,}"), tag("span", f"{label} {share if is_share else ''}"), class_="card")

    return tag("div", *(card(label, count) for label, count in named), class_="cards")


def _recall(result: Any) -> list[Html]:
    if result.recall is None:
        return [none_of(tr("The recall was not measured."))]
    note = tr(
        "Recall is the share of the near pairs that the search found, by what the threshold calls near. It says nothing"
        " of whether people would agree: look at the pairs at the threshold, or mark a sample with `simsieve review`."
    )
    return [tag("p", tr("Recall: {value}", value=recall_text(result.recall))), tag("p", note, class_="note")]


def _histograms(near: NearDrops, columns: _core.Decisions, config: DedupConfig) -> Html:
    charts = []
    measured = near.similarity[~np.isnan(near.similarity)]
    if len(measured):
        low = min(config.effective_similarity or 0.0, float(measured.min()))
        counts, edges = np.histogram(measured, bins=_BINS, range=(low, 1.0 if low < 1 else 1.0001))
        labels = [f"{edge:.3f}" for edge in edges[:-1]]
        charts.append((tr("Similarity of near duplicates to their representatives"), labels, counts, 4))
    distances = near.distance[near.distance >= 0]
    if len(distances):
        step = max(1, -(-(int(distances.max()) + 1) // _BINS))
        counts = np.bincount(distances // step)
        labels = [f"{at * step}" if step == 1 else f"{at * step}-{at * step + step - 1}" for at in range(len(counts))]
        charts.append((tr("Distance of near duplicates to their representatives, in bits"), labels, counts, 4))
    sizes = _sizes(columns)
    if len(sizes):
        # 2, 3-4, 5-8, and so on.
        powers = np.ceil(np.log2(sizes)).astype(int)
        counts = np.bincount(powers)[1:]
        ends = [2**power for power in range(1, len(counts) + 1)]
        labels = ["2" if end == 2 else f"{end // 2 + 1}-{end}" for end in ends]
        charts.append((tr("Clusters by size"), labels, counts, max(1, len(labels) // 6)))
    if not charts:
        return section(tr("Charts"), none_of(tr("No document was dropped.")))
    drawn = [
        tag("div", tag("h3", title), bars(labels, [int(count) for count in counts], title, every))
        for title, labels, counts, every in charts
    ]
    return section(tr("Charts"), tag("div", *drawn, class_="charts"))


def _sizes(columns: _core.Decisions) -> NDArray[np.int64]:
    """The sizes of the clusters of two and more new documents."""
    found = heads(columns.decision, columns.representative)
    _, sizes = np.unique(found[(found >= 0) & (found < len(columns))], return_counts=True)
    return sizes[sizes > 1]


def _edges(
    run: Run, columns: _core.Decisions, near: NearDrops, texts: Texts, shown: Callable[[Sequence[Sample]], list[Html]]
) -> list[Html]:
    inside = shown(just_in(near, MOST_PAIRS))
    parts = [
        tag("h3", tr("Just in: dropped with the least certainty")),
        *(inside or [none_of(tr("No document was dropped as near."))]),
        tag("h3", tr("Just out: kept, and nearly dropped")),
    ]
    if len(run.schemes) > 1:
        return [*parts, none_of(tr("With several schemes these pairs are not looked for."))]
    has_features = (columns.decision == KEPT) & (columns.reason != _NO_FEATURES)
    kept = np.flatnonzero(has_features & run.documents.valid[: len(columns)])
    outside = shown(just_out(run.documents, kept, texts, run.schemes[0].width, run.config, MOST_PAIRS))
    note = tr(
        "Some kept documents are compared with all kept ones by their fingerprints; these are the nearest found. The"
        " list is a sample, not complete."
    )
    return [*parts, *(outside or [none_of(tr("None was found."))]), tag("p", note, class_="note")]


def _clusters(columns: _core.Decisions, texts: Texts, shown: Callable[[Sequence[Sample]], list[Html]]) -> list[Html]:
    found = heads(columns.decision, columns.representative)
    groups, sizes = np.unique(found[(found >= 0) & (found < len(columns))], return_counts=True)
    order = np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS]
    parts = []
    for number, at in enumerate(order[sizes[order] > 1].tolist()):
        head = int(groups[at])
        samples = cluster_samples(head, np.flatnonzero(found == head), columns, _OF_A_CLUSTER)
        title = tr("{name}: {count:,} documents", name=texts.name(head), count=int(sizes[at]))
        parts.append(folded(title, *shown(samples), is_open=number == 0))
    return parts or [none_of(tr("No document represents another."))]


def _failed(result: Any) -> list[Html]:
    failures = result.failures()
    if not failures:
        return [none_of(tr("None."))]
    head = (tr("position"), tr("code"), tr("reason"))
    rows = [(f"{position}", code, message[:500]) for position, code, message in failures[:MOST_FAILED]]
    parts = [table(head, rows)]
    if len(failures) > MOST_FAILED:
        left = tr("and {count:,} more: --failed FILE has them all", count=len(failures) - MOST_FAILED)
        parts.append(tag("p", left, class_="note"))
    return parts


def _again(summary: Mapping[str, Any], config: DedupConfig, command: str | None) -> list[Html]:
    given = changed_settings(config)
    if command is None:
        command = f"simsieve.dedup(SOURCE{''.join(f', {name}={value!r}' for name, value in given)})"
    rows = [
        (tr("scheme"), summary["scheme"]),
        (tr("digest"), summary["digest"]),
        (tr("recipe"), summary["recipe_digest"]),
        (tr("version"), _core.__version__),
    ]
    shown = [(name, str(value)) for name, value in given]
    settings = [tag("h3", tr("Settings that are not the default")), table((), shown)] if shown else []
    return [tag("pre", tag("code", command)), table((), rows), *settings]


def changed_settings(config: DedupConfig) -> list[tuple[str, Any]]:
    """Give the settings that are not the default.

    Example:
        >>> changed_settings(DedupConfig(seed=7))
        [('seed', 7)]
    """
    return [(name, getattr(config, name)) for name, row in SETTINGS.items() if getattr(config, name) != row.default]
