"""Decisions on the driver: the rows that have candidates are put into keep order and walked by the core."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.spark.arrays import longs, texts_of

SKETCH_BYTES = 64


@dataclass(frozen=True, slots=True)
class Involved:
    """The rows that have candidates, and these.

    Args:
        rows: `position`, `id`, `size`, `words`, and the columns of the keep order.
        near: The near pairs: `a`, `b`, `distance`, `similarity`.
        large: The rows of large buckets: `member`, `bucket`.
        keep: The keep order, as in `Frame`.
    """

    rows: Any
    near: Any
    large: Any
    keep: Sequence[tuple[str, bool]]

    def in_order(self) -> Any:
        """The rows in keep order."""
        keys = [(name, "descending" if down else "ascending") for name, down in self.keep]
        if keys[-1][0] != "position":
            keys.append(("position", "ascending"))
        # Rows are taken apart from their words, which an index of 32 bits may not hold together.
        return self.rows.take(pc.sort_indices(self.rows, sort_keys=keys, null_placement="at_end"))

    def wanted(self) -> NDArray[np.int64]:
        """The positions whose texts the walk may ask for: the rows of large buckets, and those near one."""
        large = np.unique(longs(self.large["member"]))
        a, b = longs(self.near["a"]), longs(self.near["b"])
        return np.unique(np.concatenate([large, a[np.isin(b, large)], b[np.isin(a, large)]]))


def decided(search: _core.FrozenSearch, involved: Involved, texts: Any) -> Any:
    """Decide on the rows that have candidates.

    Args:
        search: The search.
        involved: The rows and what was found of them.
        texts: `position` and `text` of the rows that `Involved.wanted` names; None where there are none.

    Returns:
        A table of the positions `of`, and of each the position `to` that is kept for it, its label `to_id`,
        `of_distance`, `of_similarity`, and whether it `represents` another row.
    """
    rows = involved.in_order()
    position = longs(rows["position"])
    by_position = np.argsort(position, kind="stable")
    known = position[by_position]

    def row_of(positions: Any) -> NDArray[np.uint32]:
        rows: NDArray[np.uint32] = by_position[np.searchsorted(known, positions)].astype(np.uint32)
        return rows

    a, b = row_of(longs(involved.near["a"])), row_of(longs(involved.near["b"]))
    similarity = involved.near["similarity"].to_numpy(zero_copy_only=False).astype(np.float64)
    _, bucket = np.unique(longs(involved.large["bucket"]), return_inverse=True)
    joined = np.frombuffer(b"".join(rows["words"].to_pylist()), dtype="<u8")
    words = joined.reshape(len(rows), len(joined) // max(1, len(rows)))
    by_similarity = search.by_similarity
    sketch = SKETCH_BYTES // 8 if by_similarity else 0
    found = search.decide(
        _all_texts(len(rows), row_of, texts),
        np.ascontiguousarray(words[:, sketch:]).ravel(),
        np.ascontiguousarray(words[:, :sketch]).ravel(),
        rows["size"].to_numpy(zero_copy_only=False).astype(np.uint32),
        (np.minimum(a, b), np.maximum(a, b), longs(involved.near["distance"]).astype(np.uint32)),
        similarity if by_similarity else similarity[:0],
        (row_of(longs(involved.large["member"])), bucket.astype(np.uint32)),
    )
    to = found["to"]
    represents = np.zeros(len(rows), dtype=bool)
    represents[to[to != np.arange(len(rows))]] = True
    similarities = pa.array(found["similarity"], mask=np.isnan(found["similarity"]))
    return pa.table({
        "of": pa.array(position), "to": pa.array(position[to]), "to_id": rows["id"].take(pa.array(to)),
        "of_distance": pa.array(found["distance"]), "of_similarity": similarities, "represents": pa.array(represents),
    })  # fmt: skip


def _all_texts(count: int, row_of: Any, texts: Any) -> Any:
    """A column of a text a row: what was asked for, and else none."""
    if texts is None:
        return texts_of(pa.nulls(count, pa.large_string()))
    place = np.zeros(count, dtype=np.int64)
    has = np.zeros(count, dtype=bool)
    at = row_of(longs(texts["position"]))
    place[at], has[at] = np.arange(len(at)), True
    return texts_of(texts["text"].cast(pa.large_string()).take(pa.array(place, mask=~has)))
