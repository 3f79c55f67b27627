"""The texts and the verdicts of `benches/experiments.py scripts`."""

import pytest

import experiments
import simsieve
from scripts_texts import IN_FOURS, SCRIPTS, SHARES, core, dense, edited, never, text, windows
from simsieve import _core

EDGES = {"max": 0.2, "copy_min": 0.7, "f1": 1.0}


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_texts_are_the_same_each_time_and_copies_differ(name: str) -> None:
    """A seed names a text; a copy is another text with most of its words."""
    script = SCRIPTS[name]
    pieces = text(script, 0, 1)
    whole = "".join(pieces)

    assert pieces == text(script, 0, 1) != text(script, 0, 2)
    assert not [left for left in "{}\0" if left in whole]
    copies = [edited(script, pieces, 0, share, 1) for share in SHARES]
    assert len({whole, *copies}) == 1 + len(copies)
    assert copies == [edited(script, pieces, 0, share, 1) for share in SHARES]


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_subjects_share_no_word(name: str) -> None:
    """Each subject has ten words of its own."""
    words = [word for subject in range(len(SCRIPTS[name].subjects)) for word in SCRIPTS[name].words(subject)]
    assert len(words) == len(set(words)) == 10 * len(SCRIPTS[name].subjects)


def test_the_default_scheme_tells_copies_from_unrelated_texts() -> None:
    """In Thai, which has no spaces, `chars` finds the copies and `words` none."""
    assert experiments.judged_script("Thai", experiments.separated(SCRIPTS["Thai"], core("chars128"))) == []
    assert experiments.separated(SCRIPTS["Thai"], core("words128"))["f1"] == 0
    assert experiments.judged_script("Thai", experiments.separated(SCRIPTS["Thai"], core(IN_FOURS))) == []


def test_figures_that_are_not_right_are_told() -> None:
    """The bench fails where kinds of pairs overlap, and where F1 is low."""
    assert experiments.judged_script("Thai", EDGES) == []
    assert experiments.judged_script("Thai", {**EDGES, "max": 0.7}) == [
        "Thai: an unrelated pair has 0.700, and a copy 0.700"
    ]
    assert experiments.judged_script("Thai", {**EDGES, "f1": 0.5}) == ["Thai: F1 0.5000 at 0.65, at least 0.99 asked"]


def test_windows_are_those_of_chars() -> None:
    """The plain windows of the trials give as many features as the core's."""
    for name, script in SCRIPTS.items():
        given = "".join(text(script, 1, 1))
        assert len(windows(dense, never)(given)) == len(core("chars128")(given)), name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｶﾌｪでｺｰﾋｰとﾊﾟﾝを", "カフェでコーヒーとパンを"),
        ("\ufe35中文排版\ufe36直排\ufe12", "（中文排版）直排。"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af 맞춤법", "한글 맞춤법"),
        ("\ufefb يوجد", "لا يوجد"),
        ("क\u094d\u200dषमता और ज्ञान", "क\u094dषमता और ज्ञान"),
        ("น\u0e49\u0e33ใส", "น\u0e49\u0e4d\u0e32ใส"),
        ("น\u0e33\u0e49ใส", "น\u0e49\u0e33ใส"),
        ("ｄｉｓｋ の バックアップ", "disk の ﾊﾞｯｸｱｯﾌﾟ"),
    ],
)
def test_forms_of_one_character_are_one(one: str, other: str) -> None:
    """Half-width kana, vertical forms, conjoining jamo, presentation forms, joiners: the text is the same."""
    for scheme in ("chars128:punctuation=keep", "words128"):
        prints = [simsieve.fingerprint(given, scheme) for given in (one, other)]
        assert prints[0] == prints[1] is not None, scheme


def test_windows_go_across_scripts() -> None:
    """In mixed text each character has the units of its script; words end where Han does."""

    def features(scheme: str, given: str) -> list[str]:
        return [row[0] for row in _core.Scheme(scheme).features(given)]

    assert features("chars64", "用Py写コド") == ["用py写", "py写コ", "y写コド", "写コド"]
    assert features("words64", "用Python写コド한글") == ["用", "python", "写", "コド한글"]
    assert features("words64", "ไทยไม่เว้น ไทย") == ["ไทยไม่เว้น", "ไทย"]
