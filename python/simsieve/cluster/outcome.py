"""The decisions on all rows of text partitions: functions between batches of Arrow."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.rows import (
    MARK,
    SETTLED,
    Packed,
    batch_of,
    carried,
    flags,
    gathered,
    groups,
    is_old,
    joined,
    longs,
    numbers,
    pack,
    places_of,
    settled,
    unpack,
    usable,
    words_array,
    words_of,
)
from simsieve.cluster.steps import Batches, step
from simsieve.results import arrow
from simsieve.results.hubs import HUBS, LEAST
from simsieve.results.losses import MUCH

OF_OLD = "representative_collection"
"""The column that says whether a representative is an old row; it is there where there are old ones."""
_NOT_MEASURED = ("no_features", "verdict")
OF_INDEX = ("distance", "similarity", "lost", "conflict", "reason")
"""What an index says of a row that is near a document of it, besides the document's id."""
_OF_FILES = ("source", "line", "scheme")
_COLUMNS = (*(name for name in arrow.COLUMNS if name not in _OF_FILES), "cluster")
_KINDS = {
    **dict.fromkeys(("position", "representative_position", "lost", "cluster"), "long"), "distance": "int",
    "similarity": "double", "conflict": "boolean", **dict.fromkeys(("id", "representative"), "{id}"),
}  # fmt: skip


def schema(*, old: bool) -> str:
    """Give the columns of decisions. The engine takes them by their places."""
    return ", ".join(f"{name} {_KINDS.get(name, 'string')}" for name in _COLUMNS if old or name != OF_OLD)


_COMPARED = ("position", "id", "valid", "size", "bytes")


@step
def asked(batches: Batches, keep: Sequence[str]) -> Batches:
    """Give the compared columns of the rows asked for, by asking partition; by default of all that may be near."""
    for part, start, value, other in values_of(batches):
        rows, words = unpack(value)
        # Facts and verdicts may join rows without features.
        here = np.flatnonzero(flags(rows["valid"]) | _own(rows, start) & (MARK[0] in rows.schema.names))
        of = [(0, here)]
        if other is not None:
            (wanted,) = unpack(other)
            places = places_of(longs(wanted["row"])) - start
            here = np.flatnonzero((places >= 0) & (places < len(rows)))
            of = [(at, np.unique(places[here[some]])) for at, some in groups(longs(wanted["at"])[here])]
        for at, places in of:
            made = compared(rows, words, places, (part, start), keep)
            yield batch_of([Packed("asked", at, len(made), pack(made))])


@step
def merged(batches: Batches, by: str) -> Batches:
    """Put the values of each partition into one, in order of a column: rows `merged`."""
    for part, values in gathered(batches).items():
        (table,) = joined(value for some in values.values() for value in some)
        yield batch_of([merged_of(part, table, by)])


def merged_of(part: int, table: Any, by: str) -> Packed:
    """Pack the rows for a partition; the number is that of the bytes."""
    value = pack(table.sort_by(by))
    return Packed("merged", part, len(value), value)


@step
def near_of(batches: Batches, heads: Sequence[int]) -> Batches:
    """Give the rows that are near those with the keys `heads` and dropped for them: rows `near`."""
    for values in gathered(batches).values():
        (rows,) = joined(values["merged"])
        of_heads = np.isin(2 * longs(rows["to"]) + flags(rows["to_old"]), heads)
        near = rows.filter(pa.array(of_heads & (longs(rows["of_reason"]) == _core.REASONS.index("near"))))
        yield batch_of([Packed("near", 0, len(near), pack(near))])


def compared(rows: Any, words: Any, places: NDArray[np.int64], at: tuple[int, int], keep: Sequence[str]) -> Any:
    """Give the compared columns of rows."""
    valid = flags(rows["valid"])
    of_words, words = np.cumsum(valid) - 1, words_of(words["words"])
    own = np.zeros((len(places), words.shape[1]), dtype=np.uint64)
    own[valid[places]] = words[of_words[places[valid[places]]]]
    made = rows.select([*_COMPARED, *carried(rows), *keep]).take(pa.array(places))
    made = made.append_column("row", pa.array(numbers(at[0], places + at[1])))
    return made.append_column("words", words_array(own))


def _own(rows: Any, start: int) -> NDArray[np.bool_]:
    """Which rows of a value are usable and no copies."""
    is_first = longs(rows["first"]) == np.arange(start, start + len(rows))
    return np.asarray(is_first & usable(rows))


