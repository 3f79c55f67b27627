"""What the tests of databases of SQL share: a database of each kind, emptied for each test, and texts."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tools.databases import MariaDB, PostgreSQL, Server

SERVERS: dict[str, type[Server]] = {"postgresql": PostgreSQL, "mysql": MariaDB}
KINDS = ["sqlite", *(pytest.param(name, marks=pytest.mark.long) for name in SERVERS)]


class File:
    """A database of SQLite."""

    kind = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "exams.db"
        self.run("PRAGMA journal_mode = WAL")

    def uri(self, table: str | None = None, **options: str) -> str:
        """A URI of the file, whose path is absolute."""
        given = "&".join(f"{name}={value}" for name, value in {"table": table, **options}.items() if value is not None)
        return f"sqlite:///{self.path}{'?' if given else ''}{given}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry out statements, and give the rows of the last."""
        rows: list[tuple[Any, ...]] = []
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for statement in statements:
                rows = connection.execute(statement).fetchall()
        return rows


class OnServer:
    """A database on a server."""

    def __init__(self, kind: str, server: Server) -> None:
        self.kind, self.server = kind, server
        self.uri, self.run = server.uri, server.run


Bank = File | OnServer


@pytest.fixture(scope="session")
def servers() -> Iterator[Callable[[str], Server]]:
    """Start a server of a kind once; skips loudly where it is not installed."""
    started: dict[str, Server] = {}

    def of(kind: str) -> Server:
        if not SERVERS[kind].is_installed():
            pytest.skip(f"{kind.upper()} NOT TESTED: apt-get install postgresql mariadb-server")
        if kind not in started:
            started[kind] = SERVERS[kind]()
        return started[kind]

    yield of
    for server in started.values():
        server.__exit__()


def bank_of(kind: str, folder: Path, servers: Callable[[str], Server]) -> Bank:
    """An empty database of a kind."""
    if kind == "sqlite":
        return File(folder)
    bank = OnServer(kind, servers(kind))
    if kind == "postgresql":
        bank.run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", "GRANT USAGE ON SCHEMA public TO PUBLIC")
    else:
        bank.run("DROP DATABASE exams", "CREATE DATABASE exams CHARACTER SET utf8mb4")
    return bank


@pytest.fixture(params=KINDS)
def bank(request: pytest.FixtureRequest, tmp_path: Path, servers: Callable[[str], Server]) -> Bank:
    """An empty database of each kind; those on servers are long tests."""
    return bank_of(request.param, tmp_path, servers)


@pytest.fixture
def simsieve(tmp_path: Path) -> Program:
    """The program in an empty folder."""
    return Program(tmp_path)


def literal(value: Any) -> str:
    """A text or number as SQL has it."""
    return (
        "NULL"
        if value is None
        else str(value)
        if isinstance(value, (int, float))
        else "'" + value.replace("'", "''") + "'"
    )


def fill(
    bank: Bank, table: str, rows: list[tuple[Any, ...]], columns: str = "id integer primary key, text text"
) -> None:
    """Make a table of rows."""
    made = [f"CREATE TABLE {table} ({columns})"]
    for start in range(0, len(rows), 1000):
        values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows[start : start + 1000])
        made.append(f"INSERT INTO {table} VALUES {values}")
    bank.run(*made)


@pytest.fixture
def questions(bank: Bank, examples: list[dict[str, Any]]) -> str:
    """A table with the examples, whose keys are numbers in their order; its URI."""
    fill(bank, "questions", [(at, record["text"]) for at, record in enumerate(examples)])
    return bank.uri("questions")
