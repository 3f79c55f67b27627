"""`simsieve evaluate edits`: how many edited copies each scheme finds, and how many other texts."""

import json
from typing import Any

import click

from simsieve.cli.common import as_source, command_line, echo, say, warned
from simsieve.cli.configured import Configured, is_given
from simsieve.cli.options import PATH, file_option, json_option, option, quiet_option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.config.setting import INPUT, NEAR
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr


@click.command(
    cls=Configured,
    examples=(
        "simsieve evaluate edits articles.jsonl --report edits.html",
        "simsieve evaluate edits articles.jsonl --edit words --table edits.csv",
        "simsieve evaluate edits articles.jsonl \\\n    --scheme chars128@0.6 --scheme words64@3bits",
    ),
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=PATH)
@option(
    "--articles", type=int, metavar="N", default=1565, group=INPUT, common=True,
    help="At most this many texts are searched, 3 to 4000. Default: 1565.",
)  # fmt: skip
@option(
    "--edited", type=int, metavar="N", default=1162, group=INPUT, common=True,
    help="At most this many of them are edited. Default: 1162.",
)  # fmt: skip
@option(
    "--edit", metavar="runs|words", default="runs", group=INPUT, common=True,
    help="Edit runs of 1 to 8 words, or scattered single words. Default: runs.",
)  # fmt: skip
@option(
    "--draws", type=int, metavar="N", default=3, group=INPUT, common=True,
    help="How often texts are chosen and edited anew, 1 to 100. Default: 3.",
)  # fmt: skip
@option(
    "--min-characters", "least_characters", type=int, metavar="N", default=800, group=INPUT, common=True,
    help="Leave shorter texts out. Default: 800.",
)  # fmt: skip
@option(
    "--rivals", is_flag=True, group=NEAR,
    help="Measure MinHash of datasketch, which must be installed, and the exact Jaccard similarity, too.",
)  # fmt: skip
@settings_options("edits")
@file_option("--report", "Write a page of HTML with the curves.", common=True)
@file_option("--table", "Write all figures as .csv, .tsv, .jsonl or .parquet.", common=True)
@json_option("All figures as one JSON object.")
@quiet_option
def edits(
    *,
    sources: tuple[str, ...],
    articles: int,
    edited: int,
    edit: Any,
    draws: int,
    least_characters: int,
    rivals: bool,
    report: str | None,
    table: str | None,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
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

    check_outputs([Output(report, "page"), Output(table, "table")], sources)
    if not is_given(click.get_current_context(), "scheme"):
        settings["scheme"] = SCHEMES
    config = DedupConfig.from_settings(settings)
    with shown_progress(quiet=quiet, output="-") as progress:
        trial = run_edits(
            as_source(sources), config, articles=articles, edited=edited, edit=edit, draws=draws,
            least_characters=least_characters, rivals=rivals, progress=progress, warn=warned,
        )  # fmt: skip
    if report is not None:
        write_text(report, edit_page(trial, command_line(click.get_current_context())), private=True)
    if table is not None:
        write_figures(trial, table)
    if as_json:
        echo(json.dumps(trial.summary, ensure_ascii=False))
        return 0
    echo(columned(shown_trial(trial)))
    if not quiet:
        seen = trial.originals
        say(
            tr("{articles:,} of {read:,} documents searched, {edited:,} edited {draws} times", articles=len(seen.texts),
               read=seen.read, edited=trial.edited, draws=trial.draws)
        )  # fmt: skip
    return 0
