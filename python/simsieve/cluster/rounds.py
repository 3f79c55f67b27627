"""Decisions in rounds, on the executors: which rows are dropped for certain, and where the others are walked.

A row is kept when all earlier rows near it are dropped, and dropped when one of them is kept. The text partition of a
row has the pairs that end in it, and those of later rows that it must tell. A round moves these messages. Rows of
large buckets stay open, as their pairs are not listed. Rows open after some rounds are walked as on one machine, with
the kept rows near them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve.cluster.rows import Packed, batch_of, flags, gathered, groups, joined, longs, pack, partitions_of
from simsieve.cluster.steps import Batches, step

ROUNDS = 4
"""Rounds at most: a chain of versions in keep order would need as many as it is long."""
MOST_WALKED = 1_000_000
"""Candidate pairs and members of large buckets that are walked without a round."""
Rows = NDArray[np.int64]


@step
def begun(batches: Batches, max_lost: int | None = None) -> Batches:
    """Send near pairs, `a` before `b`, to the partitions of both: rows `in` and `out`."""
    # A pair whose later row would lose more is none.
    for batch in batches:
        pairs = pa.Table.from_batches([batch])
        if max_lost is not None:
            pairs = pairs.filter(pc.less_equal(pairs["lost_b"], max_lost))
        pairs = pairs.append_column("is_kept", pa.array(np.zeros(len(pairs), dtype=bool)))
        ends = (("in", "b", pairs), ("out", "a", pairs.select(["a", "b"])))
        for kind, end, table in ends:
            parts = groups(partitions_of(longs(pairs[end])))
            yield batch_of([Packed(kind, part, len(at), pack(table.take(pa.array(at)))) for part, at in parts])


@dataclass(slots=True)
class _State:
    """What a partition knows: the pairs that end in its rows, without those of dropped rows, and whom it must tell."""

    pairs: Any
    tells: tuple[Rows, Rows]
    stays: Rows

    @classmethod
    def of(cls, values: dict[str, list[bytes]]) -> "_State":
        """Read the messages that were sent, and apply them."""
        pairs, out, stays, told = (joined(values[kind]) for kind in ("in", "out", "stays", "told"))
        state = cls(
            pairs[0] if pairs else None,
            (longs(out[0]["a"]), longs(out[0]["b"])) if out else (_NONE, _NONE),
            longs(stays[0]["row"]) if stays else _NONE,
        )
        if pairs and told:
            state._hear(longs(told[0]["row"]), flags(told[0]["is_kept"]))
        return state

    def _hear(self, row: Rows, is_kept: NDArray[np.bool_]) -> None:
        order = np.argsort(row)
        row, is_kept, a = row[order], is_kept[order], longs(self.pairs["a"])
        at = np.minimum(np.searchsorted(row, a), len(row) - 1)
        known = row[at] == a
        kept = pa.array(flags(self.pairs["is_kept"]) | known & is_kept[at])
        pairs = self.pairs.set_column(self.pairs.schema.get_field_index("is_kept"), "is_kept", kept)
        self.pairs = pairs.filter(pa.array(~known | is_kept[at]))

    def ends(self, *, of_kept: bool = False) -> Rows:
        """The rows with pairs that end in them, of any earlier row or of a kept one."""
        if self.pairs is None:
            return _NONE
        ends = longs(self.pairs["b"])
        return ends[flags(self.pairs["is_kept"])] if of_kept else ends


_NONE = np.zeros(0, dtype=np.int64)


@step
def decided(batches: Batches) -> Batches:
    """Decide the rows without open pairs: rows `told`; the other rows stay as they came."""
    for part, values in gathered(batches).items():
        state = _State.of(values)
        a, b = state.tells
        falls = np.isin(a, state.ends(of_kept=True))
        settled = (falls | ~np.isin(a, state.ends())) & ~np.isin(a, state.stays)
        told = pa.table({"row": a[settled], "to": partitions_of(b[settled]), "is_kept": ~falls[settled]})
        told = told.group_by(["row", "to", "is_kept"]).aggregate([])
        out = [Packed("told", to, len(at), pack(told.take(pa.array(at)))) for to, at in groups(longs(told["to"]))]
        left = pa.table({"a": a[~settled], "b": b[~settled]})
        out.append(Packed("out", part, len(left), pack(left)))
        out.append(Packed("stays", part, len(state.stays), pack(pa.table({"row": state.stays}))))
        if state.pairs is not None:
            out.append(Packed("in", part, len(state.pairs), pack(state.pairs)))
        yield batch_of(out)


@step
def in_bins(batches: Batches, bins: int) -> Batches:
    """Give the pairs that decide, each with the task that walks it in a column `bin`: task 0 walks open rows."""
    # A dropped row that is near an open one is walked there too: that one may represent it.
    for values in gathered(batches).values():
        state = _State.of(values)
        if state.pairs is None:
            continue
        b, is_kept = state.ends(), flags(state.pairs["is_kept"])
        is_open = np.isin(b, np.concatenate([b[~is_kept], state.stays, state.tells[0]]))
        bin_of = np.where(is_open, 0, 1 + b % (bins - 1)).astype(np.int32)
        pairs = state.pairs.drop_columns(["is_kept"]).append_column("bin", pa.array(bin_of))
        yield from pairs.combine_chunks().to_batches()
