"""Results as Arrow tables, made of the core's columns without a loop over the records.

Labels are one column of one type: int64 where all are whole numbers, text where all are strings, and else JSON.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.optional import arrow

DECISIONS = ("kept", "dropped", "failed")
"""What the codes of the core's `decision` column mean."""
KEPT, DROPPED, FAILED = range(len(DECISIONS))
REASONS = ("unique", "representative", "no_features", "exact", "near", "failed", "verdict")
"""What the codes of the core's `reason` column mean; a failed record has its own code in a table."""
_NO_FEATURES, _VERDICT = REASONS.index("no_features"), REASONS.index("verdict")
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Decided:
    """What a table of decisions is made of.

    Args:
        columns: The decisions.
        documents: The documents.
        config: The settings, whose criteria name what each scheme measures.
        specs: The spec of each scheme.
        new: Records of the new sources; positions beyond are old ones.

    Example:
        >>> Decided.__slots__[0]
        'columns'
    """

    columns: _core.Decisions
    documents: _core.Documents
    config: DedupConfig
    specs: tuple[str, ...]
    new: int


def decisions_table(decided: Decided) -> Any:
    """Make a table of decisions, a row a record in the order of the positions.

    Args:
        decided: The decisions and what they were made of.

    Returns:
        A `pyarrow.Table` with the fields of `Decision` and `cluster`: the position of the kept document that the record
        belongs to. It is null if the record failed or was dropped for an old one. `representative_collection` and
        `scheme` are there only where a record has one.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    pa, columns, new = arrow(), decided.columns, decided.new
    decision, reason, representative = columns.decision, columns.reason, columns.representative
    positions = np.arange(len(columns), dtype=np.int64)
    has_representative = representative >= 0
    measured = has_representative & (reason != _NO_FEATURES)
    criteria = decided.config.criteria
    schemes = columns.scheme if len(columns.scheme) else np.zeros(len(columns), dtype=np.uint8)
    by_similarity = np.array([criterion.similarity is not None for criterion in criteria])[schemes]
    measures = [decided.config.measure_of(criterion.similarity) for criterion in criteria]
    similarity, distance = columns.similarity, columns.distance
    is_old = representative >= new
    labels = labels_array(decided.documents)
    table = {
        "position": pa.array(positions),
        "id": labels.slice(0, len(columns)),
        "decision": _named(decision, DECISIONS),
        "representative": labels.take(pa.array(representative, mask=~has_representative)),
        "representative_position": pa.array(representative - new * is_old, mask=~has_representative),
        "distance": pa.array(distance, mask=~(measured & (distance >= 0))),
        "similarity": pa.array(similarity, mask=~(measured & by_similarity & ~np.isnan(similarity))),
        "measure": _named(schemes, measures, ~measured | (reason == _VERDICT)),
        "reason": _reasons(reason, decided.documents.failures()),
    }
    if len(decided.documents.valid) > new:
        table["representative_collection"] = _named(is_old.astype(np.uint8), ("new", "old"), ~has_representative)
    if len(columns.scheme):
        table["scheme"] = _named(schemes, decided.specs, ~(measured & (representative != positions)))
    return _whole(table, cluster_column(decision, representative))


def rows_table(rows: Mapping[str, list[Any]], decision: NDArray[np.uint8], representative: NDArray[np.int64]) -> Any:
    """Make a table of decisions whose fields were read already; see `decisions_table`.

    Args:
        rows: The fields of `Decision` by name, a list each.
        decision: Codes of the core's column.
        representative: Positions, -1 where there is none.
    """
    pa = arrow()
    kinds = {
        "position": pa.int64(), "representative_position": pa.int64(), "distance": pa.int32(),
        "similarity": pa.float64(),
    }  # fmt: skip
    labels = labels_of(rows["id"] + rows["representative"])
    table = {name: pa.array(rows[name], type=kinds.get(name, pa.string())) for name in rows if name not in _LABELS}
    table["id"], table["representative"] = labels.slice(0, len(decision)), labels.slice(len(decision))
    return _whole({name: table[name] for name in rows}, cluster_column(decision, representative))


_LABELS = ("id", "representative")
_SOMETIMES = ("representative_collection", "scheme")


def _whole(table: dict[str, Any], clusters: Any) -> Any:
    shown = {
        name: column for name, column in table.items() if name not in _SOMETIMES or column.null_count < len(column)
    }
    return arrow().table({**shown, "cluster": clusters})


def cluster_column(decision: NDArray[np.uint8], representative: NDArray[np.int64]) -> Any:
    """Give the position of the kept document that each record belongs to, as an Arrow array of int64.

    Args:
        decision: Codes of the core's column.
        representative: Positions, -1 where there is none; an old document's is at least the number of records.

    Example:
        >>> cluster_column(np.array([0, 1, 2], np.uint8), np.array([0, 0, -1])).to_pylist()
        [0, 0, None]
    """
    found = heads(decision, representative)
    return arrow().array(found, mask=(found < 0) | (found >= len(decision)))


def heads(decision: NDArray[np.uint8], representative: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the position of the kept document that each record belongs to, itself of a kept one: int64[n].

    Args:
        decision: Codes of the core's column.
        representative: The core's column.

    Returns:
        Positions; an old document's is at least n, and -1 is that of a failed record.

    Example:
        >>> heads(np.array([0, 1, 2], np.uint8), np.array([0, 0, -1])).tolist()
        [0, 0, -1]
    """
    return np.where(decision == FAILED, -1, representative)


