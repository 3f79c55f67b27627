"""A folder of files that appears whole or not at all: it is filled beside its place and renamed."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from simsieve import _core
from simsieve.errors import ConfigError, InternalError, SinkError
from simsieve.registry import DISK
from simsieve.sinks.base import SinkPath, mode_of, sync_folder


class OutputFolder:
    """A folder that is yet to be, or is in the making."""

    def __init__(self, sink: SinkPath, is_own: Callable[[str], bool], *, replace: bool = False) -> None:
        self.name = os.fspath(sink)
        self._is_own, self._replace = is_own, replace
        self._target = os.path.realpath(self.name)
        self._temporary = ""

    def check(self, sources: Sequence[str]) -> None:
        """Check, before the work, that the folder can appear."""
        for source in sources:
            if DISK.is_inside(source, self._target):
                raise ConfigError(
                    "the source {source} is in the folder {name}, which is written: sources are never overwritten; "
                    "name another folder",
                    source=source, name=self.name,
                )  # fmt: skip
        if os.path.isdir(self._target):
            self._check_existing()
        with self._errors():
            around = os.path.dirname(self._target)
            tempfile.TemporaryDirectory(prefix=".simsieve-", dir=around).cleanup()

    def _check_existing(self) -> None:
        if os.path.ismount(self._target):
            raise SinkError(
                "{name}: is where a file system is mounted, so it cannot appear as a whole: name a folder in it",
                name=self.name,
            )
        if os.path.samefile(self._target, os.curdir):
            raise SinkError(
                "{name}: is the folder in which simsieve runs, so it cannot be replaced: name another", name=self.name
            )
        self.check_files(sorted(DISK.held(self._target)))

    def check_files(self, held: Sequence[str]) -> None:
        """Check that the files of an existing folder may be replaced."""
        if held and not self._replace:
            raise SinkError(
                "{name}: is a folder with something in it; name a new folder or an empty one, or give {@`replace`} "
                "for one that an earlier run wrote",
                name=self.name,
            )
        for name in held:
            if not self._is_own(name):
                raise SinkError(
                    "{name}: has the file {name_2}, which this run does not write: only a folder of files of the same "
                    "names is replaced; take the file away, or name another folder",
                    name=self.name, name_2=name,
                )  # fmt: skip

    def begin(self) -> None:
        """Make the folder beside its place."""
        around, last = os.path.split(self._target)
        with self._errors():
            self._temporary = tempfile.mkdtemp(prefix=f".{last[:60]}.", suffix=".part", dir=around)
            os.chmod(self._temporary, mode_of(self._target, 0o777))

    def path(self, name: str) -> str:
        """Give the place of a file until the commit; its folder is made."""
        if not self._temporary:
            raise InternalError("the folder {name} was not begun; call begin before write and commit", name=self.name)
        path = os.path.join(self._temporary, name)
        with self._errors():
            os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def commit(self) -> None:
        """Give the folder its name, durably; one that was there is removed."""
        with self._errors():
            for folder, _, _ in os.walk(self._temporary):
                sync_folder(folder)
            if os.path.isdir(self._target) and os.listdir(self._target):
                # Someone else may have written into it since it was checked.
                self._check_existing()
                _core.exchange(self._temporary, self._target)
                shutil.rmtree(self._temporary, ignore_errors=True)
            else:
                os.rename(self._temporary, self._target)
            self._temporary = ""
            sync_folder(os.path.dirname(self._target))

    def abort(self) -> None:
        """Remove the folder."""
        temporary, self._temporary = self._temporary, ""
        if temporary:
            with suppress(OSError):
                shutil.rmtree(temporary, ignore_errors=True)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Have errors of files in the folder name the folder that is to be, and not the one beside its place."""
        try:
            yield
        except SinkError as error:
            raise SinkError(str(error).replace(self._temporary, self.name.rstrip("/"))) from error

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise what the system says as an error of this folder."""
        try:
            yield
        except FileNotFoundError as error:
            raise SinkError(
                "{name}: its folder {dirname} does not exist; make it, or write elsewhere",
                name=self.name, dirname=os.path.dirname(self._target),
            ) from error  # fmt: skip
        except OSError as error:
            raise SinkError(
                "{name}: cannot be written: {value}; nothing was left at its name: choose another place",
                name=self.name, value=error.strerror or error,
            ) from error  # fmt: skip
