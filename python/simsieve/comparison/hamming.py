"""Hamming distances: of two fingerprints, of all near pairs, and of queries to an index in memory."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.bits import read_bits
from simsieve.checks import MOST, MOST_THREADS, check_distance, check_integer, is_integer
from simsieve.errors import ConfigError, DigestError
from simsieve.fingerprints import Fingerprints
from simsieve.messages import Message
from simsieve.types import Fingerprint

Rows = Fingerprints | NDArray[np.uint64] | Sequence[Fingerprint | None]
"""The searched values: fingerprints of one scheme, or plain numbers."""
NearColumns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_MAX_WORDS = 4


def near_pairs(
    fingerprints: Rows,
    max_distance: int,
    *,
    other: Rows | None = None,
    max_pairs: int = 10**8,
    threads: int = 0,
    memory: int = 0,
    recall: float = 1.0,
    seed: int = 0,
) -> NearColumns:
    """Find all pairs of fingerprints within a Hamming distance; none is missed, unless a recall below 1 is asked for.

    The cheapest plan for the data is used: blocks that agree (Manku et al., WWW 2007, section 3), blocks with radii
    (Norouzi et al., TPAMI 2014, section 3), brute force, or, below recall 1, keys of random bits (Indyk and Motwani,
    STOC 1998, section 4.2).

    Args:
        fingerprints: `Fingerprints` (rows that are not valid are near to nothing), a list of `Fingerprint | None` of
            one scheme, or a C-contiguous array uint64[n] or uint64[n, words] with 1 to 4 words, column 0 the low one,
            with every row valid; at most 2^32 - 1 rows. An array of 64 MiB and more, such as a `numpy.memmap`, is
            read in place: do not write to it meanwhile.
        max_distance: The bound in bits, inclusive; 0 to width - 1. An array's width is 64 bits a word.
        other: A second collection of the same width: pairs of one row of each are found, none within a collection.
        max_pairs: Refuse an answer of more pairs than this; 1 to 2^63 - 1.
        threads: Threads to work with, 0 to 1024; 0 takes all cores.
        memory: Bytes to work with, in addition to the fingerprints and the answer, 0 to 2^63 - 1; 0 takes 6 GiB at
            most. Less makes more passes over the fingerprints and changes no pair.
        recall: The least chance that a pair at exactly `max_distance` is found, above 0; nearer pairs have a higher
            chance. 1 finds all. Less helps at large distances; if an exact plan is cheaper, it is used.
        seed: The seed of the random bits compared below recall 1; 0 to 2^64 - 1.

    Returns:
        (i, j, distance), each int64[pairs], sorted by i, then j: i < j; with `other`, i is a row of `fingerprints`
        and j one of `other`.

    Raises:
        ConfigError: The array's type, shape or layout, or a number, is not allowed; the memory is too little; the
            widths of the two collections differ.
        DigestError: The digests of the two collections differ.
        TooManyPairsError: There are more than `max_pairs`; the text gives the count.

    Example:
        >>> i, j, distance = near_pairs(np.array([0b1000, 0b1011, 0b0111_0000], dtype=np.uint64), 3)
        >>> i.tolist(), j.tolist(), distance.tolist()
        ([0], [1], [2])
    """
    fingerprints = _gathered(fingerprints)
    values, valid, width = _taken(fingerprints)
    distance = check_distance(max_distance, width, _described(fingerprints))
    second = None
    if other is not None:
        other = _gathered(other)
        _check_digests(fingerprints, other)
        second = _taken(other)
    most_pairs = check_integer("max_pairs", max_pairs, 1, MOST)
    workers = check_integer("threads", threads, 0, MOST_THREADS)
    most_bytes = check_integer("memory", memory, 0, MOST)
    start = check_integer("seed", seed, 0, 2**64 - 1)
    if isinstance(recall, bool) or not isinstance(recall, (int, float)):
        raise ConfigError(
            "recall {recall!r} is not a number: above 0, and at most 1, which finds all pairs", recall=recall
        )
    return _core.near_pairs(
        values, valid, width, distance, most_pairs, workers, other=second, memory=most_bytes, recall=float(recall),
        seed=start,
    )  # fmt: skip


class HammingIndex:
    """An index of fingerprints in memory that finds near ones quickly; exact, for one bound.

    One query of 64 bits at distance 3 takes a few microseconds among 10^7. For each of some tables it holds the
    fingerprints and 4 bytes a row: four tables for 10^7 of 64 bits and distance 3, more for farther ones.

    Args:
        fingerprints: As for `near_pairs`; they are copied, so the array may go or change.
        max_distance: The bound in bits, inclusive; 0 to width - 1.
        threads: Threads to build the index, 0 to 1024; 0 takes all cores.

    Raises:
        ConfigError: The array's type, shape or layout, or a number, is not allowed.

    Example:
        >>> index = HammingIndex(np.array([0b0000, 0b1111], dtype=np.uint64), 1)
        >>> i, j, distance = index.query(np.array([0b0111, 0b1010], dtype=np.uint64))
        >>> i.tolist(), j.tolist(), distance.tolist()
        ([0], [1], [1])
    """

    def __init__(self, fingerprints: Rows, max_distance: int, *, threads: int = 0) -> None:
        fingerprints = _gathered(fingerprints)
        values, valid, width = _taken(fingerprints)
        self.max_distance = check_distance(max_distance, width, _described(fingerprints))
        """The bound in bits, inclusive."""
        self.width = width
        """Bits of a fingerprint."""
        # Without its arrays: later checks need only its digest.
        self._of = fingerprints[:0] if isinstance(fingerprints, Fingerprints) else None
        workers = check_integer("threads", threads, 0, MOST_THREADS)
        self._core = _core.HammingIndex(values, valid, width, self.max_distance, workers)

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the fingerprints, from which another process makes the index again."""
        return _index_of, (*self._core.values(), self.width, self.max_distance, self._of)

    def __len__(self) -> int:
        """Count the indexed rows, valid or not."""
        return len(self._core)

    def __repr__(self) -> str:
        """Show the index."""
        return f"<HammingIndex of {len(self)} fingerprints of {self.width} bits within {self.max_distance}>"

    def query(self, fingerprints: Rows, *, max_pairs: int = 10**8, threads: int = 0) -> NearColumns:
        """Find all indexed fingerprints within the distance of the queries.

        Args:
            fingerprints: The queries, of the same width; as for `near_pairs`.
            max_pairs: Refuse an answer of more pairs than this; 1 to 2^63 - 1.
            threads: Threads to work with, 0 to 1024; 0 takes all cores.

        Returns:
            (i, j, distance), each int64[pairs], sorted by i, then j: i is the row of the query, j the indexed one.

        Raises:
            ConfigError: The array's type, shape or layout, or a number, is not allowed; widths differ.
            DigestError: The digests of the index and the queries differ.
            TooManyPairsError: There are more than `max_pairs`; the text gives the count.

        Example:
            >>> index = HammingIndex(np.array([1, 2, 3], dtype=np.uint64), 0)
            >>> index.query(np.array([3], dtype=np.uint64))[1].tolist()
            [2]
        """
        fingerprints = _gathered(fingerprints)
        values, valid, width = _taken(fingerprints)
        if self._of is not None:
            _check_digests(self._of, fingerprints)
        most_pairs = check_integer("max_pairs", max_pairs, 1, MOST)
        workers = check_integer("threads", threads, 0, MOST_THREADS)
        return self._core.query(values, valid, width, most_pairs, workers)


