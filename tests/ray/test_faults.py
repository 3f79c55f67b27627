"""A worker or a node that is lost changes no decision, whatever the stage in which it is lost."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.ray.conftest import NODE, blocks, dedup, got
from tests.spark.conftest import expected, mixed, table

from simsieve.cluster.settings import COUNT, DECIDE, PAIR, ROUNDS, SPREAD, VERIFY

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600), pytest.mark.slow]
STAGES = (COUNT, SPREAD, PAIR, VERIFY, ROUNDS, DECIDE)


def busy_workers() -> list[int]:
    """The processes below this one that run a task of Ray."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words, parent = (path / "cmdline").read_bytes(), int(path.name)
            while parent not in (0, 1, os.getpid()):
                parent = int((Path("/proc") / str(parent) / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == os.getpid() and words.startswith((b"ray::simsieve", b"ray::MapBatches")):
            found.append(int(path.name))
    return found


class Striker(logging.Handler):
    """Strikes once after a stage has begun."""

    def __init__(self, stage: str, strike: Callable[[], bool]) -> None:
        super().__init__()
        self.stage, self.strike, self.done = stage, strike, False
        self.thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Begin to try when the stage begins."""
        if record.getMessage() == self.stage and self.thread is None:
            self.thread = threading.Thread(target=self._try)
            self.thread.start()

    def _try(self) -> None:
        end = time.monotonic() + 20
        while not self.done and time.monotonic() < end:
            self.done = self.strike()


def struck(ray: Any, rows: Any, stage: str, strike: Callable[[], bool]) -> list[dict[str, Any]]:
    """Decide, and strike in a stage."""
    striker, log = Striker(stage, strike), logging.getLogger("simsieve.ray.engine")
    log.setLevel(logging.INFO)
    log.addHandler(striker)
    try:
        found = got(ray, dedup(blocks(ray, rows, 6), order="place"))
    finally:
        log.removeHandler(striker)
        log.setLevel(logging.NOTSET)
    assert striker.thread is not None, "the stage has begun"
    striker.thread.join()
    assert striker.done
    return found


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rows of all kinds, with a large group, that are decided on in rounds and in many tasks."""
    from simsieve.cluster import job, rounds

    monkeypatch.setattr(rounds, "MOST_WALKED", 10)
    monkeypatch.setattr(job, "_ROWS_A_TASK", 1500)
    return table(mixed(9000))


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_killed_in_a_stage_changes_no_decision(ray: Any, rows: Any, stage: str) -> None:
    """Ray runs again what the worker did."""

    def kill() -> bool:
        for pid in busy_workers()[:1]:
            os.kill(pid, signal.SIGKILL)
            return True
        return False

    assert struck(ray, rows, stage, kill) == expected(rows)


@pytest.mark.parametrize("stage", [SPREAD, PAIR, ROUNDS, DECIDE])
def test_a_node_that_is_lost_changes_no_decision(ray: Any, nodes: Any, rows: Any, stage: str) -> None:
    """Ray makes the blocks of its object store again."""

    def lose() -> bool:
        time.sleep(0.2)
        nodes.remove_node(nodes.worker_nodes.copy().pop(), allow_graceful=False)
        return True

    try:
        assert struck(ray, rows, stage, lose) == expected(rows)
    finally:
        nodes.add_node(**NODE)
        nodes.wait_for_nodes()
