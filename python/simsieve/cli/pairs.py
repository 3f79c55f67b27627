"""`simsieve pairs`: list the near pairs and drop nothing."""

from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, say, warned
from simsieve.cli.configured import Configured
from simsieve.cli.options import (
    PATH,
    against_option,
    failed_option,
    output_option,
    progress_option,
    quiet_option,
    settings_options,
)
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr


@click.command(
    cls=Configured,
    examples=(
        "simsieve pairs corpus.jsonl -o pairs.jsonl",
        "simsieve pairs corpus.jsonl --max-distance 3 --scheme chars64 | head",
        "simsieve pairs new.jsonl --against old.jsonl -o across.jsonl",
    ),
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=PATH)
@output_option("Where the pairs go: .jsonl, .csv, .tsv or .parquet; `-`, the default, is stdout.", default="-")
@against_option("Give only pairs across two collections: a of the sources, b of this file. May be repeated.")
@failed_option
@settings_options("pairs")
@quiet_option
@progress_option
def pairs(
    *,
    sources: tuple[str, ...],
    output: str,
    against: tuple[str, ...],
    failed: str | None,
    quiet: bool,
    progress_kind: str,
    **settings: Any,
) -> int:
    """List the pairs of near documents, and drop nothing.

    The pairs are those in the sources, or across two collections. Each is a row of a, b, distance and similarity: a
    and b are ids, and a comes before b in the sources. The rows are JSON lines on stdout.
    """
    from simsieve.run.pipeline import run_pairs

    config = DedupConfig.from_settings(settings)
    with shown_progress(quiet=quiet, output=output, kind=progress_kind) as progress:
        old = as_source(against) if against else None
        found = run_pairs(as_source(sources), config, output, progress, old, failed, warned)
    if not quiet:
        across = tr(" and {count:,} old ones", count=found.old_read) if against else ""
        unread = found.failed + len(found.old_failures())
        text = tr("{pairs:,} pairs among {read:,} records{across} ({failed:,} failed)")
        where = "" if output == "-" else f" -> {output}"
        say(text.format(pairs=len(found), read=found.read, across=across, failed=unread) + where)
    code = closing_code(config, found.failures(), found.read, quiet=quiet)
    return max(code, closing_code(config, found.old_failures(), found.old_read, quiet=quiet, what="old records"))
