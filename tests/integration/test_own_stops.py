"""What ends a run while it calls functions of the user: Ctrl-C, and what they raise to end the program."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Never

import pytest

import simsieve
from simsieve import CustomScheme
from simsieve.config.settings import DedupConfig
from simsieve.run.pipeline import run_dedup

SLOW = """
import sys, time
import simsieve
from simsieve import CustomScheme
def features(text):
    with open("began", "a") as began:
        began.write(".")
    time.sleep(0.05)
    return text.split()
scheme = CustomScheme("slow", features=features, version="1")
texts = [f"one two three {n}" for n in range(4000)]
CALL
open("done", "w").close()
"""
CALLS = {
    "dedup": 'simsieve.dedup(texts, scheme=scheme, threads=THREADS).write("out.jsonl")',
    "transform": "simsieve.Fingerprinter(scheme).transform(texts, threads=THREADS)",
    "pairs": "simsieve.find_pairs(texts, scheme=scheme, threads=THREADS)",
    "one": "[simsieve.fingerprint(text, scheme) for text in texts]",
}
TEXTS = [f"one two three {n}" for n in range(300)]


class Ending(BaseException):
    """What is no Exception: a program's own way to end."""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", sorted(CALLS))
def test_ctrl_c_is_heard_while_functions_work(call: str, threads: int, tmp_path: Path) -> None:
    """A real SIGINT to a real process ends the call at once with KeyboardInterrupt, and nothing is written."""
    program = SLOW.replace("CALL", CALLS[call]).replace("THREADS", str(threads))
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, cwd=tmp_path) as running:
        limit = time.monotonic() + 60
        while not (tmp_path / "began").exists() and running.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        before = (tmp_path / "began").stat().st_size
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        told = running.stderr.read().decode()
        code = running.wait(timeout=100)

    assert code == -signal.SIGINT
    assert told.splitlines()[-1] == "KeyboardInterrupt"
    # Of the 4,000 texts. A group of them, and all that is read ahead, would be more.
    assert (tmp_path / "began").stat().st_size <= before + 400
    assert [path.name for path in tmp_path.iterdir()] == ["began"]


def ending(raised: BaseException, part: str) -> CustomScheme:
    """A scheme one of whose functions ends the program at the 100th text."""

    def end(text: str) -> Never:
        raise raised

    def feature(text: str) -> list[str]:
        return end(text) if part == "features" and text.endswith(" 99") else text.split()

    def weight(text: str, count: int) -> float:
        return end(text) if part == "weights" and text == "99" else count

    def bits(text: str) -> int:
        return end(text) if part == "hash" and text == "99" else len(text)

    return CustomScheme("ending", features=feature, weights=weight, hash=bits, version="1")


WAYS: dict[str, Callable[[CustomScheme, Path], Any]] = {
    "dedup": lambda scheme, folder: simsieve.dedup(TEXTS, scheme=scheme).write(folder / "out.jsonl"),
    "pairs": lambda scheme, _: simsieve.find_pairs(TEXTS, scheme=scheme),
    "transform": lambda scheme, _: simsieve.Fingerprinter(scheme).transform(TEXTS),
    "fingerprint": lambda scheme, _: simsieve.fingerprint(TEXTS[99], scheme),
    "similarity": lambda scheme, _: simsieve.similarity(TEXTS[98], TEXTS[99], scheme),
}


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(7), Ending("enough")], ids=type)
@pytest.mark.parametrize("part", ["features", "weights", "hash"])
@pytest.mark.parametrize("way", sorted(WAYS))
def test_what_ends_a_program_ends_the_run(way: str, part: str, raised: BaseException, tmp_path: Path) -> None:
    """It comes out of the call as it was raised, fails no record, and nothing is written."""
    with pytest.raises(type(raised)) as caught:
        WAYS[way](ending(raised, part), tmp_path)

    assert caught.value is raised
    assert list(tmp_path.iterdir()) == []


def test_an_ended_run_ends_no_other() -> None:
    """The same scheme works on, and a run inside a function ends the outer one only if it is let through."""
    scheme = ending(KeyboardInterrupt(), "features")
    with pytest.raises(KeyboardInterrupt):
        simsieve.dedup(TEXTS, scheme=scheme)
    assert simsieve.dedup(TEXTS[:99], scheme=scheme).counts.failed == 0

    def inside(text: str) -> list[str]:
        try:
            simsieve.fingerprint(TEXTS[99], scheme)
        except KeyboardInterrupt:
            return text.split()
        raise AssertionError("the inner call went on")

    assert simsieve.dedup(TEXTS, scheme=CustomScheme("outer", features=inside, version="1")).counts.failed == 0


def test_an_exception_still_fails_its_record_alone() -> None:
    """Errors are no end of the program."""
    result = simsieve.dedup(TEXTS, scheme=ending(ValueError("no"), "features"), max_failed="100%")

    assert result.counts.failed == 1 and result.counts.read == len(TEXTS)


def test_progress_is_told_in_the_callers_thread_and_may_end_the_run() -> None:
    """Progress comes from where the run was called, and what it raises comes out of the call."""
    threads: set[int] = set()

    def told(*_: object) -> None:
        threads.add(threading.get_ident())

    run_dedup(TEXTS, DedupConfig(), progress=told)
    assert threads == {threading.get_ident()}

    def end(*_: object) -> None:
        raise Ending("enough")

    with pytest.raises(Ending, match="enough"):
        run_dedup(TEXTS, DedupConfig(), progress=end)
