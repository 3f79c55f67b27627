"""Similarity, Hamming distance and near pairs."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simsieve import ConfigError, Fingerprinter, HammingIndex, hamming, near_pairs
from simsieve import similarity as measured
from simsieve.results import Fingerprint, Fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable

FOX = "the quick brown fox jumps over the lazy dog"


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


def test_hamming_takes_numpy_integers_and_any_width() -> None:
    """Numpy's integers count as numbers, and there is no limit of 64 bits."""
    assert hamming(np.uint64(2**64 - 1), 0) == 64  # type: ignore[arg-type]
    assert hamming(2**255, 1) == 2


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


def test_near_pairs_takes_one_dimension() -> None:
    """A plain array of words is taken as fingerprints of 64 bits."""
    i, j, distance = near_pairs(np.array([7, 0, 5, 2**63], dtype=np.uint64), 1)

    assert list(zip(i.tolist(), j.tolist(), distance.tolist(), strict=True)) == [(0, 2, 1), (1, 3, 1)]


@pytest.mark.parametrize("shape", [(0,), (0, 2), (1, 2)])
def test_near_pairs_of_little(shape: tuple[int, ...]) -> None:
    """No fingerprint, or a single one, makes no pair."""
    assert [len(column) for column in near_pairs(np.zeros(shape, dtype=np.uint64), 3)] == [0, 0, 0]


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
