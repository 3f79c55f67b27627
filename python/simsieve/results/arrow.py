"""Results as Arrow tables, made of the core's columns without a loop over the records.

Labels are one column of one type: int64 where all are whole numbers, text where all are strings, and else JSON.
"""

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.optional import arrow
from simsieve.results.run import Run

KEPT, DROPPED, FAILED = range(len(_core.DECISIONS))
COLUMNS: dict[str, Literal["text", "int", "float", "bool"] | None] = {
    "position": "int", "id": None, "decision": "text", "representative": None, "representative_position": "int",
    "distance": "int", "similarity": "float", "measure": "text", "reason": "text", "lost": "int",
    "conflict": "bool", "source": "text", "line": "int", "representative_collection": "text", "scheme": "text",
}  # fmt: skip
"""The columns of decisions in order, and what each holds; labels hold what the records have. A column of numbers
that is not made in `_Rows.table` is as the core has it."""
_NO_FEATURES, _FAILED, _VERDICT = map(_core.REASONS.index, ("no_features", "failed", "verdict"))
_INT64 = range(-(2**63), 2**63)
_BLOCK_ROWS = 1 << 17
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Decided:
    """What a table of decisions is made of."""

    columns: _core.Decisions
    documents: _core.Documents
    config: DedupConfig
    specs: tuple[str, ...]
    new: int

    @classmethod
    def of(cls, run: Run, columns: _core.Decisions) -> "Decided":
        """Take what was decided in a run."""
        specs = tuple(scheme.spec for scheme in run.schemes)
        return cls(columns, run.documents, run.config, specs, len(columns))


def decisions_table(decided: Decided) -> Any:
    """Make a table of decisions, a row a record in the order of the positions."""
    every = [_Rows(decided, range(len(decided.columns)))]
    return every[0].with_cluster(decided.documents.label_kind(), _shown(decided, every))


def decisions_blocks(decided: Decided) -> Iterator[Any] | None:
    """Give the rows of `decisions_table` as files have them: without `cluster`, similarities with six digits."""
    kind = decided.documents.label_kind()
    if kind == "json":
        return None
    shown = _shown(decided, _blocks(decided))
    return (rows.rounded().table(kind, shown) for rows in _blocks(decided))


def decisions_stream(decided: Decided) -> Any:
    """Give the rows of `decisions_table` block by block, as a `pyarrow.RecordBatchReader`."""
    kind, shown = decided.documents.label_kind(), _shown(decided, _blocks(decided))
    tables = (rows.with_cluster(kind, shown) for rows in _blocks(decided))
    first = next(tables)
    batches = (batch for table in itertools.chain([first], tables) for batch in table.to_batches())
    return arrow().RecordBatchReader.from_batches(first.schema, batches)


def _blocks(decided: Decided) -> Iterator["_Rows"]:
    """All rows, some at a time; at least one block."""
    count = len(decided.columns)
    for start in range(0, max(count, 1), _BLOCK_ROWS):
        yield _Rows(decided, range(start, min(start + _BLOCK_ROWS, count)))


