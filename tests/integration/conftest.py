"""What the tests of the command line share: a folder, the program, and what it said."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest


class Outcome(NamedTuple):
    """What a run of the program left: exit code, stdout as bytes, stderr as text."""

    code: int
    out: bytes
    err: str


class Program:
    """The command line, run as a program of its own in a folder of its own."""

    def __init__(self, folder: Path, start: Sequence[str] = ("-m", "simsieve")) -> None:
        self.folder = folder
        self.start = start

    def __call__(self, *words: str | Path, given: bytes = b"", env: dict[str, str] | None = None) -> Outcome:
        """Run `simsieve` with these words; `given` is its stdin."""
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

    def without_roots_right(self) -> "Program":
        """Give the same program, to which what is closed is closed, whoever carries it out."""
        return Program(self.folder, [str(Path(__file__).with_name("powerless.py"))])

    def file(self, name: str, content: bytes | str) -> Path:
        """Write a file into the folder and give its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def names(self) -> list[str]:
        """List what is in the folder, hidden files too."""
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def simsieve(tmp_path: Path) -> Program:
    """Give the program in an empty folder."""
    return Program(tmp_path)


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, bytes], bytes]:
    """Give a function that packs bytes as a file of a name would be, with the program's own sinks."""

    def pack(name: str, content: bytes) -> bytes:
        program = Program(tmp_path_factory.mktemp("packed"))
        program.file("plain.jsonl", content)
        outcome = program("dedup", "plain.jsonl", "-o", name, "--quiet", "--max-distance", "0", "--max-failed", "100%")
        assert outcome == Outcome(0, b"", "")
        return (program.folder / name).read_bytes()

    return pack
