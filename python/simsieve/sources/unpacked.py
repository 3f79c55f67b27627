"""Files that Python unpacks: their records have fields of text, and are handed to the core."""

import json
import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import SourceError, not_read
from simsieve.machine import stamp
from simsieve.registry import on_disk
from simsieve.sinks.unpacked import UnpackedRowSinks
from simsieve.sources.base import Source
from simsieve.sources.columns import Buffers
from simsieve.sources.copies import Copies
from simsieve.sources.folders import LeftOut
from simsieve.sources.spool import spool_folder
from simsieve.types import Progress

_BATCH_ROWS, _BATCH_BYTES = 1 << 8, 1 << 24
Row = tuple[bytes | None, ...]
"""The failure of a record, see `failed`, or None; then its fields."""


class UnpackedFiles(Source):
    """Files of one kind; a kind says what fields its records have, and gives the rows of a file."""

    is_named = True
    fields: tuple[str, ...]
    """The fields of a record."""

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        self.paths, self.of_objects = paths, of_objects
        self._stamps = {}
        self.skipped: Counter[str] = Counter()
        """What is no record, by its kind."""
        self.pictures = 0
        """Pages that are pictures, so that their text is not read."""
        for path in paths:
            # A copy of an object is nobody else's.
            if on_disk(path):
                with _source_errors(path), open(path, "rb"):
                    self._stamps[path] = stamp(path)

    @abstractmethod
    def rows(self, path: str, place: str, config: DedupConfig) -> Iterator[Row]:
        """Give the rows of a file; `place` is where it is on the disk."""

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Hand the records to the core."""
        made = _core.Rows(["failure", *self.fields], config.max_record_bytes, folder=spool_folder(config))
        done = self.pictures = 0
        self.skipped.clear()
        copies = self.of_objects.fetched(self.paths) if self.of_objects else {}
        for path in self.paths:
            made.begin(path)
            with _source_errors(path):
                for batch in _batches(self.rows(path, copies.get(path, path), config), config.limit, done):
                    made.add(len(batch), [_column(values, at) for at, values in enumerate(zip(*batch, strict=True))])
                    done += len(batch)
                    if progress is not None:
                        progress("read", done, 0)
            self._check_copied(path)
            if done == config.limit:
                break
        return made.finish()

    @property
    def left_out(self) -> LeftOut:
        """What is there and is not read; see `Source.left_out`."""
        found = super().left_out
        return replace(found, records=found.records + self.skipped, pictures=self.pictures)

    def row_sinks(self) -> UnpackedRowSinks:
        """Make tables of the records."""
        return UnpackedRowSinks(self.fields)

    def _check_copied(self, path: str) -> None:
        """Check that a file did not change while it was copied; later changes do not matter."""
        if path in self._stamps and (not os.path.exists(path) or stamp(path) != self._stamps[path]):
            raise SourceError(
                "{path}: changed while it was read; let whatever writes it finish, then run again", path=path
            )


def failed(code: str, why: str) -> bytes:
    """How the core knows a row that fails."""
    return json.dumps([code, why], ensure_ascii=False).encode()


@contextmanager
def _source_errors(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise SourceError("{path}: does not exist; check the name", path=path) from None
    except IsADirectoryError:
        raise SourceError("{path}: is a folder; name the files in it, such as '{path}/*'", path=path) from None
    except SourceError:
        raise
    except OSError as error:
        raise not_read(path, "", error) from error


def _batches(rows: Iterator[Row], limit: int | None, done: int) -> Iterator[list[Row]]:
    """Some rows at a time, and not more than the limit over all files."""
    batch: list[Row] = []
    held = 0
    for row in rows:
        batch.append(row)
        held += sum(len(value or b"") for value in row)
        if done + len(batch) == limit:
            break
        if len(batch) == _BATCH_ROWS or held >= _BATCH_BYTES:
            yield batch
            done, batch, held = done + len(batch), [], 0
    if batch:
        yield batch


def _column(values: Row, at: int) -> tuple[str, *Buffers]:
    """A column as the core takes it: what it holds, offsets, bytes, which rows have a value."""
    ends = np.cumsum([0, *(len(value or b"") for value in values)], dtype=np.int64)
    content = np.frombuffer(b"".join(value or b"" for value in values), dtype=np.uint8)
    return "texts" if at else "json", ends, content, np.array([value is not None for value in values], dtype=np.bool_)
