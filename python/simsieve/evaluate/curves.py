"""The page on a calibration: curves of precision and recall over thresholds, and what the choice rests on."""

from simsieve.evaluate.calibrate import Calibration
from simsieve.messages import tr
from simsieve.report.page import Html, Line, lines, page, section, table, tag


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
        (f"{row.threshold:g}", *(_shown(value, *interval) for value, interval in (
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


def _shown(value: float | None, low: float, high: float) -> str:
    return "-" if value is None else f"{value:.4f} ({low:.4f} - {high:.4f})"
