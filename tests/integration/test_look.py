"""The commands that look at a run, on the command line: report, review, thresholds, evaluate, calibrate."""

import csv
import json
import os
from pathlib import Path

import pytest
from tests.integration.conftest import Program

EXAMPLES = Path(__file__).parents[2] / "examples/texts.jsonl"
CHINESE = {"SIMSIEVE_LANG": "zh"}


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with sources of its own."""
    simsieve.file("in.jsonl", EXAMPLES.read_text(encoding="utf-8"))
    words = [f"word{number}" for number in range(40)]
    rows = [
        {"id": f"{n}{side}", "of": n, "text": f"about {n} {n * 7} " + " ".join(words[n : n + 20]) + (" more" * at)}
        for n in range(12)
        for at, side in enumerate("ab")
    ]
    simsieve.file("labelled.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return simsieve


def test_dedup_writes_a_report(program: Program) -> None:
    """The page is there with all other results, names the command, and the table says where it is."""
    done = program("dedup", "in.jsonl", "-o", "kept.jsonl", "--report", "page.html", "--similarity", "0.8")
    page = program.folder / "page.html"

    assert done.code == 0, done.err
    assert "page.html" in done.err
    assert "simsieve dedup in.jsonl -o kept.jsonl --report page.html --similarity 0.8" in page.read_text("utf-8")


def test_a_report_can_be_without_texts(program: Program) -> None:
    """Then it has ids; a dry run writes none."""
    words = ("dedup", "in.jsonl", "-o", "kept.jsonl", "--report", "page.html")
    assert program(*words, "--dry-run").code == 0
    assert not (program.folder / "page.html").exists()
    assert program(*words, "--report-without-texts").code == 0
    page = (program.folder / "page.html").read_text("utf-8")

    assert "note-08" in page and "合唱团" not in page


def test_a_saved_run_can_be_looked_at(program: Program) -> None:
    """A report, a review and thresholds come from it, too."""
    assert program("dedup", "in.jsonl", "-o", "k.jsonl", "--run-dir", "a.run", "--similarity", "0.5").code == 0
    again = ("--run-dir", "a.run")

    assert program("dedup", *again, "--similarity", "0.8", "-o", "l.jsonl", "--report", "p.html").code == 0
    assert program("review", *again, "-o", "r.html").code == 0
    table = json.loads(program("thresholds", *again, "--json").out)["thresholds"]
    assert [row["threshold"] for row in table][:3] == [0.5, 0.55, 0.6]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--report", "page.pdf"], "ends in .html"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--report", "no/page.html"], "no"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--report-without-texts"], "needs --report FILE.html"),
        (["review", "in.jsonl"], "-o FILE is missing"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--clusters", "components"], "--clusters takes the name of a file"),
        (["review", "in.jsonl", "-o", "r.pdf"], "r.pdf"),
        (["review", "-o", "r.html"], "Missing argument 'SOURCE...'"),
        (["review", "in.jsonl", "--verdicts", "no.csv"], "no.csv"),
        (["evaluate", "labels", "in.jsonl"], "give either --labels FIELD or --label-pairs FILE"),
        (["evaluate", "labels", "labelled.jsonl", "--labels", "of", "--errors", "labelled.jsonl"], "labelled.jsonl"),
        (["calibrate", "in.jsonl", "--labels", "a", "--verdicts", "b"], "give one of --labels, --pairs and --verdicts"),
        (["calibrate", "in.jsonl", "--limit", "2"], "0 of 2 documents have no near one"),
        (["calibrate", "in.jsonl", "--report", "curves.txt"], "ends in .html"),
        (["evaluate", "edits", "in.jsonl"], "of 63 documents 0 have at least 800 characters"),
        (["evaluate", "edits", "in.jsonl", "--table", "t.pdf"], "t.pdf"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_wrong_words_are_refused(words: list[str], part: str, program: Program) -> None:
    """A line says what is wrong; nothing is written."""
    before = sorted(os.listdir(program.folder))
    told = program(*words).refused()
    assert part in told
    assert sorted(os.listdir(program.folder)) == before


def test_a_review_and_its_precision(program: Program) -> None:
    """A table is filled in and read again; the precision is printed beside the recall."""
    words = ("review", "in.jsonl", "--similarity", "0.65")
    assert program(*words, "-o", "review.csv", "--pairs", "10").code == 0
    with (program.folder / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert (
        ",".join(header)
        == "a,b,verdict,group,similarity,distance,lost,lost_text,differences,text_a,text_b,position_a,position_b,"
        "check_a,check_b"
    )
    ids = [row[:2] for row in rows]
    program.file(
        "verdicts.csv", "a,b,verdict\n" + "".join(f"{a},{b},same\n" for a, b in ids) + "note-01,news-01,same\n"
    )
    done = program(*words, "--verdicts", "verdicts.csv").ok()
    out = done.out.decode()
    assert out.startswith("precision  1.0000 (95 % interval 0.6") and "\nrecall     1.0000" in out
    assert "1 verdicts are on pairs that the run did not drop" in done.err


def test_thresholds_show_where_texts_differ(program: Program) -> None:
    """Texts that begin alike are shown from a little before their first difference."""
    same = "the two texts begin with the same long sentence that fills more than one line of a terminal and then "
    program.file("late.jsonl", "".join(json.dumps({"text": f"{same}{end} ends"}) + "\n" for end in ("one", "two")))
    shown = program("thresholds", "late.jsonl").out.decode().splitlines()

    assert "  … a terminal and then one ends" in shown and "  … a terminal and then two ends" in shown


def test_thresholds_are_a_table(program: Program) -> None:
    """Twelve rows by default, the edge of each, both for people and for programs; distances too."""
    shown = program("thresholds", "in.jsonl").out.decode().splitlines()
    told = json.loads(program("thresholds", "in.jsonl", "--json").out)
    bits = json.loads(program("thresholds", "in.jsonl", "--json", "--max-distance", "4").out)

    assert shown[0].split() == "threshold kept dropped clusters largest cluster median lost longest lost".split()
    assert shown[1].split()[-2:] == [f"{told['thresholds'][0][name]:g}" for name in ("lost_median", "lost_longest")]
    assert any(line.endswith("--max-lost 20 keeps them") for line in shown)
    assert len(told["thresholds"]) == 12 and told["read"] == 63
    assert shown[1].split()[:2] == ["0.4", str(told["thresholds"][0]["kept"])]
    assert "at 0.9: " in "\n".join(shown)
    assert [row["threshold"] for row in bits["thresholds"]] == [4, 3, 2, 1, 0]
    assert all(row["borderline"] is None or row["borderline"]["similarity"] is None for row in bits["thresholds"])


def test_control_signs_do_not_reach_the_terminal(program: Program) -> None:
    """A text at the edge is one line, without escape sequences."""
    text = " the quick brown fox \x1b[31m jumps over \r\n the lazy dog" * 3
    program.file("odd.jsonl", "".join(json.dumps({"text": start + text}) + "\n" for start in ("x", "yy")))
    out = program("thresholds", "odd.jsonl").out

    assert b"\x1b" not in out and b"\r" not in out and b"quick" in out


def test_labels_are_measured(program: Program) -> None:
    """For a scheme and a threshold, and for another program's pairs."""
    done = program("evaluate", "labels", "labelled.jsonl", "--labels", "of", "--similarity", "0.9", "--errors", "e.csv")
    told = json.loads(program("evaluate", "labels", "labelled.jsonl", "--labels", "of", "--json").out)
    program.file("found.csv", "a,b\n1a,1b\n2a,3a\n")
    other = json.loads(
        program("evaluate", "labels", "labelled.jsonl", "--labels", "of", "--found", "found.csv", "--json").out
    )

    assert done.code == 0, done.err
    assert "B-cubed" in done.out.decode() and "precision at 0.9" in done.out.decode()
    assert (program.folder / "e.csv").read_text("utf-8-sig").startswith("kind,a,b,a_position,b_position,nearness")
    assert told["gold_pairs"] == 12 and told["at"]["threshold"] == 0.6
    assert (other["at"]["found"], other["at"]["right"]) == (2, 1)


