"""The schemes that simsieve knows: a table for people, and the core's objects for the stages."""

import operator
import os
import re
import string
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt
from typing import Any

from simsieve import _core
from simsieve.checks import is_integer, shown
from simsieve.errors import ConfigError
from simsieve.machine import stamp
from simsieve.schemes.custom import CustomScheme, model_of, restored
from simsieve.schemes.features import OfCore
from simsieve.schemes.model import Model
from simsieve.types import Fingerprint

DEFAULT_SCHEME = "chars128"
_CHOICES = {row["key"]: tuple(row["choices"]) for row in _core.scheme_options()}
EXTRACTS = _CHOICES["extract"]
"""What may be taken of pages, by name."""
FOLDS = _CHOICES["fold"]
"""How Traditional Chinese may become Simplified, by name."""


class Scheme(OfCore):
    """Parse the spec of a scheme; the object goes wherever `scheme=` takes the text.

    What the spec names is read once, when the object is made. `CustomScheme` builds a scheme from parts.

    Args:
        spec: A name that `schemes` lists, `NAME:option=value,...`, or a TOML file `NAME.toml`.

    Raises:
        ConfigError: The spec is no text, or no such scheme or option is known.
        SourceError: A file that the spec names cannot be read.

    Example:
        >>> scheme = Scheme("chars128:n=3")
        >>> scheme.spec, scheme.width, scheme == Scheme("chars128:n=3")
        ('chars128:n=3', 128, True)
    """

    __slots__ = ("_custom", "given")

    def __init__(self, spec: str) -> None:
        if not isinstance(spec, str):
            raise ConfigError(
                "spec {spec} is not a text: give a name such as {default_scheme!r}",
                spec=shown(spec), default_scheme=DEFAULT_SCHEME,
            )  # fmt: skip
        self._custom = CustomScheme.from_toml(spec) if spec.endswith(".toml") else None
        self.core = load_scheme(spec if self._custom is None else self._custom)
        self.given = spec
        """The spec as it was given."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the spec and the model; files of `stop` and `dict` must be there in the other process."""
        if self._custom is not None:
            return _scheme_of, (self.given, self._custom, None, self.digest)
        return _scheme_of, (self.given, self.spec, model_of(self.core), self.digest)

    def __repr__(self) -> str:
        """Show the call that makes it."""
        return f"Scheme({self.given!r})"

    def __str__(self) -> str:
        """The spec as it was given."""
        return self.given

    def __eq__(self, other: object) -> bool:
        """Schemes of equal digests make equal fingerprints."""
        return isinstance(other, Scheme) and self.digest == other.digest

    def __hash__(self) -> int:
        """As equality asks."""
        return hash(self.digest)

    def read(self, value: str | int) -> Fingerprint:
        """Read a fingerprint of this scheme that was written as bits, hex digits or a number.

        Args:
            value: As `Fingerprint.bits` or `Fingerprint.hex` has it, with all its digits, or as `int` gives it.

        Raises:
            TypeError: It is neither a text nor a whole number.
            ConfigError: It has another number of digits, other characters, or does not fit into the width.

        Example:
            >>> scheme = Scheme("chars64")
            >>> scheme.read("00000000000000ff") == scheme.read(255) == scheme.read(f"{255:064b}")
            True
        """
        width, digest = self.width, self.digest
        if is_integer(value):
            return Fingerprint(operator.index(value), width, self.spec, digest)
        if not isinstance(value, str):
            raise TypeError(f"a fingerprint is read of a text or a whole number, not of {type(value).__name__}")
        digits = (width + 3) // 4
        if len(value) == width:
            return Fingerprint.from_bits(value, self.spec, digest)
        if len(value) != digits or not set(value) <= set(string.hexdigits):
            raise ConfigError(
                "fingerprint {value} is not allowed: scheme {given!r} has {width} bits; give {width} zeros and ones, "
                "{digits} hex digits, or a number",
                value=shown(value), given=self.given, width=width, digits=digits,
            )  # fmt: skip
        return Fingerprint(int(value, 16), width, self.spec, digest)

    def folded(self, fold: str) -> "Scheme":
        """Give this scheme on folded texts: of one script, with numbers in digits, or without marks.

        Args:
            fold: `t2s` makes Traditional characters Simplified, `tw2sp` also words of Taiwan, `numerals` makes
                第一百二十三条 第123条, `marks` leaves out accents and vowel marks; `t2s+numerals+marks` and its like
                do several.

        Raises:
            ConfigError: The scheme says already how texts are folded, or folds none.

        Example:
            >>> Scheme("chars128").folded("t2s").spec
            'chars128:fold=t2s'
        """
        if self._custom is not None:
            custom = self._custom.folded(fold)
            return _made(custom.spec, custom.core, custom)
        spec = f"{self.given}{',' if ':' in self.given else ':'}fold={fold}"
        model = model_of(self.core)
        return _made(spec, load_scheme(spec, model), None)

    def on_pages(self, extract: str) -> "Scheme":
        """Give this scheme on the extracted text of pages.

        Args:
            extract: `text` or `main`.

        Raises:
            ConfigError: The scheme names an extraction already, or takes elements.

        Example:
            >>> Scheme("chars128").on_pages("main").spec
            'chars128:extract=main'
        """
        if self.core.extract != "none":
            raise ConfigError(
                "scheme {given!r} says already what is extracted: leave out extract {extract!r}",
                given=self.given, extract=extract,
            )  # fmt: skip
        core = self.core.with_extract(extract)
        return _made(core.spec, core, None if self._custom is None else self._custom.on_pages(extract))

    def cleaned(
        self, cut_at: str | None = None, strip: str | None = None, ignore: str | os.PathLike[str] | None = None
    ) -> "Scheme":
        r"""Give this scheme with parts removed from its texts.

        Args:
            cut_at: A regular expression of Rust's regex crate: a text ends where the first match begins.
            strip: Another: all matches are removed from the rest.
            ignore: A file that `simsieve.templates` wrote: the rest is compared without the templates in it. Exact
                copies are copies of the rest with them.

        Raises:
            ConfigError: A pattern is wrong, the scheme names one already, or takes no texts.
            SourceError: The file cannot be read, or has no template.

        Example:
            >>> Scheme("chars128").cleaned(strip=r"\(\d+ points?\)").spec
            'chars128:strip=\\(\\d+ points?\\)'
        """
        core = self.core.with_cleaning(cut_at, strip, None if ignore is None else os.fsdecode(ignore))
        return _made(core.spec, core, None if self._custom is None else self._custom.cleaned(cut_at, strip, ignore))


