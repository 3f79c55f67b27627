"""The schemes of other programs give the values that those print, or that follow from their code."""

import json
from pathlib import Path
from typing import Any

import pytest

from simsieve import ConfigError, CustomScheme, Fingerprinter, _core, fingerprint, hamming
from simsieve.results import Fingerprint
from simsieve.schemes.scheme import SchemeInfo, schemes


def made(text: str, spec: str) -> Fingerprint:
    """The fingerprint of a text that has one."""
    found = fingerprint(text, spec)
    assert found is not None
    return found


def value(text: str, spec: str) -> int:
    """The fingerprint as a number."""
    return int(made(text, spec))


# From the package simhash 2.1.2 (Python); its own tests assert that the fifth and sixth differ by less than 3 bits.
SIMHASH = {
    "How are you? I AM fine. Thanks. And you?": 13831624873712969754,
    "How old are you ? :-) i am fine. Thanks. And you?": 10949321070319912978,
    "你好　世界！　　呼噜。": 15820109506574984036,
    "你好，世界　呼噜": 15820109506574984036,
    "How are you? I Am fine. ablar ablar xyz blar blar blar blar blar blar blar Thanks.": 17591554865737636986,
    "How are you i am fine.ablar ablar xyz blar blar blar blar blar blar blar than": 17591554797152377978,
    "How are you i am fine.ablar ablar xyz blar blar blar blar blar blar blar thank": 17591554865871854714,
    "1": 994258241967195291,
    "2": 8000222017881409068,
    "aa": 607744856545708306,
    "aaa": 7483809945577191432,
    "aaaa": 15222026846552835557,
    "aaaab": 147493163211210912,
    "aaaaabb": 14059535192703746532,
    "aaaaabbb": 15555363622182306293,
    "南京市长江大桥": 3166481829012178948,
    "我来到北京清华大学": 2306194965681965234,
}


@pytest.mark.parametrize("text", SIMHASH)
def test_simhash64_is_the_packages(text: str) -> None:
    """simhash64 gives what simhash 2.1.2 gives."""
    assert value(text, "simhash64") == SIMHASH[text]


def test_simhash64_has_no_fingerprint_of_nothing() -> None:
    """Where the package hashes the empty feature, so that all empty texts are twins, there is no fingerprint."""
    assert fingerprint("", "simhash64") is None
    assert fingerprint("?! ...", "simhash64") is None


def test_mfonda64_is_the_go_packages() -> None:
    """mfonda64 gives what the example of mfonda/simhash prints."""
    texts = ["this is a test phrase", "this is a test phrass", "foo bar"]
    prints = [made(text, "mfonda64") for text in texts]

    assert [p.hex for p in prints] == ["8c3a5f7e9ecb3f35", "8c3a5f7e9ecb3f21", "d8dbe7186bad3db3"]
    assert [hamming(prints[0], other) for other in prints[1:]] == [2, 29]


def test_mfonda64_with_unicode_words_is_the_go_packages() -> None:
    """With Unicode words it gives what the example of the Unicode word features prints."""
    texts = ["la fin d'un bel après-midi d'été", "bonne après-midi", "Bonjour", "Bonsoir"]
    prints = [made(text, "mfonda64:words=nfkc") for text in texts]

    wanted = ["58dbbd1fefab774a", "fadfbfbfdf8e7b7f", "ac5261af4fdd5252", "fb42ceaf7cda4905"]
    assert [p.hex for p in prints] == wanted
    assert hamming(prints[0], prints[1]) == 18


def test_gemantic64_is_the_java_class() -> None:
    """gemantic64 gives what follows from the class, ties as 1, and its blocks are 16-bit runs, lowest bit first."""
    start = "This is a test string for testing"
    values = [value(text, "gemantic64") for text in (start, f"{start}, {start} abcdef", f"{start} als")]

    assert values == [9227187964509734024, 9227187964518122632, 9227223148898608264]
    assert [(values[0] ^ other).bit_count() for other in values[1:]] == [1, 3]
    bits = f"{values[0]:064b}"[::-1]
    assert [int(bits[at : at + 16], 2) for at in range(0, 64, 16)] == [4387, 14887, 2417, 45057]


