"""What a sink of kept rows can do, and how a sink is named."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.types import Progress

SinkPath = str | os.PathLike[str]
TableFormat = Literal["jsonl", "csv", "tsv", "parquet"]
"""How a table of results is written."""
Kind = Literal["text", "int", "float", "bool"]
"""What a column of a table holds, where its format has types."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Records that are written with values added to them.

    Args:
        positions: Theirs, ascending.
        added: The names of the values, and what Parquet holds in each; None where the values tell it.
        values: Gives the values of a position, by name.
        taken: Names of fields that the records have. One that is added and is among them gets
            `simsieve_` before it.

    Example:
        >>> Chosen([1], {"group": "int"}, lambda position: {"group": position}).values(1)
        {'group': 1}
    """

    positions: Sequence[int]
    added: Mapping[str, Kind | None]
    values: Callable[[int], Mapping[str, Any]]
    taken: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive records, and which of them are written.

    Args:
        first: The position of the first.
        wanted: For each record, whether it is written.

    Example:
        >>> Rows(7, np.array([True, False, True])).positions
        [7, 9]
    """

    first: int
    wanted: NDArray[np.bool_]

    @property
    def positions(self) -> list[int]:
        """The positions of the records that are written."""
        found: list[int] = (self.first + np.flatnonzero(self.wanted)).tolist()
        return found


class KeptSink(Protocol):
    """What checks the sink of the kept rows and writes them to it."""

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

    def write_records(
        self, store: _core.Store, chosen: Chosen, sink: SinkPath, form: str | None, progress: Progress | None
    ) -> None:
        """Write records with values added to each, in the format that is given or else that of the sink's name.

        Raises:
            SinkError: The sink cannot be written.
            ConfigError: Its ending is none that a table can have.
        """
