"""Verdicts of people: the log on the disk, in which no entry is ever changed, and the tables that are taken in."""

import json
import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import shown
from simsieve.config.pair_rows import NAMING as PLACES
from simsieve.config.pair_rows import PairRow, cell_text, pair_row
from simsieve.config.verdicts import DIFFERENT, WORDS, checked_verdicts, verdict_word
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SimsieveError, SinkError, SourceError
from simsieve.evaluate.pairs import judged_rows
from simsieve.messages import Message, tr
from simsieve.review.page import words
from simsieve.screen import visible
from simsieve.sinks.base import Kind, SinkPath
from simsieve.sinks.tables import write_objects

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
        # Only column names of this module are joined.
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
        return [_entry_of(row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _entry_of(row: Sequence[Any]) -> Entry:
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


SKIPPED = "skip"
"""Not a verdict: the pair is left for later, and shown to nobody as the next one."""
COLUMNS: dict[str, Kind | None] = {
    "a": None, "b": None, "verdict": "text", **dict.fromkeys(PLACES[:2], "int"), **dict.fromkeys(PLACES[2:], "text"),
    "person": "text", "given": "text",
}  # fmt: skip
"""The columns of a table of verdicts: those that `--verdicts` takes, who gave each, and when."""

_TURNED = ("b", "a", "position_b", "position_a", "check_b", "check_a")
"""The names of `NAMING` with the two records changed."""

Key = tuple[int, int] | tuple[str, str]
"""Two positions, or two names of records that the run does not have; the lesser one first."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a pair is now said to be: `entry` is None where the last verdict was undone."""

    number: int
    key: Key
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the verdicts of a table: `known` are in the log as they are, `left` say otherwise than the log."""

    taken: int
    known: int
    left: Sequence[tuple[Entry, Entry | None]]
    """Each with what the log says of its pair; None where that was undone."""


class Verdicts:
    """The verdicts in force: of each pair the last one that is not undone.

    `first` gives the position of the record of a pair that is `a`, whatever the order in which a verdict names them.
    """

    def __init__(self, log: VerdictLog, documents: _core.Documents, first: Callable[[Key], int | None]) -> None:
        self._log, self._documents, self._first = log, documents, first
        self._given: dict[Key, list[Entry]] = {}
        self._keys: dict[int, tuple[Key, int | None]] = {}
        self._own: dict[str, list[Entry]] = {}
        self.changes: list[Change] = []
        """Every change since the log began, in order."""

    def refresh(self) -> None:
        """Take in the new entries of the log, from this process or another."""
        entries = self._log.news()
        # To find records by their names takes longer than all else where there are many.
        unknown = [one for one in entries if one.undoes is None and one.number not in self._keys]
        self._keys.update(zip((one.number for one in unknown), self._keys_of(unknown), strict=True))
        for read in entries:
            key, a = self._keys.get(read.undoes or read.number, (None, None))
            if key is None:
                continue
            entry = self._as_shown(read, key, a)
            given = self._given.setdefault(key, [])
            if entry.undoes is None:
                given.append(entry)
                self._own.setdefault(entry.person, []).append(entry)
            else:
                given[:] = [one for one in given if one.number != entry.undoes]
                own = self._own.get(entry.person, [])
                own[:] = [one for one in own if one.number != entry.undoes]
            self.changes.append(Change(entry.number, key, given[-1] if given else None))

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def of(self, key: Key) -> Entry | None:
        """Give the verdict in force on a pair; None where there is none."""
        given = self._given.get(key)
        return given[-1] if given else None

    def in_force(self) -> Iterator[tuple[Key, Entry]]:
        """Give each pair with its verdict; those that are only skipped are left out."""
        for key, given in self._given.items():
            if given and given[-1].verdict != SKIPPED:
                yield key, given[-1]

    def add(self, key: Key, a: int, naming: Mapping[str, Any], verdict: str, person: str) -> None:
        """Write a verdict on a pair with its first record; it is on the disk when this returns."""
        self._keys[self._log.add([(naming, verdict)], person)] = key, a

    def undo(self, person: str) -> Key | None:
        """Undo the last verdict of a person that is not undone yet, and give its pair; None where there is none."""
        own = self._own.get(person)
        if not own:
            return None
        last = own[-1]
        self._log.add([(last.naming, "")], person, undoes=last.number)
        return self._keys[last.number][0]

    def take(self, rows: Sequence[PairRow], person: str) -> Taken:
        """Take over the verdicts of a table on pairs that the log does not have."""
        judged = [(_naming(row), word) for row in rows if (word := verdict_word(row.word)) is not None]
        entries = [_entry(naming, word, person) for naming, word in judged]
        new: dict[Key, tuple[Mapping[str, Any], str]] = {}
        left: list[tuple[Entry, Entry | None]] = []
        for read, one, (key, a) in zip(entries, judged, self._keys_of(entries), strict=True):
            entry = self._as_shown(read, key, a)
            if key not in self._given:
                new[key] = one
            elif (known := self.of(key)) is None or known.verdict != entry.verdict:
                left.append((entry, known))
        self._log.add(list(new.values()), person)
        return Taken(len(new), len(judged) - len(new) - len(left), left)

    def write(self, sink: SinkPath, *, safe: bool) -> int:
        """Write the verdicts in force as a table that `--verdicts` takes, and give their number."""
        entries = [entry for _, entry in self.in_force()]
        checked_verdicts([_pair(entry) for entry in entries])
        write_objects(sink, COLUMNS, map(row_of, entries), private=True, safe=safe)
        return len(entries)

    def _as_shown(self, entry: Entry, key: Key, a: int | None) -> Entry:
        """An entry whose first record, at a position, is the one that stays in the run."""
        first = self._first(key)
        return entry if first is None or first == a else _turned(entry)

    def _keys_of(self, entries: Sequence[Entry]) -> list[tuple[Key, int | None]]:
        """The pair that each entry is about, and the position of its first record."""
        names = [name for entry in entries for name in _pair(entry).names]
        found = iter(self._documents.find(names))
        keys: list[tuple[Key, int | None]] = []
        for entry, one, other in zip(entries, found, found, strict=True):
            if one is None or other is None:
                a, b = sorted((cell_text(entry.naming["a"]), cell_text(entry.naming["b"])))
                keys.append(((a, b), None))
            else:
                keys.append(((min(one, other), max(one, other)), one))
        return keys


def is_wrong(entry: Entry) -> bool:
    """Whether a verdict says that a near duplicate is none."""
    return WORDS[entry.verdict] == DIFFERENT


def row_of(entry: Entry) -> dict[str, Any]:
    """Give a verdict as a row of a table."""
    values = {**entry.naming, "verdict": entry.verdict, "person": entry.person, "given": entry.given}
    return {name: values[name] for name in COLUMNS}


def _turned(entry: Entry) -> Entry:
    """The same verdict with its records in the other order."""
    naming = {turn: entry.naming[name] for name, turn in zip(NAMING, _TURNED, strict=True)}
    verdict = {"keep a": "keep b", "keep b": "keep a"}.get(entry.verdict, entry.verdict)
    return replace(entry, naming=naming, verdict=verdict)


def _pair(entry: Entry) -> PairRow:
    where = Message("verdict {number} of the log", number=entry.number)
    row = pair_row(where, {**entry.naming, "verdict": entry.verdict}, judged=False)
    assert row is not None
    return row


def _naming(row: PairRow) -> dict[str, Any]:
    places = {name: cell_text(row.values.get(name)).strip() for name in PLACES}
    numbers = {name: int(float(places[name])) if places[name] else None for name in PLACES[:2]}
    return {"a": row.a, "b": row.b, **numbers, **{name: places[name] or None for name in PLACES[2:]}}


def _entry(naming: Mapping[str, Any], verdict: str, person: str) -> Entry:
    return Entry(0, naming, verdict, person, "", None)


_TABLES = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
"""What a packed table unpacks to has no bound."""
_NAMED = 3
"""Pairs that are named."""


def sent_rows(name: str, content: bytes) -> list[PairRow]:
    """Read and check a table that a browser has sent; `name` says by its ending how it is written."""
    shown_name = visible(re.split(r"[/\\]", name)[-1][-100:])
    ending = next((one for one in _TABLES if name.lower().endswith(one)), None)
    if ending is None:
        raise ConfigError(
            "{name} is no table of verdicts: send a file in {endings}, not packed",
            name=shown(shown_name), endings=", ".join(_TABLES),
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            return judged_rows(os.fspath(path))
        except SimsieveError as error:
            # Who reads it knows the file by its name, and not this machine's folders.
            told = in_words(error.message).replace(os.fspath(path), shown_name)
            raise ConfigError(Message.of(told, "{message}", {"message": told})) from None


def taken_text(taken: Taken) -> str:
    """Say how many verdicts were taken over, and which ones were not."""
    text = tr("{count:,} verdicts are taken over; {known:,} were here before", count=taken.taken, known=taken.known)
    if not taken.left:
        return text
    names = ", ".join(_conflict(entry, known) for entry, known in taken.left[:_NAMED])
    more = len(taken.left) - _NAMED
    names += tr(" and {count:,} more", count=more) if more > 0 else ""
    left = tr("{count:,} say otherwise than this review, which stays as it is: {names}", count=len(taken.left),
              names=names)  # fmt: skip
    return f"{text}. {left}"


def _conflict(entry: Entry, known: Entry | None) -> str:
    a, b = (visible(cell_text(entry.naming[side])) for side in "ab")
    said = words()
    here = tr("undone") if known is None else said[known.verdict]
    return tr("{a} ~ {b} (here {here}, there {there})", a=a, b=b, here=here, there=said[entry.verdict])
