"""Sinks: their calls, the function that drives them from begin to commit, and a file as a sink of bytes.

A file appears whole or not at all, as those of the core do, whose `storage::atomic` has the same steps. Files written
here are made in Python, also by pyarrow's writers, which write to a file object. The border would need a further class
for the same calls.
"""

import gzip
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import IO, Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.errors import InternalError, SinkError
from simsieve.messages import Message
from simsieve.optional import arrow
from simsieve.registry import on_disk, store_of
from simsieve.types import Progress

SinkPath = str | os.PathLike[str]
TableFormat = Literal["jsonl", "csv", "tsv", "parquet"]
"""How a table of results is written."""
Kind = Literal["text", "int", "float", "bool"]
"""What a column of a table holds, where its format has types."""
Columns = Mapping[str, Kind | None]
"""The columns of a table in their order; None where the values decide what one holds."""

_BATCH_ROWS = 1 << 14

Batch_contra = TypeVar("Batch_contra", contravariant=True)
SomeSink = TypeVar("SomeSink", bound="Sink[Any]")


class Sink(Protocol[Batch_contra]):
    """Where one kind of result goes; a batch is what it takes at a time.

    The calls come in this order: `check`, `begin`, any number of `write`, `commit` or `abort`; `written` makes all but
    `write`. How the results are cut into batches does not change the output. Before `commit` nothing is at the
    sink's name, and what was there stays as it was. What goes to stdout, a device or a pipe cannot be taken back.
    """

    def check(self) -> None:
        """Check, before the work, that the results can go there."""

    def begin(self) -> None:
        """Begin to write, beside the sink's place."""

    def write(self, batch: Batch_contra, /) -> None:
        """Write results that follow those written before."""

    def commit(self) -> None:
        """Put the results at the sink's name, durably."""

    def abort(self) -> None:
        """Leave nothing; allowed at any time, and without effect after `commit`."""


@contextmanager
def written(sink: SomeSink) -> Iterator[SomeSink]:
    """Check and begin a sink, and commit it when the block ends; after an exception, Ctrl-C too, nothing is left."""
    sink.check()
    with begun(sink):
        yield sink


@contextmanager
def begun(sink: SomeSink) -> Iterator[SomeSink]:
    """Begin a sink that was checked, and commit or abort it as `written` does."""
    try:
        sink.begin()
        yield sink
        sink.commit()
    except BaseException:
        sink.abort()
        raise


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive records, and which of them are written."""

    first: int
    wanted: NDArray[np.bool_]

    @property
    def positions(self) -> list[int]:
        """The positions of the records that are written."""
        found: list[int] = (self.first + np.flatnonzero(self.wanted)).tolist()
        return found


def batches_of(wanted: NDArray[np.bool_]) -> Iterator[Rows]:
    """Cut the records of the sources into batches."""
    for first in range(0, len(wanted), _BATCH_ROWS):
        yield Rows(first, wanted[first : first + _BATCH_ROWS])


def by_source(batch: Rows, counts: Sequence[int]) -> Iterator[tuple[int, Rows]]:
    """Cut consecutive records into those of each source."""
    firsts = np.cumsum([0, *counts])
    at = 0
    while at < len(batch.wanted):
        # Of sources that begin at one position the last has the record: the others have none.
        source = int(np.searchsorted(firsts, batch.first + at, side="right")) - 1
        end = min(int(firsts[source + 1]) - batch.first, len(batch.wanted))
        yield source, Rows(batch.first + at - int(firsts[source]), batch.wanted[at:end])
        at = end


def by_part(positions: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Cut positions into those of each part: its number, its first position, and the positions within it."""
    first = 0
    for part, count in enumerate(counts):
        if some := [position - first for position in positions if first <= position < first + count]:
            yield part, first, some
        first += count


def write_rows(sink: Sink[Rows], wanted: NDArray[np.bool_], progress: Progress | None) -> None:
    """Write records to a sink, whole or not at all."""
    with begun(sink):
        for rows in batches_of(wanted):
            if progress is not None:
                progress("write", rows.first, len(wanted))
            sink.write(rows)
        if progress is not None:
            progress("write", len(wanted), len(wanted))


