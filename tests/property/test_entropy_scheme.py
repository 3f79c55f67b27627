"""E-Simhash against its plain twin: models with neighbours, weights and fingerprints under every option."""

import math
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property import entropy_twin, token_twin
from tests.property.test_token_schemes import sentences

import simsieve
from simsieve import ConfigError, Fingerprinter, Model, _core, fit

# jieba leaves the files open that it reads.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

CORPUS = [
    "村口的老槐树下聚了许多人，大家都在谈论今年的雨水。",
    "今年的雨水比去年的多，村口的老槐树也长高了。",
    "能力比学历重要性高，学历比能力重要性低。",
    "The ferry leaves at seven; the ferry is late, late, late.",
    "大家都说能力重要，大家都看学历。",
]
CHOICES = {
    "tokens": ["words", "all"],
    "tf": ["share", "count"],
    "cap": ["none", "0.5", "2", "50%", "90%", "p50", "p90", "p1"],
    "over": ["ceiling", "mean", "zero"],
    "place": ["word", "rank", "character", "weight", "none"],
    "from": ["0", "1"],
    "repeat": ["first", "last", "each"],
}

options = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in CHOICES.items()})
# Texts that the corpus knows some words of, so that weights differ.
texts = st.one_of(
    sentences, st.lists(st.sampled_from(CORPUS), max_size=3).map("".join), st.permutations(CORPUS[1]).map("".join)
)


def spec_of(chosen: dict[str, str], width: int = 128) -> str:
    """The scheme with these options."""
    return f"esimhash{width}:" + ",".join(f"{key}={value}" for key, value in chosen.items())


def twin_corpus(chosen: dict[str, str], documents: list[str]) -> entropy_twin.Corpus:
    """The twin of a model."""
    corpus = entropy_twin.Corpus()
    for text in documents:
        corpus.add(entropy_twin.words_of(text, chosen))
    return corpus


@given(texts, options, st.sampled_from([64, 128]))
@example("", entropy_twin.USUAL, 128)
@example("没有见过的词", entropy_twin.USUAL, 64)
@example(CORPUS[0] + CORPUS[1], entropy_twin.USUAL | {"place": "none", "repeat": "each"}, 128)
def test_fingerprints_are_the_twins(text: str, chosen: dict[str, str], width: int) -> None:
    """Under every option the bits are those of the formulas."""
    made = Fingerprinter(spec_of(chosen, width)).fit(CORPUS).transform([text])[0]

    assert (None if made is None else int(made)) == entropy_twin.fingerprint(
        text, twin_corpus(chosen, CORPUS), chosen, width
    )


@given(texts, options)
def test_weights_are_the_twins(text: str, chosen: dict[str, str]) -> None:
    """Weights are whole numbers of 2^-20, rounded once; a word that is unknown has no documents and no entropy."""
    model = fit(CORPUS, scheme=spec_of(chosen))
    features = _core.Scheme(spec_of(chosen)).with_model(model.core).features(text)
    wanted = entropy_twin.weights_of(entropy_twin.words_of(text, chosen), twin_corpus(chosen, CORPUS), chosen)

    assert [word for word, *_ in features] == list(wanted)
    for word, _, _, weight in features:
        assert abs(weight - wanted[word]) <= 1, word


@given(st.lists(texts, max_size=6), st.sampled_from(CHOICES["tokens"]))
def test_models_know_neighbours_as_the_twin_does(documents: list[str], words: str) -> None:
    """Frequencies and entropies are those of the definition, and models merge."""
    chosen = entropy_twin.USUAL | {"tokens": words}
    corpus = twin_corpus(chosen, documents)
    model = fit(documents, scheme=spec_of(chosen))

    assert (model.documents, model.features) == (corpus.documents, len(corpus.having))
    for word, n in corpus.having.items():
        assert model.document_frequency(word) == n
        left, right = model.neighbour_entropies(word)
        assert math.isclose(left, entropy_twin.entropy(corpus.left[word]), abs_tol=1e-12)
        assert math.isclose(right, entropy_twin.entropy(corpus.right[word]), abs_tol=1e-12)
    parts = [fit([text], scheme=spec_of(chosen)) for text in documents]
    if parts:
        assert parts[0].merge(*parts[1:]) == model


