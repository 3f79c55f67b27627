"""Runs that are killed: when the log of their run directory has some bytes, or at random moments."""

import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

LONGEST_SECONDS = 60


def wait_for(running: subprocess.Popen[bytes], path: Path, mark: bytes) -> None:
    """Wait until a file has these bytes, or the run has ended."""
    limit = time.monotonic() + LONGEST_SECONDS
    while running.poll() is None and time.monotonic() < limit:
        if path.exists() and mark in path.read_bytes():
            return
        time.sleep(0.001)


def kill_at(command: Sequence[str], folder: Path, path: Path, mark: bytes) -> bool:
    """Start a run and kill it when a file has these bytes; whether it was killed before its end."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for(running, path, mark)
        running.send_signal(signal.SIGKILL)
    return running.returncode == -signal.SIGKILL


def kill_at_random(command: Sequence[str], folder: Path, kills: int, seconds: float) -> int:
    """Start a run `kills` times and kill it within `seconds`; give how often it was killed before its end."""
    choose = random.Random(kills)
    killed = 0
    for _ in range(kills):
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            try:
                running.wait(timeout=choose.random() * seconds)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL)
                running.wait()
                killed += 1
    return killed
