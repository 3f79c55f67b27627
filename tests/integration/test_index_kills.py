"""Kills at any moment of any change of an index, while two processes read it."""

import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from simsieve import Index

Change = tuple[str, tuple[int, ...]]
STEPS = 5_000


def changes(seed: int) -> tuple[list[Change], list[frozenset[int]]]:
    """Changes after one another, and the ids that an index keeps before the first and after each: plain sets."""
    draw, kept = random.Random(seed), frozenset[int]()
    batches: dict[int, tuple[int, ...]] = {}
    steps: list[Change] = []
    states = [kept]
    for step in range(STEPS):
        kind = draw.choice(["add", "add", "add", "remove", "undo", "compact", "purge", "refreeze"])
        ids: tuple[int, ...] = ()
        if kind == "add" or not batches:
            kind, ids = "add", tuple(range(10 * step, 10 * step + draw.choice([1, 4])))
            batches[step] = ids
            kept |= set(ids)
        elif kind == "remove" and kept:
            ids = tuple(draw.sample(sorted(kept), min(3, len(kept))))
            kept -= set(ids)
        elif kind == "undo":
            batch = draw.choice(sorted(batches))
            ids = (batch,)
            kept -= set(batches.pop(batch))
        elif kind == "purge":
            # What is purged is no batch to undo any more where all of it is gone.
            batches = {batch: ids for batch, ids in batches.items() if kept & set(ids)}
        steps.append((kind, ids))
        states.append(kept)
    return steps, states


def text(id_: int) -> str:
    """A text that is near no other."""
    draw = random.Random(id_)
    return "".join(chr(0x4E00 + draw.randrange(8000)) for _ in range(40))


def do(index: Index, step: int, change: Change) -> None:
    """Carry out a change; the name of a batch is that of its step."""
    kind, ids = change
    if kind == "add":
        index.add_texts([text(id_) for id_ in ids], list(ids), name=f"b{step}")
    elif kind == "remove":
        index.remove(ids)
    elif kind == "undo":
        index.undo(f"b{ids[0]}")
    elif kind == "refreeze":
        index.refreeze()
    else:
        index.compact(purge=kind == "purge")


def forked(work: Callable[[], None]) -> int:
    """Do some work in another process; give its number."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        if code:
            traceback.print_exc()
        # The other process must not go on with the tests of this one.
        sys.stderr.flush()
        os._exit(code)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("kills", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_any_change_is_there_whole_or_not_at_all(tmp_path: Path, kills: int) -> None:
    """After each kill the index is whole and has the state before or after the change; a reader never sees another."""
    steps, states = changes(kills)
    path, journal, known = tmp_path / "seen", tmp_path / "done", set(states)
    Index.create(path).close()
    journal.touch()

    def write() -> None:
        with Index.open(path, write=True, wait=5) as index, journal.open("ab", buffering=0) as done:
            for step in range(start, STEPS):
                do(index, step, steps[step])
                done.write(b".")

    def read() -> None:
        with Index.open(path) as index:
            while True:
                index.refresh()
                assert frozenset(id_ for id_, _ in index) in known

    draw, start, unsaid = random.Random(1), 0, 0
    readers = [forked(read) for _ in range(2)]
    try:
        for _ in range(kills):
            writer = forked(write)
            marks, end = draw.randrange(4), time.monotonic() + 20
            while len(journal.read_bytes()) < marks and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.03))
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            acknowledged = start + len(journal.read_bytes())
            with Index.open(path) as index:
                index.verify()
                found = frozenset(id_ for id_, _ in index)
            assert found in states[acknowledged : acknowledged + 2], acknowledged
            done = acknowledged + (found != states[acknowledged])
            unsaid += done - acknowledged
            # An undo that changes no ids may be there or not, and is refused where it is.
            if done == acknowledged and steps[acknowledged][0] == "undo" and states[done] == states[done + 1]:
                done += 1
            start = done
            journal.write_bytes(b"")
            ended = [reader for reader in readers if os.waitpid(reader, os.WNOHANG) != (0, 0)]
            readers = [reader for reader in readers if reader not in ended]
            assert not ended, "a reader has ended"
    finally:
        for reader in readers:
            os.kill(reader, signal.SIGKILL)
            os.waitpid(reader, 0)
    assert start >= kills and unsaid < start, (
        f"{start} changes were made, {unsaid} of them by a writer that did not say so"
    )
