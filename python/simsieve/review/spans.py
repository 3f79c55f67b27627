"""Two texts as runs of characters with marks: what differs, is lost, is a number or a negation, and what is folded."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from simsieve import _core
from simsieve.differences import clipped
from simsieve.screen import CONTROLS
from simsieve.screen import visible as escaped

MOST_CHARACTERS = 8_000
"""Characters of a text that are shown, a tenth of them before the first difference."""
_FOLDED = 240
"""Equal parts that are longer are folded, but for their ends."""
_END = 60
_NUMBER = r"[\d²³¹⁰⁴-⁹₀-₉①-⑳Ⅰ-ⅿ½⅓¼¾]+(?:[.,:/][\d]+)*(?:\s?[%‰％])?|[零〇一二两三四五六七八九十百千万亿]{2,}"
_SIGNS = f"[{CONTROLS}\u200b\u2060\ufeff]+"
"""Invisible characters, and those that turn the direction of text: their code points are shown."""
_MOST_SIGNS = 4

Span = tuple[str, str]
"""A run of characters and the names of its marks: `differs`, `lost`, `number`, `negation`, `folded`, `sign`."""
_Mark = tuple[int, int, str]


def side_by_side(a: str, b: str, lost: str) -> tuple[list[Span], list[Span]]:
    """Cut two texts into runs; `lost` is what the first does not have of the second, as the core gives it."""
    parts = clipped(a, b, MOST_CHARACTERS)
    return _side([(equal, one) for equal, one, _ in parts], ""), _side(
        [(equal, other) for equal, _, other in parts], lost
    )


def guards_that_differ(a: str, b: str) -> list[tuple[str, list[str], list[str]]]:
    """Give what numbers or negations one text has and the other has not, as `--same` counts them."""
    found = []
    for guard in ("numbers", "negation"):
        one, other = (Counter(_core.guarded(guard, text)) for text in (a, b))
        if one != other:
            found.append((guard, list((one - other).elements()), list((other - one).elements())))
    return found


def _side(parts: Iterable[tuple[bool, str]], lost: str) -> list[Span]:
    text, marks, differs = "", list[_Mark](), bytearray()
    for equal, part in parts:
        start, text = len(text), text + part
        differs += bytes([not equal]) * len(part)
        if not equal and part:
            marks.append((start, len(text), "differs"))
        elif len(part) > _FOLDED:
            marks.append((start + _END, len(text) - _END, "folded"))
    lost_place = _place_of(lost, text, differs)
    marks += ((*found.span(), "number") for found in re.finditer(_NUMBER, text))
    marks += _negations(text)
    marks += [(*lost_place, "lost")] if lost_place else []
    return list(_with_signs(_runs(text, marks)))


def _negations(text: str) -> Iterator[_Mark]:
    """The words that negate something, wherever they are."""
    words = set(_core.guarded("negation", text))
    for word in words:
        pattern = rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)
        yield from ((*found.span(), "negation") for found in re.finditer(pattern, text, re.IGNORECASE))


def _place_of(run: str, text: str, differs: bytearray) -> tuple[int, int] | None:
    """Where a run without spaces and signs is in a text, in what differs if it is there; None where it is cut."""
    wanted = "".join(map(_folded, run))
    plain = [(at, folded) for at, sign in enumerate(text) if (folded := _folded(sign))]
    places = [at for at, folded in plain for _ in folded]
    joined = "".join(folded for _, folded in plain)
    found, start = None, joined.find(wanted) if wanted else -1
    while start >= 0:
        place = places[start], places[start + len(wanted) - 1] + 1
        if 1 in differs[place[0] : place[1]]:
            return place
        found, start = found or place, joined.find(wanted, start + 1)
    return found


def _folded(sign: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKC", sign).casefold() if one.isalnum())


def _runs(text: str, marks: list[_Mark]) -> Iterator[Span]:
    """Cut a text where a mark begins or ends."""
    ends = sorted({0, len(text), *(end for mark in marks for end in mark[:2])})
    begins: dict[int, list[_Mark]] = {}
    for mark in marks:
        begins.setdefault(mark[0], []).append(mark)
    live: list[_Mark] = []
    for start, end in pairwise(ends):
        live = [mark for mark in (*live, *begins.get(start, ())) if mark[1] > start]
        yield text[start:end], " ".join(sorted({name for _, _, name in live}))


def _with_signs(runs: Iterable[Span]) -> Iterator[Span]:
    """Write signs that cannot be seen by their code points."""
    signs = re.compile(_SIGNS)
    for text, names in runs:
        at = 0
        for found in signs.finditer(text):
            if found.start() > at:
                yield text[at : found.start()], names
            yield _named(found[0]), f"{names} sign".strip()
            at = found.end()
        if at < len(text):
            yield text[at:], names


def _named(signs: str) -> str:
    shown = re.sub("[\u200b\u2060\ufeff]", lambda sign: f"\\u{ord(sign[0]):04x}", escaped(signs[:_MOST_SIGNS]))
    return shown if len(signs) <= _MOST_SIGNS else f"{shown}…×{len(signs)}"
