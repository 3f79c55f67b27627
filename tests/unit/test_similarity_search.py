"""Similarity, Hamming distance and near pairs."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simsieve import ConfigError, Fingerprinter, HammingIndex, hamming, near_pairs
from simsieve.results import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable

FOX = "the quick brown fox jumps over the lazy dog"


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


def test_near_pairs_takes_one_dimension() -> None:
    """A plain array of words is taken as fingerprints of 64 bits."""
    i, j, distance = near_pairs(np.array([7, 0, 5, 2**63], dtype=np.uint64), 1)

    assert list(zip(i.tolist(), j.tolist(), distance.tolist(), strict=True)) == [(0, 2, 1), (1, 3, 1)]
    assert [len(column) for column in near_pairs(np.zeros(0, dtype=np.uint64), 3)] == [0, 0, 0]
