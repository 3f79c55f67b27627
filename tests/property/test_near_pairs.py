"""The search by bits against a naive one: collections of every shape, each source of pairs, each plan's resources."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.strategies import near_fingerprints

from simsieve import HammingIndex, near_pairs
from simsieve.results import Fingerprints

Triples = list[tuple[int, int, int]]


def prints(values: list[int | None], width: int) -> Fingerprints:
    """Fingerprints of numbers; None has none."""
    words = (width + 63) // 64
    rows = [[(value or 0) >> 64 * word & (2**64 - 1) for word in range(words)] for value in values]
    valid = np.array([value is not None for value in values], dtype=np.bool_)
    return Fingerprints(np.array(rows, dtype=np.uint64).reshape(-1, words), valid, width, "demo", "00")


def naive(ours: list[int | None], theirs: list[int | None] | None, bound: int) -> Triples:
    """Every pair within the bound, by two loops."""
    found = []
    for i, a in enumerate(ours):
        for j, b in enumerate(ours if theirs is None else theirs):
            if a is not None and b is not None and (theirs is not None or i < j) and (a ^ b).bit_count() <= bound:
                found.append((i, j, (a ^ b).bit_count()))
    return found


def triples(columns: tuple[NDArray[Any], ...]) -> Triples:
    """The answer as a list."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


def bounds(width: int) -> list[int]:
    """Distances worth a try at a width."""
    return sorted({0, min(1, width - 1), min(3, width - 1), width // 4, width - 1})


@given(near_fingerprints, st.sampled_from([1, 2, 3]), st.sampled_from([0, 10_000_000]))
def test_pairs_are_those_of_two_loops(collection: tuple[int, list[int | None]], threads: int, memory: int) -> None:
    """Whatever the collection, threads and memory, the pairs are those that two loops find."""
    width, values = collection
    for bound in bounds(width):
        found = near_pairs(prints(values, width), bound, threads=threads, memory=memory)

        assert naive(values, None, bound) == triples(found)


@given(near_fingerprints, st.sampled_from([1, 2, 3]))
def test_pairs_across_and_queries_are_those_of_two_loops(
    collection: tuple[int, list[int | None]], threads: int
) -> None:
    """Pairs across two collections, and the neighbours of queries, are those that two loops find."""
    width, values = collection
    ours, theirs = values[::2], values[1::2]
    for bound in bounds(width):
        expected = naive(ours, theirs, bound)
        index = HammingIndex(prints(theirs, width), bound, threads=threads)

        assert expected == triples(near_pairs(prints(ours, width), bound, other=prints(theirs, width), threads=threads))
        assert expected == triples(index.query(prints(ours, width), threads=threads))


def large(n: int, words: int, constant: int = 0) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Random rows, where the last tenth copies the first one with two bits changed; and the pairs of these."""
    rng = np.random.default_rng(n)
    values = rng.integers(0, 2**64, size=(n, words), dtype=np.uint64) & ~np.uint64(constant)
    copied = n // 10
    values[-copied:] = values[:copied]
    values[-copied:, 0] ^= np.uint64(0b11 << 20)
    return values, np.stack([np.arange(copied), np.arange(n - copied, n)], axis=1)


def test_a_memory_map_is_read_where_it_lies(tmp_path_factory: pytest.TempPathFactory) -> None:
    """An array in a file, too large to be copied, gives the pairs of the same array in memory."""
    path = tmp_path_factory.mktemp("map") / "values.u64"
    values, planted = large(9_000_000, 1)
    values.tofile(path)
    i, j, distance = near_pairs(np.memmap(path, dtype=np.uint64, mode="r"), 2)

    assert len(i) == len(planted)
    assert np.array_equal(np.stack([i, j], axis=1), planted)
    assert set(distance.tolist()) == {2}


def test_an_index_tells_its_size() -> None:
    """It has a length, and its repr has width and bound."""
    index = HammingIndex(prints([1, 2], 64), 1)
    assert len(index) == 2 and repr(index) == "<HammingIndex of 2 fingerprints of 64 bits within 1>"
