"""`simsieve templates`: find the parts of text that many documents share."""

from typing import TYPE_CHECKING

import click

from simsieve.cli.common import echo, say, warned
from simsieve.cli.given import Given, reads
from simsieve.cli.options import SHARE, file_option, option, output_option
from simsieve.config.setting import NEAR
from simsieve.display import cut
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.inside import TemplatesResult

_SHOWN = 10
"""Templates that are printed."""


@reads(
    "templates",
    examples=(
        "simsieve templates questions.jsonl -o templates.jsonl",
        "simsieve dedup questions.jsonl -o kept.jsonl --ignore templates.jsonl",
        "simsieve templates pages/ -o templates.jsonl --min-count 20 \\\n    --table templates.csv",
    ),
    as_json="The run's numbers as JSON on stdout, or on stderr with `-o -`.",
    failed=True,
)
@output_option(
    "Where the templates go, for --ignore of other commands: a file of JSON lines, which you may edit. `-` is stdout."
)
@option(
    "--min-length", type=click.IntRange(min=15), metavar="N", default=30, group=NEAR, common=True,
    help="The least letters of a template; spaces and punctuation do not count.",
)  # fmt: skip
@option(
    "--min-count", type=click.IntRange(min=2), metavar="N", default=5, group=NEAR, common=True,
    help="The least number of documents that have it; documents that are near one another count as one.",
)  # fmt: skip
@option(
    "--near", type=SHARE, metavar="X", default=0.9, group=NEAR, common=True,
    help="Documents of at least this similarity are near: copies of one document make no template.",
)  # fmt: skip
@file_option(
    "--table", "Write the templates as a table, a row each with its counts and its first document.", common=True
)
def templates(given: Given, *, min_length: int, min_count: int, near: float, table: str | None) -> int:
    """Find the parts of text that many documents share, though the documents differ.

    Such a template makes documents near that have little else in common. The other commands take its file by --ignore:
    then they compare what is a document's own.
    """
    from simsieve.inside.shared import TemplateChoice, TemplatesResult, run_templates
    from simsieve.sinks.checks import Output

    outputs = [
        Output(given.failed, "table", TemplatesResult.write_failed),
        Output(table, "table", TemplatesResult.write_table),
        Output(given.output, "lines", TemplatesResult.write),
    ]
    with given.progress() as progress:
        choice = TemplateChoice(min_length, min_count, near)
        result = run_templates(given.source, given.config, choice, outputs, progress=progress, warn=warned)
    given.close(result.summary, lambda: _tell(result, given.output))
    return given.code(result.failures(), result.read)


def _tell(result: "TemplatesResult", output: str | None) -> None:
    """Say how many templates there are, and which ones most documents have."""
    from simsieve.report.table import columned

    text = tr("{templates:,} templates in {read:,} documents")
    say(text.format(**result.summary) + ("" if output in (None, "-") else f" -> {output}"))
    rows = [
        (cut(" ".join(one.text.split()), 50), f"{one.documents:,}", f"{one.groups:,}", f"{one.letters:,}")
        for one in result.templates[:_SHOWN]
    ]
    if rows:
        echo(columned([(tr("template"), tr("documents"), tr("groups"), tr("letters")), *rows]), err=True)
