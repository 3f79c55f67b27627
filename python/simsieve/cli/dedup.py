"""`simsieve dedup`: keep one of each."""

from typing import Any

import click

from simsieve.cli.common import as_source, closing_code, say, warned
from simsieve.cli.configured import Configured, config_options, is_given
from simsieve.cli.options import (
    PATH,
    SEARCH_SETTINGS,
    SOURCE_SETTINGS,
    against_option,
    epilog,
    failed_option,
    quiet_option,
    settings_options,
)
from simsieve.cli.progress import shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.report.collections import collection_rows
from simsieve.report.table import aligned, summary_rows
from simsieve.results.dedup import DedupResult
from simsieve.results.summary import summary_line
from simsieve.run.pipeline import run_again, run_dedup
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.types import Progress


@click.command(
    cls=Configured,
    epilog=epilog(
        "simsieve dedup corpus.jsonl -o kept.jsonl",
        "simsieve dedup a.jsonl.gz b.jsonl.zst -o kept.jsonl.zst --similarity 0.8 --decisions why.jsonl",
        "zcat corpus.jsonl.gz | simsieve dedup - -o - --input-format jsonl > kept.jsonl",
        "simsieve dedup new.jsonl --against old.jsonl -o added.jsonl",
        "simsieve dedup corpus.csv -o kept.csv --dropped dropped.csv --clusters groups.csv",
        "simsieve dedup corpus.jsonl -o all.csv --annotate --limit 1000",
        "simsieve dedup corpus.jsonl -o kept.jsonl --save-run corpus.run --save-all-pairs",
        "simsieve dedup --from-run corpus.run --similarity 0.8 -o fewer.jsonl",
        "simsieve dedup corpus.jsonl -o kept.jsonl --config run.toml",
    ),
)
@click.argument("sources", nargs=-1, metavar="SOURCE...", type=PATH)
@click.option(
    "--output",
    "-o",
    metavar="SINK",
    type=PATH,
    help="The file for the kept records; `-` is stdout. --dry-run needs none.",
)
@against_option(
    "Compare with the old documents of this file; new documents near one of them are dropped. Old documents are neither"
    " decided nor written. May be repeated."
)
@settings_options(*SOURCE_SETTINGS, *SEARCH_SETTINGS, "keep", "sample")
@click.option(
    "--decisions", metavar="FILE", type=PATH,
    help="Write what was decided about each record, and why. Its name gives the format: .jsonl, .csv, .tsv or .parquet;"
    " so do the names of the next three.",
)  # fmt: skip
@click.option(
    "--dropped", metavar="FILE", type=PATH,
    help="Write the dropped records as they were, each with its representative and the similarity to it.",
)  # fmt: skip
@click.option("--clusters", metavar="FILE", type=PATH, help="Write the records of every group of two or more.")
@failed_option
@click.option(
    "--annotate", is_flag=True,
    help="Write all records to the output, not only the kept ones, each with decision, group, representative and"
    " similarity.",
)  # fmt: skip
@click.option("--summary", metavar="FILE", type=PATH, help="Write the run's numbers as one JSON object.")
@click.option(
    "--save-run",
    metavar="FILE",
    type=PATH,
    help="Save the run, so that --from-run can decide again at a stricter threshold.",
)
@click.option(
    "--save-all-pairs", is_flag=True,
    help="Add every near pair to the saved run, so that --from-run need not search; at most --max-pairs of them.",
)  # fmt: skip
@settings_options("max_pairs", "output_format", "fields", "append", "replace", "mark", "apply")
@config_options
@click.option("--save-config", metavar="FILE", type=PATH, help="Write the settings in force as TOML, for --config.")
@click.option("--link", is_flag=True, help="Put hard links instead of copies into a folder of kept files.")
@click.option(
    "--from-run", metavar="FILE", type=PATH,
    help="Decide again from a saved run instead of SOURCE, at an equal or stricter threshold of the same kind. Its"
    " sources must not have changed.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Do everything except writing.")
