"""Numbers and negations that must be the same in two texts, against a plain model of numbers."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st
from tests.property import twin

import simsieve
from simsieve import _core

UNITS = {
    "": [""],
    "percent": ["%", " %", "％", " percent"],
    "permille": ["‰"],
    "km": ["km", " km", "公里", "千米"],
    "m": ["m", " m", "米", "ｍ"],
    "g": ["g", "克"],
    "h": ["小时", " hours"],
    "celsius": ["℃", "°C", "摄氏度"],
    "dollar": ["美元", " dollars", "$"],
    "euro": ["€", "欧元"],
}
DIGITS = ["0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"]
SIGNS = {
    "": [""],
    "-": ["-", "−", "－", "负", "零下"],
    "≥": ["≥", ">=", "≧", "≥ "],
    "≤": ["≤", "<=", "⩽"],
    "≠": ["≠", "!="],
}
POWERS = {0: [""], 2: ["²", "^2", "^{2}"], 3: ["³", "^3"], -1: ["⁻¹", "^-1"]}
MARKED = "²³¹⁰⁵₂₃①⑩½Ⅱⅷ㎡⒈🄂"
texts = st.text(st.sampled_from(f"10258a ivm,²٣{MARKED}５Ⅰmé\u0301体"), min_size=1, max_size=8)


@dataclass(frozen=True)
class Number:
    """What a number says, however it is written."""

    sign: str
    whole: int
    decimals: str
    power: int
    unit: str


def written(draw: Any, number: Number) -> str:
    """One of the forms of a number."""
    plain = str(number.whole)
    if draw(st.booleans()):
        plain = f"{number.whole:,}"
    if number.decimals:
        plain += f".{number.decimals}"
    digits = str.maketrans(DIGITS[0], draw(st.sampled_from(DIGITS)))
    forms = SIGNS[number.sign], POWERS[number.power], UNITS[number.unit]
    sign, power, unit = (draw(st.sampled_from(form)) for form in forms)
    made: str = sign + plain.translate(digits) + power + unit
    return made


measured = st.builds(
    Number, st.sampled_from([*SIGNS]), st.integers(0, 99_999), st.sampled_from(["", "5", "05", "50"]), st.just(0),
    st.sampled_from([*UNITS]),
)  # fmt: skip
powers = st.builds(Number, st.just(""), st.integers(0, 99), st.just(""), st.sampled_from([*POWERS]), st.just(""))
numbers = measured | powers


def of(text: str) -> list[str]:
    """The numbers of a text, in no order."""
    return sorted(_core.guarded("numbers", text))


@given(st.data(), st.lists(numbers, max_size=4))
def test_a_number_is_one_in_all_its_forms(data: st.DataObject, given: list[Number]) -> None:
    """Digits of any script, signs and units in any spelling give the same numbers, in any order."""
    one, two = ("; ".join(written(data.draw, each) for each in all_of) for all_of in (given, reversed(given)))
    assert of(one) == of(two) and len(of(one)) == len(given)


@given(st.data(), numbers, st.sampled_from(["sign", "whole", "decimals", "power", "unit"]))
def test_a_number_with_another_part_is_another(data: st.DataObject, one: Number, part: str) -> None:
    """Sign, relation, value, power and unit each make another number."""
    choices = {
        "sign": [*SIGNS],
        "whole": range(2000),
        "decimals": ["", "5", "05"],
        "power": [*POWERS],
        "unit": [*UNITS],
    }
    changed: dict[str, Any] = {part: data.draw(st.sampled_from(choices[part]))}
    two = replace(one, **changed)
    # 5 km are 5000 m, and 0.50 g are 0.5 g.
    values = {replace(number, decimals=number.decimals.rstrip("0")) for number in (one, two)}
    if {one.unit, two.unit} == {"km", "m"} or len(values) == 1:
        return
    assert of(written(data.draw, one)) != of(written(data.draw, two))


def exact(text: str) -> tuple[str, ...]:
    """The normalised text, cut at each character of a number that NFKC writes as others, with that character."""
    parts = [""]
    for c in text.replace("㎡", "m²"):
        is_number = unicodedata2.category(c) in ("No", "Nl") or "\u2070" <= c <= "\u209c"
        if is_number and unicodedata2.normalize("NFKC", c) != c:
            parts += [c.casefold(), ""]
        parts[-1] += c
    head, *rest = parts
    joined, places = head, []
    for mark, part in zip(rest[::2], rest[1::2], strict=True):
        places.append((mark, len(twin.normalise(f"{joined}x"))))
        joined += part
    return (twin.normalise(joined), *map(str, places))


@given(st.data(), texts)
def test_exact_copies_have_equal_marks(data: st.DataObject, one: str) -> None:
    """Two texts are exact copies if their normalised texts are equal and the same characters in them were marked."""
    swap = str.maketrans({"²": "2", "①": "1", "Ⅱ": "ⅱ", "５": "5", "⁵": "5", "₂": "²", "³": "₃"})
    two = data.draw(st.sampled_from([one.translate(swap), one.upper(), f" {one}", twin.normalise(one)]))
    reasons = [row.reason for row in simsieve.dedup([one, two], scheme="chars64:n=1", similarity=1).decisions]
    if reasons[0] != "no_features":
        assert (reasons[1] == "exact") == (exact(one) == exact(two))


@pytest.mark.parametrize(
    ("one", "two"), [("计算 10² 的值", "计算 102 的值"), ("2⁵ = x", "25 = x"), ("① 见图", "1 见图")]
)
def test_a_superscript_is_no_digit(one: str, two: str) -> None:
    """A superscript or a circle makes no exact copy; the texts may be near, and `same` keeps them apart."""
    reasons = [row.reason for row in simsieve.dedup([one, two, one], conflict="none").decisions]
    assert reasons == ["representative", "near", "exact"]
    assert simsieve.dedup([one, two, one], same="numbers").counts.kept == 2


def test_negations_that_must_be_the_same() -> None:
    """Words of negation are counted; a word that only has such a character is none."""
    text = "下列关于细胞膜的结构和功能的叙述，{}正确的是哪一项，请在答题卡上填写"
    one, two = text.format(""), text.format("不")
    assert simsieve.dedup([one, two]).counts.kept == 1
    assert simsieve.dedup([one, two], same="negation").counts.kept == 2
    assert simsieve.dedup([one, two, one], same=["numbers", "negation"]).counts.kept == 2
    assert simsieve.dedup([one, f"{one}非常"], same="negation").counts.kept == 1
    assert _core.guarded("negation", "It isn’t so; no. 5 is not the one, 不但没有, 是不是") == ["not", "not", "没"]
