"""Schemes of one's own as users meet them: digests, TOML files, what is refused, and functions that fail."""

import builtins
import math
import re
from pathlib import Path
from typing import Any

import pytest
from tests.property.own_twin import split

import simsieve
from simsieve import ConfigError, CustomScheme, SourceError, TextError

TEXTS = ["one two three", "one two four", "bad", "five six seven"]


def refused(error: type[Exception], *parts: str, **given: Any) -> None:
    """Check that parts are refused with a message that has all of `parts`."""
    with pytest.raises(error) as caught:
        CustomScheme("mine", **given)
    assert [part for part in parts if part not in str(caught.value)] == []


def test_bad_parts_say_what_is_allowed() -> None:
    """Each message has the value, what is allowed, and the nearest name where there is one."""
    refused(ConfigError, "width 300", "from 1 to 256", width=300)
    wider = "allowed: 1 to 128 for hash md5; xxh3, fnv1, fnv1a and sha256 go up to 256"
    refused(ConfigError, "width 129", wider, hash="md5", width=129)
    refused(ConfigError, "width 161", "allowed: 1 to 160 for hash sha1", hash="sha1", width=161)
    refused(ConfigError, "Python's hash", "differ from process to process", hash=builtins.hash)
    refused(ConfigError, "Python's hash", hash="hash")
    refused(ConfigError, "hash 'md4'", "'md5', which is near", hash="md4")
    refused(ConfigError, "features 'word'", "'words', which is near", features="word")
    refused(ConfigError, "normalise 'casefolds'", "'casefold'", normalise=["casefolds"])
    refused(ConfigError, "normalise 'fancy'", "one of markup, usual", normalise=["fancy"])
    refused(ConfigError, "weights 'tfidf'", "'tf-idf', which is near", weights="tfidf")
    hashes = "one of xxh3, fnv1, fnv1a, fnv1_128, fnv1a_128, fnv1_256, fnv1a_256, md5, sha1, sha256, given"
    refused(ConfigError, "hash 'blake'", hashes, hash="blake")
    refused(ConfigError, "a list of steps", normalise="usual")
    refused(ConfigError, "version ''", "names the functions", features=split)
    refused(ConfigError, "n 0", "from 1 to 64", n=0)
    refused(ConfigError, "n 2", "1 for lines", features="lines", n=2)
    refused(ConfigError, "sign '< 0'", "'> T' with a number T", sign="< 0")
    refused(ConfigError, "sign '>= 1'", sign=">= 1")
    refused(ConfigError, "the weight of 'a' nan", "a finite number", weights={"a": math.nan})
    refused(ConfigError, "the weight of 'a' -1", "from 0 to below 4096", weights={"a": -1})
    refused(ConfigError, "the weight of 'a' 4096", "below 4096, which fraction_bits = 20 sets", weights={"a": 4096})
    refused(ConfigError, "the weight of 'a' 256", "below 256", weights={"a": 256.0}, fraction_bits=24)
    for sign in ("> 100000000000000000000", "> -1e19"):
        refused(ConfigError, "between -2^62 and 2^62", "0 fraction bits", "nearer to zero", sign=sign)
    refused(ConfigError, 'scheme "mine": sign > 5e12', "2^42", "20 fraction bits", weights={"a": 1.0}, sign="> 5e12")
    refused(ConfigError, "given by a function", weights="given")
    refused(ConfigError, "'given' where the hash is given", features=split, version="1", hash="given")
    for more in ({}, {"weights": "given"}, {"weights": "tf"}):
        refused(ConfigError, "features 'tokens'", "a function where the hash", features="tokens", hash="given", **more)
    refused(ConfigError, "one text", stop="the")
    refused(ConfigError, "unspaced 'four'", "'fours', which is near", unspaced="four")
    refused(ConfigError, "unspaced 4", "one of runs, fours", unspaced=4)
    for unspaced in ("runs", "fours"):
        refused(ConfigError, "with features = 'words' only", features="chars", unspaced=unspaced)
        refused(ConfigError, "with features = 'words' only", features=split, version="1", unspaced=unspaced)
    refused(SourceError, "no/such.txt", "does not exist", stop=Path("no/such.txt"))
    with pytest.raises(ConfigError, match="name 'a b' is not allowed"):
        CustomScheme("a b")


