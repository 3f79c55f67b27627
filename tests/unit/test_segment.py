"""The segmenter's surface: files, errors, digests and threads; its words are held against jieba in another module."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simsieve import ConfigError, Segmenter

LINE = "小明硕士毕业于中国科学院计算所，后在日本京都大学深造"


def test_a_refused_word_changes_nothing() -> None:
    """After an error the digest, the sum and the words are as before."""
    segmenter = Segmenter()

    with pytest.raises(ConfigError):
        segmenter.add_word("京都大学深造", 1 << 53)
    assert (segmenter.digest, segmenter.total) == (Segmenter().digest, Segmenter().total)
    assert segmenter.cut(LINE) == Segmenter().cut(LINE)


def test_the_digest_stands_for_the_dictionary() -> None:
    """Segmenters of one dictionary have one digest; a word more, another frequency, a tag or a deletion changes it."""
    segmenter = Segmenter()
    digests = [segmenter.digest]
    for change in (("石墨烯", 5, None), ("石墨烯", 6, None), ("石墨烯", 6, "n"), ("石墨烯", 0, None)):
        segmenter.add_word(*change)
        digests.append(segmenter.digest)

    assert Segmenter().digest == digests[0]
    assert len(set(digests)) == len(digests)
    assert all(len(digest) == 32 for digest in digests)


def test_stop_words_are_kept_out_of_keywords(tmp_path: Path) -> None:
    """A stop word is no keyword in any case of its letters; a stop word with a space at its end counts."""
    path = tmp_path / "stop.txt"
    path.write_text("计算所 \r\npython\n\n", encoding="utf-8")
    text = LINE + "Python python PYTHON"

    words = {word for word, _ in Segmenter().keywords(text)}
    kept = {word for word, _ in Segmenter(stop_words=[path]).keywords(text)}

    assert words - kept == {"计算所", "Python", "python", "PYTHON"}


def test_no_words_no_keywords() -> None:
    """Texts without a word of two characters have no keywords."""
    assert [Segmenter().keywords(text) for text in ("", "，。", "的", "\r\n", "the")] == [[], [], [], [], []]


def test_threads_share_a_segmenter() -> None:
    """Texts that are cut while words are added are cut with or without a word, never otherwise."""
    segmenter = Segmenter()
    before = segmenter.cut(LINE)
    with ThreadPoolExecutor(4) as pool:
        cut = [pool.submit(segmenter.cut, LINE) for _ in range(200)]
        added = pool.submit(segmenter.add_word, "硕士毕业于", 10**6)
        cut += [pool.submit(segmenter.cut, LINE) for _ in range(200)]
    after = segmenter.cut(LINE)

    assert added.result() == 10**6
    assert all(future.result() in (before, after) for future in cut)
    assert "硕士毕业于" in after
    assert "硕士毕业于" not in before


def test_stop_words_of_a_named_list() -> None:
    """`zh` is the list of function words that schemes have, and no file."""
    text = "因为天气很好，所以我们已经去了公园"
    plain, stopped = (dict(one.keywords(text)) for one in (Segmenter(), Segmenter(stop_words="zh")))
    assert {"因为", "所以"} <= plain.keys()
    assert plain.keys() - stopped.keys() >= {"因为", "所以"} and "公园" in stopped


@pytest.mark.parametrize("mode", ["exact", "full", "search"])
def test_many_texts_are_cut_as_one_by_one(mode: str) -> None:
    """Whatever the number of threads, each text has the words that `cut` gives; an empty text has none."""
    segmenter = Segmenter()
    texts = ["", LINE, "石墨烯 2.5%", *(LINE[at % 20 :] * (at % 7) for at in range(3000))]
    expected = [segmenter.cut(text, mode) for text in texts]

    assert [segmenter.cut_all(iter(texts), mode, threads=threads) for threads in (1, 3)] == [expected, expected]
    assert segmenter.cut_all([]) == []
    with pytest.raises(TypeError, match="1"):
        segmenter.cut_all(["a", b"b"])  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="lone surrogate"):
        segmenter.cut_all(["a", "\ud800"])
