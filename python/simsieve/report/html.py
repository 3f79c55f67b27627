"""The page on a run: decisions, charts, the recall, and the texts at the threshold."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.differences import MOST_CHARACTERS
from simsieve.display import cut
from simsieve.messages import tr
from simsieve.report.page import Html, bars, folded, joined, none_of, page, section, table, tag, with_code, within
from simsieve.report.samples import (
    Outside,
    Sample,
    cluster_samples,
    compared_kept,
    just_in,
    just_out,
    named,
    shown_pair,
    spread,
)
from simsieve.report.table import recall_text, summary_rows, with_rate
from simsieve.results.arrow import KEPT, cluster_sizes, heads
from simsieve.results.near import NearDrops, Texts, near_drops
from simsieve.results.run import Run
from simsieve.results.told import DropShare, by_source, failed_by_code
from simsieve.schemes.scheme import load_scheme
from simsieve.sinks.base import SinkPath, write_text

_BINS = 20
_STEPS = (0.005, 0.01, 0.02, 0.05)
"""Widths of a bar of similarities: round numbers, so that the threshold is between two bars."""
_EVERY = 4
"""Every fourth label is written."""


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart; one label in `every` is written, below a bar or where it begins; the mark is the threshold, in bars."""

    title: str
    labels: Sequence[str]
    counts: NDArray[np.int64]
    every: int = _EVERY
    mark: float | None = None
    are_edges: bool = False


def histograms(
    near: NearDrops, columns: _core.Decisions, config: DedupConfig, outside: NDArray[np.int64] | None = None
) -> list[Html]:
    """Draw the charts of a run."""
    _, _, bits, similarity = columns.rejected(config.seed, config.threads)
    if outside is not None and len(outside):
        bits = outside
    one = config.criteria[0] if len(config.criteria) == 1 else None
    limits = (None, None) if one is None else (one.similarity, one.max_distance)
    charts = [*_similarities(near, similarity, limits[0]), *_distances(near, bits, limits[1]), *_sizes(columns)]
    if not charts:
        return [none_of(tr("No document was dropped."))]
    name = tr("threshold")
    drawn = [
        tag(
            "div", tag("h3", each.title),
            bars(
                each.labels, [int(count) for count in each.counts], each.title, each.every,
                None if each.mark is None else (each.mark, name), are_edges=each.are_edges,
            ),
        )
        for each in charts
    ]  # fmt: skip
    note = tr(
        "Rejected candidates are pairs of kept documents that the search compared and that are not near. They are a"
        " sample, so compare where their bars are, not how high. Many of them close to the near duplicates mean that"
        " the threshold decides much."
    )
    notes = [tag("p", note, class_="note")] if len(bits) else []
    return [tag("div", *drawn, class_="charts"), *notes]


def _similarities(near: NearDrops, rejected: NDArray[np.float64], limit: float | None) -> list[_Chart]:
    measured = near.similarity[~np.isnan(near.similarity)]
    both = np.concatenate([measured, rejected])
    if not len(both):
        return []
    lowest = min(float(both.min()), 1.0 if limit is None else limit)
    step = next((step for step in _STEPS if (1 - lowest) / step <= _BINS), _STEPS[-1])
    # One range for both charts, so that a place in one is the same place in the other; equal texts are in the last bar.
    bins = max(1, math.ceil((1 - lowest) / step - 1e-9))
    low = 1 - bins * step
    edges = np.append(low + step * np.arange(bins), 1.0001)
    labels = [f"{edge:.3g}" for edge in edges[:-1]]
    titles = (
        tr("Similarity of near duplicates to their representatives"),
        tr("Similarity of rejected candidates: {count:,} pairs of a sample", count=len(rejected)),
    )
    mark = None if limit is None else (limit - low) / step
    # A similarity that is the edge of a bar may be written a little below it.
    return [
        _Chart(title, labels, np.histogram(np.clip(values + 1e-9, low, 1.0), bins=edges)[0], mark=mark, are_edges=True)
        for title, values in zip(titles, (measured, rejected), strict=True)
        if len(values)
    ]


