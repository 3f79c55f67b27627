"""Sources: the kinds that a caller may give, the calls of each kind after it was looked at, and copies on the disk.

Packed files, streams, JSON lists, UTF-16, Parquet, WARC, Word and PDF are copied while they are read, as compressed
blocks in a temporary file without a name. It has mode 600, and the system removes it when the run has ended, however it
ends.
"""

import contextlib
import json
import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.formats import has_records, is_document, is_parquet, rules_of
from simsieve.config.rows import LINE
from simsieve.config.settings import DedupConfig
from simsieve.display import readable_bytes
from simsieve.errors import ConfigError, InternalError, TextError
from simsieve.messages import Message
from simsieve.registry import PAPERS, format_of, is_whole, on_disk, package
from simsieve.sinks.base import RowSinks
from simsieve.sinks.records import CoreRowSinks, MixedRowSinks
from simsieve.sources.copies import Copies
from simsieve.sources.folders import LeftOut, common_folder
from simsieve.tabular import ArrowStream
from simsieve.types import Counts, Progress

NOTED_BYTES = 256 << 20
"""A copy that may become larger is noted before it is written."""
COPY_OF_PACKED = 4.0
"""Bytes of a copy for each byte of a packed file: 1.5 to 3.7 were measured on 15 collections in .gz, most below 1.7."""
COPY_OF_TEXT = 0.8
"""Bytes of a copy for each byte of text: 0.31 to 0.76 were measured on the same collections, most of short texts."""
_PACKED = (".gz", ".zst")


def spool_folder(config: DedupConfig, paths: Iterable[str] | None = None) -> str | None:
    """Give the folder of the copies: the run directory where the settings name one, which is made; else None."""
    if config.run_dir is None or (paths is not None and not any(_is_copied(path, config) for path in paths)):
        return None
    # It is there; or it cannot be made, which is an error where the run directory is opened.
    with contextlib.suppress(OSError):
        os.mkdir(config.run_dir, 0o700)
    return config.run_dir if os.path.isdir(config.run_dir) else None


def _is_copied(path: str, config: DedupConfig) -> bool:
    """Whether a file is copied while it is read; of UTF-16 only the bytes would tell."""
    if path == "-" or config.encoding != "utf-8" or config.input_format == "json":
        return True
    if is_parquet(path, config.input_format) or path.lower().endswith((*_PACKED, ".json")) or format_of(path):
        return True
    return _is_stream(path)


def noted_copies(
    paths: Iterable[str], config: DedupConfig, progress: Progress | None, tell: Callable[[str], None]
) -> Progress | None:
    """Note the copies of files before they are written, and that of a stream once it has become large."""
    paths = tuple(paths)
    folder = spool_folder(config, paths) or tempfile.gettempdir()

    def say(what: str, size: str) -> None:
        free = readable_bytes(shutil.disk_usage(folder).free)
        tell(Message(
            "{what}: is copied to a temporary file in {folder} while it is read, {size}; {free} are free there, "
            "and another folder is given by {@`run_dir`} or the variable TMPDIR",
            what=what, folder=folder, size=size, free=free,
        ))  # fmt: skip

    copied = [path for path in paths if os.path.isfile(path) and _is_copied(path, config)]
    packed = [path for path in copied if path.lower().endswith(_PACKED) or is_parquet(path, config.input_format)]
    size = sum(os.path.getsize(path) * (COPY_OF_PACKED if path in packed else COPY_OF_TEXT) for path in copied)
    if size >= NOTED_BYTES:
        what = copied[0] if len(copied) == 1 else Message("{count:,} files", count=len(copied))
        say(what, f"at most about {readable_bytes(round(size))}")
    streams = ["standard input" if path == "-" else path for path in paths if path == "-" or _is_stream(path)]
    if not streams:
        return progress
    so_far = Message(
        "at most about {copy_of_text:.0%} of its text, of which {readable_bytes} are read so far",
        copy_of_text=COPY_OF_TEXT, readable_bytes=readable_bytes(NOTED_BYTES),
    )  # fmt: skip
    is_told = False

    def noted(stage: str, done: int, total: int) -> None:
        nonlocal is_told
        # Of the stage `read` the core counts bytes.
        if stage == "read" and done >= NOTED_BYTES and not is_told:
            is_told = True
            say(streams[0], so_far)
        if progress is not None:
            progress(stage, done, total)

    return noted


