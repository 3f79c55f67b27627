"""What is no result goes to a standard logger, which is silent unless a program asks for it."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

import simsieve
from simsieve.config.settings import DedupConfig
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

TEXTS = ["one text here", "one text here", "and something else altogether"]


def test_the_stages_of_a_run_are_logged(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """Each stage is a line with its numbers and its time, under the name of the package."""
    with caplog.at_level(logging.INFO, logger="simsieve"):
        run_dedup(TEXTS, DedupConfig(), Sinks(kept=tmp_path / "kept.txt"))
        simsieve.find_pairs(TEXTS)
    lines = [record.getMessage() for record in caplog.records]

    assert [line.split(" in ")[0].split(";")[0] for line in lines] == [
        "loaded 3 records under 1 schemes",
        "decided on 3 records",
        "wrote the results",
        "found 1 pairs among 3 records",
    ]
    assert {record.name for record in caplog.records} == {"simsieve.run.pipeline", "simsieve.run.write"}


def test_without_a_handler_nothing_is_printed() -> None:
    """A program that sets up no logging hears nothing, at whatever level the logger is."""
    code = "import logging, simsieve; logging.getLogger('simsieve').setLevel(1); simsieve.dedup(['one text'] * 2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_library_does_not_print() -> None:
    """No module but those of the command line writes to standard output or standard error."""
    package = Path(simsieve.__file__).parent
    files = [path for path in package.rglob("*.py") if "cli" not in path.relative_to(package).parts]
    told = [
        path
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith("print(")
    ]

    assert len(files) > 40
    assert told == []
