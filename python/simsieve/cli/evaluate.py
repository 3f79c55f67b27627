"""`simsieve evaluate`: how well what is found agrees with labels; `evaluate_edits` has its other command."""

import json
from typing import TYPE_CHECKING

import click

from simsieve.cli.common import echo, say, warned
from simsieve.cli.evaluate_edits import edits
from simsieve.cli.given import Given, reads
from simsieve.cli.help import Group
from simsieve.cli.options import PATH, Decorator, file_option, option
from simsieve.cli.values import SHARE
from simsieve.config.setting import INPUT, NEAR
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.evaluate.labels import Evaluation
    from simsieve.evaluate.metrics import PairScore
    from simsieve.sinks.base import Kind

labels_option: Decorator = option(
    "--labels", "field", metavar="FIELD", group=INPUT, common=True,
    help="The field of the labels: records with one label are the same. A record without one is like no other.",
)  # fmt: skip

from_option: Decorator = option(
    "--from", "lowest", metavar="X", type=SHARE, group=NEAR, help="The loosest similarity to try."
)


@click.group(cls=Group, commands=[edits])
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
    given: Given, *, field: str | None, pairs: str | None, found: str | None, errors: str | None,
    lowest: float | None,
) -> int:  # fmt: skip
    """Compare near pairs and clusters with labels.

    The figures are precision, recall and F1 of pairs, average precision, and of clusters B-cubed and the adjusted Rand
    index. They are given at the threshold of the settings and at the threshold with the best F1. The latter was chosen
    on the labels themselves, so it is optimistic.
    """
    from simsieve.evaluate.labels import run_labels
    from simsieve.report.table import aligned
    from simsieve.sinks.checks import Output, check_outputs

    if (field is None) == (pairs is None):
        raise click.UsageError(tr("give either --labels FIELD or --label-pairs FILE: the labels come from one place"))
    check_outputs([Output(errors, "table")], [*given.sources, *(name for name in (pairs, found) if name is not None)])
    with given.progress("-") as progress:
        seen = run_labels(
            given.source, given.config, field=field, pairs=pairs, found=found, lowest=lowest, errors=errors is not None,
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
