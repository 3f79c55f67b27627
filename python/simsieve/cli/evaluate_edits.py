"""`simsieve evaluate edits`: how many edited copies each scheme finds, and how many other texts."""

import json
from typing import Any

import click

from simsieve.cli.common import command_line, echo, say, warned
from simsieve.cli.configured import is_given
from simsieve.cli.given import Given, reads
from simsieve.cli.options import file_option, option
from simsieve.config.setting import INPUT, NEAR
from simsieve.messages import tr


@reads(
    "edits",
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
    from simsieve.evaluate.edit_page import edit_page, shown_trial, write_figures
    from simsieve.evaluate.edit_rates import SCHEMES, run_edits
    from simsieve.report.table import columned
    from simsieve.sinks.checks import Output, check_outputs
    from simsieve.sinks.files import write_text

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
