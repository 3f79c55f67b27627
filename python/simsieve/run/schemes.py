"""The schemes of a run: those that its settings choose, with the models that they name or that are fitted for them."""

from collections.abc import Sequence
from dataclasses import replace

from simsieve import _core
from simsieve.config.near_rows import DEFAULT_MAX_RATIO, FIT, NONE
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.model import Model
from simsieve.schemes.scheme import AnyScheme, Scheme, load_scheme, picture_hash
from simsieve.types import Progress


def chosen_schemes(config: DedupConfig) -> list[_core.Scheme]:
    """Give the schemes of a run with the weights that `idf` asks for, and with the model it names."""
    return [_chosen(one, config, part) for one, part in zip(config.criteria, config.parts, strict=True)]


def chosen_scheme(config: DedupConfig, what: str) -> _core.Scheme:
    """Give the scheme of a run that takes only one; else as `chosen_schemes`."""
    return _chosen(only_criterion(config, what), config, config.parts[0])


def only_criterion(config: DedupConfig, what: str) -> Criterion:
    """Give the criterion of a run that takes only one."""
    first, *others = config.criteria
    if others:
        raise ConfigError(
            "{what} is for one scheme, and {count} are given: {map}",
            what=what, count=1 + len(others), map=", ".join(map(str, config.criteria)),
        )  # fmt: skip
    return first


def with_input(spec: AnyScheme, config: DedupConfig) -> AnyScheme:
    """Give a scheme on what the settings take of texts: extracted of pages, folded, cleaned; else the same."""
    taken = config.cut_at, config.strip, config.ignore
    if config.extract == NONE and config.fold == NONE and taken == (None, None, None):
        return spec
    scheme = Scheme(spec) if isinstance(spec, str) else spec
    scheme = scheme if config.fold == NONE else scheme.folded(config.fold)
    return (scheme if config.extract == NONE else scheme.on_pages(config.extract)).cleaned(*taken)


def without_thresholds(config: DedupConfig) -> DedupConfig:
    """Give the settings of a run that compares nothing: the thresholds were checked, and do not matter."""
    # A similarity would refuse a scheme without features; a distance suits every scheme.
    schemes = tuple(criterion.scheme for criterion in config.criteria)
    return replace(
        config, scheme=schemes, similarity=None, max_distance=0, measure="cosine", max_ratio=DEFAULT_MAX_RATIO
    )


def fitted_schemes(
    schemes: Sequence[_core.Scheme], store: _core.Records, config: DedupConfig, progress: Progress | None = None
) -> list[_core.Scheme]:
    """Fit the models that schemes wait for on the documents of a run; a pass over all of them for each."""
    if config.idf != FIT:
        return list(schemes)
    fitted = []
    for scheme in schemes:
        model, _ = store.fit(scheme, config.text_field, config.max_features, config.threads, config.batch, progress)
        fitted.append(scheme.with_model(model, own=True))
    return fitted


def _chosen(criterion: Criterion, config: DedupConfig, part: tuple[int, int] | None) -> _core.Scheme:
    scheme = load_scheme(with_input(criterion.scheme, config))
    if part is not None:
        scheme = scheme.with_part(*part)
    if config.idf == FIT:
        return _with_idf(scheme, config)
    if config.idf != NONE:
        model = config.idf if isinstance(config.idf, Model) else Model.load(config.idf)
        if not scheme.needs_model or scheme.model is not None:
            scheme = _with_idf(scheme, config)
        scheme = scheme.with_model(model.core)
    scheme.check_ready()
    if criterion.similarity is not None:
        if picture_hash(criterion.scheme):
            raise ConfigError(
                "scheme {scheme} hashes pictures, and a hash has no similarity: give {@max_distance}, such as 8",
                scheme=criterion.scheme,
            )
        scheme.check_similarity()
    return scheme


def _with_idf(scheme: _core.Scheme, config: DedupConfig) -> _core.Scheme:
    """The scheme with weights by idf, which `idf` asks of every scheme of a run."""
    try:
        return scheme.with_idf()
    except ConfigError as error:
        if len(config.criteria) == 1:
            raise
        way = "leave idf out, and name the model in the one spec that it is for, as in chars128:weights=idf,model=FILE"
        raise ConfigError(
            "{error}. idf is for all {count} schemes of the run: {way}",
            error=error, count=len(config.criteria), way=way,
        ) from error  # fmt: skip
