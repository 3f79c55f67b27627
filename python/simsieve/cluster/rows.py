"""The rows of a text partition: how they are packed, in what order they are, and their numbers.

A text partition has all rows of its digests. A row's number is its partition and its place there, so a number says
where the row's text is. The place is that of the order by digest and keep order, a function of the rows alone.

Many rows are packed as one value of bytes, an Arrow stream: Spark moves some hundred values and converts none of their
rows. A row of the engine has a kind, the partition that it is for, a number whose meaning is its kind's, and the value.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve.sources.columns import Buffers, buffers_of

SCHEMA = "kind string, part int, number long, value binary"
_FIELDS = (("kind", pa.string()), ("part", pa.int32()), ("number", pa.int64()), ("value", pa.binary()))


class Packed(NamedTuple):
    """A row of the engine."""

    kind: str
    part: int
    number: int
    value: bytes


def pack(*tables: Any) -> bytes:
    """Give tables as bytes."""
    sink = pa.BufferOutputStream()
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack(value: bytes) -> list[Any]:
    """Give the tables of bytes."""
    source, tables = pa.BufferReader(value), list[Any]()
    while source.tell() < len(value):
        tables.append(pa.ipc.open_stream(source).read_all())
    return tables


def joined(values: Iterable[bytes]) -> list[Any]:
    """Give the tables of several values: the first ones of all as one, the second ones as one, and so on."""
    each = [unpack(value) for value in values]
    return [pa.concat_tables(tables) for tables in zip(*each, strict=True)]


def batch_of(rows: list[Packed]) -> Any:
    """Give rows of the engine as a batch."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in _FIELDS)
    arrays = [pa.array(column, kind) for column, (_, kind) in zip(columns, _FIELDS, strict=True)]
    return pa.record_batch(arrays, names=[name for name, _ in _FIELDS])


def gathered(batches: Iterable[Any]) -> dict[int, dict[str, list[bytes]]]:
    """Give the values of batches by their partitions and kinds; a kind that is not there has none."""
    found: dict[int, dict[str, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("kind", "part", "value"))
        for kind, part, value in zip(*columns, strict=True):
            found[part][kind].append(value)
    return found


def groups(keys: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Give each different key with the places where it is, in their order."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(keys) else np.zeros(0, dtype=np.int64)
    for places in np.split(order, starts[1:]) if len(keys) else ():
        yield int(keys[places[0]]), places


def slices(sizes: NDArray[np.int64], rows: int, total: int) -> Iterator[slice]:
    """Give slices within a number of rows and a sum of sizes, or of one row."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + total, side="right"))
        stop = min(max(stop, start + 1), start + rows)
        yield slice(start, min(stop, len(sizes)))
        start = stop


SKETCH_WORDS = 8
"""Words of a sketch, which precede those of the fingerprint where rows are compared by similarity."""


def texts_of(array: Any) -> Buffers:
    """Give a column of texts as offsets, bytes, and which rows have a text."""
    array = array.cast(pa.large_string())
    return buffers_of(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)


def words_array(words: NDArray[np.uint64]) -> Any:
    """Give rows of words as a column of binary values of one length."""
    data = pa.py_buffer(np.ascontiguousarray(words, dtype="<u8"))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(words.shape[1] * 8), len(words), [None, data])


def words_of(array: Any) -> NDArray[np.uint64]:
    """Give a column of binary values of one length as rows of words."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    width = array.type.byte_width
    data = np.frombuffer(array.buffers()[1] or b"", dtype=np.uint8)[array.offset * width :][: len(array) * width]
    return np.frombuffer(data.tobytes(), dtype="<u8").reshape(len(array), width // 8)


def longs(array: Any) -> NDArray[np.int64]:
    """Give a column of whole numbers without nulls."""
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False), dtype=np.int64)


def flags(array: Any) -> NDArray[np.bool_]:
    """Give a column of truth values without nulls."""
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=bool)


PLACE_BITS = 40
"""Bits of a number that are the place; the others are the partition."""
OLD_ROW = 1 << (PLACE_BITS - 1)
"""The bit of a number that says, on the way to the candidate pairs, that the row is an old one."""
DIGEST = ("digest_low", "digest_high")
EQUAL, OLD, DATE, FACT = "equal", "old", "date", "fact"
"""Columns of a frame: the fields that must be equal in near rows, in one text; whether a row is old; its date; and what
precedes the number of a field of a rule."""
SETTLED = "settled"
"""The column of the decision by an index: the document, and how near it is."""
MARK, WHOLE = ("mark_low", "mark_high"), ("whole_low", "whole_high")
"""Columns of what is equal where texts are, under the first scheme and under all of several."""
CARRIED = ("group", OLD, "facts", DATE, *MARK, *WHOLE, SETTLED)
"""Columns that rows carry for the rules on pairs; all but the first where there are such rules."""
_LAST_PLACE = OLD_ROW - 1

