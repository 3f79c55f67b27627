"""The order in which a run writes its results: the kept records come last, and if they exist, all files do."""

import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from simsieve.errors import SimsieveError, SinkError
from simsieve.machine import peak_rss_bytes
from simsieve.messages import Message
from simsieve.registry import in_database, store_of
from simsieve.results.dedup import DedupResult
from simsieve.results.summary import write_summary
from simsieve.run.forecast import Warn
from simsieve.run.meter import measured_of
from simsieve.sinks.base import is_replaced_whole, written_beside
from simsieve.sinks.checks import Sinks
from simsieve.sinks.kept import Kept
from simsieve.types import Progress

_log = logging.getLogger(__name__)


def write_results(
    result: DedupResult,
    sinks: Sinks,
    kept: Kept,
    start: float,
    warn: Warn,
    progress: Progress | None,
    take: Callable[[], Message] | None = None,
) -> DedupResult:
    """Write the outputs; `take` puts the result into an index, and returns the advice if writing fails after."""
    if not sinks.dry_run:
        result.check_replaced(sinks.files)
        unwritten = sinks.kept if is_nothing(result, sinks) else None
        if unwritten is not None:
            sinks = replace(sinks, kept=None)

        def write(some: Sinks, kept: Kept) -> None:
            with result.writing_kept(some.files, kept) as write_kept:
                _write_sides(result, some, start, progress, with_collections=take is None)
                write_kept(progress)

        if take is None:
            write(sinks, kept)
        else:
            _write_around(result, sinks, kept, write, take, progress)
        if unwritten is not None:
            warn(Message(
                "{value} is not written: every record failed; correct the records, or give {@allow_empty} for "
                "an empty file",
                value=os.fspath(unwritten),
            ))  # fmt: skip
        _log.info("wrote the results; %.3f s in all", time.perf_counter() - start)
    elif take is not None:
        take()
    _clock(result, start, progress)
    return result


def _write_around(
    result: DedupResult, sinks: Sinks, kept: Kept, write: Callable[[Sinks, Kept], None], take: Callable[[], Message],
    progress: Progress | None,
) -> None:  # fmt: skip
    """Write a result that an index takes: files are on the disk before it does, and get their names after."""
    # What cannot be taken back, such as stdout, is written after.
    # The kept records come last.
    names = [name for name in ("decisions", "kept") if is_replaced_whole(getattr(sinks, name))]
    without: dict[str, Any] = dict.fromkeys(names)
    with ExitStack() as stack:
        beside = {name: stack.enter_context(written_beside(getattr(sinks, name))) for name in names}
        if beside:
            places: dict[str, Any] = {name: place for name, (place, _) in beside.items()}
            early, run = Sinks(annotate=sinks.annotate, **places), result.with_sources()[0]
            placed = Kept.of(run.sinks, run.rows.given_names, early, result.config)
            placed.open(run.store)
            write(early, placed)
        in_databases = result.config.mark is not None or in_database(sinks.decisions) or in_database(sinks.kept)
        # The index may remember up to where its source was read: what it has taken is never read again.
        result.write_collections(sinks, progress=progress)
        try:
            done = take()
        except (SimsieveError, OSError) as error:
            if in_databases:
                error.add_note(Message(
                    "the index was not changed, and the database has what the run wrote: `simsieve mongo undo` takes "
                    "it back, or add again with {`append`}"
                ))  # fmt: skip
            raise
        try:
            for _, put in beside.values():
                put()
            write(replace(sinks, **without), kept)
        except BrokenPipeError:
            raise
        except (SimsieveError, OSError) as error:
            raise SinkError("{error}; {done}", error=error, done=done) from error


def _write_sides(
    result: DedupResult, sinks: Sinks, start: float, progress: Progress | None, *, with_collections: bool
) -> None:
    result.write_sides(sinks.files, progress=progress)
    if with_collections:
        result.write_collections(sinks, progress=progress)
    _clock(result, start, progress)
    if sinks.report is not None:
        result.report(sinks.report, texts=sinks.report_texts, command=sinks.command)
    if sinks.summary is not None:
        write_summary(sinks.summary, result.summary)


def is_nothing(result: DedupResult, sinks: Sinks) -> bool:
    """Say whether the file of the kept records is left unwritten, since every record failed and none would be in it."""
    counts, sink = result.counts, sinks.files.kept
    empty = counts.read == counts.failed > 0 and not (result.config.allow_empty or sinks.annotate)
    if not empty or sink is None or os.fspath(sink) == "-":
        return False
    return not store_of(sink).is_there(sink)


def _clock(result: DedupResult, start: float, progress: Progress | None) -> None:
    result.measured = measured_of(progress)
    result.seconds = time.perf_counter() - start
    result.peak_rss_bytes = peak_rss_bytes()
