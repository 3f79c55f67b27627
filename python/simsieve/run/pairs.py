"""A search for pairs: nothing is dropped, and nothing written but the pairs.

The order of its steps is that of a run up to `load`; see `simsieve.run.pipeline`.
"""

import logging
import time
from typing import Unpack

from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings
from simsieve.errors import ConfigError
from simsieve.progress import chosen_progress
from simsieve.results.failed import warn_of_failed
from simsieve.results.pairs import Pairs
from simsieve.results.tables import write_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.schemes import fitted_schemes
from simsieve.run.steps import load, open_store, prepare, warn_of_verdicts
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sources.base import AnySource
from simsieve.types import Progress, ProgressOption

_log = logging.getLogger(__name__)


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
    config = DedupConfig.from_settings(settings)
    with chosen_progress(progress) as show:
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
    """Carry out a search for pairs from checked settings to the written sink.

    Args:
        source: As for `dedup`.
        config: The settings.
        sink: A file in `.jsonl`, `.csv`, `.tsv` or `.parquet`, or `-`; None writes none.
        progress: Called now and then with (stage, done, total).
        against: As for `find_pairs`.
        failed: A file for the failed records, as of `DedupResult.write`; None writes none.
        warn: Called with what is wrong, but may be meant; by default it is a `SimsieveWarning`.

    Returns:
        The pairs.

    Raises:
        SimsieveError: As for `find_pairs`, and `SinkError` where the sink cannot be written.

    Example:
        >>> len(run_pairs(["one text"], DedupConfig()))
        0
    """
    start = time.perf_counter()
    if config.since_run is not None:
        raise ConfigError(
            "since_run is for dedup: leave it out of a search for pairs, or give old documents by against"
        )
    opened, schemes = prepare(source, against, config, Sinks(decisions=sink, failed=failed))
    store = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    documents = load(store, schemes, config, progress)
    warn_of_verdicts(documents, config, warn)
    columns = documents.pairs(config.max_pairs, config.threads, progress)
    if not len(columns[0]):
        check_replaced(sink, "there is no near pair", allow_empty=config.allow_empty)
    if failed is not None:
        write_failed(documents, failed)
    _log.info("found %d pairs among %d records in %.3f s", len(columns[0]), len(store), time.perf_counter() - start)
    pairs = Pairs(documents, columns, store, schemes[0], opened.keep_alive)
    if sink is not None:
        pairs.write(sink, progress)
    return pairs
