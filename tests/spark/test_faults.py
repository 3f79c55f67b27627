"""A worker that is lost changes no decision, whatever the stage in which it is lost."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.spark.conftest import dedup_with_summary, expected, got, mixed, shuffled, table
from tools.spark_cluster import SparkCluster

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900), pytest.mark.slow]
DECISIONS = "the decisions on all rows"
NAMES = ("COUNT", "SPREAD", "PAIR", "VERIFY", "ROUNDS", "DECIDE", "RECALL", "TEXTS")


class Killer(logging.Handler):
    """Kills a worker with its executor as soon as a stage has begun."""

    def __init__(self, cluster: SparkCluster, stage: str) -> None:
        super().__init__()
        self.cluster = cluster
        self.stage = stage
        self.timer: threading.Timer | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Kill, a moment after the stage that the record names."""
        if record.getMessage() == self.stage and self.timer is None:
            worker = self.cluster.processes[-1]
            self.timer = threading.Timer(0.3, lambda: os.killpg(worker.pid, signal.SIGKILL))
            self.timer.start()


@contextmanager
def killing(cluster: SparkCluster, stage: str) -> Iterator[logging.Logger]:
    """Kill the last worker in a stage; afterwards there is a new one."""
    killer, log = Killer(cluster, stage), logging.getLogger("simsieve.spark.engine")
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(killer)
    try:
        yield log
        assert killer.timer is not None, "the stage has begun"
        killer.timer.join()
        assert cluster.processes[-1].wait(30) == -signal.SIGKILL
    finally:
        log.removeHandler(killer)
        log.setLevel(level)
        if cluster.processes[-1].poll() is not None:
            cluster.processes.pop()
            cluster.add_worker()


@pytest.fixture(scope="module")
def rows() -> Any:
    """Rows of all kinds, with a large group, so that every stage has work."""
    return table(mixed(9000))


@pytest.mark.parametrize("name", [*NAMES, DECISIONS])
def test_a_worker_killed_in_a_stage_changes_no_decision(
    cluster: SparkCluster, spark: Any, rows: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other worker does again what was lost."""
    from simsieve.cluster import rounds, settings

    monkeypatch.setattr(rounds, "MOST_WALKED", 10)
    with killing(cluster, getattr(settings, name, name)) as log:
        decisions, summary = dedup_with_summary(shuffled(spark, rows, 5, seed=1), order="place", sample=200)
        log.info(DECISIONS)
        found = got(decisions)

    assert found == expected(rows)
    assert summary["recall"] > 0.9
    assert {getattr(settings, name) for name in NAMES} == set(settings.STAGES)
