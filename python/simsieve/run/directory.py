"""Where a run keeps its columns: in memory, or in a run directory, which lets a run go on, or be decided again."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.near_rows import THRESHOLDS
from simsieve.config.setting import AGAIN, RESUMED
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.display import readable_bytes
from simsieve.errors import ConfigError, ResumeError, SourceError
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.registry import StoreName, in_database, on_disk, store_of
from simsieve.run.forecast import (
    DISK_PARTS,
    LEAST_BYTES,
    UNBOUNDED_BYTES,
    Warn,
    disk_values,
    memory_bound,
    note_program,
    refusal,
    warn_program,
)
from simsieve.schemes.custom import CustomScheme
from simsieve.sinks.checks import Sinks, is_folder
from simsieve.sources.base import AnySource, Both, Source
from simsieve.types import Progress

_FIELD_RECORD_BYTES = 100
"""Memory of a record whose fields decide on the keep order."""

NOTED_BYTES = 64 << 20
"""A run directory that takes less disk is not noted."""


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a run directory."""
    return os.path.isfile(os.path.join(path, "run.log"))


@contextmanager
def run_directory(
    config: DedupConfig,
    sinks: Sinks,
    store: _core.Records,
    schemes: Sequence[_core.Scheme],
    progress: Progress | None,
    held: _core.RunDirectory | None = None,
    warn: Warn = warn_program,
    tell: Warn = note_program,
) -> Iterator[_core.RunDirectory | None]:
    """Give the run directory of a run, or None where all columns fit into memory and none is asked for."""
    # A directory that no setting names is removed when the run has ended. Where the run fails or is stopped it stays,
    # if anything in it is finished, so that the setting `resume` can go on. A note of the exception says so.
    bound = memory_bound(config)
    in_memory, in_directory, disk_parts = needed_bytes(config, store, schemes, bound)
    refused = refusal(bound, in_memory, in_directory, len(store))
    if refused is not None:
        raise ConfigError(refused)
    place = config.run_dir or _hidden(sinks)
    if held is not None:
        _note_of_disk(place, disk_parts, warn, tell)
        yield held
        return
    memory = in_memory if bound is None else bound
    if config.run_dir is None and not config.resume and in_memory <= memory:
        left = _hidden(sinks)
        if left is not None and is_run(left):
            # A run that was cut off, and nobody goes on with it.
            _core.RunDirectory(left, "replace", memory, [], progress).remove()
        yield None
        return
    with _opened(config, sinks, memory, progress) as directory:
        _note_of_disk(place, disk_parts, warn, tell)
        yield directory


def _note_of_disk(place: str | None, disk_parts: Mapping[str, int], warn: Warn, tell: Warn) -> None:
    """Say what goes to disk, and warn where there is no room for it."""
    where = tempfile.gettempdir() if place is None else place
    whole = sum(disk_parts.values())
    if whole >= NOTED_BYTES:
        tell(
            "the run directory in {folder} takes about {disk} of disk: {columns} columns, {keys} search keys, {pairs}"
            " pairs found, {decisions} decisions".format(folder=where, **disk_values(disk_parts))
        )
    warn_of_disk(place, whole, warn)


@contextmanager
def source_directory(
    config: DedupConfig, sinks: Sinks, opened: Source | Both, progress: Progress | None
) -> Iterator[_core.RunDirectory | None]:
    """Give the run directory before a collection or objects are read, whose copies it keeps; None for other sources."""
    # It is there where the settings name one or go on with one. Else copies of sources are in temporary files.
    keeps = opened.new.is_kept or opened.copies
    if not keeps or (config.run_dir is None and not config.resume):
        yield None
        return
    with _opened(config, sinks, memory_bound(config) or LEAST_BYTES, progress) as directory:
        yield directory


@contextmanager
def _opened(config: DedupConfig, sinks: Sinks, memory: int, progress: Progress | None) -> Iterator[_core.RunDirectory]:
    settings = [(name, json.dumps(value)) for name, value in config.held(RESUMED).items()]
    path, start, is_found_again = _place(config, sinks)
    directory = _core.RunDirectory(path, start, memory, settings, progress)
    if directory.has_stages:
        _remove_parts(sinks)
    try:
        yield directory
    except BaseException as error:
        if not (is_found_again and (config.run_dir is not None or directory.has_stages)):
            directory.remove()
        elif not isinstance(error, ConfigError):
            # The same again would be refused again.
            error.add_note(
                Message("what is finished is in {path}: run the same again with {@`resume`} to go on", path=path)
            )
        directory.close()
        raise
    if config.run_dir is None:
        directory.remove()
    directory.close()


