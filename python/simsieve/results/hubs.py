"""Doubts on a run: clusters that are probably forms, and the kind of texts that the collection looks like.

Most near duplicates of a form lose much of their text, or have other numbers. A kind shows by lengths, markup, articles
of laws, options and signs of programs.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.display import cut
from simsieve.messages import Message
from simsieve.results.losses import MUCH
from simsieve.results.near import Texts, near_drops

LEAST = 10
"""Near duplicates of one document from which on it may be a hub."""
HUBS, _COMPARED = 3, 2
"""Hubs that are told, and near duplicates whose texts are compared with the document kept for them."""
_CHARACTERS, _PASSAGE = 4000, 60
"""Characters of a text that are compared, half at either end, and those of a shared passage that are shown."""


@dataclass(frozen=True, slots=True)
class Hub:
    """A kept document whose near duplicates are probably other documents, and the passage that they share."""

    representative: Any
    near_duplicates: int
    lost_much: int
    conflicts: int
    passage: str


@dataclass(frozen=True, slots=True)
class Crowd:
    """A hub before its texts are read: the kept document, and near duplicates to compare with it."""

    documents: list[int]
    near_duplicates: int
    lost_much: int
    conflicts: int

    def hub(self, name: Any, texts: Sequence[str]) -> dict[str, Any]:
        """Give the hub, as JSON has it, by the name of the kept document and the texts of `documents`."""
        passage = cut(" ".join(common_part([_ends(text) for text in texts]).split()), _PASSAGE)
        return asdict(Hub(name, self.near_duplicates, self.lost_much, self.conflicts, passage))


def hubs_of(
    documents: _core.Documents, schemes: Sequence[_core.Scheme], columns: _core.Decisions
) -> list[dict[str, Any]]:
    """Give the largest hubs, as JSON has them."""
    near = near_drops(columns)
    crowds = crowds_of(schemes[0], near.position, near.representative, near.lost > MUCH, near.conflict > 0)
    texts = Texts(documents, schemes[0], len(columns))
    return [crowd.hub(texts.label(crowd.documents[0]), [texts.text(at) for at in crowd.documents]) for crowd in crowds]


def crowds_of(
    scheme: _core.Scheme,
    position: NDArray[np.int64],
    representative: NDArray[np.int64],
    much: NDArray[np.bool_],
    conflict: NDArray[np.bool_],
) -> list[Crowd]:
    """Find the largest hubs, by columns of near duplicates."""
    if not may_have_hubs(scheme) or len(position) < LEAST:
        return []
    heads, of, sizes = np.unique(representative, return_inverse=True, return_counts=True)
    doubtful = np.bincount(of, weights=much | conflict)
    found = np.flatnonzero((sizes >= LEAST) & (2 * doubtful > sizes))
    crowds = []
    for hub in found[np.argsort(-sizes[found], kind="stable")][:HUBS].tolist():
        members = np.flatnonzero(of == hub)
        some = [int(heads[hub]), *position[members[(much | conflict)[members]]][:_COMPARED].tolist()]
        crowds.append(Crowd(some, int(sizes[hub]), int(much[members].sum()), int(conflict[members].sum())))
    return crowds


def may_have_hubs(scheme: _core.Scheme) -> bool:
    """Return whether texts that are near may be forms: pages are near by their structure, whatever they say."""
    return scheme.has_features and not scheme.spec.startswith("dom")


def warn_of_hubs(hubs: list[dict[str, Any]], warn: Callable[[Message], Any]) -> None:
    """Warn of the largest hub, with what keeps its near duplicates apart."""
    for hub in hubs[:1]:
        warn(Message(
            "{count:,} near duplicates of {name!r} share {passage!r} and are probably other documents: {much:,} lose "
            "more than {units} units, and the numbers of {conflicts:,} conflict; {@conflict} numbers,text or "
            "{@max_lost} {units} keeps them apart, or `simsieve templates` finds what they share, for {@ignore}",
            count=hub["near_duplicates"], name=str(hub["representative"]), passage=hub["passage"],
            much=hub["lost_much"], units=MUCH, conflicts=hub["conflicts"],
        ))  # fmt: skip


def _ends(text: str) -> str:
    """The beginning and the end of a long text."""
    half = _CHARACTERS // 2
    return text if len(text) <= _CHARACTERS else f"{text[:half]}\n{text[-half:]}"


def common_part(texts: list[str]) -> str:
    """Give the longest part that all texts have, the first one in the first text."""
    low, high, found = 1, min(map(len, texts)), ""
    while low <= high:
        length = (low + high) // 2
        others = [{text[at : at + length] for at in range(len(text) - length + 1)} for text in texts[1:]]
        first = texts[0]
        parts = (first[at : at + length] for at in range(len(first) - length + 1))
        part = next((part for part in parts if all(part in other for other in others)), None)
        if part is None:
            high = length - 1
        else:
            low, found = length + 1, part
    return found


_LOOKED_AT, _OF_A_TEXT = 100, 2000
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
    read = [text[:_OF_A_TEXT] for text in texts]
    for kind, (pattern, least) in _SIGNS.items():
        sign = re.compile(pattern, re.MULTILINE)
        counts = [(len(sign.findall(text)), len(text)) for text in read]
        if kind == "poems":
            counts = [(count * (length < _CHARACTERS_A_VERSE * count), length) for count, length in counts]
        if (alike := sum(count >= least for count, _ in counts)) > _MANY * len(read):
            return kind, alike
    short = sum(len(text) < _SHORT for text in read)
    return ("short", short) if short > _MANY * len(read) else None