@click.option("--json", "as_json", is_flag=True, help="The run's numbers as JSON on stdout, or on stderr with `-o -`.")
@quiet_option
def dedup(
    *,
    sources: tuple[str, ...],
    output: str | None,
    against: tuple[str, ...],
    decisions: str | None,
    dropped: str | None,
    clusters: str | None,
    annotate: bool,
    failed: str | None,
    summary: str | None,
    save_config: str | None,
    save_run: str | None,
    save_all_pairs: bool,
    from_run: str | None,
    link: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Find the near-duplicates in the sources and write one document of each.

    A source is a .jsonl, .csv, .tsv or .txt file (a document a line), also with .gz or .zst, or `-` for stdin; a
    .parquet file; a folder of .txt, .md and .html files; or a pattern such as 'data/*.jsonl'. Kept records come out
    byte for byte, in their order. Files of a folder come out as a list of their paths, or with `-o FOLDER/` as files.
    """
    if output is None and not dry_run and settings["mark"] is None:
        raise click.UsageError("-o SINK is missing: give a file, or - for stdout, or --dry-run to write nothing")
    if save_run == "-":
        raise click.UsageError("--save-run - is not allowed: a saved run is read again, so give a file")
    if save_config == "-":
        raise click.UsageError("--save-config - is not allowed: give a file, or --print-config to print the settings")
    if save_all_pairs and save_run is None:
        raise click.UsageError("--save-all-pairs needs --save-run FILE, where the pairs go")
    if annotate and link:
        raise click.UsageError("--annotate and --link are both given: annotated records go to a file; leave one out")
    if link and not (output is not None and is_folder(output)):
        raise click.UsageError("--link needs -o FOLDER/, a folder for the links")
    sinks = Sinks(
        output, decisions, failed, summary, dry_run, save_run, save_all_pairs, link, save_config, dropped, clusters,
        annotate,
    )  # fmt: skip
    with shown_progress(quiet=quiet) as progress:
        if from_run is None:
            result = _first(sources, against, settings, sinks, progress)
        else:
            result = _again(from_run, (*sources, *against), settings, sinks, progress)
    numbers = result.summary
    if as_json:
        click.echo(summary_line(numbers), err="-" in (output, *sinks.tables) and not dry_run)
    elif not quiet:
        click.echo(aligned(summary_rows(numbers, result.recall) + collection_rows(numbers)), err=True)
    for path, name, found in result.encodings if not quiet else ():
        say(f"{path} is read as {name}{', as was found out' if found else ''}")
    repeated = numbers["repeated_ids"]
    if repeated and not quiet:
        say(f"warning: {repeated:,} ids are repeated; a document is known by its position, ids are labels only")
    code = closing_code(result.config, result.failures(), result.counts.read, quiet=quiet)
    old = closing_code(result.config, result.old_failures(), result.old_read, quiet=quiet, what="old records")
    return max(code, old)


def _first(
    sources: tuple[str, ...],
    against: tuple[str, ...],
    settings: dict[str, Any],
    sinks: Sinks,
    progress: Progress | None,
) -> DedupResult:
    if not sources:
        raise click.UsageError("Missing argument 'SOURCE...': name a file, or - for stdin, or --from-run FILE")
    old = as_source(against) if against else None
    return run_dedup(as_source(sources), DedupConfig.from_settings(settings), sinks, progress, old, warned)


def _again(
    saved: str, named: tuple[str, ...], settings: dict[str, Any], sinks: Sinks, progress: Progress | None
) -> DedupResult:
    if named:
        raise click.UsageError(f"{named[0]} and --from-run are both given: a saved run has its sources; leave one out")
    if sinks.run is not None:
        raise click.UsageError(
            "--save-run and --from-run are both given: the saved run serves every stricter threshold"
        )
    context = click.get_current_context()
    given = {name: value for name, value in settings.items() if is_given(context, name)}
    return run_again(saved, given, sinks, progress)
