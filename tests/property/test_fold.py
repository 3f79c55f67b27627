"""Traditional Chinese made Simplified, held against the package `opencc`, and the laws that hold for a fold."""

import importlib
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.property import token_twin, twin

import simsieve
from simsieve import _core

HAN = [*range(0x2E80, 0x2FE0), *range(0x3000, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x323B0)]
STAY = "坏苧"
"""Simplified for 壞 and 薴, and Traditional for two others: `opencc` changes them, a fold must not."""
FOLDED = ["chars64:fold=t2s", "words64:fold=t2s", "keywords64:fold=t2s", "lines_tfidf64:fold=t2s"]


@lru_cache(maxsize=1)
def opencc() -> Callable[[str], str]:
    """OpenCC's own conversion of a text to Simplified Chinese."""
    convert: Callable[[str], str] = importlib.import_module("opencc").OpenCC("t2s").convert
    return convert


@lru_cache(maxsize=100_000)
def simplify(c: str) -> str:
    """What one character becomes."""
    return c if c in STAY else opencc()(c)


def folded(text: str) -> str:
    """The normalised text, each character of it converted by itself."""
    return "".join(map(simplify, twin.normalise(text)))


han_texts = st.text(st.sampled_from("體裡裏乾著後覆軟硬碟髒壞坏薴苧鬱齉㑮\uf900\u2fba馬简体中文 ，abは한"), max_size=30)
texts = st.one_of(han_texts, strategies.mixed_texts)


@pytest.mark.parametrize("first", range(0, len(HAN), 16384))
def test_every_character_becomes_what_opencc_makes_of_it(first: int) -> None:
    """Each Han character is folded as OpenCC converts it alone, once it is normalised."""
    core = _core.Scheme("chars64:n=1,punctuation=keep,fold=t2s")
    characters = [chr(code) for code in HAN[first : first + 16384] if unicodedata2.category(chr(code)) != "Cn"]
    different = [c for c in characters if [row[0] for row in core.features(c)] != list(dict.fromkeys(folded(c)))]
    assert [f"U+{ord(c):04X}" for c in different] == []
    assert len(characters) > 1000


@given(texts, st.sampled_from(["chars64", "chars128:n=3,weights=log", "chars256:punctuation=keep"]))
def test_a_folded_scheme_is_the_plain_one_on_folded_texts(text: str, spec: str) -> None:
    """Folding inside the scheme or before it gives the same features and the same fingerprint."""
    fold = spec + (",fold=t2s" if ":" in spec else ":fold=t2s")
    one, other = simsieve.fingerprint(text, fold), twin.fingerprint(folded(text), twin.parse(spec))

    assert (None if one is None else int(one)) == other
    assert _core.Scheme(fold).features(text) == _core.Scheme(spec).features(folded(text))


@given(han_texts)
def test_folded_words_are_those_of_the_folded_text(text: str) -> None:
    """Words are cut from the folded text."""
    assert [row[0] for row in _core.Scheme("words64:fold=t2s").features(text)] == list(
        dict.fromkeys(token_twin.words(folded(text)))
    )


@given(texts, st.sampled_from([*FOLDED, *(spec.replace("t2s", "tw2sp") for spec in FOLDED)]))
def test_the_script_of_a_text_does_not_matter(text: str, spec: str) -> None:
    """A text and the same text folded beforehand are exact copies, with one fingerprint."""
    both = [text, "".join(map(simplify, text))]
    prints = [simsieve.fingerprint(each, spec) for each in both]
    assert prints[0] == prints[1]
    if prints[0] is not None:
        decisions = simsieve.dedup(both, scheme=spec, similarity=0.9).decisions
        assert [one.reason for one in decisions][1] == "exact"


def test_words_of_taiwan_become_those_of_the_mainland() -> None:
    """Under tw2sp the words differ no more; under t2s the characters alone do not."""
    pairs = {"軟體": "软件", "硬體": "硬件", "資料庫": "数据库", "滑鼠": "鼠标", "網路": "网络", "印表機": "打印机"}
    for traditional, simplified in pairs.items():
        for spec, same in (("chars64:fold=tw2sp", True), ("chars64:fold=t2s", False), ("chars64", False)):
            prints = [simsieve.fingerprint(word, spec) for word in (traditional, simplified)]
            assert (prints[0] == prints[1]) is same, (traditional, spec)


