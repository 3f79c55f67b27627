"""`simsieve evaluate`: how well duplicates are found, by labels and by edited copies."""

import json
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import command_line, echo, say, warned
from simsieve.cli.given import Given, is_given, reads
from simsieve.cli.help import Group
from simsieve.cli.options import PATH, SHARE, Decorator, file_option, option
from simsieve.config.setting import INPUT, NEAR
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.evaluate.labels import Evaluation
    from simsieve.evaluate.metrics import PairScore
    from simsieve.sinks.base import Kind

labels_option: Decorator = option(
    "--labels", "label", metavar="FIELD", group=INPUT, common=True,
    help="The field of the labels: records with one label are the same. A record without one is like no other.",
)  # fmt: skip

from_option: Decorator = option(
    "--from", "lowest", metavar="X", type=SHARE, group=NEAR, help="The loosest similarity to try."
)


@click.group(cls=Group)
def evaluate() -> None:
    """Measure how well duplicates are found: by labels, or by edited copies of your texts.

    `simsieve evaluate labels` needs records or pairs that people have labelled; `simsieve evaluate edits` needs texts
    alone.
    """


@reads(
    "labels",
    group=evaluate,
    examples=(
        "simsieve evaluate labels corpus.jsonl --labels cluster",
        "simsieve evaluate labels corpus.jsonl --label-pairs pairs.csv",
        "simsieve evaluate labels corpus.jsonl --labels cluster \\\n    --found other.csv --errors errors.csv",
    ),
    as_json="All figures at all thresholds as one JSON object.",
)
@labels_option
@option(
    "--label-pairs", "pairs", metavar="FILE", type=PATH, group=INPUT, common=True,
    help="A file of labelled pairs in place of --labels: the columns a, b and label or verdict. Other pairs do not"
    " count.",
)  # fmt: skip
@option(
    "--found", metavar="FILE", type=PATH, group=INPUT, common=True,
    help="Judge the pairs of this file, which another program found: the columns a, b and, if it has it, similarity or"
    " distance.",
)  # fmt: skip
@file_option(
    "--errors", "Write the pairs that are wrong and those that were missed, as .csv, .tsv or .jsonl.", common=True
)
@from_option
def labels(
    given: Given, *, label: str | None, pairs: str | None, found: str | None, errors: str | None, lowest: float | None
) -> int:
    """Compare near pairs and clusters with labels.

    The figures are precision, recall and F1 of pairs, average precision, and of clusters B-cubed and the adjusted Rand
    index. They are given at the threshold of the settings and at the threshold with the best F1. The latter was chosen
    on the labels themselves, so it is optimistic.
    """
    from simsieve.evaluate.labels import run_labels
    from simsieve.report.table import aligned
    from simsieve.sinks.checks import Output, check_outputs

    if (label is None) == (pairs is None):
        raise click.UsageError(tr("give either --labels FIELD or --label-pairs FILE: the labels come from one place"))
    check_outputs([Output(errors, "table")], [*given.sources, *(name for name in (pairs, found) if name is not None)])
    with given.progress("-") as progress:
        seen = run_labels(
            given.source, given.config, field=label, pairs=pairs, found=found, lowest=lowest, errors=errors is not None,
            progress=progress, warn=warned,
        )  # fmt: skip
    if errors is not None:
        _write_errors(seen, errors)
    if given.as_json:
        echo(json.dumps(seen.summary, ensure_ascii=False))
        return 0
    rows = [
        (tr("documents"), f"{seen.documents:,}"),
        (tr("labelled pairs"), f"{seen.gold:,}"),
        (tr("judged"), seen.scheme),
        *score_rows(seen.at, tr("at {threshold:g}", threshold=seen.at.threshold)),
        (tr("best F1"), tr("{value:.4f} at {threshold:g}", value=seen.best.f1, threshold=seen.best.threshold)),
        (tr("average precision"), f"{seen.average_precision:.4f}"),
    ]
    if seen.clusters is not None:
        text = tr("precision {precision:.4f}, recall {recall:.4f}, F1 {value:.4f}")
        score = seen.clusters
        b3 = text.format(precision=score.bcubed_precision, recall=score.bcubed_recall, value=score.bcubed_f1)
        rows += [("B-cubed", b3), (tr("adjusted Rand index"), f"{score.adjusted_rand:.4f}")]
    echo(aligned(rows))
    if errors is not None and not given.quiet:
        say(tr("{count:,} pairs are wrong or were missed", count=len(seen.errors)) + f" -> {errors}")
    return 0


