"""The warning of texts that are near by chance."""

import random
import warnings
from typing import Any

import pytest

from simsieve import dedup
from simsieve.errors import SimsieveWarning


def strand(seed: int, size: int = 4000) -> str:
    """A text of four letters."""
    return "".join(random.Random(seed).choices("acgt", k=size))


def told(texts: list[str], **settings: Any) -> list[str]:
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dedup(texts, **settings)
    return [str(one.message) for one in caught if issubclass(one.category, SimsieveWarning)]


def test_texts_of_few_letters_are_warned_of() -> None:
    """The warning names the pair, both sizes and windows by which they are far apart."""
    (message,) = told([strand(1), strand(2, 3900)])
    assert "'1' (3,900 characters) and '0' (4,000 characters)" in message
    assert "chars128:n=8 would tell them apart" in message
    assert dedup([strand(1), strand(2)], scheme="chars128:n=8").counts.near == 0


def test_copies_are_not_warned_of() -> None:
    """Neither of few letters nor with a word in five changed, nor of ordinary size."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrst", k=draw.randint(3, 9))) for _ in range(3000)]
    changed = [word if draw.random() > 0.15 else "".join(draw.choices("abcdefgh", k=6)) for word in words]
    one = strand(1)
    assert told([one, one[:2000] + "g" + one[2000:]]) == []
    assert told([" ".join(words), " ".join(changed)], similarity=0.4) == []
    assert told(["the quick brown fox jumps over the dog", "the quick brown fox jumps over the dogs"]) == []


@pytest.mark.parametrize("settings", [{"max_distance": 40}, {"scheme": "words64", "similarity": 0.5}])
def test_other_runs_are_not_looked_at(settings: dict[str, Any]) -> None:
    """A distance is of bits, and words are no windows."""
    assert told([strand(1), strand(2)], **settings) == []
