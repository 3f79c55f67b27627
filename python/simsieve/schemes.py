"""The schemes that simsieve knows: a table for people, and the core's objects for the stages."""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from simsieve import _core
from simsieve.config import FIT, NONE, DedupConfig
from simsieve.criteria import Criterion
from simsieve.errors import ConfigError, core_errors
from simsieve.model import Model
from simsieve.own import Scheme, core_of
from simsieve.records import Progress

DEFAULT_SCHEME = "chars128"


@dataclass(frozen=True, slots=True)
class SchemeInfo:
    """One scheme as the table lists it.

    Args:
        name: What `scheme=` takes.
        source: Where the scheme comes from.
        features: What it cuts a text into.
        weights: How it weighs a feature.
        hash: The hash of a feature.
        width: Bits of a fingerprint.
        widths: Which widths may stand in the name.
        sign: Which sums give a 1.
        digest: Hex digest of all that decides a bit; equal digests mean comparable fingerprints.
        options: What a spec may change behind the name, with the defaults; `NAME:option=value,option=value`.

    Example:
        >>> {info.name: info.width for info in schemes()}["chars128"]
        128
    """

    name: str
    source: str
    features: str
    weights: str
    hash: str
    width: int
    widths: str
    sign: str
    digest: str
    options: str


def schemes() -> list[SchemeInfo]:
    """List the schemes that are built in.

    Returns:
        One row a scheme, in the core's order.

    Example:
        >>> "chars128" in [info.name for info in schemes()]
        True
    """
    with core_errors():
        rows = _core.scheme_table()
    names = SchemeInfo.__slots__
    return [SchemeInfo(**{name: row[name] for name in names}) for row in rows]


def load_scheme(spec: str | Scheme, model: Model | None = None) -> _core.Scheme:
    """Give the core's object for a scheme; the same object for the same spec, while no file that it names is changed.

    Args:
        spec: A scheme's name, with options behind it where wanted, such as `chars64:n=3`; a TOML file; or a scheme of
            one's own.
        model: The model that the scheme uses, where its weights take one and the spec names no file.

    Raises:
        ConfigError: The spec is not a text, no such scheme is known, or it does not take the model.
        SourceError: The spec names a file (a model, stop words, a dictionary) that cannot be read.

    Example:
        >>> load_scheme("chars128") is load_scheme("chars128")
        True
    """
    if not isinstance(spec, str | Scheme):
        raise ConfigError(
            f"scheme {spec!r} is not a name: give a text such as {DEFAULT_SCHEME!r}, or a simsieve.Scheme"
        )
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"model is of type {type(model).__name__}: give a simsieve.Model")
    with core_errors():
        if isinstance(spec, Scheme) or spec.endswith(".toml"):
            scheme = core_of(spec)
        else:
            files = _FILE.findall(spec)
            scheme = _load_with_files(spec, tuple(map(_stamp, files))) if files else _load(spec)
        return scheme if model is None else scheme.with_model(model.core)


def with_extract(spec: str | Scheme, extract: str) -> str | Scheme:
    """Give the spec of a scheme on what is extracted of pages.

    Args:
        spec: A scheme's name, with or without options, a TOML file or a scheme of one's own.
        extract: `none`, `text` or `main`.

    Raises:
        ConfigError: The scheme says already what is extracted, or has elements for features.
        SourceError: A TOML file cannot be read.

    Example:
        >>> with_extract("chars64:n=3", "main")
        'chars64:n=3,extract=main'
    """
    if extract == NONE:
        return spec
    if isinstance(spec, Scheme) or spec.endswith(".toml"):
        return (Scheme.from_toml(spec) if isinstance(spec, str) else spec).on_pages(extract)
    if re.search(r"[:,]extract=", spec):
        raise ConfigError(f"scheme {spec!r} says already what is extracted: leave out extract {extract!r}")
    return f"{spec}{',' if ':' in spec else ':'}extract={extract}"


def chosen_schemes(config: DedupConfig) -> list[_core.Scheme]:
    """Give the schemes of a run with the weights that `idf` asks for, and with the model it names.

    Args:
        config: The settings.

    Returns:
        For each criterion a scheme that is ready to be used, or, where `idf` is `fit`, that waits for `fitted_schemes`.

    Raises:
        ConfigError: The weights take no model, a model is missing or named twice, or is of other features; or a
            scheme has no features, and so no similarity.
        SourceError: A model's file cannot be read.

    Example:
        >>> [scheme.spec for scheme in chosen_schemes(DedupConfig(idf="fit"))]
        ['chars128:weights=idf']
    """
    return [_chosen(criterion, config) for criterion in config.criteria]


def chosen_scheme(config: DedupConfig, what: str) -> _core.Scheme:
    """Give the one scheme of what takes but one; else as `chosen_schemes`.

    Args:
        config: The settings.
        what: What takes but one, for the message.

    Raises:
        ConfigError: There are several schemes, or as for `chosen_schemes`.

    Example:
        >>> chosen_scheme(DedupConfig(scheme=["chars64", "words64"]), "a plan")
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: a plan is for one scheme, and 2 are given: chars64@0.65, words64@0.65
    """
    return _chosen(only_criterion(config, what), config)