@dataclass(frozen=True, slots=True)
class Chosen:
    """Records that are written with values added to them."""

    wanted: NDArray[np.bool_]
    added: Mapping[str, Kind | None]
    values: Callable[[int], Mapping[str, Any]]
    taken: tuple[str, ...] = ()


LineReader = Callable[[Rows], Iterator[tuple[int, bytes]]]
"""Gives the position and a line of JSON for each record of a batch that is written."""


class RowSinks(Protocol):
    """Makes the sinks of the rows of one kind of source."""

    ending: str
    """The format of numbered parts where no source has a name: `jsonl` or `parquet`."""

    def of_source(self, source: int) -> "RowSinks":
        """Return the sink factory for one source."""

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check, before the sources are read, that kept rows can go to a sink of that name, or in that format."""

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept rows, in the format that is given or else that of the name."""

    def kept_with(
        self,
        store: _core.Records,
        sink: SinkPath,
        form: str | None,
        filled: Mapping[int, Mapping[str, Any]],
        first: int,
    ) -> Sink[Rows] | None:
        """Make the sink of kept rows that take values, by position from `first` on; None where a table has them."""
        return None

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of rows with values added to each."""

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give the columns that a table of the rows has in any case, and what they hold where that is known."""

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads the rows; the batches come in order."""

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Read a few rows, with all fields or all but some; those that cost more than they tell are left out."""
        return {}


def wanted_lines(rows: RowSinks, store: _core.Records, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, bytes]]:
    """Read the wanted rows as lines, each with its position."""
    read = rows.reader(store)
    return (one for batch in batches_of(wanted) if batch.wanted.any() for one in read(batch))


class FileSink:
    """The sink of bytes: a file, written beside its place and renamed.

    `-` is stdout, which stays open. A device or a pipe is written to, not replaced. An object of a store is made of a
    temporary file.
    """

    def __init__(self, sink: SinkPath, *, packed: bool = True, private: bool = False) -> None:
        self._name = os.fspath(sink)
        self._packed = os.path.splitext(self._name.lower())[1] if packed else ""
        self._private = private
        self._target = os.path.realpath(self._name)
        self._upload = store_of(sink).upload(sink)
        self._temporary = ""
        self._file: IO[bytes] | None = None
        self._packer: Any = None

    def check(self) -> None:
        """Check that the file can be written."""
        store_of(self._name).check_writable(self._name)

    def begin(self) -> None:
        """Make the file beside its place."""
        if self._name == "-":
            sys.stdout.flush()
            self._file = getattr(sys.stdout, "buffer", io.BytesIO())
            return
        if self._upload is not None:
            self._target = self._upload.begin()
        with self._errors():
            if os.path.exists(self._name) and not os.path.isfile(self._name):
                self._file = open(self._name, "wb")  # noqa: SIM115 - closed by commit and abort
                return
            folder, name = os.path.split(self._target)
            handle, self._temporary = tempfile.mkstemp(prefix=f".{name[:60]}.", suffix=".part", dir=folder)
            self._file = os.fdopen(handle, "wb")
            os.chmod(self._temporary, 0o600 if self._private else mode_of(self._target))
        if self._packed == ".gz":
            self._packer = gzip.GzipFile("", "wb", fileobj=self._file, mtime=0)
        elif self._packed == ".zst":
            self._packer = arrow().CompressedOutputStream(arrow().PythonFile(_Lent(self._file.write), "w"), "zstd")

    def write(self, batch: bytes, /) -> None:
        """Write bytes."""
        file = self._begun()
        with self._errors():
            (file if self._packer is None else self._packer).write(batch)

    def stream(self) -> io.RawIOBase:
        """Give a file object that writes here; closing it leaves the sink open."""
        return _Lent(self.write)

    def commit(self) -> None:
        """Give the file its name."""
        file = self._begun()
        with self._errors():
            self._close_packer()
            file.flush()
            if self._temporary:
                os.fsync(file.fileno())
            if self._name != "-":
                file.close()
            if self._temporary:
                os.replace(self._temporary, self._target)
                self._temporary = ""
                sync_folder(os.path.dirname(self._target))
        self._file = None
        if self._upload is not None:
            self._upload.commit()

    def abort(self) -> None:
        """Remove the file."""
        file, self._file = self._file, None
        # What fails here was to be thrown away.
        with suppress(OSError, ValueError):
            self._close_packer()
        if file is not None and self._name != "-":
            with suppress(OSError):
                file.close()
        if self._temporary:
            with suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = ""
        if self._upload is not None:
            self._upload.abort()

    def _begun(self) -> IO[bytes]:
        if self._file is None:
            raise InternalError("the output {name} was not begun; call begin before write and commit", name=self._name)
        return self._file

    def _close_packer(self) -> None:
        packer, self._packer = self._packer, None
        if packer is not None:
            packer.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise what the system says as an error of this sink; stdout and pipes are the caller's matter."""
        with nullcontext() if self._name == "-" else _errors_of(self._name):
            yield


