"""`simsieve dedup`: keep one of each."""

from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, say
from simsieve.cli.options import SEARCH_SETTINGS, SOURCE_SETTINGS, epilog, quiet_option, settings_options
from simsieve.cli.progress import shown_progress
from simsieve.config import DedupConfig
from simsieve.pipeline import Sinks, run_dedup
from simsieve.report.summary import summary_line
from simsieve.report.table import aligned, summary_rows


@click.command(
    epilog=epilog(
        "simsieve dedup corpus.jsonl -o kept.jsonl",
        "simsieve dedup a.jsonl.gz b.jsonl.zst -o kept.jsonl.zst --similarity 0.8 --decisions why.jsonl",
        "zcat corpus.jsonl.gz | simsieve dedup - -o - --input-format jsonl > kept.jsonl",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--output", "-o", metavar="SINK", help="Where the kept records go; `-` is stdout. Needed but for --dry-run."
)
@settings_options(*SOURCE_SETTINGS, *SEARCH_SETTINGS, "keep", "sample")
@click.option("--decisions", metavar="FILE", help="Write what was decided about each record, and why, as JSON lines.")
@click.option("--failed", metavar="FILE", help="Write the records that failed, with their bytes and the reason.")
@click.option("--summary", metavar="FILE", help="Write the run's numbers as one JSON object.")
@click.option("--dry-run", is_flag=True, help="Do everything but write.")
@click.option("--json", "as_json", is_flag=True, help="The run's numbers as JSON on stdout, or on stderr with `-o -`.")
@quiet_option
def dedup(
    *,
    sources: tuple[str, ...],
    output: str | None,
    decisions: str | None,
    failed: str | None,
    summary: str | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Find the near-duplicates in the sources and write one document of each.

    A source is a .jsonl or .txt file (a document a line), also with .gz or .zst, or `-` for stdin. Kept records come
    out byte for byte, in their order.
    """
    if output is None and not dry_run:
        raise click.UsageError("-o SINK is missing: give a file, or - for stdout, or --dry-run to write nothing")
    config = DedupConfig.from_settings(settings)
    sinks = Sinks(output, decisions, failed, summary, dry_run)
    with shown_progress(quiet=quiet) as progress:
        result = run_dedup(as_source(sources), config, sinks, progress)
    numbers = result.summary
    if as_json:
        click.echo(summary_line(numbers), err="-" in (output, decisions, failed) and not dry_run)
    elif not quiet:
        click.echo(aligned(summary_rows(numbers, result.recall)), err=True)
    repeated = numbers["repeated_ids"]
    if repeated and not quiet:
        say(f"warning: {repeated:,} ids are repeated; a document is known by its position, ids are labels only")
    return closing_code(config, result.failures(), result.counts.read, quiet=quiet)
