"""Weights of document frequencies, against their definition in a few lines of Python."""

import math
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin

import simsieve
from simsieve import Fingerprinter, Model, _core, fit

collections = st.lists(st.one_of(strategies.mixed_texts, st.text("ab中文 ", max_size=30)), max_size=12)
specs = st.sampled_from(["chars64", "chars128:n=2", "chars64:units=3,punctuation=keep"])
limits = st.one_of(st.integers(1, 40), st.just(2**22))


def frequencies(texts: list[str], spec: str) -> tuple[int, Counter[int]]:
    """Documents that have features, and how many of them have each hash."""
    sets = [{row[0] for row in twin.features(text, twin.parse(spec)).values()} for text in texts]
    return sum(map(bool, sets)), Counter(hash_ for hashes in sets for hash_ in hashes)


@given(collections, st.sampled_from(["idf", "log-idf", "tf-idf"]), specs, strategies.mixed_texts)
def test_weights_and_bits_are_the_twins(texts: list[str], rule: str, spec: str, other: str) -> None:
    """Weights are 256 times idf, times tf or 1 + ln tf where asked, rounded half to even; the bits are made of them."""
    texts = ["known words", *texts]
    spec = f"{spec}{',' if ':' in spec else ':'}weights={rule}"
    maker = Fingerprinter(spec).fit(texts)
    core = _core.Scheme(spec).with_model(maker.model.core) if maker.model else None
    documents, counts = frequencies(texts, spec)
    assert core is not None
    for text in [*texts, other]:
        rows = core.features(text)
        wanted = []
        for hash_, count, _ in twin.features(text, twin.parse(spec)).values():
            idf = math.log((documents + 1) / (counts[hash_] + 1)) + 1
            wanted.append(256 * idf * {"idf": 1, "log-idf": 1 + math.log(count), "tf-idf": count}[rule])
        assert [weight for *_, weight in rows] == pytest.approx(wanted, abs=0.5 + 1e-9)
        made = core.fingerprint(text)
        weighted = [(hash_, weight) for _, hash_, _, weight in rows]
        folded = twin.fold(weighted, core.width)
        assert (None if not rows else folded) == (None if made is None else int.from_bytes(made, "big"))


@given(st.lists(st.text("abc ", max_size=60), min_size=2, max_size=6))
def test_similarity_is_the_cosine_of_the_weights(texts: list[str]) -> None:
    """The weighted cosine is that of the core's own weights, both ways round."""
    model = fit([*texts, "known words"])
    core = _core.Scheme("chars64:weights=idf").with_model(model.core)
    rows = [{name: weight for name, _, _, weight in core.features(text)} for text in texts[:2]]

    assert core.similarity(*texts[:2]) == pytest.approx(twin.cosine(*rows), rel=8 * sys.float_info.epsilon)
    assert core.similarity(*texts[:2]) == core.similarity(*texts[1::-1])


@given(strategies.collections)
def test_a_run_that_fits_is_the_run_with_the_fitted_model(records: list[dict[str, object]]) -> None:
    """`idf="fit"` decides as the model of the same records does, and the books balance."""
    if not records:
        return
    fitted = simsieve.dedup(records, idf="fit")
    model: Model = fit(records)
    assert fitted.counts.balanced
    if model.documents:
        given_model = simsieve.dedup(records, idf=model)
        assert list(fitted.decisions) == list(given_model.decisions)
        assert fitted.summary["digest"] == given_model.summary["digest"]
