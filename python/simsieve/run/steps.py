"""The steps that several runs share: settings, sinks and sources are checked, and documents are loaded."""

import os
from collections.abc import Sequence
from dataclasses import replace

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_toml
from simsieve.config.verdicts import read_verdicts
from simsieve.errors import ConfigError
from simsieve.registry import in_database, store_of
from simsieve.run.against import IGNORE, SeenIndex
from simsieve.run.directory import is_run
from simsieve.run.forecast import Warn, note_program
from simsieve.run.resume import settings_of
from simsieve.run.schemes import chosen_schemes
from simsieve.sinks.base import SinkPath
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import AnySource, Both, Source
from simsieve.sources.checks import check_each, check_patterns, read_checked, warn_of_guesses
from simsieve.sources.fields import with_text_fields
from simsieve.sources.opening import apart_from, check_old, open_source
from simsieve.types import Progress


def prepare(
    source: AnySource, against: AnySource | None, config: DedupConfig, sinks: Sinks, kept: SinkPath | None = None,
    seen: SeenIndex | None = None,
) -> tuple[Source | Both, list[_core.Scheme]]:  # fmt: skip
    """Check settings and sinks, and open the sources."""
    schemes = chosen_schemes(config)
    if sinks.run is not None:
        settings_of(config)
    if sinks.config is not None:
        settings_toml(config)
    # Mistakes in the verdicts come out before the sources are read.
    read_verdicts(config.verdicts)
    _check_no_run(source, against)
    new = open_source(source, config)
    if config.since_field is not None and seen is not None and seen.known != IGNORE:
        new.follow(seen.core.followed(new.paths[0]))
    if sinks.run is not None:
        new.check_saveable()
    if config.since_run is not None and in_database(source):
        if against is not None:
            raise ConfigError(
                "{@since_run} and against are both given: the run names the old documents; give one of them"
            )
        digests = [scheme.digest for scheme in schemes]
        goes_on = config.resume and config.run_dir is not None and os.path.isdir(config.run_dir)
        old = store_of(source).old_documents(new, str(config.since_run), kept, digests, goes_on=goes_on)
        # All that the run has kept is read.
        against, config = old, replace(config, query=None)
    # The limit is of the new records.
    opened = new if against is None else Both(new, open_source(against, replace(config, limit=None, since_field=None)))
    sinks.check(sources_of(opened, seen))
    return opened, schemes


def sources_of(opened: Source | Both, seen: SeenIndex | None) -> tuple[str, ...]:
    """The names of what a run reads: its sources, and the index that it is against."""
    return opened.paths if seen is None else (*opened.paths, str(seen.core.path))


def _check_no_run(*given: AnySource | None) -> None:
    """Refuse run directories among the sources: what they hold are no texts."""
    for source in given:
        for path in source if isinstance(source, list) else [source]:
            if isinstance(path, str | os.PathLike) and is_run(path):
                raise ConfigError(
                    "{path} is a run directory, and no source: give {@since_run} for the documents that its run kept, "
                    "or name its sources",
                    path=os.fspath(path),
                )  # fmt: skip


def open_store(
    opened: Source | Both,
    config: DedupConfig,
    progress: Progress | None,
    warn: Warn,
    directory: _core.RunDirectory | None = None,
    *,
    checked: DedupConfig | None = None,
    former: _core.FormerRun | None = None,
    tell: Warn = note_program,
    knows_fields: bool = False,
) -> tuple[_core.Records, DedupConfig]:
    """Open sources, so that every record's place is known, and check that they have records and the fields named.

    An index knows the fields that must be equal, so records without them are no sign of a misspelt name.
    """
    check_patterns(opened.paths, config)
    if isinstance(opened, Both):
        check_each(config, opened.new, opened.old)
        store, reading = read_checked(
            opened.new, config, progress, warn, directory, tell=tell, checked=config, warn_unread=warn
        )
        # Old records need no labels, and are never ordered.
        read = replace(reading, limit=None)
        source = opened.old
        if former is None:
            source = apart_from(opened.new, source, read, warn)
        old, _ = read_checked(
            source, read, progress, lambda _: None, directory, tell=tell, checked=read, warn_unread=warn
        )
        check_old(opened.new, source, old, former is not None)
        store = store.against(old if former is None else old.kept_by(former))
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
    former: _core.FormerRun | None = None,
    seen: _core.SeenRun | None = None,
    recipe_for: int | None = None,
) -> _core.Loading:
    """Freeze what a search of a store's documents needs, under the schemes of a run; nothing is encoded yet."""
    verdicts = read_verdicts(config.verdicts)
    return store.begin(schemes, config, verdicts, progress, directory, former, seen, recipe_for)


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
