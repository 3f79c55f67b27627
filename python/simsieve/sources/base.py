"""What a source is: the kinds that a caller may give, and one that has been looked at but not read."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.sources.columns import Columns, spooled
from simsieve.tabular import ArrowStream
from simsieve.text.checks import lone_surrogates_named
from simsieve.types import Progress

Source = (
    str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]] | Iterable[Mapping[str, Any]] | Iterable[int]
    | Iterable[bytes] | Iterable[Sequence[Any]] | ArrowStream
)  # fmt: skip


class SourceRows(Protocol):
    """The rows of a source, by position."""

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return the rows at these positions, in the kind that came in.

        Raises:
            ConfigError: They came from files.
        """


class SpooledRecords(Protocol):
    """Records that are fetched, such as those of a collection, and are put into a spool of the core."""

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Read what a run needs of every record.

        Raises:
            SourceError: They cannot be read whole.
            ConfigError: The first records lack the text field.
        """


class FileRows:
    """Rows of files, which are not kept in memory."""

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Refuse: rows of files are not kept in memory."""
        del positions
        raise ConfigError("the rows are in files: write them with `write` and read what you need of the sink")


@dataclass(frozen=True, slots=True)
class Opened:
    """A source that has been looked at but not read: files by name, or texts.

    Args:
        paths: Files in order, `-` for stdin; empty for texts.
        texts: The texts, or None where there are files.
        keep_alive: What must live as long as the store.
        rows: What gives rows back.
        table: Rows in columns, where the source is that.
        records: Records that are fetched, where the source is that.

    Example:
        >>> Opened(("-",)).paths
        ('-',)
    """

    paths: tuple[str, ...]
    texts: list[str] | None = None
    keep_alive: object = None
    rows: SourceRows = field(default_factory=FileRows)
    table: Columns | None = None
    records: SpooledRecords | None = None

    @property
    def is_named(self) -> bool:
        """Whether the records come from files or stdin, and not from memory."""
        return bool(self.paths) and self.keep_alive is None

    def store(self, config: DedupConfig, progress: Progress | None = None) -> _core.Store:
        """Open the files, or take the texts, so that the place of every record within `limit` is known.

        Raises:
            SourceError: A file is missing, unreadable or cut.
            ConfigError: A file's form is not known, or a text holds a lone surrogate.
        """
        whole = self._whole(config, progress)
        return whole if config.limit is None else whole.first(config.limit)

    def _whole(self, config: DedupConfig, progress: Progress | None) -> _core.Store:
        if self.table is not None:
            return spooled(self.table, config, progress)
        if self.records is not None:
            return self.records.spool(config, progress)
        if self.texts is not None:
            with lone_surrogates_named(self.texts):
                return _core.Store.from_texts(self.texts)
        form = "jsonl" if self.keep_alive is not None else config.input_format
        encoding = "utf-8" if self.keep_alive is not None else config.encoding
        sources = [(path, form) for path in self.paths]
        return _core.Store(sources, config.max_record_bytes, progress, encoding, config.delimiter, config.limit)


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
    def rows(self) -> SourceRows:
        """What gives the kept rows back, which are new ones."""
        return self.new.rows

    @property
    def table(self) -> Columns | None:
        """The new rows in columns, where the new source is that."""
        return self.new.table

    @property
    def records(self) -> SpooledRecords | None:
        """The new records, where they are fetched."""
        return self.new.records


def _is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).exists() and Path(path).samefile(other)
    except OSError:
        # One that is not there is told when it is opened.
        return False