def _is_stream(path: str) -> bool:
    """Whether a name is that of a pipe."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


AnySource = (
    str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]] | Iterable[Mapping[str, Any]] | Iterable[int]
    | Iterable[bytes] | Iterable[Sequence[Any]] | ArrowStream
)  # fmt: skip
"""What a caller may give as a source."""

PAGE_END = "\f"
"""What ends each page but the last, in a text with pages."""


class Source(ABC):
    """A source that was looked at but not read; `read` reads it, and the calls below are about what it has read."""

    paths: tuple[str, ...] = ()
    """The names of its files, `-` for stdin, or of its collection; empty for a source in memory."""
    is_named: bool = False
    """Whether the user named it, as a file or collection; else it is in memory."""
    keep_alive: object = None
    """What must live as long as the records."""
    columns: list[str] | None = None
    """The names of all its columns, where its rows are in columns."""
    has_same_fields: bool = True
    """Whether the first records show which fields all have."""
    checks_fields: bool = False
    """Whether it checks by itself that it has the fields that are named."""
    knows_fields: bool = False
    """Whether an index knows the fields, which new records may lack."""
    is_kept: bool = False
    """Whether a run directory keeps a copy of its records."""
    has_pages: bool = False
    """Whether texts that were read of it have pages."""
    has_texts: bool = False
    """Whether files of it are texts or folders, for which `each` and `suffix` are."""
    reads_on: bool = False
    """Whether only what came in after an earlier run is read, which may be nothing."""
    can_mark: bool = False
    """Whether decisions can be written into its records as marks."""
    of_objects: Copies | None = None
    """The copies of those of its files that are objects."""
    named: tuple[str, ...] = ()
    """Files that its folders leave out, because they are named themselves."""
    apart: tuple[_core.Records, ...] = ()
    """The sources read before it in the same run: its folders leave out these files."""
    old: "Source | None" = None
    """The old documents that it is held against."""
    found_once: LeftOut | None = None
    """What was left out when it was looked at; None is nothing."""
    _opened: _core.Records | None = None

    @property
    def copies(self) -> tuple[Copies, ...]:
        """The copies of objects that it has, if any."""
        return (self.of_objects,) if self.of_objects else ()

    @property
    def new(self) -> "Source":
        """The source itself; of `Both` the one that is decided on."""
        return self

    @property
    def part_count(self) -> int:
        """How many sources its records are of: one for each file."""
        return len(self.paths)

    @property
    def left_out(self) -> LeftOut:
        """The files that are there and not read; known once it was read."""
        found = self.found_once or LeftOut()
        return found if self._opened is None else found.with_records(self._opened)

    @property
    def given_names(self) -> tuple[str, ...]:
        """The names that the user gave; none for a source in memory."""
        return self.paths if self.is_named else ()

    def read(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Read the source, so that the place of every record within `limit` is known."""
        whole = self.spool(config, progress)
        self._opened = whole if config.limit is None else whole.first(config.limit)
        return self._opened

    @abstractmethod
    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Hand what a run needs of every record to the core, in the order of the positions; see `read`."""

    def take(self, positions: NDArray[np.int64]) -> Any:
        """Return the rows at these positions, ascending, in the kind that came in."""
        raise ConfigError("the rows are in files: write them with `write` and read what you need of the output")

    def row_sinks(self) -> RowSinks:
        """Make what makes the sinks of its rows."""
        return CoreRowSinks()

    def keep_in(
        self, directory: _core.RunDirectory | None, progress: Progress | None, warn: Callable[[str], None]
    ) -> None:
        """Set the folder of copies for a run that goes on, the progress function, and who is warned."""
        for copies in self.copies:
            copies.keep_in(directory, progress)

    def summary(self, counts: Counts, failed: Sequence[int]) -> dict[str, Any]:
        """What a run's summary has of its collection."""
        return {}

    def follow(self, place: str | None) -> None:
        """Read only what came in after a place that `followed` gave; None reads all."""
        del place

    def followed(self) -> tuple[str, str] | None:
        """Give its name and up to where it was read, for the next run that follows it; None where nothing shows it."""
        return None

    def identity(self) -> str:
        """Give a digest of the records in hex: equal for equal records, and another for others."""
        return self.was_read().digest

    def check_unchanged(self) -> None:
        """Check that the source is what it was when it was read; what the caller holds in memory is not checked."""
        if self._opened is not None:
            self._opened.check_unchanged()

    def holds(self, names: Sequence[str]) -> list[bool]:
        """Say which files, by their names, it has read."""
        return self.was_read().holds(names)

    def picture(self, name: object) -> str | None:
        """Give a small form of one of its pictures as a `data:` address; None where it has none of the name."""
        return None if self.old is None else self.old.picture(name)

    def was_read(self) -> _core.Records:
        """Give what was read last."""
        if self._opened is None:
            raise InternalError("the source was not read; call read before what is about its records")
        return self._opened


