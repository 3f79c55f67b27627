"""The file of a review's verdicts: each is on the disk before it is acknowledged, and none is ever changed."""

import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simsieve.config.pair_rows import NAMING as PLACES
from simsieve.errors import SinkError, SourceError

NAMING = ("a", "b", *PLACES)
"""How the two records of a verdict are named, as in a table of verdicts."""
_KIND = 0x5349_5652
"""Marks the file, so that a database of another program is not written to."""
_TABLE = """
CREATE TABLE IF NOT EXISTS verdicts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL, b TEXT NOT NULL,
    position_a INTEGER, position_b INTEGER, check_a TEXT, check_b TEXT,
    verdict TEXT NOT NULL, person TEXT NOT NULL, given TEXT NOT NULL, undoes INTEGER
)"""
_COLUMNS = (*NAMING, "verdict", "person", "given", "undoes")
_BUSY_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log: a verdict, or that an earlier one is undone."""

    number: int
    naming: Mapping[str, Any]
    verdict: str
    person: str
    given: str
    undoes: int | None


class VerdictLog:
    """Verdicts in a file of SQLite, one entry after another; several processes may have it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._last = 0
        try:
            # Who may read it is decided when it is made, as for pages: it has ids.
            path.touch(mode=0o600)
        except OSError as error:
            raise _failed(path, error.strerror or str(error)) from error
        try:
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
            self._open()
        except sqlite3.DatabaseError as error:
            raise _failed(path, str(error)) from error

    def _open(self) -> None:
        run = self._connection.execute
        kind, tables = run("PRAGMA application_id").fetchone()[0], run("SELECT count(*) FROM sqlite_master").fetchone()
        if kind != _KIND and (kind or tables[0]):
            raise SourceError("{path}: is a database of another program: name another file", path=self.path)
        # A verdict is on the disk when its transaction has ended.
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        if kind != _KIND:
            run(f"PRAGMA application_id = {_KIND}")
        with self._connection:
            run(_TABLE)

    def add(self, rows: Sequence[tuple[Mapping[str, Any], str]], person: str, *, undoes: int | None = None) -> int:
        """Write verdicts with what names their records; when this gives the last one's number, they are on the disk."""
        given = datetime.now(UTC).isoformat(timespec="seconds")
        # Half a character of JSON has no UTF-8, so ids are kept as JSON.
        lines = [
            (json.dumps(naming["a"]), json.dumps(naming["b"]), *(naming.get(name) for name in NAMING[2:]), verdict,
             person, given, undoes)
            for naming, verdict in rows
        ]  # fmt: skip
        places = ", ".join("?" * len(_COLUMNS))
        # What is joined are names of ours.
        insert = f"INSERT INTO verdicts ({', '.join(_COLUMNS)}) VALUES ({places})"  # noqa: S608
        number = 0
        try:
            with self._lock, self._connection:
                for line in lines:
                    number = self._connection.execute(insert, line).lastrowid or 0
            return number
        except sqlite3.DatabaseError as error:
            raise _failed(self.path, str(error)) from error

    def news(self) -> list[Entry]:
        """Read the entries that were written since the last call, by this process or another."""
        query = f"SELECT number, {', '.join(_COLUMNS)} FROM verdicts WHERE number > ? ORDER BY number"  # noqa: S608
        try:
            with self._lock:
                rows = self._connection.execute(query, (self._last,)).fetchall()
                self._last = rows[-1][0] if rows else self._last
        except sqlite3.DatabaseError as error:
            raise _failed(self.path, str(error)) from error
        return [_entry(row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _entry(row: Sequence[Any]) -> Entry:
    number, *cells = row
    values = dict(zip(_COLUMNS, cells, strict=True))
    naming = {name: values[name] for name in NAMING} | {side: json.loads(values[side]) for side in "ab"}
    return Entry(number, naming, values["verdict"], values["person"], values["given"], values["undoes"])


def _failed(path: Path, why: str) -> SourceError | SinkError:
    if "not a database" in why or "malformed" in why:
        return SourceError("{path}: is no log of verdicts ({error}); name another file", path=path, error=why)
    return SinkError(
        "{path}: a verdict cannot be kept there ({error}); make room, or name another file", path=path, error=why
    )
