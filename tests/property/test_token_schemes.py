"""The schemes on tokens against their plain twins: tokens, weights, fingerprints, similarity."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests import strategies
from tests.property import token_twin

from simsieve import _core, fingerprint, similarity

# jieba leaves the files open that it reads.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

specs = st.sampled_from(sorted(token_twin.SCHEMES))

sentences = st.lists(
    st.sampled_from(
        [
            "村口的老槐树下聚了许多人，大家都在谈论今年的雨水。",
            "学历比能力重要性高",
            "The ferry leaves at seven; don't be late.",
            "See http://example.org/a.b and ftp:// for THE_files 2024",
            "\n", "\r\n", "\u2028", "\t", " ", "  ", "ΟΔΟΣ", "İstanbul", "K", "l'été après-midi",
            "ภาษาไทยv2 ๑๒", "ພາສາລາວ", "မြန်မာဘာသာ中文", "ភាសាខ្មែរ", "Ａ１", "C++", "𠮷野家", "龥", "龦", "鿕", "鿖",
        ]
    ),
    max_size=12,
).map("".join)  # fmt: skip
"""Texts that have words, lines, addresses, and the edges of the ranges."""

# Python's own tables, which the twins lower by, are older than the core's.
texts = st.one_of(strategies.texts, sentences).map(
    lambda text: "".join(c for c in text if unicodedata.category(c) != "Cn")
)


@given(texts, specs)
@example("", "gemantic64")
@example("\u0130 K ſ", "mfonda64")
@example("a://b a:// ://c a://./_ a'://x", "mfonda64")
@example("ΑΣ ΑΣΑ Σ", "simhash64")
@example("😀 a😀b", "gemantic200")
@example("和 不", "keywords64")
@example("一\n\n一\r二", "lines_tfidf64")
def test_fingerprints_are_the_twins(text: str, spec: str) -> None:
    """Any text has the fingerprint of the plain definition, and none where that finds nothing."""
    made = fingerprint(text, spec)

    assert (None if made is None else int(made)) == token_twin.fingerprint(text, spec)


@given(texts, st.integers(1, 256), st.sampled_from(["chars", "words", "keywords", "lines_tfidf", "dom", "gemantic"]))
def test_a_narrower_fingerprint_is_the_low_bits_of_a_wider_one(text: str, width: int, family: str) -> None:
    """Of every family that takes any width, under a digest of its own."""
    page = f"<p>{text}" if family == "dom" else text
    narrow, wide = fingerprint(page, f"{family}{width}"), fingerprint(page, f"{family}256")

    if wide is None or narrow is None:
        assert narrow is wide
        return
    assert (narrow.value, narrow.scheme) == (wide.value % 2**width, f"{family}{width}")
    assert (narrow.digest == wide.digest) == (width == 256)


@given(texts, specs)
def test_features_are_the_twins(text: str, spec: str) -> None:
    """Tokens come in order with the low 64 bits of their hash and their weight."""
    cut, hashed, *_ = token_twin.SCHEMES[spec]
    wanted = [(token, hashed(token) % 2**64, weight) for token, weight in cut(text).items()]

    assert wanted == [(token, value, weight) for token, value, _, weight in _core.Scheme(spec).features(text)]


@given(texts, texts, specs)
@example("能力比学历重要性高", "学历比能力重要性高", "esimhash_baseline64")
@example("这座桥通向河的南岸", "这座桥通向河的北岸", "keywords64")
def test_similarity_is_the_plain_cosine(a: str, b: str, spec: str) -> None:
    """The similarity of two texts is the cosine of the weights of their tokens, whatever the hash is."""
    for other in (b, a + b):
        wanted = token_twin.cosine(a, other, spec)
        assert similarity(a, other, spec) == pytest.approx(wanted, rel=8 * sys.float_info.epsilon)
