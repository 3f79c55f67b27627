"""All pairs of near fingerprints, and the pairs that a search of sources finds."""

import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config import MOST, MOST_THREADS, check_distance, check_integer
from simsieve.errors import ConfigError, core_errors
from simsieve.records import Fingerprints, Pair, Progress

PairColumns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
_MAX_WORDS = 4


def near_pairs(
    fingerprints: Fingerprints | NDArray[np.uint64],
    max_distance: int,
    *,
    max_pairs: int = 10**8,
    threads: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find all pairs of fingerprints within a Hamming distance; none is missed.

    Args:
        fingerprints: `Fingerprints` (rows that are not valid are near to nothing), or a C-contiguous array uint64[n] or
            uint64[n, words] with 1 to 4 words, column 0 the low one, of which every row counts.
        max_distance: The bound in bits, inclusive; 0 to width - 1. An array's width is 64 bits a word.
        max_pairs: Refuse an answer of more pairs than this; 1 to 2^63 - 1.
        threads: Threads to work with, 0 to 1024; 0 takes all cores.

    Returns:
        (i, j, distance), each int64[pairs]: i < j, sorted by i, then j.

    Raises:
        ConfigError: The array's type, shape or layout, or a number, is not allowed.
        TooManyPairsError: There are more than `max_pairs`; the text gives the count.

    Example:
        >>> i, j, distance = near_pairs(np.array([0b1000, 0b1011, 0b0111_0000], dtype=np.uint64), 3)
        >>> i.tolist(), j.tolist(), distance.tolist()
        ([0], [1], [2])
    """
    if isinstance(fingerprints, Fingerprints):
        values, valid, width = fingerprints.values, fingerprints.valid, fingerprints.width
        of = f"scheme {fingerprints.scheme}"
    else:
        values, valid = _checked_array(fingerprints), None
        width = 64 * values.shape[1]
        of = f"an array of {values.shape[1]} words"
    distance = check_distance(max_distance, width, of)
    most_pairs = check_integer("max_pairs", max_pairs, 1, MOST)
    workers = check_integer("threads", threads, 0, MOST_THREADS)
    with core_errors():
        return _core.near_pairs(values, valid, width, distance, most_pairs, workers)


def _checked_array(values: object) -> NDArray[np.uint64]:
    wanted = "give a numpy array uint64[n] or uint64[n, words]"
    if not isinstance(values, np.ndarray):
        raise ConfigError(f"fingerprints are of type {type(values).__name__}: {wanted}, or Fingerprints")
    if values.dtype != np.uint64:
        raise ConfigError(f"fingerprints have dtype {values.dtype}: {wanted}")
    if values.ndim not in (1, 2) or (values.ndim == 2 and not 1 <= values.shape[1] <= _MAX_WORDS):
        raise ConfigError(f"fingerprints have shape {values.shape}: {wanted} with 1 to {_MAX_WORDS} words")
    if not values.flags.c_contiguous:
        raise ConfigError("fingerprints do not lie row after row in memory: pass numpy.ascontiguousarray(values)")
    return values if values.ndim == 2 else values.reshape(-1, 1)


class Pairs:
    """The near pairs of a collection: a sized iterable of `Pair`, over columns.

    `find_pairs` makes it; there is no other way to one.

    Example:
        >>> from simsieve import find_pairs
        >>> pairs = find_pairs(["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit"])
        >>> [(pair.a_position, pair.b_position) for pair in pairs]
        [(0, 1)]
    """

    def __init__(
        self, documents: _core.Documents, columns: PairColumns, store: _core.Store, keep_alive: object = None
    ) -> None:
        self._documents = documents
        self._columns = columns
        self._store = store
        self._keep_alive = keep_alive
        self.read = store.new_len
        """Records read; those of `against` not among them."""
        self.old_read = len(store) - store.new_len
        """Records of `against` read."""

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._columns[0])

    def __iter__(self) -> Iterator[Pair]:
        """Go through the pairs, sorted by position of a, then of b."""
        for i, j, distance, similarity in zip(*self._columns, strict=True):
            a, b = int(i), int(j)
            measured = None if np.isnan(similarity) else float(similarity)
            yield Pair(self._documents.id(a), self._documents.id(b), a, b - self._apart, int(distance), measured)

    @property
    def _apart(self) -> int:
        # The core numbers old records behind the new ones.
        return self._store.new_len if self._store.is_against else 0

    @property
    def columns(self) -> PairColumns:
        """(a's position, b's position, distance in bits, similarity), arrays of one length.

        Across two collections b's positions count over the old sources, from 0.
        """
        a, b, distance, similarity = self._columns
        return a, b - self._apart, distance, similarity

    @property
    def failed(self) -> int:
        """Records that failed."""
        return self._documents.failed

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self._documents.failures()

    def old_failures(self) -> list[tuple[int, str, str]]:
        """List the failed records of `against` as (position over its sources, code, message)."""
        return self._documents.old_failures()

    def write(self, sink: str | os.PathLike[str], progress: Progress | None = None) -> None:
        """Write the pairs as JSON lines {a, b, distance, similarity}, whole or not at all.

        Args:
            sink: A file, or `-` for stdout.
            progress: Called now and then with (stage, done, total).

        Raises:
            SinkError: The file cannot be written.
        """
        with core_errors():
            self._documents.write_pairs(os.fspath(sink), self._columns, progress)