def needed_bytes(
    config: DedupConfig, store: _core.Records, schemes: Sequence[_core.Scheme], bound: int | None
) -> tuple[int, int, dict[str, int]]:
    """Forecast the bytes of a run: memory without a run directory, memory with one, and the parts of that one."""
    allowed = UNBOUNDED_BYTES if bound is None else max(bound, LEAST_BYTES)
    mean = store.bytes_read // max(len(store), 1)
    in_memory = in_directory = 0
    disk_parts = dict.fromkeys(DISK_PARTS, 0)
    features: list[float | None] = [None] * len(schemes)
    # Fewer have no sample.
    if len(store) >= _core.BRUTE_BELOW:
        features = store.mean_features(schemes, config.text_field)
    for scheme, near, mean_features in zip(schemes, config.nearness, features, strict=False):
        one, other, parts = _core.run_bytes(
            scheme, len(store), (mean, mean_features), config.recall, config.threads or cores(), near, allowed
        )
        in_memory, in_directory = in_memory + one, max(in_directory, other)
        disk_parts = {name: disk_parts[name] + part for name, part in zip(DISK_PARTS, parts, strict=True)}
    if any(":" in rule for rule in config.keep):
        # The values of fields are in memory until the documents are in order.
        in_directory = max(in_directory, _FIELD_RECORD_BYTES * len(store))
    return in_memory, in_directory, disk_parts


def warn_of_disk(path: str | None, needed: int, warn: Warn) -> None:
    """Warn where a disk has less room than a run directory is expected to take; its own files count as room."""
    folder = tempfile.gettempdir() if path is None else path
    try:
        held = 0 if path is None else sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())
        free = shutil.disk_usage(folder).free + held
    except OSError:
        # There is nothing to compare; a directory that cannot be written is an error later.
        return
    if needed > free:
        warn(Message(
            "the run directory takes about {readable_bytes} of disk, and {readable_bytes_2} are free for "
            "{folder}; give a folder on a larger disk by {@`run_dir`}, or by the variable TMPDIR where the "
            "directory is among the temporary files",
            readable_bytes=readable_bytes(needed), readable_bytes_2=readable_bytes(free), folder=folder,
        ))  # fmt: skip


def _place(config: DedupConfig, sinks: Sinks) -> tuple[str, str, bool]:
    """The directory, the use of a run that it holds, and whether a later run finds it."""
    if config.run_dir is not None:
        return config.run_dir, "resume" if config.resume else "new", True
    hidden = _hidden(sinks)
    if hidden is not None:
        return hidden, "resume" if config.resume else "replace", True
    if config.resume:
        raise ConfigError(
            "resume looks for the run directory beside the output, and there is no output file: give {@run_dir}, or "
            "an output"
        )
    return tempfile.mkdtemp(prefix="simsieve-", suffix=".rundir"), "new", False


def goes_on(config: DedupConfig, sinks: Sinks) -> bool:
    """Say whether a run goes on with one that was cut off, whose directory is there."""
    path = config.run_dir or _hidden(sinks)
    return config.resume and path is not None and is_run(path)


def _remove_parts(sinks: Sinks) -> None:
    """Remove what a killed run had begun of its outputs. The directory is locked, so no run writes them."""
    for name in (*sinks.files.tables, sinks.files.kept, sinks.summary, sinks.report):
        if name is not None and os.fspath(name) != "-":
            store_of(name).remove_unfinished(name)


def _hidden(sinks: Sinks) -> str | None:
    """The run directory beside the first output that is a file or a folder."""
    outputs = (sinks.files.kept, sinks.files.decisions, sinks.summary)
    for name in [os.fspath(output) for output in outputs if output is not None]:
        # Neither standard output nor a device has a place beside it.
        if name != "-" and on_disk(name) and (is_folder(name) or not os.path.exists(name) or os.path.isfile(name)):
            folder, last = os.path.split(os.path.realpath(name.rstrip("/")))
            return os.path.join(folder, f".{last}.rundir")
    return None


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
    """Refuse a path that is no run directory."""
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
        )
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
