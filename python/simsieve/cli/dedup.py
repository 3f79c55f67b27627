"""`simsieve dedup`: keep one of each."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import command_line, echo, say
from simsieve.cli.given import CONFIG, Given, is_given, reads
from simsieve.cli.options import against_option, file_option, option, output_option
from simsieve.config.setting import OUTPUT, REPEATED, Setting
from simsieve.config.settings import SETTINGS
from simsieve.config.uris import shown, with_options
from simsieve.messages import tr
from simsieve.registry import in_database

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult


@reads(
    "dedup",
    examples=(
        "simsieve dedup corpus.jsonl -o kept.jsonl",
        "simsieve dedup corpus.csv -o kept.csv --text-field body --similarity 0.8",
        "simsieve dedup a.jsonl.gz b.jsonl.zst -o kept.jsonl.zst --decisions why.csv",
        "simsieve dedup 'shards/*.jsonl.zst' -o kept/",
        "zcat corpus.jsonl.gz |\\\n    simsieve dedup - -o - --input-format jsonl > kept.jsonl",
        "simsieve dedup new.jsonl --against old.jsonl -o added.jsonl",
        "simsieve dedup corpus.csv -o kept.csv \\\n    --dropped dropped.csv --clusters groups.csv",
        "simsieve dedup corpus.jsonl -o kept.jsonl --report report.html",
        "simsieve dedup corpus.jsonl -o all.csv --annotate --limit 1000",
        "simsieve dedup corpus.jsonl -o kept.jsonl --run-dir corpus.rundir",
        "simsieve dedup --run-dir corpus.rundir --similarity 0.8 -o fewer.jsonl",
        "simsieve dedup corpus.jsonl -o kept.jsonl --config run.toml",
        "simsieve dedup corpus.jsonl -o kept.jsonl --memory 2GiB --resume",
    ),
    as_json="The run's numbers as JSON on stdout, or on stderr with `-o -`.",
    failed=True,
    required=False,
)
@output_option(
    "The file for the kept records; `-` is stdout, and FOLDER/ gets a file for each source. --dry-run needs none.",
    metavar="FILE",
)
@against_option(
    "Drop records that are near an old document of this file. Old documents are neither decided nor written. May be"
    " repeated."
)
@file_option(
    "--decisions",
    "Write what was decided about each record, and why. Its name gives the format: .jsonl, .csv, .tsv or .parquet;"
    " so do the names of the next three.",
    common=True,
)
@file_option(
    "--dropped",
    "Write the dropped records as they were. Each has its representative and the similarity to it.",
    common=True,
)
@file_option("--clusters", "Write the records of every group of two or more.", common=True)
@option(
    "--annotate", is_flag=True, group=OUTPUT,
    help="Write all records to the output, not only the kept ones, each with decision, group, representative and"
    " similarity.",
)  # fmt: skip
@file_option("--summary", "Write the run's numbers as one JSON object.")
@file_option(
    "--report",
    "Write a page of HTML on the run: counts, charts, clusters, pairs at the threshold. One file, for offline use.",
    common=True,
)
@option(
    "--report-without-texts", is_flag=True, group=OUTPUT,
    help="Leave the texts out of the report; it has ids and numbers only.",
)  # fmt: skip
@option("--link", is_flag=True, group=OUTPUT, help="Put hard links instead of copies into a folder of kept files.")
@option("--dry-run", is_flag=True, group=OUTPUT, common=True, help="Do everything except writing.")
@option("--verbose", "-v", is_flag=True, group=OUTPUT, help="Report what the search did, too: pairs, speed, forecast.")
def dedup(
    given: Given, *, decisions: str | None, dropped: str | None, clusters: str | None, annotate: bool,
    summary: str | None, report: str | None, report_without_texts: bool, link: bool, dry_run: bool, verbose: bool,
) -> int:  # fmt: skip
    """Find the near-duplicates and write one document of each.

    A source is a .jsonl, .json, .csv, .tsv or .txt file (a document a line), also with .gz or .zst, or `-` for stdin; a
    .parquet file; a .warc or .warc.wet file with pages or texts; a .html, .md, .docx or .pdf file, one document; a
    folder of such files and of .txt files, or of files with records; a pattern such as 'data/*.jsonl'; objects of a
    store, s3://BUCKET/KEY; a collection, mongodb://HOST/DATABASE.COLLECTION; or a table, sqlite:///FILE?table=NAME.
    Kept records come out byte for byte, in their order. `-o FOLDER/` writes a file for each source. Files of a folder
    come out as a list of their paths, or with `-o FOLDER/` as files. Outputs may be objects too.
    """
    from simsieve.registry import databases
    from simsieve.report.table import aligned, output_rows, summary_rows
    from simsieve.report.told import told_rows
    from simsieve.results.summary import summary_line
    from simsieve.run.write import is_nothing
    from simsieve.sinks.checks import Sinks, is_folder

    _check_named(
        given.output, nothing=dry_run or given.settings["mark"] is not None, clusters=clusters,
        is_read=bool(given.sources or given.settings["run_dir"]),
    )  # fmt: skip
    if report_without_texts and report is None:
        raise click.UsageError(tr("--report-without-texts needs --report FILE.html"))
    if annotate and link:
        raise click.UsageError(
            tr("--annotate and --link are both given: annotated records go to a file; leave one out")
        )
    if link and not (given.output is not None and is_folder(given.output)):
        raise click.UsageError(tr("--link needs -o FOLDER/, a folder for the links"))
    sinks = Sinks(
        given.output, decisions, given.failed, summary, dry_run, link, dropped, clusters,
        annotate, report, not report_without_texts, command_line(click.get_current_context()),
    )  # fmt: skip
    quiet = given.quiet
    with given.progress() as progress:
        result = given.run(progress, sinks, given.tell)
    numbers = result.summary
    if given.as_json:
        echo(summary_line(numbers), err="-" in (given.output, *sinks.tables) and not dry_run)
    elif not quiet:
        shown = replace(sinks, kept=None) if is_nothing(result, sinks) else sinks
        rows = summary_rows(numbers, result.recall, verbose=verbose)
        for store in databases(*given.sources, given.output, decisions):
            rows += store.rows(numbers)
        rows += told_rows(result, numbers) + output_rows(shown)
        if (command := next_command(click.get_current_context(), result, sinks, given.sources)) is not None:
            rows.append((tr("next"), command))
        echo(aligned(rows), err=True)
    _say_encodings(result, quiet=quiet, told=bool(given.sources))
    repeated = numbers["repeated_ids"]
    if repeated and not quiet:
        text = tr("{count:,} ids are repeated; a document is known by its position, ids are labels only")
        say(tr("warning: ") + text.format(count=repeated))
    return given.ended(result)


def _say_encodings(result: "DedupResult", *, quiet: bool, told: bool) -> None:
    """Say how sources are read; a guess also where the user wants quiet, unless it was told before the work."""
    for (name, found), same in groupby(sorted(result.encodings, key=itemgetter(1, 2)), itemgetter(1, 2)):
        paths = [path for path, _, _ in same]
        if not (told if found and name != "UTF-8" else quiet):
            how = tr(", as was found out") if found else ""
            if len(paths) == 1:
                say(tr("{path} is read as {encoding}{how}", path=paths[0], encoding=name, how=how))
            else:
                say(tr("{count:,} sources are read as {encoding}{how}", count=len(paths), encoding=name, how=how))


def _check_named(output: str | None, *, nothing: bool, clusters: str | None, is_read: bool) -> None:
    """Refuse a run without a sink, unless nothing is to be written there, and stdout for files that are read again."""
    if output is None and not is_read:
        raise click.UsageError(tr("SOURCE is missing: name a file or a folder, or - for stdin"))
    if clusters == "components":
        raise click.UsageError(
            tr("--clusters takes the name of a file, and a group is a kept record with those dropped for it; for a file"
               " of that name give ./components")
        )  # fmt: skip
    if output is None and not nothing:
        raise click.UsageError(tr("-o FILE is missing: give a file, or - for stdout, or --dry-run to write nothing"))


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
    return with_options(shown(name), ["query=" + query.replace("%", "%25").replace("&", "%26")])


def _words(row: Setting, value: Any) -> list[str]:
    """An option as it is given on a command line."""
    if row.kind is bool:
        return [row.option if value else f"--no-{row.option[2:]}"]
    if row.several == REPEATED and not isinstance(value, str):
        return [word for one in value for word in (row.option, str(one))]
    text = value if isinstance(value, (str, int, float)) else ",".join(map(str, value))
    return [row.option, f"{text:g}" if isinstance(text, float) else str(text)]
