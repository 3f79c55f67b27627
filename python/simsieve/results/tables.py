"""The tables that a result is written as, beside the kept records, and the second thread of both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import ConfigError
from simsieve.results import arrow as codes
from simsieve.results.run import Failures, Run
from simsieve.sinks.base import (
    Chosen,
    Columns,
    Kind,
    Rows,
    RowSinks,
    Sink,
    SinkPath,
    batches_of,
    can_be_taken_back,
    uploaded,
    write_rows,
)
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.fields import Filled, Written
from simsieve.sinks.kept import Kept
from simsieve.sinks.tables import table_format, table_format_of, write_blocks, write_objects, write_table
from simsieve.sources.fields import first_fields
from simsieve.types import FingerprintFormat, Progress

DECISIONS: dict[str, Kind | None] = {name: kind for name, kind in codes.COLUMNS.items() if name not in codes.SOMETIMES}
_KINDS: dict[str, Kind | None] = {
    **codes.COLUMNS, "a": None, "b": None, "lost_a": "int", "lost_b": "int", "group": "int", "size": "int",
    "code": "text", "message": "text", "record": "text", "record_base64": "text", "bytes": "int", "truncated": "bool",
}  # fmt: skip
"""What each column of a table holds; labels hold what the records have."""


def _columns(names: str) -> dict[str, Kind | None]:
    return {name: _KINDS[name] for name in names.split()}


PAIRS = _columns("a b distance similarity lost_a lost_b conflict")
FAILED = _columns("position source line code message record record_base64 bytes truncated")
CLUSTERS = _columns("group size position id decision representative similarity source line")
DROPPED = _columns("representative representative_position similarity lost conflict source line")
ANNOTATED = _columns("decision group representative similarity")


class Verdicts:
    """What was decided, as values for each position."""

    def __init__(self, columns: _core.Decisions) -> None:
        self._columns = columns
        self.decision = columns.decision
        self.group = codes.heads(self.decision, columns.representative)
        """The position of the representative, old ones counted after the new; -1 of failed records."""

    def values(self, position: int, names: Iterable[str]) -> dict[str, Any]:
        """Give values of a decision by name; a representative without an id is given by its position."""
        row = self._columns.row(position)
        if row["representative"] is None:
            row["representative"] = row["representative_position"]
        group = int(self.group[position])
        row["group"] = None if group < 0 else group
        return {name: row[name] for name in names}

    def clusters(self) -> Iterator[dict[str, Any]]:
        """Give the rows of `CLUSTERS`: the new records of every group of two or more, group by group."""
        groups, inverse, counts = np.unique(self.group, return_inverse=True, return_counts=True)
        # An old representative is one more document of its group.
        sizes = counts + (groups >= len(self.decision))
        wanted = (groups[inverse] >= 0) & (sizes[inverse] >= 2)
        order = np.argsort(self.group, kind="stable")
        for position in order[wanted[order]].tolist():
            values = self.values(position, [name for name in CLUSTERS if name != "size"])
            row = {"size": int(sizes[inverse[position]]), **values}
            yield {name: row[name] for name in CLUSTERS}


def write_sides(
    store: _core.Records, decided: codes.Decided, rows: RowSinks, sinks: Sinks, progress: Progress | None,
    edits: Iterable[float | None] | None = None,
) -> None:  # fmt: skip
    """Write the tables beside the kept records; `edits` has a value for each decision."""
    columns, documents = decided.columns, decided.documents
    if sinks.decisions is not None:
        write_decisions(decided, sinks.decisions, progress, edits)
    if sinks.failed is not None:
        write_failed(documents, sinks.failed, safe=decided.config.safe_cells)
    if sinks.dropped is not None:
        sides: dict[str, Kind | None] = {"representative_collection": "text"} if store.is_against else {}
        dropped = _chosen(store, columns, columns.decision == codes.DROPPED, {**DROPPED, **sides})
        _write_extended(rows.extended(store, dropped, sinks.dropped, None), dropped, progress)
    if sinks.clusters is not None:
        write_objects(sinks.clusters, CLUSTERS, Verdicts(columns).clusters(), safe=decided.config.safe_cells)


WriteKept = Callable[[Progress | None], None]
"""Writes the kept records; it gets the progress function, called now and then with (stage, done, total)."""


@contextmanager
def writing_kept(
    run: Run, columns: _core.Decisions, sinks: Sinks, kept: Kept, wanted: NDArray[np.bool_] | None = None,
    filled: Filled | None = None,
) -> Iterator[WriteKept]:  # fmt: skip
    """Give what writes the kept records, or others that are wanted, or all with what was decided."""
    # On two cores or more the kept records are copied while the block does other work. They are at their place only
    # after the call of the function.
    config = run.config
    if sinks.kept is None:
        yield lambda _: None
    elif sinks.annotate:
        chosen = _chosen(run.store, columns, np.ones(len(columns), dtype=bool), ANNOTATED)
        annotated = run.sinks.extended(run.store, chosen, sinks.kept, config.output_format)
        yield partial(_write_extended, annotated, chosen)
    else:
        sink = kept.sink(
            Written(run.documents, run.schemes[0], lambda: codes.copies_of(columns.decision, columns.representative)),
            filled,
        )
        wanted = columns.decision == codes.KEPT if wanted is None else wanted
        if config.threads == 1 or not can_be_taken_back(sinks.kept):
            yield partial(write_rows, sink, wanted)
        else:
            with rows_beside(sink, wanted) as commit:
                yield commit


def write_decisions(
    decided: codes.Decided, sink: SinkPath, progress: Progress | None, edits: Iterable[float | None] | None = None
) -> None:
    """Write the decisions: in Parquet straight from the columns where the labels are of one kind, else from lines."""
    plain = edits is None and table_format_of(sink) == "parquet"
    blocks = codes.decisions_blocks(decided) if plain else None
    if blocks is not None:
        ready = blocks if decided.config.threads == 1 else one_ahead(blocks)
        write_blocks(sink, _ticked(ready, len(decided.columns), progress), DECISIONS)
        return
    found = _edits(edits)
    write_table(
        sink, lambda path: decided.columns.write_decisions(path, progress, found), _with_edit(DECISIONS, found),
        safe=decided.config.safe_cells,
    )  # fmt: skip


def _edits(edits: Iterable[float | None] | None) -> list[float] | None:
    """The values of the column `edit`, NaN where there is none; None without that column."""
    return None if edits is None else [np.nan if edit is None else edit for edit in edits]


def _with_edit(columns: Columns, edits: list[float] | None) -> Columns:
    return columns if edits is None else {**columns, "edit": "float"}


def _ticked(blocks: Iterable[Any], rows: int, progress: Progress | None) -> Iterator[Any]:
    done = 0
    for block in blocks:
        if progress is not None:
            progress("write", done, rows)
        done += len(block)
        yield block


def _write_extended(sink: Sink[Rows], chosen: Chosen, progress: Progress | None) -> None:
    """Write records with values added."""
    sink.check()
    write_rows(sink, chosen.wanted, progress)


def _chosen(
    store: _core.Records, columns: _core.Decisions, wanted: NDArray[np.bool_], added: Mapping[str, Kind | None]
) -> Chosen:
    verdicts = Verdicts(columns)
    return Chosen(wanted, added, lambda position: verdicts.values(position, added), tuple(first_fields(store)))


def check_kept_replaced(run: Run, sinks: Sinks, reason: str, failures: Failures) -> None:
    """Check as `check_replaced`; the failed records are written even so, and the error has the reason of the first."""
    try:
        check_replaced(sinks.kept, reason, allow_empty=run.config.allow_empty)
    except ConfigError as error:
        if not failures:
            raise
        if sinks.failed is not None:
            write_failed(run.documents, sinks.failed)
        position, code, message = failures[0]
        raise ConfigError(
            "{error}; the first that failed is record {position} ({code}): {message}",
            error=error, position=position, code=code, message=message,
        ) from None  # fmt: skip


def write_failed(
    documents: _core.Documents | _core.Collection | _core.Passages | _core.Lines | _core.Templates,
    sink: SinkPath,
    *,
    safe: bool = True,
) -> None:
    """Write the failed records, with position, code, message and bytes; only the owner may read the file."""
    write_table(sink, documents.write_failed, FAILED, private=True, safe=safe)


def write_pairs(
    documents: _core.Documents,
    columns: tuple[NDArray[Any], ...],
    sink: SinkPath,
    progress: Progress | None,
    *,
    safe: bool = True,
    edits: Iterable[float | None] | None = None,
) -> None:
    """Write near pairs; `edits` has a value for each."""
    shown: Columns = {**PAIRS, "contained": "text"} if columns[4].any() else PAIRS
    found = _edits(edits)
    write_table(
        sink, lambda path: documents.write_pairs(path, columns, progress, found),  # type: ignore[arg-type]
        _with_edit(shown, found), safe=safe,
    )  # fmt: skip


def write_fingerprints(
    encoded: _core.Collection, schemes: Sequence[str], form: FingerprintFormat, sink: SinkPath,
    progress: Progress | None, blocks: int = 0,
) -> None:  # fmt: skip
    """Write the fingerprint of every document: lines of id, tab, fingerprint; or a table where the name says so."""
    # A table has the columns `id` and `fingerprint`; each of several schemes has a column of its name. The columns of
    # blocks follow that of their fingerprint: `fingerprint_block_1`, `fingerprint_block_2` and so on.
    if table_format(sink) is None:
        with uploaded(sink) as path:
            encoded.write_fingerprints(path, form, progress, blocks)
        return
    prints = ["fingerprint"] if len(schemes) == 1 else schemes
    names = [name for one in prints for name in (one, *(f"{one}_block_{block}" for block in range(1, blocks + 1)))]
    write_table(
        sink, lambda path: encoded.write_fingerprints(path, form, progress, blocks, names),
        {"id": None, **dict.fromkeys(names, "text")},
    )  # fmt: skip


_PAUSE_S = 0.1
_END = object()

Item = TypeVar("Item")


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Give items while a second thread makes the next one."""
    source = iter(items)
    with ThreadPoolExecutor(1, "simsieve-ahead") as threads:
        following = threads.submit(next, source, _END)
        while (item := following.result()) is not _END:
            following = threads.submit(next, source, _END)
            yield item  # type: ignore[misc]


@contextmanager
def rows_beside(sink: Sink[Rows], wanted: NDArray[np.bool_]) -> Iterator[Callable[[Progress | None], None]]:
    """Begin to write records to a sink, go on in a second thread while the block works, and commit when it says so."""
    # The block gets a function that waits for the rest and commits. It takes the progress function, called with (stage,
    # done, total). Where the block ends without a call of it, after Ctrl-C too, nothing is left.
    written, stopped = 0, Event()

    def write() -> None:
        nonlocal written
        for rows in batches_of(wanted):
            if stopped.is_set():
                return
            sink.write(rows)
            written += len(rows.wanted)

    with ThreadPoolExecutor(1, "simsieve-kept") as threads:
        try:
            sink.begin()
            rest = threads.submit(write)

            def commit(progress: Progress | None) -> None:
                while not rest.done():
                    if progress is not None:
                        progress("write", written, len(wanted))
                    wait([rest], _PAUSE_S)
                rest.result()
                if progress is not None:
                    progress("write", len(wanted), len(wanted))
                sink.commit()

            yield commit
        finally:
            stopped.set()
            threads.shutdown()
            # It has no effect after the commit.
            sink.abort()
