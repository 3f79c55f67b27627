"""Every family of schemes beside its plain twin, in one table, and what holds the two against each other on any texts.

The twins say what is added up: pairs of a hash and a weight. Adding is the same for all of them, and done with numpy,
so that whole collections can be gone through; a test holds it against the plain sums.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash
from tests.property import entropy_twin, own_twin, page_twin, token_twin, twin
from tests.property.own_twin import by_length, plain_hash, split
from tests.property.test_fold import folded

from simsieve import CustomScheme, Fingerprinter

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pairs = tuple[Sequence[int], Sequence[int]]
"""Hashes of any size, and weights."""

PAGES = ("dom", "own, of pages")
"""The families that read a text as a page."""


@dataclass(frozen=True)
class Twin:
    """A scheme and its twin: what the twin adds up for each of some texts, and the least sum that gives a 1."""

    family: str
    name: str
    scheme: str | CustomScheme
    width: int
    pairs: Callable[[list[str]], Iterator[Pairs]]
    least: float = 1
    given: Callable[[str], str] = str
    """What is made of a text before both see it."""


def folded_bits(pairs: Pairs, width: int, least: float) -> int | None:
    """The fingerprint: for each bit the weights that have it less those that have not; None where nothing weighs."""
    hashes, weights = pairs
    if not any(weights):
        return None
    bound, size = (1 << width) - 1, -(-width // 8)
    raw = b"".join((value & bound).to_bytes(size, "little") for value in hashes)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8).reshape(-1, size), axis=1, count=width, bitorder="little")
    row = np.array(weights, np.int64)
    sums: NDArray[np.int64] = 2 * np.einsum("i,ij->j", row, bits, dtype=np.int64) - row.sum()
    return int.from_bytes(np.packbits(sums >= least, bitorder="little").tobytes(), "little")


def wide(first: Sequence[int], width: int) -> list[int]:
    """Hashes of XXH3 as wide as is asked: further words are mixed from the first."""
    if width <= 64:
        return list(first)
    x = np.array(first, np.uint64)
    words = [x]
    for k in range(1, -(-width // 64)):
        y = x + np.uint64(k * 0x9E3779B97F4A7C15 & twin.MASK)
        y = (y ^ (y >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        y = (y ^ (y >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words.append(y ^ (y >> np.uint64(31)))
    return [sum(word << 64 * k for k, word in enumerate(row)) for row in zip(*(w.tolist() for w in words), strict=True)]


@lru_cache(maxsize=200_000)
def first_word(token: str) -> int:
    """The hash that further words are mixed from."""
    return xxhash.xxh3_64_intdigest(token.encode())


def each(pairs: Callable[[str], Pairs]) -> Callable[[list[str]], Iterator[Pairs]]:
    """What looks at one text at a time."""
    return lambda texts: map(pairs, texts)


@lru_cache(maxsize=token_twin.KEPT)
def windows(text: str, options: twin.Options) -> list[tuple[int, int, int]]:
    """Hash, count and weight of the windows, which no width moves."""
    return list(twin.features(text, options).values())


def chars(spec: str, change: Callable[[str], str] = str) -> Twin:
    """Windows of characters."""
    plain = spec.replace(":fold=t2s", "")
    options = twin.parse(plain)

    def pairs(text: str) -> Pairs:
        found = windows(change(text), replace(options, width=64))
        return wide([value for value, _, _ in found], options.width), [weight for _, _, weight in found]

    return Twin("chars", spec, spec, options.width, each(pairs))


def tokens(spec: str) -> Twin:
    """The schemes on tokens."""
    cut, hashed, width, least = token_twin.SCHEMES[spec]

    def pairs(text: str) -> Pairs:
        weighted = cut(text)
        made = wide(list(map(first_word, weighted)), width) if hashed is token_twin.xxh3 else map(hashed, weighted)
        return list(made), list(weighted.values())

    return Twin(spec.partition(":")[0].rstrip("0123456789"), spec, spec, width, each(pairs), least)


def folded_words(text: str) -> Pairs:
    """Words of the folded text."""
    found = list(dict.fromkeys(token_twin.words(folded(text))))
    return list(map(first_word, found)), [1] * len(found)


def rare_words(texts: list[str]) -> Iterator[Pairs]:
    """Words that weigh by how few of these texts have them."""
    cut = [list(dict.fromkeys(token_twin.words(text))) for text in texts]
    having, documents = Counter(word for row in cut for word in row), sum(map(bool, cut))
    for row in cut:
        weights = [round(256 * (math.log((documents + 1) / (having[word] + 1)) + 1)) for word in row]
        yield list(map(first_word, row)), weights


def entropy(width: int, **chosen: str) -> Twin:
    """E-Simhash with a model of these texts."""
    options = entropy_twin.USUAL | chosen

    def pairs(texts: list[str]) -> Iterator[Pairs]:
        corpus = entropy_twin.Corpus()
        for text in texts:
            corpus.add(entropy_twin.words_of(text, options))
        for text in texts:
            rows = entropy_twin.rows(text, corpus, options)
            yield [value for value, _ in rows], [weight for _, weight in rows]

    spec = f"esimhash{width}" + (":" + ",".join(f"{k}={v}" for k, v in chosen.items()) if chosen else "")
    return Twin("esimhash", spec, spec, width, pairs)


def page(spec: str, levels: int, weight: str, decay: float, *, classes: bool) -> Twin:
    """Elements of a page."""
    width = int(spec[3:6].rstrip(":"))
    first = first_word if "hash=xxh3" in spec else token_twin.fnv1

    def pairs(html: str) -> Pairs:
        made = page_twin.weights(html, levels, weight, decay, classes=classes)
        return wide(list(map(first, made)), width), list(made.values())

    return Twin("dom", spec, spec, width, each(pairs))


def own_page() -> Twin:
    """A scheme of one's own on the elements of a page."""
    parts: dict[str, Any] = {"features": "dom", "levels": 2, "classes": True, "weights": "nearest", "decay": 0.8}
    scheme = CustomScheme("own-page", hash="sha1", width=160, stop=["html", "html/head", "html/body"], **parts)

    def pairs(html: str) -> Pairs:
        made = page_twin.weights(html, 2, "nearest", 0.8, classes=True)
        kept = {path: weight for path, weight in made.items() if path not in ("html", "html/head", "html/body")}
        return list(map(own_twin.HASHES["sha1"], kept)), list(kept.values())

    return Twin("own, of pages", "own-page", scheme, 160, each(pairs))


