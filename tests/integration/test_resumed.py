"""A run that cannot go on says which source or option has changed, by its name; and a run is read without a change."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.killing import kill_at, wait_for
from tests.integration.test_run_directory import OUTPUTS, command, expected, results, run

WORDS = ("shard*.jsonl", "-o", "out.jsonl", "--decisions", "why.jsonl", "--quiet")
RUN = ("--run-dir", "run")


@pytest.fixture
def begun(simsieve: Program) -> Program:
    """A program that has carried out a run on three shards, whose directory is there."""
    for at in range(3):
        texts = (f"question {at} about w{n % 90} and x{n % 70} of the year {1900 + n}" for n in range(100))
        simsieve.file(f"shard{at}.jsonl", "".join(f'{{"id": {n}, "text": "{text}"}}\n' for n, text in enumerate(texts)))
    simsieve.file("verdicts.csv", "a,b,verdict\n1,2,different\n")
    assert simsieve("dedup", *WORDS, *RUN).code == 0
    return simsieve


def refused(program: Program, *words: str) -> str:
    """The one line by which the run is refused; its directory stays as it was."""
    before = contents(program.folder / "run")
    told = program("dedup", *WORDS, *RUN, "--resume", *words)
    assert (told.code, len(told.err.splitlines())) == (2, 1), told.err
    assert contents(program.folder / "run") == before
    return told.err


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a run directory with their bytes."""
    return {name: content for name, (content, _) in tree(folder).items()}


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The files of a run directory with their bytes and times of change; the lock has the number of a process."""
    files = (path for path in folder.iterdir() if path.name != "lock")
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_a_missing_shard_is_named(begun: Program) -> None:
    """A shard that a pattern does not find any more is named by its path, in both languages."""
    at = 1
    (begun.folder / f"shard{at}.jsonl").rename(begun.folder / "away")
    assert refused(begun) == (
        f"simsieve: run: shard{at}.jsonl was a source when this run began, and is none now; put it back, or remove the"
        " folder and begin again\n"
    )
    told = begun("dedup", *WORDS, *RUN, "--resume", env={"SIMSIEVE_LANG": "zh"}).err
    assert f"shard{at}.jsonl 在这次运行开始时是输入，现在不是" in told
    (begun.folder / "away").rename(begun.folder / f"shard{at}.jsonl")
    assert begun("dedup", *WORDS, *RUN, "--resume").code == 0


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--text-field id", 'run: --text-field was ["text"] when this run began, and is ["id"] now'),
        ("--recall 0.9", "recall was 0.9"),
        ("--block-by id", "--block-by and --differ was "),
        ("--verdicts verdicts.csv", "the digest of verdicts was "),
        ("--same numbers", '--same was [] when this run began, and is ["numbers/3"] now'),
        ("--encoding gb18030", "encoding was "),
    ],
)
def test_another_setting_is_named_as_its_option(begun: Program, words: str, part: str) -> None:
    """A run that goes on with another setting is refused by the name that the setting has, with both values."""
    told = refused(begun, *words.split())
    assert part in told and "go on with what it was, or remove the folder and begin again" in told


@pytest.fixture
def read_only(begun: Program) -> Iterator[Path]:
    """Make the run directory a mount that nobody can write; skips where that is not allowed."""
    run = begun.folder / "run"
    bound = subprocess.run(["mount", "--bind", str(run), str(run)], capture_output=True, check=False)
    if bound.returncode:
        pytest.skip(f"READ-ONLY RUN NOT TESTED: nothing can be mounted here: {bound.stderr.decode().strip()}")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(run)], check=True)
    yield run
    subprocess.run(["umount", str(run)], check=True)


def test_a_read_only_run_is_refused(begun: Program, read_only: Path) -> None:
    """Going on with a run whose directory cannot be written says so."""
    told = begun("dedup", *WORDS, *RUN, "--resume").refused()
    assert told.startswith("simsieve: run: the run directory cannot be written: Read-only file system")
    assert told.endswith("grant the right, or name another\n")
    assert (read_only / "run.log").exists()


@pytest.mark.parametrize("jump", [-(10**9), 10**9], ids=["backwards", "forwards"])
def test_a_clock_that_jumps_changes_nothing(simsieve: Program, jump: int) -> None:
    """A source from the future, and a run directory whose times lie decades off, give the bytes of a run in memory."""
    made = expected(simsieve, 20_000)
    source, folder = simsieve.folder / "in.jsonl", simsieve.folder / "run"
    os.utime(source, (time.time() + 10**9,) * 2)
    words = command(simsieve, "--run-dir", "run", "--threads", "1")
    assert kill_at(words, simsieve.folder, folder / "run.log", b"freeze")
    for path in [folder, *folder.iterdir()]:
        os.utime(path, (time.time() + jump,) * 2)
    assert run(simsieve, "--run-dir", "run", "--resume").code == 0 and results(simsieve.folder) == made


CLOCK = """
import sys, time
wall, steady = time.time(), time.monotonic()
from simsieve.cli import main
code = main()
print("moved", round(time.time() - wall - (time.monotonic() - steady)), file=sys.stderr)
sys.exit(code)
"""
"""Runs the program and tells by how many seconds the system clock was moved meanwhile."""


@pytest.mark.slow
@pytest.mark.parametrize("jump", ["-30y", pytest.param("+30y", marks=pytest.mark.slow)], ids=["backwards", "forwards"])
def test_a_clock_that_is_moved_during_a_run_changes_nothing(simsieve: Program, jump: str) -> None:
    """A run whose system clock is moved by decades while it works, and one that is killed then, give the same bytes."""
    library = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if library is None:
        pytest.skip("MOVED CLOCK NOT TESTED: there is no libfaketime; on Debian apt-get install libfaketime")
    made = expected(simsieve, 60_000)
    offset = simsieve.file("offset", "+0")
    env = {
        **os.environ, "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
    }  # fmt: skip
    words = [sys.executable, "-c", CLOCK, *command(simsieve, "--run-dir", "run", "--threads", "1")[3:]]
    for kills in (True, False):
        offset.write_text("+0")
        with subprocess.Popen(words, cwd=simsieve.folder, stderr=subprocess.PIPE, env=env) as running:
            wait_for(running, simsieve.folder / "run" / "run.log", b"freeze")
            offset.write_text(jump)
            if kills:
                running.send_signal(signal.SIGKILL)
            _, told = running.communicate(timeout=100)
        assert running.returncode == (-signal.SIGKILL if kills else 0), told.decode()
        if kills:
            # It goes on under the moved clock.
            done = subprocess.run([*words, "--resume"], cwd=simsieve.folder, capture_output=True, env=env, check=False)
            assert done.returncode == 0, done.stderr.decode()
        else:
            moved = int(told.decode().split("moved ")[1])
            assert abs(moved) > 29 * 365 * 86400 and (moved < 0) == jump.startswith("-")
        assert results(simsieve.folder) == made
        shutil.rmtree(simsieve.folder / "run")
        for name in OUTPUTS:
            (simsieve.folder / name).unlink()
