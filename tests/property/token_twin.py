"""The plain twins of the schemes on tokens: what their sources say, in a few lines of Python each.

They share no line with the core. Words come from the package `jieba`, hashes from `hashlib` and `xxhash`, what Unicode
says from Python and `unicodedata2`. A twin gives the weighted tokens of a text; `fingerprint` adds them up.
"""

import hashlib
import importlib
import logging
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import unicodedata2
import xxhash
from tests.property import twin

Weighted = dict[str, int]

KEPT = 128
"""So many texts' words are remembered: several schemes ask for those of one text, one after the other."""


@lru_cache(maxsize=1)
def jieba() -> Any:
    """The package, its keywords with it; its own warnings are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jieba")
        importlib.import_module("jieba.analyse")
    module.setLogLevel(logging.ERROR)
    return module


def remember_blocks() -> None:
    """Let jieba remember what it cut: it cuts each run of Han characters by itself, and real texts repeat theirs."""
    tokenizer = jieba().dt
    cut = tokenizer._Tokenizer__cut_DAG
    tokenizer._Tokenizer__cut_DAG = lru_cache(maxsize=500_000)(lambda block: list(cut(block)))


def shingles(text: str) -> list[str]:
    """Four characters in a row of what `re` takes for words, lower-cased; nothing where it takes nothing."""
    text = "".join(re.findall(r"[\w\u4e00-\u9fcc]+", text.lower()))
    return [text[i : i + 4] for i in range(max(len(text) - 3, 1))] if text else []


def spaces(text: str) -> list[str]:
    """gemantic: what stands between the white space that Java's StringTokenizer knows."""
    return [token for token in re.split("[ \t\n\r\f]", text) if token]


def simple_lower(c: str) -> str:
    """Unicode's simple mapping; Python's full one differs in one character."""
    return "i" if c == "\u0130" else c.lower()


def ascii_words(text: str) -> list[str]:
    """mfonda/simhash: word features."""
    return re.findall(r"[\w']+(?:://[\w./]+)?", "".join(map(simple_lower, text)), re.ASCII)


def letter_words(form: str) -> Callable[[str], list[str]]:
    """mfonda/simhash: Unicode word features of a normal form."""

    def cut(text: str) -> list[str]:
        lower = "".join(map(simple_lower, unicodedata2.normalize(form, text)))
        inside = (c if unicodedata2.category(c)[0] == "L" or c in "-_'" else " " for c in lower)
        return [word for word in "".join(inside).split(" ") if word]

    return cut


@lru_cache(maxsize=KEPT)
def segments(text: str) -> list[str]:
    """E-Simhash's plain SimHash: all tokens."""
    return list(jieba().cut(text))


def han_segments(text: str) -> list[str]:
    """angelo_tools: tokens that begin with a Han character."""
    return [token for token in segments(text) if re.match("[\u4e00-\u9fa5]", token)]


@lru_cache(maxsize=KEPT)
def words(text: str) -> list[str]:
    """Words of a text: runs without space and punctuation, Han in them cut by the segmenter."""
    return normalised_words(twin.normalise(text))


def normalised_words(text: str) -> list[str]:
    """Words of a normalised text."""
    outside = twin.SPACE | twin.PUNCTUATION
    runs = "".join(" " if unicodedata2.category(c) in outside else c for c in text).split(" ")
    parts = [part for run in runs for part in re.split("([\u4e00-\u9fd5]+)", run) if part]
    return [w for part in parts for w in (jieba().cut(part) if re.match("[\u4e00-\u9fd5]", part) else [part])]


def words_in_fours(text: str) -> list[str]:
    """Words, of which what Thai, Lao, Myanmar and Khmer write is parted from the rest and cut into every four."""
    blocks = "\u0e00-\u0eff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff\u19e0-\u19ff"
    found: list[str] = []
    for word in words(text):
        for part in filter(None, re.split(f"([{blocks}]+)", word)):
            cut = re.match(f"[{blocks}]", part) and len(part) > 4
            found += [part[i : i + 4] for i in range(len(part) - 3)] if cut else [part]
    return found


def word_rows(n: int) -> Callable[[str], list[str]]:
    """Words in a row; all of them where they are fewer."""

    def cut(text: str) -> list[str]:
        found = words(text)
        return [" ".join(found[i : i + n]) for i in range(max(len(found) - n + 1, 1))] if found else []

    return cut


def counted(cut: Callable[[str], list[str]]) -> Callable[[str], Weighted]:
    """A token weighs its count."""
    return lambda text: dict(Counter(cut(text)))


def once(cut: Callable[[str], list[str]]) -> Callable[[str], Weighted]:
    """A token weighs 1."""
    return lambda text: dict.fromkeys(cut(text), 1)


