"""The work on pairs on the executors: functions from Arrow batches to Arrow batches.

Keys of one partition together give candidate pairs. A pair is for the text partition of its lower number, where it is
verified. The text partitions send the texts that are asked for there.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.rows import (
    DATE,
    OLD_ROW,
    Keep,
    Packed,
    TextRows,
    batch_of,
    carried,
    gathered,
    groups,
    is_old,
    joined,
    keep_order,
    longs,
    pack,
    partitions_of,
    places_of,
    slices,
    texts_of,
    unpack,
    words_of,
)
from simsieve.cluster.steps import Batches, SentSearch, columns_of, step

_VERIFIED_ROWS = 20_000
_VERIFIED_BYTES = 64 << 20
_PAIR = ("a", "b", "distance")


def values_of(rows: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.int64]]:
    """Give what rows carry for the rules on pairs: groups, facts and dates."""
    there = carried(rows)
    facts = words_of(rows["facts"]) if "facts" in there else np.zeros(0, dtype=np.uint64)
    date = longs(rows[DATE]) if DATE in there else np.zeros(0, dtype=np.int64)
    return longs(rows["group"]).view(np.uint64), facts.ravel().view(np.uint8), date


@step
def paired(batches: Batches, sent: SentSearch) -> Batches:
    """Give candidate pairs, the rows whose texts they want, members of large buckets, rows `alike`; `rows` pass."""
    passing = list[Any]()

    def keys(batches: Batches) -> Batches:
        for batch in batches:
            of_keys = pc.is_in(batch.column("kind"), pa.array(["keys", "alike"]))
            passing.append(batch.filter(pc.invert(of_keys)))
            yield batch.filter(of_keys)

    parts = gathered(keys(batches))
    yield from passing
    passing.clear()
    for part, values in parts.items():
        if values["alike"]:
            (alike,) = joined(values["alike"])
            same = list(groups(alike["mark_low"].to_numpy() ^ alike["mark_high"].to_numpy()))
            several = [places for _, places in same if len(places) > 1]
            rows = pa.table({"row": longs(alike["row"])[np.concatenate(several or [np.zeros(0, dtype=np.int64)])]})
            yield batch_of([Packed("joined", 0, len(rows), pack(rows))])
        found = sent.search().pairs(values["keys"])
        # Two old rows are not compared.
        new = (found["a"] & found["b"] & OLD_ROW) == 0
        found = {name: found[name] if name in ("bucket", "tested") else found[name] & ~OLD_ROW for name in found}
        found |= {name: found[name][new] for name in _PAIR}
        if len(found["member"]):
            bucket = (np.int64(part) << 32) | found["bucket"]
            members = pa.table({"member": found["member"], "bucket": bucket})
            yield batch_of([Packed("members", 0, len(members), pack(members))])
        if len(found["a"]):
            yield batch_of(for_partitions(found))


def for_partitions(found: dict[str, NDArray[np.int64]]) -> list[Packed]:
    """Pack candidate pairs, the lower number as `a`, for the partitions where they are verified."""
    table = pa.table({name: found[name] for name in _PAIR})
    return [*_spread("pairs", table, partitions_of(found["a"])), *_wanted(found)]


def _spread(kind: str, table: Any, parts: NDArray[np.int64]) -> list[Packed]:
    """Rows for their partitions."""
    return [Packed(kind, part, len(at), pack(table.take(pa.array(at)))) for part, at in groups(parts)]


def _wanted(found: dict[str, NDArray[np.int64]]) -> list[Packed]:
    """The rows of pairs, each with the partitions where its pairs are verified, for the partitions of the rows."""
    at = partitions_of(found["a"])
    return asking("wanted", *_different(np.concatenate([found["a"], found["b"]]), np.concatenate([at, at])))


def _different(first: NDArray[np.int64], second: NDArray[np.int64], *more: NDArray[Any]) -> list[NDArray[Any]]:
    """Columns without the rows whose first two values are there already, in order of these."""
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return [first[new], second[new], *(column[order][new] for column in more)]


@step
def sought(batches: Batches, keep: Keep) -> Batches:
    """Give the texts of rows that are wanted: rows `found` for the partitions that asked."""
    for values in gathered(batches).values():
        if not values["wanted"]:
            continue
        (wanted,) = joined(values["wanted"])
        number, at = _different(longs(wanted["row"]), longs(wanted["at"]))
        texts = TextRows.of(values["texts"], keep)
        position = longs(texts.rows["position"])
        for part, rows in groups(at):
            row = number[rows]
            places = places_of(row)
            columns = {"row": row, "position": position[places], "text": texts.text(places)}
            more = [*carried(texts.rows), *columns_of(keep)]
            table = pa.table(columns | {name: texts.rows[name].take(pa.array(places)) for name in more})
            yield batch_of([Packed("found", part, len(row), pack(table))])


@step
def verified(batches: Batches, sent: SentSearch, keep: Keep, *, positions: bool) -> Batches:
    """Give the pairs that are near: by their numbers in keep order, or by their positions, the lower first."""
    for values in gathered(batches).values():
        if not values["pairs"]:
            continue
        (pairs,), (found,) = joined(values["pairs"]), joined(values["found"])
        a, b, distance = _different(*(longs(pairs[name]) for name in _PAIR))
        found = found.sort_by("row")
        row, texts = longs(found["row"]), found["text"].combine_chunks()
        rank = longs(found["position"]) if positions else np.argsort(keep_order(found, keep))
        at = np.searchsorted(row, a), np.searchsorted(row, b)
        if sent.search().is_directed and not sent.rules.verdicts:
            # Verdicts may change the order later.
            left = rank[at[0]] < rank[at[1]]
            a, b, distance, at = a[left], b[left], distance[left], (at[0][left], at[1][left])
        similarity, *lost, conflict = _compared(sent, (a, b), at, texts)
        near = ~np.isnan(similarity) if sent.search().reads_texts else np.ones(len(a), dtype=bool)
        if not sent.search().by_similarity:
            similarity[:] = np.nan
        sides = tuple(values_of(found.take(pa.array(side))) for side in at)
        near &= _core.allowed_pairs(sent.rules.core, sides, similarity)
        old = is_old(found)
        near &= ~(old[at[0]] & old[at[1]])
        if positions:
            a, b = rank[at[0]], rank[at[1]]
            near &= sent.rules.max_lost is None or np.minimum(*lost) <= sent.rules.max_lost
        given = (rank[at[0]] < rank[at[1]]) | sent.search().is_directed
        a, b = np.where(given, a, b), np.where(given, b, a)
        lost = [np.where(given, *lost), np.where(given, *reversed(lost))]
        yield from near_table(a, b, distance, similarity, lost, conflict).filter(pa.array(near)).to_batches()


def near_table(a: Any, b: Any, distance: Any, similarity: Any, lost: Sequence[Any], conflict: Any) -> Any:
    """Give near pairs as a table; NaN and numbers below 0 stand for what was not measured."""
    lost_a, lost_b = (pa.array(units, mask=units < 0) for units in lost)
    columns = {"a": a, "b": b, "distance": distance, "similarity": pa.array(similarity, mask=np.isnan(similarity))}
    columns |= {"lost_a": lost_a, "lost_b": lost_b, "conflict": pa.array(conflict > 0, mask=conflict < 0)}
    return pa.table(columns).combine_chunks()


@step
def as_found(batches: Batches) -> Batches:
    """Give candidate pairs as near ones, where the distance decides."""
    for values in gathered(batches).values():
        (pairs,) = joined(values["pairs"])
        a, b, distance = _different(*(longs(pairs[name]) for name in _PAIR))
        none = np.full(len(a), -1)
        yield from near_table(a, b, distance, np.full(len(a), np.nan), [none, none], none).to_batches()


@step
def large(batches: Batches) -> Batches:
    """Give the rows of large buckets with these, and the rows that may be joined in no bucket."""
    for values in gathered(batches).values():
        for kind, (row, bucket) in (("members", ("member", "bucket")), ("joined", ("row", None))):
            for value in values[kind]:
                (rows,) = unpack(value)
                of = rows[bucket] if bucket else pa.nulls(len(rows), pa.int64())
                yield from pa.table({"row": rows[row], "bucket": of}).combine_chunks().to_batches()


@step
def for_rows(batches: Batches, kind: str) -> Batches:
    """Ask for the rows of a column `row`, for task 0."""
    for batch in batches:
        row = np.unique(longs(batch.column("row")))
        yield batch_of(asking(kind, row, np.zeros_like(row)))


def asking(kind: str, row: NDArray[np.int64], at: NDArray[np.int64]) -> list[Packed]:
    """Pack numbers of rows, each with the task that asks for it, for the partitions of the rows."""
    return _spread(kind, pa.table({"row": row, "at": at}), partitions_of(row))


@step
def ends(batches: Batches, kind: str) -> Batches:
    """Of both rows of near pairs, for their partitions, the task that walks the pair; in `beside` the row of the other.

    Rows `beside` are of the pairs of task 0 alone.
    """
    for batch in batches:
        a, b, of = (longs(column) for column in (batch.column("a"), batch.column("b"), _bins(batch)))
        if kind == "beside":
            a, b = a[of == 0], b[of == 0]
            yield batch_of(asking(kind, np.concatenate([a, b]), np.concatenate([b, a])))
        else:
            yield batch_of(asking(kind, *_different(np.concatenate([a, b]), np.concatenate([of, of]))))


@step
def read_by_walk(batches: Batches) -> Batches:
    """Want the texts of rows that may be near others by no listed pair, and of those near such rows, for task 0."""
    for values in gathered(batches).values():
        if not values["stays"]:
            continue
        row = longs(joined(values["stays"])[0]["row"])
        for table in joined(values["beside"]):
            row = np.concatenate([row, longs(table["at"])[np.isin(longs(table["row"]), row)]])
        row = np.unique(row)
        yield batch_of(asking("wanted", row, np.zeros_like(row)))


@step
def for_bins(batches: Batches, kind: str) -> Batches:
    """Pack rows for the tasks that walk them."""
    for batch in batches:
        names = [name for name in batch.schema.names if name != "bin"]
        yield batch_of(_spread(kind, pa.Table.from_batches([batch]).select(names), longs(_bins(batch))))


def _bins(batch: Any) -> Any:
    """The tasks that walk pairs; by default there is one."""
    return batch.column("bin") if "bin" in batch.schema.names else pa.array(np.zeros(len(batch), dtype=np.int64))


def _compared(
    sent: SentSearch, numbers: tuple[Any, Any], at: tuple[Any, Any], texts: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    """Give similarity, or 0 under a distance, the runs lost of both texts, and conflict of near pairs; NaN, -1 else."""
    count, search = len(at[0]), sent.search()
    columns = np.full(count, np.nan), np.full(count, -1), np.full(count, -1), np.full(count, -1, dtype=np.int8)
    if search.reads_texts:
        bytes_of = longs(pc.binary_length(texts))
        for part in slices(bytes_of[at[0]] + bytes_of[at[1]], _VERIFIED_ROWS, _VERIFIED_BYTES):
            of = [texts_of(texts.take(pa.array(side[part]))) for side in at]
            a, b = (side[part] for side in numbers)
            found = search.verify(a, b, of[0], of[1], sent.rules.conflict, sent.rules.mean)
            for column, values in zip(columns, found, strict=True):
                column[part] = values
    return columns