OWN: dict[str, dict[str, Any]] = {
    "own-chars": {"normalise": ["nfkd", "no-digits"], "features": "chars", "n": 4, "weights": "log", "hash": "sha1",
                  "width": 160, "sign": "> 0"},
    "own-words": {"normalise": ["usual"], "features": "words", "n": 2, "weights": "tf", "hash": "md5", "width": 96,
                  "sign": ">= 0", "stop": ["的", "the"], "unspaced": "fours"},
    "own-lines": {"normalise": ["nfc"], "features": "lines", "weights": by_length, "hash": "fnv1a", "width": 64,
                  "sign": "> 2", "stop": ["---"]},
    "own-split": {"normalise": [], "features": split, "n": 2, "weights": {"the": 0.25, "在": 2.5}, "hash": plain_hash,
                  "width": 200, "sign": "> -1.5", "other": 1.25},
}  # fmt: skip


def own(name: str) -> Twin:
    """A scheme of one's own on texts."""
    parts: dict[str, Any] = {"n": 1, "other": 1.0, "stop": [], "fraction_bits": 20, **OWN[name]}
    units = {"tf": 1, "log": 256}.get(parts["weights"] if isinstance(parts["weights"], str) else "", 2**20)
    sign = parts["sign"]
    least = 0.0 if sign == ">= 0" else math.floor(float(sign[1:]) * units) + 1

    def pairs(text: str) -> Pairs:
        found = Counter(own_twin.tokens(text, parts))
        hashed: Callable[[str], int] = own_twin.HASHES.get(parts["hash"], parts["hash"])
        return list(map(hashed, found)), [own_twin.weight(token, n, parts) for token, n in found.items()]

    scheme = CustomScheme(name, version="1", **{key: value for key, value in parts.items() if key in OWN[name]})
    return Twin("own", name, scheme, parts["width"], each(pairs), least)


def given_number(text: str) -> Pairs:
    """A fingerprint that is brought along."""
    value = int(text, 16)
    return [value, ~value, value], [1, 1, 1]


def twins() -> list[Twin]:
    """Every family, each with the options that take other ways through the core."""
    return [
        *map(chars, ("chars64", "chars128", "chars128:weights=tf", "chars256:n=3,weights=log,punctuation=keep")),
        chars("chars128:fold=t2s", folded),
        *map(tokens, token_twin.SCHEMES),
        Twin("words", "words64:fold=t2s", "words64:fold=t2s", 64, each(folded_words)),
        Twin("words", "words64:weights=idf", "words64:weights=idf", 64, rare_words),
        entropy(128),
        entropy(64),
        # No percentile: of words that weigh as much as the ceiling the last bit of a double would decide.
        entropy(64, tokens="all", tf="share", cap="80%", over="mean", place="word", repeat="last"),
        entropy(128, cap="none", place="none"),
        page("dom64", 1, "sum", 0.45, classes=False),
        page("dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3", 2, "nearest", 0.8, classes=True),
        page("dom128:levels=0,classes=keep,weight=once,hash=xxh3", 0, "once", 1.0, classes=True),
        page("dom256:levels=3,decay=0.7", 3, "sum", 0.7, classes=False),
        own_page(),
        *map(own, OWN),
        Twin("external", "external64", "external64", 64, each(given_number),
             given=lambda text: f"{token_twin.md5(text) % 2**64:x}"),
    ]  # fmt: skip


def compared(one: Twin, texts: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """The core's fingerprint of each text, and the twin's."""
    texts = list(map(one.given, texts))
    printer = Fingerprinter(one.scheme)
    if one.family == "esimhash" or "idf" in one.name.partition(":")[2]:
        printer = printer.fit(texts)
    made = printer.transform(texts)
    values = (int.from_bytes(row.astype("<u8").tobytes(), "little") for row in made.values)
    found = (value if valid else None for value, valid in zip(values, made.valid, strict=True))
    for value, pairs in zip(found, one.pairs(texts), strict=True):
        yield value, folded_bits(pairs, one.width, one.least)