class _Rows:
    """Decisions on some records, as columns."""

    def __init__(self, decided: Decided, at: range) -> None:
        self.decided = decided
        self.columns, self.sources = decided.columns.columns(at.start, at.stop)
        schemes = self.columns["scheme"]
        self.decision, self.reason, self.representative = (
            self.columns[name] for name in ("decision", "reason", "representative")
        )
        self.positions = np.arange(at.start, at.stop, dtype=np.int64)
        self.schemes = schemes if len(schemes) else np.zeros(len(at), dtype=np.uint8)
        self.has_representative = self.representative >= 0
        self.measured = self.has_representative & (self.reason != _NO_FEATURES)
        self.has_scheme = self.measured & (self.representative != self.positions) & (len(schemes) > 0)

    def rounded(self) -> "_Rows":
        self.columns = {
            name: np.round(column, _DIGITS) if column.dtype == np.float64 else column
            for name, column in self.columns.items()
        }
        return self

    def table(self, kind: str, shown: Collection[str]) -> Any:
        """Give the table: `kind` is that of the labels, and `shown` names the columns that are not always there."""
        pa, decided, representative = arrow(), self.decided, self.representative
        criteria = decided.config.criteria
        by_similarity = np.array([criterion.similarity is not None for criterion in criteria])[self.schemes]
        measures = [decided.config.measure_of(criterion.similarity) for criterion in criteria]
        is_old = representative >= decided.new
        table = {
            "position": pa.array(self.positions),
            "id": labels_array(decided.documents, self.positions, kind),
            "decision": _named(self.decision, _core.DECISIONS),
            "representative": labels_array(decided.documents, representative, kind),
            "representative_position": pa.array(representative - decided.new * is_old, mask=~self.has_representative),
            "distance": self._number("distance", self.measured),
            "similarity": self._number("similarity", self.measured & by_similarity),
            "measure": _named(self.schemes, measures, ~self.measured | (self.reason == _VERDICT)),
            "reason": _reasons(self.reason, self.positions, decided.documents.failures),
            "lost": self._number("lost", representative != self.positions),
            "conflict": self._number("conflict", representative != self.positions).cast(pa.bool_()),
            "source": pa.DictionaryArray.from_arrays(
                self.columns["source"].astype(np.int32), pa.array(self.sources, pa.string())
            ),
            "representative_collection": _named(is_old.astype(np.uint8), ("new", "old"), ~self.has_representative),
            "scheme": _named(self.schemes, decided.specs, ~self.has_scheme),
        }
        wanted = (name for name in COLUMNS if name in shown or name not in SOMETIMES)
        return pa.table({name: table[name] if name in table else self._number(name) for name in wanted})

    def with_cluster(self, kind: str, shown: Collection[str]) -> Any:
        """Give the table with the column `cluster`; see `table`."""
        found = cluster_column(self.decision, self.representative, self.decided.new)
        return self.table(kind, shown).append_column("cluster", found)

    def _number(self, name: str, there: NDArray[np.bool_] | None = None) -> Any:
        """A column of numbers; NaN and numbers below 0 stand for none."""
        column = self.columns[name]
        found = column >= 0 if there is None else there & (column >= 0)
        return arrow().array(column, mask=~found)


def _shown(decided: Decided, blocks: Iterable[_Rows]) -> set[str]:
    """The columns that are not always there, and are in some row."""
    has_old, found = len(decided.documents.valid) > decided.new, set()
    if has_old or len(decided.specs) > 1:
        for rows in blocks:
            found |= {"representative_collection"} if has_old and rows.has_representative.any() else set()
            found |= {"scheme"} if rows.has_scheme.any() else set()
    return found


def table_of_rows(columns: Mapping[str, str | None], rows: Iterable[Mapping[str, Any]]) -> Any:
    """Make a table of objects, a row each; a column without a kind has labels."""
    pa = arrow()
    kinds = {"int": pa.int64(), "float": pa.float64(), "text": pa.string(), "bool": pa.bool_()}
    rows = list(rows)
    made = {name: [row[name] for row in rows] for name in columns}
    return pa.table({
        name: labels_of(made[name]) if kind is None else pa.array(made[name], kinds[kind])
        for name, kind in columns.items()
    })  # fmt: skip


SOMETIMES = ("representative_collection", "scheme")


def cluster_column(decision: NDArray[np.uint8], representative: NDArray[np.int64], new: int) -> Any:
    """Give the position of the kept document that each record belongs to, one of `new`, as an Arrow array of int64."""
    found = heads(decision, representative)
    return arrow().array(found, mask=(found < 0) | (found >= new))


