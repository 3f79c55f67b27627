"""What a run decided: the columns of the core as decisions, clusters, counts and a summary."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from simsieve import _core
from simsieve.config import DedupConfig
from simsieve.errors import ConfigError, InternalError, core_errors
from simsieve.records import Counts, Decision, Progress, Recall

SCHEMA_VERSION = 1
"""Version of the summary's keys and their meaning."""

KEPT, DROPPED, FAILED = 0, 1, 2
"""Codes of the core's `decision` column."""

SinkPath = str | os.PathLike[str]


class DecisionView(Sequence[Decision]):
    """The decisions of a run, by position; each is made when it is asked for.

    Example:
        >>> from simsieve import dedup
        >>> [decision.reason for decision in dedup(["one text here", "one text here"]).decisions]
        ['representative', 'exact']
    """

    def __init__(self, columns: _core.Decisions, positions: range) -> None:
        self._columns = columns
        self._positions = positions

    def __len__(self) -> int:
        """Count the decisions."""
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> "DecisionView": ...
    def __getitem__(self, index: int | slice) -> "Decision | DecisionView":
        """Give one decision, or a view of a slice."""
        if isinstance(index, slice):
            return DecisionView(self._columns, self._positions[index])
        with core_errors():
            row = self._columns.row(self._positions[index])
        return Decision(**{name: row[name] for name in Decision.__slots__})


@dataclass(frozen=True, slots=True)
class Run:
    """What a result needs to know of the run that made it; `pipeline` fills it.

    Args:
        store: The opened sources.
        documents: The loaded documents.
        scheme: The scheme in force.
        config: The settings.
        sources: The sources' paths, `-` for stdin; empty for texts in memory.
        keep_alive: Whatever must live as long as the result, such as the files of spooled records.

    Example:
        >>> Run.__slots__[0]
        'store'
    """

    store: _core.Store
    documents: _core.Documents
    scheme: _core.Scheme
    config: DedupConfig
    sources: tuple[str, ...]
    keep_alive: object