class Files(Source):
    """Files that the core reads, by name; their rows are not kept in memory."""

    is_named = True

    _papers: "PaperReader | None" = None

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        self.paths, self.of_objects = paths, of_objects
        self.has_texts = any(os.path.isdir(path) or is_whole(path) or not has_records(path) for path in paths)

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Open the files."""
        sources = [(path, format_given(path, config)) for path in self.paths]
        copies = self.of_objects.fetched(self.paths) if self.of_objects else {}
        # Files that are documents are named from a folder on; lines are not.
        files = [path for path in self.paths if is_document(path, config.each, config.input_format)]
        below = dict.fromkeys(files, common_folder(files)) if files else {}
        self._papers = PaperReader(config.max_record_bytes, copies)
        return _core.Records(
            sources, config.max_record_bytes, progress, rules_of(config.encoding), config.delimiter, config.limit,
            copies=copies, folder=spool_folder(config, self.paths), suffixes=config.suffix, below=below,
            named=self.named, apart=self.apart, quoting=config.quoting,
            papers=(ENDINGS, self._papers) if config.input_format is None else None,
        )  # fmt: skip

    @property
    def has_pages(self) -> bool:  # type: ignore[override]
        """Whether texts that were read of it have pages."""
        return self._papers is not None and self._papers.has_pages

    @property
    def left_out(self) -> LeftOut:
        """The files that are there and not read; see `Source.left_out`."""
        found, papers = super().left_out, self._papers
        return found if papers is None else replace(found, pictures=papers.pictures, blank=papers.blank)


def format_given(path: str, config: DedupConfig) -> str | None:
    """Give the format in which a file is read, whatever its name; None where its name decides."""
    if config.each == LINE and path != "-" and not os.path.isdir(path) and not has_records(path):
        return "txt"
    return config.input_format


def none_is_old(name: str) -> ConfigError:
    """Make the error of a source that is named among the old documents too."""
    return ConfigError(
        "{other} is both a source and an old document of {`against`}: every record would be dropped as its own copy; "
        "name it once",
        other=name,
    )


@dataclass(frozen=True, slots=True)
class Both:
    """New sources and the old ones that they are held against, looked at but not read."""

    new: Source
    old: Source

    def __post_init__(self) -> None:
        """Check that nothing is in both."""
        self.new.old = self.old
        for path in set(self.new.paths).intersection(self.old.paths):
            if path == "-" or not on_disk(path):
                raise none_is_old(path)

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, `-` for stdin, the new ones first."""
        return self.new.paths + self.old.paths

    @property
    def keep_alive(self) -> object:
        """What must live as long as the records."""
        return self.new.keep_alive, self.old.keep_alive

    @property
    def copies(self) -> tuple[Copies, ...]:
        """The copies of objects, if any."""
        return self.new.copies + self.old.copies


