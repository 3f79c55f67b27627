"""The search by bits against a naive one: collections of every shape, each source of pairs, each plan's resources."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.strategies import near_fingerprints

from simsieve import ConfigError, HammingIndex, TooManyPairsError, near_pairs
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


@given(near_fingerprints)
def test_the_count_in_a_refusal_is_that_of_two_loops(collection: tuple[int, list[int | None]]) -> None:
    """Where there are more than max_pairs, each source refuses with the exact count; at it, each answers."""
    width, values = collection
    everything = prints(values, width)
    for bound in bounds(width):
        alone, across = len(naive(values, None, bound)), len(naive(values, values, bound))
        index = HammingIndex(everything, bound)
        if alone > 1:
            with pytest.raises(TooManyPairsError, match=rf"^{alone} pairs "):
                near_pairs(everything, bound, max_pairs=alone - 1)
            assert len(near_pairs(everything, bound, max_pairs=alone)[0]) == alone
        if across > 1:
            with pytest.raises(TooManyPairsError, match=rf"^{across} pairs "):
                near_pairs(everything, bound, other=everything, max_pairs=across - 1)
            with pytest.raises(TooManyPairsError, match=rf"^{across} pairs "):
                index.query(everything, max_pairs=across - 1)
            assert len(index.query(everything, max_pairs=across)[0]) == across


def large(n: int, words: int, constant: int = 0) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Random rows, of which the first tenth has a copy with two bits changed at the end; and those pairs."""
    rng = np.random.default_rng(n)
    values = rng.integers(0, 2**64, size=(n, words), dtype=np.uint64) & ~np.uint64(constant)
    copied = n // 10
    values[-copied:] = values[:copied]
    values[-copied:, 0] ^= np.uint64(0b11 << 20)
    return values, np.stack([np.arange(copied), np.arange(n - copied, n)], axis=1)


@pytest.mark.parametrize("words", [1, 2, 4])
def test_memory_and_threads_change_no_pair(words: int) -> None:
    """A table in parts, by any number of threads, finds what a whole one finds."""
    values, planted = large(120_000, words)
    expected = near_pairs(values, 3)

    assert set(map(tuple, planted.tolist())) <= set(zip(expected[0].tolist(), expected[1].tolist(), strict=True))
    for memory, threads in [(3_000_000, 1), (2_000_000, 2), (1_000_000, 3), (2**62, 2)]:
        found = near_pairs(values, 3, memory=memory, threads=threads)

        assert all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True)), memory


def refused_memory(values: np.ndarray) -> int:
    """Give the memory that the refusal of a bound of 100 bytes names."""
    with pytest.raises(
        ConfigError, match=r"memory 100 is too little to search 120000 rows: give memory \d+ or more"
    ) as refused:
        near_pairs(values, 3, memory=100)
    return int(str(refused.value).split("give memory ")[1].split()[0])


def test_too_little_memory_is_refused() -> None:
    """A bound that no plan can keep is refused with a larger one."""
    assert refused_memory(large(120_000, 1)[0]) > 100


@pytest.mark.slow
def test_too_little_memory_says_what_would_do() -> None:
    """The bound that the refusal names can be kept."""
    values, _ = large(120_000, 1)

    assert len(near_pairs(values, 3, memory=refused_memory(values))[0]) >= 12_000


def test_a_memory_map_is_read_where_it_lies(tmp_path_factory: pytest.TempPathFactory) -> None:
    """An array in a file, too large to be copied, gives the pairs of the same array in memory."""
    path = tmp_path_factory.mktemp("map") / "values.u64"
    values, planted = large(9_000_000, 1)
    values.tofile(path)
    i, j, distance = near_pairs(np.memmap(path, dtype=np.uint64, mode="r"), 2)

    assert len(i) == len(planted)
    assert np.array_equal(np.stack([i, j], axis=1), planted)
    assert set(distance.tolist()) == {2}


def test_a_lower_recall_finds_its_share_of_far_pairs() -> None:
    """Below recall 1 the pairs are some of those that there are, at least the share asked for, and the seed decides."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2**64, size=(50_000, 2), dtype=np.uint64)
    # Sixteen bits of each pair differ, others in each: which of them are found is then nearly independent.
    flipped = rng.random((5_000, 128)).argsort(axis=1)[:, :16]
    for word in range(2):
        bits = np.uint64(1) << (flipped % 64).astype(np.uint64)
        values[-5_000:, word] = values[:5_000, word] ^ np.where(flipped // 64 == word, bits, 0).sum(
            axis=1, dtype=np.uint64
        )
    expected = set(triples(near_pairs(values, 16)))
    for recall in (0.5, 0.98):
        found = triples(near_pairs(values, 16, recall=recall, seed=5))

        assert set(found) <= expected
        assert len(found) >= (recall - 0.03) * len(expected)
        assert found == triples(near_pairs(values, 16, recall=recall, seed=5, threads=1))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"memory": -1}, "memory -1"),
        ({"memory": 1.5}, "memory 1.5 is not a whole number"),
        ({"recall": 0.0}, "recall 0 is not allowed"),
        ({"recall": 1.5}, "recall 1.5 is not allowed"),
        ({"recall": float("nan")}, "recall NaN is not allowed"),
        ({"recall": "all"}, "recall 'all' is not a number"),
        ({"seed": -1}, "seed -1"),
        ({"other": np.zeros((3, 2), dtype=np.uint64)}, "64 and of 128 bits cannot be compared"),
        ({"other": [1]}, "type list"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], part: str) -> None:
    """An option outside its range, or a second collection that cannot be compared, is refused with its value."""
    with pytest.raises(ConfigError, match=part):
        near_pairs(np.zeros(3, dtype=np.uint64), **{"max_distance": 3, **arguments})


def test_an_index_tells_its_size() -> None:
    """It has a length, and its repr has width and bound."""
    index = HammingIndex(prints([1, 2], 64), 1)
    assert len(index) == 2
    assert repr(index) == "<HammingIndex of 2 fingerprints of 64 bits within 1>"


def test_an_array_off_its_boundary_is_refused() -> None:
    """Fingerprints that do not begin at a multiple of 8 bytes are refused with what to do."""
    values = np.frombuffer(b"\0" * 25, dtype=np.uint8)[1:].view(np.uint64)
    with pytest.raises(ConfigError, match=r"values\.copy\(\)"):
        near_pairs(values, 1)