def kept_places(rows: Any, start: int, changed: Any) -> NDArray[np.int64]:
    """Give the places of the rows of a value that have features, are no copies and are kept."""
    kept = flags(rows["valid"]).copy()
    if changed is not None:
        places = places_of(longs(changed["of"])) - start
        here = (places >= 0) & (places < len(rows))
        places = places[here]
        kept[places] = longs(changed["to_row"])[here] == longs(changed["of"])[here]
    return np.flatnonzero(kept)


@step
def decided(batches: Batches, measure: str, *, measured: bool, old: bool) -> Batches:
    """Give the decisions on all new rows."""
    for table in _all_decided(batches):
        compared = table.pop("compared")
        unmeasured = pc.is_in(table["reason"], pa.array([*_NOT_MEASURED]))
        table["measure"] = pc.if_else(pc.or_(unmeasured, pc.equal(table["decision"], "failed")), None, measure)
        similarity = table["similarity"] if measured else pa.nulls(len(compared), pa.float64())
        table["similarity"] = pc.if_else(compared, similarity, None)
        near = pc.and_(compared, pc.greater_equal(table["distance"], 0))
        table["distance"] = pc.if_else(near, table["distance"], None)
        given = [name for name in _COLUMNS if old or name != OF_OLD]
        yield from pa.table({name: table[name] for name in given}).combine_chunks().to_batches()


@step
def counted(batches: Batches, parts: int) -> Batches:
    """Count the rows of each decision and reason, and those that lose much or conflict: rows of these kinds.

    Rows `heads`, for the tasks that add them up, have the rows dropped for each other, the near and the doubtful ones.
    """
    for table in _all_decided(batches):
        columns = pa.table({name: table[name] for name in ("decision", "reason")})
        found = columns.group_by(["decision", "reason"]).aggregate([([], "count_all")]).to_pydict().values()
        counts = [(f"{decision} {reason}", count) for decision, reason, count in zip(*found, strict=True)]
        exact, near = (flags(pc.equal(table["reason"], word)) for word in ("exact", "near"))
        much = ~exact & (longs(pc.fill_null(table["lost"], 0)) > MUCH)
        conflict = near & flags(pc.is_in(table["conflict"], pa.array([True])))
        counts += [("lost_much", int(much.sum())), ("conflicts", int(conflict.sum()))]
        old = flags(pc.is_in(table[OF_OLD], pa.array(["old"]))).astype(np.int64)
        rows = pa.table({
            "head": pc.add(pc.multiply(table["representative_position"], 2), old),
            "dropped": pc.equal(table["decision"], "dropped"), "near": near, "doubtful": near & (much | conflict),
        })  # fmt: skip
        heads = _summed(rows.filter(pc.and_(rows["dropped"], rows["head"].is_valid())))
        to = groups(longs(heads["head"]) % parts)
        packed = [Packed("heads", part, len(at), pack(heads.take(pa.array(at)))) for part, at in to]
        yield batch_of([*(Packed(kind, 0, count, b"") for kind, count in counts), *packed])


def _summed(rows: Any) -> Any:
    """The sums of the counts of each head."""
    names = rows.schema.names
    return rows.group_by("head").aggregate([(name, "sum") for name in names[1:]]).rename_columns(names)


@step
def largest(batches: Batches) -> Batches:
    """Give the largest probable hubs of a task: rows `hubs`; the number is that of the rows of its largest cluster."""
    for values in gathered(batches).values():
        heads = _summed(joined(values["heads"])[0])
        sizes = longs(heads["dropped"])[longs(heads["head"]) % 2 == 0]
        is_hub = (longs(heads["near"]) >= LEAST) & (2 * longs(heads["doubtful"]) > longs(heads["near"]))
        hubs = heads.filter(pa.array(is_hub)).sort_by([("near", "descending")]).slice(0, HUBS)
        yield batch_of([Packed("hubs", 0, 1 + int(sizes.max(initial=-1)), pack(hubs))])


@step
def chosen(batches: Batches, *, kept: bool) -> Batches:
    """Give the positions of the rows that are kept, or of those that are not."""
    for table in _all_decided(batches):
        is_kept = pc.equal(table["decision"], "kept")
        found = pa.table({"position": table["position"]}).filter(is_kept if kept else pc.invert(is_kept))
        yield from found.combine_chunks().to_batches()


@step
def kept_rows(batches: Batches, every: int) -> Batches:
    """Give the number of each so-many-th kept row of a text partition."""
    for part, start, value, other in values_of(batches):
        rows = unpack(value)[0]
        table = _decided(rows, part, start, unpack(other)[0] if other is not None else None)
        places = np.flatnonzero(np.asarray(pc.equal(table["decision"], "kept")) & ~is_old(rows))[::every]
        yield from pa.table({"row": pa.array(numbers(part, places + start))}).to_batches()


