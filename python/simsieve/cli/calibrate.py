"""`simsieve calibrate`: the scheme and the threshold that suit a collection."""

import json
import shlex
from typing import TYPE_CHECKING

import click

from simsieve.cli.common import command_line, echo, say, warned
from simsieve.cli.evaluate import from_option, labels_option, score_rows
from simsieve.cli.given import Given, is_given, reads
from simsieve.cli.options import PATH, SHARE, file_option, option, output_option
from simsieve.config.setting import INPUT, NEAR
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.uris import shown
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.evaluate.calibrate import Calibration
    from simsieve.evaluate.rules import Rules


@reads(
    "calibrate",
    examples=(
        "simsieve calibrate corpus.jsonl -o run.toml --report curves.html",
        "simsieve calibrate corpus.jsonl --labels cluster --precision 0.99",
        "simsieve calibrate corpus.jsonl --verdicts verdicts.csv",
        "simsieve calibrate refs.jsonl --labels cluster \\\n    --field title --field author --near year:1 --agree doi",
        "simsieve calibrate corpus.jsonl --recall 0.95 \\\n    --scheme chars128 --scheme words128",
    ),
    as_json="All figures as one JSON object.",
)
@output_option("Write the settings with the chosen scheme and threshold as TOML, for --config.")
@labels_option
@option(
    "--pairs", metavar="FILE", type=PATH, group=INPUT,
    help="A file of labelled pairs: the columns a, b and label or verdict.",
)  # fmt: skip
@option(
    "--verdicts", "marked", metavar="FILE", type=PATH, group=INPUT, common=True,
    help="A file of verdicts that `simsieve review` saved, as labelled pairs.",
)  # fmt: skip
@option(
    "--precision", type=SHARE, metavar="X", group=NEAR, common=True,
    help="The least precision that is wanted; then the most recall is chosen.",
)  # fmt: skip
@option(
    "--recall", "wanted", type=SHARE, metavar="X", group=NEAR, common=True,
    help="The least recall that is wanted; then the most precision is chosen.",
)  # fmt: skip
@option(
    "--documents", type=int, metavar="N", default=1000, group=INPUT, common=True,
    help="How many documents are sampled, without labels; at least 3.",
)  # fmt: skip
@from_option
@file_option("--report", "Write a page of HTML with the curves.", common=True)
def calibrate(
    given: Given, *, label: str | None, pairs: str | None, marked: str | None, precision: float | None,
    wanted: float | None, documents: int, lowest: float | None, report: str | None,
) -> int:  # fmt: skip
    """Choose a scheme and a threshold for a collection.

    Without labels, a sample of the texts is edited in twelve ways and three strengths. A threshold is good if it finds
    the edited copies and no other pairs; the default stays unless another is clearly better. With labels, they decide.
    Without a goal the best F1 is chosen. With labels and several --field, or rules such as --near, the command chooses
    a threshold for each field and the rules that pay, and judges them on groups that it has not seen.
    """
    from simsieve.config.toml import settings_toml
    from simsieve.evaluate.calibrate import SCHEMES, run_calibrate
    from simsieve.evaluate.pages import curves_page
    from simsieve.report.table import aligned
    from simsieve.sinks.base import write_text
    from simsieve.sinks.checks import Output, check_outputs

    if sum(name is not None for name in (label, pairs, marked)) > 1:
        raise click.UsageError(tr("give one of --labels, --pairs and --verdicts: the labels come from one place"))
    files = [name for name in (pairs, marked) if name is not None]
    check_outputs([Output(given.output, "file"), Output(report, "page")], [*given.sources, *files])
    schemes = given.settings["scheme"] if is_given(click.get_current_context(), "scheme") else SCHEMES
    schemes = [schemes] if isinstance(schemes, str) else list(schemes)
    given.settings["scheme"] = schemes[0]
    with given.progress("-") as progress:
        found = run_calibrate(
            given.source, given.config, schemes, field=label, pairs=pairs or marked, documents=documents,
            precision=precision, recall=wanted, lowest=lowest, progress=progress, warn=warned,
        )  # fmt: skip
    if given.output is not None:
        write_text(given.output, settings_toml(found.config))
    if report is not None:
        write_text(report, curves_page(found, command_line(click.get_current_context())), private=True)
    if given.as_json:
        echo(json.dumps(found.summary, ensure_ascii=False))
        return 0
    echo(aligned(_rows(found)))
    if found.edits and not given.quiet:
        say(tr("edited copies are not your duplicates: read 20 pairs with `simsieve review` and give --verdicts"))
    if not found.choice.is_reached:
        say(tr("warning: ") + tr("nothing reaches the goal; this is the nearest to it"))
    if found.rules is not None and not given.quiet:
        say(
            shlex.join(
                ["simsieve", "dedup", *map(shown, given.sources), "-o", "kept.jsonl", *_words(found.config, given)]
            )
        )
    if given.output is not None and not given.quiet:
        say(tr("the settings are in {path}: simsieve dedup SOURCE -o FILE --config {path}", path=given.output))
    return 0


