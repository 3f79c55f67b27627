"""The plain twin of the core's schemes: their definition in a few lines of Python, slow and without a trick.

Unicode's facts come from `unicodedata2`, the hash from `xxhash`; neither shares a line with the core.
"""

import math
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
        f"simsieve scheme 1\nnormaliser nfkc-casefold/2\nunicode {unicode_version}\npunctuation {o.punctuation}\n"
        f"window {'units' if o.by_units else 'characters'} {o.window}\n"
        f"weights {o.weights}, {8 if o.weights == 'log' else 0} fraction bits\n"
        f"hash xxh3-64, words mixed by splitmix64\nwidth {o.width}\nsign > 0\n"
    )
    return xxhash.xxh3_128_hexdigest(words.encode())


def is_dropped(c: str) -> bool:
    """Format characters and variation selectors go before all else."""
    return (
        c in "\u180b\u180c\u180d\u180f"
        or "\ufe00" <= c <= "\ufe0f"
        or "\U000e0100" <= c <= "\U000e01ef"
        or unicodedata2.category(c) == "Cf"
    )


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
    """NFKC, case folding, NFKC, and runs of white space and control characters as one space within."""
    text = unicodedata2.normalize("NFKC", "".join(c for c in text if not is_dropped(c)))
    text = unicodedata2.normalize("NFKC", "".join(map(casefold, text)))
    spaced = "".join(" " if unicodedata2.category(c) in SPACE else c for c in text)
    return " ".join(filter(None, spaced.split(" ")))


def is_outside(c: str) -> bool:
    """White space, controls and punctuation; the tilde and bars are punctuation here, and signs in Unicode."""
    return unicodedata2.category(c) in SPACE | PUNCTUATION or c in "~|¦"


def compact(text: str, punctuation: str) -> str:
    """What features are cut from."""
    text = normalise(text)
    if punctuation == "keep":
        return text
    return "".join(c for c in text if not is_outside(c))


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


def fold(weighted: list[tuple[int, int]], width: int) -> int:
    """The fingerprint: a bit is set where its sum is above zero."""
    return sum(1 << bit for bit, total in enumerate(sums(weighted, width)) if total > 0)


def fingerprint(text: str, o: Options) -> int | None:
    """The fingerprint of a text; None where it has no features."""
    weighted = [(h, w) for h, _, w in features(text, o).values()]
    return fold(weighted, o.width) if weighted else None


def cosine(a: str, b: str, o: Options) -> float:
    """The cosine of two texts' weights; 0 where one has no features."""
    x, y = features(a, o), features(b, o)
    if not x or not y:
        return 0.0
    dot = sum(x[f][2] * y[f][2] for f in x.keys() & y.keys())
    return dot / math.sqrt(sum(w * w for *_, w in x.values()) * sum(w * w for *_, w in y.values()))
