"""Files of pairs, reviews, labels, edited copies and calibration, from Python."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError, SimsieveWarning, dedup
from simsieve.cli import main
from simsieve.config.pair_rows import PairRow, id_text
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_from, settings_toml
from simsieve.evaluate.calibrate import run_calibrate
from simsieve.evaluate.choice import Curve, Goal, choose, resampled_f1
from simsieve.evaluate.edits import KINDS, STRENGTHS, Parts, edited
from simsieve.evaluate.labels import run_labels
from simsieve.evaluate.metrics import PairScore
from simsieve.evaluate.pairs import Ids, judged_rows
from simsieve.evaluate.review import judged, review_of, write_review
from simsieve.results import DedupResult
from simsieve.review.page import write_page

WORDS = [f"word{number:03}" for number in range(300)]


def text_of(seed: int, count: int = 60, *, cut: int = 0) -> str:
    """A text of its own for each seed; `cut` of its last words are others."""
    draw = Random(seed)
    chosen = [draw.choice(WORDS) for _ in range(count)]
    return " ".join(chosen[: count - cut] + [f"cut{seed}x{at}" for at in range(cut)])


def records() -> list[dict[str, object]]:
    """Thirty originals, a copy of each that differs more and more, and their cluster."""
    both = [{"id": f"a{n}", "text": text_of(n), "of": n} for n in range(30)]
    return both + [{"id": f"b{n}", "text": text_of(n, cut=n), "of": n} for n in range(30)]


def ids_of(*names: object) -> Ids:
    """Documents with these ids; None is of one without."""
    rows = [{"text": f"a text of its own, number {at * 7919}"} for at in range(len(names))]
    result = dedup([row if name is None else row | {"id": name} for row, name in zip(rows, names, strict=True)])
    return Ids(result.with_sources()[0].documents, len(names))


def test_an_id_of_several_documents_is_refused() -> None:
    """Nobody can tell which of them a pair is of."""
    with pytest.raises(ConfigError, match='names the id "z", and several records have it'):
        ids_of("x", "z", "z").keys([PairRow("p.csv, line 2", "x", "z", {})])


def test_some_unknown_ids_are_a_warning() -> None:
    """Their pairs are left out, and the first are named; numbers are known by their text."""
    rows = [PairRow(f"p.csv, line {at}", *pair, {}) for at, pair in enumerate([("7", "y"), ("2", "y"), ("q", "7")], 2)]
    warning = "1 ids are of no document, such as 'q' (p.csv, line 4); their pairs are left out"

    assert ids_of(7, "y", None).keys(rows) == ([(0, 1), (1, 2), None], warning)
    assert id_text(True) == "true"


def loosely(rows: list[dict[str, object]]) -> DedupResult:
    """Deduplicate at a similarity so low that texts of the same words are near by chance, of which is warned."""
    with pytest.warns(SimsieveWarning, match=r"10 are near by chance, such as .* at 0\.4"):
        return dedup(rows, similarity=0.4, conflict="none")


def test_reviews_draw_from_all_bands_alike() -> None:
    """Of few pairs each band has one before any has two; by similarity the nearest to the threshold come."""
    result = loosely(records())
    near = result.decisions.near
    drawn, nearest = review_of(result, 8), review_of(result, 8, "similarity")

    bands = drawn.bands[drawn.chosen].tolist()
    assert len(bands) == 8 and len(set(bands)) == min(8, len(set(drawn.bands.tolist())))
    least = np.sort(near.similarity)[:8]
    assert near.similarity[nearest.chosen].tolist() == least.tolist()
    assert review_of(result, 8).chosen.tolist() == drawn.chosen.tolist()
    assert len(review_of(result, 5000).chosen) == len(near)


def test_reviews_of_distances_and_of_nothing(tmp_path: Path) -> None:
    """Under a distance bands are of bits; a run without near duplicates gives a page that says so."""
    by_bits = dedup(records(), max_distance=20)
    assert len(review_of(by_bits, 5).chosen) == 5
    both = dedup(records(), scheme=["chars128@0.7", "words64@8bits"], combine="any")
    write_page(both, review_of(both), tmp_path / "both.html", {})
    both.report(tmp_path / "page.html")
    alone = dedup(["one text alone"])
    write_page(alone, review_of(alone), tmp_path / "none.html", {})
    assert "No document was dropped as near." in (tmp_path / "none.html").read_text()
    write_review(alone, review_of(alone), tmp_path / "none.csv", {})
    assert (tmp_path / "none.csv").read_text(encoding="utf-8-sig").startswith("a,b,verdict")


def test_a_review_gives_the_precision(tmp_path: Path) -> None:
    """Verdicts on all pairs give the exact precision; those on other pairs do not count; the table can be filled in."""
    result = loosely(records())
    review = review_of(result)
    write_review(result, review, tmp_path / "review.jsonl", {})
    rows = [json.loads(line) for line in (tmp_path / "review.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        row["verdict"] = "different" if number % 4 == 0 else "keep b"
    lines = [json.dumps(row) for row in [*rows, {"a": "a0", "b": "a1", "verdict": "different"}]]
    (tmp_path / "filled.jsonl").write_text("\n".join(lines) + "\n")
    found = judged(result, review, judged_rows(str(tmp_path / "filled.jsonl")))
    right = 1 - sum(row["verdict"] == "different" for row in rows) / len(rows)

    assert found.precision.value == pytest.approx(right) and found.others == 1
    assert {"text_a", "text_b", "differences", "similarity"} <= rows[0].keys()
    write_page(result, review, tmp_path / "again.html", found.words)
    assert (tmp_path / "again.html").read_text().count('"verdict": "keep b"') > len(rows) // 2


def test_labels_agree_with_a_loop() -> None:
    """Precision, recall and clusters at the threshold are those of the definition."""
    found = run_labels(records(), DedupConfig(similarity=0.7), field="of", errors=True)
    made = dedup(records(), similarity=0.7)

    assert (found.gold, found.at.precision) == (30, 1.0)
    assert found.at.right == made.counts.dropped
    assert [error.kind for error in found.errors] == ["missed"] * (30 - found.at.right)
    assert found.best.f1 >= found.at.f1
    assert found.clusters is not None and found.clusters.bcubed_precision == 1.0
    assert found.rows[0].threshold == 0.4 and found.rows[-1].threshold == 1.0


def test_labels_of_pairs_judge_only_those(tmp_path: Path) -> None:
    """Pairs that nobody labelled do not count; there are no clusters then."""
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,label\na0,b0,1\na1,b1,0\na29,b29,1\n")
    found = run_labels(records(), DedupConfig(similarity=0.7), pairs=str(path))

    assert (found.gold, found.at.found, found.at.right, found.clusters) == (2, 2, 1, None)


def test_pairs_of_other_programs_are_judged(tmp_path: Path) -> None:
    """With their similarities, their distances, or neither; clusters are connected parts."""
    source, config = records(), DedupConfig(similarity=0.7)
    for name, rows in {
        "plain.csv": "a,b\na0,b0\na1,b1\na1,b2\n",
        "similar.csv": "a,b,similarity\na0,b0,0.9\na1,b1,0.8\na1,b2,0.75\na2,b2,0.5\n",
    }.items():
        (tmp_path / name).write_text(rows)
        found = run_labels(source, config, field="of", found=str(tmp_path / name))
        assert (found.at.found, found.at.right) == (3, 2), name
        assert found.clusters is not None and found.clusters.bcubed_precision < 1
    (tmp_path / "bits.csv").write_text("a,b,distance\na0,b0,3\na1,b2,20\n")
    bits = run_labels(source, DedupConfig(max_distance=10), field="of", found=str(tmp_path / "bits.csv"))
    assert (bits.at.found, bits.at.right) == (1, 1)
    with pytest.raises(ConfigError, match="has a distance of each pair, and no similarity"):
        run_labels(source, config, field="of", found=str(tmp_path / "bits.csv"))
    (tmp_path / "bad.csv").write_text("a,b,similarity\na0,b0,much\n")
    with pytest.raises(ConfigError, match="'much' is no number"):
        run_labels(source, config, field="of", found=str(tmp_path / "bad.csv"))


def test_labels_of_tables_are_read(tmp_path: Path) -> None:
    """Rows of Parquet and of frames have the labels, too."""
    pa = pytest.importorskip("pyarrow")
    assert run_labels(pa.Table.from_pylist(records()), DedupConfig(), field="of").gold == 30


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", STRENGTHS)
def test_edits_change_about_their_share(kind: str, share: float) -> None:
    """Each kind changes a long text of both languages, by a seed, and none by much more than its share."""
    text = "我们来到北京。这是一个人的未来，日子还长。One thing 1 of 20. They were here! 在再做。\n" * 20
    others = Parts(["completely other words come from here " * 20])
    made = edited(text, kind, share, Random(1), others)

    assert made != text and made == edited(text, kind, share, Random(1), others)
    assert abs(len(made) - len(text)) <= 3 * share * len(text) + 40
    for short in ("a", "天", "", "1", "。"):
        edited(short, kind, share, Random(1), Parts([short]))


def test_parts_are_those_of_the_texts() -> None:
    """Runs of parts are pieces of one text, as long as asked where the text is; without any there are signs."""
    texts = ["one two 三四。five", "a", "", "长" * 9000]
    others, draw = Parts(texts), Random(1)
    runs = [others.run(length, draw) for length in (1, 3, 40) for _ in range(50)]

    assert all(any("".join(run) in text for text in [*texts, "x" * 40]) for run in runs)
    assert {len(run) for run in runs} > {1, 3, 40}
    assert Parts([]).run(3, draw) == ["x"] * 3
    assert [Parts(texts[:1]).run(7, draw)] == [["one", " ", "two", " ", "三", "四", "。"]]


def test_calibration_finds_edited_copies() -> None:
    """Without labels a threshold is chosen that finds nearly all copies and no other pair, by the seed."""
    draw = Random(2)
    source = [" ".join("".join(draw.choices("abcdefghijklmnop", k=5)) for _ in range(100)) for _ in range(120)]
    found = run_calibrate(source, DedupConfig(), ["chars128"])
    again = run_calibrate(source, DedupConfig(), ["chars128"])

    assert found.choice.row.f1 > 0.95 and found.choice.is_reached
    assert found.documents == 240 and sum(edit.copies for edit in found.edits) == 120
    assert found.summary == again.summary
    assert found.choice.alike[0] <= found.choice.row.threshold <= found.choice.alike[1]


def test_calibration_by_labels_makes_settings(tmp_path: Path) -> None:
    """The goal is reached, several schemes are compared, and the settings can be read again."""
    found = run_calibrate(records(), DedupConfig(), ["chars128", "chars64"], field="of", precision=0.99)
    (tmp_path / "run.toml").write_text(settings_toml(found.config))
    read = settings_from(tmp_path / "run.toml")

    assert [curve.scheme for curve in found.curves] == ["chars128", "chars64"]
    assert found.choice.row.precision == 1.0 and found.edits == []
    assert read["similarity"] == found.choice.row.threshold and read["scheme"] == found.choice.curve.scheme


def test_a_bound_of_what_is_lost_is_proposed_where_the_labels_want_one() -> None:
    """Copies with errors in many words are the same, and more similar ones with another end are not."""

    def misspelt(text: str) -> str:
        return " ".join(word[:-1] + "x" if at % 5 == 0 else word for at, word in enumerate(text.split()))

    same = [{"text": text, "of": n} for n in range(20) for text in (text_of(n), misspelt(text_of(n)))]
    others = [{"text": text_of(n, cut=3), "of": n + 50} for n in range(20)]

    found = run_calibrate([*same, *others], DedupConfig(), ["chars128"], field="of")

    assert found.bound is not None
    (units, score), free = found.bound, found.choice.row
    assert (units, free.precision) == (8, 0.5)
    assert score.threshold == free.threshold and score.recall == free.recall == 1 and score.f1 > 0.9
    assert found.summary["max_lost"]["units"] == 8 and found.config.max_lost is None
    assert run_calibrate(same, DedupConfig(), ["chars128"], field="of").bound is None


def curve(name: str, *rows: tuple[float, int, int]) -> Curve:
    """A curve of (threshold, found, right) with ten right pairs in all."""
    scores = [PairScore(threshold, found, right, 10) for threshold, found, right in rows]
    return Curve(name, scores, 0.0, np.array([[row.f1 for row in scores]] * 3))


def test_the_choice_follows_the_goal() -> None:
    """Best F1; most recall at a precision; most precision at a recall; the nearest if nothing reaches the goal."""
    one = curve("one", (0.4, 20, 10), (0.6, 11, 9), (0.8, 5, 5))
    other = curve("other", (0.4, 15, 10), (0.6, 7, 6), (0.8, 3, 3))

    assert (choose([one, other]).row.threshold, choose([one, other]).curve.scheme) == (0.6, "one")
    assert choose([one, other], Goal(0.95)).row == one.rows[2]
    assert choose([one, other], Goal(recall=1.0)).row == other.rows[0]
    unreached = choose([one, other], Goal(0.99, 0.9))
    assert (unreached.is_reached, unreached.row) == (False, one.rows[1])
    assert choose([curve("none", (0.4, 0, 0))]).row.found == 0


def test_thresholds_that_differ_by_chance_are_alike() -> None:
    """One pair among two hundred tells nothing; a hundred do."""
    near = np.concatenate([np.full(100, 0.9), [0.7], np.full(100, 0.5)])
    right = np.concatenate([np.full(100, True), [True], np.full(100, False)])
    steps = [0.45, 0.6, 0.8]
    scores = [PairScore(step, int((near >= step).sum()), int((right & (near >= step)).sum()), 101) for step in steps]
    made = Curve("x", scores, 0.0, resampled_f1(near, right, 101, steps))

    assert choose([made]).alike == (0.6, 0.8)


def test_edited_copies_do_not_change_a_default_for_little() -> None:
    """A default stays within the margin, a goal sets it aside, and documents near one another give no copies."""
    little = Curve(
        "plain", [PairScore(at, 100, right, 100) for at, right in ((0.5, 100), (0.6, 98))], 0.0, np.ones((3, 2))
    )
    much = curve("other", (0.5, 10, 10), (0.6, 9, 9))

    assert choose([little], default=0.6).row.threshold == 0.6
    assert choose([little], default=0.6).better is little.rows[0]
    assert choose([little], Goal(recall=0.99), default=0.6).row.threshold == 0.5
    assert choose([curve("plain", (0.6, 9, 9)), much], default=0.6).curve.scheme == "other"
    with pytest.raises(ConfigError, match="0 of 40 documents have no near one"):
        run_calibrate([text_of(n // 2) for n in range(40)], DedupConfig(), ["chars128"])


STEM = "read the passage and choose the best answer to the question that follows it below on the page"
RECORDS: list[dict[str, Any]] = [
    {"id": f"q{number}", "text": f"{STEM} {number // 2}", "of": f"g{number // 2}", "answer": "ABCD"[number % 2]}
    for number in range(8)
]


def written(folder: Path, ending: str) -> Path:
    """The records in a file."""
    path = folder / f"in.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(RECORDS), path)
    elif ending == "csv":
        lines = [",".join(RECORDS[0]), *(",".join(record.values()) for record in RECORDS)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_wrong_field_of_labels_is_named_as_one(ending: str, tmp_path: Path) -> None:
    """The message speaks of labels alone, has the fields, and what was meant; there is no warning beside it."""
    with pytest.raises(ConfigError) as error:
        run_labels(written(tmp_path, ending), DedupConfig(), field="Of", warn=pytest.fail)
    text = str(error.value)

    assert "did you mean 'of'? The fields are 'id', 'text', 'of', 'answer'; name the field of the labels" in text
    assert "keep" not in text and "id_field" not in text


def test_fields_that_differ_are_no_errors_of_a_search() -> None:
    """Questions with one stem and another answer are not near, so they do not count as wrong."""
    ends = [
        "which of the four painters lived in the south", "how many ferries cross the bay each May",
        "what the miller said of the new bridge to him", "why the harbour was closed for ten days in 1910",
    ]  # fmt: skip
    sampled = [{"id": end[:3], "text": f"{STEM[:40]} {end}"} for end in ends]
    plain = run_labels(RECORDS, DedupConfig(), field="of")
    apart = run_labels(RECORDS, DedupConfig(block_by="of"), field="of")
    free = run_calibrate(sampled, DedupConfig(), ["chars128"], lowest=0.3, recall=0.99)
    ruled = run_calibrate(sampled, DedupConfig(differ="id"), ["chars128"], lowest=0.3, recall=0.99)

    assert plain.at.precision == pytest.approx(4 / 28)
    assert apart.at.precision == 1.0
    assert (free.curves[0].rows[0].found, ruled.curves[0].rows[0].found) == (28, 4)
    assert ruled.config.differ == ("id",)


def test_the_command_takes_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in the settings that calibrate writes."""
    source = written(tmp_path, "jsonl")
    other = tmp_path / "other.jsonl"
    lines = [{"id": end, "answer": "A", "text": f"{end} {STEM[at * 20 :]}"} for at, end in enumerate("xyz")]
    other.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["--block-by", "answer", "--differ", "id", "-o", str(tmp_path / "run.toml"), "--scheme", "chars128", "-q"]

    assert main(["calibrate", str(other), *words]) == 0
    assert 'block_by = ["answer"]' in (tmp_path / "run.toml").read_text()
    assert main(["evaluate", "labels", str(source), "--labels", "of", "--block-by", "of", "-q"]) == 0
    assert "precision at 0.6" in capsys.readouterr().out
