"""The order of a run, known here and nowhere else.

    check the settings -> check the sinks -> open the sources -> fit a model (where `idf` asks for it)
      -> load (sample, fingerprints, sketches, search keys) -> decide -> measure the recall -> check the books
      -> write: decisions, failed records, settings, summary, and the kept records last

Nothing is written before all the rest has succeeded. Deciding again begins after `load`.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from simsieve import _core
from simsieve.config.settings import GONE, DedupConfig
from simsieve.config.typed import Settings, with_settings
from simsieve.errors import ConfigError, short_errors
from simsieve.machine import peak_rss_bytes
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.results.dedup import DedupResult
from simsieve.results.hubs import hubs_of, warn_of_hubs
from simsieve.results.pairs import Pairs
from simsieve.results.recall import EXACT, estimate
from simsieve.results.run import Run, check_databases, warn_of_failed
from simsieve.results.tables import write_failed
from simsieve.results.told import check_dropped
from simsieve.run.against import ALONE, IndexRun, index_named, made_settings, run_against, with_settings_of
from simsieve.run.directory import as_made, goes_on, note_run, run_directory, source_directory
from simsieve.run.forecast import Forecast, Warn, forecast_start, note_program, now, warn_program
from simsieve.run.meter import Meter
from simsieve.run.no_effect import (
    warn_of_chance,
    warn_of_cleaning,
    warn_of_keep,
    warn_of_markup,
    warn_of_small_main,
    warn_of_verdicts,
)
from simsieve.run.schemes import chosen_schemes, fitted_schemes
from simsieve.run.steps import begin, load, open_store, prepare, sources_of
from simsieve.run.write import write_results
from simsieve.sinks.base import RowSinks, SinkPath
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.kept import Kept
from simsieve.sources.base import AnySource, Source
from simsieve.sources.fields import check_named
from simsieve.sources.opening import open_source
from simsieve.types import Progress, ProgressOption, Recall

_log = logging.getLogger(__name__)
# The times of stages go to this logger; without a handler of the program it is silent.
logging.getLogger("simsieve").addHandler(logging.NullHandler())


@with_settings
def dedup(
    source: AnySource,
    *,
    against: AnySource | None = None,
    output: SinkPath | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[Settings],
) -> DedupResult:
    """Find the near-duplicates in a collection and decide which documents to keep.

    No kept document is near an earlier kept one that the search found. Every dropped one is near the document that
    represents it: the kept ones are the first maximal independent set in keep order. Settings used most:

    - `text_field`, `id_field`: the fields of records, by default `text` and `id`.
    - `similarity=0.6`: how alike near documents are; `max_distance=3` for bits. `measure="jaccard"`.
    - `scheme="chars128"`: how a text becomes features; `extract="main"` for pages; `cut_at`, `strip` clean texts.
    - `keep="longest"`: which one stays. `differ`, `block_by`, `same`, `window`, `max_lost`
      and `verdicts` hold documents apart.
    - `encoding="auto"`, `limit`, `max_failed="1%"`, `max_dropped="60%"`, `threads`, `memory`.

    Args:
        source: A path (str or path object): a file, `-` for stdin, a folder, or a pattern such as `data/*.csv`. A list
            of path objects. The URI of a collection of MongoDB. A data frame of pandas or polars, or an Arrow table.
            An iterable of texts, such as a Series or an Arrow array. An iterable of records (dict) with `text_field`
            and `id_field`.
        against: Old documents, of any of these kinds. They precede all others and stay: none is decided on, dropped,
            compared with another old one or written. A document near an old one, or its copy, is dropped for it.
        output: Where the kept documents go, as for `DedupResult.write`; by default nothing is written.
        progress: `"auto"` shows a bar in terminals and notebooks; a function is called now and then with (stage, done,
            total), and an exception that it raises stops the run; None or False shows nothing.
        **settings: Rows of `simsieve.config.settings.SETTINGS`, such as `similarity=0.8` or `max_distance=3`. More
            failed records than `max_failed` allows give a `FailedRecordsWarning`; the result is without them.

    Returns:
        The decisions, counts, clusters and recall, with `write` to write them.

    Raises:
        ConfigError: A setting is unknown or not allowed, or texts look like paths.
        SourceError: A file is missing, unreadable or cut.
        SinkError: The output cannot be written.
        TypeError: The source, or an item of it, is of no kind that can be read.

    Example:
        >>> result = dedup(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
        >>> result.counts.kept, result.counts.exact
        (2, 1)
        >>> dedup(["lorem ipsum dolor sit", "something new"], against=["lorem ipsum dolor sit"]).kept.tolist()
        [1]
    """
    with short_errors, chosen_progress(progress) as show:
        config = _config_of(settings, against, drops=True)
        sinks = Sinks(output, dry_run=output is None)
        result = run_dedup(source, config, sinks, progress=show, against=against)
    warn_of_failed(config, result.failures(), result.counts.read)
    warn_of_failed(config, result.old_failures(), result.old_read, what="old records", listed="old_failures()")
    return result


def run_dedup(
    source: AnySource,
    config: DedupConfig,
    sinks: Sinks | None = None,
    progress: Progress | None = None,
    against: AnySource | None = None,
    warn: Warn = warn_program,
    tell: Warn = note_program,
    index: IndexRun | None = None,
) -> DedupResult:
    """Carry out a deduplication from checked settings to written sinks."""
    can_be_again = index is None and _is_read_again(source) and _is_read_again(against)
    again = partial(_made_again, source, against, config) if can_be_again else None
    if (path := index_named(against)) is not None:
        index, against = run_against(path), None
    seen = index if index is not None and index.core is not None else None
    run_start = now()
    start = run_start[0]
    progress = Meter(progress)
    sinks = sinks or Sinks(dry_run=True)
    sinks = replace(sinks, goes_on=goes_on(config, sinks))
    if config.resume and not sinks.goes_on:
        tell(Message("there is nothing that {@`resume`} can go on with: the run begins anew"))
    opened, schemes = prepare(source, against, config, sinks.files, seen)
    check_databases(sinks, config, opened.new)
    rows = opened.new.row_sinks()
    kept = Kept.of(rows, opened.new.given_names, sinks.files, config)
    with source_directory(config, sinks, opened, progress) as held_open:
        store, reading = open_store(opened, config, progress, warn, held_open, tell=tell, knows_fields=seen is not None)
        check_named(config, store, opened.new)
        kept.open(store)
        schemes = fitted_schemes(schemes, store, config, progress)
        with run_directory(reading, sinks, store, schemes, progress, held_open, warn, tell) as directory:
            if directory is not None:
                for copies in opened.copies:
                    copies.note_in(directory)
            warn_of_markup(store, schemes, reading, warn)
            if seen is not None:
                seen.prepare(store, reading, progress)
            note_run(directory, config, source, against)
            # An index has the threshold of its run.
            made = as_made(directory, reading) if index is None or index.take is None else reading
            loading = begin(
                store, schemes, made, progress, directory,
                None if seen is None else seen.run, None if index is None else index.expect,
            )  # fmt: skip
            if index is not None:
                index.common = loading.common
            # Against an index the search is not that of all documents, and most batches take no longer than a forecast.
            forecast = None if seen is not None else forecast_start(loading, config)
            for warning in forecast.warnings if forecast else ():
                warn(warning)
            documents = loading.finish(config.threads, progress)
            if seen is not None:
                store = _core.Records.of_documents(documents)
            warn_of_verdicts(documents, config, warn, is_batch=seen is not None)
            warn_of_cleaning(documents, config, warn)
            warn_of_keep(store, documents, config, warn)
            seconds = time.perf_counter() - start
            _log.info("loaded %d records under %d schemes in %.3f s", len(store), len(schemes), seconds)
            base = _Base(
                store, documents, tuple(schemes), sources_of(opened, seen), opened.keep_alive, opened.new, rows,
                warn=warn, run_start=run_start, forecast=forecast, again=again,
                is_against_index=seen is not None and seen.known != ALONE,
            )  # fmt: skip
            result = _decided(base, config, progress) if made is reading else base.rethreshold(config, progress)
            check_dropped(*result.with_sources(), tell)
            take = None if index is None or index.take is None else partial(index.take, result, index)
            result = write_results(result, sinks, kept, start, warn, progress, take)
            warn_of_small_main(documents, config, warn)
            return result


def _config_of(settings: Settings, against: AnySource | None, *, drops: bool = False) -> DedupConfig:
    """The checked settings of a run: against an index those of the index are in force."""
    if "since_field" in settings:
        raise ConfigError(GONE["since_field"])
    path = index_named(against)
    if path is None:
        return DedupConfig.from_settings(settings, drops=drops)
    return DedupConfig.from_settings(with_settings_of(made_settings(path), settings))


@dataclass(frozen=True, slots=True)
class _Base:
    """What results at several thresholds share."""

    store: _core.Records
    documents: _core.Documents
    schemes: tuple[_core.Scheme, ...]
    paths: tuple[str, ...]
    keep_alive: object
    rows: Source
    sinks: RowSinks
    warn: Warn = warn_program
    run_start: tuple[float, float] | None = None
    forecast: Forecast | None = None
    is_against_index: bool = False
    """Whether old documents that the search did not meet are not there to be sampled."""
    again: Callable[[], DedupResult] | None = None
    """Makes the first result again in another process."""

    def rethreshold(self, config: DedupConfig, progress: Progress | None) -> DedupResult:
        documents = self.documents.rethreshold(config.nearness[0])
        # Further results are made from the documents at the first threshold.
        return _decided(self, config, progress, documents)


def _decided(
    base: _Base, config: DedupConfig, progress: Progress | None, documents: _core.Documents | None = None
) -> DedupResult:
    begun = now()
    documents = documents or base.documents
    columns = documents.dedup(config.threads, progress)
    measured = {"sampled": 0, "missed": 0, "exact": False}
    if config.sample != 0 and not base.is_against_index:
        measured = columns.measure_recall(config.sample, config.seed, config.threads, progress)
    # A second decision has no start of a run.
    run_start, forecast = begun, None
    if documents is base.documents:
        run_start, forecast = base.run_start or begun, base.forecast
        warn_of_chance(documents, base.schemes, columns, config, base.warn)
        warn_of_hubs(hubs_of(documents, base.schemes, columns), base.warn)
    counts = columns.counts
    recall = EXACT if measured["exact"] else estimate(
        counts["kept"], counts["dropped"], measured["sampled"], measured["missed"]
    )  # fmt: skip
    peak = peak_rss_bytes()
    _log.info("decided on %d records in %.3f s", counts["read"], now()[0] - begun[0])
    run = _run_of(base, documents, config, forecast, _outcome(columns, run_start, peak, recall))
    return DedupResult(run, config, columns, recall, now()[0] - begun[0], peak)


def decided_texts(
    columns: _core.Decisions, given: Any, config: DedupConfig, index: _core.Index, seconds: float
) -> DedupResult:
    """The result of an index on few texts or records; a run is made of it when one is asked for."""

    def run() -> Run:
        documents = _core.Documents.of_decisions(columns)
        opened = open_source(given, config)
        store, _ = open_store(opened, config, None, lambda _: None)
        base = _Base(
            _core.Records.of_documents(documents, store), documents, tuple(chosen_schemes(config)),
            (*opened.paths, str(index.path)), opened.keep_alive, opened, opened.row_sinks(), is_against_index=True,
        )  # fmt: skip
        return _run_of(base, documents, config, None, _outcome(columns, now(), peak_rss_bytes(), None))

    return DedupResult(run, config, columns, None, seconds)


def _run_of(
    base: _Base, documents: _core.Documents, config: DedupConfig, forecast: Forecast | None, outcome: dict[str, Any]
) -> Run:
    """What a result keeps of its run."""
    plan = {}
    again = base.again
    if documents is not base.documents and again is not None:
        again = partial(_decided_again, again, config)
    # The counts of the search are of one scheme.
    if len(base.schemes) == 1 or config.combine == "all":
        plan = {
            "recipe": documents.recipes[0]["source"],
            "keys": documents.recipes[0]["keys"],
            "forecast": None if forecast is None else forecast.told,
            "outcome": outcome,
        }
    return Run(
        base.store, documents, base.schemes, config, base.paths, base.keep_alive, base.rethreshold, base.rows,
        base.sinks, _write_report, plan, again,
    )  # fmt: skip


def _is_read_again(source: AnySource | None) -> bool:
    """Whether a source can be read once more; stdin and a generator cannot."""
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], os.PathLike):
        return Path("-") not in source
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source) != "-"
    return not isinstance(source, Iterator)


def _made_again(source: AnySource, against: AnySource | None, config: DedupConfig) -> DedupResult:
    """Make the result of a run again in another process; what a run directory has is taken from there."""
    config = replace(config, resume=config.run_dir is not None)
    return run_dedup(source, config, against=against, warn=say_nothing, tell=say_nothing)


def _decided_again(again: Callable[[], DedupResult], config: DedupConfig) -> DedupResult:
    result: DedupResult = again().with_sources()[0].rethreshold(config, None)
    return result


def say_nothing(_: str) -> None:
    """Take the notes of a run that are told elsewhere."""


def _write_report(*given: Any, **others: Any) -> None:
    """Write the page on a run."""
    # Loaded here, since few runs have a page.
    from simsieve.report.html import write_report  # noqa: PLC0415 - see above

    write_report(*given, **others)


def _outcome(
    columns: _core.Decisions, since: tuple[float, float], peak_bytes: int, recall: Recall | None
) -> dict[str, float | None]:
    """What a run took, by the names of its forecast; keys and pairs met only where a search was made."""
    seconds, cpu_seconds = (round(end - start, 6) for end, start in zip(now(), since, strict=True))
    met, counts = columns.met(), columns.counts
    return {
        **({} if met is None else {"keys": round(met[0], 3), "looks": met[1]}),
        "candidates": counts["candidates"],
        "verified": counts["verified"],
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "bytes": peak_bytes,
        "recall": None if recall is None else recall.value,
    }


@with_settings
def find_pairs(
    source: AnySource,
    *,
    against: AnySource | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[Settings],
) -> Pairs:
    """Find the pairs of near documents in a collection, or across two; nothing is dropped or written.

    Args:
        source: As for `dedup`.
        against: A second collection, of any of these kinds: only pairs of a document of each are given, that of
            `source` as `a`.
        progress: As for `dedup`.
        **settings: As for `dedup`; `keep` and `sample` do not matter here, `max_pairs` bounds the answer.

    Returns:
        The pairs, sorted by position, with `write` to write them.

    Raises:
        TooManyPairsError: There are more than `max_pairs`; the text gives the count.
        SimsieveError: As for `dedup`.

    Example:
        >>> pairs = find_pairs(["the quick brown fox jumps", "lorem ipsum dolor sit", "the quick brown fox jumps"])
        >>> [(pair.a_position, pair.b_position, pair.distance) for pair in pairs]
        [(0, 2, 0)]
        >>> across = find_pairs(["one text of words", "one text of words"], against=["other", "one text of words"])
        >>> [(pair.a_position, pair.b_position) for pair in across]
        [(0, 1), (1, 1)]
    """
    with short_errors, chosen_progress(progress) as show:
        config = _config_of(settings, against)
        pairs = run_pairs(source, config, progress=show, against=against)
    warn_of_failed(config, pairs.failures(), pairs.read)
    warn_of_failed(config, pairs.old_failures(), pairs.old_read, what="old records", listed="old_failures()")
    return pairs


def run_pairs(
    source: AnySource,
    config: DedupConfig,
    sink: SinkPath | None = None,
    progress: Progress | None = None,
    against: AnySource | None = None,
    failed: SinkPath | None = None,
    warn: Warn = warn_program,
) -> Pairs:
    """Carry out a search for pairs from checked settings to the written sink."""
    start = time.perf_counter()
    seen = None
    can_be_again = _is_read_again(source) and _is_read_again(against)
    again = partial(run_pairs, source, config, against=against, warn=say_nothing) if can_be_again else None
    if (path := index_named(against)) is not None:
        seen, against = run_against(path), None
    opened, schemes = prepare(source, against, config, Sinks(decisions=sink, failed=failed), seen=seen)
    store, reading = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    warn_of_markup(store, schemes, reading, warn)
    documents = load(store, schemes, reading, progress, None if seen is None else seen.run)
    if seen is not None:
        store = _core.Records.of_documents(documents)
    warn_of_verdicts(documents, config, warn, is_batch=seen is not None)
    warn_of_cleaning(documents, config, warn)
    columns = documents.pairs(config.max_pairs, lost=True, threads=config.threads, progress=progress)
    if not len(columns[0]):
        check_replaced(sink, "there is no near pair", allow_empty=config.allow_empty)
    if failed is not None:
        write_failed(documents, failed, safe=config.safe_cells)
    _log.info("found %d pairs among %d records in %.3f s", len(columns[0]), len(store), time.perf_counter() - start)
    warn_of_small_main(documents, config, warn)
    pairs = Pairs(documents, columns, store, schemes[0], opened.keep_alive, again)
    if sink is not None:
        pairs.write(sink, progress, safe_cells=config.safe_cells, with_edit=config.with_edit)
    return pairs
