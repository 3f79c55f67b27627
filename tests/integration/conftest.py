"""What the tests of the command line share: a folder, the program, and what it said."""

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Outcome(NamedTuple):
    """What a run of the program left: exit code, stdout as bytes, stderr as text."""

    code: int
    out: bytes
    err: str

    def ok(self) -> "Outcome":
        """Give this outcome, of a run that did what it was asked."""
        assert self.code == 0, self.err
        return self

    def summary(self) -> dict[str, Any]:
        """Give the numbers that this run has printed."""
        return dict(json.loads(self.out))

    def rows(self) -> list[Any]:
        """Give the JSON lines that this run has printed."""
        return [json.loads(line) for line in self.out.splitlines()]

    def silent(self) -> "Outcome":
        """Give this outcome, of a run that did what it was asked and had nothing to say of it."""
        assert (self.code, self.err) == (0, "")
        return self

    def refused(self) -> str:
        """Give what a run said that was refused."""
        assert self.code == 2, self.err
        return self.err


AS_USERS_DO = ("-m", "simsieve")


@functools.cache
def server(*kind: str, env: tuple[tuple[str, str], ...]) -> socket.socket:
    """Start the process that forks for each run, once for each kind and environment; it ends when this process does."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        command = [sys.executable, str(Path(__file__).with_name("server.py")), str(its.fileno()), *kind]
        started = subprocess.Popen(
            command, pass_fds=[its.fileno()], stdin=subprocess.DEVNULL, env={**os.environ, **dict(env)}
        )
    # It ends when its socket has no other end.
    atexit.register(started.wait)
    atexit.register(ours.close)
    return ours


def forked(folder: Path, words: Sequence[str], given: bytes, env: dict[str, str]) -> Outcome:
    """Run the command line in a fork of the server: a process of its own, without Python's start."""
    kind = ["tables"] if any("parquet" in word for word in words) else []
    try:
        return _forked(server(*kind, env=tuple(env.items())), folder, words, given)
    except BaseException:
        # A run that was given up, as after a time limit, answers later: the next one needs another server.
        server.cache_clear()
        raise


def _forked(asked: socket.socket, folder: Path, words: Sequence[str], given: bytes) -> Outcome:
    (stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr) = os.pipe(), os.pipe(), os.pipe()
    socket.send_fds(asked, [json.dumps([str(folder), list(words)]).encode()], [stdin, stdout, stderr])
    for descriptor in (stdin, stdout, stderr):
        os.close(descriptor)

    def read(descriptor: int) -> bytes:
        with open(descriptor, "rb") as pipe:
            return pipe.read()

    with ThreadPoolExecutor(2) as readers:
        out, err = readers.submit(read, from_stdout), readers.submit(read, from_stderr)
        try:
            with open(to_stdin, "wb") as pipe:
                pipe.write(given)
        except BrokenPipeError:
            pass
        return Outcome(int(asked.recv(16)), out.result(), err.result().decode())


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Give the rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


class Program:
    """The command line, run as a program of its own in a folder of its own."""

    def __init__(self, folder: Path, start: Sequence[str] = AS_USERS_DO) -> None:
        self.folder = folder
        self.start = start

    def __call__(
        self, *words: str | Path, given: bytes = b"", env: dict[str, str] | None = None, settings: str = ""
    ) -> Outcome:
        """Run `simsieve` with these words; `given` is its stdin. Another start takes a new process."""
        words += self.settings(settings)
        if self.start == AS_USERS_DO and "TMPDIR" not in (env or {}):
            return forked(self.folder, [str(word) for word in words], given, env or {})
        done = subprocess.run(
            self.command(*words),
            input=given,
            capture_output=True,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            timeout=100,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode())

    def command(self, *words: str | Path) -> list[str]:
        """Give the words of a command line that runs the program."""
        return [sys.executable, *self.start, *map(str, words)]

    def settings(self, toml: str) -> tuple[str, ...]:
        """Give the words for settings that have no option; their file is beside the folder."""
        if not toml:
            return ()
        path = self.folder.with_name(f"{self.folder.name}.toml")
        path.write_text(toml)
        return "--config", str(path)

    def without_roots_right(self) -> "Program":
        """Give the same program, to which what is closed is closed, whoever carries it out."""
        return Program(self.folder, [str(Path(__file__).with_name("powerless.py"))])

    def file(self, name: str, content: bytes | str) -> Path:
        """Write a file into the folder and give its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def rows(self, name: str) -> list[Any]:
        """Read a file of JSON lines."""
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def names(self) -> list[str]:
        """List what is in the folder, hidden files too."""
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def simsieve(tmp_path: Path) -> Program:
    """Give the program in an empty folder."""
    return Program(tmp_path)


@pytest.fixture
def small_disk(simsieve: Program) -> Iterator[Path]:
    """Mount a disk of half a MiB below the program's folder; skips where that is not allowed."""
    disk = simsieve.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"FULL DISK NOT TESTED: no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)
