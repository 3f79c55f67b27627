"""Run directories from which no run can go on, for the cases in `bad_inputs.py`."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import xxhash
from tests.integration.bad_files import GOOD, write_files

from simsieve.config.settings import DedupConfig
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

OTHER = b'{"id": 2, "text": "A second one, of which nothing stands in the first."}\n'
SHARDS = {"0.jsonl": GOOD, "1.jsonl": OTHER, "2.jsonl": GOOD + OTHER}
GO_ON = {"run_dir": "run", "resume": True}


def after(change: Callable[[], object]) -> Callable[[], None]:
    """Give what carries out a run on three shards and then changes something."""

    def make() -> None:
        write_files(SHARDS)
        paths = [Path(name) for name in SHARDS]
        run_dedup(paths, DedupConfig(run_dir="run"), Sinks("first"), warn=lambda _: None)
        change()

    return make


def halve(name: str) -> None:
    """Cut a file off at its middle."""
    os.truncate(name, os.path.getsize(name) // 2)


def other_version() -> None:
    """Begin the log as an older program did."""
    entry = b'{"version":1,"identity":[]}'
    Path("run/run.log").write_bytes(b"%s %s\n" % (xxhash.xxh3_64_hexdigest(entry).encode(), entry))


def damage() -> None:
    """Change a byte of the first line of the log."""
    log = bytearray(Path("run/run.log").read_bytes())
    log[40] ^= 1
    Path("run/run.log").write_bytes(log)


RUNS: list[tuple[str, Mapping[str, bytes] | Callable[[], None], str, str, dict[str, Any]]] = [
    ("a folder with other files", {"run/thesis.txt": b"mine", **SHARDS}, "ConfigError", "*.jsonl", {"run_dir": "run"}),
    ("a file of that name", {"run": b"mine", **SHARDS}, "StorageError", "*.jsonl", {"run_dir": "run"}),
    ("a run, and nobody goes on", after(lambda: None), "ConfigError", "*.jsonl", {"run_dir": "run"}),
    ("a shard in the middle that is missing", after(lambda: os.unlink("1.jsonl")), "ResumeError", "*.jsonl", GO_ON),
    ("the last shard that is missing", after(lambda: os.unlink("2.jsonl")), "ResumeError", "*.jsonl", GO_ON),
    ("a shard that is new", after(lambda: write_files({"3.jsonl": GOOD})), "ResumeError", "*.jsonl", GO_ON),
    ("a shard that is cut off", after(lambda: halve("1.jsonl")), "ResumeError", "*.jsonl", GO_ON),
    ("sources in another order", after(lambda: None), "ResumeError", "1.jsonl 0.jsonl 2.jsonl", GO_ON),
    ("another text field", after(lambda: None), "ResumeError", "*.jsonl", {"text_field": "id", **GO_ON}),
    ("other fields for blocks", after(lambda: None), "ResumeError", "*.jsonl", {"block_by": "id", **GO_ON}),
    ("another limit", after(lambda: None), "ResumeError", "*.jsonl", {"limit": 2, **GO_ON}),
    ("a log of another version", after(other_version), "ResumeError", "*.jsonl", GO_ON),
    ("a log with a changed byte", after(damage), "ResumeError", "*.jsonl", GO_ON),
]
"""What is wrong, the files or what makes them, the outcome, the sources and the settings."""
