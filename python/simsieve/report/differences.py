"""Where two texts differ, aligned and shortened for reading; `compare` shows it."""

import difflib
import re
from dataclasses import dataclass

# A Han character stands for itself; elsewhere a word, a run of spaces or a single sign.
_TOKEN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\U00020000-\U0003ffff]+|\s+|.", re.DOTALL)
_MOST_TOKENS = 20_000
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


def differences(a: str, b: str) -> list[Difference]:
    """Align two texts word by word and list where they differ.

    Texts of more than 20,000 words are aligned line by line, since aligning costs up to the product of the lengths.

    Args:
        a: A text.
        b: Another.

    Returns:
        All differences in the order of the texts; each side is shortened to 80 characters with an ellipsis.

    Example:
        >>> differences("same", "same")
        []
    """
    one, other = _TOKEN.findall(a), _TOKEN.findall(b)
    if max(len(one), len(other)) > _MOST_TOKENS:
        one, other = a.splitlines(keepends=True), b.splitlines(keepends=True)
    found = []
    a_at, b_at = 0, 0
    for kind, a_from, a_to, b_from, b_to in difflib.SequenceMatcher(None, one, other).get_opcodes():
        a_part, b_part = "".join(one[a_from:a_to]), "".join(other[b_from:b_to])
        if kind != "equal":
            found.append(Difference(a_at, b_at, shortened(a_part), shortened(b_part)))
        a_at, b_at = a_at + len(a_part), b_at + len(b_part)
    return found


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
