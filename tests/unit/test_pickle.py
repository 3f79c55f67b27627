"""What is pickled and copied: it is the same in another process, or it says what it cannot do there."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.property.own_twin import by_length, split

import simsieve
from simsieve import ConfigError, Criterion, CustomScheme, DigestError, Fingerprinter, Scheme, Segmenter
from simsieve.config.settings import DedupConfig

TEXTS = ["the quick brown fox jumps", "the quick brown fox jumps", "lorem ipsum dolor sit", "我来到北京清华大学"]
MODEL = simsieve.fit(TEXTS)
WAYS: list[Callable[[Any], Any]] = [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy, copy.copy]


SCHEMES: dict[str, Scheme | CustomScheme] = {
    "name": Scheme("chars128"),
    "options": Scheme("words64:weights=log,n=2"),
    "pages": Scheme("chars64").on_pages("main"),
    "patterns": Scheme("chars64").cleaned("【解析】", "a,b@c%"),
    "waits for a model": Scheme("chars64:weights=idf"),
    "parts": CustomScheme("mine", features="words", n=2, hash="sha1", width=160, stop=["the"], sign="> 0.5"),
    "table": CustomScheme("mine", weights={"fox": 2.0}, other=1.0),
    "functions": CustomScheme("mine", features=split, weights=by_length, pattern="[a-z]", version="1"),
    "model": CustomScheme("mine", features="chars", weights="idf", model=simsieve.fit(
        TEXTS, scheme=CustomScheme("other", features="chars", weights="idf"))),
    "custom pages": CustomScheme("mine", features="chars").on_pages("text"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize("name", SCHEMES)
def test_schemes_are_the_same(name: str, way: Callable[[Any], Any]) -> None:
    """Spec, digest and every fingerprint are those of the scheme that was given."""
    scheme = SCHEMES[name]
    made = way(scheme)

    assert (type(made), str(made), made.spec, made.digest) == (type(scheme), str(scheme), scheme.spec, scheme.digest)
    if name != "waits for a model":
        assert [simsieve.fingerprint(text, made) for text in TEXTS] == [
            simsieve.fingerprint(text, scheme) for text in TEXTS
        ]


def test_a_scheme_brings_its_files_along(tmp_path: Path) -> None:
    """A model and a TOML file are read once: the pickled scheme needs neither file; a list of words it checks."""
    model, toml, words = tmp_path / "a.model", tmp_path / "mine.toml", tmp_path / "words.txt"
    MODEL.save(model)
    toml.write_text('features = "chars"\nwidth = 64\n')
    words.write_text("fox\n")
    named, written, stopped = (
        pickle.dumps(Scheme(spec))
        for spec in (f"chars64:weights=idf,model={model}", str(toml), f"words64:stop={words}")
    )
    wanted = simsieve.fingerprint(TEXTS[0], f"chars64:weights=idf,model={model}")
    model.unlink()
    toml.unlink()

    assert simsieve.fingerprint(TEXTS[0], pickle.loads(named)) == wanted
    assert pickle.loads(written).digest == CustomScheme("mine", features="chars", width=64).digest
    assert pickle.loads(stopped).digest == Scheme(f"words64:stop={words}").digest
    words.write_text("dog\n")
    with pytest.raises(DigestError, match="a file that it names, or the version of simsieve, differs"):
        pickle.loads(stopped)


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
def test_models_and_segmenters_are_the_same(way: Callable[[Any], Any], tmp_path: Path) -> None:
    """A model by its bytes; a segmenter with what was read and added, in order."""
    assert way(MODEL) == MODEL
    words = tmp_path / "words.txt"
    words.write_text("来到北京 9000 v\n", encoding="utf-8")
    segmenter = Segmenter(words=words)
    segmenter.add_word("清华大", 9000)
    segmenter.add_word("清华大", 1)
    made = way(segmenter)
    words.unlink()

    assert made.digest == segmenter.digest != Segmenter().digest
    assert made.cut(TEXTS[3]) == segmenter.cut(TEXTS[3])
    assert way(made).keywords(TEXTS[3]) == segmenter.keywords(TEXTS[3])


MAKERS: dict[str, Fingerprinter] = {
    "name": Fingerprinter("chars64"),
    "custom": Fingerprinter(CustomScheme("mine", features=split, version="1")),
    "waits for a model": Fingerprinter("chars64:weights=idf", max_features=100),
    "fitted": Fingerprinter("chars64:weights=idf").fit(TEXTS),
    "given a model": Fingerprinter("chars64:weights=idf", MODEL),
}


@pytest.mark.parametrize("name", MAKERS)
def test_fingerprinters_are_the_same(name: str) -> None:
    """Fitted, given a model, or waiting for one: what comes out fits and transforms as what went in."""
    maker = MAKERS[name]
    made = pickle.loads(pickle.dumps(maker))

    assert (made.scheme, made.digest, made.model) == (maker.scheme, maker.digest, maker.model)
    if name == "waits for a model":
        made, maker = made.fit(TEXTS), copy.deepcopy(maker).fit(TEXTS)
        assert made.model == maker.model
    prints, wanted = made.transform(TEXTS), maker.transform(TEXTS)
    assert list(prints) == list(wanted)
    assert list(pickle.loads(pickle.dumps(prints))) == list(wanted)


VALUES = ["counts", "recall", "config", "encodings", "recipe", "old_read", "summary", "seconds"]
CALLS = ["failures", "old_failures", "clusters", "old_clusters"]


@pytest.mark.parametrize("against", [None, ["lorem ipsum dolor sit", "and something else"]])
def test_results_keep_their_sources(against: list[str] | None) -> None:
    """All that was decided is the same, at a second threshold too, and rows are given and written."""
    records = [{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)] + [{"id": 9}]
    first = simsieve.dedup(records, against=against, scheme=Scheme("chars64"))
    for result in (first, first.rethreshold(similarity=0.9)):
        made = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result))))

        assert [getattr(made, name) for name in VALUES] == [getattr(result, name) for name in VALUES]
        assert [getattr(made, name)() for name in CALLS] == [getattr(result, name)() for name in CALLS]
        assert list(made.decisions) == list(result.decisions) == list(pickle.loads(pickle.dumps(result.decisions)))
        assert (list(made.kept), repr(made)) == (list(result.kept), repr(result))
        assert made.kept_rows() == result.kept_rows()
        assert made.rethreshold(similarity=0.95).counts == result.rethreshold(similarity=0.95).counts


def test_a_run_directory_spares_the_work(tmp_path: Path) -> None:
    """It is read where the result is first asked for more than its counts; a source that has changed is refused."""
    source = tmp_path / "in.txt"
    source.write_text("\n".join(TEXTS))
    made = pickle.dumps(simsieve.dedup(source, run_dir=str(tmp_path / "run")))
    assert list(pickle.loads(made).kept) == [0, 2, 3]
    plain = pickle.dumps(simsieve.dedup(source))
    source.write_text("\n".join(TEXTS[1:]))
    assert pickle.loads(plain).counts.kept == 3
    with pytest.raises(simsieve.SourceError, match="have changed since it was made: run again"):
        pickle.loads(plain).clusters()
    with pytest.raises(ConfigError, match="can be read only here or once, so it cannot be pickled"):
        pickle.dumps(simsieve.dedup(iter(TEXTS)))


def test_pairs_keep_their_sources(tmp_path: Path) -> None:
    """The pairs with their labels, and the failed records; they are written there too."""
    pairs = simsieve.find_pairs([{"id": "a", "text": "one text"}, {"id": "b", "text": "one text"}, {"id": "c"}])
    made = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(pairs))))

    assert list(made) == list(pairs) and len(pairs) == 1
    assert all(np.array_equal(one, other) for one, other in zip(made.columns, pairs.columns, strict=True))
    assert (made.failed, made.failures(), made.read, made.old_read) == (1, pairs.failures(), 3, 0)
    made.write(tmp_path / "pairs.jsonl")
    assert made.texts(0) == ("one text", "one text")
    with pytest.raises(ConfigError, match="can be read only here or once"):
        pickle.dumps(simsieve.find_pairs(iter(TEXTS)))


def test_a_copy_in_this_process_keeps_its_sources() -> None:
    """A shallow copy of a result does all that the result does."""
    result, pairs = simsieve.dedup(TEXTS), simsieve.find_pairs(TEXTS)

    assert copy.copy(result).kept_rows() == result.kept_rows()
    assert copy.copy(result).rethreshold(similarity=0.9).counts.exact == 1
    assert list(copy.copy(pairs)) == list(pairs)


def test_plain_values_are_the_same() -> None:
    """Settings, criteria, plans and comparisons have no state that stays behind."""
    plan = simsieve.plan(TEXTS)
    config = DedupConfig(scheme=[Criterion(Scheme("chars64"), 0.5), "words64@0.7"], idf=MODEL)
    for value in (plan, config, simsieve.explain("one text", "another text"), simsieve.schemes()[0]):
        assert pickle.loads(pickle.dumps(value)) == value


def work(maker: Fingerprinter, text: str) -> Any:
    """What a process of a pool does."""
    return maker.transform([text])[0], simsieve.dedup([text, text], scheme=Scheme("chars64"))


@pytest.mark.slow
def test_a_pool_of_processes() -> None:
    """Makers go to processes that are started anew, and results and errors come back."""
    maker = MAKERS["fitted"]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(work, [maker] * len(TEXTS), TEXTS))
        refused = pool.submit(simsieve.fingerprint, "no", "external64")
        with pytest.raises(simsieve.TextError, match='"no" is no fingerprint') as caught:
            refused.result()

    assert [one for one, _ in found] == list(maker.transform(TEXTS))
    assert [result.counts.exact for _, result in found] == [1] * len(TEXTS)
    assert caught.value.index == 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("spec", ["chars64", "chars128", "chars256"])
def test_an_index_answers_the_same(spec: str, way: Callable[[Any], Any]) -> None:
    """An index of fingerprints is made again from its rows, those without a fingerprint too."""
    prints = Fingerprinter(spec).transform([*TEXTS, "", *(f"{text} {n}" for n in range(50) for text in TEXTS)])
    index = simsieve.HammingIndex(prints, 3)
    again = way(index)
    assert (len(again), again.width, again.max_distance) == (len(index), index.width, 3)
    for one, two in zip(index.query(prints), again.query(prints), strict=True):
        assert one.tolist() == two.tolist()
    with pytest.raises(DigestError):
        again.query(Fingerprinter(f"{spec}:n=2").transform(TEXTS))
