"""Options about words against jieba: tags of whole texts, user dictionaries, stop words, tables of frequencies."""

import gzip
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from tests.property import token_twin, twin
from tests.property.test_token_schemes import texts

from simsieve import ConfigError, Segmenter, _core, fingerprint, fit

# jieba leaves the files open that it reads.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

TEXTS = [
    "共有700名老师和500场讲座，其中3400位听众来自北京大学和清华大学。",
    "石墨烯电池的寿命比锂电池长，石墨烯电池也更贵，这是2024年的测试结果。",
    "图书馆的旧楼已经关闭，新楼在公园旁边，读者可以借阅五本书。The library is open.",
    "村口的老槐树下聚了许多人，他们在谈论今年的雨水和收成。",
    "The ferry leaves the harbour at 7:30, 渡船7点半离开港口，v1.2版本的时间表。",
]
WORDS = "石墨烯电池 9 nz\n老槐树 5 n\n旧楼\n"
STOP = "北京大学\n  测试\nlibrary\n\n老师\n"


def features(spec: str, text: str) -> dict[str, int]:
    """The features of a text with their weights."""
    return {word: weight for word, _, _, weight in _core.Scheme(spec).features(text)}


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    """A tokenizer of jieba's with the user dictionary, which is `words.txt`; the stop words are `stop.txt`."""
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    (tmp_path / "stop.txt").write_text(STOP, encoding="utf-8")
    made = token_twin.jieba().Tokenizer()
    made.load_userdict(str(tmp_path / "words.txt"))
    return made


@given(texts)
@example("共有700名，500场，3400位")
@example("3.5%的v3.14是９a１２b中c文")
def test_han_words_of_a_tag_are_those_of_the_tagger(text: str) -> None:
    """The Han words that `pos` keeps are those that jieba tags so in the whole normalised text."""
    # The tagger takes seconds for a hundred rare characters in a row.
    text = text[:30]
    pairs = list(token_twin.jieba().posseg.cut(twin.normalise(text)))
    han = {chr(code) for code in range(0x4E00, 0x9FD6)}
    for tag in ("n", "v", "q", "m"):
        wanted = dict.fromkeys(pair.word for pair in pairs if pair.flag == tag and set(pair.word) <= han)
        assert [word for word in features(f"words64:pos={tag}", text) if set(word) <= han] == list(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["zh_tech_articles", "zh_law"])
def test_words_of_real_texts_have_jiebas_tags(shared_data: Path, file: str) -> None:
    """In real texts no word is lost or gained by its tag, and none differs by what it is called."""
    with gzip.open(shared_data / f"{file}.jsonl.gz", "rt", encoding="utf-8") as rows:
        found = [json.loads(row).get("text", "")[:400] for _, row in zip(range(20), rows, strict=False)]
    for text in found:
        pairs = [(p.word, p.flag) for p in token_twin.jieba().posseg.cut(twin.normalise(text)) if p.flag in ("n", "v")]
        wanted = Counter(word for word, _ in pairs)
        assert features("words64:weights=tf,pos=n+v", text) == dict(wanted)
    assert len(found) == 20


def test_user_dictionaries_and_stop_words_are_jiebas(tokenizer: Any, tmp_path: Path) -> None:
    """Words added to the dictionary and words left out are so in every scheme on words."""
    files = f"dict={tmp_path / 'words.txt'},stop={tmp_path / 'stop.txt'}"
    stop = set(map(str.strip, STOP.splitlines()))
    tagger = token_twin.jieba().posseg.POSTokenizer(tokenizer)
    for text in TEXTS:
        plain = [word for word in tokenizer.cut(text) if word not in stop]
        han = [word for word in plain if "\u4e00" <= word[0] <= "\u9fa5"]
        tagged = [w.word for w in tagger.cut(text) if w.flag in ("n", "nz", "v") and w.word not in stop]
        assert features(f"esimhash_baseline64:{files}", text) == Counter(plain)
        assert features(f"angelo32:{files}", text) == Counter(han)
        han_tagged = [word for word in tagged if "\u4e00" <= word[0] <= "\u9fa5"]
        assert features(f"angelo32:{files},pos=n+nz+v", text) == Counter(han_tagged)
        assert features(f"esimhash_baseline64:{files},pos=n+nz+v", text) == Counter(tagged)
        for mode in ("full", "search"):
            theirs = tokenizer.cut(text, cut_all=True) if mode == "full" else tokenizer.cut_for_search(text)
            wanted = Counter(word for word in theirs if word and word not in stop)
            assert features(f"esimhash_baseline64:{files},mode={mode}", text) == wanted
        lines = features(f"lines_tfidf64:{files}", text)
        assert lines.keys() == features(f"words64:{files}", text).keys()
        assert not stop & lines.keys()
    assert "石墨烯电池" in features(f"lines_tfidf64:{files}", TEXTS[1])