def test_the_name_alone_is_the_usual_reading() -> None:
    """`esimhash128` has the options that its documentation tells, and each other option is another scheme."""
    digest = _core.Scheme("esimhash128").digest
    digests = {
        _core.Scheme(spec_of(entropy_twin.USUAL | {key: value})).digest for key in CHOICES for value in CHOICES[key]
    }

    assert _core.Scheme(spec_of(entropy_twin.USUAL)).digest == digest
    assert _core.Scheme(spec_of(entropy_twin.USUAL)).spec == "esimhash128"
    assert len(digests) == sum(map(len, CHOICES.values())) - len(CHOICES) + 1


def test_few_features_lower_entropies_and_say_so(tmp_path: Path) -> None:
    """Beyond the bound words and neighbours are counted together; the model tells by how many bits it knows them."""
    texts = [token for text in CORPUS for token in (text, text[::-1], text[3:] + text[:3])]
    whole, few = (fit(texts, scheme="esimhash128", max_features=most) for most in (1000, 30))
    few.save(tmp_path / "few.model")

    assert (whole.bits, whole.neighbour_bits) == (64, 96)
    assert few.neighbour_bits is not None and few.neighbour_bits < 96
    assert few.features <= 30
    assert Model.load(tmp_path / "few.model") == few
    parts = [fit(texts[i::3], scheme="esimhash128", max_features=30) for i in range(3)]
    assert parts[0].merge(*parts[1:]) == few


def test_what_cannot_be_is_told(tmp_path: Path) -> None:
    """Bad options, missing models, and models of other words each say what to do."""
    bad = [
        ("esimhash128:cap=0", "cap is none, a weight above 0 and at most 4095, or a percentage P%"),
        ("esimhash128:cap=120%", "percentile pP above 0 and at most 100"),
        ("esimhash128:place=line", "place is character, word, rank, weight or none"),
        ("esimhash128:colour=red", "its options are"),
        ("esimhash128:tf=share,tf=count", "tf is given twice"),
    ]
    for spec, part in bad:
        with pytest.raises(ConfigError) as caught:
            Fingerprinter(spec)
        assert part in str(caught.value), spec
    with pytest.raises(ConfigError, match="simsieve fit SOURCE -o FILE --scheme esimhash128"):
        simsieve.fingerprint("一个字", "esimhash128")
    words = tmp_path / "words.model"
    fit(CORPUS, scheme="words64").save(words)
    with pytest.raises(ConfigError, match="fit a model with this scheme"):
        simsieve.fingerprint("一个字", f"esimhash128:model={os.fspath(words)}")
    with pytest.raises(ConfigError, match="counts no neighbours"):
        Model.load(words).neighbour_entropies("字")


def test_words_weigh_by_a_model() -> None:
    """`words` take weights by document frequency, in a run that fits its own model too."""
    fitted = Fingerprinter("words64:weights=idf").fit(CORPUS)
    assert fitted.model is not None
    scheme = _core.Scheme("words64:weights=idf").with_model(fitted.model.core)

    for word, _, _, weight in scheme.features(CORPUS[0]):
        having = sum(word in token_twin.words(text) for text in CORPUS)
        assert fitted.model.document_frequency(word) == having
        assert weight == round(256 * (math.log(6 / (having + 1)) + 1))
    scheme = _core.Scheme("words64:weights=tf-idf").with_model(fitted.model.core)
    for word, _, count, weight in scheme.features(CORPUS[0] * 3):
        having = sum(word in token_twin.words(text) for text in CORPUS)
        assert weight == round(256 * (count * (math.log(6 / (having + 1)) + 1)))
    result = simsieve.dedup([*CORPUS, CORPUS[0] + "啊"], idf="fit", scheme="words128")
    assert result.counts.dropped == 1 and "weights=idf,model=" in result.summary["scheme"]
    near = simsieve.find_pairs([*CORPUS, CORPUS[0] + "啊"], idf="fit", scheme="esimhash128", similarity=0.9)
    assert [(pair.a_position, pair.b_position) for pair in near] == [(0, 5)]