def _made(given: str, core: _core.Scheme, custom: CustomScheme | None) -> Scheme:
    made = object.__new__(Scheme)
    made.given, made.core, made._custom = given, core, custom
    return made


def _scheme_of(given: str, spec: str | CustomScheme, model: Model | None, digest: str) -> Scheme:
    if isinstance(spec, CustomScheme):
        return _made(given, spec.core, spec)
    return _made(given, restored(_core.Scheme(spec), model, given, digest), None)


AnyScheme = str | Scheme | CustomScheme
"""What `scheme=` takes: a spec, or one of the objects."""


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
        widths: Which widths are allowed in the name.
        sign: Which sums give a 1.
        digest: Hex digest of all that decides a bit; equal digests mean comparable fingerprints.
        options: What a spec may change after the name, with the defaults; `NAME:option=value,option=value`.
        unit: What a text is cut into, in a word.
        purpose: What the scheme is for.

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
    unit: str
    purpose: str


def schemes() -> list[SchemeInfo]:
    """List the schemes that are built in.

    Returns:
        One row a scheme, in the core's order.

    Example:
        >>> "chars128" in [info.name for info in schemes()]
        True
    """
    rows = _core.scheme_table()
    names = SchemeInfo.__slots__
    return [SchemeInfo(**{name: row[name] for name in names}) for row in rows]


def options_of(spec: str) -> frozenset[str]:
    """Give the options that a built-in scheme takes; a custom one takes none, it has parts."""
    name = spec.partition(":")[0].rstrip(string.digits)
    return frozenset(row["key"] for row in _core.scheme_options() if name in row["families"])


def picture_schemes() -> list[SchemeInfo]:
    """List the schemes of pictures; they have the digest of the fingerprints that are given in their place."""
    [given] = [info for info in schemes() if info.name == "external64"]
    return [
        replace(
            given, name=f"{family}64", source="the Python package imagehash", features="none: the source has pictures",
            hash=name, widths="64 and 256", sign="as the package has it", options="", unit="pictures",
            purpose="copies of pictures, as imagehash",
        )
        for family, name in HASHES.items()
    ]  # fmt: skip


def load_scheme(spec: AnyScheme, model: Model | None = None) -> _core.Scheme:
    """Give the core's object for a scheme: for one spec the same object, while no file that it names is changed."""
    if not isinstance(spec, str | Scheme | CustomScheme):
        raise ConfigError(
            "scheme {spec!r} is not a name: give a text such as {default_scheme!r}, a simsieve.Scheme or a "
            "simsieve.CustomScheme",
            spec=spec, default_scheme=DEFAULT_SCHEME,
        )  # fmt: skip
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"model is of type {type(model).__name__}: give a simsieve.Model")
    if not isinstance(spec, str):
        scheme = spec.core
    elif spec.endswith(".toml"):
        scheme = CustomScheme.from_toml(spec).core
    else:
        spec = given_name(spec)
        files = _core.spec_files(spec)
        scheme = _load_with_files(spec, tuple(map(_stamp, files))) if files else _load(spec)
    return scheme if model is None else scheme.with_model(model.core)


def _stamp(path: str) -> tuple[int, ...]:
    """The file's version; nothing where there is no file, for which the core has the better error."""
    try:
        return stamp(path)
    except OSError:
        return ()


@lru_cache(maxsize=64)
def _load(spec: str) -> _core.Scheme:
    return _core.Scheme(spec)


# A model may hold many megabytes: only the last few are kept.
@lru_cache(maxsize=2)
def _load_with_files(spec: str, stamps: tuple[tuple[int, ...], ...]) -> _core.Scheme:  # noqa: ARG001 - part of the key
    return _core.Scheme(spec)


HASHES = {"phash": "phash", "dhash": "dhash", "ahash": "average_hash", "whash": "whash"}
"""The hash of each family of schemes, by its name in imagehash."""
_WIDTHS = (64, 256)
PICTURES = tuple(f"{family}{width}" for family in HASHES for width in _WIDTHS)
"""The names of the schemes."""
_NAME = re.compile(rf"({'|'.join(HASHES)})(\d+)(:.*)?", re.DOTALL)


def picture_hash(scheme: Any) -> tuple[str, int] | None:
    """Give the function of imagehash, and its `hash_size`, that a scheme's name means; None of any other scheme."""
    found = _NAME.fullmatch(str(scheme))
    if found is None:
        return None
    name, family, width, _ = found[0], *found.groups()
    if name not in PICTURES:
        raise ConfigError(
            "scheme {name!r} is not known: pictures have {names}, without options", name=name, names=", ".join(PICTURES)
        )
    return HASHES[family], isqrt(int(width))


def given_name(spec: str) -> str:
    """Give the scheme as the core knows it: a fingerprint that is given in hex digits."""
    return spec if picture_hash(spec) is None else f"external{spec[5:]}"
