"""The edits of characters between two texts, and of elements between two pages."""

from collections.abc import Iterable
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.messages import Message
from simsieve.text.checks import lone_surrogates_named
from simsieve.text.html import outline

MOST_EDIT = 40_000_000_000
"""Texts whose lengths in characters have a greater product are not aligned character by character: it would take more
than some two seconds."""


def edit_similarity(a: str, b: str) -> tuple[float | None, str]:
    """Measure the edits of characters between two normalised texts."""
    # Source: Levenshtein, *Soviet Physics Doklady* 10(8), 1966, 707-710; computed by RapidFuzz, the extra `edit`, 64
    # characters at a time (Hyyrö 2003): two texts of 100,000 characters take 0.3 seconds.
    with lone_surrogates_named([a, b]):
        one, other = _core.normalise(a), _core.normalise(b)
    if one == other:
        return 1.0, ""
    if len(one) * len(other) > MOST_EDIT:
        return None, Message(
            "texts of {count:,} and {count_2:,} characters are too long; the product may be up to {most_edit:,}",
            count=len(one), count_2=len(other), most_edit=MOST_EDIT,
        )  # fmt: skip
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  optional
    except ImportError:
        return None, "RapidFuzz is not installed: pip install rapidfuzz"
    return Levenshtein.normalized_similarity(one, other), ""


MOST_CELLS = 50_000_000
"""Pages whose tables need more cells are not aligned element by element: it would take more
than some two seconds."""
_FEW = 100
"""Columns that the smaller page counts for at least."""
_FAR = 1 << 29
"""More than any number of edits."""
_Numbers = NDArray[np.int32]


class Tree(NamedTuple):
    """A tree in postorder."""

    names: list[str]
    first: list[int]
    """For each node the first one of its subtree."""
    roots: list[int]
    """The nodes that are no first children: for each a table is filled, with a column for each node of its subtree."""

    @property
    def columns(self) -> int:
        """The columns of all tables, with an empty one before those of each."""
        return sum(root - self.first[root] + 2 for root in self.roots)


def tree_similarity(a: str, b: str) -> tuple[float | None, str]:
    """Measure the edits of elements between two pages: 1 less the edits by the elements of the larger page, at least 0.

    Source: Zhang and Shasha, *SIAM Journal on Computing* 18(6), 1989, 1245-1262: the least number of elements that are
    inserted, deleted (their children stay) or get another tag.
    """
    one, other = (tree_of((element.tag, element.depth) for element in outline(page)) for page in (a, b))
    if one == other:
        return 1.0, ""
    if max(one.columns, _FEW) * max(other.columns, _FEW) > MOST_CELLS:
        return None, Message(
            "pages of {count:,} and {count_2:,} elements are too large, as deep as they are",
            count=len(one.names), count_2=len(other.names),
        )  # fmt: skip
    return max(0.0, 1 - tree_distance(one, other) / max(len(one.names), len(other.names), 1)), ""


def tree_of(elements: Iterable[tuple[str, int]]) -> Tree:
    """Number elements, given in document order with their depths, in postorder."""
    names, first, open_ = list[str](), list[int](), list[tuple[str, int, int]]()
    for name, depth in (*elements, ("", -1)):
        while open_ and open_[-1][1] >= depth:
            closed, _, begin = open_.pop()
            names.append(closed)
            first.append(begin)
        open_.append((name, depth, len(names)))
    # Of the nodes whose subtrees begin at one node all but the last are first children.
    return Tree(names, first, sorted({begin: node for node, begin in enumerate(first)}.values()))


def tree_distance(one: Tree, other: Tree) -> int:
    """Count the edits; the columns of all tables of the larger tree are filled at once, row by row."""
    # A table needs distances of tables inside it: those of a row that are not known before it come from the same row,
    # so the tables are in the order of their levels, and such a row is filled level by level.
    a, b = sorted((one, other), key=lambda tree: tree.columns)
    if not a.names:
        return len(b.names)
    tables, levels = _tables(b)
    nodes = np.array([node for root in tables for node in (-1, *range(b.first[root], root + 1))], np.int32)
    place, is_empty = np.arange(len(nodes)), nodes < 0
    start = np.maximum.accumulate(np.where(is_empty, place, 0))
    own = np.array(b.first, np.int32)[nodes]
    begin = own[start + 1]
    # Where a subtree begins with its table, both are whole, and the column has their distance.
    whole = ~is_empty & (own == begin)
    before = np.where(is_empty, place, start + own - begin)
    # A value carried along a row, an insertion a column, must not come out of an earlier table.
    carried = place - start + np.cumsum(is_empty) * (len(a.names) + 2 * len(b.names))
    codes = {name: at for at, name in enumerate(dict.fromkeys((*a.names, *b.names)))}
    of_a, of_b = (np.array([codes[name] for name in tree.names], np.int32) for tree in (a, b))
    distances = np.full((len(a.names), len(b.names)), _FAR, np.int32)

    def filled(above: _Numbers, apart: _Numbers, node: int, some: slice, *, is_whole: bool) -> _Numbers:
        replaced = np.where(is_empty[some], _FAR, apart[before[some]] + distances[node, nodes[some]])
        if is_whole:
            same = above[place[some] - 1] + (of_a[node] != of_b[nodes[some]])
            replaced = np.where(whole[some], same, replaced)
        best = np.minimum(above[some] + 1, replaced) - carried[some]
        return (np.minimum.accumulate(best) + carried[some]).astype(np.int32)

    for root in a.roots:
        begins = a.first[root]
        rows = [(place - start).astype(np.int32)]
        for node in range(begins, root + 1):
            above, apart, is_whole = rows[-1], rows[a.first[node] - begins], a.first[node] == begins
            if not is_whole:
                rows.append(filled(above, apart, node, slice(None), is_whole=False))
                continue
            row = np.empty_like(above)
            for at, end in pairwise(levels):
                some = slice(at, end)
                row[some] = filled(above, apart, node, some, is_whole=True)
                known = whole[some]
                distances[node, nodes[some][known]] = row[some][known]
            rows.append(row)
    return int(distances[-1, -1])


def _tables(tree: Tree) -> tuple[list[int], list[int]]:
    """The roots in the order of their levels, and the columns at which each level begins, with the end of the last."""
    # A table's level is one more than that of the tables inside it.
    level, open_ = dict[int, int](), list[int]()
    for root in tree.roots:
        inside = -1
        while open_ and open_[-1] >= tree.first[root]:
            inside = max(inside, level[open_.pop()])
        level[root] = inside + 1
        open_.append(root)
    ordered = sorted(tree.roots, key=level.__getitem__)
    sizes = (sum(root - tree.first[root] + 2 for root in some) for _, some in groupby(ordered, level.__getitem__))
    return ordered, list(accumulate(sizes, initial=0))