@pytest.mark.parametrize("tags", [(), ("n", "nz", "v", "nt", "eng")])
def test_keywords_are_jiebas_with_dictionary_stop_words_and_tags(
    tokenizer: Any, tmp_path: Path, tags: tuple[str, ...]
) -> None:
    """Keywords are those of `extract_tags` with the same files; stop words come to jieba's own."""
    theirs = token_twin.jieba().analyse.TFIDF()
    theirs.tokenizer = tokenizer
    theirs.postokenizer = token_twin.jieba().posseg.POSTokenizer(tokenizer)
    (tmp_path / "clean.txt").write_text("\n".join(filter(None, map(str.strip, STOP.splitlines()))), encoding="utf-8")
    theirs.set_stop_words(str(tmp_path / "clean.txt"))
    spec = f"keywords64:dict={tmp_path / 'words.txt'},stop={tmp_path / 'stop.txt'}"
    for text in [*TEXTS, "\n".join(TEXTS), "The LIBRARY and the Library, library of all"]:
        found = theirs.extract_tags(text, topK=30, withWeight=True, allowPOS=tags)
        wanted = {word: round(weight * 2**24) for word, weight in found}
        assert list(features(spec + (f",pos={'+'.join(tags)}" if tags else ""), text).items()) == list(wanted.items())


def test_keywords_weigh_by_a_model_of_ones_own(tmp_path: Path) -> None:
    """A model's document frequencies stand in for jieba's table, with their median for words that it does not have."""
    model = fit(TEXTS[:4], scheme="keywords64")
    model.save(tmp_path / "own.model")
    stop = token_twin.jieba().analyse.default_tfidf.stop_words

    def candidates(text: str) -> list[str]:
        return [w for w in token_twin.segments(text) if len(w.strip()) >= 2 and w.lower() not in stop]

    having = Counter(word for text in TEXTS[:4] for word in set(candidates(text)))
    idf = {word: math.log(5 / (n + 1)) + 1 for word, n in having.items()}
    median = sorted(idf.values())[len(idf) // 2]
    spec = f"keywords64:top=1000,model={tmp_path / 'own.model'}"
    for text in TEXTS:
        counts = Counter(candidates(text))
        weights = {word: n * (idf.get(word, median) / counts.total()) for word, n in counts.items()}
        heaviest = sorted(weights.items(), key=lambda row: -row[1])
        made = features(spec, text)
        assert list(made) == [word for word, _ in heaviest]
        assert all(abs(made[word] - weight * 2**24) <= 1 for word, weight in heaviest)
    assert (model.documents, model.document_frequency("石墨烯"), model.document_frequency("的")) == (
        4,
        having["石墨烯"],
        0,
    )
    scheme = _core.Scheme(spec)
    assert scheme.digest != _core.Scheme("keywords64:top=1000").digest
    assert scheme.spec == f"keywords64:top=1000,model={model.digest}"
    with pytest.raises(ConfigError, match="needs its model"):
        fingerprint(TEXTS[0], scheme.spec)


def test_a_model_of_keywords_serves_every_number_of_them(tmp_path: Path) -> None:
    """The number of keywords is no matter of the model, tags are."""
    fit(TEXTS, scheme="keywords64:top=3").save(tmp_path / "own.model")

    assert features(f"keywords64:top=40,model={tmp_path / 'own.model'}", TEXTS[0])
    with pytest.raises(Exception, match="fit a model with this scheme"):
        _core.Scheme(f"keywords64:pos=n,model={tmp_path / 'own.model'}")


def test_tags_weigh_keywords() -> None:
    """A mapping weighs parts of speech, alike factors change nothing, and bad ones are refused."""
    segmenter = Segmenter()
    for text in TEXTS:
        plain = segmenter.keywords(text, 0, tags=["n", "v"])
        assert segmenter.keywords(text, 0, tags={"n": 1, "v": 1}) == plain
        assert segmenter.keywords(text, 0, tags={"n": 4, "v": 4}) == plain
        factors = {"n": 2.0, "v": 0.5, "nt": 3.0}
        made = {word: round(weight * 2**24) for word, weight in segmenter.keywords(text, 5, tags=factors)}
        assert made == token_twin.heavy_keywords(5, factors)(text)
    assert segmenter.keywords(TEXTS[0], 0, tags={"n*": 1}) == segmenter.keywords(TEXTS[0], 0, tags=["n*"])
    for tags in ({"n": 0.0}, {"n": -1.0}, {"n": math.nan}, {"N": 1.0}, {"n": 1e9}):
        with pytest.raises(ConfigError, match=r'"[nN]"'):
            segmenter.keywords(TEXTS[0], tags=tags)
