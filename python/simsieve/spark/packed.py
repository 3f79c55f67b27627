"""Many rows as one value of bytes, an Arrow stream. Spark moves some hundred values and converts none of their rows.

A row of the engine has a kind, the partition that it is for, a number whose meaning is its kind's, and the value.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

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
    """Give slices of at most so many rows, whose sizes add up to at most so much, or of one row."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + total, side="right"))
        stop = min(max(stop, start + 1), start + rows)
        yield slice(start, min(stop, len(sizes)))
        start = stop
