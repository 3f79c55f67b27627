"""What a result keeps of the run that made it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SourceError
from simsieve.sinks.base import RowSinks
from simsieve.sources.base import Source
from simsieve.types import Progress

Failures = list[tuple[int, str, str]]
"""Failed records as (position, code, message)."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a result needs to know of the run that made it; `pipeline` fills it."""

    store: _core.Records
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
    again: Callable[[], Any] | None = None
    """Makes the result again in another process; None where its sources can be read only here or once."""


def read_here() -> ConfigError:
    """Give the error of a result whose sources no other process can read."""
    return ConfigError(
        "the sources of this result can be read only here or once, so it cannot be pickled: give a list or files, or "
        "pickle its table, to_arrow()"
    )


def changed_since() -> SourceError:
    """Give the error of a pickled result whose sources give another one now."""
    return SourceError("the sources of the pickled result have changed since it was made: run again")
