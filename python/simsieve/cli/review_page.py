"""The page on which people judge, by itself or below `/review` of a service, and what becomes of their verdicts."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import DONE, echo, noted, say, warned
from simsieve.cli.given import Given, given_settings
from simsieve.machine import is_loopback
from simsieve.messages import tr

if TYPE_CHECKING:
    from simsieve.index import Index, IndexBatch
    from simsieve.results.dedup import DedupResult
    from simsieve.review.reviewing import Ending, Rerun
    from simsieve.serve.app import Mounted
    from simsieve.serve.served import Indexes
    from simsieve.sinks.base import SinkPath

    Reviewed = tuple[DedupResult, Rerun, Ending]

PATH = "/review"
"""The path of the page below a service."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a page works with, and what it shows."""

    log: str | None
    output: str | None = None
    marked: str | None = None
    show: tuple[str, ...] = ()


def serve(given: Given, index: str | None, files: Files, host: str, port: int) -> int:
    """Serve the review of a run, or of new records against an index, by itself."""
    from simsieve.index import Index
    from simsieve.optional import web_server

    web_server("httptools", "msgspec", "prometheus_client")
    from simsieve.serve.options import Options
    from simsieve.serve.run import listening, run
    from simsieve.serve.served import Indexes

    if "-" in given.sources:
        raise click.UsageError(tr("stdin can be read only once: --serve needs files"))

    def reviewed() -> "Reviewed":
        if index is None:
            return _of_run(given)
        if given.settings["run_dir"] is not None:
            raise click.UsageError(tr("--against and --run-dir are both given: leave one out"))
        if not given.sources:
            raise click.UsageError(
                tr(
                    "Missing argument 'SOURCE...': an index does not have the texts of dropped documents; name the"
                    " records that are to be added, or review the files that were added without --against"
                )
            )

        def change(work: "Callable[[Index], IndexBatch]") -> "IndexBatch":
            with Index.open(index, write=True) as writing:
                return work(writing)

        opened = Index.open(index)
        return _of_index(opened, change, f"simsieve index undo {index} ", given)

    first = next(iter((*given.sources, given.settings["run_dir"])), None) or ""
    options = Options(host=host, port=port, has_doors=True, quiet=True)
    with _page("", reviewed, first, given.sources, files, lambda: listening(options)) as (page, tell, log, bound):
        if not is_loopback(host):
            warned(tr("everyone who reaches {host} and has an address of the page can read the texts", host=host))
        say(tr("verdicts are kept in {log}; Ctrl-C ends the page", log=log))
        run(options, Indexes({}), [page], tell, bound)
    return DONE


@contextmanager
def mounted(
    named: str, indexes: "Indexes", files: Files, *, quiet: bool
) -> "Iterator[tuple[Mounted, Callable[[str], None]]]":
    """Make the page of a service: of a run, or of new records against one of its indexes, as `[NAME=]SOURCE`.

    It comes with a function: called with the address of the service, it prints the one that lets the first browser in.
    """
    from simsieve.errors import ConfigError
    from simsieve.run.directory import is_run

    name, equals, path = named.partition("=")
    if not equals or name not in indexes.opened:
        name, path = next(iter(indexes.opened)), named

    def reviewed() -> "Reviewed":
        if is_run(path):
            return _of_run(Given((), {"run_dir": path}, quiet=quiet))
        if path == named and len(indexes.opened) > 1:
            raise ConfigError(
                "{path}: there are several indexes: name the one that the records are for, as NAME={path}", path=path
            )

        def change(work: "Callable[[Index], IndexBatch]") -> "IndexBatch":
            # What the service serves is there when it has started.
            return indexes[name].changed(work)

        undo = f"POST /v1/indexes/{name}/undo/"
        return _of_index(indexes.opened[name], change, undo, Given((path,), {}, quiet=quiet))

    with _page(PATH, reviewed, path, (path,), files, nullcontext) as (page, tell, _, _):
        yield page, tell


@contextmanager
def _page(
    place: str, reviewed: "Callable[[], Reviewed]", first: str, sources: tuple[str, ...], files: Files,
    listening: Callable[[], Any],
) -> "Iterator[tuple[Mounted, Callable[[str], None], Path, Any]]":  # fmt: skip
    """Check the files, listen, carry out the run, and take over the verdicts that are given."""
    from simsieve.evaluate.pairs import judged_rows
    from simsieve.review.reviewing import Reviewing
    from simsieve.review.verdicts import taken_text
    from simsieve.run.directory import is_run
    from simsieve.serve.app import Mounted
    from simsieve.serve.doors import APPLIES, Doors
    from simsieve.serve.pages import review_app
    from simsieve.sinks.checks import Output, check_outputs

    given = [] if files.marked is None else judged_rows(files.marked)
    has_place = os.path.isfile(first) or is_run(first)
    log = Path(files.log or (f"{first}.verdicts.sqlite" if has_place else "verdicts.sqlite"))
    table = files.output or str(log.with_suffix(".csv"))
    check_outputs([Output(table, "table"), Output(log, "file")], sources)
    doors = Doors()

    def tell(url: str) -> None:
        # Every address of the machine is none that a browser can open.
        name = url.replace("//0.0.0.0", f"//{gethostname()}").replace("//[::]", f"//{gethostname()}")
        let_in(lambda: f"{name}{place}/?token={doors.invite('', APPLIES)}")

    with listening() as bound:
        result, rerun, ending = reviewed()
        with closing(Reviewing(result, log, files.show, rerun, table, ending)) as reviewing:
            if files.marked is not None:
                say(f"{files.marked}: {taken_text(reviewing.take(given, Path(files.marked).name))}")
            yield Mounted(place, review_app(reviewing, doors)), tell, log, bound


