"""`simsieve index`: a durable index of kept documents, which new documents are held against."""

import functools
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from simsieve.cli.common import echo, raw_of, say, shown_progress, warned
from simsieve.cli.given import Given, given_settings, reads
from simsieve.cli.help import Command, Group
from simsieve.cli.options import (
    PATH,
    Decorator,
    add_after,
    file_option,
    json_option,
    option,
    output_option,
    progress_option,
)
from simsieve.config.setting import INPUT, OUTPUT
from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.messages import tr
from simsieve.types import Progress

if TYPE_CHECKING:
    from simsieve.index import Index, IndexBatch
    from simsieve.results.dedup import DedupResult
    from simsieve.sinks.checks import Sinks
    from simsieve.sources.base import AnySource

_wait_option: Decorator = option(
    "--wait", type=float, default=0.0, metavar="SECONDS", group=OUTPUT,
    help="Wait so long for another process that writes the index.",
)  # fmt: skip
_kept_option = output_option("The file for the kept documents of the batch.", metavar="KEPT")
_decisions_option = file_option("--decisions", "Write what was decided about each record, and why.", common=True)
_COUNTS = "The counts as JSON on stdout."
_index = click.argument("path", metavar="INDEX", type=PATH)


def _sinks(given: Given, decisions: str | None) -> "Sinks":
    """Where the results of a batch go; marks go to the documents of the source."""
    from simsieve.sinks.checks import Sinks

    nothing = given.output is None and decisions is None and given.settings["mark"] is None
    return Sinks(given.output, decisions, dry_run=nothing)


@click.group(cls=Group)
def index() -> None:
    """Keep an index of documents, and hold new documents against it.

    The index is a directory. It decides on each batch as one run on all batches would. What is added stays after any
    kill. One process writes at a time, and any number reads.
    """


@reads(
    "index",
    before=_index,
    group=index,
    examples=(
        "simsieve index create seen corpus.jsonl",
        "simsieve index create seen corpus.csv --text-field body --similarity 0.8 --expect 50000000",
        "simsieve index create empty",
        "simsieve index create seen --run-dir corpus.rundir",
    ),
    as_json="The counts as JSON on stdout.",
    required=False,
)
@option(
    "--expect", type=click.IntRange(min=0), default=0, metavar="N", group=INPUT,
    help="Documents that the index will have: its search is made for so many.",
)  # fmt: skip
@option(
    "--run-dir", "--from-run", "from_run", metavar="RUN", type=PATH, group=INPUT,
    help="Take the documents that a finished run has kept, by its run directory: nothing is decided again.",
)  # fmt: skip
@_kept_option
@_decisions_option
def create(given: Given, *, path: str, expect: int, from_run: str | None, decisions: str | None) -> int:
    """Make an index of the documents that a run on SOURCE keeps.

    INDEX is a new directory. Without SOURCE it begins empty. The settings of nearness are those of the index for good.
    """
    from simsieve.index import Index
    from simsieve.run.directory import check_run, config_again, made_run

    source: AnySource = given.source if given.sources else []
    if from_run is not None:
        check_run(from_run)
        given.settings |= {"run_dir": from_run, "resume": True}
    config = given.config
    if from_run is not None and not given.sources:
        run, source, old = made_run(from_run)
        if old is not None:
            raise ConfigError("{run}: the run has old documents: make an index of all sources", run=from_run)
        config = config_again(from_run, run, given_settings(given.settings))
    with given.progress() as progress:
        made, result = Index.made(
            path, source, config, _sinks(given, decisions), expect, progress, warn=warned, tell=given.tell
        )
    tell(made, result, None, as_json=given.as_json, quiet=given.quiet)
    return given.ended(result)


