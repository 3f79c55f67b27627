"""Runs that decide nothing: models are fitted on sources and merged, and fingerprints of documents are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from simsieve import _core
from simsieve.bits import check_blocks
from simsieve.comparison.minhash import check_minhash, minhash_hex
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import FitSettings, with_settings
from simsieve.errors import ConfigError, short_errors
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.results.run import warn_of_failed
from simsieve.results.tables import write_failed, write_fingerprints
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import fitted_schemes, only_criterion, with_input, without_thresholds
from simsieve.run.steps import load, open_store, prepare
from simsieve.schemes.model import Model
from simsieve.schemes.scheme import load_scheme
from simsieve.sinks.base import SinkPath, uploaded
from simsieve.sinks.checks import Sinks, check_replaced, check_sinks
from simsieve.sinks.tables import write_objects
from simsieve.sources.base import AnySource
from simsieve.sources.opening import open_source
from simsieve.types import FingerprintFormat, Progress, ProgressOption

READ_SETTINGS = tuple(FitSettings.__annotations__)
"""The settings that matter to a fit."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fit made: the model, the records read, and the failed ones as (position, code, message)."""

    model: Model
    read: int
    failures: list[tuple[int, str, str]]


@with_settings
def fit(source: AnySource, *, progress: ProgressOption = None, **settings: Unpack[FitSettings]) -> Model:
    """Count in how many documents of a collection each feature occurs.

    Source: Sparck Jones, "A statistical interpretation of term specificity and its application in retrieval", Journal
    of Documentation 28, 1972; the weight ln((N + 1) / (n + 1)) + 1 of a feature that n of N documents have is the
    smoothed form of scikit-learn's `TfidfTransformer`.

    Args:
        source: As for `dedup`. Records that fail, and texts without features, are left out of the count.
        progress: As for `dedup`.
        **settings: `scheme`, whose features are counted (its weights and its width do not matter), `max_features`,
            `extract`, `fold`, `cut_at`, `strip`, `text_field`, `threads`, `batch`, `input_format`, `encoding`,
            `delimiter`, `quoting`, `query`, `max_record_bytes`.

    Returns:
        The model, for `idf=` of a run, for `Fingerprinter(..., model=...)`, or to be saved and named in a scheme as
        `chars128:weights=idf,model=FILE`.

    Raises:
        ConfigError: A setting is unknown, not allowed, or of no use here.
        SimsieveError: As for `dedup`.

    Example:
        >>> fit(["the quick brown fox", "the quick red fox"]).documents
        2
    """
    with short_errors, chosen_progress(progress) as show:
        check_taken("fit", settings, READ_SETTINGS)
        config = DedupConfig.from_settings(settings)
        fitted = run_fit(source, config, progress=show)
    warn_of_failed(config, fitted.failures, fitted.read, listed="")
    return fitted.model


def run_fit(
    source: AnySource | None,
    config: DedupConfig,
    merge: Sequence[Model] = (),
    sink: SinkPath | None = None,
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> Fitted:
    """Fit a model from checked settings to the written file."""
    if source is None and not merge:
        raise ConfigError("there is nothing to fit: give a source, or models to merge")
    spec = with_input(only_criterion(config, "a model").scheme, config)
    opened = None if source is None else open_source(source, config)
    if sink is not None:
        _core.Model.check_sink(str(sink))
        check_sinks(() if opened is None else opened.paths, (sink,))
    models, read = list(merge), 0
    failures: list[tuple[int, str, str]] = []
    if opened is not None:
        store, reading = open_store(opened, config, progress, warn)
        scheme = load_scheme(spec)
        warn_of_markup(store, [scheme], reading, warn)
        core, failures = store.fit(
            scheme, config.text_field, config.max_features, config.threads, config.batch, progress
        )
        models.append(Model(core))
        read = len(store)
    model = models[0].merge(*models[1:])
    if sink is not None:
        with uploaded(sink) as path:
            model.save(path)
    return Fitted(model, read, failures)


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