def let_in(address: Callable[[], str]) -> str:
    """Print an address that lets one browser in, give it, and print another one at each line of standard input."""
    # The system would stop a program in the background that reads; it has no such lines.
    if hasattr(signal, "SIGTTIN"):
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)

    def listen() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                echo(address())

    first = address()
    echo(first)
    threading.Thread(target=listen, daemon=True).start()
    return first


def _shown_on_the_page(_: str) -> None:
    """Say nothing: how many verdicts are on other pairs is on the page, and the log of a service is JSON."""


def _of_run(given: Given) -> "Reviewed":
    """Carry out a run, or decide again on that of a run directory; the next run takes its verdicts."""
    from simsieve.review.reviewing import Ending
    from simsieve.run.directory import made_run
    from simsieve.run.pipeline import run_dedup
    from simsieve.screen import visible
    from simsieve.tidy.desk import new_name, written_beside

    with given.progress() as progress:
        result = given.run(progress)

    def rerun(verdicts: "SinkPath") -> "DedupResult":
        config = replace(result.config, verdicts=os.fspath(verdicts), run_dir=None, resume=False)
        new, old = (given.source, None) if given.sources else made_run(given.settings["run_dir"])[1:]
        return run_dedup(new, config, against=old, warn=_shown_on_the_page)

    def told(verdicts: "SinkPath | None") -> str:
        return tr("The verdicts are in {table}: give the next run --verdicts {table}", table=os.fspath(verdicts or ""))

    names = result.with_sources()[0].rows.given_names
    if len(names) != 1 or not os.path.exists(names[0]):
        # Several sources and those of a database have no name for one output beside them.
        return result, rerun, Ending(told, lambda: tr("Write the verdicts to a file"), needs_verdict=True)
    source = Path(names[0])

    def apply(verdicts: "SinkPath | None") -> str:
        decided = result if verdicts is None else rerun(verdicts)

        def write(path: Path) -> int:
            decided.write(f"{path}/" if source.is_dir() else path)
            return decided.counts.kept

        said = written_beside(write, source.with_name(new_name(source)))
        return said if verdicts is None else f"{said}. {told(verdicts)}"

    return result, rerun, Ending(apply, lambda: tr("Write the kept records to {name}", name=visible(new_name(source))))


def _of_index(
    opened: "Index", change: "Callable[[Callable[[Index], IndexBatch]], IndexBatch]", undo: str, given: Given
) -> "Reviewed":
    """Check new records against an index; they are added by its verdicts."""
    from simsieve.review.reviewing import Ending
    from simsieve.sinks.checks import Sinks

    source, settings = given.source, given_settings(given.settings)
    with given.progress() as progress:
        result = opened.checked(source, settings, None, progress, warn=warned, tell=noted)

    def rerun(verdicts: "SinkPath") -> "DedupResult":
        return opened.checked(source, settings | {"verdicts": os.fspath(verdicts)}, None, None, warn=_shown_on_the_page)

    def apply(verdicts: "SinkPath | None") -> str:
        judged = settings if verdicts is None else settings | {"verdicts": os.fspath(verdicts)}
        sinks, warn = Sinks(dry_run=True), _shown_on_the_page
        added = change(lambda index: index.added(source, judged, sinks, None, "replace", None, warn=warn))
        table = "" if verdicts is None else tr(" The verdicts are in {table}.", table=os.fspath(verdicts))
        return tr(
            "Added to {index} as batch {batch}: {kept:,} kept, {dropped:,} dropped, {known:,} known before.{table} To"
            " take it back: {undo}",
            index=opened.path, batch=added.batch, kept=added.kept, dropped=added.dropped, known=added.known,
            table=table, undo=f"{undo}{added.batch}",
        )  # fmt: skip

    none = tr("Nothing is left to show: change the filter, or add the records by the button below.")
    if not len(result.decisions.near):
        none = tr(
            "None of the {count:,} records is near a document of the index: add them by the button below.",
            count=result.counts.read,
        )
    return result, rerun, Ending(apply, lambda: tr("Add the records to the index"), none=none)
