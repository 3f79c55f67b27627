"""The command that helps after a run, in the words of the user's own command line."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import command_line
from simsieve.cli.configured import CONFIG, is_given
from simsieve.config.setting import REPEATED, Setting
from simsieve.config.settings import SETTINGS
from simsieve.config.uris import shown
from simsieve.registry import in_database

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks


def next_command(ctx: click.Context, result: "DedupResult", sinks: "Sinks", sources: Sequence[str]) -> str | None:
    """Give the command to call next: to have the failed records, or to look at the near duplicates; else None."""
    run_dir = ctx.params["run_dir"]
    if "-" in sources or not (sources or run_dir):
        return None
    if result.has_too_many_failed and sinks.failed is None:
        return f"{command_line(ctx)} --failed failed.jsonl"
    if not result.counts.near or sinks.report is not None:
        return None
    # Near duplicates of old documents are not for `review`.
    if ctx.params["against"]:
        return f"{command_line(ctx)} --report report.html"
    if run_dir:
        return shlex.join(["simsieve", "review", "--run-dir", run_dir, "-o", "review.html"])
    given = (row for name, row in SETTINGS.items() if "review" in row.of and not row.rare and is_given(ctx, name))
    words = [word for row in given for word in _words(row, ctx.params[row.name])]
    of_file = [] if (file := ctx.meta.get(CONFIG)) is None else ["--config", file]
    return shlex.join(
        ["simsieve", "review", *(_source(ctx, name) for name in sources), *of_file, *words, "-o", "review.html"]
    )


def _source(ctx: click.Context, name: str) -> str:
    """A source as it is given on a command line, with the query of a collection."""
    query = ctx.params["query"]
    if not query or not in_database(name):
        return shown(name)
    return f"{shown(name)}?query={query.replace('%', '%25').replace('&', '%26')}"


def _words(row: Setting, value: Any) -> list[str]:
    """An option as it is given on a command line."""
    if row.kind is bool:
        return [row.option if value else f"--no-{row.option[2:]}"]
    if row.several == REPEATED and not isinstance(value, str):
        return [word for one in value for word in (row.option, str(one))]
    text = value if isinstance(value, (str, int, float)) else ",".join(map(str, value))
    return [row.option, f"{text:g}" if isinstance(text, float) else str(text)]
