"""A command whose memory runs out ends in order."""

import re
import resource
import subprocess

import pytest
from tests.integration.conftest import Program

MIB = 1 << 20
# What Python, its modules and the threads' stacks take of the address space is below the lesser of these.
LIMITS = [700 * MIB, pytest.param(1400 * MIB, marks=pytest.mark.slow)]


@pytest.mark.parametrize("limit", LIMITS, ids=["700 MiB", "1400 MiB"])
def test_memory_that_runs_out_is_told_in_one_line(simsieve: Program, limit: int) -> None:
    """Exit code 2, one line with the bytes and what to do, and the former output byte for byte."""
    record = b'{"text": "%s"}\n' % (b"0123456789abcdef words " * (limit // 2 // 23))
    simsieve.file("in.jsonl", record * 2)
    simsieve.file("out.jsonl", b"the former output\n")
    command = simsieve.command(
        "dedup",
        "in.jsonl",
        "-o",
        "out.jsonl",
        "--quiet",
        "--threads",
        "1",
        *simsieve.settings(f"max_record_bytes = {limit}"),
    )
    done = subprocess.run(
        command,
        cwd=simsieve.folder,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    told = done.stderr.decode()

    assert done.returncode == 2, told
    assert re.fullmatch(r"simsieve: the memory is used up: \d+ more bytes [^\n]*`simsieve plan`[^\n]*\n", told)
    assert (simsieve.folder / "out.jsonl").read_bytes() == b"the former output\n"