@reads(
    "index-add",
    before=_index,
    group=index,
    examples=("simsieve index add seen monday.jsonl --name monday -o new.jsonl", "simsieve index add seen today.csv"),
    as_json="The counts as JSON on stdout.",
)
@_kept_option
@_decisions_option
@option("--name", metavar="NAME", help="A name for the batch, by which it can be undone; by default its number.")
@option(
    "--on-known-id", type=click.Choice(("replace", "refuse")), default="replace",
    help="For a record whose id the index has with another text: put it in the place of that document, or stop.",
)  # fmt: skip
@_wait_option
def add(given: Given, *, path: str, decisions: str | None, name: str | None, on_known_id: str, wait: float) -> int:
    """Decide on the records of SOURCE, and add what is new to INDEX as one batch.

    A record that is near a document of the index, or an earlier one of the batch, is dropped. The batch is added whole
    or not at all. A batch that is added again changes nothing.
    """
    from simsieve.index import Index

    sinks, settings = _sinks(given, decisions), given_settings(given.settings)
    with Index.open(path, write=True, wait=wait) as opened:
        with given.progress() as progress:
            added = opened.added(
                given.source, settings, sinks, name, on_known_id, progress, warn=warned, tell=given.tell
            )
        result = _run_of(added)
        tell(opened, result, added, as_json=given.as_json, quiet=given.quiet)
    return given.ended(result)


@reads(
    "index-add",
    before=_index,
    group=index,
    examples=("simsieve index check seen upload.jsonl --decisions why.csv",),
    as_json="The counts as JSON on stdout.",
)
@_kept_option
@_decisions_option
@option("--exit-code", is_flag=True, group=OUTPUT, help="Exit with 1 where a record is near a document.")
@option(
    "--alone", is_flag=True, group=INPUT,
    help="Leave the documents of the index out: decide on the records as one run under its search keys.",
)  # fmt: skip
def check(given: Given, *, path: str, decisions: str | None, exit_code: bool, alone: bool) -> int:
    """Decide on the records of SOURCE as `add` would, and change nothing."""
    from simsieve.index import Index

    sinks, settings = _sinks(given, decisions), given_settings(given.settings)
    with Index.open(path) as opened:
        with given.progress() as progress:
            result = opened.checked(given.source, settings, sinks, progress, alone=alone, warn=warned, tell=given.tell)
        tell(opened, result, None, as_json=given.as_json, quiet=given.quiet)
    return max(given.ended(result), int(exit_code and result.counts.dropped > 0))