Keep = Sequence[tuple[str, bool]]


def numbers(partition: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the numbers of rows."""
    return places + (np.int64(partition) << PLACE_BITS)


def carried(rows: Any) -> list[str]:
    """Give the columns that rows carry for the rules on pairs."""
    return [name for name in CARRIED if name in rows.schema.names]


def is_old(rows: Any) -> NDArray[np.bool_]:
    """Which rows are old ones."""
    return flags(rows[OLD]) if OLD in rows.schema.names else np.zeros(len(rows), dtype=bool)


def settled(rows: Any) -> NDArray[np.bool_]:
    """Which rows an index has settled."""
    if SETTLED not in rows.schema.names:
        return np.zeros(len(rows), dtype=bool)
    return np.asarray(rows[SETTLED].is_valid())


def usable(rows: Any) -> NDArray[np.bool_]:
    """Which rows have not failed, and are not settled."""
    return np.asarray(rows["failure"].is_null()) & ~settled(rows)


def partitions_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the text partitions of rows."""
    return numbers >> PLACE_BITS


def places_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the places of rows in their partitions."""
    return numbers & _LAST_PLACE


def packed_texts(tables: Sequence[Any], partitions: int) -> list[Packed]:
    """Pack rows for their text partitions."""
    table = pa.concat_tables(tables)
    texts = table["text"].cast(pa.large_string()).combine_chunks().dictionary_encode()
    indices = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    table = table.drop_columns(["text"]).combine_chunks()
    packed = []
    for partition, at in groups(table[DIGEST[0]].to_numpy() % np.uint64(partitions)):
        used, of = np.unique(indices[at], return_inverse=True)
        missing = int(len(used) > 0 and used[0] < 0)
        rows = table.take(pa.array(at)).append_column("text_at", pa.array((of - missing).astype(np.int32)))
        different = pa.table({"text": texts.dictionary.take(pa.array(used[missing:]))})
        packed.append(Packed("texts", partition, len(at), pack(rows, different)))
    return packed


@dataclass(frozen=True, slots=True)
class TextRows:
    """The rows of a text partition by their places."""

    rows: Any
    texts: Any
    text_at: NDArray[np.int64]

    @classmethod
    def of(cls, values: Iterable[bytes], keep: Keep) -> "TextRows":
        """Put packed rows into the order of their places."""
        parts: list[tuple[Any, ...]] = [tuple(joined([value])) for value in values]
        ats, base = list[NDArray[np.int64]](), 0
        for rows, different in parts:
            at = longs(rows["text_at"])
            ats.append(np.where(at < 0, -1, at + base))
            base += len(different)
        rows = pa.concat_tables([rows.drop_columns(["text_at"]) for rows, _ in parts]).combine_chunks()
        texts = pa.concat_tables([different for _, different in parts])["text"].combine_chunks()
        order = _order(rows, keep)
        return cls(rows.take(pa.array(order)), texts, np.concatenate(ats)[order])

    def text(self, places: Any) -> Any:
        """Give the texts of rows."""
        at = self.text_at[places]
        return self.texts.take(pa.array(at, mask=at < 0))

    def bytes(self) -> NDArray[np.int64]:
        """How many bytes the text of each row has."""
        # One more, which is what the place -1 finds.
        sizes = np.append(longs(pc.binary_length(self.texts)), 0)
        return sizes[self.text_at]


def _order(rows: Any, keep: Keep) -> NDArray[np.int64]:
    name, descending = keep[0]
    if name == "position":
        order = np.argsort(longs(rows["position"]), kind="stable")
        order = order[::-1] if descending else order
    else:
        order = keep_order(rows, keep)
    low, high = (rows[name].to_numpy()[order] for name in DIGEST)
    return order[np.lexsort((low, high))]


def keep_order(rows: Any, keep: Keep) -> NDArray[np.int64]:
    """Give the places of rows in keep order; nulls are last."""
    keys = [(name, "descending" if down else "ascending") for name, down in keep]
    if keys[-1][0] != "position":
        keys.append(("position", "ascending"))
    return longs(pc.sort_indices(rows, sort_keys=keys))