def _index_of(
    values: NDArray[np.uint64], valid: NDArray[np.bool_], width: int, max_distance: int, of: Fingerprints | None
) -> HammingIndex:
    made = HammingIndex.__new__(HammingIndex)
    made.max_distance, made.width, made._of = max_distance, width, of  # noqa: SLF001 - the class's own maker
    made._core = _core.HammingIndex(values, valid, width, max_distance, 0)  # noqa: SLF001 - as above
    return made


def _gathered(fingerprints: Rows) -> Fingerprints | NDArray[np.uint64]:
    """A list of fingerprints as columns, and all else as it is."""
    if isinstance(fingerprints, Fingerprints | np.ndarray):
        return fingerprints
    some = isinstance(fingerprints, list | tuple) and any(isinstance(row, Fingerprint) for row in fingerprints)
    return Fingerprints.of(fingerprints) if some else _checked_array(fingerprints)


def _taken(fingerprints: Fingerprints | NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.bool_] | None, int]:
    """(values, valid, width)."""
    if isinstance(fingerprints, Fingerprints):
        return fingerprints.values, fingerprints.valid, fingerprints.width
    values = _checked_array(fingerprints)
    return values, None, 64 * values.shape[1]


def _described(fingerprints: Fingerprints | NDArray[np.uint64]) -> Message:
    """What has a width, for a message."""
    if isinstance(fingerprints, Fingerprints):
        return Message("scheme {scheme}", scheme=fingerprints.scheme)
    return Message("an array of {shape} words", shape=_checked_array(fingerprints).shape[1])


