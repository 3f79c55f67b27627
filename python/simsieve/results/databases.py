"""What a run writes to databases: its kept records and decisions in collections, and marks in those of its source."""

from typing import Any

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.registry import Store, databases, in_database
from simsieve.results.run import Run
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.sources.base import Source
from simsieve.types import Progress


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
        raise ConfigError("{@`mark`} is for documents of MongoDB: give the URI of a collection as source")
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
        raise ConfigError("{@`append`} is for kept documents in MongoDB: give a URI as their output")
    if config.replace and (sinks.kept is None or not is_folder(sinks.kept)):
        raise ConfigError(
            "{@`replace`} is for a collection of MongoDB or a folder: a file is replaced without it; leave it out"
        )
    if config.fields is not None and (sinks.kept is None or sinks.annotate):
        raise ConfigError("{@`fields`} is for kept records: give an output for them, without annotate")
