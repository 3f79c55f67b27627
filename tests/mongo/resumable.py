"""Runs on a collection in a process of its own, which can be killed at any call, and what they have written."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

SMALL = """
import os, signal, sys, threading
from simsieve.stores.mongo import run as collections
from simsieve.stores.mongo import reading
from simsieve.stores.mongo import source as mongo
reading._FEW_DOCUMENTS, reading._SAMPLED, reading._RANGE_DOCUMENTS, reading._PAGE_DOCUMENTS = 100, 5, 100, 40
mongo._ASKED, mongo._FIRST_ASKED, collections._BATCH_ROWS, collections._NOTED_SECONDS = 40, 40, 150, 0.0
"""
"""Small pieces, so that a run of few documents has many of them."""

_COUNTED = """
left, calls, lock = int(sys.argv.pop(1)), 0, threading.Lock()
def count(frame, event, _):
    global calls
    if event == "call" and "mongo" in frame.f_code.co_filename.partition("simsieve/")[2]:
        with lock:
            calls += 1
            if calls == left:
                os.kill(os.getpid(), signal.SIGKILL)
threading.setprofile(count)
sys.setprofile(count)
from simsieve.cli import main
try:
    sys.exit(main())
finally:
    sys.setprofile(None)
    print("calls", calls, file=sys.stderr)
"""

NEVER = -1


class Ended(NamedTuple):
    """How a run ended: exit code, stderr, and how many calls of the modules for MongoDB it had made."""

    code: int
    err: str
    calls: int

    @property
    def is_killed(self) -> bool:
        """Whether it was killed."""
        return self.code == -signal.SIGKILL


def run(folder: Path, *words: str, kill_at: int = NEVER) -> Ended:
    """Run the program in small pieces; it kills itself at a call."""
    command = [sys.executable, "-c", SMALL + _COUNTED, str(kill_at), "dedup", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    calls = [int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("calls ")]
    return Ended(done.returncode, done.stderr, calls[0] if calls else 0)


def documents(count: int) -> list[dict[str, Any]]:
    """Documents, each third near the one before it; their `_id`s are of several types."""
    made: list[dict[str, Any]] = []
    for at in range(count):
        words = [f"word{at // 3 * 7919 * step % 9973}" for step in range(1, 13)]
        if at % 3 == 2:
            words[0] = "another"
        key: Any = at if at % 2 else f"q{at:06}"
        made.append({"_id": key, "text": " ".join(words), "kept_as_it_is": {"at": at}})
    return made


def written(collection: Any) -> list[dict[str, Any]]:
    """The documents of a target in the order of `_id`, without the id of the run."""
    found = list(collection.find().sort("_id", 1))
    for document in found:
        del document["simsieve"]["run"]
    return found


def counts(summary: Path) -> dict[str, Any]:
    """What a summary counts, without times, memory and the id of the run."""
    told: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8"))
    of_run = {name: told[name] for name in ("read", "kept", "dropped", "failed", "exact_duplicates", "near_duplicates")}
    return of_run | {name: value for name, value in told["collection"].items() if name != "run"}