def test_the_plain_simhash_of_esimhash_is_the_papers() -> None:
    """The order of words moves no bit, and the value is the one printed."""
    for text in ("能力比学历重要性高", "学历比能力重要性高"):
        assert value(text, "esimhash_baseline64") == 14826313989210732151
        assert value(text, "esimhash_baseline128") % 2**64 == 14826313989210732151


def shown(features: dict[str, int], width: int) -> str:
    """The fingerprint of features given by their bits, as they are printed."""
    folded = _core.fold([(int(bits, 2), weight) for bits, weight in features.items()], width)
    assert folded is not None
    return f"{int.from_bytes(folded, 'big'):0{width}b}"


def test_the_worked_examples_come_out() -> None:
    """Sums of zero give a 0 where the rule is > 0, on exact sums."""
    assert shown({"100100": 2, "010101": 1, "101010": 1, "111010": 1, "001010": 1}, 6) == "100000"
    assert shown({"100101": 4, "101011": 5}, 6) == "101011"
    assert (int("10101", 2) ^ int("00110", 2)).bit_count() == 3


def test_angelo32_prints_the_first_digit_first() -> None:
    """One word has the bits of its MD5, the first hex digit at the front; other texts do not count."""
    # md5("中国") is c13dceabcb143acd6c9298265d618a9f.
    wanted = "".join("1" if digit >= "8" else "0" for digit in "c13dceabcb143acd6c9298265d618a9f")
    assert f"{value('中国', 'angelo32'):032b}" == wanted
    assert value("in 中国 1949, abc", "angelo32") == value("中国", "angelo32")
    assert fingerprint("no Han", "angelo32") is None


def test_angelo32_is_the_published_tool(shared_data: Path) -> None:
    """The texts printed with angelo_tools, which are not ours to keep here, have the bits printed there."""
    golden = shared_data.parent / "golden" / "sources.json"
    if not golden.is_file():
        pytest.skip("NOT TESTED ON THE PUBLISHED TEXTS: there is no ../shared/golden beside the project's folder")
    cases = json.loads(golden.read_text(encoding="utf-8"))["angelo32"]["cases"]
    values = [value(case["text"], "angelo32") for case in cases]

    assert [f"{v:032b}" for v in values] == [case["bits"] for case in cases]
    assert [(values[a] ^ values[b]).bit_count() for a, b in ((0, 1), (1, 2), (0, 2))] == [16, 2, 16]


def test_spellings_of_one_scheme_are_one() -> None:
    """Options come in a fixed order, and what says the default is left out; equal specs have equal digests."""
    for spelt, short in [
        ("words64:weights=log,n=2", "words64:n=2,weights=log"),
        ("words128:n=1,weights=once", "words128"),
        ("keywords64:top=30", "keywords64"),
        ("mfonda64:words=ascii", "mfonda64"),
        ("esimhash_baseline64:weights=tf", "esimhash_baseline64"),
        ("gemantic128", "gemantic128"),
    ]:
        maker = Fingerprinter(spelt)
        assert (maker.scheme, maker.digest) == (short, Fingerprinter(short).digest)
        assert Fingerprinter(maker.scheme).digest == maker.digest
    digests = {row.digest for row in schemes()} | {Fingerprinter(s).digest for s in ("words64:n=2", "gemantic63")}
    assert len(digests) == len(schemes()) + 2