def only_criterion(config: DedupConfig, what: str) -> Criterion:
    """Give the one criterion of what takes but one.

    Raises:
        ConfigError: There are several.

    Example:
        >>> str(only_criterion(DedupConfig(max_distance=3), "a plan"))
        'chars128@3bits'
    """
    first, *others = config.criteria
    if others:
        raise ConfigError(
            f"{what} is for one scheme, and {1 + len(others)} are given: {', '.join(map(str, config.criteria))}"
        )
    return first


def told_schemes(
    schemes: Sequence[_core.Scheme], config: DedupConfig, recipes: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Tell the schemes of a run as its summary has them; of several, the digests stand for all together.

    Args:
        schemes: The schemes in force.
        config: The settings.
        recipes: The recipe under each.

    Example:
        >>> told_schemes([_core.Scheme("chars64")], DedupConfig(), [{"digest": "00ff"}])["scheme"]
        'chars64'
    """
    if len(schemes) == 1:
        return {"scheme": schemes[0].spec, "digest": schemes[0].digest, "recipe_digest": recipes[0]["digest"]}
    each = [
        {
            "scheme": scheme.spec,
            "digest": scheme.digest,
            "recipe_digest": recipe["digest"],
            "similarity": criterion.similarity,
            "max_distance": criterion.max_distance,
            "measure": config.measure_of(criterion.similarity),
        }
        for scheme, recipe, criterion in zip(schemes, recipes, config.criteria, strict=True)
    ]

    def of_all(name: str) -> str:
        told = "\n".join([config.combine, *(str(row[name]) for row in each)])
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()

    return {
        "scheme": f"{config.combine} of {', '.join(scheme.spec for scheme in schemes)}",
        "digest": of_all("digest"),
        "recipe_digest": of_all("recipe_digest"),
        "schemes": each,
    }


def _chosen(criterion: Criterion, config: DedupConfig) -> _core.Scheme:
    scheme = load_scheme(with_extract(criterion.scheme, config.extract))
    with core_errors():
        if config.idf == FIT:
            return _with_idf(scheme, config)
        if config.idf != NONE:
            model = config.idf if isinstance(config.idf, Model) else Model.load(config.idf)
            if not scheme.needs_model or scheme.model is not None:
                scheme = _with_idf(scheme, config)
            scheme = scheme.with_model(model.core)
        scheme.check_ready()
        if criterion.similarity is not None:
            scheme.check_similarity()
    return scheme


def _with_idf(scheme: _core.Scheme, config: DedupConfig) -> _core.Scheme:
    """The scheme with weights by idf, which `idf` asks of every scheme of a run."""
    try:
        with core_errors():
            return scheme.with_idf()
    except ConfigError as error:
        if len(config.criteria) == 1:
            raise
        way = "leave idf out, and name the model in the one spec that it is for, as in chars128:weights=idf,model=FILE"
        raise ConfigError(f"{error}. idf is for all {len(config.criteria)} schemes of the run: {way}") from error


def fitted_schemes(
    schemes: Sequence[_core.Scheme], store: _core.Store, config: DedupConfig, progress: Progress | None = None
) -> list[_core.Scheme]:
    """Fit the models that schemes wait for on the documents of a run; a pass over all of them for each.

    Args:
        schemes: What `chosen_schemes` gave.
        store: The sources.
        config: The settings; where `idf` is not `fit` the schemes come back as they are.
        progress: Called now and then with (stage, done, total).

    Raises:
        SimsieveError: A source has changed, or the work was stopped.

    Example:
        >>> config = DedupConfig(idf="fit")
        >>> store = _core.Store.from_texts(["a text", "another text"])
        >>> fitted_schemes(chosen_schemes(config), store, config)[0].model.documents
        2
    """
    if config.idf != FIT:
        return list(schemes)
    fitted = []
    for scheme in schemes:
        with core_errors():
            model, _ = store.fit(scheme, config.text_field, config.max_features, config.threads, config.batch, progress)
            fitted.append(scheme.with_model(model, own=True))
    return fitted


_FILE = re.compile(r"[:,](?:model=(?![0-9a-f]{32}(?:,|$))|stop=|dict=)([^,]+)")


def _stamp(path: str) -> tuple[int, ...]:
    """What tells a file from its later versions; nothing where there is none, which the core tells better."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=64)
def _load(spec: str) -> _core.Scheme:
    return _core.Scheme(spec)


# A model may hold many megabytes: only the last few are kept.
@lru_cache(maxsize=2)
def _load_with_files(spec: str, stamps: tuple[tuple[int, ...], ...]) -> _core.Scheme:  # noqa: ARG001 - part of the key
    return _core.Scheme(spec)
