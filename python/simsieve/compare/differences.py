"""Where two texts differ, aligned and shortened for reading; `compare` shows it."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A part is a Han character, a word, a run of spaces or a single sign.
_TOKEN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\U00020000-\U0003ffff]+|\s+|.", re.DOTALL)
# Aligning costs up to the product of the lengths, or more with many repetitions: above this it is not tried.
_MOST = 8_000
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two texts differ.

    Args:
        a_start: Where it begins in the first text, in characters.
        b_start: Where it begins in the second, in characters.
        a: What the first has there, shortened; empty where it has nothing.
        b: What the second has there.

    Example:
        >>> differences("one two three", "one 2 three")
        [Difference(a_start=4, b_start=4, a='two', b='2')]
    """

    a_start: int
    b_start: int
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class _Middle:
    """Two lists of parts without their common start and end; `start` counts characters."""

    start: int
    one: Sequence[str]
    other: Sequence[str]

    @property
    def is_short(self) -> bool:
        return max(len(self.one), len(self.other)) <= _MOST


def differences(a: str, b: str) -> list[Difference]:
    """Align two texts word by word and list where they differ.

    The common start and end are removed first. With more than 8,000 remaining words the texts are aligned line by line.
    With more than 8,000 remaining lines the rest is one difference.

    Args:
        a: A text.
        b: Another.

    Returns:
        All differences in the order of the texts; each side is shortened to 80 characters with an ellipsis.

    Example:
        >>> differences("same", "same")
        []
    """
    if a == b:
        return []
    words = _middle(_TOKEN.findall(a), _TOKEN.findall(b))
    if words.is_short:
        return list(_aligned(words))
    lines = _middle(a.splitlines(keepends=True), b.splitlines(keepends=True))
    if lines.is_short:
        return list(_aligned(lines))
    return [Difference(words.start, words.start, *(shortened("".join(side)) for side in (words.one, words.other)))]


def _middle(one: Sequence[str], other: Sequence[str]) -> _Middle:
    shorter = min(len(one), len(other))
    before = 0
    while before < shorter and one[before] == other[before]:
        before += 1
    after = 0
    while after < shorter - before and one[-1 - after] == other[-1 - after]:
        after += 1
    start = sum(map(len, one[:before]))
    return _Middle(start, one[before : len(one) - after], other[before : len(other) - after])


def _aligned(middle: _Middle) -> Iterator[Difference]:
    a_at = b_at = middle.start
    matcher = difflib.SequenceMatcher(None, middle.one, middle.other)
    for kind, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        a_part, b_part = "".join(middle.one[a_from:a_to]), "".join(middle.other[b_from:b_to])
        if kind != "equal":
            yield Difference(a_at, b_at, shortened(a_part), shortened(b_part))
        a_at, b_at = a_at + len(a_part), b_at + len(b_part)


def shortened(text: str) -> str:
    """Cut a text to 80 characters from its two ends, with an ellipsis between.

    Example:
        >>> len(shortened("x" * 1000))
        80
    """
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return text[: half - 1] + "…" + text[-half:]
