"""Where two texts differ, aligned and shortened for reading."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A part is a Han character, a word, a run of spaces or a single sign.
# It is compiled when it is first used, since that takes longer than the rest of this module.
PART = r"(?s)[\u3400-\u9fff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\U00020000-\U0003ffff]+|\s+|."
# Aligning costs up to the product of the lengths, or more with many repetitions: above this it is not tried.
_MOST = 8_000
_LONGEST = 80
MOST_CHARACTERS = 2_000
"""What a page shows of a text."""


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


def differences(a: str, b: str) -> list[Difference]:
    """Align two texts word by word and list where they differ."""
    # The common start and end are removed first. With more than 8,000 remaining words the texts are aligned line by
    # line. With more than 8,000 remaining lines the rest is one difference.
    found = []
    a_at = b_at = 0
    for equal, a_part, b_part in aligned_parts(a, b):
        if not equal:
            found.append(Difference(a_at, b_at, shortened(a_part), shortened(b_part)))
        a_at, b_at = a_at + len(a_part), b_at + len(b_part)
    return found


def in_words(found: Sequence[Difference]) -> str:
    """Write differences on one line, as a table has them."""
    return "; ".join(f"{one.a!r} -> {one.b!r}" for one in found)


def aligned_parts(a: str, b: str) -> Iterator[tuple[bool, str, str]]:
    """Cut two texts into parts that are equal and parts that differ, as `differences` aligns them."""
    if a == b:
        yield from [(True, a, b)] if a else []
        return
    one, other = re.findall(PART, a), re.findall(PART, b)
    before, after = _alike_ends(one, other)
    if max(len(one), len(other)) - before - after > _MOST:
        lines = a.splitlines(keepends=True), b.splitlines(keepends=True)
        ends = _alike_ends(*lines)
        if max(map(len, lines)) - sum(ends) <= _MOST:
            (one, other), (before, after) = lines, ends
    if before:
        alike = "".join(one[:before])
        yield True, alike, alike
    yield from _aligned(one[before : len(one) - after], other[before : len(other) - after])
    if after:
        alike = "".join(one[len(one) - after :])
        yield True, alike, alike


def _alike_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many items two lists begin and end with alike."""
    shorter = min(len(one), len(other))
    before = 0
    while before < shorter and one[before] == other[before]:
        before += 1
    after = 0
    while after < shorter - before and one[-1 - after] == other[-1 - after]:
        after += 1
    return before, after


def _aligned(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    if max(len(one), len(other)) > _MOST:
        yield False, "".join(one), "".join(other)
        return
    matcher = difflib.SequenceMatcher(None, one, other)
    for kind, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        yield kind == "equal", "".join(one[a_from:a_to]), "".join(other[b_from:b_to])


def shortened(text: str) -> str:
    """Cut a text to 80 characters from its two ends, with an ellipsis between."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return text[: half - 1] + "…" + text[-half:]


def clipped(a: str, b: str, most: int = MOST_CHARACTERS) -> list[tuple[bool, str, str]]:
    """Align at most a number of characters of two texts; a tenth of them precede the first difference."""
    same = first_difference(a, b)
    start = 0 if same <= most // 10 or max(len(a), len(b)) <= most else same - most // 10
    one, other = (text[start : start + most] for text in (a, b))
    parts = list(aligned_parts(one, other))
    if start:
        parts.insert(0, (True, "… ", "… "))
    if max(len(a), len(b)) > start + most:
        parts.append((True, " …", " …"))
    return parts


def first_difference(a: str, b: str) -> int:
    """Give where two texts begin to differ, by halves: comparing slices is much quicker than comparing characters."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    return low
