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
