"""The meter of a run: stages with their seconds and memory, and what the summary has of them."""

import json
import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

import simsieve
from simsieve import dedup
from simsieve.cli.common import KINDS, shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.machine import resident_bytes
from simsieve.progress import JsonProgress, PlainProgress
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

    assert "stages" in result.summary and "stages" not in result.rethreshold(similarity=0.9).summary


def test_a_progress_is_called_while_the_core_reports_nothing() -> None:
    """The last report comes again, so the caller sees that time passes."""
    calls: list[tuple[str, int, int]] = []

    def slow(text: str) -> list[str]:
        time.sleep(0.4)
        return text.split()

    scheme = simsieve.CustomScheme("slow", features=slow, version="1")
    dedup(["one text"], scheme=scheme, max_distance=0, progress=lambda *report: calls.append(report))
    assert len([report for at, report in enumerate(calls) if at and calls[at - 1] == report]) >= 3


def test_json_has_an_object_a_stage_and_a_second() -> None:
    """Objects have the same five names; rate and seconds left come after a second; a stage may come twice."""
    lines: list[str] = []
    now = iter([0.0, 0.0, 0.5, 2.0, 2.1, 4.1, 4.2, 4.3, 6.3])
    progress = JsonProgress(lines.append, lambda: next(now))
    for stage, done in (("fingerprint", 0), ("fingerprint", 10), ("fingerprint", 40), ("search", 0), ("search", 0),
                        ("fingerprint", 90), ("fingerprint", 0), ("fingerprint", 10)):  # fmt: skip
        progress(stage, done, 100 if stage == "fingerprint" else 0)
    objects = [json.loads(line) for line in lines]
    assert [list(made) for made in objects] == [["stage", "done", "total", "rate", "eta_seconds"]] * 7
    assert [tuple(made.values()) for made in objects] == [
        ("fingerprint", 0, 100, None, None),
        ("fingerprint", 40, 100, 20.0, 3.0),
        ("search", 0, None, None, None),
        ("search", 0, None, 0.0, None),
        ("fingerprint", 90, 100, None, None),
        ("fingerprint", 0, 100, None, None),
        ("fingerprint", 10, 100, 5.0, 18.0),
    ]


def test_plain_lines_have_what_is_left_of_a_stage() -> None:
    """A line comes at most every five seconds, with share and time, and the seconds that are left of its stage."""
    lines: list[str] = []
    now = iter([0.0, 1.0, 5.0, 6.0, 11.0, 17.0])
    progress = PlainProgress(lines.append, lambda: next(now))
    for done, total in ((1, 10), (5, 10), (6, 10), (70, 0)):
        progress("search", done, total)
    progress("decide", 1, 2)
    assert lines == [
        "simsieve: search 50 % (5 of 10), 5 s; about 0:05 left of this stage",
        "simsieve: search 70, 11 s",
        "simsieve: decide 50 % (1 of 2), 17 s",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_chosen(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON comes on stderr, also beside `--quiet`; none is nothing."""
    with shown_progress(quiet=True, kind=kind) as progress:
        assert (progress is None) == (kind in ("auto", "none"))
        if progress is not None:
            progress("read", 1, 2)
    written = capsys.readouterr()
    assert written.out == ""
    assert (written.err[:1] == "{") == (kind == "json")


LOGGED = ["one text here", "one text here", "and something else altogether"]


def test_the_stages_of_a_run_are_logged(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """Each stage is a line with its numbers and its time, under the name of the package."""
    with caplog.at_level(logging.INFO, logger="simsieve"):
        run_dedup(LOGGED, DedupConfig(), Sinks(kept=tmp_path / "kept.txt"))
        simsieve.find_pairs(LOGGED)
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
