"""A containment, several schemes, and fields that are compared by themselves decide on a cluster as on one machine."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.conftest import expected, got, judged, mixed, shuffled, table

import simsieve
from simsieve.errors import ConfigError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]

MANY = 8600
"""Rows of a search by keys; below 8,192 every pair is tested."""
CASES: list[dict[str, Any]] = [
    {"measure": "containment", "keep": ["longest"]},
    {"measure": "containment", "max_ratio": 2.0, "similarity": 0.6, "max_lost": 9, "keep": ["last"]},
    {"scheme": ["chars128@0.6", "words64@0.4"], "near": ["year:2"]},
    {"scheme": ["chars64@12bits", "words64@0.5"], "measure": "jaccard", "keep": ["last"]},
    {"field": ["text:0.6"], "near": ["year:1"]},
    {"field": ["text|other:0.6", "names:words64@0.5", "year:20bits"], "differ": ["doi:known"], "max_lost": 20},
    {"field": ["text::4", "other::2", "names::1"], "similarity": 0.7, "window": "9d", "date_field": "day"},
    {"field": ["text:chars64@0.5", "other:0.5"], "measure": "containment", "agree": ["doi"]},
]
"""Settings under which the order of two texts counts, or several texts or schemes must agree."""


def records(count: int, seed: int = 3) -> Any:
    """Rows of all kinds with a second text, lists of names and other fields; some are parts of earlier texts."""
    rows, draw = table(mixed(count, seed)), random.Random(seed)
    texts, parts = mixed(count, seed), draw.choices(range(count), k=count // 8)
    for at, of in zip(draw.sample(range(count), len(parts)), parts, strict=True):
        words = (texts[of] or "").split(" ")
        texts[at] = " ".join(words[: max(4, len(words) * draw.randint(4, 9) // 10)])
    at = rows.schema.get_field_index("text")
    rows = rows.set_column(at, "text", pa.array(texts, pa.string()))
    others = mixed(40, seed + 1)
    columns: dict[str, Any] = {
        "other": pa.array([draw.choice([None, "", *others]) for _ in range(count)], pa.string()),
        "names": pa.array(
            [draw.choice([None, [], ["Li, C.", "Wu, B."], ["Wu, B.", "Li, C."], ["Wu, Bo"]]) for _ in range(count)]
        ),
        "year": pa.array([draw.choice([None, *range(2001, 2007)]) for _ in range(count)]),
        "doi": pa.array([draw.choice([None, "n/a", f"10.1/{draw.randrange(count // 3)}"]) for _ in range(count)]),
        "day": pa.array([f"2026-11-{draw.randrange(1, 29):02}" for _ in range(count)]),
    }
    for name, values in columns.items():
        rows = rows.append_column(name, values)
    return rows


def judged_halves() -> tuple[Any, Any]:
    """Old rows, and new ones with ids that differ, which verdicts can name."""
    rows = records(900)
    rows = rows.set_column(rows.schema.get_field_index("id"), "id", pa.array([f"r{at}" for at in range(900)]))
    return rows.slice(0, 200), rows.slice(200)


@pytest.mark.parametrize("settings", CASES)
@pytest.mark.parametrize(
    ("count", "most"),
    [(700, None), (MANY, None), pytest.param(MANY, 10, marks=pytest.mark.slow)],
)
def test_decisions_are_those_of_one_machine(
    spark: Any, settings: dict[str, Any], count: int, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field of every decision is equal, where every pair is tested, by keys, and in rounds."""
    from simsieve.cluster import rounds
    from simsieve.spark import dedup

    monkeypatch.setattr(rounds, "MOST_WALKED", most or rounds.MOST_WALKED)
    rows = records(count)

    job = got(dedup(shuffled(spark, rows, 4, seed=1), order="place", **settings))

    assert job == expected(rows, **settings)
    assert "near" in {row["reason"] for row in job}


@pytest.mark.parametrize("settings", [CASES[0], CASES[5]])
def test_verdicts_and_old_rows_hold_too(spark: Any, settings: dict[str, Any]) -> None:
    """A verdict that changes the keep order changes which of two texts contains the other."""
    from simsieve.spark import dedup

    old, new = judged_halves()
    given = {**settings, "verdicts": judged(new, **settings)}

    job = got(dedup(shuffled(spark, new, 3, seed=1), order="place", against=shuffled(spark, old, 2), **given))

    assert job == expected(new, against=old, **given)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"scheme": ["chars64", "words64"], "combine": "any"}, "combine any has a search for each scheme"),
        ({"field": ["text:0.8", "score:0.5"]}, "text 'score' is a column of double, and a text, a list of texts"),
        ({"field": ["title:0.8", "other:0.5"], "text": "body"}, "text_field body and .*`field` are both given"),
        ({"field": ["title:0.8"]}, "text 'title' is no column"),
    ],
)
def test_what_a_job_does_not_take(spark: Any, settings: dict[str, Any], part: str) -> None:
    """The message names the setting, and what is needed."""
    from simsieve.spark import dedup

    frame = spark.createDataFrame([], "id long, text string, other string, score double")

    with pytest.raises(ConfigError, match=part):
        dedup(frame, **settings)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"measure": "containment"}, "measure containment is not for a Spark job against an index"),
        ({"scheme": ["chars64@0.6", "words64@0.6"]}, "a Spark job against an index is for one scheme, and 2 are given"),
        ({"field": ["text:0.6"]}, "an index with .*`field` is for one machine"),
    ],
)
def test_an_index_of_such_settings_is_for_one_machine(
    spark: Any, tmp_path: Path, settings: dict[str, Any], part: str
) -> None:
    """It is refused by the settings that it was made with."""
    from simsieve.spark import dedup

    simsieve.Index.create(tmp_path / "index", [{"id": "a", "text": "one text of words"}], **settings).close()

    with pytest.raises(ConfigError, match=part):
        dedup(spark.createDataFrame([("b", "another text")], "id string, text string"), against=tmp_path / "index")


def test_pairs_have_no_order(spark: Any) -> None:
    """Pairs of a containment are found on one machine."""
    from simsieve.spark import find_pairs

    with pytest.raises(ConfigError, match="measure containment is not for find_pairs of"):
        find_pairs(spark.createDataFrame([(1, "one text")], "id long, text string"), measure="containment")


def test_the_summary_names_all_schemes(spark: Any) -> None:
    """Digests are of all schemes, and the recall is measured as on one machine."""
    from simsieve.spark import dedup_with_summary

    rows = records(MANY)
    settings: dict[str, Any] = {"scheme": ["chars128@0.6", "words64@0.4"]}

    _, job = dedup_with_summary(shuffled(spark, rows, 3, seed=1), order="place", sample=200, **settings)

    one = simsieve.dedup(rows, max_failed="100%", sample=200, **settings).summary
    same = ("kept", "dropped", "failed", "exact_duplicates", "near_duplicates", "digest", "recipe_digest", "scheme")
    assert {name: job[name] for name in same} == {name: one[name] for name in same}
