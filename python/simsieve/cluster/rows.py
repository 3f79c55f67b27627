"""The rows of a text partition: how they are packed, in what order they are, and their numbers.

A text partition has all rows of its digests. A row's number is its partition and its place there, so a number says
where the row's text is. The place is that of the order by digest and keep order, a function of the rows alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve.cluster.packed import Packed, flags, groups, joined, longs, pack

PLACE_BITS = 40
"""Bits of a number that are the place; the others are the partition."""
OLD_ROW = 1 << (PLACE_BITS - 1)
"""The bit of a number that says, on the way to the candidate pairs, that the row is an old one."""
DIGEST = ("digest_low", "digest_high")
EQUAL, OLD, DATE, FACT = "equal", "old", "date", "fact"
"""Columns of a frame: the fields that must be equal in near rows, in one text; whether a row is old; its date; and what
precedes the number of a field of a rule."""
SETTLED = "settled"
"""The column of what an index has settled of a row: its document, and how near it is."""
MARK = ("mark_low", "mark_high")
CARRIED = ("group", OLD, "facts", DATE, *MARK, SETTLED)
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
