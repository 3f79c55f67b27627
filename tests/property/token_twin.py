"""The plain twins of the schemes on tokens: what their sources say, in a few lines of Python each.

They share no line with the core. Words come from the package `jieba`, hashes from `hashlib` and `xxhash`, what Unicode
says from Python and `unicodedata2`. A twin gives the weighted tokens of a text; `fingerprint` adds them up.
"""

import hashlib
import importlib
import itertools
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
        for part in ("analyse", "posseg"):
            importlib.import_module(f"jieba.{part}")
    module.setLogLevel(logging.ERROR)
    return module


def remember_blocks() -> None:
    """Let jieba remember what it cut: it cuts each run of Han characters by itself, and real texts repeat theirs."""
    tokenizer = jieba().dt
    cut = tokenizer._Tokenizer__cut_DAG
    tokenizer._Tokenizer__cut_DAG = lru_cache(maxsize=500_000)(lambda block: list(cut(block)))


def shingles(text: str) -> list[str]:
    """Four characters in a row of the words that `re` finds, lower-cased; nothing where it finds none."""
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
def segments(text: str, mode: str = "exact", hmm: bool = True) -> list[str]:
    """E-Simhash's plain SimHash: all tokens; jieba's full mode has empty ones beside white space."""
    if mode == "full":
        return [token for token in jieba().cut(text, cut_all=True) if token]
    return list(jieba().cut_for_search(text, hmm) if mode == "search" else jieba().cut(text, HMM=hmm))


def han_segments(text: str, mode: str = "exact", hmm: bool = True) -> list[str]:
    """angelo_tools: tokens that begin with a Han character."""
    return [token for token in segments(text, mode, hmm) if re.match("[\u4e00-\u9fa5]", token)]


def visible(text: str) -> str:
    """A normalised text with a space for each character that is in no word."""
    counted = set(twin.compact(text, "drop"))
    return "".join(c if c in counted else " " for c in text)


@lru_cache(maxsize=KEPT)
def words(text: str, mode: str = "exact", hmm: bool = True) -> list[str]:
    """Words of a text: runs without space and punctuation, Han in them cut by the segmenter."""
    return normalised_words(twin.normalise(text), mode, hmm)


def normalised_words(text: str, mode: str = "exact", hmm: bool = True) -> list[str]:
    """Words of a normalised text."""
    runs = visible(text).split(" ")
    parts = [part for run in runs for part in re.split("([\u4e00-\u9fd5]+)", run) if part]
    han = re.compile("[\u4e00-\u9fd5]")
    return [w for part in parts for w in (segments(part, mode, hmm) if han.match(part) else [part])]


Factors = dict[str, float]
"""The factor of each part of speech; of a tag that is missing no word is taken."""


@lru_cache(maxsize=KEPT)
def tagged(text: str, hmm: bool) -> list[tuple[str, str]]:
    """All that jieba's tagger gives, with its tags."""
    return [(pair.word, pair.flag) for pair in jieba().posseg.cut(text, HMM=hmm)]


def tagged_segments(text: str, factors: Factors, hmm: bool = True) -> list[tuple[str, float]]:
    """All that jieba's tagger gives and that has one of the tags."""
    return [(word, factors[flag]) for word, flag in tagged(text, hmm) if flag in factors]


def tagged_words(text: str, factors: Factors, hmm: bool = True) -> list[tuple[str, float]]:
    """Words by jieba's tags of the whole normalised text: Han as the tagger cuts it, other runs by where they begin."""
    text = twin.normalise(text)
    owners = [(number, flag) for number, (word, flag) in enumerate(tagged(text, hmm)) for _ in word]
    found: list[tuple[str, str]] = []
    for run in re.finditer("([\u4e00-\u9fd5]+)|[^ \u4e00-\u9fd5]+", visible(text)):
        places = range(*run.span())
        if not run[1]:
            found.append((run[0], owners[places[0]][1]))
            continue
        for (_, flag), some in itertools.groupby(places, lambda place: owners[place]):
            found.append(("".join(text[place] for place in some), flag))
    return [(word, factors[flag]) for word, flag in found if flag in factors]


def words_in_fours(text: str) -> list[str]:
    """Words; runs of Thai, Lao, Myanmar and Khmer are parted from the rest and cut into every four characters."""
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


def counted(cut: Callable[..., list[str]], **options: Any) -> Callable[[str], Weighted]:
    """A token weighs its count."""
    return lambda text: dict(Counter(cut(text, **options)))


def once(cut: Callable[..., list[str]], **options: Any) -> Callable[[str], Weighted]:
    """A token weighs 1."""
    return lambda text: dict.fromkeys(cut(text, **options), 1)


def of_tags(cut: Callable[..., list[tuple[str, float]]], tags: str, hmm: bool = True) -> Callable[[str], list[str]]:
    """The tokens with one of these tags."""
    return lambda text: [token for token, _ in cut(text, dict.fromkeys(tags.split(), 1.0), hmm)]


Cut = Callable[[str], list[tuple[str, float]]]
"""Tokens with the factors of their parts of speech."""


def by_factors(cut: Cut, once: bool) -> Callable[[str], Weighted]:
    """A token weighs 1, or its count, times the mean factor, in steps of 2^-16."""

    def weighted(text: str) -> Weighted:
        factors: dict[str, list[float]] = {}
        for token, factor in cut(text):
            factors.setdefault(token, []).append(factor)
        return {
            token: round(2**16 * ((1 if once else len(all_)) * (sum(all_) / len(all_))))
            for token, all_ in factors.items()
        }

    return weighted


