"""Runs that are stopped, or that cannot write: full disks, signals, closed pipes, links and devices as sinks."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.test_run_directory import OUTPUTS, expected, results, run

GOOD = b'{"id": 1, "text": "a text that is good and has enough words to have features"}\n'
OTHER = b'{"id": 2, "text": "something else altogether, of which nothing stands in the first"}\n'
OLD = b"what stood here before\n"


def large(program: Program, records: int) -> Path:
    """Write a source of records of 1,200 hex digits that have nothing in common."""
    source = program.folder / "in.jsonl"
    with source.open("w") as file:
        file.writelines(f'{{"id": {n}, "text": "{os.urandom(600).hex()}"}}\n' for n in range(records))
    return source


@pytest.mark.parametrize("sink", ["kept.jsonl", "kept.jsonl.gz", "kept.jsonl.zst"])
def test_a_full_disk_leaves_the_old_sink(simsieve: Program, small_disk: Path, sink: str) -> None:
    """Where the disk fills up the run ends with 2 and names the sink; what stood there stays, nothing beside it."""
    large(simsieve, 2000)
    (small_disk / sink).write_bytes(OLD)
    outcome = simsieve("dedup", "in.jsonl", "-o", f"disk/{sink}", "--quiet")

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: disk/{sink}: ")
    assert "no room is left in disk" in outcome.err and "free some space, or write elsewhere" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert [path.name for path in small_disk.iterdir()] == [sink]
    assert (small_disk / sink).read_bytes() == OLD


@pytest.mark.parametrize("option", ["--decisions", "--failed"])
def test_a_full_disk_for_the_decisions_leaves_no_sink(simsieve: Program, small_disk: Path, option: str) -> None:
    """Where there is no room for what is told of the run, no kept file appears either: it comes last."""
    with (simsieve.folder / "in.jsonl").open("wb") as file:
        file.writelines(b'{"id": "%d%s", "text": "t %d"}\n' % (n, b"i" * 300, n) for n in range(1500))
        file.writelines(b"no JSON " * 60 + b"\n" for _ in range(1500))
    told = simsieve(
        "dedup", "in.jsonl", "-o", "out.jsonl", option, "disk/side.jsonl", "--quiet", "--max-failed", "100%"
    ).refused()
    assert "disk/side.jsonl: " in told and "free some space" in told
    assert list(small_disk.iterdir()) == []
    assert simsieve.names() == ["disk", "in.jsonl"]


@pytest.mark.parametrize("source", ["-", "in.jsonl"])
def test_a_full_temporary_folder_says_what_to_do(simsieve: Program, small_disk: Path, source: str) -> None:
    """Where stdin or stdout finds no room to wait in, the run ends with 2 and says to set TMPDIR; no output."""
    path = large(simsieve, 2000)
    words = ["dedup", source, "-o", "out.jsonl" if source == "-" else "-", "--quiet", "--input-format", "jsonl"]
    given = path.read_bytes() if source == "-" else b""
    outcome = simsieve(*words, given=given, env={"TMPDIR": str(small_disk)})

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith("simsieve: -: ")
    assert "TMPDIR" in outcome.err and str(small_disk) in outcome.err
    assert list(small_disk.iterdir()) == []
    assert simsieve.names() == ["disk", "in.jsonl"]


@pytest.mark.parametrize(
    "source",
    [
        "({'text': f'{n} ' * 100} for n in range(100_000))",
        "pa.table({'n': np.random.default_rng(1).random(10**6), 'text': pa.nulls(10**6)}).to_reader(1000)",
    ],
    ids=["records", "stream"],
)
def test_rows_without_room_to_wait_in(simsieve: Program, small_disk: Path, source: str) -> None:
    """Where records or a stream find no room to wait in, the library says so as a SinkError; nothing is left there."""
    script = (
        "import numpy as np, pyarrow as pa\n"
        "from simsieve import SinkError, dedup\n"
        "try:\n"
        f"    dedup({source})\n"
        "except SinkError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TMPDIR": str(small_disk)}, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{small_disk}: No space left on device; set TMPDIR to a folder with room\n"
    assert list(small_disk.iterdir()) == []


def fill(disk: Path) -> Path:
    """Write a file that leaves no room on a disk."""
    path = disk / "ballast"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return path


def test_a_disk_full_from_the_start_leaves_no_run_directory(simsieve: Program, small_disk: Path) -> None:
    """Where there is no room for the lock, the run says whose room is missing, and leaves no folder."""
    made = expected(simsieve, 300)
    ballast = fill(small_disk)
    refused = run(simsieve, "--run-dir", "disk/run", "--quiet").refused()
    assert refused.startswith("simsieve: disk/run: no room is left for the run directory; make room")
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]
    ballast.unlink()
    assert run(simsieve, "--run-dir", "disk/run", "--quiet").code == 0 and results(simsieve.folder) == made


def test_a_run_goes_on_after_room_was_made(simsieve: Program, small_disk: Path) -> None:
    """A disk that gets full under a run directory is told of; with more room the run goes on to the same bytes."""
    made = expected(simsieve, 20_000)
    refused = run(simsieve, "--run-dir", "disk/run", "--quiet").refused()
    warning, told, *_ = refused.splitlines()
    assert warning.startswith("simsieve: warning: the run directory takes about ") and "free for disk/run" in warning
    assert told.startswith("simsieve: disk/run: no room is left for the run directory; make room and go on with")
    assert "--resume" in told and "Traceback" not in refused
    assert not set(OUTPUTS) & set(simsieve.names())
    assert told[:60] in run(simsieve, "--run-dir", "disk/run", "--quiet", "--resume").refused()
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert run(simsieve, "--run-dir", "disk/run", "--quiet", "--resume").code == 0
    assert results(simsieve.folder) == made


def parts(folder: Path) -> list[str]:
    """The unfinished files in a folder."""
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
@pytest.mark.parametrize("before", [None, OLD], ids=["new sink", "old sink"])
def test_a_run_stopped_while_writing_leaves_the_sink_as_it_was(
    simsieve: Program, stop: signal.Signals, code: int, before: bytes | None
) -> None:
    """Killed or interrupted while it writes, a run leaves no sink, or the old one untouched."""
    large(simsieve, 30_000)
    sink = simsieve.folder / "out.jsonl.gz"
    if before is not None:
        sink.write_bytes(before)
    command = simsieve.command("dedup", "in.jsonl", "-o", sink.name, "--quiet", "--sample", "0", "--max-distance", "0")
    with subprocess.Popen(command, cwd=simsieve.folder, stderr=subprocess.PIPE) as running:
        limit = time.monotonic() + 60
        while not parts(simsieve.folder) and running.poll() is None and time.monotonic() < limit:
            time.sleep(0.002)
        running.send_signal(stop)
        _, told = running.communicate(timeout=60)

    assert running.returncode == code, told.decode()
    assert (sink.read_bytes() if sink.exists() else None) == before
    if stop == signal.SIGINT:
        assert told.decode() == "simsieve: interrupted; nothing was left half written\n"
        assert parts(simsieve.folder) == []


def test_a_run_after_a_kill_writes_the_whole(simsieve: Program) -> None:
    """What a killed run left behind does not disturb the next."""
    simsieve.file("in.jsonl", GOOD + OTHER)
    simsieve.file(".out.jsonl.abc.part", b"rest")

    assert simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--quiet") == (0, b"", "")
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert simsieve.names() == [".out.jsonl.abc.part", "in.jsonl", "out.jsonl"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_as_sink_stays_a_link(simsieve: Program, *, exists: bool) -> None:
    """A sink that is a symbolic link stays one, and its target gets the records, with the target's permissions."""
    simsieve.file("in.jsonl", GOOD + OTHER)
    (simsieve.folder / "far").mkdir()
    target = simsieve.folder / "far" / "target.jsonl"
    if exists:
        target.write_bytes(OLD)
        target.chmod(0o640)
    link = simsieve.folder / "out.jsonl"
    link.symlink_to(Path("far", "target.jsonl"))

    assert simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--quiet") == (0, b"", "")
    assert link.is_symlink() and not target.is_symlink()
    assert target.read_bytes() == GOOD + OTHER
    if exists:
        assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["target.jsonl"]


