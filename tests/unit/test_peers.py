"""Values that other programs assert in tests of their own, for features, weights and hashes that are given."""

import json
from typing import Any

import pytest

from simsieve import CustomScheme, fingerprint, hamming

TF_IDF = {
    "how": 0.1755344461408848, "are": 0.1755344461408848, "you": 0.1755344461408848, "am": 0.1755344461408848,
    "fine": 0.1755344461408848, "blar": 0.8776722307044239, "thanks": 0.2750086299380163,
}  # fmt: skip
NUMBERS = [str(i) for i in range(500)]


def pairs(text: str) -> list[tuple[Any, float]]:
    """What a text brings: a list of features, or an object of features and weights."""
    given = json.loads(text)
    return list(given.items()) if isinstance(given, dict) else [(feature, 1) for feature in given]


def value(given: Any, **parts: Any) -> int | None:
    """The fingerprint of given features."""
    scheme = CustomScheme(
        "given", features=pairs, weights="given", version="1", **{"hash": "md5", "width": 64, **parts}
    )
    made = fingerprint(json.dumps(given), scheme)
    return None if made is None else int(made)


@pytest.mark.parametrize(
    ("given", "parts", "wanted"),
    [
        (["aaa", "bbb"], {}, 57087923692560392),
        (TF_IDF, {}, 17583409636488780916),
        (NUMBERS, {}, 7984652473404407437),
        ({number: 50 * i for i, number in enumerate(NUMBERS)}, {"fraction_bits": 0}, 3372825719632739723),
        ({"two": 2, "three": 3, "one": 1}, {"width": 128}, 66237222457941138286276456718971054176),
    ],
    ids=["two features", "TF-IDF", "500 features", "500 weights", "128 bits"],
)
def test_given_features_have_the_values_of_the_package_simhash(given: Any, parts: dict[str, Any], wanted: int) -> None:
    """Features with weights have the values that the package simhash 2.1.2 and a user of it assert."""
    assert value(given, **parts) == wanted


def test_given_words_have_the_values_of_the_package_simhash() -> None:
    """A function that gives words does so too, each as often as it stands there."""
    scheme = CustomScheme("given", features=str.split, weights="tf", hash="md5", width=64, version="1")
    made = [fingerprint(text, scheme) for text in ("aaa bbb", "bbb aaa bbb aaa")]

    assert [made and int(made) for made in made] == [57087923692560392] * 2


def test_given_hashes_have_the_values_of_simhash_cpp() -> None:
    """Hashes that weigh 1 have the values that simhash-cpp asserts, but for none of them, which is no fingerprint."""
    opposite = [16045690984833335023, 2401053088876216592]

    assert value([0xDEADBEEF] * 100, hash="given") == 3735928559
    assert value(opposite, hash="given") == 0
    assert value([43981, 48350, 52719], hash="given") == 44495
    assert value([], hash="given") is None
    first, second = (fingerprint(json.dumps([number]), EXTERNAL) for number in opposite)
    assert first is not None and second is not None
    assert hamming(first, second) == 64


EXTERNAL = CustomScheme("given", features=pairs, weights="given", hash="given", width=64, version="1")


def test_sums_have_the_values_of_mfondas_package() -> None:
    """A vector of sums has the bits that mfonda/simhash asserts: 1 where the sum is not below zero."""
    every = 2**64 - 1

    def signed(*hashes: int) -> int | None:
        return value(list(hashes), hash="given", sign=">= 0")

    assert signed(0, every) == 18446744073709551615
    assert signed(every) == 18446744073709551615
    assert signed(0) == 0
    assert signed(1) == 1
    assert signed(0x5555555555555555) == 6148914691236517205
    assert value(["test string"], hash="fnv1", sign=">= 0") == 8811532157352841348
