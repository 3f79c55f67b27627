"""Every strategy of the property tests: texts of all scripts, schemes, features and collections with near copies."""

import string
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st


def examples(times: float) -> settings:
    """The settings of the profile with this many times its examples."""
    assert settings.default is not None
    return settings(max_examples=round(times * settings.default.max_examples))


# Whatever a normaliser may stumble over: marks that combine or reorder, characters that fold to several, to a mark or
# upwards, presentation forms, joiners, selectors, conjoining jamo, spaces and controls of every kind.
SCRIPTS = {
    "latin": string.ascii_letters + "àÉîñßſİıǰẞŉÅÅKﬁﬄ",
    "marks": "aAeo\u0300\u0301\u0308\u0323\u0327\u0345\u0338\u20dd",
    "greek": "ΑάΆσςΣΐᾳᾼᾈΩΩϐϴ",
    "cyrillic": "аАбБёЁйЙщЩѐѝ",
    "cherokee and georgian": "ᏸꭰᎠᲐაႠⴀ",
    "arabic": "ابجدﷺﻻﺍً\u0651\u200f\u0640ىیکەۀ\u0654٣۴",
    "hebrew": "אבגשׁﬡ\u05b8\u05c1",
    "devanagari": "कखगड़क़\u093c\u094d\u200dि",
    "thai": "กขคำเแ\u0e49\u0e33\u0e4d๓",
    "lao and malayalam": "ກຳ\u0ecd\u0ec9ເനൻ\u0d4d\u200d",
    "tamil": "தமிௌொ\u0bbe\u0bc6",
    "hangul": "한국어각갂\u1100\u1161\u11a8ㄱﾡ",
    "kana": "かガｶﾞパヒﾟ\u3099\u309aㇰ㍿",
    "han": "中文简体繁體漢字㐀龍\uf900豈〇々二○◯⻓⺀㇐",
    "han beyond the first plane": "𠀀𪛖𫝀𰀀𱍐\U0002f800",
    "full width": "ＡｚＺ０９！（），。",
    "mathematics": "𝐀𝒜𝔄𝟘∑∫⁴₂½ⅨℵℌΩ≠≮",
    "emoji": "😀👩\u200d🚀❤\ufe0f🏽🇩🇪\U000e0067★▷1\u20e3°⠓",
    "spaces and controls": " \t\n\r\0\x1f\x7f\x85\xa0\u1680\u2003\u2028\u2029\u3000",
    "dropped": "\xad\u200b\u200c\u2060\ufeff\u180e\ufe00\U000e0100\u202e\u034f\u3164\u2065\u2800\ufffc",
    "punctuation": ".,;:!?-—_()[]{}«»“”'\"…、。《》^`´¨~+=<>|$€",
    "scripts with case of late": "𐐀𐐨Ꞌꞌ𞤀𞤢\ua7cb\ua7dc\U00010d50\U00010d70\ua7ce\U00016ea0",
}

any_character = st.characters(codec="utf-8")
"""Every Unicode scalar value, assigned or not."""

plain_texts = st.text(any_character, max_size=60)
"""Texts from all planes."""

mixed_texts = st.lists(
    st.sampled_from(sorted(SCRIPTS)).flatmap(lambda name: st.text(SCRIPTS[name], max_size=12)), max_size=8
).map("".join)
"""Texts that go from one script to the next, where one character may act on its neighbour."""

repetitive_texts = st.builds(
    lambda piece, times, end: piece * times + end,
    st.one_of(mixed_texts, st.text(string.ascii_lowercase + "中文 ", max_size=20)),
    st.integers(1, 400),
    st.text(any_character, max_size=5),
)
"""Long texts in which a feature occurs many times."""

texts = st.one_of(plain_texts, mixed_texts, repetitive_texts)
"""Texts of all kinds."""

