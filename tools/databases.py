"""Starts real servers of PostgreSQL and MariaDB on free ports, for tests and benchmarks, with temporary data.

The programs are those of Debian (`apt-get install postgresql mariadb-server`). They refuse to run as root, so root
starts them as the users of these packages.
"""

import importlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Self

from tools.ports import free_port

READY_SECONDS, _STOP_SECONDS = 60.0, 20.0
PASSWORD = "p@ss:word/1"
"""The password of the user `owner`, with signs that a URI must write in another way."""
QUOTED = "p%40ss%3Aword%2F1"


def _program(name: str) -> str | None:
    """The path of a program, also where Debian has it."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or shutil.which(name, path="/usr/sbin") or (str(places[-1]) if places else None)


class Server(ABC):
    """A running server with the database `exams`; the user `owner` may do anything in it."""

    scheme: str
    programs: tuple[str, ...]
    system_user: str

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the programs are there, and a user to run them."""
        with suppress(KeyError):
            pwd.getpwnam(cls.system_user)
            return all(map(_program, cls.programs))
        return False

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="simsieve-sql-")
        self._as: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.system_user, self.system_user)
            self._as = ["setpriv", f"--reuid={self.system_user}", f"--regid={self.system_user}", "--clear-groups"]
        self._begin()
        words = [*self._as, *self._words()]
        none = subprocess.DEVNULL
        self.process = subprocess.Popen(words, stdin=none, stdout=none, stderr=none, cwd=self.folder)
        self._wait()

    @abstractmethod
    def _begin(self) -> None:
        """Make the folder of the data."""

    @abstractmethod
    def _words(self) -> Sequence[str]:
        """The command line of the server."""

    @abstractmethod
    def _make_user(self) -> None:
        """Make user and database."""

    @abstractmethod
    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry out statements as the owner, each with a commit of its own; give the rows of the last."""

    @abstractmethod
    def end_connections(self) -> None:
        """End all connections but the own one."""

    def _called(self, *words: str) -> None:
        done = subprocess.run([*self._as, *words], capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode:
            raise RuntimeError(f"{words[0]} ended with {done.returncode}: {done.stderr}")

    def _wait(self) -> None:
        end = time.monotonic() + READY_SECONDS
        while True:
            try:
                self._make_user()
                return
            except Exception as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the server is not ready ({error}): see {self.folder}") from error
                time.sleep(0.1)

    def uri(self, table: str | None = None, login: str = f"owner:{QUOTED}", **options: str) -> str:
        """A URI of this server."""
        given = "&".join(f"{name}={value}" for name, value in {"table": table, **options}.items() if value is not None)
        return f"{self.scheme}://{login}@127.0.0.1:{self.port}/exams{'?' if given else ''}{given}"

    def __enter__(self) -> Self:
        """Give the server."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server, and remove its data."""
        self.process.terminate()
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class PostgreSQL(Server):
    """A server of PostgreSQL."""

    scheme, programs, system_user = "postgresql", ("initdb", "postgres"), "postgres"

    def _begin(self) -> None:
        secret = Path(self.folder, "password")
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        words = ["-D", f"{self.folder}/data", "-A", "scram-sha-256", "-U", "owner", f"--pwfile={secret}", "-E", "UTF8"]
        self._called(str(_program("initdb")), *words, "--locale=C.UTF-8", "--no-sync")

    def _words(self) -> list[str]:
        return [
            str(_program("postgres")), "-D", f"{self.folder}/data", "-p", str(self.port), "-k", self.folder,
            "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "lock_timeout=20s",
        ]  # fmt: skip

    def _make_user(self) -> None:
        with suppress_existing("42P04"):
            self._run("postgres", ("CREATE DATABASE exams",))

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry out statements; see `Server.run`."""
        return self._run("exams", statements)

    def _run(self, database: str, statements: Sequence[str]) -> list[tuple[Any, ...]]:
        dbapi: Any = importlib.import_module("adbc_driver_postgresql.dbapi")
        uri = self.uri().replace("/exams", f"/{database}")
        rows: list[tuple[Any, ...]] = []
        with dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = list(cursor.fetchall()) if cursor.description else []
        return rows

    def end_connections(self) -> None:
        """End all connections but the own one."""
        others = "usename IS NOT NULL AND pid <> pg_backend_pid()"
        self.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")


class suppress_existing:  # noqa: N801 - used as `contextlib.suppress`
    """Pass over the error of something that is there already."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        """Pass over the error of that code."""
        return getattr(error, "sqlstate", None) == self._code


class MariaDB(Server):
    """A server of MariaDB."""

    scheme, programs, system_user = "mysql", ("mariadb-install-db", "mariadbd"), "mysql"

    def _begin(self) -> None:
        # In a common folder a server removes the temporary tables of others when it starts.
        words = [
            "--no-defaults",
            f"--datadir={self.folder}/data",
            f"--tmpdir={self.folder}",
            "--auth-root-authentication-method=normal",
        ]
        self._called(str(_program("mariadb-install-db")), *words, "--skip-test-db")

    def _words(self) -> list[str]:
        return [
            str(_program("mariadbd")), "--no-defaults", f"--datadir={self.folder}/data", f"--port={self.port}",
            f"--tmpdir={self.folder}", "--bind-address=127.0.0.1", f"--socket={self.folder}/socket",
            f"--pid-file={self.folder}/pid", "--innodb-flush-log-at-trx-commit=0", "--lock-wait-timeout=20",
        ]  # fmt: skip

    def _make_user(self) -> None:
        pymysql: Any = importlib.import_module("pymysql")
        # The driver does not close what it cannot connect.
        Path(self.folder, "socket").stat()
        connected = closing(pymysql.connect(unix_socket=f"{self.folder}/socket", user="root"))
        with connected as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE IF NOT EXISTS exams CHARACTER SET utf8mb4")
            cursor.execute("DROP USER IF EXISTS ''@'localhost'")
            cursor.execute("CREATE USER IF NOT EXISTS owner@'%%' IDENTIFIED BY %s", (PASSWORD,))
            cursor.execute("GRANT ALL ON *.* TO owner@'%' WITH GRANT OPTION")

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry out statements; see `Server.run`."""
        pymysql: Any = importlib.import_module("pymysql")
        login = {"user": "owner", "password": PASSWORD, "database": "exams", "autocommit": True}
        rows: list[tuple[Any, ...]] = []
        connected = closing(pymysql.connect(host="127.0.0.1", port=self.port, **login))
        with connected as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = list(cursor.fetchall())
        return rows

    def end_connections(self) -> None:
        """End all connections but the own one."""
        others = self.run(
            "SELECT id FROM information_schema.processlist WHERE user = 'owner' AND id <> CONNECTION_ID()"
        )
        for (one,) in others:
            with suppress(Exception):
                self.run(f"KILL {one}")