def _on_index(
    *examples: str, write: bool = False, progress: bool = False, as_json: str = ""
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function on an open index; one that writes may wait for another process."""

    def made(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(*, path: str, wait: float = 0.0, progress_kind: str = "none", **given: Any) -> int:
            from simsieve.index import Index

            with Index.open(path, write=write, wait=wait) as opened:
                if progress:
                    with shown_progress(quiet=False, kind=progress_kind) as shown:
                        function(opened, **given, progress=shown)
                else:
                    function(opened, **given)
            return 0

        told = json_option(as_json) if as_json else None
        add_after(run, function, _wait_option if write else None, told, progress_option if progress else None)
        return index.command(cls=Command, examples=examples)(_index(run))

    return made


def _named() -> str:
    """Give the index as it is named on the command line."""
    return str(click.get_current_context().params["path"])


@_on_index("simsieve index query seen 'the quick brown fox'", "simsieve index query seen -")
@click.argument("text")
@option("-n", "count", type=click.IntRange(min=1), default=10, help="Documents at most.")
@option("--date", metavar="DATE", group=INPUT, help="Leave out documents outside of the window of time of this date.")
def query(opened: "Index", *, text: str, count: int, date: str | None) -> None:
    """Show the kept documents that are near TEXT, the nearest first; `-` reads it from stdin."""
    if text == "-":
        with click.open_file("-", encoding="utf-8") as stream:
            text = stream.read()
    for match in opened.query(text, count, date=date):
        echo(json.dumps(asdict(match), ensure_ascii=False))


@_on_index(
    "simsieve index get seen 17", "simsieve index get seen 17 --json",
    as_json="What the index knows of the id as JSON: decision, text, representative, similarity.",
)  # fmt: skip
@click.argument("id", metavar="ID")
def get(opened: "Index", *, id: str, as_json: bool) -> None:
    """Show the text of the kept document with an id."""
    from simsieve.index.answers import id_named

    found, path = opened.find(id_named(opened, id)), _named()
    if found is None:
        raise ConfigError("{path}: the index has no document with the id {id}", path=path, id=id)
    echo(json.dumps(asdict(found), ensure_ascii=False) if as_json else text_of(found, path))


@_on_index("simsieve index remove seen 17 18", "simsieve index remove seen --ids gone.txt", write=True, as_json=_COUNTS)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option("--ids", "file", type=PATH, metavar="FILE", group=INPUT, help="A file with an id a line.")
def remove(opened: "Index", *, ids: tuple[str, ...], file: str | None, as_json: bool) -> None:
    """Remove documents by their ids.

    Later answers are as if they had never been kept. Documents that were dropped for them are listed: add them again.
    """
    from simsieve.index.answers import id_named

    names = list(ids)
    if file is not None:
        try:
            lines = raw_of(file).decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        except OSError as error:
            raise not_read(file, "the file of ids", error) from error
        except UnicodeDecodeError as error:
            raise SourceError("{path}: the file of ids is no UTF-8; write an id a line", path=file) from error
        names += [line for line in lines if line.strip()]
    if not names:
        raise click.UsageError(tr("Missing argument 'ID...': name ids, or --ids FILE"))
    tell_taken(opened.remove([id_named(opened, name) for name in names]), as_json=as_json)


@_on_index("simsieve index undo seen monday", write=True, as_json=_COUNTS)
@click.argument("batch")
def undo(opened: "Index", *, batch: str, as_json: bool) -> None:
    """Take BATCH back: its documents go, and those that it replaced are there again."""
    tell_taken(opened.undo(batch), as_json=as_json)


@_on_index("simsieve index expire seen --before 2026-11-01", write=True, as_json=_COUNTS)
@option(
    "--before", metavar="DATE|NAME", required=True, group=INPUT,
    help="Of an index with a window of time, the date before which documents go. Else the name before which batches"
    " go: numbers by value, dates and others as text.",
)  # fmt: skip
def expire(opened: "Index", *, before: str, as_json: bool) -> None:
    """Remove old documents: by their dates, or by the names of their batches, which may be dates."""
    tell_taken(opened.expire(before), as_json=as_json)


@_on_index("simsieve index stats seen", "simsieve index stats seen --sample 1000", as_json="The numbers as JSON.")
@option(
    "--sample", metavar="N", type=click.IntRange(min=1), group=INPUT,
    help="Compare about N kept documents with all earlier ones, and print the recall of the search.",
)  # fmt: skip
def stats(opened: "Index", *, sample: int | None, as_json: bool) -> None:
    """Show the counts and sizes of an index."""
    from simsieve.report.table import aligned

    numbers = opened.stats()
    if sample is not None:
        recall = opened.recall(sample)
        value = None if recall is None else recall.value
        numbers["recall"] = value if as_json or recall is None else recall.text
    echo(json.dumps(numbers) if as_json else aligned([(name, str(value)) for name, value in numbers.items()]))


@_on_index(
    "simsieve index batches seen", "simsieve index batches seen --json", as_json="The batches as a list of JSON."
)
@option("-n", "newest", type=click.IntRange(min=1, max=2**32 - 1), default=1000, help="Batches at most, the newest.")
def batches(opened: "Index", *, newest: int, as_json: bool) -> None:
    """Show the newest batches of an index, and what it has of each."""
    tell_batches(opened.batches(newest), as_json=as_json)


@_on_index("simsieve index verify seen", progress=True)
def verify(opened: "Index", *, progress: Progress | None) -> None:
    """Read all files of an index and check them."""
    opened.verify(progress)
    say(tr("{path}: every file is whole, and every document is found", path=_named()))


@_on_index("simsieve index compact seen --purge", write=True, progress=True)
@option("--purge", is_flag=True, help="Take removed texts off the disk; no undo brings them back.")
def compact(opened: "Index", *, purge: bool, progress: Progress | None) -> None:
    """Merge the files of an index."""
    opened.compact(purge=purge, progress=progress)


@_on_index("simsieve index refreeze seen --expect 50000000", write=True, progress=True)
@option("--expect", type=click.IntRange(min=0), default=0, metavar="N", help="Documents that the index will have.")
def refreeze(opened: "Index", *, expect: int, progress: Progress | None) -> None:
    """Make the search keys anew for the documents that are there.

    It is due when an index has grown sixteen times. No decision that was made changes.
    """
    opened.refreeze(expect, progress)


@_on_index("simsieve index snapshot seen backup/seen")
@click.argument("to", type=PATH)
def snapshot(opened: "Index", *, to: str) -> None:
    """Copy an index to a new directory, by hard links where the file system has them."""
    opened.snapshot(to)


@_on_index("simsieve index export seen -o kept.jsonl")
@output_option("The file for the documents, as JSON lines.", required=True)
def export(opened: "Index", *, output: str) -> None:
    """Write the kept documents, each with id and text, and with its date if the index has a window of time."""
    opened.export(output)


def _run_of(added: "IndexBatch") -> "DedupResult":
    if added.result is None:
        raise ConfigError("the batch has no run")
    return added.result


if TYPE_CHECKING:
    from collections.abc import Sequence

    from simsieve.index import BatchCounts, Index, IndexBatch, IndexDocument
    from simsieve.results.dedup import DedupResult


def tell(opened: "Index", result: "DedupResult", added: "IndexBatch | None", *, as_json: bool, quiet: bool) -> None:
    """Say what a run has decided, and what the index has."""
    counts = result.counts
    # The numbers count decisions. The table counts new documents: one that was known before is no copy of itself.
    exact, near = (counts.exact, counts.near) if added is None else (added.exact, added.dropped - added.exact)
    numbers: dict[str, Any] = {
        "read": counts.read, "kept": counts.kept, "dropped": counts.dropped, "exact": counts.exact, "near": counts.near,
        "failed": counts.failed,
    }  # fmt: skip
    rows = [
        (tr("read"), counts.read), (tr("kept"), counts.kept), (tr("exact duplicates"), exact),
        (tr("near duplicates"), near), (tr("failed"), counts.failed),
    ]  # fmt: skip
    if added is not None:
        numbers |= {"batch": added.batch, "known": added.known, "replaced": added.replaced, "orphans": added.orphans}
        rows += [(tr("known before"), added.known), (tr("replaced"), added.replaced)]
    numbers["documents"] = len(opened)
    if as_json:
        echo(json.dumps(numbers, ensure_ascii=False))
    elif not quiet:
        from simsieve.report.table import aligned

        rows.append((tr("documents of the index"), numbers["documents"]))
        echo(aligned([(name, f"{value:,}") for name, value in rows]), err=True)
        _tell_orphans(numbers.get("orphans", []))
    if not quiet and opened.stats()["refreeze_due"]:
        say(tr("the index has outgrown its search keys: `simsieve index refreeze {path}`", path=opened.path))


def text_of(found: "IndexDocument", path: str) -> str:
    """The text of a kept document; an error that says whom a dropped one was dropped for."""
    if found.text is None:
        shown = {name: json.dumps(value, ensure_ascii=False) for name, value in asdict(found).items()}
        raise ConfigError(
            "{path}: the document {id} was dropped for {representative} with the similarity {similarity}, and its text "
            "is not stored: ask for that one",
            path=path, id=shown["id"], representative=shown["representative"], similarity=shown["similarity"],
        )  # fmt: skip
    return found.text


def tell_batches(batches: "Sequence[BatchCounts]", *, as_json: bool) -> None:
    """Show what is in an index of each batch."""
    if as_json:
        echo(json.dumps([asdict(batch) for batch in batches], ensure_ascii=False))
        return
    from simsieve.report.table import columned

    counts = [tr("kept"), tr("dropped"), tr("gone"), tr("removed by it")]
    rows = [[tr("batch"), *counts, ""]]
    for batch in batches:
        numbers = (batch.kept, batch.dropped, batch.gone, batch.removed)
        name = " ".join(batch.name.splitlines())
        rows.append([name, *(f"{number:,}" for number in numbers), tr("undone") if batch.undone else ""])
    echo("\n".join(line.rstrip() for line in columned(rows).splitlines()))


def tell_taken(taken: "IndexBatch", *, as_json: bool) -> None:
    """Say what was removed."""
    if as_json:
        echo(json.dumps({"kept": taken.kept, "dropped": taken.dropped, "missing": taken.missing,
                         "orphans": taken.orphans}, ensure_ascii=False))  # fmt: skip
        return
    echo(tr("removed {kept:,} kept documents and {dropped:,} dropped ones", kept=taken.kept, dropped=taken.dropped))
    if taken.missing:
        say(tr("{count:,} ids are not in the index: {ids}", count=len(taken.missing), ids=_some(taken.missing)))
    _tell_orphans(taken.orphans)


def _tell_orphans(orphans: list[Any]) -> None:
    if orphans:
        text = tr("{count:,} documents were dropped for one that is gone; add them again: {ids}")
        say(text.format(count=len(orphans), ids=_some(orphans)))


def _some(ids: list[Any]) -> str:
    shown = ", ".join(json.dumps(one, ensure_ascii=False) for one in ids[:10])
    return shown + (", ..." if len(ids) > 10 else "")
