"""What is decided, for all rows of text partitions: functions for `mapInArrow`."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.results import arrow
from simsieve.spark.packed import Packed, batch_of, flags, longs, pack, unpack, words_array, words_of
from simsieve.spark.rows import numbers, partitions_of, places_of
from simsieve.spark.steps import Batches, step

_OF_FILES = ("source", "line", *arrow.SOMETIMES)
COLUMNS = (*(name for name in arrow.COLUMNS if name not in _OF_FILES), "cluster")
"""The columns of decisions. The engine takes them by their places."""
_COMPARED = ("position", "id", "group", "size", "bytes")


@step
def asked(batches: Batches, keep: Sequence[str]) -> Batches:
    """Give what is compared of rows that are asked for, by default of all with features that are no copies."""
    for part, start, value, other in values_of(batches):
        rows, words = unpack(value)
        places = np.flatnonzero(flags(rows["valid"]))
        if other is not None:
            (wanted,) = unpack(other)
            places = places_of(longs(wanted["row"])) - start
            places = places[(places >= 0) & (places < len(rows))]
        yield batch_of([Packed("asked", part, len(places), pack(compared(rows, words, places, (part, start), keep)))])


def compared(rows: Any, words: Any, places: NDArray[np.int64], at: tuple[int, int], keep: Sequence[str]) -> Any:
    """Give what is compared of rows."""
    of_words = np.cumsum(flags(rows["valid"])) - 1
    made = rows.select([*_COMPARED, *keep]).take(pa.array(places))
    made = made.append_column("row", pa.array(numbers(at[0], places + at[1])))
    return made.append_column("words", words_array(words_of(words["words"])[of_words[places]]))


def kept_places(rows: Any, start: int, changed: Any) -> NDArray[np.int64]:
    """Give the places of the rows of a value that have features, are no copies and are kept."""
    kept = flags(rows["valid"]).copy()
    if changed is not None:
        places = places_of(longs(changed["of"])) - start
        here = (places >= 0) & (places < len(rows))
        places = places[here]
        kept[places] = longs(changed["to"])[here] == longs(rows["position"])[places]
    return np.flatnonzero(kept)


def by_partition(table: Any, name: str) -> Any:
    """Pack a table for the text partitions of the numbers in a column; each has its rows in order of these."""
    table = table.sort_by(name)
    number = longs(table[name])
    parts = partitions_of(number)
    starts = np.flatnonzero(np.r_[True, parts[1:] != parts[:-1]]) if len(parts) else np.zeros(0, dtype=np.int64)
    ends = [*starts[1:], len(parts)]
    values = [pack(table.slice(start, end - start)) for start, end in zip(starts, ends, strict=True)]
    columns = {"part": pa.array(parts[starts], pa.int32()), "other": pa.array(values, pa.binary())}
    return pa.table(columns)


@step
def decided(batches: Batches, measure: str, *, measured: bool) -> Batches:
    """Give the decisions on all rows."""
    for table in _all_decided(batches):
        compared = pa.array(table.pop("compared"))
        table["measure"] = pc.if_else(compared, measure, None)
        similarity = table["similarity"] if measured else pa.nulls(len(compared), pa.float64())
        table["similarity"] = pc.if_else(compared, similarity, None)
        table["distance"] = pc.if_else(compared, table["distance"], None)
        yield from pa.table({name: table[name] for name in COLUMNS}).combine_chunks().to_batches()


@step
def counted(batches: Batches) -> Batches:
    """Give how many rows have each decision and reason: several rows for one of these, which add up."""
    for table in _all_decided(batches):
        columns = pa.table({name: table[name] for name in ("decision", "reason")})
        found = columns.group_by(["decision", "reason"]).aggregate([([], "count_all")])
        yield from found.rename_columns(["decision", "reason", "count"]).combine_chunks().to_batches()


@step
def clustered(batches: Batches) -> Batches:
    """Give how many rows are dropped for each kept one: several rows for one of these, which add up."""
    for table in _all_decided(batches):
        dropped = pa.table({"cluster": table["cluster"]}).filter(pc.equal(table["decision"], "dropped"))
        found = dropped.group_by("cluster").aggregate([([], "count_all")])
        yield from found.rename_columns(["cluster", "count"]).combine_chunks().to_batches()


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
        table = _decided(unpack(value)[0], part, start, unpack(other)[0] if other is not None else None)
        places = np.flatnonzero(pc.equal(table["decision"], "kept"))[::every]
        yield from pa.table({"row": pa.array(numbers(part, places + start))}).to_batches()


def _all_decided(batches: Batches) -> Iterator[dict[str, Any]]:
    for part, start, value, other in values_of(batches):
        yield _decided(unpack(value)[0], part, start, unpack(other)[0] if other is not None else None)


def _decided(rows: Any, part: int, start: int, changed: Any) -> dict[str, Any]:
    """The columns of decisions. `changed` has the rows that are dropped or represent others, in order."""
    count = len(rows)
    position, first = longs(rows["position"]), longs(rows["first"])
    is_copy = first != np.arange(start, start + count)
    failed, valid = ~np.asarray(rows["failure"].is_null()), flags(rows["valid"])
    to = longs(rows["first_position"])
    to_id = pc.if_else(pa.array(is_copy), rows["first_id"], rows["id"])
    distance, similarity = np.zeros(count, dtype=np.int32), pa.array(np.ones(count))
    represents = flags(rows["copied"])
    lost, conflict = pa.array(np.zeros(count, dtype=np.int64)), pa.array(np.zeros(count, dtype=bool))
    if changed is not None:
        of = longs(changed["of"])
        at = np.minimum(np.searchsorted(of, numbers(part, first)), len(of) - 1)
        has = of[at] == numbers(part, first)
        rows_of, taken = pa.array(has), pa.array(at)
        to = np.where(has, longs(changed["to"])[at], to)
        to_id = pc.if_else(rows_of, changed["to_id"].take(taken), to_id)
        distance = np.where(has, longs(changed["of_distance"])[at], 0).astype(np.int32)
        similarity = pc.if_else(rows_of, changed["of_similarity"].take(taken), 1.0)
        lost = pc.if_else(rows_of, changed["of_lost"].take(taken), 0)
        conflict = pc.if_else(rows_of, changed["of_conflict"].take(taken), pa.scalar(value=False))
        represents = represents | (has & flags(changed["represents"])[at])
    dropped, compared = to != position, (valid | is_copy) & ~failed
    reason = np.select([~compared, is_copy, dropped, represents], [2, 3, 4, 1], 0).astype(np.int8)
    kept_for = pa.array(to, mask=failed)
    is_failed = pa.array(failed)
    return {
        "position": rows["position"], "id": pc.if_else(is_failed, None, rows["id"]),
        "decision": _words(np.select([failed, dropped], [2, 1], 0).astype(np.int8), _core.DECISIONS),
        "representative": pc.if_else(is_failed, None, to_id), "representative_position": kept_for,
        "distance": pa.array(distance), "similarity": similarity, "compared": compared,
        "lost": pc.if_else(pa.array(dropped & ~failed), lost, None),
        "conflict": pc.if_else(pa.array(dropped & ~failed), conflict, None),
        "reason": pc.if_else(is_failed, rows["failure"], _words(reason, _core.REASONS)), "cluster": kept_for,
    }  # fmt: skip


def _words(codes: Any, words: Sequence[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words)).cast(pa.string())


def values_of(batches: Batches) -> Any:
    """Give partition, number, value and other value of the rows of batches."""
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("part", "number", "value", "other"))
        yield from zip(*columns, strict=True)
