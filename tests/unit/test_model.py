"""Models of document frequencies as users hold them: files, merging, schemes that use them, and what is refused."""

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

import simsieve
from simsieve import ConfigError, CustomScheme, Fingerprinter, Model, SourceError, _core, fingerprint, fit, similarity

TEXTS = ["the quick brown fox jumps", "the quick red fox jumps", "lorem ipsum dolor sit amet", "我们在讨论文本", ""]
GIVEN = CustomScheme("mine", weights={"fox": 2.0})
TWO = ["chars64", "simhash64"]
OTHER_DIGEST = "0123456789abcdef" * 2


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Give the file of the model of TEXTS."""
    path = tmp_path / "texts.model"
    fit(TEXTS).save(path)
    return path


def test_a_model_comes_back_from_its_file(saved: Path) -> None:
    """Loading gives what was saved; the texts without features are no documents."""
    model = Model.load(saved)

    assert model == fit(TEXTS) and hash(model) == hash(fit(TEXTS))
    assert (model.documents, model.bits, model.max_features, model.features_spec) == (
        4,
        64,
        4_194_304,
        "units=6,punctuation=drop",
    )
    assert repr(model).startswith("Model('units=6,punctuation=drop', documents=4, features=")
    assert model != fit(TEXTS[:3])


def test_frequencies_count_a_document_once() -> None:
    """A feature that a text repeats counts once, and is asked for in any spelling of it."""
    model = fit(["abcdef abcdef abcdef", "ABC-DEF", "xyz"])

    assert [model.document_frequency(text) for text in ("abcdef", "A b c d e f!", "xyz", "zzzzzz")] == [2, 2, 1, 0]


def test_a_scheme_names_its_model_by_file_and_shows_it_by_digest(saved: Path) -> None:
    """`model=FILE` is read, and the spec of the fingerprint has the digest instead of the place."""
    spec = f"chars128:weights=idf,model={saved}"
    made = fingerprint(TEXTS[0], spec)
    fitted = Fingerprinter("chars128:weights=idf").fit(TEXTS)

    assert made is not None and made.scheme == f"chars128:weights=idf,model={Model.load(saved).digest}"
    assert fitted.transform(TEXTS)[0] == made and fitted.scheme == made.scheme
    assert Fingerprinter(made.scheme, model=Model.load(saved)).transform(TEXTS)[0] == made
    assert made.distance(made) == 0
    assert 0 < similarity(TEXTS[0], TEXTS[1], spec) < similarity(TEXTS[0], TEXTS[1])


def test_a_file_that_changes_is_read_again(saved: Path) -> None:
    """A scheme is not remembered beyond its model's file."""
    spec = f"chars64:weights=idf,model={saved}"
    before = Fingerprinter(spec).digest
    fit(TEXTS[:2]).save(saved)
    os.utime(saved, (1, 1))

    assert Fingerprinter(spec).digest != before
    assert Fingerprinter(spec).digest == Fingerprinter("chars64:weights=idf").fit(TEXTS[:2]).digest


@pytest.mark.parametrize("idf", ["fit", "file", "model"])
def test_a_run_takes_a_model_in_three_ways(idf: str, saved: Path) -> None:
    """A run fits, reads or is given the model, and tells it in its summary; log becomes log-idf."""
    given: dict[str, Any] = {"fit": "fit", "file": saved, "model": Model.load(saved)}
    result = simsieve.dedup(TEXTS, idf=given[idf], scheme="chars64:weights=log")

    assert result.summary["scheme"] == f"chars64:weights=log-idf,model={Model.load(saved).digest}"
    pairs = simsieve.find_pairs(TEXTS, idf=given[idf], similarity=0.1)
    assert [(pair.a_position, pair.b_position) for pair in pairs] == [(0, 1)]


def test_nothing_to_fit_is_no_error_of_a_run() -> None:
    """A run over texts without features fits a model of 0 documents and has nothing to weigh."""
    result = simsieve.dedup(["", "?!"], idf="fit")

    assert (result.counts.kept, result.counts.dropped) == (2, 0)
    assert simsieve.dedup([], idf="fit").counts.read == 0


def test_fit_of_a_scheme_without_a_model_learns_nothing() -> None:
    """The default scheme is fitted by a glance."""
    assert Fingerprinter().fit(TEXTS).model is None
    assert Fingerprinter("chars64:weights=idf").fit(TEXTS).fit(TEXTS[:2]).model == fit(TEXTS[:2])


