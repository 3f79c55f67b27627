"""The segmenter against jieba 0.42.1: the same words, tags and keywords for the same dictionary."""

import importlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.segment_texts import lines

from simsieve import Segmenter

# jieba leaves the files open that it reads.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

LINES = list(lines())

# Words that overlap those of the built-in dictionary, hold ASCII, have no frequency, a tag, or frequency 0.
USER_WORDS = """\ufeff石墨烯电池 5 n
区块链 nz
的图书馆
馆的旧楼 3000

apt-get 10 eng
zh_TW
v1.0.3-beta 2
生命的起源 1
研究生 0
还书 0
阿弥尾巴 n
韩·国 7
"""

# Words that overlap, begin one another, hold ASCII, and tie in frequency.
SMALL = (
    "中 50,国 20,中国 40,国人 40,中国人 7,人 60,人民 30,民 5,人民大会 3,大会 3,大会堂 3,会堂 3,T恤 4,c++ 3,4S店 3,"
    "apt-get 2,AB 9,ABC 9,A 2,没有 0,% 1,民大 11,韩· 5,〇〇 2"
)


@pytest.fixture(scope="module")
def jieba() -> Any:
    """The package, its tagger and its keywords; their own warnings are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jieba")
        for part in ("posseg", "analyse"):
            importlib.import_module(f"jieba.{part}")
    module.setLogLevel(logging.ERROR)
    assert module.__version__ == "0.42.1"
    return module


@pytest.fixture(autouse=True)
def fresh_splits(jieba: Any) -> Iterator[None]:
    """Deleted words are shared by all of jieba's tokenizers: no test leaves its own behind."""
    jieba.finalseg.Force_Split_Words.clear()
    yield
    jieba.finalseg.Force_Split_Words.clear()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that several tests read."""
    return tmp_path_factory.mktemp("dictionaries")


def pair(jieba: Any, kind: str, folder: Path) -> tuple[Any, Segmenter]:
    """A tokenizer of jieba's and a segmenter with the same dictionary."""
    if kind == "built-in":
        theirs = jieba.Tokenizer()
        theirs.initialize()
        return theirs, Segmenter()
    words = folder / "words.txt"
    words.write_text(USER_WORDS, encoding="utf-8")
    if kind == "user":
        theirs, ours = jieba.Tokenizer(), Segmenter()
    else:
        # Every third word of the built-in dictionary, the last first; one word twice, and one without a tag.
        whole = folder / "dictionary.txt"
        rows = jieba.Tokenizer().get_dict_file().read().decode().splitlines()[::-3]
        whole.write_text("\n".join([*rows, "繁體 50 n", "斷詞 7 v", "繁體 60 n", "臺灣 90"]), encoding="utf-8")
        theirs, ours = jieba.Tokenizer(str(whole)), Segmenter(dictionary=whole)
        theirs.cache_file = str(folder / "cache")
    theirs.load_userdict(str(words))
    ours.load_words(words)
    return theirs, ours


@pytest.mark.parametrize("kind", ["built-in", "user", "another"])
def test_every_mode_gives_jiebas_words(jieba: Any, folder: Path, kind: str) -> None:
    """In every mode, with and without the model, each line has jieba's words; full mode leaves its empty texts out."""
    theirs, ours = pair(jieba, kind, folder)

    assert ours.total == theirs.total
    for line in LINES:
        for hmm in (True, False):
            assert ours.cut(line, hmm=hmm) == theirs.lcut(line, HMM=hmm)
            assert ours.cut(line, "search", hmm=hmm) == theirs.lcut_for_search(line, HMM=hmm)
        assert ours.cut(line, "full") == [word for word in theirs.cut(line, cut_all=True) if word]


# Jieba's tagger takes 4 ms a line; the lines come in fives of one kind, and a third of them has some of each.
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["built-in", "user"])
def test_tags_are_jiebas(jieba: Any, folder: Path, kind: str, every: int) -> None:
    """Each line has the words and parts of speech of jieba's tagger, with and without the model."""
    theirs, ours = pair(jieba, kind, folder)
    tagger = jieba.posseg.POSTokenizer(theirs)

    for line in LINES[:-1:every]:
        assert ours.tag(line) == [(word.word, word.flag) for word in tagger.cut(line)]
        assert ours.tag(line, hmm=False) == [(word.word, word.flag) for word in tagger.cut(line, HMM=False)]


def test_keywords_are_jiebas_with_their_weights(jieba: Any, folder: Path) -> None:
    """Keywords stand in jieba's order with its weights to the last bit: ties, counts, tags and stop words included."""
    stop = folder / "stop.txt"
    stop.write_text("图书馆\r\n数据\nwindows\n", encoding="utf-8")
    theirs = jieba.analyse.TFIDF()
    theirs.set_stop_words(str(stop))
    ours = Segmenter(stop_words=stop)
    texts = [*LINES[:120], "\n".join(LINES), "The the THE of Windows windows 图书馆"]

    for text in texts:
        for top in (0, 3, 20, 30):
            assert ours.keywords(text, top) == theirs.extract_tags(text, topK=top, withWeight=True)
    for text in texts[:60]:
        expected = theirs.extract_tags(text, topK=20, withWeight=True, allowPOS=("n", "v", "eng"))
        assert ours.keywords(text, 20, tags=["n", "v", "eng"]) == expected


