"""Files that are moved out of a folder, to a folder beside it or to the bin, and back.

A log in the folder has each move before it is made, so that a move can be undone after a kill too. Nothing that is
there is replaced. The bin is that of freedesktop.org. A library that does not say where it puts a file leaves no undo.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.screen import visible

LOG = ".simsieve-moves.jsonl"
"""The log, a hidden file of the folder."""
BESIDE_ENDING = ".duplicates"
"""What the name of the folder beside ends in."""
BESIDE, BIN = "beside", "bin"
HAS_BIN = sys.platform not in ("win32", "darwin")
"""Whether the system has the bin of freedesktop.org."""
Stamp = tuple[int, int]
"""Bytes of a file, and the time of its last change in nanoseconds."""


def stamp(path: Path) -> Stamp | None:
    """Give what tells whether a file has changed; None where there is no regular file of the name, or a link."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    # Nothing of the way there is a link, nor the file.
    is_plain = os.path.isfile(path) and os.path.realpath(path) == str(path)
    return (status.st_size, status.st_mtime_ns) if is_plain else None


class Moves:
    """The moves of the files of a folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.beside = root, root.with_name(root.name + BESIDE_ENDING)
        self._log = root / LOG

    def move(self, path: Path, where: str, batch: int) -> None:
        """Move a file of the folder, under a number that `undo` takes."""
        if where == BIN and not HAS_BIN:
            raise ConfigError("this system has no bin that files come back from: move them to a folder beside")
        inside = path.relative_to(self.root)
        target = _bin(path) / "files" / path.name if where == BIN else self.beside / inside
        if os.path.realpath(target.parent) != str(target.parent):
            raise ConfigError("{folder} is a link to elsewhere: take it away", folder=str(target.parent))
        for folder in (target.parent.parent, target.parent, _info(target).parent)[: 3 if where == BIN else 2]:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700 if where == BIN else 0o777)
        size, changed = stamp(path) or (0, 0)
        for name in _names(target):
            if os.path.lexists(name):
                continue
            shown = _info(name)
            try:
                if where == BIN:
                    _tell_bin(shown, path)
            except FileExistsError:
                continue
            self._note({"batch": batch, "from": str(inside), "to": str(name), "size": size, "changed": changed})
            try:
                new_file(path, name)
            except BaseException as error:
                if where == BIN:
                    shown.unlink()
                if isinstance(error, FileExistsError):
                    continue
                raise
            return

    def new_batch(self) -> int:
        """Give the number of the next batch of moves."""
        return max((entry["batch"] for entry in self._entries()), default=0) + 1

    def batches(self) -> list[tuple[int, str, list[str]]]:
        """Give the batches that can be undone, the last first: number, day and time, and the files that are away."""
        times: dict[int, str] = {}
        away: dict[int, list[str]] = {}
        for entry in filter(_is_away, self._entries()):
            times.setdefault(entry["batch"], entry["time"])
            away.setdefault(entry["batch"], []).append(visible(entry["from"]))
        return [(batch, times[batch], away[batch]) for batch in sorted(times, reverse=True)]

    def undo(self, batch: int, name: str | None = None) -> tuple[int, list[Message]]:
        """Put the files of a batch, or one of them, back to their paths; give how many, and why others were not."""
        done, refused = 0, list[Message]()
        entries = (one for one in self._entries() if one["batch"] == batch and name in (None, visible(one["from"])))
        for entry in reversed(list(filter(_is_away, entries))):
            path, away = self.root / entry["from"], Path(entry["to"])
            try:
                size, changed = stamp(away) or (-1, 0)
                # Some file systems count in steps of two seconds.
                if size != entry["size"] or abs(changed - entry["changed"]) > 2_000_000_000:
                    refused.append(
                        Message("{away}: it has changed since it was moved, and stays there", away=str(away))
                    )
                    continue
                # Where a part of the path has become a link, the file would go elsewhere.
                path = path if os.path.realpath(path.parent) == str(path.parent) else self.root
                path.parent.mkdir(parents=True, exist_ok=True)
                new_file(away, path)
                _info(away).unlink(missing_ok=True)
                done += 1
            except FileExistsError:
                refused.append(Message(
                    "{path}: something else is there now, and the file stays in {away}", path=str(path), away=str(away)
                ))  # fmt: skip
            except OSError as error:
                refused.append(Message("{path}: {why}", path=str(path), why=error.strerror or str(error)))
        return done, refused

    def _entries(self) -> list[dict[str, Any]]:
        """The last move to each place, of those that this program may have made: out of the folder, to its places."""
        found: dict[str, dict[str, Any]] = {}
        if os.path.islink(self._log) or not self._log.is_file():
            return []
        for line in self._log.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            try:
                entry = json.loads(line)
                source, target = self.root / entry["from"], Path(entry["to"])
                if _is_below(source, self.root) and (_is_below(target, self.beside) or _is_in_bin(target)):
                    numbers = {name: int(entry[name]) for name in ("batch", "size", "changed")}
                    found.pop(entry["to"], None)
                    found[entry["to"]] = {**entry, **numbers, "time": str(entry["time"])}
            except (ValueError, KeyError, TypeError):
                # The end of a line that a kill has cut.
                continue
        return list(found.values())

    def _note(self, entry: dict[str, Any]) -> None:
        """Write an entry to the log, which is on the disk then."""
        line = json.dumps({"time": time.strftime("%Y-%m-%d %H:%M:%S"), **entry}) + "\n"
        file = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            # After a line that a kill has cut, a new one begins.
            if size := os.fstat(file).st_size:
                with open(self._log, "rb") as log:
                    log.seek(size - 1)
                    line = line if log.read(1) == b"\n" else f"\n{line}"
            os.write(file, line.encode(errors="surrogateescape"))
            os.fsync(file)
        finally:
            os.close(file)


def _names(path: Path) -> Iterator[Path]:
    """A name, and others where that is taken."""
    yield path
    for number in range(2, 100_000):
        yield path.with_name(f"{path.stem} ({number}){path.suffix}")


def _is_away(entry: dict[str, Any]) -> bool:
    return os.path.lexists(entry["to"])


def _is_below(path: Path, folder: Path) -> bool:
    return path == Path(os.path.normpath(path)) and path != folder and path.is_relative_to(folder)


def _is_in_bin(path: Path) -> bool:
    """Whether a path is that of a file in a bin."""
    if not HAS_BIN:
        return False
    home = path.parent.parent
    is_of_system = home.name == f".Trash-{os.getuid()}" and os.path.ismount(home.parent)
    return path == home / "files" / path.name and path.name != ".." and (home == _own_bin() or is_of_system)


def new_file(source: Path, target: Path) -> None:
    """Move a file to a name that nothing has; FileExistsError where something has it."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # Another file system, or one without links.
        with open(source, "rb") as read, open(target, "xb") as written:
            try:
                shutil.copyfileobj(read, written)
                written.flush()
                os.fsync(written.fileno())
                shutil.copystat(source, target, follow_symlinks=False)
            except BaseException:
                target.unlink()
                raise
    source.unlink()


def _own_bin() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share").resolve() / "Trash"


def _bin(path: Path) -> Path:
    """The bin for a file: that of the person, or the one of the file system that the file is on."""
    home = of = _own_bin()
    while not of.exists():
        of = of.parent
    if os.stat(of).st_dev == os.stat(path).st_dev:
        return home
    top = path.parent
    while not os.path.ismount(top):
        top = top.parent
    return top / f".Trash-{os.getuid()}"


def _info(name: Path) -> Path:
    """The file by which the bin knows a file of the name."""
    return name.parent.parent / "info" / f"{name.name}.trashinfo"


def _tell_bin(info: Path, path: Path) -> None:
    """Write what the bin shows of a file; FileExistsError where it has one of the name."""
    home = info.parent.parent
    shown = quote(os.fsencode(path if home.name == "Trash" else path.relative_to(home.parent)))
    with open(info, "x", encoding="utf-8") as file:
        file.write(f"[Trash Info]\nPath={shown}\nDeletionDate={time.strftime('%Y-%m-%dT%H:%M:%S')}\n")