CONTAINED: tuple[Literal["a", "b", "both"] | None, ...] = (None, "a", "b", "both")
"""Which document of a pair the other contains, by its number in the columns of pairs."""


def pairs_table(
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]],
    a: Any,
    b: Any,
) -> Any:
    """Make a table of pairs.

    Args:
        columns: Positions of a, positions of b, distances in bits, similarities (NaN where there is none), numbers of
            `CONTAINED`.
        a: The labels of a as an Arrow array.
        b: The labels of b.

    Returns:
        A `pyarrow.Table` with the fields of `Pair`, a row a pair.
    """
    pa = arrow()
    a_position, b_position, distance, similarity, contained = columns
    return pa.table({
        "a": a, "b": b, "a_position": a_position, "b_position": b_position,
        "distance": pa.array(distance.astype(np.int32), mask=distance < 0),
        "similarity": pa.array(similarity, mask=np.isnan(similarity)),
        "contained": pa.array(CONTAINED, type=pa.string()).take(pa.array(contained)),
    })  # fmt: skip


def labels_array(documents: _core.Documents) -> Any:
    """Give the labels of all documents as one Arrow array, the old ones after the new ones."""
    pa = arrow()
    kind, offsets, content, valid = documents.labels()
    texts = pa.LargeStringArray.from_buffers(len(valid), pa.py_buffer(offsets), pa.py_buffer(content))
    texts = arrow("pyarrow.compute").if_else(pa.array(valid), texts, pa.scalar(None, pa.large_string()))
    return texts.cast(pa.int64()) if kind == "int" else texts


def labels_of(labels: Sequence[Any]) -> Any:
    """Give labels as one Arrow array.

    Args:
        labels: Values as JSON has them; None where there is none.

    Example:
        >>> labels_of([1, None]).type, labels_of(["a", 1]).to_pylist()
        (DataType(int64), ['"a"', '1'])
    """
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


def _reasons(reason: NDArray[np.uint8], failures: Sequence[tuple[int, str, str]]) -> Any:
    codes = reason.astype(np.int32)
    names = [*REASONS, *dict.fromkeys(code for _, code, _ in failures)]
    places = {name: place for place, name in enumerate(names)}
    codes[[position for position, _, _ in failures]] = [places[code] for _, code, _ in failures]
    return _named(codes, names)