def _all_decided(batches: Batches) -> Iterator[dict[str, Any]]:
    for part, start, value, other in values_of(batches):
        rows = unpack(value)[0]
        table = _decided(rows, part, start, unpack(other)[0] if other is not None else None)
        new = pa.array(~is_old(rows))
        yield {name: column.filter(new) for name, column in table.items()}


def _decided(rows: Any, part: int, start: int, changed: Any) -> dict[str, Any]:
    """The columns of decisions. `changed` has the rows that are dropped or represent others, in order."""
    count = len(rows)
    first = longs(rows["first"])
    is_copy = first != np.arange(start, start + count)
    failed, valid = ~np.asarray(rows["failure"].is_null()), flags(rows["valid"])
    to, to_id = longs(rows["first_position"]), pc.if_else(pa.array(is_copy), rows["first_id"], rows["id"])
    to_old, dropped = flags(rows["first_old"]), is_copy.copy()
    distance, similarity = np.zeros(count, dtype=np.int32), pa.array(np.ones(count))
    represents, why = flags(rows["copied"]), np.full(count, _core.REASONS.index("exact"))
    lost, conflict = pa.array(np.zeros(count, dtype=np.int64)), pa.array(np.zeros(count, dtype=bool))
    if changed is not None:
        of = longs(changed["of"])
        at = np.minimum(np.searchsorted(of, numbers(part, first)), len(of) - 1)
        has = of[at] == numbers(part, first)
        rows_of, taken = pa.array(has), pa.array(at)
        to = np.where(has, longs(changed["to"])[at], to)
        to_old = np.where(has, flags(changed["to_old"])[at], to_old)
        to_id = pc.if_else(rows_of, changed["to_id"].take(taken), to_id)
        distance = np.where(has, longs(changed["of_distance"])[at], 0).astype(np.int32)
        similarity = pc.if_else(rows_of, changed["of_similarity"].take(taken), 1.0)
        lost = pc.if_else(rows_of, changed["of_lost"].take(taken), 0)
        conflict = pc.if_else(rows_of, changed["of_conflict"].take(taken), pa.scalar(value=False))
        represents = represents | (has & flags(changed["represents"])[at])
        dropped |= has & (longs(changed["to_row"])[at] != of[at])
        why = np.where(is_copy, why, longs(changed["of_reason"])[at])
    by_index, position = settled(rows), pa.array(to, mask=failed)
    if by_index.any():
        index = {name: rows[SETTLED].combine_chunks().field(name) for name in ("id", *OF_INDEX)}
        there = pa.array(by_index)
        dropped |= by_index
        to_old, represents = to_old | by_index, represents & ~by_index
        why = np.where(by_index, longs(pc.fill_null(index["reason"], 0)), why)
        to_id, similarity = pc.if_else(there, index["id"], to_id), pc.if_else(there, index["similarity"], similarity)
        lost, conflict = pc.if_else(there, index["lost"], lost), pc.if_else(there, index["conflict"], conflict)
        distance = np.where(by_index, longs(pc.fill_null(index["distance"], -1)), distance).astype(np.int32)
        position = pa.array(to, mask=failed | by_index)
    compared = (valid | is_copy | by_index) & ~failed
    reason = np.select([dropped, represents, ~compared], [why, 1, 2], 0).astype(np.int8)
    is_failed = pa.array(failed)
    return {
        "position": rows["position"], "id": pc.if_else(is_failed, None, rows["id"]),
        "decision": _words(np.select([failed, dropped], [2, 1], 0).astype(np.int8), _core.DECISIONS),
        "representative": pc.if_else(is_failed, None, to_id), "representative_position": position,
        OF_OLD: pc.if_else(is_failed, None, _words(to_old.astype(np.int8), ("new", "old"))),
        "distance": pa.array(distance), "similarity": similarity, "compared": pa.array(compared),
        "lost": pc.if_else(pa.array(dropped & ~failed), lost, None),
        "conflict": pc.if_else(pa.array(dropped & ~failed), conflict, None),
        "reason": pc.if_else(is_failed, rows["failure"], _words(reason, _core.REASONS)),
        "cluster": pa.array(to, mask=failed | to_old),
    }  # fmt: skip


def _words(codes: Any, words: Sequence[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words)).cast(pa.string())


def values_of(batches: Batches) -> Any:
    """Give partition, number, value and other value of the rows of batches."""
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in ("part", "number", "value")]
        others = batch.column("other").to_pylist() if "other" in batch.schema.names else [None] * len(batch)
        yield from zip(*columns, others, strict=True)