def keywords(top: int, tags: tuple[str, ...] = ()) -> Callable[[str], Weighted]:
    """Keywords of jieba with their weights in steps of 2^-24, equally heavy ones in the order of the text."""

    def cut(text: str) -> Weighted:
        found = jieba().analyse.extract_tags(text, topK=None, withWeight=True, allowPOS=tags)
        return {word: round(weight * 2**24) for word, weight in found[:top]}

    return cut


def heavy_keywords(top: int, factors: Factors) -> Callable[[str], Weighted]:
    """Keywords as jieba has them, but that an occurrence counts as often as the factor of its tag says."""

    def cut(text: str) -> Weighted:
        table, counts = jieba().analyse.default_tfidf, Counter[str]()
        for word, factor in tagged_segments(text, factors):
            if len(word.strip()) >= 2 and word.lower() not in table.stop_words:
                counts[word] += factor  # type: ignore[assignment] # a Counter adds any numbers
        total = sum(counts.values())
        weights = {word: n * (table.idf_freq.get(word, table.median_idf) / total) for word, n in counts.items()}
        heaviest = sorted(weights.items(), key=lambda row: -row[1])[:top]
        return {word: round(weight * 2**24) for word, weight in heaviest}

    return cut


def lines(cut: Cut) -> Callable[[str], Weighted]:
    """TF-IDF over the lines that have words, in steps of 2^-24; words count as often as their factors say."""

    def weighted(text: str) -> Weighted:
        rows = [row for row in map(cut, re.split("[\n\r\x85\u2028\u2029]", text)) if row]
        times: dict[str, float] = {}
        for word, factor in itertools.chain(*rows):
            times[word] = times.get(word, 0.0) + factor
        having = Counter(word for row in rows for word in {word for word, _ in row})
        idf = {word: math.log((len(rows) + 1) / (n + 1)) + 1 for word, n in having.items()}
        total = sum(factor for _, factor in itertools.chain(*rows))
        return {word: round(n / total * idf[word] * 2**24) for word, n in times.items()}

    return weighted


def alike(cut: Callable[..., list[str]], **options: Any) -> Cut:
    """Tokens whose parts of speech say nothing."""
    return lambda text: [(token, 1.0) for token in cut(text, **options)]


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
    return mixed(xxhash.xxh3_64_intdigest(token.encode()))


def mixed(value: int) -> int:
    """64 bits, and 192 more mixed from them."""
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
    "keywords200": (keywords(30), xxh3, 200, 1),
    "lines_tfidf31": (lines(alike(words)), fnv1, 31, 1),
    "lines_tfidf256": (lines(alike(words)), lambda token: mixed(fnv1(token)), 256, 1),
    "words32": (once(words), xxh3, 32, 1),
    "keywords64:pos=n+v+eng": (keywords(30, ("n", "v", "eng")), xxh3, 64, 1),
    "keywords64:top=5,pos=n:2+v:0.5+ns:3+eng:0.25": (
        heavy_keywords(5, {"n": 2, "v": 0.5, "ns": 3, "eng": 0.25}), xxh3, 64, 1
    ),
    "esimhash_baseline64:mode=full": (counted(segments, mode="full"), md5, 64, 1),
    "esimhash_baseline64:mode=search,hmm=off": (counted(segments, mode="search", hmm=False), md5, 64, 1),
    "esimhash_baseline128:pos=n+v+x": (counted(of_tags(tagged_segments, "n v x")), md5, 128, 1),
    "esimhash_baseline64:pos=n:2+v:0.5,weights=once": (
        by_factors(lambda text: tagged_segments(text, {"n": 2, "v": 0.5}), True), md5, 64, 1
    ),
    "angelo32:mode=search": (counted(han_segments, mode="search"), md5_digits, 32, 1),
    "angelo32:hmm=off": (counted(han_segments, hmm=False), md5_digits, 32, 1),
    "lines_tfidf64": (lines(alike(words)), fnv1, 64, 1),
    "lines_tfidf64:mode=search,hmm=off": (lines(alike(words, mode="search", hmm=False)), fnv1, 64, 1),
    "lines_tfidf64:pos=n:3+v+r:0.5": (
        lines(lambda text: tagged_words(text, {"n": 3, "v": 1, "r": 0.5})), fnv1, 64, 1
    ),
    "words64": (once(words), xxh3, 64, 1),
    "words64:mode=full": (once(words, mode="full"), xxh3, 64, 1),
    "words64:mode=search,weights=tf": (counted(words, mode="search"), xxh3, 64, 1),
    "words64:hmm=off": (once(words, hmm=False), xxh3, 64, 1),
    "words64:pos=n+v+m+eng+x": (once(of_tags(tagged_words, "n v m eng x")), xxh3, 64, 1),
    "words64:pos=n+v+q,hmm=off": (once(of_tags(tagged_words, "n v q", False)), xxh3, 64, 1),
    "words64:pos=n:2+v:0.5+m:3,weights=tf": (
        by_factors(lambda text: tagged_words(text, {"n": 2, "v": 0.5, "m": 3}), False), xxh3, 64, 1
    ),
    "words128:unspaced=fours": (once(words_in_fours), xxh3, 128, 1),
    "words256:n=2,weights=tf": (counted(word_rows(2)), xxh3, 256, 1),
}  # fmt: skip


def fingerprint(text: str, spec: str) -> int | None:
    """The fingerprint of a text; None where it has no tokens or none weighs."""
    cut, hashed, width, least = SCHEMES[spec]
    return twin.added_up([(hashed(token), weight) for token, weight in cut(text).items()], width, least)
