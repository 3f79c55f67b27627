"""What a caller may give as a source, and the core's store that is opened for it.

| given | read as |
|---|---|
| a str or a path | one file; `-` is stdin |
| a list or tuple of paths | several files, in this order |
| an iterable of str | texts |
| an iterable of dict | records, spooled to a JSON-lines file that lives as long as the result |
"""

import itertools
import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.config import DedupConfig
from simsieve.errors import ConfigError, SinkError, SourceError, core_errors
from simsieve.records import Progress
from simsieve.texts import check_texts, lone_surrogates_named

Source = str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]] | Iterable[Mapping[str, Any]]

_LOOKED_AT = 10
_NOTHING = object()
_FILE_ENDING = re.compile(r"\.(jsonl|txt)(\.gz|\.zst)?$", re.IGNORECASE)


class Spool:
    """A folder of its own for records that have no file yet; it is removed with the object.

    `tempfile.TemporaryDirectory` is not used since it warns when nobody closes it, and a result needs no closing.

    Example:
        >>> spool = Spool()
        >>> os.path.isdir(spool.folder)
        True
    """

    def __init__(self) -> None:
        try:
            self.folder = tempfile.mkdtemp(prefix="simsieve-")
        except OSError as error:
            raise no_room(error) from error
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


def no_room(error: OSError) -> SinkError:
    """Make the error of a temporary folder that cannot take the records.

    Example:
        >>> str(no_room(OSError(28, "No space left on device"))).endswith("set TMPDIR to a folder with room")
        True
    """
    return SinkError(f"{tempfile.gettempdir()}: {error.strerror}; set TMPDIR to a folder with room")


@dataclass(frozen=True, slots=True)
class Opened:
    """A source that has been looked at but not read: files by name, or texts.

    Args:
        paths: Files in order, `-` for stdin; empty for texts.
        texts: The texts, or None where there are files.
        keep_alive: What must live as long as the store.

    Example:
        >>> open_source("-").paths
        ('-',)
    """

    paths: tuple[str, ...]
    texts: list[str] | None = None
    keep_alive: object = None

    def store(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Open the files, or take the texts, so that every record's place is known.

        Raises:
            SourceError: A file is missing, unreadable or cut.
            ConfigError: A file's form is not known, or a text holds a lone surrogate.
        """
        with core_errors():
            if self.texts is not None:
                with lone_surrogates_named(self.texts):
                    return _core.Store.from_texts(self.texts)
            form = "jsonl" if self.keep_alive is not None else config.input_format
            return _core.Store([(path, form) for path in self.paths], config.max_record_bytes, progress)


@dataclass(frozen=True, slots=True)
class Both:
    """New sources and the old ones that they are held against, looked at but not read.

    Args:
        new: What is decided on.
        old: What precedes it.

    Raises:
        ConfigError: A file, links seen through, or stdin is in both: each of its records would be its own copy.

    Example:
        >>> Both(Opened(("-",)), Opened(("old.jsonl",))).paths
        ('-', 'old.jsonl')
    """

    new: Opened
    old: Opened

    def __post_init__(self) -> None:
        """Check that nothing is in both."""
        for path in self.new.paths:
            for other in self.old.paths:
                if path == other == "-" or _is_same_file(path, other):
                    raise ConfigError(
                        f"{other} is both a source and among what the sources are held against: every record would be"
                        " dropped as its own copy; name it once"
                    )

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, `-` for stdin, the new ones first."""
        return self.new.paths + self.old.paths

    @property
    def keep_alive(self) -> object:
        """What must live as long as the store."""
        return self.new.keep_alive, self.old.keep_alive

    def store(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Open all sources as one store; see `Opened.store`."""
        return self.new.store(config, progress).against(self.old.store(config, progress))


def open_source(source: Source, config: DedupConfig | None = None) -> Opened:
    """Tell what a source is, and spool it where it is a stream of records.

    Args:
        source: See the module's page.
        config: The settings, of which records need none but texts in memory refuse `input_format`.

    Raises:
        TypeError: It is none of the kinds of source; the text names the index and type of the first bad item.
        ConfigError: Texts look like paths, or `input_format` is given for what is no file.

    Example:
        >>> open_source(["a text", "another"]).texts
        ['a text', 'another']
    """
    if isinstance(source, (str, os.PathLike)):
        return Opened((_path(source),))
    if isinstance(source, (bytes, bytearray, Mapping)) or not isinstance(source, Iterable):
        raise TypeError(
            f"source is of type {type(source).__name__}: give a path, a list of paths, or an iterable of texts or of"
            " records (dict)"
        )
    stream: Iterator[Any] = iter(source)
    # None may be an item, and a bad one: only an object of our own can stand for "there is no first item".
    first = next(stream, _NOTHING)
    stream = itertools.chain(() if first is _NOTHING else (first,), stream)
    if isinstance(first, os.PathLike):
        return Opened(_paths(stream))
    if config is not None and config.input_format is not None:
        raise ConfigError(f"input_format {config.input_format!r} is for files: leave it out for texts and records")
    if isinstance(first, Mapping):
        return _spooled(stream)
    texts = list(stream)
    check_texts(texts)
    _refuse_paths(texts[:_LOOKED_AT])
    return Opened((), texts)


def _paths(items: Iterable[Any]) -> tuple[str, ...]:
    paths = []
    for index, item in enumerate(items):
        if not isinstance(item, (str, os.PathLike)):
            raise TypeError(f"source {index} is of type {type(item).__name__}: give a path like the first one")
        paths.append(_path(item))
    return tuple(paths)


def _path(item: str | os.PathLike[str]) -> str:
    path = os.fsdecode(item)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise SourceError(f"{path!r}: the file's name is not UTF-8; rename it or link to it") from None
    return path


def _refuse_paths(texts: list[str]) -> None:
    for index, text in enumerate(texts):
        if _FILE_ENDING.search(text) and not re.search(r"\s", text):
            what = "ends like a file's name"
        elif _is_file(text):
            what = "names a file"
        else:
            continue
        raise ConfigError(
            f"text {index} ({text!r}) {what}: wrap it in pathlib.Path to read the file, or in a record"
            ' such as {"text": ...} if it is meant as a text'
        )


def _is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).is_file() and Path(path).samefile(other)
    except OSError:
        # One that is not there is told when it is opened.
        return False


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:
        # Too long for a file's name, for example.
        return False


def _spooled(records: Iterable[Any]) -> Opened:
    spool = Spool()
    path = Path(spool.folder, "records.jsonl")
    # The records may come from a file themselves: only what fails while the spool is written is the spool's failure.
    writing = False
    try:
        with path.open("wb", buffering=1 << 20) as file:
            for index, record in enumerate(records):
                line = _line(index, record)
                writing = True
                file.write(line)
                writing = False
            # The rest is written when the file is closed.
            writing = True
    except OSError as error:
        if not writing:
            raise
        raise no_room(error) from error
    return Opened((str(path),), keep_alive=spool)


def _line(index: int, record: Any) -> bytes:
    if not isinstance(record, Mapping):
        raise TypeError(f"record {index} is of type {type(record).__name__}: give dict like the first one")
    try:
        line = json.dumps(dict(record), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"record {index} cannot be written as JSON: {error}") from error
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; escaped it stays visible, and the record fails as it would from a file.
        return json.dumps(dict(record), allow_nan=False).encode() + b"\n"