class DedupResult:
    """What a deduplication decided, and how sure it is; nothing is written until `write` is called.

    `dedup` makes it; there is no other way to one.

    Example:
        >>> from simsieve import dedup
        >>> result = dedup(["one text here", "one text here", "and something else altogether"])
        >>> result.counts.kept, list(result.kept), result.clusters()
        (2, [0, 2], {0: [0, 1]})
    """

    def __init__(
        self, run: Run, columns: _core.Decisions, recall: Recall | None, seconds: float, peak_rss_bytes: int
    ) -> None:
        self._run = run
        self._columns = columns
        self._counts = Counts(**{name: columns.counts[name] for name in Counts.__slots__})
        self.recall = recall
        """The search's recall with its interval; None where it was not measured (`sample` 0)."""
        self.seconds = seconds
        """Wall time of the run in seconds, so far as it had come when the result was made or last written."""
        self.peak_rss_bytes = peak_rss_bytes
        """The most memory that the process had held by then."""
        if not self._counts.balanced or self._counts.read != len(columns):
            raise InternalError(f"the books do not balance over {len(columns)} records: {self._counts}")

    def __repr__(self) -> str:
        """Show the counts."""
        counts = self._counts
        return f"DedupResult(read={counts.read}, kept={counts.kept}, dropped={counts.dropped}, failed={counts.failed})"

    @property
    def counts(self) -> Counts:
        """How many records were read, kept, dropped and failed, and more."""
        return self._counts

    @property
    def decisions(self) -> Sequence[Decision]:
        """One decision a record, by position; made when asked for."""
        return DecisionView(self._columns, range(len(self._columns)))

    @property
    def kept(self) -> Iterator[int]:
        """The positions of the kept documents, ascending."""
        return (int(position) for position in np.flatnonzero(self._columns.decision == KEPT))

    @property
    def recipe(self) -> dict[str, Any]:
        """What made a pair a candidate, frozen for this run, as the core tells it."""
        return self._run.documents.recipe

    @property
    def config(self) -> DedupConfig:
        """The settings of the run."""
        return self._run.config

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self._run.documents.failures()

    def clusters(self, min_size: int = 2) -> dict[int, list[int]]:
        """Group the documents by the kept one that represents them.

        Args:
            min_size: Leave out clusters of fewer documents; 1 gives every kept document, the default those that
                represent another.

        Returns:
            Position of a kept document -> positions of its cluster, ascending, itself among them.

        Raises:
            ConfigError: `min_size` is below 1.
        """
        if min_size < 1:
            raise ConfigError(f"min_size {min_size} is not allowed: allowed is 1 or more")
        positions = np.flatnonzero(self._columns.decision != FAILED)
        decision = self._columns.decision[positions]
        heads = np.where(decision == DROPPED, self._columns.representative[positions], positions)
        order = np.argsort(heads, kind="stable")
        firsts, starts = np.unique(heads[order], return_index=True)
        groups = np.split(positions[order], starts[1:])
        pairs = zip(firsts.tolist(), groups, strict=True) if len(firsts) else ()
        return {head: group.tolist() for head, group in pairs if len(group) >= min_size}

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers, ready for JSON; rates are in [0, 1], sizes in bytes, times in seconds."""
        run, counts, recall = self._run, self._counts, self.recall
        return {
            "schema_version": SCHEMA_VERSION,
            "read": counts.read,
            "kept": counts.kept,
            "dropped": counts.dropped,
            "exact_duplicates": counts.exact,
            "near_duplicates": counts.near,
            "failed": counts.failed,
            "clusters": counts.clusters,
            "largest_cluster": counts.largest_cluster,
            "repeated_ids": run.documents.repeated_ids,
            "candidates": counts.candidates,
            "verified": counts.verified,
            "recall": None if recall is None else recall.value,
            "recall_interval": None if recall is None else [recall.low, recall.high],
            "scheme": run.scheme.spec,
            "digest": run.scheme.digest,
            "recipe_digest": self.recipe.get("digest"),
            "plan": {"kernel": _core.kernel(), "threads": run.config.threads, "batch": run.config.batch},
            "seconds": round(self.seconds, 6),
            "bytes_read": run.store.bytes_read,
            "peak_rss_bytes": self.peak_rss_bytes,
            "blank_lines": run.store.blank_lines,
        }

    def write(
        self,
        sink: SinkPath | None,
        decisions: SinkPath | None = None,
        failed: SinkPath | None = None,
        *,
        progress: Progress | None = None,
    ) -> None:
        """Write the kept records, each byte for byte as it was read, and what else is asked for.

        Every file appears whole or not at all; the kept records come last, so that where they are, all is.

        Args:
            sink: Where the kept records go; `-` is stdout, None writes none.
            decisions: Where the decisions go, a JSON line a record.
            failed: Where the failed records go, with position, code, message and bytes, a JSON line each.
            progress: Called now and then with (stage, done, total).

        Raises:
            SinkError: A file cannot be written.
            ConfigError: A sink is a source, two are the same, or the sink's ending is not that of the sources.
        """
        check_sinks(self._run.sources, (sink, decisions, failed))
        check_kept_sink(self._run.store, sink)
        self.write_sides(decisions, failed, progress=progress)
        self.write_kept(sink, progress=progress)

    def write_sides(
        self, decisions: SinkPath | None, failed: SinkPath | None, *, progress: Progress | None = None
    ) -> None:
        """Write the decisions and the failed records, without checking the sinks; see `write`."""
        with core_errors():
            if decisions is not None:
                self._columns.write_decisions(os.fspath(decisions), progress)
            if failed is not None:
                self._run.documents.write_failed(os.fspath(failed))

    def write_kept(self, sink: SinkPath | None, *, progress: Progress | None = None) -> None:
        """Write the kept records, without checking the sink; see `write`."""
        if sink is not None:
            with core_errors():
                self._columns.write_kept(os.fspath(sink), progress)


def check_sinks(sources: Sequence[str], sinks: Sequence[SinkPath | None]) -> None:
    """Check that sinks can be written, are no sources and are not the same, links seen through.

    Args:
        sources: The sources' paths; `-` is stdin and no obstacle to a sink.
        sinks: Files, `-` for stdout, or None.

    Raises:
        SinkError: A sink cannot be written.
        ConfigError: A sink is a source, or two sinks are the same.

    Example:
        >>> check_sinks([], ["-", None])
    """
    with core_errors():
        _core.check_sinks(list(sources), [os.fspath(sink) for sink in sinks if sink is not None])


def check_kept_sink(store: _core.Store, sink: SinkPath | None) -> None:
    """Check that the kept records, which come out as they stood, can go to a sink of that name.

    Args:
        store: The opened sources.
        sink: A file, `-` for stdout, or None.

    Raises:
        ConfigError: The name's ending promises another form, or the sources are of several forms.

    Example:
        >>> check_kept_sink(_core.Store.from_texts(["a text"]), "kept.jsonl")
    """
    if sink is not None:
        with core_errors():
            store.check_kept_sink(os.fspath(sink))
