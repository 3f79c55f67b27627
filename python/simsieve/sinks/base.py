"""What a sink of kept rows can do, and how a sink is named."""

import os
from typing import Protocol

from simsieve import _core
from simsieve.types import Progress

SinkPath = str | os.PathLike[str]


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