def test_devices_as_sinks(simsieve: Program) -> None:
    """No output to the null device is kept; it stays a device and may be named twice."""
    simsieve.file("in.jsonl", GOOD + OTHER)
    null = Path("/dev/null")
    outcome = simsieve(
        "dedup", "in.jsonl", "-o", null, "--decisions", null, "--failed", null, "--summary", "s.json", "--quiet"
    )

    assert outcome == (0, b"", "")
    assert null.is_char_device()
    assert simsieve.names() == ["in.jsonl", "s.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NOT TESTED: there is no device that is always full here")
def test_a_full_device_is_told(simsieve: Program) -> None:
    """A device without room ends the run with 2 and is named."""
    simsieve.file("in.jsonl", GOOD)
    outcome = simsieve("dedup", "in.jsonl", "-o", "/dev/full", "--quiet")

    assert outcome.code == 2 and outcome.err.startswith("simsieve: /dev/full: no room is left in /dev")


def shell(program: Program, line: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in the folder, with `simsieve` as the program; any part that fails fails the line."""
    words = " ".join(f"'{word}'" for word in program.command())
    script = f'set -o pipefail; simsieve() {{ {words} "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", script], cwd=program.folder, capture_output=True, timeout=100, check=False)


def test_stdin_to_stdout_through_pipes(simsieve: Program) -> None:
    """From pipe to pipe to pipe, twice, the kept records come out byte for byte."""
    simsieve.file("in.jsonl", GOOD + OTHER + GOOD)
    line = "cat in.jsonl | simsieve dedup - -o - -q | gzip | simsieve dedup - -o - -q | cat"
    done = shell(simsieve, line)

    assert (done.returncode, done.stdout, done.stderr) == (0, GOOD + OTHER, b"")


MIB = 1 << 20
# What Python, its modules and the threads' stacks take of the address space is below the lesser of these.
LIMITS = [700 * MIB, pytest.param(1400 * MIB, marks=pytest.mark.slow)]


@pytest.mark.parametrize("limit", LIMITS, ids=["700 MiB", "1400 MiB"])
def test_memory_that_runs_out_is_told_in_one_line(simsieve: Program, limit: int) -> None:
    """Exit code 2, one line with the bytes and what to do, and the former output byte for byte."""
    record = b'{"text": "%s"}\n' % (b"0123456789abcdef words " * (limit // 2 // 23))
    simsieve.file("in.jsonl", record * 2)
    simsieve.file("out.jsonl", b"the former output\n")
    words = "dedup in.jsonl -o out.jsonl --quiet --threads 1".split()
    done = subprocess.run(
        simsieve.command(*words, *simsieve.settings(f"max_record_bytes = {limit}")),
        cwd=simsieve.folder,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    told = done.stderr.decode()

    assert done.returncode == 2, told
    assert re.fullmatch(r"simsieve: the memory is used up: \d+ more bytes [^\n]*`simsieve plan`[^\n]*\n", told)
    assert (simsieve.folder / "out.jsonl").read_bytes() == b"the former output\n"