def refused(call: Any, error: type[Exception], *parts: str) -> None:
    """Check that a call is refused with a message that has all the parts."""
    with pytest.raises(error) as caught:
        call()
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_missing_model_is_told(tmp_path: Path) -> None:
    """A scheme that needs a model is not used without one, wherever it is used."""
    spec = "chars128:weights=idf"
    uses = [
        lambda: fingerprint("a text", spec),
        lambda: similarity("a text", "b", spec),
        lambda: Fingerprinter(spec).transform(["a text"]),
        lambda: simsieve.dedup(["a text"], scheme=spec),
        lambda: simsieve.find_pairs(["a text"], scheme=spec),
    ]
    for use in uses:
        refused(use, ConfigError, spec, "needs its model of document frequencies", "simsieve fit")
    wanted = f"{spec},model={OTHER_DIGEST}"
    refused(lambda: fingerprint("a text", wanted), ConfigError, OTHER_DIGEST, "model=FILE")
    missing = str(tmp_path / "no.model")
    for call in (
        lambda: fingerprint("a", f"{spec},model={missing}"),
        lambda: Model.load(missing),
        lambda: simsieve.dedup(["a"], idf=missing),
    ):
        refused(call, SourceError, missing, "does not exist", "`simsieve fit` makes models")


def test_a_model_of_other_features_is_told() -> None:
    """The message has the features of both sides."""
    model = fit(TEXTS, scheme="chars64:n=3")
    both = ("n=3,punctuation=drop", "units=6,punctuation=drop")

    refused(lambda: Fingerprinter("chars64:weights=idf", model=model), ConfigError, model.digest, *both)
    refused(lambda: simsieve.dedup(TEXTS, idf=model), ConfigError, *both)
    refused(lambda: model.merge(fit(TEXTS)), ConfigError, *both)
    assert simsieve.dedup(TEXTS, idf=model, scheme="chars64:n=3").counts.kept == 5


def test_another_model_than_asked_for_is_told() -> None:
    """A spec with a digest takes that model only."""
    spec = f"chars64:weights=idf,model={OTHER_DIGEST}"

    refused(lambda: Fingerprinter(spec, model=fit(TEXTS)), ConfigError, OTHER_DIGEST, fit(TEXTS).digest)


def test_a_damaged_model_is_told(saved: Path) -> None:
    """A file that is cut, changed or foreign is named with what is wrong."""
    whole = saved.read_bytes()
    for content, part in [
        (whole[:20], "cut off or damaged"),
        (b"{}\n", "is not a model"),
        (b"", "is not a model"),
        (whole[:32] + b"\x07" + whole[33:], "version 7"),
        (b"simsieve model\r\n\x01\x00\x00\x00", "is not a model"),
    ]:
        saved.write_bytes(content)
        refused(lambda: Model.load(saved), SourceError, str(saved), part)


def test_a_model_of_nothing_is_told() -> None:
    """A model with 0 documents can be merged, but nothing is weighed by it."""
    empty = fit(["", "?!"])

    assert empty.merge(fit(TEXTS)) == fit(TEXTS)
    refused(lambda: simsieve.dedup(TEXTS, idf=empty), ConfigError, "has 0 documents")
    refused(lambda: Fingerprinter("chars64:weights=idf").fit([]), ConfigError, "has 0 documents")


def test_what_does_not_go_together_is_told(saved: Path) -> None:
    """Each contradiction between scheme, model and idf has its message."""
    model = Model.load(saved)
    full = f"chars64:weights=idf,model={saved}"
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: Fingerprinter("chars64", model=model), ConfigError, "takes no model"),
        (lambda: Fingerprinter(f"chars64:model={saved}"), ConfigError, "weights=once take no model"),
        (lambda: Fingerprinter(full).fit(TEXTS), ConfigError, "has its model already"),
        (lambda: simsieve.dedup(TEXTS, scheme=full, idf="fit"), ConfigError, "names the model"),
        (lambda: simsieve.dedup(TEXTS, scheme=full, idf=model), ConfigError, "names the model"),
        (lambda: simsieve.dedup(TEXTS, scheme=GIVEN, idf="fit"), ConfigError, "become idf, tf-idf and log-idf"),
        (lambda: simsieve.dedup(TEXTS, scheme=TWO, idf="fit"), ConfigError, "as in chars128:weights=idf,model=FILE"),
        (lambda: simsieve.dedup(TEXTS, scheme=TWO, idf=model), ConfigError, "idf is for all 2 schemes of the run"),
        (lambda: simsieve.dedup(TEXTS, idf=""), ConfigError, "idf ''"),
        (lambda: simsieve.dedup(TEXTS, idf=3), ConfigError, "idf 3"),  # type: ignore[arg-type]
        (lambda: simsieve.dedup(TEXTS, max_features=0), ConfigError, "max_features 0"),
        (lambda: fit(TEXTS, max_features=2**27), ConfigError, "max_features 134217728"),
        (lambda: fit(TEXTS, keep="last"), ConfigError, "'keep' is of no use to fit"),  # type: ignore[call-arg]
        (lambda: Fingerprinter("chars64:weights=idf", model="x"), TypeError, "give a simsieve.Model"),  # type: ignore[arg-type]
        (lambda: Model("x"), ConfigError, "use simsieve.fit or Model.load"),  # type: ignore[arg-type]
        (lambda: model.merge("x"), TypeError, "not with str"),  # type: ignore[arg-type]
        (lambda: model.document_frequency(3), TypeError, "give str"),  # type: ignore[arg-type]
        (lambda: model.document_frequency("too many windows"), ConfigError, "features, not one"),
        (lambda: model.save(saved.with_suffix(".zst")), ConfigError, "compressed already"),
        (lambda: model.save("-"), ConfigError, "a file of its own"),
    ]
    for call, error, part in cases:
        refused(call, error, part)


