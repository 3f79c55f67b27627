"""Evaluation by edited copies, from Python: the edits, what finds copies, the figures and the page."""

import csv
from pathlib import Path
from random import Random

import pytest

from simsieve import ConfigError, Fingerprinter, similarity
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.edit_rates import (
    DISTANCES,
    SCHEMES,
    SHARES,
    DistanceMatcher,
    EditTrial,
    SimilarityMatcher,
    run_edits,
)
from simsieve.evaluate.edits import edited_words
from simsieve.evaluate.pages import COLUMNS, edit_page, shown_trial, write_figures
from simsieve.schemes.criteria import Criterion

SPECS = ["chars128@0.65", "words64@10bits", "esimhash128@10bits"]


def texts(count: int, length: int = 150) -> list[str]:
    """Texts of their own words."""
    draw = Random(3)
    return [" ".join("".join(draw.choices("abcdefghijklmnop", k=5)) for _ in range(length)) for _ in range(count)]


@pytest.fixture(scope="module")
def trial() -> EditTrial:
    """A small trial of three schemes."""
    return run_edits(texts(40), DedupConfig(scheme=SPECS), articles=30, edited=20, draws=2)


@pytest.mark.parametrize("longest", [1, 8])
@pytest.mark.parametrize("share", SHARES)
def test_edits_of_words_are_of_their_share(longest: int, share: float) -> None:
    """The words that stay are about the rest; the seed decides."""
    words = [f"w{number} " for number in range(1000)]
    made = edited_words(words, share, longest, Random(1), ["other "] * 20)
    left = set(made.split()) & {word.strip() for word in words}

    assert made == edited_words(words, share, longest, Random(1), ["other "] * 20)
    assert 1000 * (1 - share) - 20 <= len(left) <= 1000 * (1 - share / 4) + 20


def test_edits_of_short_texts() -> None:
    """One word, and none, can be edited."""
    for seed in range(20):
        edited_words(["one"], 0.2, 8, Random(seed), ["other"])
        edited_words([], 0.2, 8, Random(seed), [])


def test_matchers_find_what_plain_loops_find() -> None:
    """Every pair within the loosest threshold, with its distance or similarity, and no other."""
    originals = texts(12, 40)
    draw = Random(5)
    copies = [edited_words(text.split(" "), 0.2, 2, draw, ["x"]) for text in originals] + [""]
    far = DistanceMatcher(Criterion("words64", max_distance=3), originals, DedupConfig())
    near = SimilarityMatcher(Criterion("chars128", similarity=0.5), originals, DedupConfig())
    make = Fingerprinter("words64")
    a, b = make.transform(copies), make.transform(originals)
    distances = {
        (i, j, float((int(a.values[i, 0]) ^ int(b.values[j, 0])).bit_count()))
        for i in range(len(copies)) for j in range(len(originals)) if a.valid[i]
    }  # fmt: skip
    loosest = far.thresholds[0]

    assert set(zip(*(column.tolist() for column in far.near(copies)), strict=True)) == {
        row for row in distances if row[2] <= loosest
    }
    measured = [(i, j, similarity(x, y)) for i, x in enumerate(copies) for j, y in enumerate(originals)]
    wanted = {(i, j): value for i, j, value in measured if value >= near.thresholds[0]}
    found = {(i, j): value for i, j, value in zip(*(column.tolist() for column in near.near(copies)), strict=True)}
    assert found == pytest.approx(wanted)


def test_figures_agree_with_one_another(trial: EditTrial) -> None:
    """Counts are of all draws, stricter thresholds find less, and the default finds all edited runs."""
    assert (len(trial.originals.texts), trial.edited) == (30, 20)
    assert [rates.scheme for rates in trial.rates] == SPECS
    for rates in trial.rates:
        for rows in (*rates.shares.values(), rates.search):
            assert {row.gold for row in rows} == {40}
            assert [row.found for row in rows] == sorted((row.found for row in rows), reverse=True)
            assert all(row.right <= row.found for row in rows)
        assert [row.threshold for row in rates.distances] == (list(DISTANCES) if rates.by_distance else [])
        assert rates.spread[0] <= rates.at().f1 <= rates.spread[1] or rates.at().f1 == pytest.approx(rates.spread[0])
        assert rates.at(threshold=rates.best).f1 == max(row.f1 for row in rates.search)
    assert trial.rates[0].at(0.2).recall == 1.0


def test_the_seed_decides(trial: EditTrial) -> None:
    """The same seed gives the same figures, another one others."""
    config = DedupConfig(scheme=SPECS)
    again = run_edits(texts(40), config, articles=30, edited=20, draws=2)
    other = run_edits(texts(40), DedupConfig(scheme=SPECS, seed=9), articles=30, edited=20, draws=2)

    assert again.summary == trial.summary
    assert other.summary != trial.summary


def test_scattered_words_are_harder(trial: EditTrial) -> None:
    """Single words all over the text break more features than runs do."""
    config = DedupConfig(scheme="words64@10bits")
    source = texts(40)
    runs, words = (
        run_edits(source, config, articles=40, edited=40, draws=1, edit=edit).rates[0].shares[0.2]
        for edit in ("runs", "words")
    )  # fmt: skip

    assert trial.edit == "runs"
    assert sum(row.right for row in words) <= sum(row.right for row in runs)


def test_the_table_has_all_figures(trial: EditTrial, tmp_path: Path) -> None:
    """A row for each distance, each share at each bound, and each threshold of the search."""
    write_figures(trial, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))

    assert list(rows[0]) == list(COLUMNS)
    assert {row["experiment"] for row in rows} == {"distance", "share", "search"}
    assert sum(row["experiment"] == "search" for row in rows) == sum(len(rates.search) for rates in trial.rates)
    assert sum(row["experiment"] == "distance" for row in rows) == 20


def test_the_page_has_the_curves_and_no_text(trial: EditTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three charts, in both languages; the command is escaped."""
    monkeypatch.setenv("SIMSIEVE_LANG", "en")
    made = edit_page(trial, "simsieve evaluate edits <in>")
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")
    chinese = edit_page(trial, "x")

    assert made.count("<svg") == 3 and made.count("<polyline") == 3 + 2 + 3
    assert "&lt;in&gt;" in made and trial.originals.texts[0][:30] not in made
    assert "各方案找到的改动副本" in chinese
    assert len(shown_trial(trial)) == 4


def test_the_default_schemes_can_be_measured() -> None:
    """All of them, on the least that there may be, and on texts of one word."""
    trial = run_edits(
        ["alpha beta gamma delta", "one two three four", "天地玄黄宇宙洪荒"], DedupConfig(scheme=SCHEMES), draws=1,
        least_characters=0,
    )  # fmt: skip

    assert [rates.scheme for rates in trial.rates] == list(SCHEMES)
    edit_page(trial, "")


def test_rivals_need_their_package() -> None:
    """With datasketch its signatures are measured; without it the message says what to install."""
    try:
        import datasketch  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match="pip install datasketch"):
            run_edits(texts(5), DedupConfig(), rivals=True)
        return
    trial = run_edits(texts(12), DedupConfig(), draws=1, rivals=True)
    assert [rates.at().recall for rates in trial.rates] == [1.0, 1.0, 1.0]
