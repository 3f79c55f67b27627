"""A run that writes the fingerprints of its documents and compares nothing."""

from dataclasses import dataclass

from simsieve.bits import check_blocks
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.results.tables import write_failed, write_fingerprints
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.markup import warn_of_markup
from simsieve.run.schemes import fitted_schemes, without_thresholds
from simsieve.run.steps import open_store, prepare
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sources.base import AnySource
from simsieve.types import FingerprintFormat, Progress


@dataclass(frozen=True, slots=True)
class Printed:
    """What writing fingerprints did: records read and failed, and the failed ones as (position, code, message)."""

    read: int
    failures: list[tuple[int, str, str]]


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
