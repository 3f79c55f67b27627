"""Words of schemes of one's own: how the segmenter cuts, a dictionary, parts of speech, and the pattern of interest."""

import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.test_own import refused

import simsieve
from simsieve import ConfigError, CustomScheme, Fingerprinter, Segmenter, SourceError, TextError
from simsieve.cli import main

TEXT = "他来到北京大学的石墨烯实验室，买了3台 Python 机器。他来到网易杭研大厦。"


def features(text: str, **parts: Any) -> list[str]:
    """The features of a text under a scheme of these parts."""
    return [name for name, *_ in CustomScheme("mine", **parts).core.features(text)]


def distinct(words: Iterable[str]) -> list[str]:
    """Each once, in order."""
    return list(dict.fromkeys(words))


def split(text: str) -> list[str]:
    """A segmenter of one's own."""
    return re.split(r"[\s，。]+", text)


@pytest.mark.parametrize("mode", ["exact", "full", "search"])
@pytest.mark.parametrize("hmm", [True, False])
def test_words_are_those_of_the_segmenter(mode: str, hmm: bool) -> None:
    """Each mode, with the hidden Markov model and without, cuts a run of Han as `Segmenter` does."""
    han = "他来到网易杭研大厦，小明硕士毕业于中国科学院计算所"
    if mode == "full" and not hmm:
        refused(ConfigError, 'scheme "mine"', "says nothing in mode=full", mode=mode, hmm=hmm)
        return
    runs = han.split("，")
    wanted = distinct(word for run in runs for word in Segmenter().cut(run, mode=mode, hmm=hmm))
    assert features(han, mode=mode, hmm=hmm) == wanted
    assert features(han, mode=mode, hmm=hmm, stop=wanted[:2]) == wanted[2:]


