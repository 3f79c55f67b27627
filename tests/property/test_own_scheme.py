"""Schemes of one's own against their plain twin, and the laws that hold for them as for any other."""

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property import own_twin, twin
from tests.property.own_twin import by_length, plain_hash, split

import simsieve
from simsieve import CustomScheme, SourceError, TextError

WIDTHS = {"xxh3": 256, "md5": 128, "sha1": 160, "fnv1": 256, "fnv1a": 256}


@st.composite
def schemes(draw: st.DrawFn) -> dict[str, Any]:
    """Parts that go together."""
    kind = draw(st.sampled_from(["chars", "lines", split]))
    hashing = draw(st.sampled_from([*WIDTHS, plain_hash]))
    return {
        "normalise": draw(st.lists(st.sampled_from(sorted(own_twin.STEPS)), max_size=3)),
        "features": kind,
        "n": 1 if kind == "lines" else draw(st.integers(1, 3)),
        "pattern": draw(st.sampled_from([None, "[a-z]", "中|b$", ".*,", re.compile("A", re.IGNORECASE), "[^a]"])),
        "weights": draw(st.sampled_from(["once", "tf", "log", by_length, {"a": 2.5, "中": 0.0}])),
        "other": 1.25,
        "stop": draw(st.sampled_from([[], ["b", "文"]])) if kind != "chars" else [],
        "hash": hashing,
        "width": draw(st.integers(1, WIDTHS.get(hashing, 256) if isinstance(hashing, str) else 256)),
        "sign": draw(st.sampled_from(["> 0", ">= 0", "> 2", "> -1.5"])),
        "fraction_bits": draw(st.sampled_from([0, 8, 20])),
    }


texts = st.text(alphabet="ab 中文\nÅ１Ａ7,", max_size=30)


@given(schemes(), texts)
def test_fingerprints_are_the_twins(parts: dict[str, Any], text: str) -> None:
    """Any parts give the bits of the definition, one text at a time and in bulk."""
    scheme = CustomScheme("tried", version="1", **parts)
    made = simsieve.fingerprint(text, scheme)

    assert (None if made is None else int(made)) == own_twin.fingerprint(text, parts)
    assert simsieve.Fingerprinter(scheme).transform([text])[0] == made


thai = st.text(alphabet="กขค่ำ๑ ab中文, ລາວ ຂ", max_size=24)


@given(
    thai,
    st.sampled_from([None, "runs", "fours"]),
    st.integers(1, 3),
    st.sampled_from([[], ["ab", "กขค่"], ["กขค"]]),
    st.sampled_from(["once", "tf"]),
)
def test_words_of_scripts_without_spaces_are_the_twins(
    text: str, unspaced: str | None, n: int, stop: list[str], weights: str
) -> None:
    """`unspaced` cuts as the definition does, before stop words go and words are joined; the built-in scheme agrees."""
    parts: dict[str, Any] = {"n": n, "stop": stop, "weights": weights, "unspaced": unspaced}
    made = simsieve.fingerprint(text, CustomScheme("tried", **parts))
    told = {"normalise": ["usual"], "features": "words", "hash": "xxh3", "width": 128, "sign": "> 0"}
    spec = f"words128:n={n},weights={weights},unspaced={unspaced or 'runs'}"
    built_in = None if stop else simsieve.fingerprint(text, spec)

    assert (None if made is None else int(made)) == own_twin.fingerprint(text, parts | told | {"fraction_bits": 20})
    assert stop or (made and int(made)) == (built_in and int(built_in))


