"""Local copies of files that are in no file system: a run reads from them, and records again, at any place.

The copies are in the run directory where the run has one before it reads, and a run that goes on takes them as they
are. Else they are in a temporary folder. A copy has the time of its object, by which the core knows it again.
"""

import json
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager

from simsieve import _core
from simsieve.errors import ResumeError, SourceError, StorageError
from simsieve.messages import Message
from simsieve.registry import Reader, Store, Version, on_disk, store_of
from simsieve.types import Progress

_AT_A_TIME = 2
"""Files that are fetched at a time; a store may fetch several parts of each at a time."""
_WAIT_SECONDS = 0.2


class _StoppedError(Exception):
    """The run was stopped."""


class Copies:
    """The objects among the sources of a run, and where their copies are. Nothing is fetched before it is asked for."""

    def __init__(self) -> None:
        self._found: dict[str, Version] = {}
        self._places: dict[str, str] = {}
        self._readers: dict[Store, Reader] = {}
        self._folder: str | None = None
        self._directory: _core.RunDirectory | None = None
        self._progress: Progress | None = None

    @classmethod
    def of(cls, names: Iterable[str], progress: Progress | None) -> "Copies":
        """Fetch the objects among some names."""
        made = cls()
        made.keep_in(None, progress)
        made.fetched([one for name in names if not on_disk(name) for one in made.find(name)])
        return made

    @property
    def places(self) -> dict[str, str]:
        """The copies that are there, by the names of their objects."""
        return dict(self._places)

    def __bool__(self) -> bool:
        """Whether there is any object."""
        return bool(self._found)

    def find(self, name: str) -> list[str]:
        """Give the names of the objects that a name means; see `registry.Reader`."""
        reader = self._reader(name)
        with closing(reader):
            found = reader.find(name)
        self._found.update(found)
        return list(found)

    def _reader(self, name: str) -> Reader:
        """What reads the store of a name."""
        store = store_of(name)
        if store not in self._readers:
            self._readers[store] = store.reader(name)
        return self._readers[store]

    def keep_in(self, directory: _core.RunDirectory | None, progress: Progress | None = None) -> None:
        """Set the folder of copies that are yet to be made, and the progress function."""
        self._directory, self._progress = directory, progress

    def note_in(self, directory: _core.RunDirectory) -> None:
        """Note which versions of the objects a run reads, for the run that goes on with it."""
        for name, found in self._found.items():
            if name in self._places and directory.noted(_note(name)) is None:
                directory.note(_note(name), _version(found))

    def place(self, name: str) -> str:
        """Give the file to read for a name: the copy of an object, and else the name itself."""
        return self.fetched([name]).get(name, name)

    def fetched(self, names: Iterable[str]) -> dict[str, str]:
        """Fetch those of the names that are objects and are not here, and give the places of their copies."""
        wanted = [name for name in names if name in self._found]
        missing = [name for name in dict.fromkeys(wanted) if name not in self._places]
        if missing:
            for name in missing:
                self._check_known(name)
            self._fetch([name for name in missing if not self._is_kept(name)])
            for name in missing:
                self._places[name] = self._copy(name)
                if self._directory is not None and self._directory.noted(_note(name)) is None:
                    self._directory.note(_note(name), _version(self._found[name]))
        return {name: self._places[name] for name in wanted}

    def _check_known(self, name: str) -> None:
        """Check that an object is what it was when the run read it that goes on."""
        noted = None if self._directory is None else self._directory.noted(_note(name))
        now = _version(self._found[name])
        if noted is not None and noted != now:
            was, found = json.loads(noted), json.loads(now)
            at = next(part for part in ("etag", "bytes", "modified") if was.get(part) != found[part])
            shown = {"etag": "ETag", "bytes": "size in bytes", "modified": "time of change"}[at]
            raise ResumeError(
                "{name}: its {shown} was {get} when this run began, and is {found} now; go on with what it was, or "
                "remove the run directory and begin again",
                name=name, shown=shown, get=was.get(at), found=found[at],
            )  # fmt: skip

    def _is_kept(self, name: str) -> bool:
        """Whether the copy is there from before, whole."""
        try:
            status = os.stat(self._copy(name))
        except FileNotFoundError:
            return False
        found = self._found[name]
        return status.st_size == found.size and int(status.st_mtime) == found.modified

    def _copy(self, name: str) -> str:
        """The place of a copy. The core removes files of this ending with the run directory."""
        # Loaded here, since it loads OpenSSL, and files on a disk have no copies.
        import hashlib  # noqa: PLC0415 - see above

        return os.path.join(self._place_of_copies(), f"object-{hashlib.sha256(name.encode()).hexdigest()[:24]}.copy")

    def _place_of_copies(self) -> str:
        if self._directory is not None:
            return str(self._directory.path)
        if self._folder is None:
            with _disk_errors("an object of the store", tempfile.gettempdir()):
                self._folder = tempfile.mkdtemp(prefix="simsieve-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _fetch(self, names: list[str]) -> None:
        """Fetch objects, some at a time; progress is called on this thread."""
        total, done, stopped = sum(self._found[name].size for name in names), _Count(), threading.Event()

        def count(read: int) -> None:
            if stopped.is_set():
                raise _StoppedError
            done.add(read)

        with ExitStack() as readers, ThreadPoolExecutor(_AT_A_TIME) as pool:
            for reader in self._readers.values():
                readers.enter_context(closing(reader))
            jobs = [pool.submit(self._fetch_one, name, count) for name in names]
            try:
                while (left := wait(jobs, _WAIT_SECONDS).not_done) and not any(
                    job.done() and job.exception() for job in jobs
                ):
                    self._tick(done.value, total)
                if left:
                    stopped.set()
            except BaseException:
                stopped.set()
                pool.shutdown(cancel_futures=True)
                raise
            pool.shutdown(cancel_futures=True)
        self._tick(done.value, total)
        raised = [error for job in jobs if not job.cancelled() and (error := job.exception()) is not None]
        for error in sorted(raised, key=lambda one: isinstance(one, _StoppedError)):
            raise error

    def _tick(self, done: int, total: int) -> None:
        if self._progress is not None and total:
            self._progress("fetch", done, total)

    def _fetch_one(self, name: str, count: Callable[[int], None]) -> None:
        found, copy = self._found[name], self._copy(name)
        part = f"{copy.removesuffix('.copy')}.part.copy"
        with _disk_errors(name, os.path.dirname(copy)):
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                now = self._readers[store_of(name)].fetch(name, file, count)
                file.flush()
                os.fsync(file.fileno())
            if now != found or os.path.getsize(part) != found.size:
                raise SourceError(
                    "{name}: changed while it was read; let whatever writes it finish, then run again", name=name
                )
            os.utime(part, (found.modified, found.modified))
            os.replace(part, copy)


class _Count:
    """A number that several threads add to."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = threading.Lock()

    def add(self, more: int) -> None:
        with self._lock:
            self.value += more


def _note(name: str) -> str:
    """Under which name the version of an object is noted."""
    return Message("object {name}", name=name)


def _version(found: Version) -> str:
    """A version of an object, as it is noted."""
    return json.dumps({"etag": found.etag, "bytes": found.size, "modified": found.modified})


@contextmanager
def _disk_errors(name: str, folder: str) -> Iterator[None]:
    try:
        yield
    except (SourceError, StorageError):
        raise
    except OSError as error:
        raise StorageError(
            Message(
                "{name}: is copied to a file first, and {folder} cannot be written: {value}; free some space, or set "
                "TMPDIR, or {@`run_dir`}, to a folder with room",
                name=name, folder=folder, value=error.strerror or error,
            ),
            retryable=True,
        ) from error  # fmt: skip
