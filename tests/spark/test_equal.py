"""A job on a cluster decides as one machine does."""

import random
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.conftest import dedup, expected, got, mixed, shuffled, table

import simsieve

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]

MANY = 9000
"""Rows of a search by keys; below 8,192 every pair is tested."""


@pytest.fixture(scope="module")
def many() -> Any:
    """Rows of all kinds, more than are compared pair by pair; `third` is one of three words or missing."""
    rows = table(mixed(MANY))
    return rows.append_column("third", pa.array([("a", "b", "c", None)[at % 4] for at in range(MANY)]))


@pytest.mark.parametrize(
    ("settings", "partitions"),
    [
        ({}, 8),
        ({"conflict": "numbers,text"}, 8),
        ({"max_distance": 4, "keep": ["max:score", "longest"]}, 3),
        ({"block_by": "third", "differ": ["score", "third"], "same": "numbers"}, 5),
    ],
)
def test_decisions_are_those_of_one_machine(spark: Any, many: Any, settings: dict[str, Any], partitions: int) -> None:
    """Every field of every decision is equal, under a similarity and under a distance."""
    job = dedup(shuffled(spark, many, partitions, seed=partitions), order="place", **settings)

    assert got(job) == expected(many, **settings)


@pytest.mark.parametrize("settings", [{"differ": "score"}, {"same": ["numbers", "negation"], "max_distance": 6}])
def test_few_rows_have_rules_too(spark: Any, settings: dict[str, Any]) -> None:
    """What must be equal holds where every pair is tested; a missing value equals another one."""
    rows = table([f"{text} {at % 3}" if text else text for at, text in enumerate(mixed(900, seed=6))])

    assert got(dedup(shuffled(spark, rows, 3, seed=1), order="place", **settings)) == expected(rows, **settings)


@pytest.mark.parametrize("keep", [["last"], ["shortest", "min:score"]])
def test_few_rows_are_compared_pair_by_pair(spark: Any, keep: list[str]) -> None:
    """A small collection has no keys, and every keep order gives the same decisions."""
    rows = table(mixed(700, seed=3))

    assert got(dedup(shuffled(spark, rows, 3, seed=1), order="place", keep=keep)) == expected(rows, keep=keep)


@pytest.mark.parametrize("word", ["max", "min"])
def test_numbers_in_texts_are_numbers(spark: Any, word: str) -> None:
    """A column of texts orders as the core orders it: numbers by their exact worth, then texts, then none."""
    chance = random.Random(5)
    values = [
        "9",
        "10",
        " 8.5",
        "1e3",
        "-7",
        "9007199254740993",
        "9007199254740992",
        "n/a",
        "",
        None,
        "inf",
        "2024-01-31",
    ]
    rows = [{**row, "v": chance.choice(values)} for row in table(mixed(300, seed=4)).to_pylist()]
    rows = pa.Table.from_pylist(rows, pa.schema([*table(["a"]).schema, ("v", pa.string())]))

    assert got(dedup(shuffled(spark, rows, 3, seed=1), order="place", keep=[f"{word}:v"])) == expected(
        rows, keep=[f"{word}:v"]
    )


@pytest.mark.parametrize(
    "texts", [[None, "!!!"], [f"{at * 7919 % 999_983:x} {at:x}" for at in range(8192)]], ids=["none", "no pair"]
)
def test_rows_without_candidates_are_kept(spark: Any, texts: list[str | None]) -> None:
    """Nothing is decided on the driver where no text is near another."""
    rows = table(texts)

    assert got(dedup(shuffled(spark, rows, 2, seed=1), order="place", similarity=0.95)) == expected(
        rows, similarity=0.95
    )


def test_an_empty_frame_gives_no_decisions(spark: Any) -> None:
    """No rows give a frame of no rows, with the columns of any other."""
    frame = spark.createDataFrame([], "id string, text string, place long")

    decisions = dedup(frame, order="place")

    assert decisions.count() == 0 and decisions.columns[:4] == ["position", "id", "decision", "representative"]


def test_names_in_an_id_are_any(spark: Any) -> None:
    """An `_id` in extended JSON has a field whose name is no word of a schema."""
    from simsieve.spark import dedup

    rows = [(at, (f"{at}a",), "one text of some words") for at in range(2)]
    frame = spark.createDataFrame(rows, "number long, id struct<`$oid`: string>, text string")

    found = dedup(frame, order="number").orderBy("position").collect()

    assert [(row["id"]["$oid"], row["representative"]["$oid"]) for row in found] == [("0a", "0a"), ("1a", "0a")]


def test_fingerprints_are_those_of_one_machine(spark: Any) -> None:
    """A column of fingerprints has the digits that a `Fingerprinter` gives, and null where a text has none."""
    from simsieve.spark import fingerprint

    texts = ["one text of words", "!!!", None]

    rows = got(fingerprint(spark.createDataFrame(table(texts)), order="place", scheme="chars64"))

    one = simsieve.fingerprint("one text of words", scheme="chars64")
    assert one is not None
    assert [row["fingerprint"] for row in rows] == [one.hex, None, None]


def test_a_model_is_fitted_in_parts(spark: Any) -> None:
    """Models of partitions are merged to the model of all."""
    from simsieve.spark import fit

    texts = [text for text in mixed(200) if text is not None]

    assert fit(spark.createDataFrame(table(texts)).repartition(3), scheme="chars64") == simsieve.fit(
        texts, scheme="chars64"
    )


@pytest.mark.slow
def test_no_partitioning_changes_a_decision(spark: Any, many: Any) -> None:
    """Twenty orders and numbers of partitions, skewed ones and empty ones among them."""
    wanted = expected(many)

    for seed in range(20):
        assert got(dedup(shuffled(spark, many, 1 + seed, seed), order="place")) == wanted


def in_pairs() -> Any:
    """Rows of which one of nine has a near one, that is longer by a word; of half of these both lose a long run."""
    draw = random.Random(5)
    texts: list[str | None] = [" ".join(str(draw.randrange(10**6)) for _ in range(12)) for _ in range(MANY)]
    for at in range(0, MANY - 1, 9):
        texts[at + 1] = f"{texts[at]} more"
        if at % 2:
            texts[at] = f"{texts[at]} {''.join(draw.choices('abcdefgh', k=24))}"
            texts[at + 1] = f"{texts[at + 1]} {''.join(draw.choices('stuvwxyz', k=24))}"
    return table(texts)


def pairs_of(rows: Any, **settings: Any) -> list[tuple[int, int]]:
    """The pairs of one machine, by the places of the rows."""
    one, place = simsieve.find_pairs(rows, **settings).to_arrow(), rows["place"].to_pylist()
    a, b = (one[name].to_pylist() for name in ("a_position", "b_position"))
    return sorted((place[x], place[y]) for x, y in zip(a, b, strict=True))


PAIRS: list[dict[str, Any]] = [{}, {"max_distance": 6}, {"max_lost": 20}]


@pytest.mark.slow
@pytest.mark.parametrize("settings", PAIRS)
def test_pairs_are_those_of_one_machine(spark: Any, settings: dict[str, Any]) -> None:
    """The near pairs among different texts are found, as far as no group of them is large."""
    from simsieve.spark import find_pairs

    rows = in_pairs()

    pairs = find_pairs(shuffled(spark, rows, 4, seed=1), order="place", **settings).toArrow()

    assert sorted(zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True)) == pairs_of(rows, **settings)