def _check_digests(ours: object, theirs: object) -> None:
    if isinstance(ours, Fingerprints) and isinstance(theirs, Fingerprints) and ours.digest != theirs.digest:
        raise DigestError.of_schemes((ours.scheme, ours.digest), (theirs.scheme, theirs.digest))


def _checked_array(values: object) -> NDArray[np.uint64]:
    wanted = "give a numpy array uint64[n] or uint64[n, words]"
    if not isinstance(values, np.ndarray):
        raise ConfigError(
            "fingerprints are of type {name}: {wanted}, or Fingerprints", name=type(values).__name__, wanted=wanted
        )
    if values.dtype != np.uint64:
        raise ConfigError("fingerprints have dtype {dtype}: {wanted}", dtype=values.dtype, wanted=wanted)
    if values.ndim not in (1, 2) or (values.ndim == 2 and not 1 <= values.shape[1] <= _MAX_WORDS):
        raise ConfigError(
            "fingerprints have shape {shape}: {wanted} with 1 to {max_words} words",
            shape=values.shape, wanted=wanted, max_words=_MAX_WORDS,
        )  # fmt: skip
    if not values.flags.c_contiguous:
        raise ConfigError("fingerprints do not lie row after row in memory: pass numpy.ascontiguousarray(values)")
    if not values.flags.aligned:
        raise ConfigError("fingerprints do not begin at a multiple of 8 bytes: pass values.copy()")
    return values if values.ndim == 2 else values.reshape(-1, 1)


def hamming(a: Fingerprint | int | str, b: Fingerprint | int | str) -> int:
    """Count the bits in which two fingerprints differ.

    Args:
        a: A fingerprint, its value as an unsigned integer, or its bits as a text of zeros and ones.
        b: The other, of the same kind.

    Returns:
        The Hamming distance in bits, 0 or more.

    Raises:
        TypeError: The two are of different kinds, or one is of none of these.
        ConfigError: A number is negative; a text has other characters than 0 and 1; two texts differ in length.
        DigestError: The fingerprints' digests differ.

    Example:
        >>> hamming(0b10101, 0b00110), hamming("10101", "00110")
        (3, 3)
    """
    if isinstance(a, Fingerprint) and isinstance(b, Fingerprint):
        return a.distance(b)
    if isinstance(a, str) and isinstance(b, str):
        one, other = read_bits(a), read_bits(b)
        if len(a) != len(b):
            raise ConfigError(
                "the texts have {count} and {count_2} bits: give bits of one width", count=len(a), count_2=len(b)
            )
        return (one ^ other).bit_count()
    if not is_integer(a) or not is_integer(b) or isinstance(a, Fingerprint) or isinstance(b, Fingerprint):
        raise TypeError(
            "hamming takes two fingerprints or two whole numbers, or two texts of bits, not"
            f" {type(a).__name__} and {type(b).__name__}"
        )
    one, other = operator.index(a), operator.index(b)
    for value in (one, other):
        if value < 0:
            raise ConfigError("the fingerprint {value} is negative: give an unsigned value", value=value)
    return (one ^ other).bit_count()