_windows = st.one_of(
    st.just(""), st.integers(1, 64).map(lambda n: f"n={n}"), st.integers(1, 64).map(lambda n: f"units={n}")
)
_weights = st.sampled_from(["", "weights=once", "weights=tf", "weights=log"])
_punctuation = st.sampled_from(["", "punctuation=drop", "punctuation=keep"])

schemes = st.builds(
    lambda name, options: f"{name}:{','.join(filter(None, options))}",
    st.sampled_from(["chars64", "chars128", "chars256"]),
    st.tuples(_windows, _weights, _punctuation).flatmap(st.permutations),
)
"""Every scheme with every option, in every order."""

widths = st.sampled_from([1, 7, 32, 63, 64, 65, 100, 127, 128, 129, 192, 255, 256])
"""Widths of fingerprints, at and beside the edges of words."""

weighted_hashes = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 1))), max_size=40
)
"""Features as (hash, weight)."""

_PHRASES = [
    "the quick brown fox jumps over the lazy dog",
    "我们在讨论相似文本的查找方法，它应当很快",
    "lorem ipsum dolor sit amet consectetur",
    "съешь же ещё этих мягких французских булок",
    "one two three four five six seven eight",
]
_EDITS = ["", ".", "!?", " x", " and", " 也", "s", " 1", " 2", " THE END"]

_values = st.one_of(
    st.integers(-3, 3),
    st.integers(-3, 3),
    st.integers(-(2**100), 2**100),
    st.sampled_from([2**53, 2**53 + 1, float(2**53), 1.5, -0.0, 1e300]),
    st.sampled_from(["", "2024-01-01", "2024-01-02", "é", "中", "𐐀", "\uffff"]),
    st.booleans(),
    st.none(),
    st.just([1]),
    st.just({"of": 1}),
)


def _record(text: Any, fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "text": text}


_documents = st.one_of(
    st.builds(
        lambda phrase, edit, upper: (phrase + edit).upper() if upper else phrase + edit,
        st.sampled_from(_PHRASES),
        st.sampled_from(_EDITS),
        st.booleans(),
    ),
    st.sampled_from(["", "?!", " \n", "a", "b", "A"]),
    mixed_texts,
)

records = st.builds(
    _record,
    st.one_of(_documents, _documents, _documents, _documents, st.none()),
    st.fixed_dictionaries({}, optional={"score": _values, "date": _values}),
)
"""Records with exact and near copies, ties, missing fields, texts without features, and some that fail."""

_crowded_records = st.builds(
    _record,
    st.builds(lambda phrase, edit: phrase + edit, st.sampled_from(_PHRASES), st.sampled_from(_EDITS)),
    st.fixed_dictionaries({"score": _values}, optional={"date": _values}),
)

collections = st.one_of(st.lists(records, max_size=25), st.lists(_crowded_records, min_size=12, max_size=40))
"""Small collections, copies on purpose and by chance; some crowded, so that a document has several near ones."""

keep_orders = st.lists(
    st.sampled_from(
        ["first", "last", "longest", "shortest", "max:score", "min:score", "max:date", "min:date", "max:nowhere"]
    ),
    min_size=1,
    max_size=4,
)
"""Lists of keep rules."""


@st.composite
def _near_fingerprints(draw: st.DrawFn) -> tuple[int, list[int | None]]:
    width = draw(st.sampled_from([1, 31, 32, 33, 64, 65, 128, 200, 256]))
    values = st.integers(0, 2**width - 1)
    # Bits that all values share, and a few centres, so that many are equal or near.
    constant, centres = draw(values), draw(st.lists(values, min_size=1, max_size=5))
    flips = st.lists(st.integers(0, width - 1), max_size=4).map(lambda bits: sum({1 << bit for bit in bits}))
    near = st.builds(lambda centre, flip: (centre | constant) ^ flip, st.sampled_from(centres), flips)
    return width, draw(st.lists(st.one_of(near, near, values, st.none()), max_size=40))


near_fingerprints = _near_fingerprints()
"""A width, and fingerprints of it as numbers: equal, near, skewed, far or none."""
