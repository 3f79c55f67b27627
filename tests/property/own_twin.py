"""The plain twin of schemes of one's own: what the parts say, in a few lines of Python each."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import unicodedata2
from tests.property import token_twin, twin

HASHES: dict[str, Callable[[str], int]] = {
    "xxh3": token_twin.xxh3,
    "md5": token_twin.md5,
    "fnv1": lambda token: token_twin.mixed(token_twin.fnv1(token)),
    "sha1": lambda token: int(hashlib.sha1(token.encode(), usedforsecurity=False).hexdigest(), 16),
}


def fnv1a(token: str) -> int:
    """FNV-1a of 64 bits, widened."""
    value = 0xCBF29CE484222325
    for byte in token.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return token_twin.mixed(value)


HASHES["fnv1a"] = fnv1a

STEPS: dict[str, Callable[[str], str]] = {
    "usual": twin.normalise,
    "nfc": lambda text: unicodedata2.normalize("NFC", text),
    "nfkd": lambda text: unicodedata2.normalize("NFKD", text),
    "spaces": lambda text: " ".join(text.split()),
    "no-spaces": lambda text: "".join(text.split()),
    "no-digits": lambda text: "".join(c for c in text if unicodedata2.category(c) != "Nd"),
}


def rows(items: list[str], n: int) -> list[str]:
    """So many in a row, all of them where they are fewer."""
    return [" ".join(items[i : i + n]) for i in range(max(len(items) - n + 1, 1))] if items else []


def tokens(text: str, parts: dict[str, Any]) -> list[str]:
    """The features of a text, repetitions and all."""
    for step in parts["normalise"]:
        text = STEPS[step](text)
    stop, n, kind = set(parts["stop"]), parts["n"], parts["features"]
    interest = parts.get("pattern") or ""
    if kind == "chars":
        text = "".join(c for c in text if re.match(interest, c))
        return [text[i : i + n] for i in range(max(len(text) - n + 1, 1))] if text else []
    if kind == "lines":
        lines = [line for line in re.split("[\n\r\x85\u2028\u2029]", text) if line and line not in stop]
        return [line for line in lines if re.match(interest, line)]
    if kind == "words":
        # The twin's words are those of a normalised text, and normalising again changes nothing.
        kind = token_twin.words_in_fours if parts["unspaced"] == "fours" else token_twin.words
    return rows([token for token in kind(text) if token not in stop and re.match(interest, token)], n)


def weight(token: str, n: int, parts: dict[str, Any]) -> int:
    """A whole weight, rounded once."""
    rule: Any = parts["weights"]
    if rule == "once":
        return 1
    if rule == "tf":
        return n
    if rule == "log":
        return round(256 * (1 + math.log(n)))
    if rule in ("idf", "log-idf", "tf-idf"):
        idf = math.log((parts["documents"] + 1) / (parts["having"][token] + 1)) + 1
        return round(256 * (idf * {"idf": 1, "log-idf": 1 + math.log(n), "tf-idf": n}[rule]))
    exact: float = rule(token, n) if callable(rule) else rule.get(token, parts["other"]) * n
    units: int = 2 ** parts["fraction_bits"]
    return round(exact * units)


def fingerprint(text: str, parts: dict[str, Any]) -> int | None:
    """The fingerprint; None where nothing weighs."""
    hashed = HASHES.get(parts["hash"], parts["hash"])
    weighted = [(hashed(token), weight(token, n, parts)) for token, n in Counter(tokens(text, parts)).items()]
    units = {"once": 1, "tf": 1, "log": 256}.get(
        parts["weights"] if isinstance(parts["weights"], str) else "", 2 ** parts["fraction_bits"]
    )
    sign = parts["sign"]
    least = 0 if sign == ">= 0" else math.floor(float(sign[1:]) * units) + 1
    return twin.added_up(weighted, parts["width"], least)


def split(text: str) -> list[str]:
    """A segmenter of one's own."""
    return text.split()


def by_length(feature: str, count: int) -> float:
    """A weight of one's own."""
    return len(feature) * count / 3


@lru_cache(maxsize=200_000)
def plain_hash(feature: str) -> int:
    """A hash of one's own."""
    value = 0
    for c in feature:
        value = (value * 7919 + ord(c)) % 2**256
    return value
