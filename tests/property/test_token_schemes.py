"""The schemes on tokens against their plain twins: tokens, weights, fingerprints, similarity."""

import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests import strategies
from tests.property import token_twin, twin
from tests.property.plain import said

from simsieve import CustomScheme, Fingerprinter, _core, dedup, fingerprint, similarity

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
        wanted = twin.cosine(*map(token_twin.SCHEMES[spec][0], (a, other)))
        assert similarity(a, other, spec) == pytest.approx(wanted, rel=8 * sys.float_info.epsilon)


tokens = st.lists(st.text('aAb ,中"\\', min_size=1, max_size=3), max_size=6)
weighted = st.dictionaries(st.text("aAb中", min_size=1, max_size=2), st.floats(0.25, 8), max_size=5)
documents = st.lists(st.one_of(tokens, weighted, weighted.map(lambda found: list(found.items()))), max_size=8)


def listed(text: str) -> list[tuple[str, float]]:
    """The definition: what a document lists, a token without a weight as 1."""
    read = json.loads(text)
    pairs = sorted(read.items()) if isinstance(read, dict) else read
    return [(item, 1.0) if isinstance(item, str) else (item[0], item[1]) for item in pairs]


LISTS = CustomScheme("lists", features="tokens", width=64)
BY_FUNCTION = CustomScheme("function", features=listed, weights="given", normalise=[], width=64, version="1")


@given(documents)
def test_a_list_has_the_fingerprint_of_its_tokens_by_a_function(found: list[Any]) -> None:
    """Lists, pairs and mappings in one call; similarities are those of the weights."""
    prints = Fingerprinter(LISTS).transform(found)
    texts = [json.dumps(document) for document in found]
    wanted = Fingerprinter(BY_FUNCTION).transform(texts)

    assert prints.valid.tolist() == wanted.valid.tolist() and prints.values.tolist() == wanted.values.tolist()
    for document, text in zip(found, texts, strict=True):
        assert similarity(document, found[0], LISTS) == similarity(text, texts[0], BY_FUNCTION)


@given(st.lists(tokens, max_size=8), st.sampled_from(["once", "tf", "log", "given"]), st.integers(1, 2))
def test_runs_over_records_texts_and_files_are_one(
    tmp_path_factory: pytest.TempPathFactory, found: list[list[str]], weights: str, n: int
) -> None:
    """Lists in memory, in records and in a file have the decisions of the walk; equal lists alone are exact copies."""
    scheme = CustomScheme("lists", features="tokens", weights=weights, n=1 if weights == "given" else n)
    records = [{"text": document} for document in found]
    path = tmp_path_factory.mktemp("lists") / "in.jsonl"
    path.write_text("".join(json.dumps(record, indent=None) + "\n" for record in records) or "\n")
    runs = [dedup(source, scheme=scheme, similarity=0.9, allow_empty=True) for source in (found, records)]
    if found:
        runs.append(dedup(path, scheme=scheme, similarity=0.9))

    for run in runs:
        assert said(run.decisions) == said(runs[0].decisions)
    exact = {row.position for row in runs[0].decisions if row.reason == "exact"}
    assert exact <= {place for place, document in enumerate(found) if document in found[:place]}
    assert runs[0].kept_rows(list) == [found[position] for position in runs[0].kept]
    assert runs[1].kept_rows(list) == [records[position] for position in runs[1].kept]
