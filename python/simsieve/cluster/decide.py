"""Decisions on rows that have candidates: they are put into keep order and walked by the core, a task at a time."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.pairs import near_table, values_of
from simsieve.cluster.rows import (
    MARK,
    SKETCH_WORDS,
    WHOLE,
    Keep,
    Packed,
    batch_of,
    flags,
    gathered,
    groups,
    is_old,
    joined,
    keep_order,
    longs,
    pack,
    partitions_of,
    texts_of,
    words_of,
)
from simsieve.cluster.steps import Batches, SentRules, SentSearch, step
from simsieve.cluster.verdicts import in_order, not_apart

_NONE = np.zeros(0, dtype=np.int64)
NO_PAIRS = near_table(_NONE, _NONE, _NONE, np.zeros(0), [_NONE, _NONE], _NONE)
NO_ROWS = pa.table({"row": _NONE, "bucket": _NONE})


@step
def walked(batches: Batches, sent: SentSearch, keep: Keep) -> Batches:
    """Decide on the rows of each task: rows `changed`, for the partitions of these."""
    search = sent.search()
    for values in gathered(batches).values():
        (rows,) = joined(values["asked"])
        near, large, texts = (joined(values[kind]) for kind in ("near", "large", "found"))
        changed = decided(
            search, rows.take(pa.array(keep_order(rows, keep))), near[0] if near else NO_PAIRS,
            large[0] if large else NO_ROWS, texts[0] if texts else None, sent.rules,
        )  # fmt: skip
        parts = partitions_of(longs(changed["of"]))
        yield batch_of(
            [Packed("changed", part, len(at), pack(changed.take(pa.array(at)))) for part, at in groups(parts)]
        )


def decided(search: _core.FrozenSearch, rows: Any, near: Any, large: Any, texts: Any, rules: SentRules) -> Any:
    """Decide on rows in keep order."""
    rows, verdicts = in_order(rows, rules.verdicts) if rules.verdicts else (rows, [])
    old = is_old(rows)
    number = longs(rows["row"])
    by_number = np.argsort(number, kind="stable")
    known = number[by_number]

    def place_of(numbers: Any) -> NDArray[np.uint32]:
        places: NDArray[np.uint32] = by_number[np.searchsorted(known, numbers)].astype(np.uint32)
        return places

    # Rows without a bucket may be joined by what they carry.
    large = large.filter(large["bucket"].is_valid())
    a, b = place_of(longs(near["a"])), place_of(longs(near["b"]))
    if search.is_directed:
        # Verdicts may have changed the order in which a pair is near.
        left = a < b
        near, a, b = near.filter(pa.array(left)), a[left], b[left]
    if verdicts:
        left = not_apart(near, a, b, verdicts)
        near, a, b = near.filter(pa.array(left)), a[left], b[left]
    similarity = near["similarity"].to_numpy(zero_copy_only=False).astype(np.float64)
    _, bucket = np.unique(longs(large["bucket"]), return_inverse=True)
    measured = search.reads_texts
    sketch = SKETCH_WORDS if search.by_similarity else 0
    found = search.decide(
        _all_texts(len(rows), place_of, texts),
        encoded_of(rows, sketch),
        (np.minimum(a, b), np.maximum(a, b), longs(near["distance"]).astype(np.uint32)),
        similarity if measured else similarity[:0],
        _lost_of_later(near, a, b) if measured else np.zeros(0, dtype=np.int64),
        np.asarray(pc.fill_null(near["conflict"], False)).astype(np.int8),  # noqa: FBT003 - Arrow's own
        (place_of(longs(large["row"])), bucket.astype(np.uint32)),
        rules.max_lost,
        rules.conflict,
        rules.core,
        (flags(rows["valid"]), (_marks(rows, MARK), _marks(rows, WHOLE)), int(old.sum())),
        verdicts,
        rules.mean,
    )
    to = found["to"]
    dropped = to != np.arange(len(rows))
    exact = found["reason"] == _core.REASONS.index("exact")
    lost, conflict = (np.where(exact, 0, found[name]) for name in ("lost", "conflict"))
    represents = np.zeros(len(rows), dtype=bool)
    represents[to[dropped]] = True
    similarities = pa.array(found["similarity"], mask=np.isnan(found["similarity"]))
    table = pa.table({
        "of": number, "of_position": longs(rows["position"]), "to": longs(rows["position"])[to], "to_row": number[to],
        "to_id": rows["id"].take(pa.array(to)),
        "of_distance": found["distance"], "of_similarity": similarities,
        "of_lost": pa.array(lost, mask=lost < 0), "of_conflict": pa.array(conflict > 0, mask=conflict < 0),
        "of_reason": found["reason"].astype(np.int64), "represents": represents, "to_old": old[to],
    })  # fmt: skip
    return table.filter(pa.array(dropped | represents))


def encoded_of(
    rows: Any, sketch: int = SKETCH_WORDS
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32], Any]:
    """Give fingerprints, sketches of this many words, sizes, and the values that rows carry."""
    words = words_of(rows["words"])
    fingerprints, sketches = (np.ascontiguousarray(part).ravel() for part in (words[:, sketch:], words[:, :sketch]))
    return fingerprints, sketches, longs(rows["size"]).astype(np.uint32), values_of(rows)


def _marks(rows: Any, names: tuple[str, str]) -> NDArray[np.uint8]:
    """The digests of the texts of rows, where rules need them."""
    if names[0] not in rows.schema.names:
        return np.zeros(0, dtype=np.uint8)
    return np.stack([rows[name].to_numpy() for name in names], axis=1).view(np.uint8).ravel()


def _lost_of_later(near: Any, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int64]:
    """Units that are lost of the later row of each pair; `a` and `b` are the places of its rows in the keep order."""
    lost_a, lost_b = (longs(pc.fill_null(near[name], -1)) for name in ("lost_a", "lost_b"))
    return np.where(a > b, lost_a, lost_b)


def _all_texts(count: int, place_of: Any, texts: Any) -> Any:
    """A column of a text a row: what was asked for, and else none."""
    if texts is None:
        return texts_of(pa.nulls(count, pa.large_string()))
    place = np.zeros(count, dtype=np.int64)
    has = np.zeros(count, dtype=bool)
    at = place_of(longs(texts["row"]))
    place[at], has[at] = np.arange(len(at)), True
    return texts_of(texts["text"].combine_chunks().take(pa.array(place, mask=~has)))
