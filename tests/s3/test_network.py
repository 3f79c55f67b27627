"""A network that fails: connections that are cut are made again, and where that does not help nothing is left."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.s3.conftest import Store

from simsieve import SinkError, SourceError, dedup

LARGE = b"".join(
    b'{"id": %d, "text": "%s"}\n' % (at, b" ".join(b"%dx%d" % (at, n) for n in range(200))) for at in range(11_000)
)


class Cutter:
    """Passes bytes to a server and back, and cuts connections that have passed this many while it may.

    Args:
        port: Where the server listens.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.most, self.left, self.cut = 1 << 20, 0, 0
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                self._ends += [client, server]
                for one, other in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=self._pass, args=(one, other)))
                    self._threads[-1].start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while found := one.recv(1 << 16):
                passed += len(found)
                with self._lock:
                    cuts = passed > self.most and self.left > 0
                    self.left -= cuts
                    self.cut += cuts
                if cuts:
                    break
                other.sendall(found)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections, and end all."""
        for end in (self._socket, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in (self._socket, *self._ends):
            end.close()


@pytest.fixture
def cutter(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cutter]:
    """The way to the server, which the environment names."""
    made = Cutter(store.server.port)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{made.port}")
    yield made
    made.close()


@pytest.mark.slow
def test_connections_that_are_cut_are_made_again(store: Store, cutter: Cutter) -> None:
    """Some cuts while an object comes, and some while one goes, change no byte."""
    source = store.put("a.jsonl", LARGE)
    cutter.left = 2
    result = dedup(source, max_distance=0)
    assert (cutter.left, cutter.cut) == (0, 2)
    cutter.left = 2
    result.write(store.name("kept.jsonl"))

    assert (cutter.left, cutter.cut) == (0, 4)
    assert store.get("kept.jsonl") == LARGE


@pytest.mark.slow
def test_a_network_that_stays_broken(store: Store, cutter: Cutter, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so, and the store has neither the object nor an upload that is begun."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "2")
    source = store.put("a.jsonl", LARGE)
    result = dedup(source, max_distance=0)
    cutter.left = 1 << 30
    with pytest.raises(SinkError, match="no server answers, or the connection was lost"):
        result.write(store.name("kept.jsonl"))
    with pytest.raises(SourceError):
        dedup(source)

    assert store.keys() == ["a.jsonl"] and store.unfinished() == []