@lru_cache(maxsize=KEPT)
def all_keywords(text: str) -> list[tuple[str, float]]:
    """Keywords of jieba with their weights, equally heavy ones in the order of the text."""
    return list(jieba().analyse.extract_tags(text, topK=None, withWeight=True))


def keywords(top: int) -> Callable[[str], Weighted]:
    """The heaviest, with weights in steps of 2^-24."""

    def cut(text: str) -> Weighted:
        return {word: round(weight * 2**24) for word, weight in all_keywords(text)[:top]}

    return cut


def lines(text: str) -> Weighted:
    """TF-IDF over the lines that have words, in steps of 2^-24."""
    parts = map(twin.normalised, re.split("[\n\r\x85\u2028\u2029]", text))
    rows = [row for row in map(normalised_words, parts) if row]
    counts = Counter(word for row in rows for word in row)
    having = Counter(word for row in rows for word in set(row))
    idf = {word: math.log((len(rows) + 1) / (n + 1)) + 1 for word, n in having.items()}
    return {word: round(n / counts.total() * idf[word] * 2**24) for word, n in counts.items()}


@lru_cache(maxsize=200_000)
def md5(token: str) -> int:
    """The whole digest as a number."""
    return int(hashlib.md5(token.encode(), usedforsecurity=False).hexdigest(), 16)


def md5_digits(token: str) -> int:
    """A bit a hex digit."""
    return int("".join("1" if digit >= "8" else "0" for digit in f"{md5(token):032x}"), 2)


@lru_cache(maxsize=200_000)
def fnv1(token: str) -> int:
    """FNV-1 of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in token.encode():
        value = value * 0x100000001B3 % 2**64 ^ byte
    return value


def java(token: str) -> int:
    """The hash of gemantic; Python's integers never end, so the low bits are those of any width."""
    raw = token.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    x = units[0] << 7
    for unit in units:
        x = x * 1000003 ^ unit
    return x ^ len(units)


def xxh3(token: str) -> int:
    """XXH3-64, further words mixed from it."""
    value = xxhash.xxh3_64_intdigest(token.encode())
    return sum(twin.word(value, k) << 64 * k for k in range(4))


# Tokens with weights, hash, width, and the least sum that gives a 1.
SCHEMES: dict[str, tuple[Callable[[str], Weighted], Callable[[str], int], int, int]] = {
    "simhash64": (counted(shingles), md5, 64, 1),
    "gemantic64": (counted(spaces), java, 64, 0),
    "gemantic7": (counted(spaces), java, 7, 0),
    "gemantic200": (counted(spaces), java, 200, 0),
    "mfonda64": (counted(ascii_words), fnv1, 64, 0),
    "mfonda64:words=nfc": (counted(letter_words("NFC")), fnv1, 64, 0),
    "mfonda64:words=nfd": (counted(letter_words("NFD")), fnv1, 64, 0),
    "mfonda64:words=nfkc": (counted(letter_words("NFKC")), fnv1, 64, 0),
    "mfonda64:words=nfkd": (counted(letter_words("NFKD")), fnv1, 64, 0),
    "esimhash_baseline64": (counted(segments), md5, 64, 1),
    "esimhash_baseline128:weights=once": (once(segments), md5, 128, 1),
    "angelo32": (counted(han_segments), md5_digits, 32, 1),
    "keywords64": (keywords(30), xxh3, 64, 1),
    "keywords64:top=3": (keywords(3), xxh3, 64, 1),
    "lines_tfidf64": (lines, fnv1, 64, 1),
    "words64": (once(words), xxh3, 64, 1),
    "words128:unspaced=fours": (once(words_in_fours), xxh3, 128, 1),
    "words256:n=2,weights=tf": (counted(word_rows(2)), xxh3, 256, 1),
}


def fingerprint(text: str, spec: str) -> int | None:
    """The fingerprint of a text; None where it has no tokens or none weighs."""
    cut, hashed, width, least = SCHEMES[spec]
    weighted = [(hashed(token), weight) for token, weight in cut(text).items()]
    if not any(weight for _, weight in weighted):
        return None
    sums = (sum(w if value >> bit & 1 else -w for value, w in weighted) for bit in range(width))
    return sum(1 << bit for bit, total in enumerate(sums) if total >= least)


def cosine(a: str, b: str, spec: str) -> float:
    """The cosine of two texts' weights; 0 where one has no tokens."""
    x, y = (SCHEMES[spec][0](text) for text in (a, b))
    norm = sum(w * w for w in x.values()) * sum(w * w for w in y.values())
    return sum(x[token] * y[token] for token in x.keys() & y.keys()) / math.sqrt(norm) if norm else 0.0
