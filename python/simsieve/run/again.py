"""A finished run that is decided again: what its directory notes of it, and which settings may differ."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.near_rows import THRESHOLDS
from simsieve.config.setting import AGAIN
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, ResumeError, SourceError
from simsieve.messages import Message
from simsieve.registry import StoreName, in_database, on_disk, store_of
from simsieve.run.directory import is_run
from simsieve.schemes.custom import CustomScheme
from simsieve.sources.base import AnySource

_RUN = "run"
"""The name of the note in a run directory."""


def note_run(
    directory: _core.RunDirectory | None, config: DedupConfig, source: AnySource, against: AnySource | None
) -> None:
    """Note in a run directory that stays what the run is made of, as far as that has names."""
    if directory is None or config.run_dir is None or directory.noted(_RUN) is not None:
        return
    settings = None
    if isinstance(config.idf, str) and not isinstance(config.scheme, (CustomScheme, tuple)):
        settings = {name: getattr(config, name) for name in SETTINGS} | {"scheme": str(config.scheme)}
    about = {"folder": os.getcwd(), "sources": _names(source), "against": _names(against), "settings": settings}
    directory.note(_RUN, json.dumps(about, ensure_ascii=False, default=os.fspath))


def _names(source: AnySource | None) -> list[str] | None:
    """The names by which a source is opened again; None where it has none, or its name has a password."""
    if isinstance(source, (str, os.PathLike)):
        names = [os.fspath(source)]
    elif isinstance(source, (list, tuple)) and all(isinstance(one, os.PathLike) for one in source):
        names = [os.fspath(one) for one in source if isinstance(one, os.PathLike)]
    else:
        return [] if source is None else None
    has_password = any(store_of(one).shown(one) != one for one in names if in_database(one))
    return None if has_password or "-" in names else names


def _source(names: list[str]) -> AnySource:
    if len(names) == 1 and in_database(names[0]):
        return names[0]
    return [Path(name) if on_disk(name) else StoreName(name) for name in names]


def check_run(path: str) -> None:
    """Refuse what is no run directory."""
    if not is_run(path):
        raise SourceError("{path} is no run directory; name that of a finished run on the sources", path=path)


def made_run(path: str) -> tuple[DedupConfig, AnySource, AnySource | None]:
    """Give the settings and the sources of the run in a directory, which needs no naming of them."""
    check_run(path)
    about = json.loads(_core.RunDirectory.noted_in(path, _RUN) or "{}")
    new, old, settings = (about.get(name) for name in ("sources", "against", "settings"))
    if not new or old is None or settings is None:
        raise ConfigError(
            "{path}: not all of the run's sources and settings can be named again: give them as in the run, with "
            "{@`resume`}",
            path=path,
        )  # fmt: skip
    if about["folder"] != os.getcwd() and any(on_disk(name) and not os.path.isabs(name) for name in (*new, *old)):
        raise ConfigError(
            "{path}: the run names its sources from the folder {folder}: call the command there",
            path=path, folder=about["folder"],
        )  # fmt: skip
    try:
        made = DedupConfig.from_settings(settings)
    except (ValueError, TypeError) as error:
        raise ResumeError(
            "{path}: the settings of the run cannot be used: {error}; run on the sources again", path=path, error=error
        ) from error
    return made, _source(new), _source(old) if old else None


def config_again(path: str, made: DedupConfig, given: Mapping[str, Any]) -> DedupConfig:
    """Join the settings of a finished run with those that are given to decide again."""
    asked = DedupConfig.from_settings({"scheme": made.scheme, "measure": made.measure, **given})
    of = Message("the run in {path}", path=path)
    for name in given:
        if AGAIN in SETTINGS[name].held:
            was, now = (
                str(value) if name == "scheme" else value for value in (getattr(made, name), getattr(asked, name))
            )
            check_same(name, was, now, of, Message("leave it out, or run on the sources again"))
    taken = {name: getattr(made, name) for name in SETTINGS}
    if given.keys() & THRESHOLDS:
        taken |= dict.fromkeys(THRESHOLDS)
    return DedupConfig.from_settings({**taken, **given, "run_dir": path, "resume": True})


def as_made(directory: _core.RunDirectory | None, config: DedupConfig) -> DedupConfig:
    """The settings under which a finished run is read: with its own threshold, from which another one follows."""
    noted = None if directory is None else directory.noted(_RUN)
    settings = None if noted is None else json.loads(noted)["settings"]
    if directory is None or settings is None or isinstance(config.scheme, tuple) or not directory.finished("decide"):
        return config
    made = replace(config, **{name: settings[name] for name in THRESHOLDS})
    return config if made.threshold == config.threshold and made.max_distance == config.max_distance else made