def test_bad_parts_of_pages_say_what_is_allowed() -> None:
    """What says nothing of elements is refused for them, and what only they have for all others."""
    refused(ConfigError, "n 2", "1 for dom, where levels", features="dom", n=2)
    refused(ConfigError, "normalise ['usual']", "elements of the page itself", features="dom", normalise=["usual"])
    refused(ConfigError, "extract 'main'", "the elements of the page itself", features="dom", extract="main")
    refused(ConfigError, "weights 'entropy'", "elements form a tree", features="dom", weights="entropy")
    refused(ConfigError, "sign '> 3'", "'> 0' or '>= 0'", features="dom", sign="> 3")
    refused(ConfigError, "decay 0.5", "with weights sum or nearest only", features="dom", weights="tf", decay=0.5)
    for decay in (0, 1.5, math.nan, True):
        refused(ConfigError, f"decay {decay}", "above 0 and at most 1", features="dom", decay=decay)
    refused(ConfigError, "classes 1", "True or False", features="dom", classes=1)
    refused(ConfigError, "levels 1001", "from 0 to 1000", features="dom", levels=1001)
    refused(ConfigError, "levels 2", "with features = 'dom' only", levels=2)
    refused(ConfigError, "classes False", "with features = 'dom' only", classes=False)
    refused(ConfigError, "weights 'nearest'", "with features = 'dom' only", weights="nearest")
    refused(ConfigError, "extract 'mian'", "'main', which is near", extract="mian")
    with pytest.raises(ConfigError, match="says already what is extracted"):
        simsieve.dedup(TEXTS, scheme=CustomScheme("mine", extract="text"), extract="main")
    with pytest.raises(ConfigError, match="its features are the page's elements"):
        simsieve.dedup(TEXTS, scheme=CustomScheme("mine", features="dom"), extract="main")


def test_every_part_is_in_the_digest() -> None:
    """Schemes that differ in one part have different digests; the name and a table's order do not matter."""
    parts: list[dict[str, Any]] = [
        {}, {"normalise": ["compact"]}, {"normalise": ["usual", "nfc"]}, {"features": "chars"}, {"n": 2},
        {"weights": "tf"}, {"weights": {"a": 1.0}}, {"weights": {"a": 2.0}}, {"weights": {"a": 1.0}, "other": 3.0},
        {"weights": {"a": 1.0}, "fraction_bits": 8}, {"stop": ["a"]}, {"stop": ["b"]}, {"hash": "md5"}, {"width": 64},
        {"sign": ">= 0"}, {"sign": "> 3"}, {"features": split, "version": "1"}, {"features": split, "version": "2"},
        {"hash": len, "version": "1"}, {"features": "dom"}, {"features": "dom", "levels": 0},
        {"features": "dom", "classes": True}, {"features": "dom", "decay": 0.5},
        {"features": "dom", "weights": "nearest"}, {"features": "dom", "weights": "once"}, {"extract": "text"},
        {"extract": "main"}, {"pattern": "[a-z]"}, {"pattern": "[a-y]"}, {"pattern": re.compile("[a-z]", re.DOTALL)},
        {"features": "chars", "pattern": "[a-z]"}, {"hash": "fnv1"}, {"hash": "fnv1", "width": 64},
        {"weights": "tf-idf"}, {"mode": "full"}, {"mode": "search"}, {"hmm": False}, {"pos": "n"}, {"pos": ["n", "v"]},
        {"weights": lambda _, n: n, "version": "1"}, {"unspaced": "fours"},
    ]  # fmt: skip
    digests = [CustomScheme("a", **given).digest for given in parts]

    assert len(set(digests)) == len(parts) and digests == [CustomScheme("b", **given).digest for given in parts]
    same: list[dict[str, Any]] = [
        {"unspaced": "runs"},
        {"mode": "exact"},
        {"hmm": True},
        {"mode": "exact", "hmm": True},
    ]
    assert {CustomScheme("a", **usual).digest for usual in same} == {CustomScheme("a").digest}
    assert CustomScheme("a", pos="v+n").digest == CustomScheme("a", pos=["n", "v", "n"]).digest
    assert CustomScheme("a", sign="> 1e5").digest == CustomScheme("a", sign="> 100000").digest
    weights = {"a": 1.0, "b": 2.0}
    turned = dict(reversed(weights.items()))
    assert CustomScheme("a", weights=weights).digest == CustomScheme("a", weights=turned).digest


