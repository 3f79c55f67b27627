"""`simsieve lines`: remove lines, sentences or paragraphs that are repeated."""

from typing import TYPE_CHECKING

import click

from simsieve.cli.common import echo, say, warned
from simsieve.cli.given import Given, reads
from simsieve.cli.options import SHARE, file_option, option, output_option
from simsieve.config.setting import NEAR, OUTPUT, STAYS
from simsieve.display import cut
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.inside import LinesResult

_SHOWN = 10
"""Units and scopes that are printed."""


@reads(
    "lines",
    examples=(
        "simsieve lines web.jsonl -o clean.jsonl --table repeated.csv",
        "simsieve lines web.jsonl -o clean.jsonl --scope site --min-share 0.5 \\\n    --keep-repeats 0",
        "simsieve lines web.jsonl -o clean.jsonl --unit 3-sentences \\\n    --rest-below 200 --dropped short.jsonl",
        "simsieve lines web.jsonl -o clean.jsonl --near 0.9",
        "simsieve lines pages/ -o clean/",
    ),
    as_json="The run's numbers as JSON on stdout, or on stderr with `-o -`.",
    failed=True,
)
@output_option("Where the records go without what is repeated; by default nothing is written. `-` is stdout.")
@option(
    "--unit", type=click.Choice(("line", "sentence", "paragraph", "3-sentences")), default="line", group=NEAR,
    common=True, help="What is compared and removed as a whole. 3-sentences are any three that follow one another.",
)  # fmt: skip
@option(
    "--near", type=SHARE, metavar="X", group=NEAR, common=True,
    help="Units of at least this similarity count as equal. By default equal ones do; case and spaces never count.",
)  # fmt: skip
@option(
    "--scope", metavar="corpus|FIELD", default="corpus", group=NEAR, common=True,
    help="Where a unit counts as repeated: in all records, or among those that are equal in a field, such as site.",
)  # fmt: skip
@option(
    "--min-length", type=click.IntRange(min=1), metavar="N", default=10, group=NEAR, common=True,
    help="Shorter units stay, in characters.",
)  # fmt: skip
@option(
    "--min-share", type=SHARE, metavar="X", default=0.0, group=NEAR,
    help="The least share of the documents of a scope that a unit stands in: what is on most pages of a site is"
    " furniture.",
)  # fmt: skip
@option(
    "--keep-repeats", type=click.IntRange(min=0), metavar="N", default=1, group=STAYS, common=True,
    help="How many of a repeated unit stay, the first ones; with 0 none does.",
)  # fmt: skip
@option(
    "--rest-below", type=click.IntRange(min=0), metavar="N", default=0, group=STAYS,
    help="Documents that lose something, and of which fewer characters are left, are not written to the output.",
)  # fmt: skip
@option(
    "--annotate", is_flag=True, group=OUTPUT,
    help="Write all records whole, with the places of what is repeated and the characters that would be left.",
)  # fmt: skip
@file_option("--table", "Write the most frequent units, at most 1,000, with their counts.", common=True)
@file_option("--dropped", "Write the documents that --rest-below leaves out, whole, with what is repeated in them.")
def lines(
    given: Given, *, unit: str, near: float | None, scope: str, min_length: int, min_share: float,
    keep_repeats: int, rest_below: int, annotate: bool, table: str | None, dropped: str | None,
) -> int:  # fmt: skip
    """Remove the lines, sentences or paragraphs that are repeated over a collection.

    Whole units go, and all but the first of each. The rest of a record stays byte for byte as it is.
    """
    from simsieve.inside.repeated import LineChoice, LinesResult, run_lines
    from simsieve.sinks.checks import Output, Sinks

    choice = LineChoice(unit, near, scope, keep_repeats, min_length, min_share, rest_below)
    sinks = Sinks(given.output, annotate=annotate)
    outputs = [
        Output(given.failed, "table", LinesResult.write_failed),
        Output(table, "table", LinesResult.write_units),
        Output(dropped, "table", LinesResult.write_short),
    ]
    with given.progress() as progress:
        result = run_lines(given.source, given.config, choice, sinks, outputs, progress=progress, warn=warned)
    given.close(result.summary, lambda: _tell(result, given.output, scope))
    return given.code(result.failures(), result.read)


def _tell(result: "LinesResult", output: str | None, scope: str) -> None:
    """Say what goes, in all and by scope, and which units are the most frequent."""
    from simsieve.report.table import columned

    numbers = result.summary
    text = tr("{removed_units:,} of {units:,} units go: {repeated:,} of {distinct:,} different ones are repeated")
    say(text.format(**numbers) + ("" if output in (None, "-") else f" -> {output}"))
    share = numbers["removed_characters"] / max(1, numbers["characters"])
    text = tr(
        "{removed_characters:,} of {characters:,} characters go ({share:.1%}), in {changed:,} of {read:,} documents;"
        " {empty:,} have nothing left"
    )
    say(text.format(**numbers, share=share))
    if numbers["short"]:
        say(tr("{short:,} documents have less left than --rest-below and are not written").format(**numbers))
    if numbers["recall"] is not None:
        say(tr("recall of the search for near units: {recall:.4f}").format(**numbers))
    rows = [(_one_line(one.text), f"{one.count:,}", f"{one.documents:,}") for one in result.repeated[:_SHOWN]]
    if rows:
        echo(columned([(tr("unit"), tr("count"), tr("documents")), *rows]), err=True)
    totals = [one for one in result.scopes[:_SHOWN] if one.removed] if scope != "corpus" else []
    if totals:
        head = (scope, tr("documents"), tr("characters"), tr("removed"))
        table = [
            (_one_line(str(one.scope)), f"{one.documents:,}", f"{one.characters:,}", f"{one.removed:,}")
            for one in totals
        ]
        echo(columned([head, *table]), err=True)


def _one_line(text: str) -> str:
    return cut(" ".join(text.split()), 50)