def score_rows(row: "PairScore", name: str) -> list[tuple[str, str]]:
    """Put a score into rows for people, with its intervals."""

    def share(value: float, interval: tuple[float, float], part: int, whole: int) -> str:
        text = tr("{value:.4f} (95 % interval {low:.4f} to {high:.4f}; {part:,} of {whole:,})")
        return text.format(value=value, low=interval[0], high=interval[1], part=part, whole=whole)

    def titled(what: str) -> str:
        # A Chinese bracket needs no blank before it.
        return what + name if name.startswith("（") else f"{what} {name}"

    precision, recall = tr("none: no pair is found"), tr("none: no pair is the same by the labels")
    if row.precision is not None:
        precision = share(row.precision, row.precision_interval, row.right, row.found)
    if row.recall is not None:
        recall = share(row.recall, row.recall_interval, row.right, row.gold)
    return [(titled(tr("precision")), precision), (titled(tr("recall")), recall), (titled("F1"), f"{row.f1:.4f}")]


def _write_errors(seen: "Evaluation", sink: str) -> None:
    from simsieve.sinks.tables import write_objects

    columns: dict[str, Kind | None] = {
        "kind": "text", "a": "text", "b": "text", "a_position": "int", "b_position": "int", "nearness": "float"
    }  # fmt: skip
    rows = ((one.kind, one.a_id, one.b_id, one.a, one.b, one.nearness) for one in seen.errors)
    write_objects(sink, columns, (dict(zip(columns, row, strict=True)) for row in rows))


@reads(
    "edits",
    group=evaluate,
    examples=(
        "simsieve evaluate edits articles.jsonl --report edits.html",
        "simsieve evaluate edits articles.jsonl --edit words --table edits.csv",
        "simsieve evaluate edits articles.jsonl \\\n    --scheme chars128@0.6 --scheme words64@3bits",
    ),
    as_json="All figures as one JSON object.",
)
@option(
    "--articles", type=int, metavar="N", default=1565, group=INPUT, common=True,
    help="At most this many texts are searched, 3 to 4000.",
)  # fmt: skip
@option(
    "--edited", type=int, metavar="N", default=1162, group=INPUT, common=True,
    help="At most this many of them are edited.",
)  # fmt: skip
@option(
    "--edit", metavar="runs|words", default="runs", group=INPUT, common=True,
    help="Edit runs of 1 to 8 words, or scattered single words.",
)  # fmt: skip
@option(
    "--draws", type=int, metavar="N", default=3, group=INPUT, common=True,
    help="How often texts are chosen and edited anew, 1 to 100.",
)  # fmt: skip
@option(
    "--min-characters", "least_characters", type=int, metavar="N", default=800, group=INPUT, common=True,
    help="Leave shorter texts out.",
)  # fmt: skip
@option(
    "--rivals", is_flag=True, group=NEAR,
    help="Measure MinHash of datasketch, which must be installed, and the exact Jaccard similarity, too.",
)  # fmt: skip
@file_option("--report", "Write a page of HTML with the curves.", common=True)
@file_option("--table", "Write all figures as .csv, .tsv, .jsonl or .parquet.", common=True)
def edits(
    given: Given, *, articles: int, edited: int, edit: Any, draws: int, least_characters: int, rivals: bool,
    report: str | None, table: str | None,
) -> int:  # fmt: skip
    """Edit copies of texts, and count how many of them each scheme finds.

    Each scheme is measured at its own threshold: words64@3bits, chars128@0.6. A copy has words deleted, moved,
    replaced and changed, at most the share T of them. Precision, recall and F1 are of one copy, with 10 % of its words
    edited, searched among all texts. The best threshold is chosen on the same copies, so its F1 is optimistic.
    """
    from simsieve.evaluate.edit_rates import SCHEMES, run_edits
    from simsieve.evaluate.pages import edit_page, shown_trial, write_figures
    from simsieve.report.table import columned
    from simsieve.sinks.base import write_text
    from simsieve.sinks.checks import Output, check_outputs

    check_outputs([Output(report, "page"), Output(table, "table")], given.sources)
    if not is_given(click.get_current_context(), "scheme"):
        given.settings["scheme"] = SCHEMES
    with given.progress("-") as progress:
        trial = run_edits(
            given.source, given.config, articles=articles, edited=edited, edit=edit, draws=draws,
            least_characters=least_characters, rivals=rivals, progress=progress, warn=warned,
        )  # fmt: skip
    if report is not None:
        write_text(report, edit_page(trial, command_line(click.get_current_context())), private=True)
    if table is not None:
        write_figures(trial, table)
    if given.as_json:
        echo(json.dumps(trial.summary, ensure_ascii=False))
        return 0
    echo(columned(shown_trial(trial)))
    if not given.quiet:
        seen = trial.originals
        say(
            tr("{articles:,} of {read:,} documents searched, {edited:,} edited {draws} times", articles=len(seen.texts),
               read=seen.read, edited=trial.edited, draws=trial.draws)
        )  # fmt: skip
    return 0