class _Lent(io.RawIOBase):
    """A file object over what takes bytes, which stays open when the borrower closes this object."""

    def __init__(self, put: Callable[[Any], object]) -> None:
        super().__init__()
        self._put = put

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._put(content)
        return memoryview(content).nbytes


def write_text(sink: SinkPath, text: str, *, private: bool = False) -> None:
    """Write a text to a file, which appears whole or not at all."""
    with written(FileSink(sink, packed=False, private=private)) as file:
        file.write(text.encode())


@contextmanager
def uploaded(name: SinkPath) -> Iterator[str]:
    """Give the place where something is written, which goes into its store when the block ends; of a file itself."""
    file = store_of(name).upload(name)
    if file is None:
        yield os.fspath(name)
        return
    try:
        yield file.begin()
        file.commit()
    finally:
        file.abort()


def temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    """Make a folder that goes away with its files at the end of a `with` block, or by its `cleanup`."""
    try:
        return tempfile.TemporaryDirectory(prefix="simsieve-", ignore_cleanup_errors=True)
    except OSError as error:
        raise no_room(error) from error


def no_room(error: OSError) -> SinkError:
    """Make the error of a temporary folder that takes no files."""
    return SinkError(
        "{gettempdir}: {strerror}; set TMPDIR to a folder with room",
        gettempdir=tempfile.gettempdir(), strerror=error.strerror,
    )  # fmt: skip


def mode_of(target: str, usual: int = 0o666) -> int:
    """Give the permissions of a file or folder, or those of a new one where there is none."""
    try:
        return os.stat(target).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return usual & ~mask


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the system opens folders."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def can_be_taken_back(sink: SinkPath) -> bool:
    """Whether an abort leaves nothing at a sink: not true of stdout, devices and pipes."""
    name = os.fspath(sink)
    if name == "-":
        return False
    return not on_disk(name) or not os.path.exists(name) or os.path.isfile(name) or os.path.isdir(name)


def is_replaced_whole(sink: SinkPath | None) -> bool:
    """Say whether a sink is one file on a disk that is written beside its place and renamed."""
    return sink is not None and on_disk(sink) and can_be_taken_back(sink) and not store_of(sink).is_folder(sink)


@contextmanager
def written_beside(sink: SinkPath) -> Iterator[tuple[str, Callable[[], None]]]:
    """Give a place for a file in a folder beside its own, and what gives the file its name; the folder goes away."""
    name, target = os.fspath(sink), os.path.realpath(sink)
    folder, last = os.path.split(target)
    with _errors_of(name):
        around = tempfile.mkdtemp(prefix=f".{last[:60]}.", suffix=".part", dir=folder)
    place = os.path.join(around, os.path.basename(name))

    def put() -> None:
        # A file without records may not have been written.
        if os.path.exists(place):
            with _errors_of(name):
                os.chmod(place, mode_of(target, os.stat(place).st_mode))
                os.replace(place, target)
                sync_folder(folder)

    try:
        yield place, put
    except SinkError as error:
        shown = {place: name, around: os.path.dirname(name) or "."}
        raise SinkError(_renamed(error.args[0], shown)) from error
    finally:
        shutil.rmtree(around, ignore_errors=True)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value of a message with other names in it, or a message with such values."""
    if isinstance(value, Message):
        return Message(value.template, **{name: _renamed(one, names) for name, one in value.values.items()})
    return names.get(value, value) if isinstance(value, str) else value


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Raise what the system says as an error of a sink."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SinkError(
            "{name}: cannot be written: {value}; nothing was left at its name: choose another place",
            name=name, value=error.strerror or error,
        ) from error  # fmt: skip