def test_exact_copies_follow_the_fold() -> None:
    """What is one text after folding is an exact copy; without the fold the two are different."""
    texts = ["這個軟體很好用，請下載。", "这个软体很好用，请下载。", "这个软件很好用，请下载。"]

    def reasons(scheme: str | simsieve.CustomScheme) -> list[str]:
        return [one.reason for one in simsieve.dedup(texts, scheme=scheme, similarity=0.95).decisions]

    assert reasons("chars128") == ["unique", "unique", "unique"]
    assert reasons("chars128:fold=t2s") == ["representative", "exact", "unique"]
    assert reasons("words128:fold=tw2sp") == ["representative", "exact", "exact"]
    assert reasons(simsieve.CustomScheme("mine", normalise=["usual", "t2s"])) == ["representative", "exact", "unique"]
    assert reasons(simsieve.CustomScheme("mine", normalise=["usual", "tw2sp"])) == ["representative", "exact", "exact"]


@pytest.mark.parametrize(
    ("plain", "marked"),
    [
        ("duong ve lang toi nay khong trang", "đường về làng tối nay không trăng"),
        ("hòa bình ở cảng", "hoà bình ở cảng"),
        ("ذهب الاستاذ الى المدرسة", "ذَهَبَ الأُسْتَاذُ إلى المَدْرَسَةِ"), ("שלום רב", "שָׁלוֹם רַב"),
        ("еще раз про елки", "ещё раз про ёлки"), ("Ελλαδα", "Ελλάδα"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("fold", ["marks", "t2s+marks", "tw2sp+numerals+marks"])
def test_marks_are_left_out_under_the_fold(plain: str, marked: str, fold: Any) -> None:
    """Texts with and without accents and vowel marks are exact copies under the fold, in schemes and in steps."""
    mine = simsieve.CustomScheme("mine").folded(fold)
    for scheme in ("chars128", "words128", mine):
        chosen = {} if scheme is mine else {"fold": fold}
        rows = simsieve.dedup([plain, marked], scheme=scheme, similarity=0.95, **chosen).decisions
        assert [row.reason for row in rows] == ["representative", "exact"]
    assert simsieve.similarity(plain, marked) < 0.9


def test_a_model_of_folded_features_serves_folded_schemes_only(tmp_path: Path) -> None:
    """A fold is a part of the features that a model counts."""
    texts = ["這個軟體很好用", "这个软体很好用", "別的東西"]
    model = simsieve.fit(texts, scheme="chars64:fold=t2s")
    model.save(tmp_path / "folded.model")
    assert "fold=t2s" in simsieve.Model.load(tmp_path / "folded.model").features_spec
    result = simsieve.dedup(texts, scheme=f"chars64:fold=t2s,weights=idf,model={tmp_path / 'folded.model'}")
    assert result.counts.dropped == 1
    with pytest.raises(simsieve.ConfigError, match="fit a model with this scheme"):
        simsieve.dedup(texts, scheme=f"chars64:weights=idf,model={tmp_path / 'folded.model'}")


def test_own_schemes_fold_in_a_file(tmp_path: Path) -> None:
    """The steps t2s and tw2sp stand in TOML files as any other."""
    digests = set()
    for step in ("t2s", "tw2sp"):
        file = tmp_path / f"{step}.toml"
        file.write_text(f"normalise = {json.dumps(['usual', step])}\nfeatures = 'chars'\n", encoding="utf-8")
        assert simsieve.similarity("裡面", "里面", scheme=str(file)) == 1.0
        digests.add(simsieve.CustomScheme.from_toml(file).digest)
    assert len(digests) == 2


def in_numerals(number: int) -> str:
    """A number below 10^12 as it is read aloud."""
    digits = "零一二三四五六七八九"
    if number < 10:
        return digits[number]
    for unit, name in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= unit:
            head, rest = divmod(number, unit)
            gap = "零" if 0 < rest < unit // 10 else ""
            return in_numerals(head) + name + gap + (in_numerals(rest) if rest else "")
    raise AssertionError(number)


@given(st.integers(0, 10**12 - 1), st.sampled_from(["numerals", "t2s+numerals", "tw2sp+numerals", "numerals+marks"]))
def test_a_number_in_numerals_is_the_one_in_digits(number: int, fold: Any) -> None:
    """Under the fold, a document that names a number in numerals is an exact copy of one that has it in digits."""
    texts = [f"本法第{in_numerals(number)}条规定", f"本法第{number}条规定", f"本法第{number + 1}条规定"]
    result = simsieve.dedup(texts, scheme="chars128", fold=fold, similarity=0.95)

    assert [row.reason for row in result.decisions][1] == "exact"
    assert result.kept.tolist() == [0, 2]
    mine = simsieve.CustomScheme("mine").folded(fold)
    assert mine.features(texts[0]) == mine.features(texts[1])
