"""The plain twin of the core's schemes: their definition in a few lines of Python, slow and without a trick.

Unicode's facts come from `unicodedata2`, the hash from `xxhash`; neither shares a line with the core.
"""

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import unicodedata2
import xxhash

MASK = 2**64 - 1
SPACE = {"Cc", "Zs", "Zl", "Zp"}
PUNCTUATION = {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sk"}
# Characters that say about as much as a syllable or word of an alphabet: jamo, radicals, kana, bopomofo, Han, Yi,
# Hangul syllables, Tangut, Khitan and Nushu, with their extensions.
DENSE = [
    (0x1100, 0x11FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3040, 0x318F), (0x31A0, 0x31BF),
    (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF), (0x17000, 0x18DFF), (0x1AFF0, 0x1B2FF), (0x20000, 0x3FFFD),
]  # fmt: skip


@dataclass(frozen=True)
class Options:
    """What a scheme's spec says."""

    width: int
    window: int = 6
    by_units: bool = True
    weights: str = "once"
    punctuation: str = "drop"


def parse(spec: str) -> Options:
    """Read a spec that is known to be right."""
    name, _, rest = spec.partition(":")
    given = dict(option.split("=") for option in rest.split(",") if option)
    return Options(
        int(name.removeprefix("chars")),
        int(given.get("n", given.get("units", 6))),
        "n" not in given,
        given.get("weights", "once"),
        given.get("punctuation", "drop"),
    )


def digest(spec: str, unicode_version: str) -> str:
    """Everything that can move a bit, in words, and their hash."""
    o = parse(spec)
    words = (
        f"simsieve scheme 1\nnormaliser nfkc-casefold/3\nunicode {unicode_version}\npunctuation {o.punctuation}\n"
        f"window {'units' if o.by_units else 'characters'} {o.window}\n"
        f"weights {o.weights}, {8 if o.weights == 'log' else 0} fraction bits\n"
        f"hash xxh3-64, words mixed by splitmix64\nwidth {o.width}\nsign > 0\n"
    )
    return xxhash.xxh3_128_hexdigest(words.encode())


# What is invisible and no format character: Default_Ignorable_Code_Point less Cf, from Unicode's DerivedCoreProperties.
IGNORABLE = [
    (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
]  # fmt: skip


def is_dropped(c: str) -> bool:
    """Invisible characters go before all else."""
    return unicodedata2.category(c) == "Cf" or any(low <= ord(c) <= high for low, high in IGNORABLE)


# Sequences of today's letters, as they were written with a zero-width joiner: chillu, khanda ta, eyelash ra.
JOINED = {
    f"{chr(letter)}{virama}\u200d": chillu
    for virama, row in {
        "\u0d4d": {0xD23: "\u0d7a", 0xD28: "\u0d7b", 0xD30: "\u0d7c", 0xD32: "\u0d7d", 0xD33: "\u0d7e",
                   0xD15: "\u0d7f"},
        "\u09cd": {0x9A4: "\u09ce"},
        "\u094d": {0x930: "\u0931\u094d"},
    }.items()
    for letter, chillu in row.items()
}  # fmt: skip
ALIKE = str.maketrans({
    0x649: "\u064a", 0x6CC: "\u064a", 0x6A9: "\u0643", 0x6C1: "\u0647", 0x6D5: "\u0647",
    0x6C0: "\u0647\u0654", 0x6C2: "\u0647\u0654",
    0x6C3: "\u0629", 0x219: "\u015f", 0x21B: "\u0163",
})  # fmt: skip
# Equivalent_Unified_Ideograph of U+2E81 to U+2EF3 and U+31C6 to U+31E1, "-" where a character has none.
RADICALS = str.maketrans({
    chr(first + at): ideograph
    for first, row in {
        0x2E81:
        "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑𫜹忄心扌攵-旡日月歺母民氵氺灬爫爫丬牛犭王𤴔"
        "目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见"
        "角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
        0x31C6: "𠃌--------乀一丨丿丿丶𠃍乛𠃊𠃎𠄌亅𡿨𠃋乀𠃑乚乙𠄎",
    }.items()
    for at, ideograph in enumerate(row)
    if ideograph != "-"
})  # fmt: skip


def unified(text: str) -> str:
    """One character for those that look alike."""
    text = text.translate(ALIKE).translate(RADICALS)
    text = "".join(str(unicodedata2.digit(c)) if unicodedata2.category(c) == "Nd" else c for c in text)
    text = text.replace("\u0e40\u0e40", "\u0e41").replace("\u0ec0\u0ec0", "\u0ec1")
    text = re.sub("([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb]+)", r"\2\1", text)
    return re.sub("(?<=[〇零一二三四五六七八九])[○◯]+", lambda found: "〇" * len(found[0]), text)


# Characters that came with Unicode 15 or later and fold to something else than one small letter.
LATER = {"\U0001df95": "ss"}


@lru_cache(maxsize=10_000)
def casefold(c: str) -> str:
    """Full case folding.

    Python knows it for its own version of Unicode only. A capital letter that came later folds to the small letter of
    its name; foldings of older characters never change.
    """
    if unicodedata.category(c) == "Cn" and unicodedata2.category(c) == "Lu":
        small: str = unicodedata2.lookup(unicodedata2.name(c).replace("CAPITAL", "SMALL"))
        return small
    return LATER.get(c) or c.casefold()


@lru_cache(maxsize=128)
def normalise(text: str) -> str:
    """The normalised text, remembered for a while: several schemes ask for that of one text."""
    return normalised(text)


def normalised(text: str) -> str:
    """NFKC, case folding, one character for those alike, NFKC, and white space as one space within."""
    text = "".join(c for c in text if c == "\u200d" or not is_dropped(c))
    text = re.sub("|".join(JOINED), lambda found: JOINED[found[0]], text).replace("\u200d", "")
    text = re.sub("([\u0e33\u0eb3])([\u0e48-\u0e4b\u0ec8-\u0ecb]+)", r"\2\1", text)
    text = unicodedata2.normalize("NFKC", text)
    text = unicodedata2.normalize("NFKC", unified("".join(map(casefold, text))))
    spaced = "".join(" " if unicodedata2.category(c) in SPACE or c in "\u2800\ufffc" else c for c in text)
    return " ".join(filter(None, spaced.split(" ")))


def is_outside(c: str) -> bool:
    """White space, controls and punctuation; the tilde and bars are punctuation here, and signs in Unicode."""
    return unicodedata2.category(c) in SPACE | PUNCTUATION or c in "~|¦\u2800\ufffc"


def is_drawn(c: str) -> bool:
    """Symbols that are drawings: no degree, Braille, hexagram, stroke, radical or description of an ideograph."""
    if c == "\u20e3" or "\u25a0" <= c <= "\u25ff":
        return True
    counted = ["°°", "\u2801\u28ff", "\u2ff0\u2fff", "\u31c0\u31ef", "\u4dc0\u4dff"]
    is_kept = units(c) == 2 or any(ends[0] <= c <= ends[1] for ends in counted)
    return unicodedata2.category(c) == "So" and not is_kept


def compact(text: str, punctuation: str) -> str:
    """What features are cut from: drawings only where there is nothing else."""
    text = normalise(text)
    if punctuation == "keep":
        return text
    text = "".join(c for c in text if not is_outside(c))
    return "".join(c for c in text if not is_drawn(c)) or text


@lru_cache(maxsize=10_000)
def units(c: str) -> int:
    """How much of a window a character fills."""
    return 2 if any(low <= ord(c) <= high for low, high in DENSE) else 1


def windows(text: str, o: Options) -> list[str]:
    """From every character the shortest run that fills a window; a text that fills none is one window."""
    sizes = [units(c) if o.by_units else 1 for c in text]
    found, end, filled = [], 0, 0
    for start in range(len(text)):
        while filled < o.window and end < len(text):
            filled += sizes[end]
            end += 1
        if filled < o.window:
            break
        found.append(text[start:end])
        filled -= sizes[start]
    return found or ([text] if text else [])


def weight(count: int, rule: str) -> int:
    """A feature's integer weight; Python rounds half to even."""
    if rule == "log":
        return round(256 * (1 + math.log(count)))
    return count if rule == "tf" else 1


def features(text: str, o: Options) -> dict[str, tuple[int, int, int]]:
    """Each distinct window with its hash, count and weight, in the order of their first occurrence."""
    counts = Counter(windows(compact(text, o.punctuation), o))
    return {f: (xxhash.xxh3_64_intdigest(f.encode()), n, weight(n, o.weights)) for f, n in counts.items()}


def word(value: int, k: int) -> int:
    """Word k of a feature's hash: the hash itself, or the finaliser of splitmix64 of it and k."""
    if k == 0:
        return value
    x = (value + k * 0x9E3779B97F4A7C15) & MASK
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def sums(weighted: list[tuple[int, int]], width: int) -> list[int]:
    """For each bit, lowest first: weights of the features that have it less weights of those that have not."""
    wide = [(sum(word(h, k) << 64 * k for k in range(-(-width // 64))), w) for h, w in weighted]
    return [sum(w if value >> bit & 1 else -w for value, w in wide) for bit in range(width)]


def added_up(weighted: list[tuple[int, int]], width: int, least: float = 1) -> int | None:
    """The bits of hashes that are wide enough: 1 where a sum is `least` or more; None where nothing weighs."""
    if not any(weight for _, weight in weighted):
        return None
    totals = (sum(w if value >> bit & 1 else -w for value, w in weighted) for bit in range(width))
    return sum(1 << bit for bit, total in enumerate(totals) if total >= least)


def fold(weighted: list[tuple[int, int]], width: int) -> int:
    """The fingerprint: a bit is set where its sum is above zero."""
    return sum(1 << bit for bit, total in enumerate(sums(weighted, width)) if total > 0)


def fingerprint(text: str, o: Options) -> int | None:
    """The fingerprint of a text; None where it has no features."""
    weighted = [(h, w) for h, _, w in features(text, o).values()]
    return fold(weighted, o.width) if weighted else None


def weights(text: str, o: Options) -> dict[str, int]:
    """The weight of each feature."""
    return {feature: weight for feature, (_, _, weight) in features(text, o).items()}


def cosine(x: dict[str, int], y: dict[str, int]) -> float:
    """The cosine of two texts' weights; 0 where one has none."""
    norm = sum(w * w for w in x.values()) * sum(w * w for w in y.values())
    return sum(x[feature] * y[feature] for feature in x.keys() & y.keys()) / math.sqrt(norm) if norm else 0.0
