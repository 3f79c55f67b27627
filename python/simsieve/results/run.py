"""What a result keeps of the run that made it, its failed records, and what it writes to databases."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, FailedRecordsWarning, SourceError
from simsieve.messages import Message
from simsieve.registry import Store, databases, in_database, store_of
from simsieve.sinks.base import RowSinks
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.sinks.kept import merge_refused
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


def _databases(sinks: Sinks, config: DedupConfig, source: Source) -> list[Store]:
    """The databases that a run writes to."""
    return databases(sinks.kept, sinks.decisions, *(source.given_names if config.mark is not None else ()))


def check_databases(sinks: Sinks, config: DedupConfig, source: Source) -> None:
    """Check, before the sources are read, the settings and sinks that are for databases."""
    # A run of the library names its sinks only later.
    if not in_database(sinks.kept) and not sinks.dry_run:
        _check_files(sinks, config)
    if config.with_edit and (in_database(sinks.decisions) or (sinks.kept is not None and sinks.decisions is None)):
        raise ConfigError("{@with_edit} is a column of decisions: give a file for them, or leave it out")
    if config.mark is not None and not source.can_mark:
        raise ConfigError("{@`mark`} is for databases: give the URI of a collection or a table as source")
    if config.merge and in_database(sinks.kept):
        raise merge_refused(config, store_of(sinks.kept).shown(str(sinks.kept)), Message("a database"))
    for store in _databases(sinks, config, source):
        store.check_outputs(sinks, config, source)


def write_databases(run: Run, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> dict[str, Any]:
    """Write what goes to databases, to each all of it or nothing; see `registry.Store.write`."""
    written: dict[str, Any] = {}
    for store in _databases(sinks, run.config, run.rows):
        written |= store.write(run, columns, sinks, progress)
    return written


def _check_files(sinks: Sinks, config: DedupConfig) -> None:
    """Refuse settings that are of no use for kept records in files."""
    if config.append:
        raise ConfigError("{@`append`} is for kept records in a database: give a URI as their output")
    if config.replace and (sinks.kept is None or not is_folder(sinks.kept)):
        raise ConfigError(
            "{@`replace`} is for a collection, a table or a folder: a file is replaced without it; leave it out"
        )
    if config.fields is not None and (sinks.kept is None or sinks.annotate):
        raise ConfigError("{@`fields`} is for kept records: give an output for them, without annotate")
