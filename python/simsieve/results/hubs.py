"""Clusters that are probably forms: most of their near duplicates lose much of their text, or have other numbers."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simsieve import _core
from simsieve.display import cut
from simsieve.messages import Message
from simsieve.results.losses import MUCH
from simsieve.results.near import near_drops
from simsieve.results.texts import Texts

_LEAST = 10
"""Near duplicates of one document from which on it may be a hub."""
_HUBS, _COMPARED = 3, 2
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


def hubs_of(
    documents: _core.Documents, schemes: Sequence[_core.Scheme], columns: _core.Decisions
) -> list[dict[str, Any]]:
    """Give the largest hubs, as JSON has them."""
    near = near_drops(columns)
    # Pages of one structure are near under a scheme of structure, whatever they say.
    if not schemes[0].has_features or schemes[0].spec.startswith("dom") or len(near) < _LEAST:
        return []
    much, conflict = near.lost > MUCH, near.conflict > 0
    heads, of, sizes = np.unique(near.representative, return_inverse=True, return_counts=True)
    doubtful = np.bincount(of, weights=much | conflict)
    found = np.flatnonzero((sizes >= _LEAST) & (2 * doubtful > sizes))
    texts, hubs = Texts(documents, schemes[0], len(columns)), []
    for hub in found[np.argsort(-sizes[found], kind="stable")][:_HUBS].tolist():
        members = np.flatnonzero(of == hub)
        some = [int(heads[hub]), *near.position[members[(much | conflict)[members]]][:_COMPARED].tolist()]
        passage = cut(" ".join(common_part([_ends(texts.text(at)) for at in some]).split()), _PASSAGE)
        hubs.append(
            asdict(
                Hub(
                    texts.label(some[0]),
                    int(sizes[hub]),
                    int(much[members].sum()),
                    int(conflict[members].sum()),
                    passage,
                )
            )
        )
    return hubs


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
    """Give the longest part that all texts have, the first one in the first text.

    Complexity: for texts of n characters, n log n slices of up to n characters.
    """
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
