"""A run that writes the fingerprints of its documents and compares nothing."""

from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.bits import check_blocks
from simsieve.comparison.minhash import check_minhash, minhash_hex
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.results.tables import write_failed, write_fingerprints
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import fitted_schemes, only_criterion, without_thresholds
from simsieve.run.steps import load, open_store, prepare
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.tables import write_objects
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
    minhash: int | None = None,
) -> Printed:
    """Write the fingerprint of every document, as a table in the format of the sink's name."""
    # To stdout, and to a name without an ending, go lines of id, tab, fingerprint; of several schemes, a column each.
    # With `minhash` it is a table of id and minhash, the MinHash signatures of as many values.
    config = without_thresholds(config)
    if minhash is not None:
        only_criterion(config, "a MinHash signature")
    opened, schemes = prepare(source, None, config, Sinks(decisions=sink, failed=failed))
    if blocks is not None:
        for scheme in schemes:
            check_blocks(scheme.width, blocks)
    if minhash is not None:
        check_minhash(schemes[0], minhash)
    store, config = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    warn_of_markup(store, schemes, config, warn)
    encoded: _core.Collection | _core.Documents
    if minhash is None:
        encoded = store.encode(schemes, config.text_field, config.id_field, config.threads, config.batch, progress)
    else:
        encoded = load(store, schemes, config, progress)
    failures = encoded.failures()
    if len(failures) == len(store):
        reason = Message("of {count:,} records none has a fingerprint", count=len(store))
        check_replaced(sink, reason, allow_empty=config.allow_empty)
    if failed is not None:
        write_failed(encoded, failed, safe=config.safe_cells)
    if isinstance(encoded, _core.Collection):
        write_fingerprints(encoded, [scheme.spec for scheme in schemes], form, sink, progress, blocks or 0)
    else:
        bad = {position for position, _, _ in failures}
        used = (position for position in range(len(store)) if position not in bad)
        rows = (_signature(encoded, schemes[0], position, minhash or 0) for position in used)
        write_objects(sink, {"id": None, "minhash": "text"}, rows, safe=False)
    return Printed(len(store), failures)


def _signature(documents: _core.Documents, scheme: _core.Scheme, position: int, permutations: int) -> dict[str, Any]:
    label = documents.id(position)
    signature = minhash_hex(scheme, documents.text(position), permutations)
    return {"id": position if label is None else label, "minhash": signature}
