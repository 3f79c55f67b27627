"""Template families: kept documents that have a long part in common and are not near one another.

A part is in common if it is made of windows that most documents of the family have. Only what all have in that wording
is seen: a template with a changed word in every line has short parts, or none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW = 16
LEAST_MEMBERS = 3
LEAST_SHARE = 0.2
"""Each document of a family has at least this share of its text in common with the others."""
MOST_SHARE = 0.8
"""What this share of the first documents of a family has, is in common."""
_COMPARED = 50
"""Documents of a family in which it is looked up what they have in common."""
_TRIED = 60
"""Groups of texts that are tried, those of the most frequent windows first."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

_Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A family of texts, the parts that they have in common, and the median share of a text that these are."""

    members: list[int]
    parts: list[str]
    share: float


def templates(texts: Sequence[str], most: int) -> list[Template]:
    """Find families of texts with a long part in common, those of many texts first."""
    if len(texts) < LEAST_MEMBERS:
        return []
    hashes = [_windows(text) for text in texts]
    found: list[Template] = []
    taken: set[int] = set()
    for group in _groups(hashes):
        if len(found) == most:
            break
        if sum(member in taken for member in group) * 2 < len(group):
            family = _family(group, texts, hashes)
            if family is not None:
                found.append(family)
                taken.update(family.members)
    return sorted(found, key=lambda family: -len(family.members))


def _windows(text: str) -> _Hashes:
    """A hash of each window; the hashes of windows of twice the length are made of two of them."""
    # A text of JSON may have half a character.
    found = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    found = (found + np.uint64(1)) * _FACTOR
    length = 1
    while length < WINDOW and len(found) > length:
        found = _mixed(found[:-length] * _FACTOR + found[length:])
        length *= 2
    return found if length == WINDOW else found[:0]


def _mixed(values: _Hashes) -> _Hashes:
    values = (values ^ (values >> np.uint64(29))) * _FACTOR
    return values ^ (values >> np.uint64(32))


def _groups(hashes: Sequence[_Hashes]) -> Iterator[list[int]]:
    """The texts that have a window in common, for the most frequent windows."""
    distinct = [np.unique(one) for one in hashes]
    sizes = np.array([len(one) for one in distinct])
    every, texts = np.concatenate(distinct), np.repeat(np.arange(len(distinct)), sizes)
    order = np.argsort(every, kind="stable")
    every, texts = every[order], texts[order]
    _, place, counts = np.unique(every, return_inverse=True, return_counts=True)
    frequent = counts[place] >= LEAST_MEMBERS
    # Texts that share but a phrase with others are in no family. A part has fewer windows than characters.
    shares = np.bincount(texts[frequent], minlength=len(sizes)) / np.maximum(sizes, 1)
    open_texts = frequent & (shares >= LEAST_SHARE / 2)[texts]
    texts = texts[open_texts]
    _, starts, counts = np.unique(every[open_texts], return_index=True, return_counts=True)
    seen: set[tuple[int, ...]] = set()
    for at in np.argsort(-counts, kind="stable").tolist():
        if counts[at] < LEAST_MEMBERS or len(seen) == _TRIED:
            return
        group = tuple(texts[starts[at] : starts[at] + counts[at]].tolist())
        if group not in seen:
            seen.add(group)
            yield list(group)


def _family(group: Sequence[int], texts: Sequence[str], hashes: Sequence[_Hashes]) -> Template | None:
    """The texts of a group of which a large share is in common."""
    some = [np.unique(hashes[member]) for member in group[:_COMPARED]]
    windows, counts = np.unique(np.concatenate(some), return_counts=True)
    common = windows[counts >= max(2, MOST_SHARE * len(some))]
    covers = {member: _covered(texts[member], hashes[member], common) for member in group}
    shares = {member: float(cover.mean()) for member, cover in covers.items() if cover.mean() >= LEAST_SHARE}
    if len(shares) < LEAST_MEMBERS:
        return None
    members = list(shares)
    return Template(
        members, list(_parts(texts[members[0]], covers[members[0]])), float(np.median(list(shares.values())))
    )


def _covered(text: str, hashes: _Hashes, common: _Hashes) -> NDArray[np.bool_]:
    """Which characters of a text are in a common window."""
    starts = np.flatnonzero(np.isin(hashes, common))
    steps = np.zeros(len(text) + 1, dtype=np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, starts + WINDOW, -1)
    return np.cumsum(steps)[:-1] > 0


def _parts(text: str, covered: NDArray[np.bool_]) -> Iterator[str]:
    edges = np.flatnonzero(np.diff(covered.astype(np.int8), prepend=0, append=0)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield text[start:end]
