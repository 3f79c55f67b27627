"""Progress of the whole run: what is left, and the lines and objects that say so."""

import json

import pytest

from simsieve.cli.progress import KINDS, shown_progress
from simsieve.config.settings import DedupConfig
from simsieve.progress import JsonProgress, PlainProgress, WholeRun
from simsieve.run.pipeline import run_dedup

PLAN = {"fingerprint": 10.0, "search": 20.0, "decide": 10.0}


def test_the_whole_follows_the_plan_and_what_the_stages_take() -> None:
    """A run that is as fast as the plan says has its seconds left; one at half the speed has twice as many."""
    for slow in (1.0, 2.0):
        run = WholeRun(0.0)
        run.expect(PLAN)
        run.update("fingerprint", 0, 100, 0.0)
        _, left = run.update("fingerprint", 50, 100, 5.0 * slow)
        assert left == pytest.approx(35.0 * slow)
        share, left = run.update("search", 0, 256, 10.0 * slow)
        assert share == pytest.approx(0.25)
        assert left == pytest.approx(30.0 * slow)
        share, left = run.update("decide", 99, 99, 40.0 * slow)
        assert share is not None and left is not None
        assert share > 0.9


def test_the_whole_never_falls() -> None:
    """A stage that takes longer than expected does not take back what was shown."""
    run = WholeRun(0.0)
    run.expect(PLAN)
    made = (0, 400, 500, 501, 502, 900)
    shares = [run.update("fingerprint", done, 1000, 2.0 * now)[0] for now, done in enumerate(made)]
    assert shares == sorted(share for share in shares if share is not None)


def test_stages_that_are_not_expected_have_no_whole() -> None:
    """Stages before the forecast, and those of other commands, show themselves alone."""
    run = WholeRun(0.0)
    assert run.update("read", 1, 2, 1.0) == (None, None)
    run.expect(PLAN)
    assert run.update("check", 1, 2, 2.0) == (None, None)
    assert run.update("fingerprint", 0, 0, 3.0)[0] is not None


def test_json_has_an_object_a_stage_and_a_second() -> None:
    """Each line is an object with the same six names; the rate comes after a second."""
    lines: list[str] = []
    now = iter([0.0, 0.0, 0.5, 2.0, 2.1])
    progress = JsonProgress(lines.append, lambda: next(now))
    progress.whole.expect(PLAN)
    for stage, done in (("fingerprint", 0), ("fingerprint", 10), ("fingerprint", 40), ("search", 0)):
        progress(stage, done, 100)
    objects = [json.loads(line) for line in lines]
    names = ["stage", "done", "total", "rate", "eta_seconds", "whole"]
    assert [list(made) for made in objects] == [names] * 3
    assert [made["stage"] for made in objects] == ["fingerprint", "fingerprint", "search"]
    assert [made["rate"] for made in objects] == [None, 20.0, None]
    assert objects[1]["eta_seconds"] == pytest.approx(3.0 + 0.5 * 30.0, abs=0.1)


def test_plain_lines_have_the_whole_where_it_is_known() -> None:
    """A line ends with the share of the run and what is left."""
    lines: list[str] = []
    now = iter([0.0, 0.0, 6.0])
    progress = PlainProgress(lines.append, lambda: next(now))
    progress.whole.expect({"search": 12.0})
    progress("search", 0, 2)
    progress("search", 1, 2)
    assert lines == ["simsieve: search 50 % (1 of 2), 6 s; 50 % of the run, about 0:06 left"]


def test_a_run_says_what_is_left_of_it() -> None:
    """The pipeline forecasts the stages of a large run for a progress that shows them."""
    lines: list[str] = []
    clock = iter(float(second) for second in range(10**9))
    progress = JsonProgress(lines.append, lambda: next(clock))
    run_dedup((f"text {n}" for n in range(50_000)), DedupConfig(max_distance=0), progress=progress)
    objects = [json.loads(line) for line in lines]
    wholes = [made["whole"] for made in objects if made["whole"] is not None]
    assert wholes == sorted(wholes)
    assert {"fingerprint", "decide"} <= {made["stage"] for made in objects if made["whole"] is not None}


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