def test_a_model_serves_all_that_have_its_features() -> None:
    """Words are the same in built-in schemes and in one's own, and neighbours may be counted without use."""
    words: list[str | CustomScheme] = [
        "words64:weights=idf",
        "words128:weights=tf-idf",
        CustomScheme("mine", weights="idf"),
    ]
    plain = fit(TEXTS, scheme="words64")
    wanted = [Fingerprinter(scheme, model=plain).transform(TEXTS)[0] for scheme in words]
    for fitted in ("esimhash128", CustomScheme("mine"), CustomScheme("mine", weights="entropy")):
        model = fit(TEXTS, scheme=fitted)
        made = [Fingerprinter(scheme, model=model).transform(TEXTS)[0] for scheme in words]
        # The neighbours that a word has do not matter to its idf.
        assert [one and one.hex for one in made] == [one and one.hex for one in wanted]
        entropies: list[str | CustomScheme] = ["esimhash64", CustomScheme("mine", weights="entropy")]
        for scheme in entropies:
            if model.neighbour_bits is None:
                refused(lambda one=scheme, of=model: Fingerprinter(one, model=of), ConfigError, "-o FILE --scheme")
            else:
                assert Fingerprinter(scheme, model=model).transform(TEXTS)[0] is not None


def test_a_model_of_other_features_says_how_to_fit_one() -> None:
    """The message has the command with the scheme, where that is not the default."""
    plain = fit(TEXTS, scheme="words64")
    others: list[tuple[str | CustomScheme, str]] = [
        (CustomScheme("mine", n=2, weights="idf"), "-o FILE --scheme SCHEME.toml`)"),
        (CustomScheme("mine", pattern="[a-z]", weights="idf"), "-o FILE --scheme SCHEME.toml`)"),
        ("words64:n=2,weights=idf", "-o FILE --scheme words64:n=2,weights=idf`)"),
        ("esimhash64", "-o FILE --scheme esimhash64`)"),
        ("chars64:n=3,weights=idf", "-o FILE --scheme chars64:n=3,weights=idf`)"),
        ("chars64:weights=idf", "-o FILE`)"),
    ]
    for other, way in others:
        refused(lambda one=other: Fingerprinter(one, model=plain), ConfigError, way)


def test_a_model_that_was_stopped_is_not_gone_on_with() -> None:
    """Progress may stop a fit; nothing half fitted is left."""

    def stop(stage: str, done: int, total: int) -> None:
        raise RuntimeError(f"{stage} stopped")

    fitter = _core.Fitter(_core.Scheme("chars64"))
    with pytest.raises(RuntimeError, match="fit stopped"):
        fitter.add(["a text"], 1, stop)
    with pytest.raises(RuntimeError, match="was stopped"):
        fitter.finish()
    with pytest.raises(RuntimeError, match="fit stopped"):
        _core.Records.from_texts(["a"]).fit(_core.Scheme("chars64"), ["text"], 9, progress=stop)


def test_the_search_finds_what_is_near_under_idf() -> None:
    """In a collection large enough for bands at least 0.98 of the edited copies that are near are found."""
    random = Random(5)
    words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 8))) for _ in range(3000)]
    originals = [[random.choice(words[: random.choice((30, 3000))]) for _ in range(25)] for _ in range(4200)]
    copies = [[random.choice(words) if random.random() < 0.09 else word for word in text] for text in originals]
    texts = [" ".join(text) for text in originals + copies]
    model = fit(texts)
    for weights in ("idf", "log-idf", "tf-idf"):
        core = _core.Scheme(f"chars128:weights={weights}").with_model(model.core)
        near = [at for at in range(4200) if core.similarity(texts[at], texts[at + 4200]) >= 0.65]
        scheme = f"chars128:weights={weights}"
        settings: dict[str, Any] = {"scheme": scheme, "idf": model}
        found = {(pair.a_position, pair.b_position) for pair in simsieve.find_pairs(texts, **settings)}
        share = sum((at, at + 4200) in found for at in near) / len(near)
        assert 500 < len(near) < 4100
        assert share >= 0.98
