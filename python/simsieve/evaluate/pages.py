"""Pages and tables for people: the curves of a calibration, and the results of an evaluation by edits."""

from collections.abc import Iterator, Sequence
from typing import Any

from simsieve.evaluate.calibrate import Calibration
from simsieve.evaluate.edit_rates import DISTANCE_SHARE, DISTANCES, SEARCH_SHARE, SHARES, EditRates, EditTrial
from simsieve.evaluate.metrics import PairScore
from simsieve.messages import tr
from simsieve.report.page import Html, Line, lines, page, section, table, tag
from simsieve.sinks.base import Kind, SinkPath
from simsieve.sinks.tables import write_objects

COLUMNS: dict[str, Kind | None] = {
    "scheme": "text", "experiment": "text", "share": "float", "threshold": "float", "copies": "int", "found": "int",
    "right": "int", "precision": "float", "precision_low": "float", "precision_high": "float", "recall": "float",
    "recall_low": "float", "recall_high": "float", "f1": "float",
}  # fmt: skip


def shown_trial(trial: EditTrial) -> list[tuple[str, ...]]:
    """Put the figures into rows of cells, the header first."""
    head = (
        tr("scheme"), *(f"T={share:.0%}" for share in SHARES), tr("precision"), tr("recall"), "F1", tr("best F1"),
        tr("at threshold"),
    )  # fmt: skip
    return [head, *(_shown(rates) for rates in trial.rates)]


def _shown(rates: EditRates) -> tuple[str, ...]:
    score, best = rates.at(), rates.at(threshold=rates.best)
    return (
        rates.scheme, *(f"{rates.at(share).recall:.3f}" for share in SHARES), _share(score.precision),
        _share(score.recall), f"{score.f1:.3f}", f"{best.f1:.3f}", f"{rates.best:g}",
    )  # fmt: skip


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def write_figures(trial: EditTrial, sink: SinkPath) -> None:
    """Write every score as a row of a table."""
    write_objects(sink, COLUMNS, _figures(trial))


def _figures(trial: EditTrial) -> Iterator[dict[str, Any]]:
    for rates in trial.rates:
        for row in rates.distances:
            yield _figure(rates.scheme, "distance", DISTANCE_SHARE, row)
        for share in rates.shares:
            for threshold in dict.fromkeys((rates.bound, rates.best)):
                yield _figure(rates.scheme, "share", share, rates.at(share, threshold))
        for row in rates.search:
            yield _figure(rates.scheme, "search", SEARCH_SHARE, row)


