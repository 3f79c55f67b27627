"""Ray as the engine of a job: rows are blocks in the object store, and tasks run the steps on them.

All tasks are functions of their blocks, so Ray does again what a lost worker or node has done.
"""

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import ray
from simsieve.cluster.rows import SCHEMA, Packed, batch_of, longs
from simsieve.cluster.steps import Batches, Step, step
from simsieve.errors import SimsieveError

_log = logging.getLogger(__name__)
_BATCH_ROWS = 10_000
_AT_ONCE = 32
"""Partitions to which rows are sent in one move."""
_KINDS = {
    "int": pa.int32(), "long": pa.int64(), "double": pa.float64(), "boolean": pa.bool_(), "string": pa.string(),
    "binary": pa.binary(),
}  # fmt: skip


def _schema_of(schema: str, ids: Any = None) -> Any:
    """A schema that is written as words, as one of Arrow; a new column is known when its rows are."""
    if schema.startswith("*"):
        return None
    kinds = {**_KINDS, "{id}": ids}
    return pa.schema([(name, kinds[kind]) for name, kind in (column.split(" ") for column in schema.split(", "))])


def table_of(batches: Batches, schema: Any) -> Any:
    """Give batches as a table; without rows it has the columns of a schema."""
    found = [batch for batch in batches if len(batch)]
    return pa.Table.from_batches(found, None if found else (schema or pa.schema([])))


def _done(steps: Sequence[Any], block: Any) -> Batches:
    """The batches of a block after some steps, which are references."""
    batches = iter(block.to_batches(max_chunksize=_BATCH_ROWS))
    return reduce(lambda given, step: step(given), ray.get(list(steps)), batches)


def _mapped(steps: Sequence[Any], schema: Any, block: Any) -> Any:
    return table_of(_done(steps, block), schema)


def _split(steps: Sequence[Sequence[Any]], over: int, count: int, *blocks: Any) -> Any:
    """The packed rows of blocks after their steps, in this many tables by partition; a table may hold several."""
    batches = (batch for of, block in zip(steps, blocks, strict=True) for batch in _done(of, block))
    table = table_of(batches, _PACKED)
    parts = longs(table["part"]) // over % count
    found = [table.filter(pa.array(parts == part)) for part in range(count)]
    return found if count > 1 else found[0]


def _of_part(work: Any, schema: Any, *blocks: Any) -> Any:
    return table_of(work(batch for block in blocks for batch in block.to_batches()), schema)


@step
def _of_kinds(batches: Batches, kinds: Sequence[str]) -> Batches:
    """Leave the packed rows of some kinds."""
    for batch in batches:
        yield batch.filter(pc.is_in(batch.column("kind"), pa.array(kinds)))


@step
def _with_other(batches: Batches, every: bool, merged: Any) -> Batches:  # noqa: FBT001 - a value of a step
    """Add the value of the rows `merged` of the same partition as `other`; without a table they are among the rows."""
    table = pa.Table.from_batches([*batches], _PACKED)
    is_other = pc.equal(table["kind"], "merged")
    rows, merged = table.filter(pc.invert(is_other)), table.filter(is_other) if merged is None else merged
    values = dict(zip(merged["part"].to_pylist(), merged["value"].to_pylist(), strict=True))
    other = pa.array([values.get(part) for part in rows["part"].to_pylist()], pa.binary())
    rows = rows.append_column("other", other)
    yield from (rows if every else rows.filter(other.is_valid())).to_batches()


def _sums(rows: Any) -> Any:
    """The sum of the numbers of each kind."""
    return rows.group_by("kind").aggregate([("number", "sum")]).rename_columns(["kind", "number"])


@step
def _summed(batches: Batches) -> Batches:
    for batch in batches:
        yield from _sums(pa.Table.from_batches([batch])).combine_chunks().to_batches()


_PACKED = _schema_of(SCHEMA)
_map, _send, _gather = (
    ray.remote(max_retries=-1, scheduling_strategy="SPREAD", name=f"simsieve{task.__name__}")(task)
    for task in (_mapped, _split, _of_part)
)


def _sent(blocks: Sequence[tuple[Any, Any]], over: int, count: int, tasks: int) -> list[list[Any]]:
    """Split blocks in at most this many tasks; give the pieces of each of `count` parts."""
    groups = [blocks[at::tasks] for at in range(min(tasks, len(blocks)))]
    send = _send.options(num_returns=count)
    found = [send.remote([steps for steps, _ in some], over, count, *(block for _, block in some)) for some in groups]
    return [list(pieces) for pieces in zip(*found, strict=True)] if count > 1 else [found]


