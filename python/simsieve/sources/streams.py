"""Rows that come as a stream of Arrow, perhaps only once: each batch is copied to a temporary file as it passes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve.errors import SourceError
from simsieve.optional import arrow
from simsieve.sinks.files import no_room
from simsieve.sources.columns import BATCH_ROWS, ColumnSource
from simsieve.sources.records import Spool
from simsieve.tabular import reader_of


class Stream(ColumnSource):
    """A stream of Arrow; the copy of its batches, in Arrow's own form and compressed, lives as long as the result."""

    parts = ("the table",)

    def __init__(self, given: Any) -> None:
        self._given: Any = reader_of(given)
        self._schema = self._given.schema
        self.keep_alive = spool = Spool()
        self._copy = Path(spool.folder, "rows.arrows")

    def schema(self, part: str, wanted: Sequence[str] = ()) -> Any:
        """Give its schema."""
        return self._schema

    def batches(self, part: str, columns: list[str] | None) -> Iterator[Any]:
        """Give the rows batch by batch: first as they come, then from the copy; threads may read it side by side."""
        given, self._given = self._given, None
        for rows in self._copied() if given is None else self._passing(given):
            yield rows if columns is None else rows.select(columns)

    def _passing(self, given: Any) -> Iterator[Any]:
        """Copy the batches while they come; where no more are asked for, no more are taken from the stream."""
        ipc = arrow("pyarrow.ipc")
        try:
            with (
                self._copy.open("wb") as file,
                ipc.new_stream(file, self._schema, options=ipc.IpcWriteOptions(compression="lz4")) as copy,
            ):
                for rows in _cut(given):
                    copy.write_batch(rows)
                    yield rows
        except SourceError:
            raise
        except OSError as error:
            raise no_room(error) from error

    def _copied(self) -> Iterator[Any]:
        with arrow().OSFile(str(self._copy)) as file, arrow("pyarrow.ipc").open_stream(file) as copy:
            yield from copy

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Give rows as a table of Arrow."""
        return self.stream(positions).read_all()


def _cut(given: Any) -> Iterator[Any]:
    """The rows of a stream in batches that are not too large."""
    done = 0
    while True:
        try:
            batch = given.read_next_batch()
        except StopIteration:
            return
        except (arrow().ArrowException, OSError) as error:
            what = " ".join(str(error).split())
            raise SourceError(
                "the table: its stream broke off after {done:,} rows ({what}); make it again and run again",
                done=done, what=what,
            ) from error  # fmt: skip
        for first in range(0, len(batch), BATCH_ROWS):
            yield batch.slice(first, BATCH_ROWS)
        done += len(batch)
