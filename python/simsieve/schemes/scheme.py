"""The schemes that simsieve knows: a table for people, and the core's objects for the stages."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache

from simsieve import _core
from simsieve.errors import ConfigError, core_errors
from simsieve.schemes.custom import Scheme, core_of
from simsieve.schemes.model import Model

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
    if extract == "none":
        return spec
    if isinstance(spec, Scheme) or spec.endswith(".toml"):
        return (Scheme.from_toml(spec) if isinstance(spec, str) else spec).on_pages(extract)
    if re.search(r"[:,]extract=", spec):
        raise ConfigError(f"scheme {spec!r} says already what is extracted: leave out extract {extract!r}")
    return f"{spec}{',' if ':' in spec else ':'}extract={extract}"


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
