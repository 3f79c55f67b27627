"""What a result keeps of the run that made it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.sinks.base import RowSinks
from simsieve.sources.base import Source
from simsieve.types import Progress


@dataclass(frozen=True, slots=True)
class Run:
    """What a result needs to know of the run that made it; `pipeline` fills it.

    Args:
        store: The opened sources.
        documents: The loaded documents.
        schemes: The schemes in force.
        config: The settings.
        sources: The paths of all sources, `-` for stdin; empty for texts in memory.
        keep_alive: Whatever must live as long as the result, such as the files of spooled records.
        rethreshold: Decides once more on the same documents, under other settings.
        rows: What gives rows back.
        sinks: Makes the sinks of rows.
        report: Writes the page of a result: takes it, its run and columns, the file, whether texts are shown, and the
            command.
        plan: Recipe, keys, forecast and outcome.

    Example:
        >>> Run.__slots__[0]
        'store'
    """

    store: _core.Store
    documents: _core.Documents
    schemes: tuple[_core.Scheme, ...]
    config: DedupConfig
    sources: tuple[str, ...]
    keep_alive: object
    rethreshold: Callable[[DedupConfig, Progress | None], Any]
    rows: Source
    sinks: RowSinks
    report: Callable[..., None]
    plan: Mapping[str, Any] = field(default_factory=dict)
