"""Models are fitted on sources, and merged: the run of `simsieve.fit` and `simsieve fit`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from simsieve import _core
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import FitSettings, with_settings
from simsieve.errors import ConfigError, short_errors
from simsieve.progress import chosen_progress
from simsieve.results.run import warn_of_failed
from simsieve.run.forecast import Warn, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import only_criterion, with_input
from simsieve.run.steps import open_store
from simsieve.schemes.model import Model
from simsieve.schemes.scheme import load_scheme
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import check_sinks
from simsieve.sinks.files import uploaded
from simsieve.sources.base import AnySource
from simsieve.sources.opening import open_source
from simsieve.types import Progress, ProgressOption

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
