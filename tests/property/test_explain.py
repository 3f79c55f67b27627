"""Jaccard similarity, containment and edit similarity against their plain definitions, alone and in `explain`."""

import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property import twin

from simsieve import CustomScheme, explain, similarity
from simsieve import explain as explained
from simsieve.cli import main
from simsieve.schemes.scheme import load_scheme
from simsieve.text.edit import MOST_EDIT, edit_similarity

texts = st.text(alphabet="ab 中文Ａ,", max_size=30)
specs = st.sampled_from(["chars64", "chars64:n=2,weights=tf", "words64:weights=log", "keywords64", "lines_tfidf64"])


def weights(text: str, spec: str) -> dict[str, int]:
    """The weights of a text's features."""
    return {feature: weight for feature, _, _, weight in load_scheme(spec).features(text)}


def edits(a: str, b: str) -> int:
    """The least number of characters to change, leave out or put in, by the recurrence that defines it."""

    @cache
    def least(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        return min(least(i - 1, j) + 1, least(i, j - 1) + 1, least(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return least(len(a), len(b))


@given(texts, texts, specs)
def test_measures_are_the_sums_of_their_definitions(a: str, b: str, spec: str) -> None:
    """The lesser weights by the greater ones, and by a text's own; without features, or weights, all is 0."""
    one, other = weights(a, spec), weights(b, spec)
    every = one.keys() | other.keys()
    lesser = sum(min(one.get(name, 0), other.get(name, 0)) for name in every)
    greater = sum(max(one.get(name, 0), other.get(name, 0)) for name in every)
    some = any(one.values()) and any(other.values())

    assert similarity(a, b, spec, "jaccard") == (lesser / greater if some else 0.0)
    assert similarity(a, b, spec, "containment") == (lesser / sum(one.values()) if some else 0.0)


@given(texts, texts)
def test_of_features_counted_once_they_are_those_of_sets(a: str, b: str) -> None:
    """Jaccard and containment are symmetric and not, and bound one another and the cosine."""
    one, other = set(weights(a, "chars64")), set(weights(b, "chars64"))
    found = explain(a, b, "chars64")

    assert found.jaccard is not None and found.similarity is not None
    if one and other:
        assert found.jaccard == len(one & other) / len(one | other)
        assert found.a_in_b == len(one & other) / len(one) and found.b_in_a == len(one & other) / len(other)
    assert found.similarity + 1e-12 >= 2 * found.jaccard / (1 + found.jaccard)
    assert found.jaccard == explain(b, a, "chars64").jaccard


@given(texts, texts)
def test_edits_are_those_of_the_definition(a: str, b: str) -> None:
    """On the normalised texts, as a share of the longer."""
    one, other = twin.normalise(a), twin.normalise(b)
    longer = max(len(one), len(other))

    assert edit_similarity(a, b)[0] == pytest.approx(1 - edits(one, other) / longer if longer else 1.0)
    assert explain(a, b).edit == edit_similarity(b, a)[0]


def test_long_texts_are_measured_and_longer_ones_are_not() -> None:
    """100,000 characters are ordinary; beyond the bound the reason has the lengths and what is allowed."""
    long = "ab cd efg " * 10_000
    assert edit_similarity(long, "x" + long[2:])[0] == pytest.approx(1 - 2 / 100_000, abs=1.1e-5)
    much = "x" * 300_000
    assert edit_similarity(much, much) == (1.0, "") and edit_similarity(much, much + "y")[0] is None
    assert "300,000 and 300,001 characters are too long" in edit_similarity(much, much + "y")[1]
    assert f"{MOST_EDIT:,}" in edit_similarity(much, much + "y")[1]


def test_without_the_library_there_is_no_edit_similarity(monkeypatch: pytest.MonkeyPatch) -> None:
    """All else is measured, and the reason says what to install."""
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    found = explain("one two", "one too")

    assert found.edit is None and found.edit_note == "RapidFuzz is not installed: pip install rapidfuzz"
    assert found.similarity == similarity("one two", "one too")


def test_pages_are_explained_by_what_is_extracted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The scheme says what is seen of a page, in `explain` and in `compare`, whichever way it is told."""
    pages = "<nav><a href=/>Home</a></nav><p>What it says", "<nav><a href=/>Start</a></nav><p>What it said"
    own = CustomScheme("said", extract="main", features="chars")
    for scheme in (own, "chars64:extract=main"):
        found = explained(*pages, scheme)
        assert [(place.a, place.b) for place in found.differences] == [("says", "said")]
        assert found.edit == pytest.approx(1 - 2 / len("What it says"))
    for name, page in zip(("a.html", "b.html"), pages, strict=True):
        (tmp_path / name).write_text(page, encoding="utf-16")
    (tmp_path / "said.toml").write_text('extract = "main"\nfeatures = "chars"\n')
    words = ["compare", str(tmp_path / "a.html"), str(tmp_path / "b.html"), "--scheme", str(tmp_path / "said.toml")]

    assert main(words) == 0
    assert "'says' -> 'said'" in capsys.readouterr().out