def test_other_document_frequencies_count(jieba: Any, folder: Path) -> None:
    """A table of the user's stands in for the built-in one, with its own median."""
    table = folder / "idf.txt"
    table.write_text("图书馆 1.5\n数据 9.25\n电池 3\n数据 4.125\n", encoding="utf-8")
    theirs = jieba.analyse.TFIDF(str(table))
    text = "".join(LINES[:80])

    expected = theirs.extract_tags(text, topK=None, withWeight=True)
    assert Segmenter(frequencies=table).keywords(text, 0) == expected


def test_all_words_have_jiebas_frequency(jieba: Any) -> None:
    """The dictionary that is built in is that of jieba's package: each word, each beginning of one, and the sum."""
    theirs, ours = jieba.Tokenizer(), Segmenter()
    theirs.initialize()

    assert ours.total == theirs.total
    assert all(ours.frequency(word) == frequency for word, frequency in theirs.FREQ.items())
    assert ours.frequency("图书馆里没有的词") is None


def test_adding_and_deleting_at_run_time_is_jiebas(jieba: Any) -> None:
    """Words added with and without a frequency, deleted, added again: the same frequencies, sum and words."""
    theirs, ours = jieba.Tokenizer(), Segmenter()
    line = "小龙女说她也想过过过儿过过的生活，王小明在咖啡厅里讨论石墨烯电池"
    steps: list[tuple[str, int | None, str | None]] = [
        ("过儿", None, "nr"),
        ("过过", 300, None),
        ("石墨烯电池", None, None),
        ("王小明", 0, None),
        ("咖啡厅", 0, None),
        ("咖啡厅", None, "n"),
        ("过过", 2, "v"),
        ("明在", 90_000_000, None),
        ("𠮷野家", None, None),
    ]
    for word, frequency, tag in steps:
        theirs.add_word(word, frequency, tag)
        assert ours.add_word(word, frequency, tag) == theirs.FREQ[word] and ours.total == theirs.total
        assert ours.cut(line) == theirs.lcut(line)
    tagger = jieba.posseg.POSTokenizer(theirs)
    assert ours.tag(line) == [(word.word, word.flag) for word in tagger.cut(line)]


def test_suggested_frequencies_are_jiebas(jieba: Any) -> None:
    """For words and for parts the suggestion is jieba's; a suggestion changes no dictionary."""
    theirs, ours = jieba.Tokenizer(), Segmenter()
    asked = ["台中", "石墨烯电池", "中国", "韩·国", ("中", "将"), ("台", "中"), ("今天", "天气"), ("石墨", "烯")]

    assert [ours.suggest_frequency(word) for word in asked] == [theirs.suggest_freq(word) for word in asked]


TOKENIZERS: dict[str, Any] = {}

DICTIONARY_WORDS = "中华人民共和国 研究生命 图书馆 T恤 C++ c# AA制 一九九七年 的 了 卡拉OK".split()

mixtures = st.lists(
    st.one_of(
        st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=8),
        st.text(
            "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可",
            max_size=10,
        ),
        st.text("abzABZ0189+#&._%-", max_size=8),
        st.text(" \t\r\n\x1f\xa0\u3000，。！、·—《》", max_size=4),
        st.text(max_size=3),
        st.sampled_from(DICTIONARY_WORDS),
    ),
    max_size=10,
).map("".join)
"""Han of all kinds, common characters, ASCII, spaces and marks, anything, and words, in any order."""


@given(text=mixtures)
def test_any_mixture_is_cut_and_tagged_as_jieba_does(jieba: Any, text: str) -> None:
    """Whatever Han, ASCII and dictionary words follow one another, words, tags and keywords are jieba's."""
    if not TOKENIZERS:
        TOKENIZERS.update(theirs=jieba.Tokenizer(), ours=Segmenter())
        TOKENIZERS["tagger"] = jieba.posseg.POSTokenizer(TOKENIZERS["theirs"])
    theirs, ours = TOKENIZERS["theirs"], TOKENIZERS["ours"]

    for hmm in (True, False):
        assert ours.cut(text, hmm=hmm) == theirs.lcut(text, HMM=hmm)
        assert ours.cut(text, "search", hmm=hmm) == theirs.lcut_for_search(text, HMM=hmm)
        assert ours.tag(text, hmm=hmm) == [(w.word, w.flag) for w in TOKENIZERS["tagger"].cut(text, HMM=hmm)]
    assert ours.cut(text, "full") == [word for word in theirs.cut(text, cut_all=True) if word]


small_mixtures = st.lists(
    st.one_of(
        st.sampled_from([row.split(" ")[0] for row in SMALL.split(",")]),
        st.text("中国人民大会堂没有T恤店的了是在", max_size=8),
        st.text("abcABC019+#&._%-", max_size=8),
        st.text(" \t\r\n　，。é€😀𠀀㐀龦豈", max_size=4),
    ),
    max_size=12,
).map("".join)


@given(text=small_mixtures, hmm=st.booleans())
def test_any_mixture_of_a_small_dictionary_is_cut_as_jieba_does(jieba: Any, folder: Path, text: str, hmm: bool) -> None:
    """Words that overlap, tie in frequency or have none are chosen as jieba chooses them."""
    path = folder / "small.txt"
    if "small" not in TOKENIZERS:
        path.write_text(SMALL.replace(",", " n\n"), encoding="utf-8")
        TOKENIZERS["small"] = jieba.Tokenizer(str(path)), Segmenter(dictionary=path)
        TOKENIZERS["small"][0].cache_file = str(folder / "small.cache")
    theirs, ours = TOKENIZERS["small"]

    assert ours.cut(text, hmm=hmm) == theirs.lcut(text, HMM=hmm)
    assert ours.cut(text, "search", hmm=hmm) == theirs.lcut_for_search(text, HMM=hmm)