@dataclass(frozen=True, slots=True)
class RayRows:
    """Rows as references to blocks, each with the steps that are still to do; see `cluster.engine.Rows`."""

    blocks: tuple[tuple[tuple[Any, ...], Any], ...]
    schema: Any

    @classmethod
    def of_blocks(cls, blocks: Sequence[Any], schema: Any) -> "RayRows":
        """Rows of blocks on which nothing is to do."""
        return cls(tuple(((), block) for block in blocks), schema)

    def map(self, step: Step, schema: str = SCHEMA, ids: Any = None) -> "RayRows":
        """Map the batches of each block, when the rows are used."""
        sent = ray.put(step)
        return RayRows(tuple(((*steps, sent), block) for steps, block in self.blocks), _schema_of(schema, ids))

    def by_part(self, step: Step, count: int, schema: str = SCHEMA) -> "RayRows":
        """Map packed rows in this many tasks; all rows of one `part` are in one task."""
        wide = count if count <= _AT_ONCE else math.isqrt(count - 1) + 1
        parts = _sent(self.blocks, 1, wide, max(count, RayEngine().tasks))
        if wide < count:
            # In two moves, so that there are some count ** 1.5 pieces and not count ** 2.
            parts = [
                some
                for at, pieces in enumerate(parts)
                for some in _sent([((), piece) for piece in pieces], wide, len(range(at, count, wide)), wide)
            ]
        sent, kind = ray.put(step), _schema_of(schema)
        return RayRows.of_blocks([_gather.remote(sent, kind, *blocks) for blocks in parts], kind)

    def of(self, *kinds: str) -> "RayRows":
        """The packed rows of some kinds."""
        return self.map(_of_kinds(kinds))

    def union(self, *others: "RayRows") -> "RayRows":
        """These rows and others."""
        return RayRows(sum((other.blocks for other in others), self.blocks), self.schema)

    def with_other(self, merged: "RayRows", count: int, *, every: bool, is_small: bool = False) -> "RayRows":
        """Packed rows with the value of another of their partition as `other`; small ones are sent to all tasks."""
        schema = f"{SCHEMA}, other binary"
        if is_small:
            return self.map(_with_other(every, merged.table()), schema)
        return self.union(merged).by_part(_with_other(every, None), count, schema)

    def keep(self, *, now: bool = False) -> "RayRows":
        """Start the tasks; their blocks stay in the object store, or on disk, as long as something refers to them."""
        blocks = [_map.remote(steps, self.schema, block) if steps else block for steps, block in self.blocks]
        if now:
            ray.wait(blocks, num_returns=len(blocks), fetch_local=False)
        return RayRows.of_blocks(blocks, self.schema)

    def drop(self) -> object:
        """Nothing is to do here."""

    def sums(self) -> dict[str, int]:
        """The sum of the numbers of packed rows of each kind."""
        found = _sums(self.map(_summed(), "kind string, number long").table())
        return dict(zip(found["kind"].to_pylist(), found["number"].to_pylist(), strict=True))

    def table(self) -> Any:
        """The rows as a table of Arrow on the driver."""
        try:
            found = ray.get([block for _, block in self.keep().blocks])
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SimsieveError):
                raise error.cause from None
            raise
        return table_of((batch for table in found for batch in table.to_batches()), self.schema)


def dataset_of(rows: Any) -> ray.data.Dataset:
    """Give rows of a job as a Dataset."""
    return ray.data.from_arrow_refs([block for _, block in rows.keep(now=True).blocks])


@dataclass(frozen=True, slots=True)
class RayEngine:
    """The cluster of Ray that this process is connected to."""

    name: str = "Ray"

    @property
    def tasks(self) -> int:
        """How many tasks can run at a time."""
        return max(2, int(ray.cluster_resources().get("CPU", 0)))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Log what the tasks do that start meanwhile."""
        _log.info("%s", name)
        yield

    def made(self, rows: Sequence[Packed]) -> RayRows:
        """Rows of the driver."""
        return RayRows.of_blocks([ray.put(pa.Table.from_batches([batch_of(list(rows))]))], _PACKED)
