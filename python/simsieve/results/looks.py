"""The kind that a collection looks like: by lengths, markup, articles of laws, options and signs of programs."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.results.texts import Texts

_LOOKED_AT, _CHARACTERS = 100, 2000
"""Texts to look at (fewer are no collection), and characters to read of each."""
_MANY, _SHORT = 0.5, 80
"""The share of the texts that must look like a kind, and the characters that a short one has less than."""
_SIGNS: dict[str, tuple[str, int]] = {
    "web": (r"<(?:p|div|a|span|td|li|br|html)\b[^>]*>", 3),
    "laws": (r"第[一二三四五六七八九十百零\d]+条|\b(?:Section|Article|§) ?\d+", 3),
    "code": (r"[{};]\s*\n|^\s*(?:def|class|import|return|#include|public|func)\b", 5),
    "questions": (r"(?:^|[\n(\s])\(?[A-D][.、)．]", 3),
    "poems": (r"(?:^|[,，。!！?？;；、\s])(?:[\u4e00-\u9fff]{5}|[\u4e00-\u9fff]{7})(?=[,，。!！?？;；、\s]|$)", 4),
}
"""What texts of a kind have, as a pattern, and how often at least."""
_CHARACTERS_A_VERSE = 12
"""Of a poem at most, for each verse."""


def looks_like(documents: _core.Documents, schemes: Sequence[_core.Scheme], columns: _core.Decisions) -> str | None:
    """Give the kind that most of some kept documents look like; None where it is none of these."""
    kept = np.flatnonzero(columns.decision == 0)
    texts = Texts(documents, schemes[0], len(columns))
    return kind_of_some(schemes[0], kept, lambda some: [texts.text(at) for at in some.tolist()])


def kind_of_some(
    scheme: _core.Scheme, kept: NDArray[np.int64], texts: Callable[[NDArray[np.int64]], Sequence[str]]
) -> str | None:
    """Give the kind that most of some of the documents `kept` look like; `texts` reads these."""
    if not scheme.has_features or len(kept) < _LOOKED_AT:
        return None
    if "extract=" in scheme.spec:
        return "web"
    found = kind_of(texts(kept[np.unique(np.linspace(0, len(kept) - 1, _LOOKED_AT).astype(int))]))
    return None if found is None else found[0]


def kind_of(texts: Sequence[str]) -> tuple[str, int] | None:
    """Give the kind that most of some texts look like, and how many do; None where it is none of these."""
    read = [text[:_CHARACTERS] for text in texts]
    for kind, (pattern, least) in _SIGNS.items():
        sign = re.compile(pattern, re.MULTILINE)
        counts = [(len(sign.findall(text)), len(text)) for text in read]
        if kind == "poems":
            counts = [(count * (length < _CHARACTERS_A_VERSE * count), length) for count, length in counts]
        if (alike := sum(count >= least for count, _ in counts)) > _MANY * len(read):
            return kind, alike
    short = sum(len(text) < _SHORT for text in read)
    return ("short", short) if short > _MANY * len(read) else None
