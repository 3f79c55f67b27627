"""A file as a sink of bytes: it appears whole or not at all, as those of the core do.

The core's `storage::atomic` has the same steps for what the core writes. Files written here are made in Python, also
by pyarrow's writers, which write to a file object. So the border would need one more class for the same calls.
"""

import gzip
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import IO, Any

from simsieve.errors import InternalError, SinkError
from simsieve.messages import Message
from simsieve.optional import arrow
from simsieve.registry import on_disk, store_of
from simsieve.sinks.base import SinkPath, written


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
