"""Runs that remove parts of texts, against runs on texts that Python's `re` has cleaned."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.plain import said

from simsieve import ConfigError, CustomScheme, Fingerprinter, Scheme, dedup, explain, find_pairs, similarity

# Patterns are drawn that match in no text; a warning says so.
pytestmark = pytest.mark.filterwarnings("ignore:.* matched in 0 of .* texts")

texts = st.lists(st.text("ab1（分） ", max_size=12), max_size=8)
patterns = st.one_of(st.none(), st.sampled_from(["b", "（1?分）", "[0-9]+", "a+", "分|b1", "a*", "(?m)^1", "x{1,3}|a"]))
"""Patterns that both programs read alike; some match the empty text."""
specs = st.sampled_from(["chars64:n=2", "words64", "simhash64", "keywords64", "chars128:strip=z"])
any_pattern = st.one_of(
    st.text(min_size=1, max_size=12), st.text("%,@:=.{}1a\\[](|)\t\n", min_size=1, max_size=12), st.just("x.toml")
)


def cleaned(text: str, cut_at: str | None, strip: str | None) -> str:
    """The definition."""
    if cut_at is not None:
        text = text[: next((found.start() for found in re.finditer(cut_at, text) if found[0]), len(text))]
    return text if strip is None else re.sub(strip, "", text)


@given(texts, patterns, patterns, specs)
def test_a_run_on_texts_to_clean_is_the_run_on_the_cleaned_texts(
    found: list[str], cut_at: str | None, strip: str | None, spec: str
) -> None:
    """Whatever reads a text cleans it first."""
    if "strip" in spec:
        strip = None
    clean = [cleaned(text, cut_at, strip) for text in found]
    scheme = Scheme(spec).cleaned(cut_at, strip)

    run = dedup(found, scheme=spec, cut_at=cut_at, strip=strip, similarity=0.6)
    plain = dedup(clean, scheme=spec, similarity=0.6)
    assert said(run.decisions) == said(plain.decisions)
    assert run.summary["digest"] == scheme.digest
    assert (run.summary["digest"] == plain.summary["digest"]) == (cut_at is None and strip is None)
    pairs = find_pairs(found, scheme=scheme, similarity=0.6)
    assert [(pair.a, pair.b) for pair in pairs] == [
        (pair.a, pair.b) for pair in find_pairs(clean, scheme=spec, similarity=0.6)
    ]
    prints = Fingerprinter(scheme).transform(found)
    assert prints.values.tolist() == Fingerprinter(spec).transform(clean).values.tolist()
    for text, other in zip(found, clean, strict=True):
        assert scheme.features(text) == Scheme(spec).features(other)
    for a, b in itertools.pairwise(found):
        told = explain(a, b, scheme)
        assert told.texts == (cleaned(a, cut_at, strip), cleaned(b, cut_at, strip))
        assert told.similarity == similarity(*told.texts, spec)


@given(any_pattern, any_pattern)
def test_any_pattern_survives_its_spec(cut_at: str, strip: str) -> None:
    """A scheme that is read from its own spec is the same scheme, with a threshold behind it or not."""
    try:
        scheme = Scheme("chars64:n=3").cleaned(cut_at, strip)
    except ConfigError:
        return
    assert Scheme(scheme.spec) == scheme and Scheme(scheme.spec).spec == scheme.spec
    assert dedup(["a"], scheme=f"{scheme.spec}@0.8").summary["digest"] == scheme.digest


@given(texts, patterns, patterns)
def test_a_custom_scheme_is_cleaned_as_a_built_in_one(found: list[str], cut_at: str | None, strip: str | None) -> None:
    """The two keys of a custom scheme do what those of a spec do."""
    custom = CustomScheme("mine", features="words", cut_at=cut_at, strip=strip)
    clean = [cleaned(text, cut_at, strip) for text in found]

    prints = Fingerprinter(custom).transform(found)
    plain = CustomScheme("mine", features="words")
    assert prints.values.tolist() == Fingerprinter(plain).transform(clean).values.tolist()
    assert plain.cleaned(cut_at, strip).digest == custom.digest
