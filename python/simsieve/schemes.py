"""The schemes that simsieve knows: a table for people, and the core's objects for the stages."""

from dataclasses import dataclass
from functools import lru_cache

from simsieve import _core
from simsieve.errors import ConfigError, core_errors

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


def load_scheme(spec: str) -> _core.Scheme:
    """Give the core's object for a scheme; the same object for the same spec.

    Args:
        spec: A scheme's name, with options behind it where wanted, such as `chars64:n=3`.

    Raises:
        ConfigError: The spec is not a text, or no such scheme is known.

    Example:
        >>> load_scheme("chars128") is load_scheme("chars128")
        True
    """
    if not isinstance(spec, str):
        raise ConfigError(f"scheme {spec!r} is not a name: give a text such as {DEFAULT_SCHEME!r}")
    with core_errors():
        return _load(spec)


@lru_cache(maxsize=64)
def _load(spec: str) -> _core.Scheme:
    return _core.Scheme(spec)
