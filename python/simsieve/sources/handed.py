"""Files that a package of their own reads: their rows are handed to the core, with a column of failures."""

import json
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import SourceError, not_read
from simsieve.machine import stamp
from simsieve.registry import on_disk
from simsieve.sinks.base import Kind
from simsieve.sinks.records import FAILURE, HandedRowSinks
from simsieve.sources.base import Source, spool_folder
from simsieve.sources.columns import Buffers
from simsieve.sources.copies import Copies
from simsieve.types import Progress

_BATCH_ROWS, _BATCH_BYTES = 1 << 8, 1 << 24
Row = tuple[bytes | None, ...]
"""The failure of a row, and its fields; numbers are written as in JSON."""


class HandedFiles(Source):
    """Files of such a kind; their content is copied, so later changes of the files do not matter."""

    is_named = True
    fields: Mapping[str, Kind]
    """The fields of a row, and what they hold."""

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        self.paths, self.of_objects = paths, of_objects
        self._stamps = {}
        for path in paths:
            # A copy of an object is nobody else's.
            if on_disk(path):
                with source_errors(path):
                    self._stamps[path] = stamp(path)

    @abstractmethod
    def parts(self, places: Mapping[str, str], config: DedupConfig) -> Iterator[tuple[str, Iterator[Row]]]:
        """Give the rows of each part under its name; `places` has the copies of objects."""

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Hand the rows to the core."""
        made = _core.Rows([FAILURE, *self.fields], config.max_record_bytes, folder=spool_folder(config))
        kinds = ["json", *("texts" if kind == "text" else "json" for kind in self.fields.values())]
        done = 0
        for name, rows in self.parts(self.of_objects.fetched(self.paths) if self.of_objects else {}, config):
            made.begin(name)
            for batch in _batches(rows, config.limit, done):
                columns = zip(kinds, zip(*batch, strict=True), strict=True)
                made.add(len(batch), [(kind, *_column(values)) for kind, values in columns])
                done += len(batch)
                if progress is not None:
                    progress("read", done, 0)
            if done == config.limit:
                break
        return made.finish()

    def holds(self, names: Sequence[str]) -> list[bool]:
        """Say which files, by their names, it has read."""
        read = set(self._stamps.values())
        return [on_disk(name) and os.path.exists(name) and stamp(name) in read for name in names]

    def row_sinks(self) -> HandedRowSinks:
        """Make tables of the fields."""
        return HandedRowSinks(self.fields)

    def check_copied(self, path: str) -> None:
        """Check that a file did not change while it was copied."""
        if path in self._stamps and (not os.path.exists(path) or stamp(path) != self._stamps[path]):
            raise SourceError(
                "{path}: changed while it was read; let whatever writes it finish, then run again", path=path
            )


def failed_row(code: str, why: str) -> bytes:
    """Write how the core knows a row that fails."""
    return json.dumps([code, why], ensure_ascii=False).encode()


@contextmanager
def source_errors(path: str) -> Iterator[None]:
    """Raise what the system says of a file as an error of the source."""
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


def _column(values: Sequence[bytes | None]) -> Buffers:
    """A column as the core takes it: offsets, bytes, which rows have a value."""
    ends = np.cumsum([0, *(len(value or b"") for value in values)], dtype=np.int64)
    content = np.frombuffer(b"".join(value or b"" for value in values), dtype=np.uint8)
    return ends, content, np.array([value is not None for value in values], dtype=np.bool_)
