"""The steps that several runs share: settings, sinks and sources are checked, and documents are loaded."""

import os
from collections.abc import Sequence
from dataclasses import replace

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.config.verdicts import read_verdicts
from simsieve.errors import ConfigError
from simsieve.run.against import IGNORE, IndexRun
from simsieve.run.directory import is_run
from simsieve.run.forecast import Warn, note_program
from simsieve.run.schemes import chosen_schemes
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import AnySource, Both, Source
from simsieve.sources.checks import check_each, check_patterns, read_checked, warn_of_guesses
from simsieve.sources.fields import with_text_fields
from simsieve.sources.opening import apart_from, check_old, open_source
from simsieve.types import Progress


def prepare(
    source: AnySource, against: AnySource | None, config: DedupConfig, sinks: Sinks, seen: IndexRun | None = None
) -> tuple[Source | Both, list[_core.Scheme]]:
    """Check settings and sinks, and open the sources."""
    schemes = chosen_schemes(config)
    # Mistakes in the verdicts come out before the sources are read.
    read_verdicts(config.verdicts)
    _check_no_run(source, against)
    new = open_source(source, config)
    if config.since_field is not None and seen is not None and seen.core and seen.known != IGNORE:
        new.follow(seen.core.followed(new.paths[0]))
    # The limit is of the new records.
    old = None if against is None else open_source(against, replace(config, limit=None, since_field=None))
    opened = new if old is None else Both(new, old)
    sinks.check(sources_of(opened, seen))
    return opened, schemes


def sources_of(opened: Source | Both, seen: IndexRun | None) -> tuple[str, ...]:
    """The names of a run's sources, and of the index that it is against."""
    return opened.paths if seen is None or seen.core is None else (*opened.paths, str(seen.core.path))


def _check_no_run(*given: AnySource | None) -> None:
    """Refuse run directories among the sources: what they hold are no texts."""
    for source in given:
        for path in source if isinstance(source, list) else [source]:
            if isinstance(path, str | os.PathLike) and is_run(path):
                raise ConfigError(
                    "{path} is a run directory, and no source: name its sources, or make an index of it by "
                    "`simsieve index create INDEX --run-dir {path}`",
                    path=os.fspath(path),
                )


def open_store(
    opened: Source | Both,
    config: DedupConfig,
    progress: Progress | None,
    warn: Warn,
    directory: _core.RunDirectory | None = None,
    *,
    checked: DedupConfig | None = None,
    tell: Warn = note_program,
    knows_fields: bool = False,
) -> tuple[_core.Records, DedupConfig]:
    """Open sources, so that every record's place is known, and check that they have records and the fields named."""
    # An index knows the fields that must be equal, so records without them are no sign of a misspelt name.
    check_patterns(opened.paths, config)
    if isinstance(opened, Both):
        check_each(config, opened.new, opened.old)
        store, reading = read_checked(
            opened.new, config, progress, warn, directory, tell=tell, checked=config, warn_unread=warn
        )
        # Old records need no labels, and are never ordered.
        read = replace(reading, limit=None)
        source = apart_from(opened.new, opened.old, read, warn)
        old, _ = read_checked(
            source, read, progress, lambda _: None, directory, tell=tell, checked=read, warn_unread=warn
        )
        check_old(source, old)
        store = store.against(old)
    else:
        check_each(config, opened)
        store, reading = read_checked(
            opened, config, progress, warn, directory, tell=tell, checked=checked or config, knows_fields=knows_fields,
            warn_unread=warn,
        )  # fmt: skip
    warn_of_guesses(store, warn)
    return store, reading


def begin(
    store: _core.Records,
    schemes: Sequence[_core.Scheme],
    config: DedupConfig,
    progress: Progress | None,
    directory: _core.RunDirectory | None = None,
    seen: _core.SeenRun | None = None,
    recipe_for: int | None = None,
) -> _core.Loading:
    """Freeze what a search of a store's documents needs, under the schemes of a run; nothing is encoded yet."""
    verdicts = read_verdicts(config.verdicts)
    return store.begin(schemes, config, verdicts, progress, directory, seen, recipe_for)


def load(
    store: _core.Records,
    schemes: Sequence[_core.Scheme],
    config: DedupConfig,
    progress: Progress | None,
    seen: _core.SeenRun | None = None,
) -> _core.Documents:
    """Encode the documents of a store under the schemes of a run; otherwise as `begin`."""
    loading = begin(store, schemes, with_text_fields(store, config), progress, seen=seen)
    return loading.finish(config.threads, progress)
