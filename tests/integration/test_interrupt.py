"""A run that is stopped in the middle."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.integration.conftest import Program

RECORDS = 60_000


def has_opened(process: int, source: Path) -> bool:
    """Tell whether a process has a file open or mapped."""
    try:
        opened = [link.readlink() for link in Path(f"/proc/{process}/fd").iterdir()]
        return source in opened or str(source) in Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs to see which files another process has open")
@pytest.mark.parametrize("name", ["pipe.jsonl", "pipe.csv.gz", "-"])
def test_ctrl_c_is_heard_while_nothing_comes_in(name: str, simsieve: Program) -> None:
    """SIGINT ends a run that waits for a named pipe or for stdin, at once."""
    if name != "-":
        os.mkfifo(simsieve.folder / name)
    simsieve.file("given.jsonl", '{"text": "a text"}\n')
    # Standard input is read last, so it is waited for once the file is open.
    sources = ["-", "given.jsonl"] if name == "-" else [name]
    command = simsieve.command("dedup", *sources, "-o", "out.jsonl")
    pipe, folder = subprocess.PIPE, simsieve.folder
    with subprocess.Popen(command, stdin=pipe, stderr=pipe, cwd=folder) as running:
        awaited = simsieve.folder / ("given.jsonl" if name == "-" else name)
        limit = time.monotonic() + 60
        while not has_opened(running.pid, awaited) and running.poll() is None and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(0.2)
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        code = running.wait(timeout=100)
        took = time.monotonic() - begun
        assert running.stderr is not None
        told = running.stderr.read().decode()

    assert code == 130, told
    assert "simsieve: interrupted" in told
    assert took < 20
