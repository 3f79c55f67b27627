"""What a caller may give as a source, and the core's store that is opened for it.

| given | read as |
|---|---|
| a str or a path | one file; a folder; a pattern such as `data/*.jsonl`; `-` is stdin |
| a list or tuple of paths | several of these, in this order |
| a data frame of pandas or polars, an Arrow table | its rows |
| an iterable of str; a Series of pandas or polars, an Arrow array | texts |
| of whole numbers or bytes, under `external` schemes of those formats | fingerprints |
| an iterable of dict | records, spooled to a JSON-lines file that lives as long as the result |
"""

import itertools
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.columns import Columns, spooled
from simsieve.config import DedupConfig
from simsieve.errors import ConfigError, SinkError, SourceError, core_errors
from simsieve.names import expand, is_parquet, looks_like_file
from simsieve.records import Progress
from simsieve.rows import CoreRows, RecordRows, Rows, TextRows
from simsieve.tables import ArrowStream, Frame, ParquetFiles, check_all_parquet, column_texts, is_frame
from simsieve.texts import advice_on, check_texts, lone_surrogates_named, written, written_fields

Source = (
    str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]] | Iterable[Mapping[str, Any]] | Iterable[int]
    | Iterable[bytes] | ArrowStream
)  # fmt: skip

_LOOKED_AT = 10
_NOTHING = object()


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
        rows: What writes the kept rows and gives them back.
        table: Rows in columns, where the source is that.

    Example:
        >>> open_source("-").paths
        ('-',)
    """

    paths: tuple[str, ...]
    texts: list[str] | None = None
    keep_alive: object = None
    rows: Rows = field(default_factory=CoreRows)
    table: Columns | None = None

    def store(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Open the files, or take the texts, so that every record's place is known.

        Raises:
            SourceError: A file is missing, unreadable or cut.
            ConfigError: A file's form is not known, or a text holds a lone surrogate.
        """
        if self.table is not None:
            return spooled(self.table, config, progress)
        with core_errors():
            if self.texts is not None:
                with lone_surrogates_named(self.texts):
                    return _core.Store.from_texts(self.texts)
            form = "jsonl" if self.keep_alive is not None else config.input_format
            encoding = "utf-8" if self.keep_alive is not None else config.encoding
            return _core.Store([(path, form) for path in self.paths], config.max_record_bytes, progress, encoding)


@dataclass(frozen=True, slots=True)
class Both:
    """New sources and the old ones that they are held against, looked at but not read.

    Args:
        new: What is decided on.
        old: What precedes it.

    Raises:
        ConfigError: A file, a folder, links seen through, or stdin is in both: each record would be its own copy.

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

    @property
    def rows(self) -> Rows:
        """What writes the kept rows, which are new ones."""
        return self.new.rows

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
        return _files((_path(source),), config)
    if is_frame(source):
        _refuse_file_settings(config)
        frame = Frame(source)
        return Opened((), rows=frame, table=frame)
    values = column_texts(source)
    if values is not None:
        _refuse_file_settings(config)
        return _texts(values, config)
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
        return _files(_paths(stream), config)
    _refuse_file_settings(config)
    if isinstance(first, Mapping):
        return _spooled(stream, config)
    return _texts(list(stream), config)


def _texts(given: list[Any], config: DedupConfig | None) -> Opened:
    forms = frozenset() if config is None else config.given_forms
    texts = [written(value, forms) for value in given] if forms else given
    check_texts(texts, forms=forms)
    _refuse_paths(texts[:_LOOKED_AT])
    return Opened((), texts, rows=TextRows(given))


def _files(named: Iterable[str], config: DedupConfig | None) -> Opened:
    given = None if config is None else config.input_format
    paths = [path for name in named for path in expand(name)]
    for path in paths:
        _path(path)
    parquet = [path for path in paths if is_parquet(path, given)]
    check_all_parquet(paths, parquet)
    if parquet:
        if config is not None and config.encoding != "utf-8":
            raise ConfigError(f"encoding {config.encoding!r} is for text files: Parquet is UTF-8; leave it out")
        files = ParquetFiles(parquet)
        return Opened(tuple(paths), rows=files, table=files)
    return Opened(tuple(paths))


def _refuse_file_settings(config: DedupConfig | None) -> None:
    if config is not None and config.input_format is not None:
        raise ConfigError(f"input_format {config.input_format!r} is for files: leave it out for texts and records")
    if config is not None and config.encoding != "utf-8":
        raise ConfigError(f"encoding {config.encoding!r} is for files: leave it out for texts and records")


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
        if looks_like_file(text):
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
        return Path(path).exists() and Path(path).samefile(other)
    except OSError:
        # One that is not there is told when it is opened.
        return False


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:
        # Too long for a file's name, for example.
        return False


def _spooled(records: Iterable[Any], config: DedupConfig | None) -> Opened:
    forms = frozenset() if config is None else config.given_forms
    fields = () if config is None or not forms else config.text_field
    spool = Spool()
    path = Path(spool.folder, "records.jsonl")
    # The records may come from a file themselves: only what fails while the spool is written is the spool's failure.
    writing = False
    try:
        with path.open("wb", buffering=1 << 20) as file:
            for index, record in enumerate(records):
                line = _line(index, record, fields, forms)
                writing = True
                file.write(line)
                writing = False
            # The rest is written when the file is closed.
            writing = True
    except OSError as error:
        if not writing:
            raise
        raise no_room(error) from error
    return Opened((str(path),), keep_alive=spool, rows=RecordRows(path))


def _line(index: int, record: Any, fields: Sequence[str], forms: Collection[str]) -> bytes:
    if not isinstance(record, Mapping):
        raise TypeError(f"record {index} is of type {type(record).__name__}: give dict like the first one")
    record = written_fields(record, fields, forms)
    try:
        line = json.dumps(dict(record), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        advice = next(filter(None, (advice_on(record.get(name), forms) for name in fields)), "")
        raise TypeError(
            f"record {index} cannot be written as JSON: {error}{advice and '; give a text' + advice}"
        ) from error
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; escaped it stays visible, and the record fails as it would from a file.
        return json.dumps(dict(record), allow_nan=False).encode() + b"\n"