def test_calibration_writes_settings_and_curves(program: Program) -> None:
    """The settings serve `dedup --config`; the page has no texts."""
    words = ("calibrate", "labelled.jsonl", "--labels", "of", "-o", "run.toml", "--report", "curves.html")
    done = program(*words, "--scheme", "chars128", "--scheme", "words64")
    kept = program("dedup", "labelled.jsonl", "-o", "kept.jsonl", "--config", "run.toml", "--json")

    assert (done.code, kept.code) == (0, 0), done.err + kept.err
    assert "words64" in done.out.decode()
    assert "<polyline" in (program.folder / "curves.html").read_text("utf-8")
    goal = program("calibrate", "in.jsonl", "--precision", "0.99", "--recall", "0.999999", "--json", "-q")
    assert json.loads(goal.out)["documents"] == 26


def test_edited_copies_are_measured(program: Program) -> None:
    """A table for people, one of all figures, JSON and a page, of the schemes that are given."""
    words = ("evaluate", "edits", "in.jsonl", "--min-characters", "0", "--draws", "1", "--scheme", "chars128@0.5")
    done = program(*words, "--scheme", "words64@10bits", "--report", "edits.html", "--table", "edits.csv")
    told = json.loads(program(*words, "--json").out)

    assert done.code == 0, done.err
    assert [line.split()[0] for line in done.out.decode().splitlines()] == ["scheme", "chars128@0.5", "words64@10bits"]
    assert (program.folder / "edits.html").read_text("utf-8").count("<svg") == 3
    assert (program.folder / "edits.csv").read_text("utf-8-sig").startswith("scheme,experiment,share,threshold,copies")
    assert told["schemes"][0]["search"]["at"]["threshold"] == 0.5 and told["edit"] == "runs"


@pytest.mark.parametrize(
    "words",
    [
        ["review", "in.jsonl", "--verdicts", "v.csv"],
        ["thresholds", "in.jsonl"],
        ["evaluate", "labels", "labelled.jsonl", "--labels", "of"],
        ["calibrate", "labelled.jsonl", "--labels", "of", "--scheme", "chars128"],
        ["evaluate", "edits", "in.jsonl", "--min-characters", "0", "--draws", "1", "--scheme", "chars128"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_results_are_in_chinese(words: list[str], program: Program) -> None:
    """No label of a result is English in Chinese, except names."""
    program.file("v.csv", "a,b,verdict\nnote-07,note-08,same\n")
    done = program(*words, env=CHINESE).ok()
    assert any(name in done.out.decode() for name in ("精确率", "阈值"))
    assert not [
        line for line in done.out.decode().splitlines() if line.startswith(("precision", "threshold", "documents"))
    ]
