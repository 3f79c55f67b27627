"""Many rows as one value of bytes, an Arrow stream. Spark moves some hundred values and converts none of their rows.

A row of the engine has a kind, the partition that it is for, a number whose meaning is its kind's, and the value.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
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
