"""What a run decided: the columns of the core as decisions, clusters, counts and a summary."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.near_rows import THRESHOLDS
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.typed import RethresholdSettings
from simsieve.display import counted, html_table
from simsieve.errors import ConfigError, InternalError, short_errors
from simsieve.machine import peak_rss_bytes
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.results import tables
from simsieve.results.arrow import DROPPED, FAILED, KEPT, Decided, copies_of, grouped, heads
from simsieve.results.decisions import Decisions
from simsieve.results.near import Texts, near_drops
from simsieve.results.review import ReviewPairs, review_pairs
from simsieve.results.run import Run, changed_since, check_databases, read_here, write_databases
from simsieve.results.summary import counts_html, encodings_of, run_summary
from simsieve.results.thresholds import Thresholds, thresholds_of
from simsieve.results.told import DropShare, by_field
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks, check_replaced
from simsieve.sinks.fields import Filled, counts_of, filled_values
from simsieve.sinks.kept import Kept
from simsieve.sources.columns import ColumnSource
from simsieve.tabular import ArrowStream, is_reader
from simsieve.types import Counts, Progress, ProgressOption, Recall

_SHOWN, _MEMBERS = 10, 20
"""Clusters, and members of each, that a notebook shows."""


class Clusters(dict[int, list[int]]):
    """Groups of documents by the position of the one that represents them; a dict that a notebook shows shortened.

    Example:
        >>> from simsieve import dedup
        >>> dedup(["one text here", "one text here"]).clusters()
        {0: [0, 1]}
    """

    def _repr_html_(self) -> str:
        """Show the largest clusters in a notebook."""
        largest = sorted(self.items(), key=lambda item: -len(item[1]))[:_SHOWN]
        more = f"; the largest {_SHOWN}" if len(self) > _SHOWN else ""
        rows = [[head, len(members), _listed(members)] for head, members in largest]
        return html_table(f"{counted(len(self), 'cluster')}{more}", ("representative", "size", "positions"), rows)


def _listed(members: list[int]) -> str:
    return ", ".join(map(str, members[:_MEMBERS])) + (", ..." if len(members) > _MEMBERS else "")


def _digest(columns: _core.Decisions) -> bytes:
    """Give a digest of the decisions."""
    from hashlib import blake2b  # noqa: PLC0415 - most results are not pickled

    return blake2b(columns.decision.tobytes() + columns.representative.tobytes(), digest_size=16).digest()


Rows = TypeVar("Rows")
RETHRESHOLD_SETTINGS = tuple(RethresholdSettings.__annotations__)
"""The settings that `DedupResult.rethreshold` takes."""


class DedupResult:
    """What a deduplication decided, and how sure it is; nothing is written until `write` is called.

    `dedup` makes it; there is no other way to one. A pickled result keeps its sources: counts, recall and settings go
    along, and all else is made again from the sources when it is first asked for. With `run_dir` the stored columns
    are taken. Sources that can be read only once, such as a generator, are refused.

    Example:
        >>> from simsieve import dedup
        >>> result = dedup(["one text here", "one text here", "and something else altogether"])
        >>> result.counts.kept, result.kept.tolist(), result.clusters()
        (2, [0, 2], {0: [0, 1]})
    """

    def __init__(
        self,
        run: Run | Callable[[], Run],
        config: DedupConfig,
        columns: _core.Decisions,
        recall: Recall | None,
        seconds: float,
        peak_rss_bytes: int | None = None,
    ) -> None:
        self._made: tuple[Run | Callable[[], Run], _core.Decisions] | None = run, columns
        self._again: tuple[Callable[[], DedupResult], bytes, Mapping[str, Any]] | None = None
        self._shares: dict[str, list[DropShare]] = {}
        self._written: Mapping[str, Any] = {}
        self._counts = Counts(**columns.counts)
        self.recall = recall
        """The search's recall with its interval, 1 where the search was exact; None where it was not measured."""
        self.seconds = seconds
        """Wall time of the run in seconds, so far as it had come when the result was made or last written."""
        self._peak = peak_rss_bytes
        self.measured: Mapping[str, Any] = {}
        """The stages of the run, and its anonymous and mapped memory, as the summary has them."""
        self.config = config
        """The settings of the run."""
        if not self._counts.balanced or self._counts.read != len(columns):
            template = "the books do not balance over {count} records: {counts}"
            raise InternalError(template, count=len(columns), counts=self._counts)

    @property
    def peak_rss_bytes(self) -> int:
        """The most memory that the process had held by then, pages of mapped files among it."""
        return peak_rss_bytes() if self._peak is None else self._peak

    @peak_rss_bytes.setter
    def peak_rss_bytes(self, peak: int) -> None:
        self._peak = peak

    @cached_property
    def recipe(self) -> dict[str, Any]:
        """The recipe of this run's candidates, as the core returns it; the first of several schemes'."""
        return self.with_sources()[0].documents.recipes[0]

    @cached_property
    def encodings(self) -> list[tuple[str, str, bool]]:
        """Each source for which `encoding` was given: its name, its encoding, and whether that was found out."""
        return encodings_of(self.with_sources()[0].store)

    @cached_property
    def old_read(self) -> int:
        """Records of `against` that were read; 0 with one collection."""
        store = self.with_sources()[0].store
        return len(store) - store.new_len

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the counts, and what makes the rest again."""
        run, columns = self.with_sources()
        if run.again is None:
            raise read_here()
        again = run.again, _digest(columns), run.plan
        read = {"recipe": self.recipe, "encodings": self.encodings, "old_read": self.old_read}
        return object.__new__, (type(self),), {**vars(self), **read, "_made": None, "_again": again}

    def __copy__(self) -> "DedupResult":
        """A copy in this process keeps the sources."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def with_sources(self) -> tuple[Run, _core.Decisions]:
        """Give the run with its sources, and the core's columns; those of a pickled result are made again."""
        if self._made is None:
            assert self._again is not None
            again, digest, plan = self._again
            run, columns = again().with_sources()
            if _digest(columns) != digest:
                raise changed_since()
            self._made = replace(run, plan=plan), columns
        made, columns = self._made
        # The run of few texts is made when it is asked for.
        run = made if isinstance(made, Run) else made()
        self._made = run, columns
        return run, columns

    @property
    def _columns(self) -> _core.Decisions:
        return (self._made or self.with_sources())[1]

    def __repr__(self) -> str:
        """Show the counts."""
        counts = self._counts
        return f"DedupResult(read={counts.read}, kept={counts.kept}, dropped={counts.dropped}, failed={counts.failed})"

    def _repr_html_(self) -> str:
        """Show the counts and the recall in a notebook."""
        too_many = self.config.max_failed if self.has_too_many_failed else None
        return counts_html(self._counts, self.recall, self.seconds, too_many)

    @property
    def counts(self) -> Counts:
        """How many records were read, kept, dropped and failed, and more."""
        return self._counts

    @property
    def kept(self) -> NDArray[np.int64]:
        """The positions of the kept documents, ascending: int64[kept]."""
        return np.flatnonzero(self._columns.decision == KEPT)

    @property
    def dropped(self) -> NDArray[np.int64]:
        """The positions of the dropped documents, ascending: int64[dropped]."""
        return np.flatnonzero(self._columns.decision == DROPPED)

    @property
    def copies(self) -> NDArray[np.int64]:
        """How many documents each kept one stands for, itself among them, in the order of `kept`: int64[kept]."""
        return copies_of(self._columns.decision, self._columns.representative)[self.kept]

    @property
    def failed(self) -> NDArray[np.int64]:
        """The positions of the failed records, ascending: int64[failed]; `failures` says why each failed."""
        return np.flatnonzero(self._columns.decision == FAILED)

    def clusters(self, min_size: int = 2) -> Clusters:
        """Group the documents by the kept one that represents them; those dropped for old ones are left out.

        Args:
            min_size: Leave out clusters of fewer documents; 1 gives every kept document, the default those that
                represent another.

        Returns:
            Position of a kept document -> positions of its cluster, ascending, itself among them.

        Raises:
            ConfigError: `min_size` is below 1.
        """
        if min_size < 1:
            raise ConfigError("min_size {min_size} is not allowed: allowed is 1 or more", min_size=min_size)
        found = heads(self._columns.decision, self._columns.representative)
        positions = np.flatnonzero((found >= 0) & (found < len(found)))
        return Clusters(grouped(found[positions], positions, min_size))

    def old_clusters(self) -> Clusters:
        """Group the documents that were dropped for old ones, where the run was against any.

        Returns:
            Position of an old document, over the old sources -> positions of the new ones that it represents,
            ascending.

        Example:
            >>> from simsieve import dedup
            >>> dedup(["one text here", "another"], against=["some words", "one text here"]).old_clusters()
            {1: [0]}
        """
        representative, new = self._columns.representative, len(self._columns)
        positions = np.flatnonzero(representative >= new)
        return Clusters(grouped(representative[positions] - new, positions))

    @property
    def decisions(self) -> Decisions:
        """One decision a record, by position; made when asked for, or all together as a table."""
        columns = self._columns
        return Decisions(self, columns, range(len(columns)))

    @property
    def has_too_many_failed(self) -> bool:
        """Whether more records failed than `max_failed` allows, new or old ones."""
        new, old, config = self._counts.failed, len(self.old_failures()), self.config
        return not (config.allows_failed(new, self._counts.read) and config.allows_failed(old, self.old_read))

    @overload
    def kept_rows(self) -> list[Any] | ArrowStream: ...
    @overload
    def kept_rows(self, kind: type[Rows]) -> Rows: ...
    def kept_rows(self, kind: type[Any] = object) -> Any:
        """Give the kept rows in the kind that came in: a data frame or Arrow table, a list of texts, a list of records.

        Args:
            kind: Their type, such as `list` or `pandas.DataFrame`, for type checkers. `pyarrow.RecordBatchReader` gives
                rows of tables, streams and Parquet files batch by batch, so they need not fit into memory.

        Raises:
            ConfigError: The source is a file, whose rows are not in memory: write them.
            TypeError: They are of another kind.

        Example:
            >>> from simsieve import dedup
            >>> dedup(["one text here", "one text here", "and something else altogether"]).kept_rows()
            ['one text here', 'and something else altogether']
        """
        source = self.with_sources()[0].rows
        if is_reader(kind) and isinstance(source, ColumnSource):
            return source.stream(self.kept)
        rows = source.take(self.kept)
        if not isinstance(rows, kind):
            raise TypeError(f"the kept rows are of type {type(rows).__name__}, not {kind.__name__}: give that type")
        return rows

    def failures(self) -> list[tuple[int, str, str]]:
        """List the failed records as (position, code, message)."""
        return self.with_sources()[0].documents.failures()

    def old_failures(self) -> list[tuple[int, str, str]]:
        """List the failed records of `against` as (position over its sources, code, message)."""
        return self.with_sources()[0].documents.old_failures()

    def rethreshold(self, *, progress: ProgressOption = None, **settings: Unpack[RethresholdSettings]) -> "DedupResult":
        """Decide again at a stricter threshold, or the same; nothing is read or fingerprinted again.

        The same pairs are compared, and the new threshold decides. A pair near by the stricter threshold is found at
        least as often as the run's `recall` requires; the recall is measured again. A fresh run at that threshold can
        have other candidates, so the two can differ if one missed a pair.

        Args:
            progress: As for `dedup`.
            **settings: `similarity` or `max_distance`, the kind that the run had, and `sample`, `threads`.

        Returns:
            A result of its own; this one stays as it is.

        Raises:
            ConfigError: The threshold is looser than the run's or of the other kind, or another setting is given.
            SourceError: A source has changed since it was read.

        Example:
            >>> from simsieve import dedup
            >>> result = dedup(["the quick brown fox jumps", "the quick brown fox jumped", "lorem ipsum dolor sit"])
            >>> result.counts.kept, result.rethreshold(similarity=0.99).counts.kept
            (2, 3)
        """
        with short_errors, chosen_progress(progress) as show:
            for name in settings:
                if name not in RETHRESHOLD_SETTINGS:
                    taken = ", ".join(RETHRESHOLD_SETTINGS)
                    template = "rethreshold cannot change {name}: it takes {taken}; for all else run dedup"
                    raise ConfigError(template, name=name, taken=taken)
            replaced = {*settings, *(THRESHOLDS if settings.keys() & THRESHOLDS else ())}
            kept = {name: getattr(self.config, name) for name in SETTINGS if name not in replaced}
            run, config = self.with_sources()[0], DedupConfig.from_settings({**kept, **settings})
            result: DedupResult = run.rethreshold(config, show)
        return result

    def drops_by(self, field: str) -> list[DropShare]:
        """Count what was dropped for each value of a field, most dropped first; the records are read again, once.

        Args:
            field: A field name, whose dots reach into objects; `@length` is the size of a record in bytes.

        Raises:
            ConfigError: The result came without its sources.
        """
        if field not in self._shares:
            self._shares[field] = by_field(*self.with_sources(), field)
        return self._shares[field]

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers, ready for JSON; rates are in [0, 1], sizes in bytes, times in seconds."""
        run, columns = self.with_sources()
        took = {"seconds": self.seconds, "peak_rss_bytes": self.peak_rss_bytes, **self.measured}
        shares = {field: self.drops_by(field) for field in self.config.drops_by}
        merged = {"merged": counts_of(self.filled)} if self.config.merge else {}
        return run_summary(run, columns, self._counts, self.recall, took, self._written, shares) | merged

    def write(
        self,
        sink: SinkPath | None,
        decisions: SinkPath | None = None,
        failed: SinkPath | None = None,
        *,
        dropped: SinkPath | None = None,
        clusters: SinkPath | None = None,
        annotate: bool = False,
        link: bool = False,
        progress: ProgressOption = None,
    ) -> None:
        """Write the kept records, each byte for byte as it was read, and what else is asked for.

        Every file appears complete or not at all. The kept records come last: if they exist, all files do.

        Args:
            sink: Where the kept records go; `-` is stdout, None writes none. A folder gets a file for each source, or
                numbered parts of `shard_size`. Files of a folder go to a list of their paths, or to a new folder;
                documents of MongoDB to a collection or to JSON lines, rows with columns to a table of SQL.
            decisions: Where the decisions go, a row a record, or a document in a collection of MongoDB. The name of it
                and the next three gives the format: `.jsonl`, `.csv`, `.tsv` or `.parquet`.
            failed: Where the failed records go, with position, code, message and bytes.
            dropped: Where the dropped records go as they were, with their representative and the similarity to it.
            clusters: Where the records of every group of two or more go, a row each.
            annotate: Put all records into `sink`, each with decision, group, representative and similarity.
            link: Put hard links into a folder in place of copies.
            progress: As for `dedup`.

        Raises:
            SinkError: A file cannot be written.
            ConfigError: A sink is a source, two are the same, an ending is not known, or nothing would replace a file
                that is not empty.
        """
        with short_errors, chosen_progress(progress) as show:
            sinks = Sinks(sink, decisions, failed, link=link, dropped=dropped, clusters=clusters, annotate=annotate)
            check_databases(sinks, self.config, self.with_sources()[0].rows)
            run = self.with_sources()[0]
            sinks.files.check(run.sources)
            kept = Kept.of(run.sinks, run.rows.given_names, sinks.files, self.config)
            kept.open(run.store)
            self.check_replaced(sinks.files)
            with self.writing_kept(sinks.files, kept) as write_kept:
                self.write_sides(sinks.files, progress=show)
                self.write_collections(sinks, progress=show)
                write_kept(show)

    def report(self, sink: SinkPath, *, texts: bool = True, command: str | None = None) -> None:
        """Write a page of HTML on the run: counts, charts, clusters, examples at the threshold, recall, failed records.

        The page is one file that needs no network. Its size does not grow with the collection. Only its owner may read
        it, because it has texts.

        Args:
            sink: The file, whose name ends in `.html`; one that is there is replaced.
            texts: Show texts; without them the page has ids and numbers only.
            command: The command line that makes the run again; by default the call in Python.

        Raises:
            SinkError: The file cannot be written.
            ConfigError: Its name has another ending, or it is a source.
        """
        with short_errors:
            run, columns = self.with_sources()
            Sinks(report=sink).check(run.sources)
            run.report(self, run, columns, sink, with_texts=texts, command=command)

    def thresholds(self, values: Sequence[float] | None = None, *, progress: ProgressOption = None) -> Thresholds:
        """Count the kept documents at several thresholds, with the pair at the edge of each; nothing is read again.

        Args:
            values: The thresholds. By default those of 0.4, 0.45, ..., 0.95 that are at least the run's, and the run's;
                under `max_distance` every distance from 0 to the run's, or about 12 of them.
            progress: As for `dedup`.

        Raises:
            ConfigError: A threshold is looser than the run's.

        Example:
            >>> from simsieve import dedup
            >>> result = dedup(["the quick brown fox jumps", "the quick brown fox jumped", "lorem ipsum dolor sit"])
            >>> [(row.threshold, row.kept) for row in result.thresholds([0.7, 0.95])]
            [(0.7, 2), (0.95, 3)]
        """
        name = "similarity" if self.config.max_distance is None else "max_distance"
        with short_errors, chosen_progress(progress) as show:

            def decide(value: float) -> tuple[Run, _core.Decisions]:
                stricter = cast(RethresholdSettings, {name: value, "sample": 0})
                one = self if value == self.config.threshold else self.rethreshold(progress=show, **stricter)
                return one.with_sources()

            return thresholds_of(self.config, decide, values)

    def review(self, n: int = 10, around: float | None = None) -> ReviewPairs:
        """Give near duplicates with both texts and their differences, the least similar one first.

        Args:
            n: How many, 1 to 5000.
            around: Those nearest to this similarity, or to this distance under `max_distance`; by default to the run's
                threshold.

        Raises:
            ConfigError: `around` is looser than the run's threshold: run `dedup` with a looser one.

        Example:
            >>> from simsieve import dedup
            >>> dedup(["the quick brown fox jumps", "the quick brown fox jumped"]).review(around=0.8)[0].b_position
            1
        """
        with short_errors:
            run, columns = self.with_sources()
            return review_pairs(
                near_drops(columns), Texts(run.documents, run.schemes[0], len(columns)), run.config, n, around
            )

    def check_replaced(self, sinks: Sinks) -> None:
        """Check that no output without records replaces one that has some."""
        run, columns = self.with_sources()
        counts = self._counts
        if not (len(columns) if sinks.annotate else counts.kept):
            template = "of {read:,} records none is kept, and {failed:,} failed"
            reason = Message(template, read=counts.read, failed=counts.failed)
            tables.check_kept_replaced(run, sinks, reason, self.failures())
        if not len(columns):
            check_replaced(sinks.decisions, "no record was read", allow_empty=self.config.allow_empty)

    def write_collections(self, sinks: Sinks, *, progress: Progress | None = None) -> None:
        """Write what goes to collections of databases."""
        run, columns = self.with_sources()
        # What an index takes is written before, and its other files are written after.
        self._written = write_databases(run, columns, sinks, progress) or self._written

    def write_sides(self, sinks: Sinks, *, progress: Progress | None = None) -> None:
        """Write the tables beside the kept records, without checking the sinks; see `write`."""
        run, columns = self.with_sources()
        edits = Texts(run.documents, run.schemes[0], len(columns)).edits(columns) if run.config.with_edit else None
        tables.write_sides(run.store, Decided.of(run, columns), run.sinks, sinks, progress, edits)

    def writing_kept(self, sinks: Sinks, kept: Kept) -> AbstractContextManager[tables.WriteKept]:
        """Give what writes the kept records, without checking the sink; see `write`."""
        run, columns = self.with_sources()
        return tables.writing_kept(run, columns, sinks, kept, filled=self.filled)

    @cached_property
    def filled(self) -> Filled:
        """The values that kept records take by the setting `merge`, by position and field."""
        if not self.config.merge:
            return {}
        run, columns = self.with_sources()
        dropped = columns.decision == DROPPED
        config = self.config
        return filled_values(run.sinks, run.store, columns.representative, dropped, config.merge, config.id_field)
