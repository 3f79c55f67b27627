"""MinHash signatures, equal to those of datasketch, for people who keep signatures elsewhere."""

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import check_integer
from simsieve.errors import ConfigError
from simsieve.schemes.scheme import DEFAULT_SCHEME, AnyScheme, load_scheme
from simsieve.text.checks import all_written, lone_surrogates_named

MinHashKind = Literal["affine32", "legacy"]
KINDS: tuple[MinHashKind, ...] = ("affine32", "legacy")
"""The permutations of datasketch: those since 2.0, and those of all versions before."""
PERMUTATIONS = 128
MOST_PERMUTATIONS = 4096
_PRIME = np.uint64((1 << 61) - 1)
_LOW = np.uint64((1 << 32) - 1)


def minhash(
    texts: Iterable[str],
    scheme: AnyScheme = DEFAULT_SCHEME,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 1,
    kind: MinHashKind = "affine32",
) -> NDArray[np.uint32]:
    """Give the MinHash signatures of texts over the features of a scheme.

    Each value is the least of a permutation of the features' hashes, the first 4 bytes of SHA-1 of their UTF-8 (Broder,
    SEQUENCES 1997). They are the `hashvalues` of datasketch's `MinHash(num_perm, seed, scheme=kind)`.

    Args:
        texts: Texts, or pages under a scheme on pages.
        scheme: Whose features are taken; weights, hash and width do not matter.
        permutations: Values of a signature, 1 to 4,096.
        seed: The seed of the permutations, 0 to 2^32 - 1.
        kind: `affine32`, the default of datasketch 2.0; `legacy`, that of all versions before.

    Returns:
        uint32[texts, permutations]; a text without features has 2^32 - 1 everywhere.

    Raises:
        TypeError: A text is no `str`.
        ConfigError: A number or the kind is not allowed; the scheme has no features.
        TextError: The scheme cannot use a text.

    Example:
        >>> signatures = minhash(["the quick brown fox", "the quick brown foxes"], "words64", permutations=4)
        >>> signatures.shape, minhash_jaccard(signatures[0], signatures[1])
        ((2, 4), 0.75)
    """
    core = load_scheme(scheme)
    check_minhash(core, permutations)
    start = check_integer("seed", seed, 0, 2**32 - 1)
    if kind not in KINDS:
        raise ConfigError("kind {kind!r} is not allowed: give affine32 or legacy", kind=kind)
    if isinstance(texts, str):
        raise TypeError("texts is one text: give a list of texts")
    given = all_written(list(texts), () if core.given_as is None else (core.given_as,))
    with lone_surrogates_named(given):
        rows = [_signature(core, text, permutations, start, kind) for text in given]
    return np.array(rows, dtype=np.uint32).reshape(len(given), permutations)


def minhash_jaccard(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> float:
    """Estimate the Jaccard similarity of two sets of features: the share of equal values of their signatures.

    Args:
        a: A signature, of `minhash` or of datasketch.
        b: Another with as many values of the same permutations.

    Raises:
        ConfigError: The signatures differ in length, or have none.

    Example:
        >>> one, other = minhash(["a b c d", "a b c e"], "words64")
        >>> abs(minhash_jaccard(one, other) - 3 / 5) < 0.15
        True
    """
    one, other = np.asarray(a), np.asarray(b)
    if one.ndim != 1 or one.shape != other.shape or not len(one):
        raise ConfigError(
            "signatures of {shape} and {shape_2} values do not compare: give two of one length",
            shape=one.shape, shape_2=other.shape,
        )  # fmt: skip
    return float(np.mean(one == other))


def check_minhash(core: _core.Scheme, permutations: object) -> int:
    """Check that a scheme has features, and how many values a signature has."""
    if not core.has_features:
        raise ConfigError("scheme {spec!r} has no features to show: it takes fingerprints, not texts", spec=core.spec)
    return check_integer("permutations", permutations, 1, MOST_PERMUTATIONS)


def minhash_hex(core: _core.Scheme, text: str, permutations: int) -> str | None:
    """Write the signature of a text in hex, 8 digits a value; None of a text without features."""
    made = _signature(core, text, permutations, 1, "affine32")
    return None if (made == _LOW).all() else made.astype(">u4").tobytes().hex()


@cache
def _permutations(count: int, seed: int, kind: MinHashKind) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The factors and summands, drawn as datasketch draws them."""
    draw = np.random.RandomState(seed)
    if kind == "legacy":
        pairs = [
            (draw.randint(1, int(_PRIME), dtype=np.uint64), draw.randint(0, int(_PRIME), dtype=np.uint64))
            for _ in range(count)
        ]
        drawn = np.array(pairs, dtype=np.uint64)
        return drawn[:, 0], drawn[:, 1]
    factors = draw.randint(0, 1 << 31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors.astype(np.uint64), draw.randint(0, 1 << 32, count, dtype=np.uint32).astype(np.uint64)


def _signature(core: _core.Scheme, text: str, count: int, seed: int, kind: MinHashKind) -> NDArray[np.uint64]:
    digests = [hashlib.sha1(name.encode(), usedforsecurity=False).digest()[:4] for name, *_ in core.features(text)]
    if not digests:
        return np.full(count, _LOW)
    hashes = np.frombuffer(b"".join(digests), dtype="<u4").astype(np.uint64)
    factors, summands = _permutations(count, seed, kind)
    if kind == "legacy":
        permuted = (np.outer(hashes, factors) + summands) % _PRIME
    else:
        permuted = np.outer(_mixed(hashes), factors) + summands
    least: NDArray[np.uint64] = (permuted & _LOW).min(axis=0)
    return least


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The last step of MurmurHash3 of 32 bits."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor) & _LOW
    return hashes ^ (hashes >> np.uint64(16))
