"""Evaluation, calibration and review on what they cannot use: labels, pairs, goals and texts, on the command line."""

from pathlib import Path

import pytest
from tests.integration.conftest import Program, jsonl

LABELLED = ("evaluate", "labels", "in.jsonl", "--label-pairs", "pairs.csv")
CALIBRATED = ("calibrate", "in.jsonl", "--verdicts", "pairs.csv", "--scheme", "chars128")
FOX = "the quick brown fox jumps over the lazy dog near the river bank number {}"


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with six documents; two of them are near each other."""
    texts = [FOX.format(at) if at < 2 else f"{'abcdef'[at] * 9} " * 9 for at in range(6)]
    simsieve.file("in.jsonl", jsonl({"id": f"d{at}", "text": text} for at, text in enumerate(texts)))
    return simsieve


@pytest.mark.parametrize("words", [LABELLED, CALIBRATED], ids=["evaluate labels", "calibrate"])
@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ("x,y,same\n", "2 ids are of no document, such as 'x'"),
        ("d0,d1,different\n", "by pairs.csv no two of 6 documents are the same"),
        ("d0,d0,same\n", "pairs.csv, line 2: a and b are both 'd0'"),
        ("d0,d1,same\nd1,d0,different\n", "line 2 on 'd0' and 'd1'"),
        ("", "pairs.csv"),
    ],
    ids=["unknown ids", "no positive pair", "a self-pair", "contradictory verdicts", "no pair at all"],
)
def test_labels_that_cannot_be_used_are_refused(words: tuple[str, ...], rows: str, part: str, program: Program) -> None:
    """A line says what is wrong, and nothing is written."""
    program.file("pairs.csv", "a,b,verdict\n" + rows)
    written = ("-o", "run.toml", "--report", "curves.html") if words[0] == "calibrate" else ("--errors", "errors.csv")
    told = program(*words, *written).refused()
    assert part in told and "Traceback" not in told
    assert sorted(path.name for path in program.folder.iterdir()) == ["in.jsonl", "pairs.csv"]


@pytest.mark.parametrize("words", [LABELLED, CALIBRATED], ids=["evaluate labels", "calibrate"])
def test_some_unknown_ids_are_a_warning(words: tuple[str, ...], program: Program) -> None:
    """The pairs of known ids are used; the warning has the number and an id."""
    program.file("pairs.csv", "a,b,verdict\nd0,d1,same\nd2,d3,different\nd4,gone,same\n")
    done = program(*words).ok()
    assert "'gone'" in done.err and "warning" in done.err


def test_a_goal_that_nothing_reaches_gives_the_nearest(program: Program) -> None:
    """A pair that differs more than a wrong one: the settings are those nearest to the goal, and a warning says so."""
    program.file("pairs.csv", "a,b,verdict\nd0,d1,different\nd0,d2,same\n")
    goals = ("--precision", "0.99", "--recall", "0.99", "-o", "run.toml", "--report", "curves.html")
    assert "nothing reaches the goal; this is the nearest to it" in program(*CALIBRATED, *goals).ok().err
    assert "similarity" in (program.folder / "run.toml").read_text("utf-8")
    assert (program.folder / "curves.html").read_text("utf-8").count("<svg") >= 1


SMALL = {
    "three texts": ["one two three four five", "six seven eight nine ten", "天地玄黄宇宙洪荒"],
    "texts of one character": ["a", "b", "天", "地", "a"],
}


@pytest.mark.parametrize("texts", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize(
    "words",
    [
        ("dedup", "-o", "kept.jsonl", "--report", "page.html"),
        ("thresholds",),
        ("review", "-o", "page.html"),
        ("evaluate", "labels", "--labels", "of"),
        ("evaluate", "edits", "--min-characters", "0", "--draws", "1", "--report", "page.html"),
        ("evaluate", "edits", "--min-characters", "0", "--draws", "1", "--edit", "words", "--report", "page.html"),
        ("calibrate", "--report", "page.html"),
    ],
    ids=" ".join,
)
def test_the_smallest_collections_have_figures_and_pages(
    texts: list[str], words: tuple[str, ...], simsieve: Program, tmp_path: Path
) -> None:
    """No division by zero, no empty picture, and no number that is none."""
    rows = [{"id": at, "of": at // 2, "text": text} for at, text in enumerate(texts)]
    simsieve.file("in.jsonl", jsonl(rows))
    at = 2 if words[0] == "evaluate" else 1
    done = simsieve(*words[:at], "in.jsonl", *words[at:])
    shown = done.out.decode() + done.err

    assert done.code == 0, shown
    assert "Traceback" not in shown and " nan" not in shown and "(nan" not in shown
    if "page.html" in words:
        page = (simsieve.folder / "page.html").read_text("utf-8")
        assert ">nan<" not in page and "NaN" not in page
        assert "<svg" not in page or "<rect" in page or "<polyline" in page
