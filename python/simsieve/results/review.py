"""Near duplicates with both texts and their differences, for people to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from simsieve.checks import check_integer, check_real
from simsieve.config.settings import DedupConfig
from simsieve.differences import Difference, clipped, differences, in_words
from simsieve.display import counted, html_pair, html_table, likeness
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.optional import arrow
from simsieve.results.arrow import labels_of
from simsieve.results.near import NearDrops, Texts
from simsieve.tabular import ArrowTable, Tabular

MOST_REVIEWED = 5_000
"""Pairs of one review, at most."""
_TABLE, _SHOWN = 100, 20
"""Pairs that a notebook shows as rows, and with their texts."""


@dataclass(frozen=True, slots=True)
class ReviewPair:
    """A near duplicate beside its representative.

    Args:
        a: Label of the representative; its position where it has none.
        b: Label of the duplicate; its position where it has none.
        a_position: Position of the representative; an old one's is counted over the old sources, from 0.
        b_position: Position of the duplicate.
        group: Position of the representative, old ones counted after the new: equal for the duplicates of one document.
        similarity: Their similarity in [0, 1]; None where it was not measured.
        distance: Their distance in bits; None where there is none.
        lost: The longest run of the duplicate that the representative does not have, in units as in `Decision`; None
            where it was not measured.
        lost_text: That run, without spaces and punctuation.
        differences: Where the texts differ, word by word.
        a_text: The representative's text as the scheme sees it: of a page, the extracted text.
        b_text: The duplicate's.

    Example:
        >>> from simsieve import dedup
        >>> pair = dedup(["the quick brown fox jumps", "the quick brown fox jumped"]).review()[0]
        >>> pair.a_text, pair.differences[0].b
        ('the quick brown fox jumps', 'jumped')
    """

    a: Any
    b: Any
    a_position: int
    b_position: int
    group: int
    similarity: float | None
    distance: int | None
    lost: int | None
    lost_text: str
    differences: list[Difference]
    a_text: str
    b_text: str


class ReviewPairs(Tabular, Sequence[ReviewPair]):
    """Near duplicates with their texts, the least similar one first; a notebook shows the texts side by side.

    `DedupResult.review` makes it. `to_arrow`, `to_pandas` and `to_polars` give a table with the fields of `ReviewPair`;
    differences are one text there.

    Example:
        >>> len(ReviewPairs([]))
        0
    """

    def __init__(self, pairs: Sequence[ReviewPair]) -> None:
        self._pairs = tuple(pairs)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._pairs)

    @overload
    def __getitem__(self, index: int) -> ReviewPair: ...
    @overload
    def __getitem__(self, index: slice) -> "ReviewPairs": ...
    def __getitem__(self, index: int | slice) -> "ReviewPair | ReviewPairs":
        """Give one pair, or those of a slice."""
        return ReviewPairs(self._pairs[index]) if isinstance(index, slice) else self._pairs[index]

    def __repr__(self) -> str:
        """Show the count and the range."""
        ends = [
            likeness(pair.similarity, pair.distance if pair.similarity is None else None)
            for pair in (*self._pairs[:1], *self._pairs[-1:])
        ]
        shown = " to ".join(dict.fromkeys(filter(None, ends)))
        return f"<ReviewPairs: {counted(len(self), 'near duplicate')}{shown and ', ' + shown}>"

    def _repr_html_(self) -> str:
        """Show the texts side by side in a notebook."""
        names = ("a", "b", "group", "similarity", "distance", "lost", "lost_text")
        rows = ([getattr(pair, name) for name in names] for pair in self._pairs[:_TABLE])
        more = "" if len(self) <= _TABLE else Message("; the first {table}", table=_TABLE)
        pairs = (
            html_pair(
                likeness(pair.similarity, pair.distance), clipped(pair.a_text, pair.b_text), (str(pair.a), str(pair.b))
            )
            for pair in self._pairs[:_SHOWN]
        )
        return html_table(counted(len(self), "near duplicate") + more, names, rows) + "".join(pairs)

    def to_arrow(self) -> ArrowTable:
        """Give the pairs as a `pyarrow.Table`; see the class."""
        pa, pairs = arrow(), self._pairs
        kinds = {"a_position": pa.int64(), "b_position": pa.int64(), "group": pa.int64(), "similarity": pa.float64(),
                 "distance": pa.int32(), "lost": pa.int64(), "lost_text": pa.large_string(),
                 "a_text": pa.large_string(), "b_text": pa.large_string()}  # fmt: skip
        columns = {name: pa.array([getattr(pair, name) for pair in pairs], kind) for name, kind in kinds.items()}
        columns |= {name: labels_of([getattr(pair, name) for pair in pairs]) for name in ("a", "b")}
        columns["differences"] = pa.array([in_words(pair.differences) for pair in pairs], pa.large_string())
        return pa.table({name: columns[name] for name in ReviewPair.__slots__})


def review_pair(near: NearDrops, at: int, texts: Texts) -> ReviewPair:
    """Read the texts of a near duplicate and its representative."""
    a, b = int(near.representative[at]), int(near.position[at])
    similarity, distance, lost = near.measured(at)
    one, other = texts.text(a), texts.text(b)
    return ReviewPair(
        texts.label(a), texts.label(b), texts.place(a), b, a, similarity, distance, lost,
        texts.lost(a, b) if lost else "", differences(one, other), one, other,
    )  # fmt: skip


def review_pairs(near: NearDrops, texts: Texts, config: DedupConfig, n: int, around: float | None) -> ReviewPairs:
    """Read the near duplicates that are nearest to a threshold; see `DedupResult.review`."""
    check_integer("n", n, 1, MOST_REVIEWED)
    farness = near.farness
    if around is None:
        chosen = np.argsort(-farness, kind="stable")[:n]
    else:
        chosen = np.argsort(np.abs(farness - _farness(config, around)), kind="stable")[:n]
        chosen = chosen[np.argsort(-farness[chosen], kind="stable")]
    return ReviewPairs([review_pair(near, at, texts) for at in chosen.tolist()])


def _farness(config: DedupConfig, around: float) -> float:
    bits = config.max_distance
    value = (
        check_real("around", around, "(0, 1]", lambda x: 0 < x <= 1)
        if bits is None
        else check_integer("around", around, 0, 256)
    )
    looser = value < config.threshold if bits is None else value > bits
    if looser and len(config.criteria) == 1:
        name, way = ("similarity", "more") if bits is None else ("max_distance", "less")
        raise ConfigError(
            "around {value:g} is looser than the run's {name} {threshold:g}, where no document was dropped: give "
            "{threshold:g} or {way}, or run dedup with {name} {value:g}",
            value=value, name=name, threshold=config.threshold, way=way,
        )  # fmt: skip
    return 1 - value if bits is None else value