class MixedFiles(Source):
    """Groups of files of one kind each, whose records follow one another."""

    is_named = True
    has_same_fields = False

    def __init__(self, groups: Sequence[Source]) -> None:
        self.groups = tuple(groups)
        self.paths = tuple(path for group in groups for path in group.paths)
        # All groups have the same.
        self.of_objects = groups[0].of_objects
        self.has_texts = any(group.has_texts for group in groups)

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Read each group."""
        read: list[_core.Records] = []
        for group in self.groups:
            # A file is read once, in whatever group it is.
            group.named, group.apart = self.paths, (*self.apart, *read)
            read.append(group.read(config, progress))
        return _core.Records.joined(read)

    @property
    def has_pages(self) -> bool:  # type: ignore[override]
        """Whether texts that were read of a group have pages."""
        return any(group.has_pages for group in self.groups)

    @property
    def left_out(self) -> LeftOut:
        """The files that are there and not read; see `Source.left_out`."""
        found = super().left_out
        for group in self.groups:
            found.records += group.left_out.records
            found.pictures += group.left_out.pictures
            found.blank += group.left_out.blank
        return found

    def holds(self, names: Sequence[str]) -> list[bool]:
        """Say which files, by their names, a group has read."""
        return [any(held) for held in zip(*(group.holds(names) for group in self.groups), strict=True)]

    def picture(self, name: object) -> str | None:
        """Give a small form of a picture of a group; see `Source.picture`."""
        shown = filter(None, (group.picture(name) for group in self.groups))
        return next(shown, None) or super().picture(name)

    def row_sinks(self) -> MixedRowSinks:
        """Make lines of JSON of the rows of all groups."""
        return MixedRowSinks([(group.row_sinks(), group.part_count) for group in self.groups], self.check_unchanged)

    def check_unchanged(self) -> None:
        """Check that no file has changed."""
        for group in self.groups:
            group.check_unchanged()


ENDINGS = [f".{ending}" for ending in PAPERS]
Read = tuple[str | None, str, str, str]
"""A text, or None, a code and the reason as JSON of its message; and what its name has behind that of the file."""


class PaperReader:
    """Reads papers, and notes what of them is no text. The package that reads them is loaded with the first."""

    def __init__(self, most_bytes: int, copies: Mapping[str, str]) -> None:
        self._most = most_bytes
        self._names = {place: name for name, place in copies.items()}
        self.pictures = self.blank = 0
        self.has_pages = False

    def __call__(self, path: os.PathLike[str]) -> list[Read]:
        """Give the texts of a file; one that cannot be used is a failed record, and the run goes on."""
        place = os.fspath(path)
        name = self._names.get(place, place)
        found: list[Read] = []
        try:
            for paper in package("papers").read(name, place, self._most):
                if isinstance(paper, TextError):
                    found.append((None, paper.code, _reason(paper.why), f":{len(found) + 1}"))
                else:
                    self.pictures += paper.pictures
                    self.blank += paper.is_blank
                    found.append((paper.text.encode(errors="replace").decode(), "", "", paper.part))
        except TextError as error:
            return [(None, error.code, _reason(error.why), "")]
        except ConfigError as error:
            # What reads it is not installed: of a folder the other files are read.
            return [(None, "unreadable", _reason(error.message), "")]
        self.has_pages |= name.lower().endswith(".pdf")
        return found


def _reason(why: str) -> str:
    """A message as the core reads it, with its template and values, by which it is translated."""
    return json.dumps(why.as_json() if isinstance(why, Message) else why)