def _distances(near: NearDrops, rejected: NDArray[np.int64], limit: int | None) -> list[_Chart]:
    measured = near.distance[near.distance >= 0].astype(np.int64)
    most = max((int(values.max()) for values in (measured, rejected) if len(values)), default=-1)
    if most < 0:
        return []
    step = -(-(most + 1) // _BINS)
    bins = most // step + 1
    labels = [f"{at * step}" if step == 1 else f"{at * step}-{at * step + step - 1}" for at in range(bins)]
    titles = (
        tr("Distance of near duplicates to their representatives, in bits"),
        tr("Distance of rejected candidates, in bits: {count:,} pairs of a sample", count=len(rejected)),
    )
    mark = None if limit is None or limit > most else (limit + 1) / step
    return [
        _Chart(title, labels, np.bincount(values // step, minlength=bins), mark=mark)
        for title, values in zip(titles, (measured, rejected), strict=True)
        if len(values)
    ]


def _sizes(columns: _core.Decisions) -> list[_Chart]:
    """The sizes of the clusters of two and more new documents: 2, 3-4, 5-8, and so on."""
    sizes = cluster_sizes(heads(columns.decision, columns.representative))
    sizes = sizes[sizes > 1]
    if not len(sizes):
        return []
    counts = np.bincount(np.ceil(np.log2(sizes)).astype(int))[1:]
    ends = [2**power for power in range(1, len(counts) + 1)]
    labels = ["2" if end == 2 else f"{end // 2 + 1}-{end}" for end in ends]
    return [_Chart(tr("Clusters by size"), labels, counts, max(1, len(labels) // 6))]


MOST_PAIRS = 10
"""Pairs of each kind that are shown."""
MOST_CLUSTERS = 10
_OF_A_CLUSTER = 3
MOST_FAILED = 50
MOST_TEMPLATES = 10
MOST_SHARES = 50
_LEAST_DOCUMENTS, _LEAST_SHARE = 3, 0.2
"""Documents that share a part, at least, and its share of one of them."""
_NO_FEATURES = _core.REASONS.index("no_features")


def write_report(
    result: Any, run: Run, columns: _core.Decisions, sink: SinkPath, *, with_texts: bool, command: str | None
) -> None:
    """Write the page on a run; see `DedupResult.report`."""
    content = report_page(result, run, columns, with_texts=with_texts, command=command)
    write_text(sink, content, private=True)


def report_page(result: Any, run: Run, columns: _core.Decisions, *, with_texts: bool, command: str | None) -> str:
    """Make the page on a run."""
    summary, near = result.summary, near_drops(columns)
    texts = Texts(run.documents, run.schemes[0], len(columns), within(run.rows.picture))
    has_features = (columns.decision == KEPT) & (columns.reason != _NO_FEATURES)
    kept = np.flatnonzero(has_features & run.documents.valid[: len(columns)])
    outside = None
    if len(run.schemes) == 1:
        outside = compared_kept(run.documents.values, kept, run.schemes[0].width, run.config)
    beyond = outside.distance if outside is not None and run.config.max_distance is not None else None

    def shown(samples: Sequence[Sample]) -> list[Html]:
        return [shown_pair(sample, texts, with_texts=with_texts) for sample in samples]

    def folding(samples: Sequence[Sample]) -> list[Html]:
        pairs = zip(samples, shown(samples), strict=True)
        opened = ((at, named(sample, texts), pair) for at, (sample, pair) in enumerate(pairs))
        return [folded(title, pair, is_open=at == 0) for at, title, pair in opened] if with_texts else shown(samples)

    parts = [
        (tr("How sure"), _recall(result)),
        (tr("Charts"), histograms(near, columns, run.config, beyond)),
        (tr("Sources"), _sources(result)),
        (tr("At the threshold"), _edges(run, outside, near, texts, folding)),
        (tr("Largest clusters"), _clusters(columns, texts, shown)),
        (tr("Templates"), _templates(run, kept, texts, with_texts=with_texts)),
        (tr("What the search did"), [table((), summary_rows(summary, result.recall, verbose=True))]),
        (tr("Failed records"), _failed(result)),
        (tr("Do it again"), _again(summary, run.config, command)),
    ]
    places = [f"part-{number}" for number in range(1, len(parts) + 1)]
    links = (tag("a", title, href=f"#{place}") for place, (title, _) in zip(places, parts, strict=True))
    return page(
        tr("Near-duplicates: {count:,} of {read:,} records", count=summary["dropped"], read=summary["read"]),
        tag("p", _written(), class_="note"),
        _cards(result),
        tag("nav", *links),
        *(section(title, *content, place=place) for place, (title, content) in zip(places, parts, strict=True)),
    )


def _written() -> str:
    now = datetime.now(UTC)
    return tr("simsieve {version}, {date} UTC", version=_core.__version__, date=f"{now:%Y-%m-%d %H:%M}")


def _sources(result: Any) -> list[Html]:
    """What was read, and what was dropped of it: by source, and by the fields of `drops_by`."""
    run, columns = result.with_sources()
    parts = [_shares(tr("source"), by_source(run, columns))]
    for field in run.config.drops_by:
        parts += [tag("h3", tr("drops by {field}", field=field)), _shares(field, result.drops_by(field))]
    return parts


def _shares(name: str, shares: Sequence[DropShare]) -> Html:
    shown = sorted(shares, key=lambda share: -share.dropped)[:MOST_SHARES]
    rows = [
        (
            tr("(none)") if one.value is None else one.value,
            f"{one.read:,}",
            with_rate(one.dropped, one.read),
            *(f"{count:,}" for count in (one.failed, one.lost_much, one.conflicts)),
        )
        for one in shown
    ]
    more = (
        [tag("p", tr("and {count:,} others", count=len(shares) - len(shown)), class_="note")]
        if len(shares) > len(shown)
        else []
    )
    return joined(
        [table((name, tr("read"), tr("dropped"), tr("failed"), tr("lose much"), tr("conflicts")), rows), *more]
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
    return [tag("p", tr("Recall: {value}", value=recall_text(result.recall))), tag("p", with_code(note), class_="note")]


def _edges(
    run: Run, outside: Outside | None, near: NearDrops, texts: Texts, shown: Callable[[Sequence[Sample]], list[Html]]
) -> list[Html]:
    inside = shown(just_in(near, MOST_PAIRS))
    parts = [
        tag("h3", tr("Just in: dropped with the least certainty")),
        *(inside or [none_of(tr("No document was dropped as near."))]),
        tag("h3", tr("Just out: kept, and nearly dropped")),
    ]
    if outside is None:
        return [*parts, none_of(tr("With several schemes these pairs are not looked for."))]
    beyond = shown(just_out(outside, texts, run.config, MOST_PAIRS))
    note = tr(
        "Some kept documents are compared with all kept ones by their fingerprints; these are the nearest found. The"
        " list is a sample, not complete."
    )
    return [*parts, *(beyond or [none_of(tr("None was found."))]), tag("p", note, class_="note")]


def _templates(run: Run, kept: NDArray[np.int64], texts: Texts, *, with_texts: bool) -> list[Html]:
    """Parts of text that many kept documents share."""
    if not run.schemes[0].has_features:
        return [none_of(tr("A scheme without texts has none."))]
    positions, read = spread(kept, texts)
    groups = np.arange(len(read), dtype=np.uint32)
    # The texts are as the run's scheme has them: they are extracted, and no number or picture is left.
    found = _core.Templates(
        _core.Records.from_texts(read), load_scheme("chars128"), ["text"], "id", _core.Templates.LEAST,
        _LEAST_DOCUMENTS, groups, run.config.threads,
    )  # fmt: skip
    found.count(groups, run.config.threads)
    note = tr(
        "Parts that at least three kept documents share, and that are a fifth of one of the first three or more. Read"
        " were {read:,} of {kept:,} kept documents, from each the beginning. A header, a footer or a form that does"
        " not matter can be left out: `simsieve templates` writes a file of such parts for `ignore`.",
        read=len(read), kept=len(kept),
    )  # fmt: skip
    parts: list[Html] = []
    for text, letters, documents, _, places in found.rows():
        if len(parts) == MOST_TEMPLATES:
            break
        if any(end - start >= _LEAST_SHARE * len(read[at]) for at, start, end in places):
            names = ", ".join(texts.name(positions[at]) for at, _, _ in places)
            names += "" if documents <= len(places) else ", …"
            title = tr(
                "{count:,} of {read:,} documents share {letters:,} letters: {names}",
                count=documents, read=len(read), letters=letters, names=names,
            )  # fmt: skip
            parts.append(folded(title, tag("pre", cut(text, MOST_CHARACTERS))) if with_texts else tag("p", title))
    return [*(parts or [none_of(tr("None was found."))]), tag("p", with_code(note), class_="note")]


def _clusters(columns: _core.Decisions, texts: Texts, shown: Callable[[Sequence[Sample]], list[Html]]) -> list[Html]:
    found = heads(columns.decision, columns.representative)
    sizes = cluster_sizes(found)
    groups = np.flatnonzero(sizes > 1)
    parts = []
    for number, head in enumerate(groups[np.argsort(-sizes[groups], kind="stable")[:MOST_CLUSTERS]].tolist()):
        samples = cluster_samples(head, np.flatnonzero(found == head), columns, _OF_A_CLUSTER)
        title = tr("{name}: {count:,} documents", name=texts.name(head), count=int(sizes[head]))
        parts.append(folded(title, *shown(samples), is_open=number == 0))
    return parts or [none_of(tr("No document represents another."))]


def _failed(result: Any) -> list[Html]:
    failures = result.failures()
    if not failures:
        return [none_of(tr("None."))]
    codes = [(code, f"{count:,}") for code, count in failed_by_code(failures).items()]
    head = (tr("position"), tr("code"), tr("reason"))
    rows = [(f"{position}", code, message[:500]) for position, code, message in failures[:MOST_FAILED]]
    parts = [
        table((tr("code"), tr("failed")), codes),
        folded(tr("the first {count:,}", count=len(rows)), table(head, rows)),
    ]
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
    shown = [(name, ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) for name, value in given]
    settings = [tag("h3", tr("Settings that are not the default")), table((), shown)] if shown else []
    return [tag("pre", tag("code", command)), table((), rows), *settings]


def changed_settings(config: DedupConfig) -> list[tuple[str, Any]]:
    """Give the settings that are not the default."""
    return [(name, getattr(config, name)) for name, row in SETTINGS.items() if getattr(config, name) != row.default]