def heads(decision: NDArray[np.uint8], representative: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the position of the kept document that each record belongs to, itself of a kept one: int64[n]."""
    return np.where(decision == FAILED, -1, representative)


def grouped(numbers: NDArray[np.int64], positions: NDArray[np.int64], min_size: int = 1) -> dict[int, list[int]]:
    """Group ascending positions by a number of each, such as its representative's position."""
    order = np.argsort(numbers, kind="stable")
    firsts, starts = np.unique(numbers[order], return_index=True)
    groups = np.split(positions[order], starts[1:]) if len(firsts) else []
    found = zip(firsts.tolist(), groups, strict=True)
    return {number: group.tolist() for number, group in found if len(group) >= min_size}


def cluster_sizes(found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the records that belong to each kept document, by its position: int64[n]."""
    return np.bincount(found[(found >= 0) & (found < len(found))], minlength=len(found))


def copies_of(decision: NDArray[np.uint8], representative: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the records that each document stands for, itself among them; 0 of one that is not kept: int64[n]."""
    return cluster_sizes(heads(decision, representative))


CONTAINED: tuple[Literal["a", "b", "both"] | None, ...] = (None, "a", "b", "both")
"""Which document of a pair the other contains, by its number in the columns of pairs."""


def pairs_table(columns: tuple[NDArray[Any], ...], a: Any, b: Any) -> Any:
    """Make a table of pairs; NaN and numbers below 0 stand for none."""
    pa = arrow()
    a_position, b_position, distance, similarity, contained, lost_a, lost_b, conflict = columns
    return pa.table({
        "a": a, "b": b, "a_position": a_position, "b_position": b_position,
        "distance": pa.array(distance.astype(np.int32), mask=distance < 0),
        "similarity": pa.array(similarity, mask=np.isnan(similarity)),
        "contained": pa.array(CONTAINED, type=pa.string()).take(pa.array(contained)),
        "lost_a": pa.array(lost_a, mask=lost_a < 0), "lost_b": pa.array(lost_b, mask=lost_b < 0),
        "conflict": pa.array(conflict > 0, mask=conflict < 0),
    })  # fmt: skip


def labels_array(documents: _core.Documents, positions: NDArray[np.int64], kind: str) -> Any:
    """Give labels as one Arrow array."""
    pa = arrow()
    offsets, content, valid = documents.labels(kind, positions)
    texts = pa.LargeStringArray.from_buffers(len(valid), pa.py_buffer(offsets), pa.py_buffer(content))
    texts = arrow("pyarrow.compute").if_else(pa.array(valid), texts, pa.scalar(None, pa.large_string()))
    return texts.cast(pa.int64()) if kind == "int" else texts


def labels_of(labels: Sequence[Any]) -> Any:
    """Give labels as one Arrow array."""
    pa = arrow()
    there = [label for label in labels if label is not None]
    if there and all(type(label) is int and label in _INT64 for label in there):
        return pa.array(labels, type=pa.int64())
    if all(isinstance(label, str) for label in there):
        try:
            return pa.array(labels, type=pa.large_string())
        except UnicodeEncodeError:
            # A lone surrogate has no UTF-8, and shows in JSON only.
            return pa.array([label if label is None else json.dumps(label) for label in labels], pa.large_string())
    texts = [
        label if label is None else json.dumps(label, ensure_ascii=False, separators=(",", ":")) for label in labels
    ]
    return pa.array(texts, pa.large_string())


def _named(codes: NDArray[np.integer[Any]], names: Sequence[str], mask: NDArray[np.bool_] | None = None) -> Any:
    pa = arrow()
    return pa.array(names, pa.string()).take(pa.array(codes, mask=mask))


def _reasons(
    reason: NDArray[np.uint8], positions: NDArray[np.int64], failures: Callable[[], Sequence[tuple[int, str, str]]]
) -> Any:
    """The reasons of records at ascending positions; a failed one has the code of its failure."""
    codes, names = reason.astype(np.int32), [*_core.REASONS]
    if (reason == _FAILED).any():
        there = {int(position): code for position, code, _ in failures()}
        names.extend(dict.fromkeys(there.values()))
        places = {name: place for place, name in enumerate(names)}
        failed = np.flatnonzero(reason == _FAILED)
        codes[failed] = [places[there[position]] for position in positions[failed].tolist()]
    return _named(codes, names)
