"""Run directories: the results of a run in memory, also after it was killed at any moment."""

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Outcome, Program
from tests.integration.killing import kill_at_random, wait_for

OUTPUTS = ("out.jsonl", "why.jsonl", "bad.jsonl")
WORDS = ("--decisions", "why.jsonl", "--failed", "bad.jsonl", "--max-failed", "100%")
TIMES = ("seconds", "peak_rss_bytes", "peak_anonymous_bytes", "peak_mapped_bytes", "stages", "plan")


def questions(records: int, seed: int = 7) -> Iterator[str]:
    """Questions; every fourth is an edited copy."""
    choose = random.Random(seed)
    texts: list[list[str]] = []
    for number in range(records):
        if number % 4 == 3:
            words = list(choose.choice(texts))
            words[choose.randrange(len(words))] = "changed"
        else:
            words = [f"w{int(choose.random() ** 2 * 30000)}" for _ in range(choose.randrange(12, 24))]
        texts.append(words)
        yield " ".join(words)


def write_corpus(path: Path, records: int, seed: int = 7) -> None:
    """Write questions as JSON lines, and some lines that are none."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(questions(records, seed)):
            file.write("no json\n" if number % 1000 == 17 else f'{{"id": {number}, "text": "{text}"}}\n')


def results(folder: Path) -> list[bytes]:
    """The bytes of all results."""
    return [(folder / name).read_bytes() for name in OUTPUTS]


def summary(folder: Path) -> dict[str, object]:
    """The summary of a run without times, memory and forecast; it is removed."""
    path = folder / "s.json"
    numbers = {name: value for name, value in json.loads(path.read_text()).items() if name not in TIMES}
    path.unlink()
    return numbers


def command(simsieve: Program, *words: str) -> list[str]:
    """The command line of a run over the corpus."""
    return simsieve.command("dedup", "in.jsonl", "-o", "out.jsonl", *WORDS, *words)


def run(simsieve: Program, *words: str) -> Outcome:
    """Carry out a run to its end."""
    return simsieve("dedup", "in.jsonl", "-o", "out.jsonl", *WORDS, *words)


def expected(simsieve: Program, records: int) -> list[bytes]:
    """The results of a run in memory, which are removed."""
    write_corpus(simsieve.folder / "in.jsonl", records)
    assert run(simsieve).code == 0
    made = results(simsieve.folder)
    for name in OUTPUTS:
        (simsieve.folder / name).unlink()
    return made


def seconds_of(simsieve: Program, *words: str) -> float:
    """The seconds of a run in a process of its own, as those that are killed."""
    begun = time.monotonic()
    subprocess.run(command(simsieve, *words), cwd=simsieve.folder, capture_output=True, check=True)
    return time.monotonic() - begun


def kill_until_done(simsieve: Program, kills: int, seconds: float, *words: str) -> int:
    """Kill a run at random moments and go on with it, then let it end; returns how often it was killed."""
    killed = kill_at_random(command(simsieve, "--resume", *words), simsieve.folder, kills, seconds)
    run(simsieve, "--resume", *words).ok()
    return killed


def test_a_killed_run_goes_on_to_the_same_bytes(simsieve: Program) -> None:
    """Runs that are killed with SIGKILL at random moments end with the bytes of a run in memory, and leave nothing."""
    made = expected(simsieve, 12_000)
    seconds = seconds_of(simsieve, "--memory", "8GiB", "--summary", "s.json")
    undisturbed = summary(simsieve.folder)
    killed = kill_until_done(simsieve, 6, 1.2 * seconds, "--memory", "1MiB", "--summary", "s.json")
    assert results(simsieve.folder) == made and summary(simsieve.folder) == undisturbed
    assert simsieve.names() == sorted(["in.jsonl", *OUTPUTS])
    assert killed


@pytest.mark.parametrize("threads", ["2", pytest.param("1", marks=pytest.mark.slow)])
def test_a_bound_of_memory_changes_nothing(simsieve: Program, threads: str) -> None:
    """A run that needs more than it may hold has its columns in files, which are gone at the end.

    The columns of sketches are larger than half of the bound, so the search reads them in order of places.
    """
    made = expected(simsieve, 12_000)
    run(simsieve, "--memory", "1MiB", "--threads", threads, "--keep", "last", "--summary", "s.json").ok()
    other = results(simsieve.folder)
    assert run(simsieve, "--keep", "last").code == 0 and results(simsieve.folder) == other != made
    assert run(simsieve, "--memory", "1MiB", "--threads", threads).code == 0
    assert results(simsieve.folder) == made and simsieve.names() == sorted(["in.jsonl", "s.json", *OUTPUTS])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_run_of_300_000_is_killed_100_times(simsieve: Program) -> None:
    """The same over all stages of a larger run, with one and two threads and several bounds of memory."""
    made, seconds = expected(simsieve, 300_000), seconds_of(simsieve)
    killed = 0
    for threads, memory in (("1", "256MiB"), ("2", "300MiB"), ("2", "16GiB"), ("1", "1GiB")):
        killed += kill_until_done(simsieve, 25, 0.5 * seconds, "--threads", threads, "--memory", memory)
        assert results(simsieve.folder) == made and simsieve.names() == sorted(["in.jsonl", *OUTPUTS])
    assert killed > 50


@pytest.mark.parametrize("threads", ["2", pytest.param("1", marks=pytest.mark.slow)])
def test_a_named_directory_stays_and_is_private(simsieve: Program, threads: str) -> None:
    """A named directory has the same results, stays for its owner alone, and gives them again without a search."""
    made = expected(simsieve, 9_000)
    words = ("--run-dir", "run", "--memory", "256MiB", "--threads", threads)
    assert run(simsieve, *words).code == 0
    folder = simsieve.folder / "run"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert results(simsieve.folder) == made
    refused = run(simsieve, *words).refused()
    assert "holds a run" in refused and "--resume" in refused
    assert run(simsieve, *words, "--resume").code == 0 and results(simsieve.folder) == made
    told = run(simsieve, *words, "--resume", "--similarity", "0.5").refused()
    assert "0.6" in told and "0.5" in told
    changed = run(simsieve, *words, "--resume", *simsieve.settings("max_record_bytes = 1000"))
    assert "max_record_bytes was 268435456" in changed.err
    with (simsieve.folder / "in.jsonl").open("a") as file:
        file.write('{"id": 1, "text": "one more"}\n')
    changed = run(simsieve, *words, "--resume")
    assert changed.code == 2 and "in.jsonl" in changed.err
    assert results(simsieve.folder) == made


def test_a_second_process_is_told_who_holds_the_directory(simsieve: Program) -> None:
    """While one process works in a directory, another is refused with the number of the first."""
    write_corpus(simsieve.folder / "in.jsonl", 20_000)
    words = command(simsieve, "--run-dir", "run", "--threads", "1")
    with subprocess.Popen(words, cwd=simsieve.folder, stderr=subprocess.PIPE) as first:
        wait_for(first, simsieve.folder / "run" / "lock", str(first.pid).encode())
        # Stopped, so that it holds the directory however slow the second one is.
        first.send_signal(signal.SIGSTOP)
        second = run(simsieve, "--run-dir", "run", "--resume")
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert second.code == 2 and f"in use by process {first.pid};" in second.err
    assert run(simsieve, "--run-dir", "run", "--resume").code == 0


def test_ctrl_c_says_how_to_go_on(simsieve: Program) -> None:
    """SIGINT after something is finished leaves the directory and names the option."""
    write_corpus(simsieve.folder / "in.jsonl", 20_000)
    words = command(simsieve, "--run-dir", "run", "--threads", "1")
    with subprocess.Popen(words, cwd=simsieve.folder, stderr=subprocess.PIPE) as running:
        wait_for(running, simsieve.folder / "run" / "run.log", b"freeze")
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        told = running.stderr.read().decode()
        assert running.wait(timeout=100) == 130
    assert "--resume" in told.splitlines()[-1] and "Traceback" not in told
    assert run(simsieve, "--run-dir", "run", "--resume").code == 0
