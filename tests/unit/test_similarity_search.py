"""Similarity, Hamming distance and near pairs."""

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simsieve import (
    ConfigError,
    Fingerprint,
    Fingerprinter,
    Fingerprints,
    HammingIndex,
    TooManyPairsError,
    fingerprint,
    hamming,
    near_pairs,
)
from simsieve import similarity as measured

if TYPE_CHECKING:
    from collections.abc import Callable

FOX = "the quick brown fox jumps over the lazy dog"


def test_similarity_of_a_text_with_itself_is_one() -> None:
    """A text is fully similar to itself, whatever its normalised form was."""
    assert measured(FOX, FOX) == pytest.approx(1.0)
    assert measured(FOX, FOX.upper()) == pytest.approx(1.0)


def test_similarity_is_symmetric_and_in_range() -> None:
    """The order does not matter, and the value lies in [0, 1]."""
    other = "the quick brown cat jumps over the lazy dog"

    assert measured(FOX, other) == measured(other, FOX)
    assert 0 < measured(FOX, other) < 1


def test_nothing_is_similar_to_nothing() -> None:
    """A text without features is similar to no text, not even to itself."""
    assert [measured("", FOX), measured("", "")] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "error", "part"),
    [
        ({"scheme": "nosuch"}, ConfigError, "nosuch"),
        ({"measure": "nosuch"}, ConfigError, "there are cosine, jaccard and containment"),
        ({"b": 5}, TypeError, "text 1 is of type int"),
        ({"b": "\ud800"}, ConfigError, "text 1 has a lone surrogate"),
    ],
)
def test_similarity_refuses(arguments: dict[str, Any], error: type[Exception], part: str) -> None:
    """An unknown scheme or measure and what is no text are refused by name."""
    with pytest.raises(error, match=part):
        measured(**{"a": FOX, "b": FOX, **arguments})


@pytest.mark.parametrize(("a", "b", "distance"), [(0, 0, 0), (0b10101, 0b00110, 3), (0b00110, 0b01110, 1)])
def test_hamming_of_numbers(a: int, b: int, distance: int) -> None:
    """The distance of two numbers is the count of differing bits."""
    assert distance == hamming(a, b)


def test_hamming_takes_numpy_integers_and_any_width() -> None:
    """Numpy's integers count as numbers, and there is no limit of 64 bits."""
    assert hamming(np.uint64(2**64 - 1), 0) == 64  # type: ignore[arg-type]
    assert hamming(2**255, 1) == 2


def test_hamming_of_fingerprints() -> None:
    """The distance of two fingerprints is that of their values; across digests it is refused."""
    a, b = fingerprint(FOX), fingerprint("lorem ipsum dolor sit amet")
    other = fingerprint(FOX, "chars64")
    assert a is not None
    assert b is not None
    assert other is not None

    assert hamming(int(a), int(b)) == hamming(a, b)
    with pytest.raises(ConfigError, match="two schemes"):
        hamming(a, other)


def test_fingerprints_of_two_schemes_are_never_mixed() -> None:
    """Wherever fingerprints meet, as objects or as columns, the error names both schemes and digests."""
    texts = [FOX, "lorem ipsum dolor sit amet", ""]
    one, other = (Fingerprinter(scheme).transform(texts) for scheme in ("chars64", "words64"))
    uses: list[Callable[[], Any]] = [
        lambda: near_pairs([*one, *other], 3),
        lambda: near_pairs(list(one), 3, other=list(other)),
        lambda: near_pairs(one, 3, other=other),
        lambda: HammingIndex(list(one), 3).query(list(other)),
        lambda: HammingIndex([one[0], other[0]], 3),
        lambda: hamming(one[0], other[0]),  # type: ignore[arg-type]
    ]
    for use in uses:
        with pytest.raises(ConfigError) as caught:
            use()
        assert all(part in str(caught.value) for part in ("chars64", "words64", one.digest, other.digest))


def test_a_list_of_fingerprints_is_searched_as_their_columns() -> None:
    """Objects and columns give the same pairs; a list without a fingerprint has no scheme."""
    prints = Fingerprinter("chars128").transform([FOX, FOX, "", "lorem ipsum dolor sit amet", FOX + " again"])
    as_list, as_columns = near_pairs(list(prints), 100), near_pairs(prints, 100)

    assert [column.tolist() for column in as_list] == [column.tolist() for column in as_columns]
    assert len(as_list[0]) > 1
    with pytest.raises(ConfigError, match="no scheme is known"):
        Fingerprints.of([None])
    with pytest.raises(TypeError, match="item 1 is of type int"):
        near_pairs([prints[0], 7], 3)  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="fingerprints are of type list"):
        near_pairs([1, 2], 3)  # type: ignore[list-item]


@pytest.mark.parametrize("pair", [(1, "1"), (Fingerprint(1, 8, "s", "d"), 1), (b"a", b"b"), (1.0, 1), (True, 1)])
def test_hamming_refuses_mixed_kinds(pair: tuple[Any, Any]) -> None:
    """A number and a fingerprint are not mixed, and nothing else is taken."""
    with pytest.raises(TypeError, match="two fingerprints or two whole numbers"):
        hamming(*pair)


def test_hamming_refuses_negative_numbers() -> None:
    """A negative number is no fingerprint."""
    with pytest.raises(ConfigError, match="-1 is negative"):
        hamming(-1, 1)


