"""What a result keeps of the run that made it, and its failed records against what the settings allow."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, FailedRecordsWarning, SourceError
from simsieve.messages import Message
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


_NAMED = 3
"""Failed records that a warning names."""


def warn_of_failed(
    config: DedupConfig, failures: Failures, read: int, *, what: str = "records", listed: str = "failures()"
) -> None:
    """Warn a program of more failed records than `max_failed` allows; the warning is of the caller's caller."""
    if config.allows_failed(len(failures), read):
        return
    named = "; ".join(
        Message("record {position} ({code}): {message}", position=position, code=code, message=message)
        for position, code, message in failures[:_NAMED]
    )
    more = Message("; and {count:,} more", count=len(failures) - _NAMED) if len(failures) > _NAMED else ""
    where = Message("; {listed} lists them", listed=listed) if listed else ""
    text = Message(
        "{count:,} of {read:,} {what} failed, more than {@max_failed} {max_failed} allows: {named}{more}. The "
        "result is without them{where}. Correct the records, or give {@max_failed}, such as '1%'",
        count=len(failures), read=read, what=what, max_failed=config.max_failed, named=named, more=more, where=where,
    )  # fmt: skip
    warnings.warn(text, FailedRecordsWarning, stacklevel=3)
