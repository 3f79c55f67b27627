"""`--measure containment` through the commands: decisions, pairs, plans, a run decided again, refusals."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.conftest import Program

from simsieve import dedup, find_pairs, plan, similarity

WHOLE = "The ferry leaves at seven o'clock from the old harbour, and the crossing takes two hours."
PART = "leaves at seven o'clock from the old harbour"
OTHER = "Words on another matter: bread, salt and a cup of tea before the long walk home."
BY = ("--measure", "containment")


@pytest.fixture
def source(simsieve: Program) -> str:
    """Write the texts and give the file's name."""
    rows = ({"id": n, "text": text} for n, text in enumerate((PART, WHOLE, OTHER)))
    simsieve.file("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return "in.jsonl"


def test_a_part_is_dropped_for_the_whole_that_is_kept_before_it(simsieve: Program, source: str) -> None:
    """The default order keeps the part, which comes first; `--keep longest` drops it, and the summary has the ratio."""
    kept = simsieve("dedup", source, "-o", "-", "--quiet", *BY)
    assert [json.loads(line)["id"] for line in kept.out.splitlines()] == [0, 1, 2]
    written = ("-o", "k.jsonl", "--decisions", "why.jsonl", "--summary", "s.json")
    assert simsieve("dedup", source, *written, "--keep", "longest", *BY).code == 0
    rows = simsieve.rows("why.jsonl")
    assert [(row["decision"], row["representative"], row["measure"]) for row in rows] == [
        ("dropped", 1, "containment"), ("kept", 1, "containment"), ("kept", 2, "containment"),
    ]  # fmt: skip
    assert rows[0]["similarity"] == pytest.approx(similarity(PART, WHOLE, measure="containment"), abs=1e-6)
    summary = json.loads((simsieve.folder / "s.json").read_text())
    assert (summary["measure"], summary["max_ratio"]) == ("containment", 4.0)
    shown = simsieve("dedup", source, "--dry-run", "--keep", "longest", *BY)
    assert "in kept documents of at most 4 times the features" in shown.err


def test_pairs_say_which_document_the_other_contains(simsieve: Program, source: str) -> None:
    """In JSON lines, in tables and in Python; other measures write no such field."""
    (row,) = map(json.loads, simsieve("pairs", source, "--quiet", *BY).out.splitlines())
    assert (row["a"], row["b"], row["contained"]) == (0, 1, "a")
    simsieve("pairs", source, "-o", "p.csv", "--quiet", *BY)
    header, _ = (simsieve.folder / "p.csv").read_text("utf-8-sig").splitlines()
    assert header == "a,b,distance,similarity,lost_a,lost_b,conflict,contained"
    (pair,) = find_pairs([WHOLE, PART, OTHER], measure="containment")
    assert (pair.a_position, pair.b_position, pair.contained) == (0, 1, "b")
    (copy,) = find_pairs([WHOLE, WHOLE], measure="containment")
    assert (copy.similarity, copy.contained) == (1.0, "both")
    assert [one.contained for one in find_pairs([WHOLE, WHOLE])] == [None]
    assert find_pairs([WHOLE, PART], measure="containment").to_arrow()["contained"].to_pylist() == ["b"]


def test_the_ratio_bounds_the_kept_document() -> None:
    """The part has less than a half of the features of the whole, so a ratio of 1.5 leaves it."""
    left = {ratio: dedup([WHOLE, PART], measure="containment", max_ratio=ratio).counts.kept for ratio in (1.5, 4)}
    assert left == {1.5: 2, 4: 1}
    assert dedup([PART, OTHER], against=[WHOLE], measure="containment").counts.near == 1
    assert dedup([WHOLE, OTHER], against=[PART], measure="containment").counts.near == 0


def test_a_run_is_decided_again_at_a_stricter_threshold(simsieve: Program, source: str) -> None:
    """The ratio is that of the run."""
    by = ("--keep", "longest", "--similarity", "0.5", *BY)
    simsieve("dedup", source, "-o", "k.jsonl", "--run-dir", "a.run", *by).ok()
    again = simsieve("dedup", "--run-dir", "a.run", "-o", "-", "--quiet", "--similarity", "0.9")
    assert [json.loads(line)["id"] for line in again.out.splitlines()] == [1, 2]
    simsieve.file("run.toml", 'measure = "containment"\nmax_ratio = 8\n')
    refused = simsieve("dedup", "--run-dir", "a.run", "-o", "-", "--quiet", "--config", "run.toml")
    assert "max_ratio is 4.0 in the run in a.run, and 8.0 is given" in refused.err.replace("--max-ratio", "max_ratio")
    loose, strict = (
        dedup([PART, WHOLE, OTHER], measure="containment", similarity=least, keep="longest") for least in (0.5, 0.9)
    )
    decided = loose.rethreshold(similarity=0.9)
    assert [one.decision for one in decided.decisions] == [one.decision for one in strict.decisions]


def test_plans_promise_a_recall_for_the_largest_ratio() -> None:
    """More keys for a larger ratio; the table has both."""
    small, large = (plan([WHOLE], documents=200_000, measure="containment", max_ratio=ratio) for ratio in (2, 4))
    assert (large.measure, large.max_ratio, large.similarity) == ("containment", 4.0, 0.8)
    assert small.keys < large.keys
    assert 0.98 <= large.recall_of_parts < 0.985 and large.recall_of_equals > 0.99
    assert "containment 0.8 in a kept document of at most 4 times the features" in " ".join(str(large).split())
    assert plan([WHOLE]).max_ratio is None
    told = plan([WHOLE], documents=200_000, measure="containment", max_ratio=20).warnings
    (warning,) = [one for one in told if "max_ratio" in one]
    assert "max_ratio 20 is too large for a recall of 0.98" in warning and "a max_ratio of 5.9" in warning


def test_plans_of_larger_ratios_cost_more() -> None:
    """Keys grow with the ratio up to the most keys of a text, and the table shows them."""
    plans = [plan([WHOLE], documents=200_000, measure="containment", max_ratio=ratio) for ratio in (1, 2, 4, 7, 16, 32)]
    found = [made.keys for made in plans]
    assert found[0] < found[1] < found[2] < found[3] == found[4] == found[5]
    shown = [re.search(r"^keys +(\d+) a document", str(made), re.MULTILINE) for made in plans]
    assert [int(one[1]) for one in shown if one] == [made.keys for made in plans]


WORDS = st.lists(st.sampled_from("ferry harbour seven crossing bread salt walk home".split()), max_size=12)


@given(
    st.lists(WORDS.map(" ".join), max_size=12),
    st.sampled_from(["first", "last", "longest", "shortest"]),
    st.floats(0.3, 1.0),
    st.floats(1.0, 6.0),
)
def test_decisions_are_those_of_the_plain_loop(texts: list[str], keep: str, least: float, ratio: float) -> None:
    """Words as features, each once: the loop of the first law with Python's sets."""
    result = dedup(texts, scheme="words64", measure="containment", similarity=least, max_ratio=ratio, keep=keep)
    order = list(range(len(texts)))
    if keep == "last":
        order.reverse()
    elif keep in ("longest", "shortest"):
        order.sort(key=lambda at: len(texts[at]) * (-1 if keep == "longest" else 1))
    kept: list[int] = []
    for at in order:
        own = set(texts[at].split())

        def contains(other: int, own: set[str] = own) -> bool:
            whole = set(texts[other].split())
            return bool(own) and len(own & whole) / len(own) >= least and len(whole) <= ratio * len(own)

        if not any(contains(other) for other in kept):
            kept.append(at)
    assert [at for at, one in enumerate(result.decisions) if one.decision == "kept"] == sorted(kept)
