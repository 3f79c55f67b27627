"""`simsieve review --serve`: the page on which people judge, and what becomes of their verdicts."""

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import DONE, as_source, echo, noted, say, warned
from simsieve.cli.configured import given_settings
from simsieve.cli.progress import shown_progress
from simsieve.cli.runs import result_of
from simsieve.hosts import is_loopback
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.results.dedup import DedupResult
    from simsieve.review.reviewing import Apply, Rerun
    from simsieve.sinks.base import SinkPath


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is served, and which files it works with."""

    host: str
    port: int
    log: str | None
    output: str | None
    marked: str | None
    show: tuple[str, ...]


def serve(
    sources: tuple[str, ...], from_run: str | None, index: str | None, settings: dict[str, Any], place: Place, *,
    quiet: bool,
) -> int:  # fmt: skip
    """Serve the review of a run, of a saved one, or of new records against an index."""
    from simsieve.evaluate.pairs import judged_rows
    from simsieve.optional import web_server
    from simsieve.run.directory import is_run
    from simsieve.sinks.checks import check_sinks
    from simsieve.sinks.tables import table_format_of

    web_server()
    from simsieve.review import Reviewing, listening, serve_review

    if "-" in sources:
        raise click.UsageError(tr("stdin can be read only once: --serve needs files"))
    given = [] if place.marked is None else judged_rows(place.marked)
    first = next(iter((*sources, from_run)), None) or ""
    if from_run is not None and is_run(from_run):
        # A finished run is taken up again, and nothing is decided anew.
        settings, from_run = settings | {"run_dir": from_run, "resume": True}, None
    log = Path(place.log or (f"{first}.verdicts.sqlite" if os.path.isfile(first) else "verdicts.sqlite"))
    table = place.output or str(log.with_suffix(".csv"))
    table_format_of(table)
    check_sinks(sources, [table, log])
    with listening(place.host, place.port) as bound:
        if index is None:
            with shown_progress(quiet=quiet, output=None) as progress:
                result = result_of(sources, from_run, settings, progress)
            rerun, apply = _of_run(result, sources, from_run)
        else:
            result, rerun, apply = _of_index(sources, from_run, index, settings, quiet=quiet)
        reviewing = Reviewing(result, log, place.show, rerun, table, apply)
        if place.marked is not None:
            count = reviewing.take(given, Path(place.marked).name)
            say(tr("{count:,} verdicts are taken over from {path}", count=count, path=place.marked))
        if not is_loopback(place.host):
            warned(tr("everyone who reaches {host} and has an address of the page can read the texts", host=place.host))
        say(tr("verdicts are kept in {log}; Ctrl-C ends the page", log=log))
        with closing(reviewing):
            serve_review(reviewing, bound, place.host, echo)
    return DONE


def _of_run(result: "DedupResult", sources: tuple[str, ...], from_run: str | None) -> "tuple[Rerun, Apply]":
    """How a run is decided again, and its verdicts applied: the next run takes them."""
    from simsieve.run.pipeline import run_dedup
    from simsieve.run.resume import sources_of

    new, old = (list(sources), list[str]()) if from_run is None else sources_of(from_run)

    def rerun(verdicts: "SinkPath") -> "DedupResult":
        config = replace(result.config, verdicts=os.fspath(verdicts), run_dir=None, resume=False)
        return run_dedup(as_source(new), config, against=as_source(old) if old else None)

    def apply(verdicts: "SinkPath") -> str:
        return tr("The verdicts are in {table}: give the next run --verdicts {table}", table=os.fspath(verdicts))

    return rerun, apply


def _of_index(
    sources: tuple[str, ...], from_run: str | None, index: str, settings: dict[str, Any], *, quiet: bool
) -> "tuple[DedupResult, Rerun, Apply]":
    """Check new records against an index; they are added by its verdicts."""
    from simsieve.index import Index
    from simsieve.sinks.checks import Sinks

    if from_run is not None:
        raise click.UsageError(tr("--index and --from-run are both given: leave one out"))
    if not sources:
        raise click.UsageError(
            tr("Missing argument 'SOURCE...': an index has no near duplicates; name the records that are to be added")
        )
    given, opened, source = given_settings(settings), Index.open(index), as_source(sources)
    with shown_progress(quiet=quiet, output=None) as progress:
        result = opened.checked(source, given, None, progress, warn=warned, tell=noted)

    def rerun(verdicts: "SinkPath") -> "DedupResult":
        return opened.checked(source, given | {"verdicts": os.fspath(verdicts)}, None, None)

    def apply(verdicts: "SinkPath") -> str:
        judged = given | {"verdicts": os.fspath(verdicts)}
        with Index.open(index, write=True) as writing:
            added = writing.added(source, judged, Sinks(dry_run=True), None, "replace", None)
        return tr(
            "Added to {index} as batch {batch}: {kept:,} kept, {dropped:,} dropped, {known:,} known before. The"
            " verdicts are in {table}. To take it back: simsieve index undo {index} {batch}",
            index=index, batch=added.batch, kept=added.kept, dropped=added.dropped, known=added.known,
            table=os.fspath(verdicts),
        )  # fmt: skip

    return result, rerun, apply
