"""The meter of a run: stages with their seconds and memory, and what the summary has of them."""

import json
import sys
import time
from pathlib import Path

import pytest

import simsieve
from simsieve import dedup
from simsieve.config.settings import DedupConfig
from simsieve.machine import resident_bytes
from simsieve.run.meter import Meter
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

ON_LINUX = sys.platform == "linux"
TEXTS = [
    f"{at * 7919 % 10_007:x} {at * 104_729 % 9_973:x} some words of a text that is not near another"
    for at in range(9000)
]


def test_seconds_belong_to_the_stage_that_was_reported_last() -> None:
    """A stage that comes again has one row; the sum is the whole time."""
    wall, cpu = iter([0.0, 1.0, 3.0, 3.5, 6.0]), iter([10.0, 11.0, 15.0, 15.5, 19.0])
    meter = Meter(None, lambda: next(wall), lambda: next(cpu))
    meter("read", 0, 2)
    meter("search", 0, 2)
    meter("read", 2, 2)
    rows = [(row["stage"], row["seconds"], row["cpu_seconds"]) for row in meter.measured()["stages"]]

    assert rows == [("open", 1.0, 1.0), ("read", 4.5, 7.5), ("search", 0.5, 0.5)]


def test_every_report_is_passed_on() -> None:
    """The progress that is shown gets what the meter gets."""
    seen: list[tuple[str, int, int]] = []
    meter = Meter(lambda *report: seen.append(report))
    reports = [("read", 0, 5), ("read", 5, 5), ("search", 1, 2)]
    for report in reports:
        meter(*report)

    assert seen == reports


@pytest.mark.skipif(not ON_LINUX, reason="only Linux counts the kinds of memory")
def test_memory_between_two_stages_is_seen() -> None:
    """Memory that is held when a stage ends counts for it, and for the peak, and anonymous memory is not mapped."""
    before = resident_bytes()
    assert before is not None
    meter = Meter(None)
    meter("hold", 0, 1)
    held = bytearray(b"x" * (64 << 20))
    meter("free", 0, 1)
    del held
    measured = meter.measured()
    of_stage = {row["stage"]: row["anonymous_bytes"] for row in measured["stages"]}

    assert of_stage["hold"] >= before[0] + (60 << 20)
    assert measured["peak_anonymous_bytes"] == max(of_stage.values())
    assert measured["peak_mapped_bytes"] < measured["peak_anonymous_bytes"] + before[1]


def test_without_figures_of_the_system_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages have seconds alone where the system does not count memory."""
    monkeypatch.setattr("simsieve.run.meter.resident_bytes", lambda: None)
    meter = Meter(None)
    meter("search", 0, 1)
    measured = meter.measured()

    assert list(measured) == ["stages"]
    assert [sorted(row) for row in measured["stages"]] == [["cpu_seconds", "seconds", "stage"]] * 2


@pytest.mark.filterwarnings("ignore:.*probably other documents")
def test_a_run_has_its_stages_in_order() -> None:
    """The stages of the core are those of the run, and their seconds are about those of the run."""
    result = run_dedup(TEXTS, DedupConfig(threads=1), Sinks(dry_run=True))
    stages = result.summary["stages"]
    names = [row["stage"] for row in stages]

    assert [name for name in names if name in ("sample", "fingerprint", "search", "decide")] == [
        "sample", "fingerprint", "search", "decide",
    ]  # fmt: skip
    assert sum(row["seconds"] for row in stages) == pytest.approx(result.summary["seconds"], rel=0.05, abs=0.05)
    assert all(row["cpu_seconds"] >= 0 for row in stages)
    if ON_LINUX:
        assert result.summary["peak_anonymous_bytes"] == max(row["anonymous_bytes"] for row in stages)


@pytest.mark.filterwarnings("ignore:.*probably other documents")
def test_the_written_summary_has_the_stages(tmp_path: Path) -> None:
    """The file of the summary has what the result has, up to the writing."""
    path = tmp_path / "summary.json"
    run_dedup(TEXTS[:50], DedupConfig(), Sinks(str(tmp_path / "kept.jsonl"), summary=str(path)))
    written = json.loads(path.read_text(encoding="utf-8"))

    assert {row["stage"] for row in written["stages"]} >= {"open", "fingerprint", "decide"}


@pytest.mark.filterwarnings("ignore:.*probably other documents")
def test_a_result_at_another_threshold_has_no_stages() -> None:
    """It is decided anew, outside a run."""
    result = dedup(TEXTS[:50])

    assert "stages" in result.summary
    assert "stages" not in result.rethreshold(similarity=0.9).summary


def test_a_progress_is_called_while_the_core_reports_nothing() -> None:
    """The last report comes again, so the caller sees that time passes."""
    calls: list[tuple[str, int, int]] = []

    def slow(text: str) -> list[str]:
        time.sleep(0.4)
        return text.split()

    scheme = simsieve.CustomScheme("slow", features=slow, version="1")
    dedup(["one text"], scheme=scheme, max_distance=0, progress=lambda *report: calls.append(report))
    repeated = [report for at, report in enumerate(calls) if at and calls[at - 1] == report]

    assert len(repeated) >= 3