def _figure(scheme: str, experiment: str, share: float, row: PairScore) -> dict[str, Any]:
    (low, high), (least, most) = row.precision_interval, row.recall_interval
    values = (
        scheme, experiment, share, row.threshold, row.gold, row.found, row.right, row.precision, low, high, row.recall,
        least, most, row.f1,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def edit_page(trial: EditTrial, command: str) -> str:
    """Make the page; it has no texts."""
    seen = trial.originals
    note = tr(
        "{articles:,} of {read:,} documents are searched; {edited:,} of them are edited, {draws} times. Left out were"
        " {copies:,} copies, and {short:,} documents that were drawn and are too short.",
        articles=len(seen.texts), read=seen.read, edited=trial.edited, draws=trial.draws, copies=seen.left_out,
        short=seen.short,
    )  # fmt: skip
    ways = (
        tr("Runs of 1 to 8 words are deleted, moved, replaced or changed.")
        if trial.edit == "runs"
        else tr("Single words all over the text are deleted, moved, replaced or changed.")
    )
    return page(
        tr("Edited copies found, by scheme"),
        section(tr("Texts"), tag("p", note), tag("p", ways)),
        section(tr("Copies found by the share of words that is edited"), *_by_share(trial)),
        *_by_distance(trial),
        section(
            tr("One edited copy among all texts"),
            tag("p", tr("{share:.0%} of the words of each copy are edited.", share=SEARCH_SHARE), class_="note"),
            _search_chart(trial),
            _search_table(trial),
        ),
        section(tr("Do it again"), tag("pre", tag("code", command))),
    )


def _by_share(trial: EditTrial) -> list[Html]:
    ticks = [(share, f"{share:.0%}") for share in SHARES]
    title = tr("Share of copies found, at most T of the words edited")
    drawn = [Line(rates.scheme, [(share, rates.at(share).recall or 0.0) for share in SHARES]) for rates in trial.rates]
    rows = [
        (rates.scheme, *(_interval(rates.at(share).recall, rates.at(share).recall_interval) for share in SHARES))
        for rates in trial.rates
    ]
    head = (tr("scheme"), *(f"T = {share:.0%}" for share in SHARES))
    note = tr("Each scheme has its own threshold; compare the copies found with the precision below.")
    chart = lines(drawn, (SHARES[0], SHARES[-1]), title, ticks=ticks)
    return [chart, table(head, rows), tag("p", note, class_="note")]


def _by_distance(trial: EditTrial) -> list[Html]:
    measured = [rates for rates in trial.rates if rates.distances]
    if not measured:
        return []
    title = tr("Copies found by distance, at most {share:.0%} of the words edited", share=DISTANCE_SHARE)
    ticks = [(float(bits), f"{bits}") for bits in DISTANCES]
    drawn = [Line(rates.scheme, [(row.threshold, row.recall or 0.0) for row in rates.distances]) for rates in measured]
    rows = [(rates.scheme, *(_share(row.recall) for row in rates.distances)) for rates in measured]
    head = (tr("scheme"), *(name for _, name in ticks))
    return [section(title, lines(drawn, (DISTANCES[0], DISTANCES[-1]), title, ticks=ticks), table(head, rows))]


def _search_chart(trial: EditTrial) -> Html:
    title = tr("Precision by recall, over all thresholds")
    drawn = []
    for rates in trial.rates:
        points = [(row.recall or 0.0, row.precision or 0.0) for row in reversed(rates.search) if row.found]
        drawn.append(Line(rates.scheme, points))
    return tag("div", tag("h3", title), lines(drawn, (0.0, 1.0), title))


def _search_table(trial: EditTrial) -> Html:
    head = (
        tr("scheme"), tr("precision"), tr("recall"), "F1", tr("F1 of the draws"), tr("best F1"), tr("at threshold"),
        tr("precision"), tr("recall"),
    )  # fmt: skip
    return table(head, [_search_row(rates) for rates in trial.rates])


def _search_row(rates: EditRates) -> Sequence[str]:
    score, best = rates.at(), rates.at(threshold=rates.best)
    low, high = rates.spread
    return (
        rates.scheme, _interval(score.precision, score.precision_interval),
        _interval(score.recall, score.recall_interval), f"{score.f1:.4f}", f"{low:.4f} - {high:.4f}",
        f"{best.f1:.4f}", f"{rates.best:g}", _share(best.precision), _share(best.recall),
    )  # fmt: skip


def _interval(value: float | None, interval: tuple[float, float]) -> str:
    return "-" if value is None else f"{value:.4f} ({interval[0]:.4f} - {interval[1]:.4f})"


def curves_page(found: Calibration, command: str) -> str:
    """Make the page on a calibration; it has no texts."""
    choice, mark = found.choice, [found.choice.row.threshold]
    span = (found.curves[0].rows[0].threshold, found.curves[0].rows[-1].threshold)
    charts = []
    for name, pick in (("F1", "f1"), (tr("precision"), "precision"), (tr("recall"), "recall")):
        drawn = []
        for curve in found.curves:
            points = [(row.threshold, getattr(row, pick)) for row in curve.rows]
            drawn.append(Line(curve.scheme, [point for point in points if point[1] is not None]))
        charts.append(tag("div", tag("h3", name), lines(drawn, span, name, mark)))
    head = (tr("threshold"), tr("precision"), tr("recall"), "F1")
    steps = [row for at, row in enumerate(choice.curve.rows) if at % 5 == 0 or row is choice.row]
    scores = [
        (f"{row.threshold:g}", *(_with_interval(value, *interval) for value, interval in (
            (row.precision, row.precision_interval), (row.recall, row.recall_interval))), f"{row.f1:.4f}")
        for row in steps
    ]  # fmt: skip
    low, high = choice.alike
    note = tr(
        "The F1 of thresholds from {low:g} to {high:g} does not differ significantly from that of the chosen one."
    )
    parts = [tag("p", note.format(low=low, high=high))]
    if choice.others:
        parts.append(tag("p", tr("Schemes as good: {names}.", names=", ".join(choice.others))))
    if not choice.is_reached:
        parts.insert(0, tag("p", tag("b", tr("nothing reaches the goal; this is the nearest to it"))))
    made = []
    if found.edits:
        note = tr(
            "Copies found at the chosen threshold, by the kind of edit and the share of the text that was edited."
        )
        made.append(section(tr("Edited copies"), tag("p", note, class_="note"), _edits(found)))
    title = tr("{scheme} at similarity {threshold:g}", scheme=choice.curve.scheme, threshold=choice.row.threshold)
    return page(
        title,
        section(tr("The choice"), *parts),
        section(tr("Curves"), tag("div", *charts, class_="charts")),
        section(tr("Thresholds"), tag("p", choice.curve.scheme), table(head, scores)),
        *made,
        section(tr("Do it again"), tag("pre", tag("code", command))),
    )


def _edits(found: Calibration) -> Html:
    """A row for each kind of edit, a column for each share."""
    cells = {(edit.kind, edit.share): f"{edit.found}/{edit.copies}" for edit in found.edits}
    shares = sorted({share for _, share in cells})
    kinds = dict.fromkeys(kind for kind, _ in cells)
    rows = [(kind, *(cells.get((kind, share), "-") for share in shares)) for kind in kinds]
    return table((tr("edit"), *(f"{share:.0%}" for share in shares)), rows)


def _with_interval(value: float | None, low: float, high: float) -> str:
    return "-" if value is None else f"{value:.4f} ({low:.4f} - {high:.4f})"