def test_a_toml_file_is_the_scheme_of_its_parts(tmp_path: Path) -> None:
    """The same parts give the same digest, whichever way they are told; files lie beside the TOML file."""
    (tmp_path / "stop.txt").write_text("the\n\nof\n", encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(
        'features = "words"\nn = 2\nstop = "stop.txt"\nunspaced = "fours"\nhash = "sha1"\nwidth = 160\nsign = ">= 0"\n'
        'other = 1\n[weights]\n"one two" = 2.5\n',
        encoding="utf-8",
    )
    scheme = CustomScheme(
        "mine", features="words", n=2, stop=["of", "the"], unspaced="fours", hash="sha1", width=160, sign=">= 0",
        other=1, weights={"one two": 2.5},
    )  # fmt: skip
    made = simsieve.fingerprint("one of the two", str(file))

    assert made is not None and made == simsieve.fingerprint("one of the two", scheme)
    assert (made.digest, made.scheme, len(made.hex)) == (scheme.digest, "own:mine", 40)
    assert simsieve.dedup(TEXTS, scheme=str(file)).summary["digest"] == scheme.digest


def test_a_mark_of_utf_8_is_no_part_of_a_file(tmp_path: Path) -> None:
    """It may stand before a scheme and before its stop words, and bytes are counted from the file's beginning."""
    file, words = tmp_path / "mine.toml", tmp_path / "stop.txt"
    file.write_bytes(b'\xef\xbb\xbfstop = "stop.txt"')
    words.write_bytes(b"\xef\xbb\xbfthe\r\nof\n")
    assert CustomScheme.from_toml(file).digest == CustomScheme("mine", stop=["the", "of"]).digest
    words.write_bytes(b"\xef\xbb\xbfthe \xff")
    with pytest.raises(SourceError, match=r"stop\.txt: is no UTF-8 at byte 7"):
        CustomScheme.from_toml(file)


def failing(weight: float | None) -> CustomScheme:
    """A scheme whose functions fail at the text `bad`."""

    def features(text: str) -> list[str]:
        if text == "bad" and weight is None:
            raise ValueError("I do not like it")
        return text.split()

    return CustomScheme(
        "failing",
        features=features,
        weights=lambda f, _: weight if f == "bad" and weight is not None else 1,
        version="1",
    )


@pytest.mark.parametrize("weight", [None, math.nan, math.inf, -1.0, 5000.0])
def test_a_failing_function_fails_the_record_and_the_run_goes_on(weight: float | None) -> None:
    """The message has the reason; where the caller brings the text, it is an error that names it."""
    scheme = failing(weight)
    result = simsieve.dedup(TEXTS, scheme=scheme, max_failed="100%")
    reason = "ValueError: I do not like it" if weight is None else f"weight {weight}"

    assert (result.counts.read, result.counts.failed, result.counts.kept) == (4, 1, 2)
    assert [d.reason for d in result.decisions if d.decision == "failed"] == ["unusable_text"]
    with pytest.raises(TextError, match="text 2"):
        simsieve.Fingerprinter(scheme).transform(TEXTS)
    with pytest.raises(TextError) as caught:
        simsieve.fingerprint("bad", scheme)
    if weight == 5000.0:
        assert "a finite number from 0 to below 4096, which fraction_bits = 20 sets" in str(caught.value)
    assert reason.removesuffix(".0").casefold() in str(caught.value).casefold()


def test_a_given_hash_beyond_the_width_fails_the_record_and_the_run_goes_on() -> None:
    """It is not cut to its low bits; the message has its value and the width."""

    def features(text: str) -> list[tuple[int, float]]:
        return [(300 if text == "bad" else len(text), 1.0)]

    scheme = CustomScheme("given", features=features, weights="given", hash="given", width=8, version="1")
    counts = simsieve.dedup(TEXTS, scheme=scheme, max_distance=1, max_failed="100%").counts
    assert (counts.read, counts.failed) == (4, 1)
    with pytest.raises(TextError, match="the hash 0x12c of feature 0 is wider than 8 bits: give hashes below 2\\^8"):
        simsieve.fingerprint("bad", scheme)


def test_nothing_that_weighs_is_no_fingerprint() -> None:
    """All weights zero: no fingerprint, near to nothing, in a run too."""
    scheme = CustomScheme("none", weights={"a": 1.0})

    assert simsieve.fingerprint("b c", scheme) is None
    assert simsieve.similarity("b c", "b c", scheme=scheme) == 0.0
    assert simsieve.fingerprint("a b", scheme) is not None
    assert simsieve.dedup(["b c d", "b c e"], scheme=scheme, similarity=0.1).counts.kept == 2


def test_the_list_of_chinese_function_words_is_that_of_built_in_schemes(tmp_path: Path) -> None:
    """`stop="zh"` leaves out what `stop=zh` does, in Python and in TOML; a file of that name needs its folder."""
    text = "我们在船上等了很久，因为渡船没有来"
    built_in = [feature.text for feature in simsieve.Scheme("words64:stop=zh").features(text)]
    assert built_in == ["船上", "久", "渡船", "没有", "来"]
    file = tmp_path / "mine.toml"
    file.write_text("stop = 'zh'\n")
    for scheme in (CustomScheme("mine", stop="zh"), CustomScheme.from_toml(file)):
        assert [feature.text for feature in scheme.features(text)] == built_in
    (tmp_path / "zh").write_text("渡船\n")
    named = simsieve.Scheme(f"words64:stop={tmp_path / 'zh'}")
    assert "渡船" not in [feature.text for feature in named.features(text)]
    assert named.digest != simsieve.Scheme("words64:stop=zh").digest
