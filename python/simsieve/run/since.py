"""A run on new files since an earlier run: what that run kept is held against them, and not read again."""

import json
import os
from pathlib import Path

from simsieve import _core
from simsieve.config.setting import SINCE
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.registry import StoreName, in_database, on_disk
from simsieve.sinks.base import SinkPath
from simsieve.sources.base import AnySource
from simsieve.types import Progress


def former_run(
    source: AnySource,
    against: AnySource | None,
    config: DedupConfig,
    save_run: SinkPath | None,
    progress: Progress | None,
) -> _core.FormerRun | None:
    """Open the run directory of an earlier run on files; None where none is named."""
    if config.since_run is None or in_database(source):
        return None
    path = os.fspath(config.since_run)
    if against is not None:
        raise ConfigError("{@since_run} {path!r} and against are both given: leave one out", path=path)
    if save_run is not None:
        raise ConfigError(
            "{@since_run} {path!r} and a saved run are both given: name a run directory by {@run_dir} instead",
            path=path,
        )  # fmt: skip
    if config.run_dir is not None and os.path.realpath(config.run_dir) == os.path.realpath(path):
        raise ConfigError(
            "{@run_dir} and {@since_run} are both {path!r}: give the new run a directory of its own", path=path
        )
    former = _core.FormerRun(path, progress)
    # The earlier sources are opened by these settings of the new run, and of columns the fields alone are read.
    values = config.held(SINCE)
    if not config.given_forms:
        values["text_field"] = config.text_field
    values |= {"id_field": config.id_field, "keep": ",".join(config.keep), "equal fields": config.equal_fields}
    for name, value in values.items():
        was, now = json.loads(former.setting(name) or "null"), json.loads(json.dumps(value))
        if (was or None) != (now or None):
            raise ConfigError(
                "{path}: {name} was {was!r} in the earlier run, and is {now!r} now; give the same",
                path=path, name=name, was=was, now=now,
            )  # fmt: skip
    limit = json.loads(former.setting("limit") or "null")
    if limit is not None:
        raise ConfigError(
            "{path}: the earlier run read the first {limit} records, and nothing is known of the others; run on all "
            "of them",
            path=path, limit=limit,
        )  # fmt: skip
    for old in former.sources:
        if old == "-" or in_database(old):
            raise ConfigError(
                "{path}: the earlier run read {old}, which cannot be opened again; {@since_run} is for files",
                path=path, old=old,
            )  # fmt: skip
    return former


def former_sources(former: _core.FormerRun | None, against: AnySource | None) -> AnySource | None:
    """The old sources: those of an earlier run, or those that are given."""
    if former is None:
        return against
    return [Path(source) if on_disk(source) else StoreName(source) for source in former.sources]