@pytest.mark.parametrize("row", schemes(), ids=lambda row: row.name)
def test_the_table_tells_which_widths_there_are(row: SchemeInfo) -> None:
    """A name may have each width that its row tells, and no other."""
    family = row.name.rstrip("0123456789")
    told = range(1, 257) if row.widths.startswith("any from 1 to 256") else [int(n) for n in row.widths.split(" and ")]
    for width in (1, 31, 32, 64, 128, 200, 256, 257):
        if width in told:
            assert Fingerprinter(f"{family}{width}").width == width
        else:
            with pytest.raises(ConfigError, match=f"{family} takes "):
                Fingerprinter(f"{family}{width}")


TF_IDF = {
    "how": 0.1755344461408848, "are": 0.1755344461408848, "you": 0.1755344461408848, "am": 0.1755344461408848,
    "fine": 0.1755344461408848, "blar": 0.8776722307044239, "thanks": 0.2750086299380163,
}  # fmt: skip
NUMBERS = [str(i) for i in range(500)]


def pairs(text: str) -> list[tuple[Any, float]]:
    """What a text brings: a list of features, or an object of features and weights."""
    given = json.loads(text)
    return list(given.items()) if isinstance(given, dict) else [(feature, 1) for feature in given]


def given_value(given: Any, **parts: Any) -> int | None:
    """The fingerprint of given features."""
    scheme = CustomScheme(
        "given", features=pairs, weights="given", version="1", **{"hash": "md5", "width": 64, **parts}
    )
    made = fingerprint(json.dumps(given), scheme)
    return None if made is None else int(made)


@pytest.mark.parametrize(
    ("given", "parts", "wanted"),
    [
        (["aaa", "bbb"], {}, 57087923692560392),
        (TF_IDF, {}, 17583409636488780916),
        (NUMBERS, {}, 7984652473404407437),
        ({number: 50 * i for i, number in enumerate(NUMBERS)}, {"fraction_bits": 0}, 3372825719632739723),
        ({"two": 2, "three": 3, "one": 1}, {"width": 128}, 66237222457941138286276456718971054176),
    ],
    ids=["two features", "TF-IDF", "500 features", "500 weights", "128 bits"],
)
def test_given_features_have_the_values_of_the_package_simhash(given: Any, parts: dict[str, Any], wanted: int) -> None:
    """Features with weights have the values that the package simhash 2.1.2 and a user of it assert."""
    assert given_value(given, **parts) == wanted


def test_given_words_have_the_values_of_the_package_simhash() -> None:
    """A function that gives words does so too, each as often as it stands there."""
    scheme = CustomScheme("given", features=str.split, weights="tf", hash="md5", width=64, version="1")
    made = [fingerprint(text, scheme) for text in ("aaa bbb", "bbb aaa bbb aaa")]

    assert [made and int(made) for made in made] == [57087923692560392] * 2


def test_given_hashes_have_the_values_of_simhash_cpp() -> None:
    """Hashes that weigh 1 have the values that simhash-cpp asserts, but for none of them, which is no fingerprint."""
    opposite = [16045690984833335023, 2401053088876216592]

    assert given_value([0xDEADBEEF] * 100, hash="given") == 3735928559
    assert given_value(opposite, hash="given") == 0
    assert given_value([43981, 48350, 52719], hash="given") == 44495
    assert given_value([], hash="given") is None
    first, second = (fingerprint(json.dumps([number]), EXTERNAL) for number in opposite)
    assert first is not None and second is not None
    assert hamming(first, second) == 64


EXTERNAL = CustomScheme("given", features=pairs, weights="given", hash="given", width=64, version="1")


def test_sums_have_the_values_of_mfondas_package() -> None:
    """A vector of sums has the bits that mfonda/simhash asserts: 1 where the sum is not below zero."""
    every = 2**64 - 1

    def signed(*hashes: int) -> int | None:
        return given_value(list(hashes), hash="given", sign=">= 0")

    assert signed(0, every) == 18446744073709551615
    assert signed(every) == 18446744073709551615
    assert signed(0) == 0
    assert signed(1) == 1
    assert signed(0x5555555555555555) == 6148914691236517205
    assert given_value(["test string"], hash="fnv1", sign=">= 0") == 8811532157352841348
