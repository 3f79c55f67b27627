"""A durable index: new documents are held against those that it keeps, batch by batch."""

import datetime as dt
import json
import math
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np

from simsieve import _core
from simsieve.checks import MOST, check_integer, check_key, check_real
from simsieve.config.settings import DedupConfig
from simsieve.config.typed import Settings
from simsieve.errors import ConfigError, StorageError, short_errors
from simsieve.index.answers import (
    BatchCounts,
    IndexBatch,
    IndexDocument,
    IndexMatch,
    decisions_on_texts,
    ids_of,
    raw_id,
    raw_label,
    taken_out,
)
from simsieve.json_values import json_of, utf8_of
from simsieve.messages import Message, Setting
from simsieve.progress import chosen_progress
from simsieve.results.dedup import DedupResult
from simsieve.results.recall import EXACT, estimate
from simsieve.results.run import warn_of_failed
from simsieve.run.against import ALONE, IndexRun, index_settings, kept_rows, open_index, placed, with_settings_of
from simsieve.run.no_effect import is_page
from simsieve.run.pipeline import decided_texts, run_dedup
from simsieve.sinks.base import FileSink, SinkPath, written
from simsieve.sinks.checks import Sinks, check_outside
from simsieve.sinks.fields import in_lines
from simsieve.sources.base import AnySource
from simsieve.sources.records import refuse_paths
from simsieve.text.checks import all_written, check_name, check_texts, lone_surrogates_named
from simsieve.types import Decision, Progress, ProgressOption, Recall

MOST_FEW = 100
"""Of more records a run tells what stands out in them."""


@dataclass(frozen=True, slots=True)
class FewTexts:
    """The texts of some records, and their ids as raw JSON."""

    given: Sequence[Any]
    texts: Sequence[str]
    ids: list[str | None] | None


def read_fields(config: DedupConfig) -> tuple[str, str] | None:
    """The fields of text and id, where an index compares nothing else of a record; else None."""
    names = (*config.text_field, config.id_field)
    more = (
        config.equal_fields
        or config.field
        or config.field_rules
        or config.window
        or config.given_forms
        or any("." in name for name in names)
    )
    return None if more or len(config.text_field) != 1 else (config.text_field[0], config.id_field)


def few_texts(source: Any, fields: tuple[str, str] | None) -> FewTexts | None:
    """The texts of few records that have nothing else to compare; None of other sources, and of pages of HTML."""
    given = [source] if isinstance(source, dict) else source
    if fields is None or not isinstance(given, (list, tuple)) or not 0 < len(given) <= MOST_FEW:
        return None
    ids: list[str | None] | None = None
    if all(type(one) is str for one in given):
        refuse_paths(given)
        texts = given
    elif all(type(one) is dict for one in given):
        texts, labels = ([one.get(name) for one in given] for name in fields)
        if not all(type(text) is str for text in texts) or not all(type(one) in _LABELS for one in labels):
            return None
        ids = [raw_label(one) for one in labels]
    else:
        return None
    return None if any(map(is_page, texts)) else FewTexts(given, texts, ids)


_LABELS = (str, int, type(None))


_PAUSE = 0.1
"""Seconds between two looks whether another process has ended its writing."""