def naive_pairs(values: list[int], max_distance: int) -> list[tuple[int, int, int]]:
    """Find all near pairs by looking at each pair."""
    count = len(values)
    pairs = [(i, j, (values[i] ^ values[j]).bit_count()) for i in range(count) for j in range(i + 1, count)]
    return [pair for pair in pairs if pair[2] <= max_distance]


def family(words: int, seed: int) -> list[int]:
    """Make values of which many are within a few bits of another, and some equal."""
    chance = random.Random(seed)
    centres = [chance.getrandbits(64 * words) for _ in range(12)]
    values = [chance.choice(centres) for _ in range(90)]
    return [value ^ sum(1 << chance.randrange(64 * words) for _ in range(chance.randrange(5))) for value in values]


@pytest.mark.parametrize("words", [1, 2, 3, 4])
@pytest.mark.parametrize("max_distance", [0, 1, 3, 8])
def test_near_pairs_finds_every_pair(words: int, max_distance: int) -> None:
    """The pairs are those that the naive search finds, sorted, with their distances, bound included."""
    values = [value % 2 ** (64 * words) for value in family(words, max_distance)]
    array = np.array([[v >> 64 * w & (2**64 - 1) for w in range(words)] for v in values], dtype=np.uint64)
    i, j, distance = near_pairs(array, max_distance)

    assert naive_pairs(values, max_distance) == list(zip(i.tolist(), j.tolist(), distance.tolist(), strict=True))
    assert {np.dtype(np.int64)} == {i.dtype, j.dtype, distance.dtype}


def test_near_pairs_takes_one_dimension() -> None:
    """A plain array of words is taken as fingerprints of 64 bits."""
    i, j, distance = near_pairs(np.array([7, 0, 5, 2**63], dtype=np.uint64), 1)

    assert list(zip(i.tolist(), j.tolist(), distance.tolist(), strict=True)) == [(0, 2, 1), (1, 3, 1)]


def test_near_pairs_of_fingerprints_leaves_out_what_has_none() -> None:
    """Texts without features are near to nothing, even to each other."""
    prints = Fingerprinter().transform(["", FOX, "", FOX])
    i, j, distance = near_pairs(prints, 0)

    assert (i.tolist(), j.tolist(), distance.tolist()) == ([1], [3], [0])


@pytest.mark.parametrize("shape", [(0,), (0, 2), (1, 2)])
def test_near_pairs_of_little(shape: tuple[int, ...]) -> None:
    """No fingerprint, or a single one, makes no pair."""
    assert [len(column) for column in near_pairs(np.zeros(shape, dtype=np.uint64), 3)] == [0, 0, 0]


def test_too_many_pairs_are_counted_and_refused() -> None:
    """An answer beyond max_pairs is refused with its count; at max_pairs it is given."""
    equal = np.zeros(100, dtype=np.uint64)

    assert len(near_pairs(equal, 0, max_pairs=4950)[0]) == 4950
    with pytest.raises(TooManyPairsError, match=r"4[,_]?950"):
        near_pairs(equal, 0, max_pairs=4949)


@pytest.mark.parametrize(
    ("array", "parts"),
    [
        ([1, 2], ["type list", "uint64"]),
        (np.zeros(3, dtype=np.int64), ["dtype int64", "uint64"]),
        (np.zeros(3, dtype=">u8"), ["dtype >u8", "uint64"]),
        (np.zeros((3, 5), dtype=np.uint64), ["shape (3, 5)", "1 to 4 words"]),
        (np.zeros((3, 0), dtype=np.uint64), ["shape (3, 0)", "1 to 4 words"]),
        (np.zeros((2, 2, 2), dtype=np.uint64), ["shape (2, 2, 2)"]),
        (np.zeros((6, 2), dtype=np.uint64)[::2], ["ascontiguousarray"]),
    ],
    ids=["list", "int64", "big-endian", "five words", "no words", "three dimensions", "strided"],
)
def test_near_pairs_refuses_other_arrays(array: Any, parts: list[str]) -> None:
    """An array of another type, shape or layout is refused with what it is and what to give."""
    with pytest.raises(ConfigError) as caught:
        near_pairs(array, 3)

    assert [part for part in parts if part not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"max_distance": 64}, r"max_distance 64 .* 0\.\.63"),
        ({"max_distance": -1}, "max_distance -1"),
        ({"max_distance": 1.5}, "max_distance 1.5"),
        ({"max_pairs": 0}, r"max_pairs 0 .* 1\.\.9223372036854775807"),
        ({"max_pairs": 2**70}, r"max_pairs 1180591620717411303424 .* 1\.\.9223372036854775807"),
        ({"max_pairs": 1.5}, "max_pairs 1.5 is not a whole number"),
        ({"threads": -1}, r"threads -1 .* 0\.\.1024"),
        ({"threads": 2**70}, r"threads 1180591620717411303424 .* 0\.\.1024"),
        ({"threads": 1.5}, r"threads 1\.5 is not a whole number: allowed is 0\.\.1024"),
    ],
)
def test_near_pairs_refuses_other_numbers(arguments: dict[str, Any], part: str) -> None:
    """A number outside its range is refused with the range."""
    with pytest.raises(ConfigError, match=part):
        near_pairs(np.zeros(3, dtype=np.uint64), **{"max_distance": 3, **arguments})