def test_a_dictionary_and_parts_of_speech_choose_words(tmp_path: Path) -> None:
    """They do what they do in the built-in schemes, from a TOML file too, which has its dictionary beside it."""
    (tmp_path / "words.txt").write_text("石墨烯 9 n\n", encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text('dict = "words.txt"\npos = ["n*", "m"]\nhmm = true\nmode = "exact"\n', encoding="utf-8")
    scheme = CustomScheme("mine", dict=tmp_path / "words.txt", pos="m+n*")

    found = [name for name, *_ in scheme.core.features(TEXT)]
    built_in = simsieve._core.Scheme(f"words128:dict={tmp_path / 'words.txt'},pos=n*+m")
    assert found == [name for name, *_ in built_in.features(TEXT)]
    assert "石墨烯" in found and "来到" not in found
    assert CustomScheme.from_toml(file).digest == scheme.digest
    assert features(TEXT, dict=str(tmp_path / "words.txt")) != features(TEXT)


def test_bad_options_of_words_say_what_is_allowed(tmp_path: Path) -> None:
    """Each message has the value and what is allowed; a bad line of a dictionary is named."""
    refused(ConfigError, 'scheme "mine"', '"N" is no part of speech', pos="N")
    refused(ConfigError, "pos []", "such as 'n+v'", pos=[])
    refused(ConfigError, "pos 3", "such as 'n+v'", pos=3)
    refused(ConfigError, "mode 'ful'", "'full', which is near", mode="ful")
    refused(ConfigError, "mode 3", "one of exact, full, search", mode=3)
    refused(ConfigError, "hmm 'on'", "True or False", hmm="on")
    refused(ConfigError, "mode=full and pos=n do not go together", mode="full", pos="n")
    refused(ConfigError, "dict ''", "the file of a dictionary", dict="")
    refused(SourceError, "no/such.txt", "does not exist", dict="no/such.txt")
    for part in ({"mode": "full"}, {"hmm": False}, {"pos": "n"}, {"dict": "words.txt"}):
        refused(ConfigError, "with features = 'words' only", features="chars", **part)
        refused(ConfigError, "with features = 'words' only", features=split, version="1", **part)
    bad = tmp_path / "bad.txt"
    bad.write_text("石墨烯\n石墨 烯 电 池\n", encoding="utf-8")
    refused(SourceError, "bad.txt", "line 2", "石墨 烯 电 池", dict=bad)


@pytest.mark.parametrize(
    "pattern", ["[\u4e00-\u9fa5]", r"\w{2,}", "(?i)p", re.compile("P", re.IGNORECASE), ".*机", "b|p$"]
)
@pytest.mark.parametrize("kind", ["words", "lines", "chars", split])
def test_tokens_stay_that_match_from_their_beginning(kind: str | Callable[[str], list[str]], pattern: Any) -> None:
    """What a pattern matches from its beginning is a feature, whatever cuts the text; the rest is none."""
    all_of: dict[str, Any] = {"features": kind, "normalise": [], "n": 1, "version": "1"}
    wanted = [token for token in features(TEXT, **all_of) if re.match(pattern, token)]
    assert features(TEXT, **all_of, pattern=pattern) == wanted


def test_a_pattern_goes_before_tokens_are_joined() -> None:
    """As stop words do: the remaining tokens come together, and a count is of these."""
    assert features("one 2 three 4 five", pattern="[a-z]", n=2) == ["one three", "three five"]
    assert features("a1b2c", features="chars", pattern="[a-z]", n=2) == ["ab", "bc"]
    given = CustomScheme(
        "given",
        features=lambda text: [(word, 2.0) for word in text.split()],
        weights="given",
        pattern="[a-z]",
        version="1",
    )
    assert given.core.features("a 1 b a")[0][3] == 2 * 2.0 * 2**20
    assert simsieve.similarity("a 1 b", "a 2 b", scheme=given) == 1.0
    assert simsieve.fingerprint("1 2", given) is None


def test_bad_patterns_say_where() -> None:
    """The message has the pattern, the reason and its place."""
    refused(ConfigError, 'pattern "[a-"', "is wrong at character 0, counted from 0", pattern="[a-")
    refused(ConfigError, 'pattern "(a"', "unclosed group", pattern="(a")
    refused(ConfigError, "look-around", "without look-around and backreferences", pattern="(?!a)")
    refused(ConfigError, "backreferences are not supported", pattern=r"(a)\1")
    refused(ConfigError, "the pattern is empty", pattern="")
    refused(ConfigError, "pattern 3", "as a text", pattern=3)
    refused(ConfigError, "as a text", pattern=re.compile(b"a"))
    refused(ConfigError, "without re.ASCII", pattern=re.compile("a", re.ASCII))
    refused(ConfigError, "takes elements", features="dom", pattern="div")
    given = {"features": split, "version": "1", "weights": "given", "hash": "given"}
    refused(ConfigError, "a feature has no text", pattern="a", **given)


def test_a_pattern_takes_linear_time() -> None:
    """What `re` backtracks on for minutes is done at once."""
    scheme = CustomScheme("slow", features=split, pattern="(a+)+$", version="1")
    begun = time.process_time()
    assert simsieve.fingerprint("a" * 20_000 + "b", scheme) is None
    assert time.process_time() - begun < 5


def test_a_pattern_is_in_the_digest_with_its_flags() -> None:
    """The same text of a pattern is the same scheme; its flags belong to it."""
    digest = CustomScheme("a", pattern="[a-z]").digest
    assert digest == CustomScheme("b", pattern=re.compile("[a-z]")).digest
    flags = CustomScheme("a", pattern=re.compile("[a-z]", re.IGNORECASE)).digest
    assert digest != flags == CustomScheme("a", pattern="(?i)[a-z]").digest


def test_a_pattern_in_a_run() -> None:
    """Records without a remaining token have no features; the remaining tokens decide."""
    scheme = CustomScheme("han", features=split, pattern="[\u4e00-\u9fa5]", version="1")
    result = simsieve.dedup(["甲 乙 one", "two 甲 乙 3", "one two"], scheme=scheme, similarity=0.9)
    assert (result.counts.kept, result.counts.dropped) == (2, 1)
    with pytest.raises(TextError, match="ValueError: no"):
        simsieve.fingerprint("a", CustomScheme("bad", features=failing, pattern="a", version="1"))


def failing(text: str) -> list[str]:
    """A segmenter that fails."""
    raise ValueError("no")


LISTS = CustomScheme("lists", features="tokens")
COUNTED = CustomScheme("counted", features="tokens", weights="tf", n=2)


def test_lists_pairs_and_mappings_are_documents() -> None:
    """A token weighs 1 where it has no weight; repetitions add up; tuples and numbers of numpy count."""
    same: list[Any] = [
        ["a", "b", "a"],
        [("a", 2), ("b", 1)],
        {"a": 2, "b": 1},
        (("b", np.float64(1)), ("a", np.int64(2))),
    ]
    prints = Fingerprinter(LISTS).transform(same)
    assert len({print_.hex for print_ in prints if print_ is not None}) == 1
    assert simsieve.fingerprint(["a"], LISTS) == simsieve.fingerprint('["a"]', LISTS)
    assert simsieve.fingerprint([], LISTS) is None
    assert [feature.text for feature in COUNTED.features('["one", "two", "three"]')] == ["one two", "two three"]
    assert simsieve.explain(["a", "b"], ["a"], LISTS).a_in_b == 0.5
    assert (
        Fingerprinter(CustomScheme("idf", features="tokens", weights="idf")).fit([["a"], ["a", "b"]]).model is not None
    )


def test_a_run_takes_mappings_for_documents() -> None:
    """Mappings of tokens to weights are no records: empty ones first, a token named as a field, numbers of numpy."""
    documents: list[Any] = [{}, {"text": 2, "id": 1}, {"id": np.float32(1), "text": np.int64(2)}, {"other": 1.5}]
    for given in (documents, iter(documents)):
        found = simsieve.dedup(given, scheme=LISTS)
        assert (found.counts.kept, found.counts.exact, found.counts.failed) == (3, 1, 0)
        assert found.decisions[0].reason == "no_features"
    records: list[Any] = [{}, {"text": {"a": 2}}, {"text": ["a", "a"]}]
    assert simsieve.dedup(records, scheme=LISTS, max_failed="1").counts.near == 1
    with pytest.raises(ConfigError, match='or give a CustomScheme with features="tokens" if these are tokens'):
        simsieve.dedup([*documents[3:], {"a": 2}])
    with pytest.raises(ConfigError, match=r"with text_field$"):
        simsieve.dedup([{"a": "2"}])


def test_the_command_line_reads_lists_of_tokens(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A field of JSON may hold a list or an object, a column the same as JSON; another scheme refuses them."""
    (tmp_path / "lists.toml").write_text("features = 'tokens'\n")
    records: list[dict[str, Any]] = [{"text": ["a", "b"]}, {"text": {"a": 1, "b": 1}}, {"text": ["c"]}, {"text": 3}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "in.csv").write_text('text\n"[""a"", ""b""]"\n"[""b"", ""a""]"\n')
    scheme, kept = str(tmp_path / "lists.toml"), tmp_path / "kept.jsonl"
    run = ["dedup", str(tmp_path / "in.jsonl"), "-o", str(kept), "--quiet", "--max-failed", "1", "--scheme", scheme]
    assert main(run) == 0
    assert [json.loads(line) for line in kept.read_text().splitlines()] == [records[0], records[2]]
    result = simsieve.dedup(tmp_path / "in.jsonl", scheme=scheme)
    assert "a list of tokens, or an object of weights, is needed" in result.failures()[0][2]
    assert simsieve.dedup(tmp_path / "in.csv", scheme=scheme).counts.near == 1
    advice = r"text 0 is of type list: give str, or lists of tokens .* simsieve.CustomScheme\(features='tokens'\)"
    with pytest.raises(TypeError, match=advice):
        simsieve.dedup([["a"]])
    assert simsieve.dedup(records[:3], scheme=scheme).counts.kept == 2
    several = simsieve.dedup([{"a": ["x"], "b": ["y"]}, {"a": ["x", "y"]}], scheme=scheme, text_field=["a", "b"])
    assert several.counts.exact == 1


def test_a_mapping_of_weights_is_a_document_and_a_record_is_none() -> None:
    """Under `tokens` a mapping whose values are weights is a text; one with the field of the text is a record."""
    scheme = CustomScheme("tokens", features="tokens")
    weights: list[Any] = [{"harbour": 2, "lamp": 1.5}, {"harbour": 2, "lamp": 1.5}, {"gravel": 1}]
    for source in (weights, [{"text": each} for each in weights]):
        assert [row.reason for row in simsieve.dedup(source, scheme=scheme).decisions] == [
            "representative", "exact", "unique"
        ]  # fmt: skip
