"""The kept rows of a run: whether a sink can hold them, how they get there, and the rows themselves.

What the core has read it also writes. Rows that came in another way, such as those of a Parquet file or a data frame,
are written and given back by those that know them: see `simsieve.tables`.
"""

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import ConfigError, core_errors
from simsieve.names import is_parquet
from simsieve.records import Progress

SinkPath = str | os.PathLike[str]


class Rows(Protocol):
    """The rows of all sources, by position."""

    def check(self, store: _core.Store | None, sink: SinkPath, form: str | None) -> None:
        """Check that the kept rows can go to a sink of that name, or in that format; without a store by the name alone.

        Raises:
            ConfigError: They cannot.
        """

    def write(
        self, columns: _core.Decisions, sink: SinkPath, form: str | None, *, link: bool, progress: Progress | None
    ) -> None:
        """Write the kept rows.

        Raises:
            SinkError: The sink cannot be written.
        """

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Give the rows at these positions, in the kind that came in.

        Raises:
            ConfigError: They came from files.
        """


class CoreRows:
    """Rows of files that the core reads, byte for byte.

    Example:
        >>> CoreRows().check(_core.Store.from_texts(["a text"]), "kept.jsonl", None)
    """

    def check(self, store: _core.Store | None, sink: SinkPath, form: str | None) -> None:
        """Check the sink; see `Rows.check`."""
        if is_parquet(os.fspath(sink), form):
            raise ConfigError(
                f"the sink {os.fspath(sink)} is Parquet, which only rows of Parquet files and data frames are written"
                " to; give it the sources' ending"
            )
        if store is not None:
            with core_errors():
                store.check_kept_sink(os.fspath(sink), form)

    def write(
        self, columns: _core.Decisions, sink: SinkPath, form: str | None, *, link: bool, progress: Progress | None
    ) -> None:
        """Write the kept rows; see `Rows.write`."""
        with core_errors():
            columns.write_kept(os.fspath(sink), progress, form, link)

    def take(self, positions: NDArray[np.int64]) -> Any:  # noqa: ARG002 - as the protocol has it
        """Refuse: rows of files are not kept in memory."""
        raise ConfigError("the rows are in files: write them with `write` and read what you need of the sink")


class TextRows(CoreRows):
    """Texts in memory.

    Example:
        >>> TextRows(["a", "b", "c"]).take(np.array([0, 2]))
        ['a', 'c']
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def take(self, positions: NDArray[np.int64]) -> list[str]:
        """Give texts."""
        return [self._texts[position] for position in positions.tolist()]


class RecordRows(CoreRows):
    """Records that were spooled to a file of JSON lines, one a line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self, positions: NDArray[np.int64]) -> list[dict[str, Any]]:
        """Give records, as JSON has them."""
        wanted = np.zeros(int(positions[-1]) + 1 if len(positions) else 0, dtype=bool)
        wanted[positions] = True
        with self._path.open("rb") as file:
            return [json.loads(line) for line in itertools.compress(file, wanted.tolist())]