@given(st.one_of(st.binary(max_size=40), st.text("ab 中\n\r\x0b\x85\u2028\ufeff", max_size=20).map(str.encode)))
def test_a_file_of_stop_words_is_its_lines_or_refused(content: bytes) -> None:
    """Any bytes are a list of words, a word a line, or an error that names file and byte."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stop.txt")
        path.write_bytes(content)
        try:
            lines = content.decode().lstrip("\ufeff").splitlines()
        except UnicodeDecodeError as error:
            with pytest.raises(SourceError, match=rf"stop\.txt: is no UTF-8 at byte {error.start}; save it as UTF-8"):
                CustomScheme("tried", stop=path)
            return
        assert (
            CustomScheme("tried", stop=path).digest
            == CustomScheme("tried", stop=[line.strip() for line in lines]).digest
        )


@given(
    st.integers(1, 256).flatmap(
        lambda width: st.tuples(
            st.lists(st.tuples(st.integers(0, 2**width - 1), st.floats(0, 100)), max_size=12), st.just(width)
        )
    )
)
def test_given_hashes_and_weights_are_added_up(drawn: tuple[list[tuple[int, float]], int]) -> None:
    """Features may bring hash and weight; those of equal hash count together."""
    pairs, width = drawn
    scheme = CustomScheme("given", features=lambda _: pairs, weights="given", hash="given", width=width, version="1")
    sums: dict[int, float] = {}
    for value, weight in pairs:
        sums[value] = sums.get(value, 0.0) + weight
    weighted = [(value, round(weight * 2**20)) for value, weight in sums.items()]
    made = simsieve.fingerprint("any", scheme)

    assert (None if made is None else int(made)) == twin.added_up(weighted, width)


@given(st.integers(1, 256), st.integers(0, 2**256 - 1))
def test_a_given_hash_is_no_wider_than_the_width(width: int, value: int) -> None:
    """A hash that fits is a fingerprint, and one that does not is refused with its value; no bit is cut off."""
    scheme = CustomScheme(
        "given", features=lambda _: [(value, 1)], weights="given", hash="given", width=width, version="1"
    )
    if value < 2**width:
        made = simsieve.fingerprint("any", scheme)
        assert made is not None and int(made) == value
    else:
        with pytest.raises(TextError, match=f"the hash {value:#x} of feature 0 is wider than {width} bits"):
            simsieve.fingerprint("any", scheme)


@given(
    st.lists(texts.filter(bool), min_size=1, max_size=6),
    st.sampled_from(["idf", "log-idf", "tf-idf"]),
    st.sampled_from(["chars", split]),
    st.sampled_from([None, "[ab中]"]),
)
def test_weights_by_document_frequency_are_the_twins(
    documents: list[str], weights: str, kind: Any, pattern: str | None
) -> None:
    """Weights by a model of the documents, and the bits that they make, are those of the definition."""
    parts = {"normalise": [], "features": kind, "n": 1, "weights": weights, "pattern": pattern}
    scheme = CustomScheme("tried", version="1", **parts)
    told = parts | {"stop": [], "hash": "xxh3", "width": 128, "sign": "> 0", "fraction_bits": 8}
    found = [own_twin.tokens(text, told) for text in documents]
    if not any(found):
        return
    told |= {"documents": sum(map(bool, found)), "having": Counter(token for tokens in found for token in set(tokens))}
    fitted = simsieve.Fingerprinter(scheme).fit(documents)

    made = [None if print_ is None else int(print_) for print_ in fitted.transform(documents)]
    assert made == [own_twin.fingerprint(text, told) for text in documents]


@given(st.lists(texts, max_size=12), st.sampled_from([1, 2]))
def test_runs_decide_as_pairs_say(documents: list[str], threads: int) -> None:
    """`dedup` and `find_pairs` call back from their threads and agree with `similarity`."""
    scheme = CustomScheme("split", features=split, weights=by_length, version="1")
    pairs = simsieve.find_pairs(documents, scheme=scheme, similarity=0.5, threads=threads)
    found = {(pair.a_position, pair.b_position) for pair in pairs}

    assert found == {
        (a, b)
        for b in range(len(documents))
        for a in range(b)
        if simsieve.similarity(documents[a], documents[b], scheme=scheme) >= 0.5
    }
    counts = simsieve.dedup(documents, scheme=scheme, similarity=0.5, threads=threads).counts
    assert counts.read == counts.kept + counts.dropped + counts.failed


@pytest.mark.parametrize("weights", ["idf", "log-idf", "tf-idf", "entropy"])
def test_own_schemes_take_models(weights: str) -> None:
    """A model is fitted with one's own features, in a run and by the Fingerprinter."""
    scheme = CustomScheme("split", features=split, weights=weights, version="1")
    documents = ["a b c d", "a b c e", "x y z", "x y w"]
    fitted = simsieve.Fingerprinter(scheme).fit(documents)

    assert fitted.model is not None and fitted.model.document_frequency("a") == 2
    assert (fitted.model.neighbour_bits is None) == (weights != "entropy")
    assert simsieve.dedup(documents, scheme=scheme, idf="fit", similarity=0.99).counts.dropped == 0
    with_model = CustomScheme("split", features=split, weights=weights, version="1", model=fitted.model)
    assert simsieve.fingerprint("a b", with_model) == fitted.transform(["a b"])[0]
