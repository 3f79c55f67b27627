"""A run that writes the fingerprints of its documents and compares nothing."""

from dataclasses import dataclass

from simsieve.bits import check_blocks
from simsieve.compare.minhash import check_minhash, minhash_hex
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.results.tables import write_failed, write_fingerprints
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.markup import warn_of_markup
from simsieve.run.schemes import fitted_schemes, only_criterion, without_thresholds
from simsieve.run.steps import load, open_store, prepare
from simsieve.sinks.base import SinkPath, written
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.tables import TableSink, line_of
from simsieve.sources.base import AnySource
from simsieve.types import FingerprintFormat, Progress


@dataclass(frozen=True, slots=True)
class Printed:
    """What writing fingerprints did: records read and failed, and the failed ones as (position, code, message)."""

    read: int
    failures: list[tuple[int, str, str]]


def run_minhash(
    source: AnySource,
    config: DedupConfig,
    sink: SinkPath,
    permutations: int,
    progress: Progress | None = None,
    failed: SinkPath | None = None,
    warn: Warn = warn_program,
) -> Printed:
    """Write the MinHash signature of every document, as a table of id and minhash in the format of the sink's name."""
    config = without_thresholds(config)
    only_criterion(config, "a MinHash signature")
    opened, [scheme] = prepare(source, None, config, Sinks(decisions=sink, failed=failed))
    check_minhash(scheme, permutations)
    store, config = open_store(opened, config, progress, warn)
    [scheme] = fitted_schemes([scheme], store, config, progress)
    warn_of_markup(store, [scheme], config, warn)
    documents = load(store, [scheme], config, progress)
    failures = documents.failures()
    if len(failures) == len(store):
        check_replaced(
            sink, Message("of {count:,} records none has a fingerprint", count=len(store)),
            allow_empty=config.allow_empty,
        )  # fmt: skip
    if failed is not None:
        write_failed(documents, failed, safe=config.safe_cells)
    bad = {position for position, _, _ in failures}
    with written(TableSink(sink, {"id": None, "minhash": "text"})) as table:
        for position in range(len(store)):
            if position not in bad:
                label, made = documents.id(position), minhash_hex(scheme, documents.text(position), permutations)
                table.write([line_of({"id": position if label is None else label, "minhash": made})])
    return Printed(len(store), failures)


def run_fingerprints(
    source: AnySource,
    config: DedupConfig,
    sink: SinkPath,
    form: FingerprintFormat = "hex",
    progress: Progress | None = None,
    failed: SinkPath | None = None,
    blocks: int | None = None,
    warn: Warn = warn_program,
) -> Printed:
    """Write the fingerprint of every document, as a table in the format of the sink's name.

    To stdout, and to a name without an ending, go lines of id, tab, fingerprint; of several schemes, a column each.
    """
    config = without_thresholds(config)
    opened, schemes = prepare(source, None, config, Sinks(decisions=sink, failed=failed))
    if blocks is not None:
        for scheme in schemes:
            check_blocks(scheme.width, blocks)
    store, config = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    warn_of_markup(store, schemes, config, warn)
    encoded = store.encode(schemes, config.text_field, config.id_field, config.threads, config.batch, progress)
    failures = encoded.failures()
    if len(failures) == len(store):
        reason = Message("of {count:,} records none has a fingerprint", count=len(store))
        check_replaced(sink, reason, allow_empty=config.allow_empty)
    if failed is not None:
        write_failed(encoded, failed, safe=config.safe_cells)
    write_fingerprints(encoded, [scheme.spec for scheme in schemes], form, sink, progress, blocks or 0)
    return Printed(len(store), failures)