class Index:
    """A directory with the kept documents of a collection, which new documents are held against.

    Every batch is decided as one run on all batches would decide, under the recipe that the index has. Added documents
    stay after any kill. One process writes at a time, any number read, and none waits for another.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> index = Index.create(f"{folder}/seen", ["the quick brown fox jumps", "lorem ipsum dolor sit"])
        >>> index.add(["the quick brown fox jumps!", "something new altogether"]).kept
        1
        >>> len(index), index.check(["something new altogether"]).kept.tolist()
        (3, [])
        >>> index.close()
    """

    _decision = Decision
    """The class of a decision on a text; a service takes one that is made and encoded in less time."""

    def __init__(self, core: _core.Index, config: DedupConfig | None = None) -> None:
        if config is None:
            raise TypeError("Index.open(path) opens an index, and Index.create(path) makes one")
        self._core: _core.Index | None = core
        self._changing = threading.RLock()
        self._made: dict[str, Any] = json.loads(core.made)
        self._fields, self._forms = read_fields(config), config.given_forms
        self.config = config
        """The settings of the index."""

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        source: AnySource = (),
        *,
        expect: int = 0,
        output: SinkPath | None = None,
        progress: ProgressOption = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Make an index of the documents that a run on a source keeps, and open it for writing.

        Args:
            path: A new or empty directory.
            source: As for `dedup`; an index may begin empty.
            expect: Documents that the index will have: its search is made for as many.
            output: Where the kept documents go, as for `dedup`.
            progress: As for `dedup`.
            **settings: As for `dedup`. What decides whether two texts are near is fixed from here on.

        Raises:
            ConfigError: There is something in the directory, or a setting is not allowed.
            StorageError: The directory cannot be written.
        """
        with short_errors, chosen_progress(progress) as show:
            config = DedupConfig.from_settings(settings, drops=True)
            index, result = cls.made(
                path, source, config, Sinks(output, dry_run=output is None and config.mark is None), expect, show
            )
        warn_of_failed(config, result.failures(), result.counts.read)
        return index

    @classmethod
    def made(
        cls,
        path: str | os.PathLike[str],
        source: AnySource,
        config: DedupConfig,
        sinks: Sinks,
        expect: int,
        progress: Progress | None,
        **how: Any,
    ) -> tuple[Self, DedupResult]:
        """Make an index from checked settings, and give the run too."""
        expect = check_integer("expect", expect, 0, MOST)
        config = placed(config)
        made, cores, place = index_settings(config), [], Path(os.path.abspath(path))
        _core.Index.check_new(place)
        check_outside(path, (sinks.kept, sinks.decisions))

        def take(result: DedupResult, index: IndexRun) -> Message:
            run, columns = result.with_sources()
            followed, common = run.rows.followed(), index.common
            cores.append(_core.Index.create(place, made, expect, columns, common, config.threads, progress, followed))
            return Message("the index {path} was made: remove it, then make it again", path=os.fspath(path))

        # A search for fewer documents than that tests every pair, so it is made for those that are there.
        asked = expect if expect >= _core.BRUTE_BELOW else 0
        # A run has a search of its own.
        records = asked if config.run_dir is None else None
        result = run_dedup(source, config, sinks, progress, index=IndexRun(expect=records, take=take), **how)
        return cls(cores[0], config), result

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False, wait: float = 0) -> Self:
        """Open an index.

        Args:
            path: Its directory.
            write: Whether documents are added or removed. One process at a time may write.
            wait: Seconds to wait for another process that writes.

        Raises:
            SourceError: The directory is no index, or a file of it is missing or damaged.
            StorageError: Another process writes the index.
        """
        end = time.monotonic() + check_real("wait", wait, "[0, inf)", lambda x: 0 <= x < math.inf)
        while True:
            try:
                return cls(*open_index(path, write=write))
            except StorageError:
                if time.monotonic() >= end:
                    raise
                time.sleep(_PAUSE)

    @property
    def _open(self) -> _core.Index:
        """The index of the core."""
        if self._core is None:
            raise ConfigError("the index is closed: open it again")
        return self._core

    @property
    def path(self) -> Path:
        """The directory."""
        return Path(self._open.path)

    def add(
        self,
        source: AnySource,
        *,
        name: str | None = None,
        on_known_id: str = "replace",
        output: SinkPath | None = None,
        progress: ProgressOption = None,
        **settings: Unpack[Settings],
    ) -> IndexBatch:
        """Decide on new records, and keep the new documents, as one batch.

        When this returns, the batch is on the disk. If it is interrupted before, nothing is added.

        Args:
            source: As for `dedup`, or one record.
            name: A name for the batch, by which it can be undone; by default its number.
            on_known_id: What becomes of a record whose id the index has with another text: `"replace"` puts it in the
                place of that document, `"refuse"` ends the call. With the same text nothing changes.
            output: Where the kept documents of the batch go, as for `dedup`.
            progress: As for `dedup`.
            **settings: How the records are read, and which stays; see `dedup`. What decides whether two texts are near
                is that of the index.

        Raises:
            ConfigError: An id is in the batch twice, the name of the batch is taken, or a setting is another than that
                of the index.
        """
        few = None if settings or output is not None or progress is not None else few_texts(source, self._fields)
        if few is not None:
            begun = time.perf_counter()
            added, columns = self._added_few(few, name, on_known_id)
            decided = self._result(few, columns, begun)
            added = replace(added, result=decided, decisions=decided.decisions)
        else:
            with short_errors, chosen_progress(progress) as show:
                sinks = Sinks(output, dry_run=output is None and settings.get("mark") is None)
                added = self.added(source, settings, sinks, name, on_known_id, show)
        result = added.result
        if result is not None and result.counts.failed:
            warn_of_failed(result.config, result.failures(), result.counts.read)
        return added

    def added(
        self,
        source: AnySource,
        settings: Mapping[str, Any],
        sinks: Sinks,
        name: str | None,
        on_known_id: str,
        progress: Progress | None,
        **how: Any,
    ) -> IndexBatch:
        """Add a batch, and write what `sinks` name."""
        _check_added(name, on_known_id)
        config, added = self._config(settings), []

        def take(result: DedupResult, index: IndexRun) -> Message:
            run, columns = result.with_sources()
            added.append(self._open.add(index.run, columns, name, config.threads, progress, run.rows.followed()))
            return Message(
                "batch {batch} was added: undo it (`simsieve index undo {path} {batch}`), then add it again",
                batch=added[0]["batch"], path=str(self.path),
            )  # fmt: skip

        with self._changing:
            index = IndexRun(self._open, on_known_id, take=take)
            result = run_dedup(source, config, sinks, progress, index=index, **how)
        counts = dict(added[0])
        orphans = ids_of(counts.pop("orphans"))
        return IndexBatch(**counts, orphans=orphans, result=result, decisions=result.decisions)

    def check(
        self, source: AnySource, *, alone: bool = False, progress: ProgressOption = None, **settings: Unpack[Settings]
    ) -> DedupResult:
        """Decide on new records as `add` would at this moment; nothing is written.

        Args:
            source: As for `dedup`, or one record.
            alone: Leave the documents of the index out: the records are decided as in one run under its search keys.
                The batches of an index, one after another, have the same decisions.
            progress: As for `dedup`.
            **settings: As for `add`.

        Example:
            >>> import tempfile
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", ["the quick brown fox jumps"])
            >>> index.check(["the quick brown fox jumped"]).decisions[0].decision
            'dropped'
            >>> index.close()
        """
        few = None if settings or alone or progress is not None else few_texts(source, self._fields)
        if few is not None:
            begun = time.perf_counter()
            with lone_surrogates_named(few.texts):
                columns = self._open.check(few.texts, few.ids, self.config.threads)
            return self._result(few, columns, begun)
        with short_errors, chosen_progress(progress) as show:
            return self.checked(source, settings, None, show, alone=alone)

    def _result(self, few: FewTexts, columns: _core.Decisions, begun: float) -> DedupResult:
        """The decisions on few texts as those of a run."""
        return decided_texts(columns, few.given, self.config, self._open, time.perf_counter() - begun)

    def checked(
        self, source: AnySource, settings: Mapping[str, Any], sinks: Sinks | None, progress: Progress | None,
        *, alone: bool = False, **how: Any,
    ) -> DedupResult:  # fmt: skip
        """Decide as `check`, and write what `sinks` name."""
        index = IndexRun(self._open, ALONE if alone else "replace")
        return run_dedup(source, self._config(settings), sinks, progress, index=index, **how)

    def check_texts(self, texts: Sequence[str], ids: Sequence[Any] = ()) -> list[Decision]:
        """Decide on texts as `check`, were they records without ids and fields; a service asks so.

        Args:
            texts: Texts; a later one may be near an earlier one.
            ids: Labels for the decisions.

        Returns:
            A decision a text, by its number. `representative_collection` is `"old"` for a document of the index.

        Example:
            >>> import tempfile
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> [(one.decision, one.representative) for one in index.check_texts(["the quick brown fox jumped", "new"])]
            [('dropped', 7), ('kept', None)]
            >>> index.close()
        """
        _check_texts(texts, ids if len(ids) else None)
        with lone_surrogates_named(texts):
            fates = self._open.check(texts, None, self.config.threads).fates()
        return decisions_on_texts(self.config, fates, ids, self._decision)

    def add_texts(
        self,
        texts: Sequence[str],
        ids: Sequence[Any] | None = None,
        *,
        name: str | None = None,
        on_known_id: str = "replace",
    ) -> IndexBatch:
        """Add texts as `add`, at the least cost: a service that takes documents one by one does so.

        Args:
            texts: Texts; a later one may be near an earlier one.
            ids: An id a text; none by default.
            name: As for `add`.
            on_known_id: As for `add`.

        Example:
            >>> import tempfile
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> added = index.add_texts(["the quick brown fox jumped", "something new altogether"], [8, 9])
            >>> [one.decision for one in added.decisions], 9 in index
            (['dropped', 'kept'], True)
            >>> index.close()
        """
        _check_texts(texts, ids)
        raw = None if ids is None else [raw_label(one) for one in ids]
        added, columns = self._added_few(FewTexts(texts, texts, raw), name, on_known_id)
        decisions = decisions_on_texts(self.config, columns.fates(), () if ids is None else ids, self._decision)
        return replace(added, decisions=decisions)

    def _added_few(self, few: FewTexts, name: str | None, on_known_id: str) -> tuple[IndexBatch, _core.Decisions]:
        """Add few texts; what was added, and the decisions."""
        _check_added(name, on_known_id)
        with self._changing, lone_surrogates_named(few.texts):
            counts, columns = self._open.add_texts(few.texts, few.ids, on_known_id, name, self.config.threads)
        counts["orphans"] = ids_of(counts["orphans"])
        return IndexBatch(**counts), columns

    def remove(self, ids: Iterable[Any]) -> IndexBatch:
        """Remove the documents with these ids: later answers are as if they had never been kept.

        Returns:
            The counts, the ids that are missing, and the orphans: documents that were dropped for a removed one.
        """
        if isinstance(ids, str):
            raise TypeError("ids is one text: give a list of ids")
        raw = [raw_id(one) for one in ids]
        with self._changing:
            return taken_out("", self._open.remove(raw, self.config.threads))

    def undo(self, batch: str) -> IndexBatch:
        """Take a batch back: its documents go, and those that it replaced are there again."""
        check_name("batch", batch)
        with self._changing:
            return taken_out(batch, self._open.undo(batch, self.config.threads))

    def query(
        self, text: str, n: int = 10, *, date: str | dt.date | None = None, **settings: Unpack[Settings]
    ) -> list[IndexMatch]:
        """Find the kept documents that are near a text.

        Args:
            text: The text.
            n: Documents at most.
            date: Of an index with a window of time: leave out the documents whose dates are further from this one. By
                default all are looked at.
            **settings: As for `add`.

        Returns:
            At most `n` of them, the nearest first.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> [match.id for match in index.query("the quick brown fox jumped")]
            [7]
            >>> index.close()
        """
        n = check_integer("n", n, 1, MOST)
        texts = all_written([text], self._forms)
        if date is not None and self.config.window is None:
            raise ConfigError("date {date} is given, and the index has no window of time: leave it out", date=date)
        if settings:
            # They are compared with those of the index.
            self._config(settings)
        with lone_surrogates_named(texts):
            found = self._open.query(texts[0], n, None if date is None else str(date), self.config.threads)
        return [
            IndexMatch(None if raw is None else json.loads(raw), similarity, distance, near)
            for raw, similarity, distance, near in found
        ]

    def get(self, id: Any) -> str | None:
        """Give the text of the kept document with an id; None where there is none."""
        text = self._open.text(raw_id(id))
        return None if text is None else in_lines(text)

    def find(self, id: Any) -> IndexDocument | None:
        """Give what the index knows of an id: the text, or whom its document was dropped for; None where it has none.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", [{"id": 7, "text": "the quick brown fox jumps"}])
            >>> _ = index.add_texts(["the quick brown fox jumped"], [8])
            >>> index.find(8).representative, index.find(9)
            (7, None)
            >>> index.close()
        """
        raw = raw_id(id)
        found = self._open.find(raw)
        if found is None:
            return None
        kept, of, similarity = found
        if kept:
            return IndexDocument(id, "kept", self.get(id))
        return IndexDocument(id, "dropped", None, None if of is None else json.loads(of), similarity)

    def __contains__(self, id: object) -> bool:
        """Whether a document with this id is in the index, kept or dropped."""
        return self._open.find(raw_id(id)) is not None

    def __len__(self) -> int:
        """Count the kept documents."""
        return int(self._open.sizes["kept"])

    def __iter__(self) -> Iterator[tuple[Any, str]]:
        """Give id and text of every kept document, in order."""
        return ((id_, text) for id_, text, _ in kept_rows(self._open))

    def export(self, sink: SinkPath) -> None:
        """Write the kept documents as JSON lines, each with id and text, and with the date if there is a window."""
        check_outside(self._open.path, (sink,))
        lines = (
            utf8_of(json_of({"id": id_, "text": text} | self._dated(date))) + b"\n"
            for id_, text, date in kept_rows(self._open)
        )
        with written(FileSink(sink)) as file:
            for line in lines:
                file.write(line)

    def _dated(self, date: int | None) -> dict[str, str]:
        """The field of a date in milliseconds, in ISO 8601."""
        return {} if date is None else {str(self.config.date_field): f"{np.datetime64(date, 'ms')}Z"}

    def expire(self, before: str | dt.date) -> IndexBatch:
        """Remove the old documents.

        Args:
            before: Of an index with a window of time a date: documents with earlier ones go. Else the name of a batch:
                those of all batches with names before it go. Names of digits alone are compared by their values, and
                others as texts: with dates as names, `"2026-11-01"` removes all batches of earlier days. A batch
                without a name has its number.

        Returns:
            As `remove`.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen")
            >>> for day, text in [("2026-10-31", "the quick brown fox jumps"), ("2026-11-01", "lorem ipsum dolor")]:
            ...     _ = index.add([text], name=day)
            >>> index.expire("2026-11-01").kept, len(index)
            (1, 1)
            >>> index.close()
        """
        check_name("before", str(before))
        with self._changing:
            return taken_out("", self._open.expire(str(before), self.config.threads))

    def compact(self, *, purge: bool = False, progress: ProgressOption = None) -> None:
        """Merge the files of the index; with `purge` removed texts leave the disk, and no undo brings them back."""
        with self._changing, short_errors, chosen_progress(progress) as show:
            self._open.compact(purge, self.config.threads, show)

    def refreeze(self, expect: int = 0, progress: ProgressOption = None) -> None:
        """Make the search keys anew for the documents that are there, or for `expect`; due when it has grown much."""
        with self._changing, short_errors, chosen_progress(progress) as show:
            self._open.refreeze(check_integer("expect", expect, 0, MOST), self.config.threads, show)

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Copy the index to a new directory, by hard links where the file system has them."""
        self._open.snapshot(Path(path))

    def verify(self, progress: ProgressOption = None) -> None:
        """Read all files and check them; an error names the file that is damaged."""
        with short_errors, chosen_progress(progress) as show:
            self._open.verify(self.config.threads, show)

    def recall(self, sample: int = 1000, progress: ProgressOption = None) -> Recall | None:
        """Estimate the share of the duplicates that the search of the index has found.

        Args:
            sample: About this number of kept documents is compared with all earlier ones, for 2 ms of CPU time each in
                an index of 700,000 documents.
            progress: As for `dedup`.

        Returns:
            The share with its interval; None where nothing can be sampled, as under weights by frequency.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", ["the quick brown fox jumps"])
            >>> index.recall().value
            1.0
            >>> index.close()
        """
        with short_errors, chosen_progress(progress) as show:
            found = self._open.recall(check_integer("sample", sample, 1, MOST), self.config.threads, show)
        if found["exact"]:
            return EXACT
        sizes = self._open.sizes
        return estimate(sizes["kept"], sizes["dropped"], found["sampled"], found["missed"])

    def batches(self, newest: int = 1000) -> list[BatchCounts]:
        """Give the newest batches and what the index has of each, in their order.

        Args:
            newest: Batches at most; each change has a number, from 1.

        Example:
            >>> import tempfile
            >>> from simsieve import Index
            >>> index = Index.create(f"{tempfile.mkdtemp()}/seen", ["the quick brown fox jumps"])
            >>> _ = index.add(["the quick brown fox jumps!", "lorem ipsum dolor sit"], name="monday")
            >>> [(batch.name, batch.kept, batch.dropped) for batch in index.batches()]
            [('1', 1, 0), ('monday', 1, 1)]
            >>> index.close()
        """
        found = self._open.batches(check_integer("newest", newest, 1, 2**32 - 1))
        return [BatchCounts(number, name, *counts, undone) for number, name, counts, undone in found]

    def stats(self) -> dict[str, Any]:
        """The counts of the index: kept and dropped documents, segments, bytes, changes, and whether a refreeze is due.

        `largest_bucket` is about the most kept documents that have one search key in common: a text with that key is
        compared with all of them.
        """
        return self._open.sizes

    def refresh(self) -> None:
        """See what other processes have added since this index was opened.

        Where the directory was made anew, or another index was put there, that one is opened with its own settings.
        """
        if not self._open.refresh():
            core, config = open_index(self.path)
            self._core, self._made, self.config = core, json.loads(core.made), config
            self._fields, self._forms = read_fields(config), config.given_forms

    def close(self) -> None:
        """Close the files, and let others write."""
        self._core = None

    def __enter__(self) -> Self:
        """Give the index, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the index."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Give the path: the other process opens the index for reading."""
        return type(self).open, (str(self.path),)

    def __repr__(self) -> str:
        """Show path and counts."""
        if self._core is None:
            return "<Index: closed>"
        return f"<Index {str(self.path)!r}: {len(self):,} documents>"

    def _config(self, settings: Mapping[str, Any]) -> DedupConfig:
        return DedupConfig.from_settings({"threads": self.config.threads, **with_settings_of(self._made, settings)})


def _check_added(name: str | None, on_known_id: str) -> None:
    """Check how a batch is added."""
    check_key(Setting("on_known_id"), on_known_id, ("replace", "refuse"))
    if name is not None:
        check_name("name", name)


def _check_texts(texts: Sequence[str], ids: Sequence[Any] | None) -> None:
    """Check texts by their type, and the count of their ids."""
    if isinstance(texts, str):
        raise TypeError("texts is one text: give a list of texts")
    check_texts(texts)
    if ids is not None and len(ids) != len(texts):
        raise ConfigError("{ids} ids are given for {texts} texts: give one for each", ids=len(ids), texts=len(texts))
