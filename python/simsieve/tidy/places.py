"""The folders and files that a person may choose among in the browser, and the one that is open."""

import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from simsieve.config.formats import has_records, is_text
from simsieve.errors import ConfigError, not_read
from simsieve.run.against import index_named
from simsieve.screen import visible
from simsieve.tidy.desk import Desk

_LISTED = 500
"""Folders, and files, that are listed at most."""


class Places:
    """The open place, and those that may be opened: folders and files below a root, without hidden ones and links."""

    def __init__(self, given: Path | None, address: str, kind: str | None = None) -> None:
        self._address, self._kind = address, kind
        root = (Path.home() if given is None else given).resolve(strict=True)
        self._is_home = given is None
        self._root = root if root.is_dir() and index_named(root) is None else None
        self._desk: Desk | None = None
        self._held: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        if given is not None:
            self._open(root)

    @property
    def desk(self) -> Desk:
        """The work on the open place; an error if none is."""
        if self._desk is None:
            raise ConfigError("nothing is open yet: choose a folder or a file")
        return self._desk

    def check_seen(self, asked: Mapping[str, Any]) -> None:
        """Refuse what a page asks that shows another place or another run than is open, as in a second tab."""
        if "place" not in asked:
            return
        if asked["place"] != visible(str(self.desk.place)) or asked.get("run", self.desk.run) != self.desk.run:
            raise ConfigError("this page shows another folder or an earlier run: load it again")

    def look(self) -> dict[str, Any]:
        """List the files, and whether another place may be chosen."""
        told = {"is_closed": True} if self._desk is None else self._desk.look()
        return told | {"may_choose": self._root is not None}

    def listed(self, inside: str) -> dict[str, Any]:
        """List the folders and the files with texts or records in a folder below the root."""
        folder = self._found(inside)
        if not folder.is_dir():
            raise ConfigError("{name}: there is no such folder here", name=visible(inside))
        try:
            with os.scandir(folder) as entries:
                shown = [entry for entry in entries if not entry.name.startswith(".") and not entry.is_symlink()]
        except OSError as error:
            raise not_read(visible(str(folder)), "the folder", error) from error
        folders = [entry.name for entry in shown if entry.is_dir()]
        files = [entry.name for entry in shown if entry.is_file() and (has_records(entry.name) or is_text(entry.name))]
        names = [sorted(some, key=str.casefold) for some in (folders, files)]
        return {
            "name": visible(str(folder)), "inside": inside,
            "up": None if folder == self._root else str(Path(inside).parent),
            "may_open": folder != self._root or not self._is_home,
            "folders": [[visible(name), str(Path(inside, name))] for name in names[0][:_LISTED]],
            "files": [[visible(name), str(Path(inside, name))] for name in names[1][:_LISTED]],
            "left": sum(len(some[_LISTED:]) for some in names),
        }  # fmt: skip

    def begin(self) -> str:
        """Say where a choice begins: in the folder in which the program was started, if that is below the root."""
        with suppress(ConfigError, OSError, ValueError):
            return str(self._found(str(Path.cwd().relative_to(self._root or "/"))).relative_to(self._root or "/"))
        return "."

    def open(self, inside: str) -> dict[str, Any]:
        """Open a folder or a file below the root in place of the open one, and list its files."""
        path = self._found(inside)
        if self._is_home and path == self._root:
            raise ConfigError("the whole home folder is too much: choose a folder in it")
        if self._desk is not None and self._desk.is_running:
            raise ConfigError("a run is under way: wait for its end, or cancel it")
        with self._lock:
            if self._desk is None or self._desk.place != path:
                self._open(path)
        return self.look()

    def _open(self, path: Path) -> None:
        desk = Desk(path, self._kind)
        # Others may have open too a file that is only read, and written beside under a new name.
        held = _held(desk.place, self._address) if desk.is_folder else None
        self.close()
        self._desk, self._held = desk, held

    def _found(self, inside: str) -> Path:
        """Give a path below the root as it is on the disk; an error for a hidden, linked or outside one."""
        if self._root is not None and not any(part.startswith(".") for part in Path(inside).parts):
            path = self._root / inside
            # A name that no system has is a ValueError.
            with suppress(OSError, ValueError):
                if path.is_relative_to(self._root) and os.path.realpath(path) == str(path) and path.exists():
                    return path
        raise ConfigError("{name}: there is no such folder or file here", name=visible(inside))

    def close(self) -> None:
        """End the work under way."""
        if self._desk is not None:
            self._desk.close()
        if self._held is not None:
            self._held.close()


def _held(path: Path, address: str) -> sqlite3.Connection | None:
    """Take a folder for this program alone: a file of SQLite is the lock, which ends with the program."""
    # None where no such file can be.
    home = Path(os.environ.get("XDG_RUNTIME_DIR") or Path.home() / ".cache") / "simsieve"
    name = home / sha256(os.fsencode(path)).hexdigest()[:32]
    told = name.with_suffix(".address")
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = sqlite3.connect(name, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.OperationalError):
        return None
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            return None
        address = told.read_text(encoding="utf-8") if told.exists() else "?"
        raise ConfigError(
            "{path} is open in another simsieve app, at {address}: go on there, or end that one; Enter in its terminal"
            " prints an address that opens it",
            path=visible(str(path)), address=visible(address),
        ) from None  # fmt: skip
    with suppress(OSError):
        told.write_text(address, encoding="utf-8")
    return lock
