"""A run on objects that is killed at any moment goes on to the same bytes, and leaves nothing else in the store."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.test_run_directory import write_corpus
from tests.s3.conftest import Store

from simsieve import dedup

KILLED = """
import os, signal, sys, threading
from simsieve.stores.s3 import uploads
uploads._PART_BYTES = 5 << 20
name, left = sys.argv.pop(1), int(sys.argv.pop(1))
def count(frame, event, _):
    global left
    code = frame.f_code
    if event == "call" and code.co_name == name and "simsieve" in code.co_filename:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
threading.setprofile(count)
sys.setprofile(count)
from simsieve.cli import main
sys.exit(main())
"""
WHERE = [("_fetch_one", 2), ("note_in", 1), ("load", 1), ("write_sides", 1), ("_send_part", 2), ("_make", 2)]
RECORDS = 50_000


def run(folder: Path, name: str, at: int, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the program, which kills itself at a call of a function."""
    command = [sys.executable, "-c", KILLED, name, str(at), "dedup", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["kept.jsonl", "out/"])
def test_kills_at_chosen_calls(output: str, store: Store, here: Path) -> None:
    """Each kill is followed by a run that goes on; the last one ends."""
    write_corpus(here / "a.jsonl", RECORDS)
    write_corpus(here / "b.jsonl", 1000, seed=9)
    sources = [store.put(name, (here / name).read_bytes()) for name in ("a.jsonl", "b.jsonl")]
    result = dedup([here / "a.jsonl", here / "b.jsonl"], max_failed=1000)
    expected = {"kept.jsonl": here / "expected.jsonl"}
    if output == "out/":
        result.write("expected/")
        expected = {f"out/{name}": here / "expected" / name for name in ("a.jsonl", "b.jsonl")}
    else:
        result.write("expected.jsonl")

    words = [*sources, "-o", store.name(output), "--decisions", store.name("why.jsonl"), "--run-dir", "run"]
    words += ["--max-failed", "1000", "--quiet", "--resume"]
    for name, at in WHERE if output == "kept.jsonl" else WHERE[-2:]:
        ended = run(here, name, at, *words)
        assert ended.returncode == -signal.SIGKILL, (name, ended.stderr)
        assert name == "_make" or not set(store.keys()) & set(expected)
    # It would be killed if it fetched an object again.
    ended = run(here, "_fetch_one", 1, *words)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert store.keys() == sorted(["a.jsonl", "b.jsonl", "why.jsonl", *expected])
    for key, path in expected.items():
        assert store.get(key) == path.read_bytes()
    assert store.unfinished() == []
    assert {name for name in os.listdir("run") if "part" in name} == set()
