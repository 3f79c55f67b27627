"""Fingerprints of single texts and of streams."""

from collections.abc import Iterator

import numpy as np
import pytest

from simsieve import Fingerprinter, fingerprint
from simsieve.results import Fingerprint, Fingerprints

TEXTS = [
    "the quick brown fox jumps over the lazy dog",
    "",
    "我们在讨论相似文本的查找方法",
    "the quick brown fox jumped over the lazy dog",
    "x",
    "Ünïcödé strings häve márks, and 🙂 too",
]


def one(value: int = 0b1010, width: int = 8, scheme: str = "demo", digest: str = "00") -> Fingerprint:
    """Make a fingerprint by hand."""
    return Fingerprint(value, width, scheme, digest)


def test_forms() -> None:
    """Hex and bits have the most significant digit first and all digits of the width; int gives the value."""
    assert (one().hex, one().bits, int(one())) == ("0a", "00001010", 10)
    assert (one(26, 5).hex, one(26, 5).bits, int(one(26, 5))) == ("1a", "11010", 26)
    assert one(0, 256).hex == "0" * 64


def test_equality_and_hash() -> None:
    """Fingerprints are equal where value, width, scheme and digest are, and then have one hash."""
    assert one() == one()
    assert hash(one()) == hash(one())
    assert one() != one(11)
    assert one() != one(digest="01")


def test_nothing_has_no_fingerprint() -> None:
    """A text without features has none."""
    assert fingerprint("") is None
    assert fingerprint(" \n\t ") is None


@pytest.mark.parametrize("scheme", ["chars64", "chars128", "chars256"])
def test_transform_gives_each_texts_own_fingerprint(scheme: str) -> None:
    """Each row of the arrays is the fingerprint of its text, column 0 the low word."""
    prints = Fingerprinter(scheme).transform(TEXTS)
    words = prints.width // 64

    assert (np.dtype(np.uint64), (len(TEXTS), words)) == (prints.values.dtype, prints.values.shape)
    assert np.dtype(bool) == prints.valid.dtype
    assert [fingerprint(text, scheme) for text in TEXTS] == list(prints)
    first = prints[0]
    assert first is not None
    assert [int(first) >> 64 * word & (2**64 - 1) for word in range(words)] == prints.values[0].tolist()


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
@pytest.mark.parametrize("threads", [0, 1, 2])
def test_batch_and_threads_change_no_bit(batch: int, threads: int) -> None:
    """Any batch and any number of threads give the same arrays."""
    whole = Fingerprinter().transform(TEXTS)
    parts = Fingerprinter().transform(iter(TEXTS), threads=threads, batch=batch)

    assert np.array_equal(whole.values, parts.values)
    assert np.array_equal(whole.valid, parts.valid)


def test_transform_of_nothing() -> None:
    """No texts give arrays of no rows and the scheme's words."""
    prints = Fingerprinter("chars256").transform([])

    assert (prints.values.shape, prints.valid.shape, len(prints)) == ((0, 4), (0,), 0)


def test_a_stream_is_read_batch_by_batch() -> None:
    """A generator is never held whole: what follows a bad text is left unread."""
    read = []

    def stream() -> Iterator[object]:
        for index in range(100):
            read.append(index)
            yield None if index == 5 else "a text of some length"

    with pytest.raises(TypeError, match="text 5 is of type NoneType"):
        Fingerprinter().transform(stream(), batch=4)  # type: ignore[arg-type]

    assert len(read) <= 8


def test_fit_checks_and_returns_itself() -> None:
    """Fit learns nothing, checks what it can read twice, and returns the object."""
    maker = Fingerprinter()
    stream = iter(["a"])

    assert maker is maker.fit(TEXTS)
    assert maker is maker.fit(stream)
    assert list(stream) == ["a"]
    with pytest.raises(TypeError, match="text 1 is of type int"):
        maker.fit(["a", 1])  # type: ignore[list-item]


def test_the_greatest_batch_is_worked_with() -> None:
    """A batch of the greatest size allowed takes all texts at once."""
    assert list(Fingerprinter().transform(TEXTS)) == list(Fingerprinter().transform(TEXTS, batch=2**63 - 1))


def test_slices() -> None:
    """A slice of the fingerprints is of the same scheme, and its arrays are contiguous."""
    prints = Fingerprinter().transform(TEXTS)
    some = prints[::2]

    assert isinstance(some, Fingerprints)
    assert list(prints)[::2] == list(some)
    assert some.values.flags.c_contiguous
    assert prints.digest == some.digest
    with pytest.raises(IndexError):
        prints[len(TEXTS)]
