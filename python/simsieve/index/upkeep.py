"""The upkeep of a durable index: its files, its search keys, its recall."""

import datetime as dt
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from simsieve import _core
from simsieve.checks import MOST, check_integer
from simsieve.config.settings import DedupConfig
from simsieve.errors import short_errors
from simsieve.index.answers import BatchCounts, IndexBatch, taken_out
from simsieve.json_values import json_of, utf8_of
from simsieve.progress import chosen_progress
from simsieve.results.recall import EXACT, estimate
from simsieve.run.against import kept_rows
from simsieve.sinks.base import SinkPath, written
from simsieve.sinks.checks import check_outside
from simsieve.sinks.files import FileSink
from simsieve.text.checks import check_name
from simsieve.types import ProgressOption, Recall


class Upkeep:
    """What is done with an index as a whole."""

    config: DedupConfig
    _changing: AbstractContextManager[Any]
    """Held by a thread that changes the index: what it decides, it decides on what the others have written."""

    @property
    def _open(self) -> _core.Index:
        """The index of the core."""
        raise NotImplementedError

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
            sample: About so many kept documents are compared with all earlier ones, for 2 ms of CPU time each in
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
