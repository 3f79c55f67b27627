"""simsieve finds the near-duplicates in a collection of texts, keeps one of each, and says why.

    >>> import simsieve
    >>> result = simsieve.dedup(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
    >>> result.counts.kept
    2

Durations of the stages of a run go to the logger `simsieve` of `logging`, at level INFO. On the command line it is
`simsieve dedup SOURCE -o FILE`; `simsieve --help` lists the commands.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from simsieve._core import __version__ as __version__
from simsieve.lazy import lazy as _lazy

# Modules that need numpy or are large are loaded with the first use of a name of theirs: help and completion in a shell
# take half the time without them.
__all__, _load = _lazy(__name__, __file__)
_ASKS = "_handle_fromlist"
"""The function of `importlib` that asks a package for the names of an import."""
_OTHERS = ("results", "inside", "config")
"""The packages with the rows of results and the types of settings, whose names were here too."""
_SIGNATURES = "simsieve.minhash(texts) makes signatures, and simsieve.minhash_jaccard(a, b) compares two"
_TABLES = (
    "simsieve.find_pairs(texts, measure='jaccard', similarity=0.8) finds all pairs, and simsieve.Index keeps texts that"
    " query(text) finds"
)
_OF_OTHERS = {
    **dict.fromkeys(("CMinHash", "LeanMinHash", "MinHash", "RMinHash", "WeightedMinHash"), _SIGNATURES),
    **dict.fromkeys(("LSHBloom", "MinHashLSH", "MinHashLSHForest", "RMinHashLSH"), _TABLES),
    "SemHash": "simsieve.dedup(texts).kept_rows() are the kept ones",
    "Simhash": "simsieve.fingerprint(text, scheme='simhash64') has the same value",
    "SimhashIndex": "simsieve.HammingIndex(fingerprints) finds those within a distance",
}
"""Names of other packages that are looked for here, each with the line that does it."""


class _Package(ModuleType):
    """The package: `schemes` stays the function when the package of that name is loaded."""

    @property
    def schemes(self) -> Any:
        return _load("schemes")

    @schemes.setter
    def schemes(self, _: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Load a public name with its module, when it is first used; of one that is elsewhere the error says where."""
    if name == "text":
        # The package of the public module `simsieve.text.html`.
        return import_module("simsieve.text.html") and import_module("simsieve.text")
    listed = name in __all__ or name.startswith("_")
    home = None if listed else next((one for one in _OTHERS if name in import_module(f"simsieve.{one}").__all__), None)
    if home is None and name not in _OF_OTHERS:
        return _load(name)
    # An import shows the text of an ImportError alone, and asks first whether the name is there.
    kind = ImportError if sys._getframe(1).f_code.co_name == _ASKS else AttributeError  # noqa: SLF001 - the caller has no other name
    if home is None:
        raise kind(f"{name} is a name of another package: {_OF_OTHERS[name]}", name=name)
    raise kind(f"{name} is in simsieve.{home}: from simsieve.{home} import {name}", name=name)


def __dir__() -> list[str]:
    """List the public names; the modules below are not among them."""
    return __all__
