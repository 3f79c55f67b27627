"""A service of its own for each test, as a program, and requests to it in bytes."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from simsieve import Client, Index

HOST = "127.0.0.1"
KNOWN: list[dict[str, Any]] = [
    {"id": 7, "text": "the quick brown fox jumps over the lazy dog by the river bank"},
    {"id": "seven", "text": "lorem ipsum dolor sit amet consectetur adipiscing elit sed do"},
]


class Answer(NamedTuple):
    """Status, headers in lower case, body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        return str(self.json["error"]["code"])


def answered(connection: socket.socket) -> Answer:
    """Read one answer from a connection; status 0 where it ended before."""
    file = connection.makefile("rb")
    first = file.readline()
    if not first:
        return Answer(0, {}, b"")
    headers = {}
    while (line := file.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(file.readline() or b"0", 16):
            body += file.read(size)
            file.readline()
        file.readline()
    else:
        body = file.read(int(headers.get("content-length", "0")))
    return Answer(int(first.split()[1]), headers, body)


class Service:
    """A running service."""

    def __init__(
        self, folder: Path, *words: str, indexes: Mapping[str, Path] | None = None, start: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        named = {"seen": folder / "seen"} if indexes is None else indexes
        given = [f"{name}={path}" for name, path in named.items()]
        program = start or ["-m", "simsieve", "serve", *given, "--port", "0", *words]
        self.command = [sys.executable, *program]
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        assert self.process.stderr is not None
        self.log: list[dict[str, Any]] = []
        self.clients: list[Client] = []
        first = self.process.stderr.readline()
        if not first.startswith(b"{"):
            with self.process:
                raise AssertionError((first + self.process.stderr.read()).decode())
        self.log.append(json.loads(first))
        self.url = str(self.log[0]["url"])
        self.port = int(self.url.rpartition(":")[2])
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            # After a kill a process of Python itself says what it has cleaned.
            if b"resource_tracker" in line:
                return
            self.log.append(json.loads(line))

    def client(self, **given: Any) -> Client:
        """Give a client, which ends with the service."""
        self.clients.append(Client(self.url, **given))
        return self.clients[-1]

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection((HOST, self.port), timeout=30)

    def raw(self, content: bytes) -> Answer:
        """Send bytes, and give the first answer."""
        with self.connect() as connection:
            connection.sendall(content)
            return answered(connection)

    def ask(self, path: str, body: Any = None, method: str = "", **headers: str) -> Answer:
        """Send a request; a body that is no bytes is sent as JSON."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        given = {"Host": f"{HOST}:{self.port}"}
        if body is not None:
            given |= {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = f"{method or ('GET' if body is None else 'POST')} {path} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        return self.raw(f"{head}\r\n".encode() + raw)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and give the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(60)
        self._reader.join(10)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        for client in self.clients:
            client.close()
        return code

    def resident(self) -> int:
        """Bytes of its memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an index of two documents, which tests copy."""
    path = tmp_path_factory.mktemp("made") / "seen"
    Index.create(path, KNOWN).close()
    return path


@pytest.fixture
def folder(tmp_path: Path, made: Path) -> Path:
    """Give a folder with an index `seen`."""
    with Index.open(made) as index:
        index.snapshot(tmp_path / "seen")
    return tmp_path


@pytest.fixture
def service(folder: Path) -> Iterator[Service]:
    """Give a service on the index."""
    running = Service(folder)
    yield running
    running.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def shared(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Give one service for the tests of a module that leave its documents as they are."""
    folder = tmp_path_factory.mktemp("shared")
    with Index.open(made) as index:
        index.snapshot(folder / "seen")
    running = Service(folder, "--max-text", "20000", "--max-batch", "50", "--max-body", "100000", "--timeout", "4")
    yield running
    assert running.stop() == 0
    assert [line for line in running.log if line["level"] == "error"] == []