def _rule_rows(rules: "Rules") -> list[tuple[str, str]]:
    said = {
        True: [tr("{rule} (F1 {value:.4f} without it)", rule=_rule(*one), value=f1)
               for one, (pays, f1) in rules.rules.items() if pays],
        False: [_rule("field", name) for name, least in rules.fields.items() if not least]
        + [tr("{rule} (F1 {value:.4f} with it)", rule=_rule(*one), value=f1)
           for one, (pays, f1) in rules.rules.items() if not pays],
    }  # fmt: skip
    fields = [f"{name} {least:g}" for name, least in rules.fields.items() if least]
    score = tr(
        "precision {precision:.4f}, recall {recall:.4f}, F1 {value:.4f}",
        precision=rules.held_out.precision or 0.0, recall=rules.held_out.recall or 0.0, value=rules.held_out.f1,
    )  # fmt: skip
    return [
        (tr("groups of copies"), f"{rules.groups:,}"),
        (tr("fields"), ", ".join(fields)),
        (tr("pays"), ", ".join(said[True]) or tr("none")),
        (tr("does not pay"), ", ".join(said[False]) or tr("none")),
        (tr("each half by the other's choice"), score),
    ]


def _rule(kind: str, value: str) -> str:
    return f"--{kind} {value}"


def _words(config: DedupConfig, given: Given) -> list[str]:
    """The options of a run with these settings: what was chosen, and what was given besides."""
    from simsieve.evaluate.rules import OF_FIELDS

    words: list[str] = []
    for name in dict.fromkeys((*OF_FIELDS, "text_field", "conflict", *given.settings)):
        row, value = SETTINGS[name], getattr(config, name)
        if name == "conflict":
            value = value or ("none",)
        elif name == "similarity" and not config.criteria[1:]:
            value = config.threshold
        is_other = name in ("kind", "verdicts") or row.rare or (name == "text_field" and config.field)
        if value == row.default or is_other:
            continue
        words += [word for one in (value if row.several else (value,)) for word in (row.option, str(one))]
    return words


def _rows(found: "Calibration") -> list[tuple[str, str]]:
    choice = found.choice
    low, high = choice.alike
    alike = tr("F1 does not differ significantly from that of {low:g} to {high:g}", low=low, high=high)
    if low == high:
        alike = tr("F1 differs from that of the next thresholds")
    rows = [
        (tr("documents"), f"{found.documents:,}"),
        *([] if found.rules is None else _rule_rows(found.rules)),
        (tr("scheme"), choice.curve.scheme),
        (tr("similarity"), f"{choice.row.threshold:g} ({alike})"),
        *score_rows(choice.row, tr("at {threshold:g}", threshold=choice.row.threshold)),
    ]
    if (better := choice.better) is not None:
        text = tr("F1 {value:.4f} at {threshold:g} is too little more: the default stays")
        rows.append((tr("best F1"), text.format(value=better.f1, threshold=better.threshold)))
    if found.bound is not None:
        text = tr(
            "--max-lost {units}: F1 {value:.4f} instead of {other:.4f}, precision {precision:.4f}, recall {recall:.4f}"
        )
        units, score = found.bound
        line = text.format(
            units=units, value=score.f1, other=choice.row.f1, precision=score.precision, recall=score.recall
        )
        rows.append((tr("a bound of what is lost"), line))
    if choice.others:
        rows.append((tr("schemes as good"), ", ".join(choice.others)))
    for curve in found.curves:
        best = max(curve.rows, key=lambda row: row.f1)
        text = tr("best F1 {value:.4f} at {threshold:g}, average precision {average:.4f}")
        line = text.format(value=best.f1, threshold=best.threshold, average=curve.average_precision)
        rows.append((curve.scheme, line))
    missed = [edit for edit in found.edits if edit.found < edit.copies]
    lost = [f"{tr(edit.kind)} {edit.share:.0%}: {edit.found}/{edit.copies}" for edit in missed]
    if found.edits:
        rows.append((tr("copies not all found"), ", ".join(lost) or tr("none")))
    return rows
