"""An index as the old documents of a job: each executor opens it, and looks up the rows of its tasks.

A row near a document of the index is dropped for it, whatever the other rows are. So it is settled before the search,
and no other row is compared with it.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.outcome import OF_INDEX
from simsieve.cluster.rows import DATE, EQUAL, FACT, SETTLED, longs, slices
from simsieve.cluster.steps import TASK_BYTES, Batches, SentScheme, step
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.results.arrow import labels_array
from simsieve.run.against import run_against
from simsieve.run.pipeline import say_nothing
from simsieve.run.steps import load, open_store, prepare
from simsieve.sinks.checks import Sinks

_ROWS = 10_000
KIND = "struct<id: {id}, distance: bigint, similarity: double, lost: bigint, conflict: boolean, reason: bigint>"
"""The type of the column of decisions by an index, by the type of the ids."""


@step
def looked_up(batches: Batches, path: str, config: DedupConfig, sent: SentScheme) -> Batches:
    """Add what the index has settled of each row; the texts of such rows are left out."""
    # What orders copies of a task orders nothing else.
    config = replace(config, threads=1, keep=("first",))
    for batch in batches:
        sizes = longs(pc.fill_null(pc.binary_length(batch.column("text")), 0))
        for part in slices(sizes, _ROWS, TASK_BYTES):
            rows = batch.slice(part.start, part.stop - part.start)
            settled = _settled(rows, Path(path), config, sent.scheme())
            columns = {name: rows.column(name) for name in rows.schema.names}
            columns["text"] = pc.if_else(settled.is_null(), columns["text"], None)
            yield pa.RecordBatch.from_pydict({**columns, SETTLED: settled})


def _settled(rows: Any, path: Path, config: DedupConfig, scheme: _core.Scheme) -> Any:
    """The document for which the index drops each row, or that is near it besides the row that it is dropped for."""
    seen = run_against(path)
    opened, _ = prepare(_records(rows, config), None, config, Sinks(), seen=seen)
    store, reading = open_store(opened, config, None, say_nothing)
    documents = load(store, [scheme], reading, None, seen.run)
    found, _ = documents.dedup(threads=1).columns(0, len(rows))
    old = found["representative"].copy()
    # Of rows that a row of the task represents, the nearest document: least distance, then the first.
    row, other, bits, similarity, _, lost, _, conflict = documents.pairs(config.max_pairs, lost=True, threads=1)
    order = np.lexsort((other, np.where(bits < 0, 1 << 30, bits), row))
    if config.max_lost is not None:
        order = order[lost[order] <= config.max_lost]
    order = order[old[row[order]] < len(rows)]
    of, first = np.unique(row[order], return_index=True)
    best = order[first]
    is_joined = np.isnan(similarity[best]) & (config.effective_similarity is not None)
    reason = np.where(is_joined, _core.REASONS.index("agree"), _core.REASONS.index("near"))
    nearest = (bits[best], similarity[best], lost[best], conflict[best])
    for name, column in zip(OF_INDEX, nearest, strict=False):
        found[name][of] = column
    old[of], found["reason"][of] = other[best], reason
    place = np.flatnonzero(old >= len(rows))
    labels = _labels(documents, old[place], rows.column("id").type)
    bits, similarity, lost, conflict, reason = (found[name][place] for name in OF_INDEX)
    columns = [
        labels, pa.array(bits.astype(np.int64), mask=bits < 0), pa.array(similarity, mask=np.isnan(similarity)),
        pa.array(lost, mask=lost < 0), pa.array(conflict > 0, mask=conflict < 0), pa.array(reason.astype(np.int64)),
    ]  # fmt: skip
    made = pa.StructArray.from_arrays(columns, names=["id", *OF_INDEX])
    at = np.zeros(len(rows), dtype=np.int64)
    at[place] = np.arange(len(place))
    return made.take(pa.array(at, mask=old < len(rows)))


def _labels(documents: _core.Documents, old: NDArray[np.int64], kind: Any) -> Any:
    """The ids of documents, of the type of the rows' ids."""
    written = documents.label_kind()
    labels = labels_array(documents, old, written)
    if written == "json":
        values = [None if label is None else json.loads(label) for label in labels.to_pylist()]
        texts = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
        labels = pa.array(texts, pa.string())
    try:
        return labels.cast(kind)
    except pa.ArrowInvalid:
        raise ConfigError(
            "the index has the id {id}, and the ids of the rows are {kind}: cast their column to string",
            id=str(labels[0]), kind=str(kind),
        ) from None  # fmt: skip


def _records(rows: Any, config: DedupConfig) -> Any:
    """The rows as records with the fields that the index compares."""
    columns = {config.text_field[0]: rows.column("text")}
    facts = [name for names, *_ in config.field_rules for name in names]
    columns |= {name: rows.column(f"{FACT}_{at}") for at, name in enumerate(facts)}
    if config.date_field is not None:
        columns[config.date_field] = rows.column(DATE)
    if config.equal_fields:
        values = [json.loads(value) for value in rows.column(EQUAL).to_pylist()]
        for at, name in enumerate(config.equal_fields):
            columns[name] = pa.array([value[at] for value in values], pa.string())
    return pa.table(columns)
