"""Fingerprints of single texts and of streams."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simsieve import Fingerprinter, Scheme, minhash, minhash_jaccard, similarity
from simsieve.cli import main
from simsieve.comparison.minhash import MinHashKind
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
    assert one() == one() and hash(one()) == hash(one())
    assert one() != one(11) and one() != one(digest="01")


def test_nothing_has_no_rows() -> None:
    """No texts give arrays of no rows and the scheme's words, and signatures of their width."""
    prints = Fingerprinter("chars256").transform([])
    assert (prints.values.shape, prints.valid.shape, len(prints)) == ((0, 4), (0,), 0)
    assert minhash([], Scheme("words64")).shape == (0, 128)


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

    assert maker is maker.fit(TEXTS) and maker is maker.fit(stream)
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


PAIR = ["The ferry leaves the harbour at seven in the morning", "渡船每天早上七点离港"]
GOLDEN: dict[MinHashKind, list[list[int]]] = {
    "legacy": [
        [407326892, 4966446, 213557621, 768815940, 136245013, 771049361, 1013729133, 1682639823],
        [20829860, 545399408, 424528768, 7442545, 905663673, 796342094, 1471937624, 1110100634],
    ],
    "affine32": [
        [1008416188, 285307455, 315074896, 48413517, 227644891, 711448721, 24672238, 300368956],
        [2612589898, 74957831, 1764279938, 1537262548, 2585152041, 708886957, 2553502587, 697324698],
    ],
}
"""Of the words of the texts, with 8 permutations."""
WIDE: dict[MinHashKind, str] = {
    "affine32": "6007b74421e30bd4cead9de0ad72d9a59fd625528290728e52899d7b02a8e371",
    "legacy": "de419758c7d66c66aa70a9ccaf6c3ef7d51429b48df025f0720814bd072e6440",
}
"""SHA-256 of 128 values of the first text's windows, seed 7."""


@pytest.mark.parametrize("kind", GOLDEN)
def test_signatures_are_those_of_datasketch(kind: MinHashKind) -> None:
    """Value for value, of words and of windows."""
    assert minhash(PAIR, "words64", permutations=8, kind=kind).tolist() == GOLDEN[kind]
    [wide] = minhash(PAIR[:1], seed=7, kind=kind)
    assert hashlib.sha256(wide.astype(">u4").tobytes()).hexdigest() == WIDE[kind]


def test_equal_values_estimate_the_jaccard_similarity() -> None:
    """Within three standard deviations of it, for texts that share more and less."""
    words = [f"word{n}" for n in range(100)]
    whole = " ".join(words)
    for shared in (10, 50, 90):
        other = " ".join(words[:shared] + [f"other{n}" for n in range(100 - shared)])
        one, two = minhash([whole, other], "words64", permutations=1024)
        exact = similarity(whole, other, "words64", "jaccard")
        assert abs(minhash_jaccard(one, two) - exact) < 3 * (exact * (1 - exact) / 1024) ** 0.5


def test_the_command_writes_signatures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In hex that reads back; a text without features has none, and a failed record is told."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "a", "text": PAIR[0]}, {"id": "b", "text": "..."}, {"id": "c", "text": 7}, {"text": PAIR[1]}]
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["fingerprint", "in.jsonl", "--minhash", "8", "--scheme", "words64", "-o", "out.jsonl", "-q"]) == 1
    found = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    read = [row["minhash"] and np.frombuffer(bytes.fromhex(row["minhash"]), ">u4") for row in found]
    assert [row["id"] for row in found] == ["a", "b", 3] and read[1] is None
    assert [read[0].tolist(), read[2].tolist()] == GOLDEN["affine32"]
    for words, part in [
        (["--minhash", "0"], "permutations 0 is not allowed"),
        (["--minhash", "8", "--blocks", "2"], "leave out --blocks"),
        (["--minhash", "8", "--scheme", "external64"], "it takes fingerprints, not texts"),
        (["--minhash", "8", "--scheme", "chars64", "--scheme", "words64"], "is for one scheme"),
        (["--minhash", "8", "--pages"], "--minhash is for records"),
    ]:  # fmt: skip
        capsys.readouterr()
        assert main(["fingerprint", "in.jsonl", "-q", *words]) == 2
        assert part in capsys.readouterr().err
