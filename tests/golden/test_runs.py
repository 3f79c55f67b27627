"""Saved runs of the present version are read, and those of an earlier one are refused."""

import json
from pathlib import Path

import pytest
from tests.golden import make
from tests.golden.cases import SOURCE

from simsieve.cli import main

VERSION = 7
ALL = sorted((make.FOLDER / "runs").iterdir())
RUNS = [run for run in ALL if make.version_of(run) == VERSION]
pytestmark = pytest.mark.skipif(not Path(make.HERE).parent.is_dir(), reason="the source's name needs /proc")


def decisions(name: str, *words: str) -> list[dict[str, object]]:
    """Decide at a stricter threshold in the working directory, and give the decisions."""
    assert main(["dedup", *words, "-o", "kept.jsonl", "--decisions", name, "--quiet", "--max-failed", "100%"]) == 0
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(run.stem))
@pytest.mark.parametrize("similarity", ["0.65", "0.85", "0.88"])
def test_a_saved_run_is_read(run: Path, similarity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It decides as a fresh run on its source does."""
    monkeypatch.chdir(tmp_path)
    make.write_source(tmp_path)
    found = decisions("found.jsonl", "--from-run", str(run), "--similarity", similarity)
    fresh = decisions("fresh.jsonl", make.HERE, *make.RUN[2:-2], "--similarity", similarity)

    assert found == fresh
    assert len(found) == 19


@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(run.stem))
def test_a_changed_source_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run whose source has other bytes is refused, with both sizes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_bytes(SOURCE + b"\n")

    assert main(["dedup", "--from-run", str(run), "-o", "kept.jsonl"]) == 2
    assert f"changed since {run} was saved ({len(SOURCE)} bytes" in capsys.readouterr().err


@pytest.mark.parametrize("run", [run for run in ALL if run not in RUNS], ids=lambda run: str(run.stem))
def test_an_earlier_version_is_refused(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message has both versions and says what to do."""
    assert main(["dedup", "--from-run", str(run), "-o", str(tmp_path / "kept.jsonl")]) == 2
    reason = f"is a saved run of version {make.version_of(run)}, and this simsieve reads version {VERSION}"
    assert f"{reason}; run on the sources again" in capsys.readouterr().err


def test_the_version_of_today_has_its_files(tmp_path: Path) -> None:
    """A changed format brings new files; those of earlier versions stay."""
    today = {f"{run.stem}-{make.version_of(run)}.saved" for run in make.save_runs(tmp_path)}

    assert today <= {run.name for run in RUNS}
