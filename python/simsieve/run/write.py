"""The order in which a run writes its results: the kept records come last, and if they exist, all files do."""

import logging
import os
import time
from dataclasses import replace

from simsieve import _core
from simsieve.config.toml import settings_toml
from simsieve.machine import peak_rss_bytes
from simsieve.messages import Message
from simsieve.registry import store_of
from simsieve.results.dedup import DedupResult
from simsieve.results.summary import write_summary
from simsieve.run.forecast import Warn
from simsieve.run.meter import measured_of
from simsieve.run.resume import settings_of
from simsieve.sinks.checks import Sinks
from simsieve.sinks.files import uploaded, write_text
from simsieve.sinks.kept import Kept
from simsieve.types import Progress

_log = logging.getLogger(__name__)


def write_results(
    result: DedupResult,
    documents: _core.Documents,
    sinks: Sinks,
    kept: Kept,
    start: float,
    warn: Warn,
    progress: Progress | None,
) -> DedupResult:
    """Write what is asked for."""
    if not sinks.dry_run:
        result.check_replaced(sinks.files)
        pairs = None
        if sinks.run is not None and sinks.all_pairs:
            # Before anything is written: there may be more than are allowed.
            pairs = documents.find_saved_pairs(result.config.max_pairs, result.config.threads, progress)
        nothing = is_nothing(result, sinks)
        with result.writing_kept(replace(sinks.files, kept=None) if nothing else sinks.files, kept) as write_kept:
            _write_sides(result, documents, pairs, sinks, start, progress)
            if nothing:
                warn(Message(
                    "{value} is not written: every record failed; correct the records, or give {@allow_empty} for "
                    "an empty file",
                    value=os.fspath(sinks.files.kept or ""),
                ))  # fmt: skip
            write_kept(progress)
        _log.info("wrote the results; %.3f s in all", time.perf_counter() - start)
    _clock(result, start, progress)
    return result


def _write_sides(
    result: DedupResult,
    documents: _core.Documents,
    pairs: _core.SavedPairs | None,
    sinks: Sinks,
    start: float,
    progress: Progress | None,
) -> None:
    result.write_sides(sinks.files, progress=progress)
    if sinks.run is not None:
        with uploaded(sinks.run) as path:
            documents.save(path, settings_of(result.config), pairs, result.config.threads, progress)
    if sinks.config is not None:
        write_text(sinks.config, settings_toml(result.config))
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
