"""A job on Ray decides as one machine does."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
from hypothesis import HealthCheck, given, settings  # noqa: E402 - after the skip
from hypothesis import strategies as st  # noqa: E402 - as above
from tests.ray.conftest import blocks, dedup, got  # noqa: E402 - as above
from tests.spark.conftest import expected, judged, mixed, table  # noqa: E402 - as above
from tests.spark.test_against import halves  # noqa: E402 - as above
from tests.spark.test_rules import FIELDS, records  # noqa: E402 - as above

import simsieve  # noqa: E402 - as above
from simsieve.cluster import job, rounds  # noqa: E402 - as above

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]
MANY = 8600
"""Rows of a search by keys; below 8,192 every pair is tested."""


@pytest.fixture(scope="module")
def many() -> Any:
    """Rows of all kinds, more than are compared pair by pair, with the fields of records."""
    return records(MANY)


@pytest.mark.parametrize("most", [rounds.MOST_WALKED, 10])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"conflict": "numbers,text", "max_lost": 9},
        {"max_distance": 4, "keep": ["max:score", "longest"]},
        {"block_by": "third", "differ": ["score", "third"], "same": "numbers"},
        {**FIELDS, "window": "5d", "date_field": "day", "keep": ["shortest", "last"]},
    ],
)
def test_decisions_are_those_of_one_machine(
    ray: Any, many: Any, given: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field of every decision is equal with every rule, on the driver and in rounds, in few and many tasks."""
    from simsieve.ray import dedup, engine

    monkeypatch.setattr(rounds, "MOST_WALKED", most)
    monkeypatch.setattr(engine, "_AT_ONCE", 3)
    monkeypatch.setattr(job, "_ROWS_A_TASK", job._ROWS_A_TASK if most > 10 else 700)
    # One machine reads a list of a table as its JSON.
    at = many.schema.get_field_index("names")
    names = [None if value is None else json.dumps(value) for value in many["names"].to_pylist()]

    decisions = dedup(blocks(ray, many, 5), order="place", **given)

    assert got(ray, decisions) == expected(many.set_column(at, "names", pa.array(names)), **given)


@pytest.mark.parametrize(("count", "old"), [(700, 300), pytest.param(9000, 3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("keep", [["last"], ["longest", "min:score"]])
def test_old_rows_are_those_of_one_machine(ray: Any, count: int, old: int, keep: list[str]) -> None:
    """Old rows stay, and what is near them is dropped for them."""
    rows, before = halves(count, old)

    decisions = dedup(blocks(ray, rows, 4), order="place", against=blocks(ray, before, 2), keep=keep)

    assert got(ray, decisions) == expected(rows, against=before, keep=keep)


def test_verdicts_hold_as_on_one_machine(ray: Any) -> None:
    """Pairs that people have judged, near ones and copies among them."""
    rows = table(mixed(900, seed=3))
    rows = rows.set_column(rows.schema.get_field_index("id"), "id", pa.array([f"r{at}" for at in range(900)]))
    verdicts = [("r1", "nobody", "same"), *judged(rows)]

    found = got(ray, dedup(blocks(ray, rows, 3), order="place", verdicts=verdicts))

    assert found == expected(rows, verdicts=verdicts)


def test_an_index_decides_as_on_one_machine(ray: Any, tmp_path: Path) -> None:
    """The same rows are dropped for documents of an index."""
    rows, before = halves(700, 300)
    before = before.set_column(before.schema.get_field_index("id"), "id", pa.array([f"old{at}" for at in range(300)]))
    simsieve.Index.create(tmp_path / "index", before, max_failed="100%", similarity=0.65).close()

    found = got(ray, dedup(blocks(ray, rows, 3), order="place", against=tmp_path / "index"))

    one = expected(rows, against=str(tmp_path / "index"))
    assert [row["decision"] for row in found] == [row["decision"] for row in one]
    assert any(row["representative_collection"] == "old" for row in found)


@pytest.mark.parametrize("word", ["max", "min"])
def test_numbers_in_texts_are_numbers(ray: Any, word: str) -> None:
    """A column of texts orders as the core orders it: numbers by their exact worth, then texts, then none."""
    values = ["9", "10", " 8.5", "1e3", "-7", "9007199254740993", "9007199254740992", "n/a", "", None, "inf", "+.5"]
    chance, rows = random.Random(5), table(mixed(300, seed=4))
    rows = rows.append_column("v", pa.array(chance.choices(values, k=300), pa.string()))

    found = got(ray, dedup(blocks(ray, rows, 3), order="place", keep=[f"{word}:v"]))

    assert found == expected(rows, keep=[f"{word}:v"])


@given(st.lists(st.sampled_from([None, "!", *(f"{a} {b} c d e f" for a in "gh" for b in "ijk")])), st.integers(1, 4))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_few_texts_in_any_blocks(ray: Any, texts: list[str | None], count: int) -> None:
    """Copies, near texts, texts without features and none; blocks may be empty."""
    rows = table(texts)

    assert got(ray, dedup(blocks(ray, rows, count), order="place")) == (expected(rows) if texts else [])


def test_no_pair_is_near(ray: Any) -> None:
    """Rows without candidates are kept."""
    rows = table([f"{at * 7919 % 999_983:x} {at:x}" for at in range(8192)])

    found = got(ray, dedup(blocks(ray, rows, 2), order="place", similarity=0.95))

    assert found == expected(rows, similarity=0.95)


def test_a_frame_of_pandas_and_fields_of_structs(ray: Any) -> None:
    """Blocks of pandas are read, whole numbers of the column id order, and dots reach into structs."""
    pandas = pytest.importorskip("pandas")
    texts = ["one text of words", "another one altogether", "one text of words"]
    frame = pandas.DataFrame({"id": [2, 1, 3], "c": [{"d": text} for text in texts], "e": ["x", "y", "x"]})

    found = got(ray, dedup(ray.data.from_pandas(frame), text="c.d", block_by="e"))

    assert [(row["id"], row["decision"], row["cluster"]) for row in found] == [
        (1, "kept", 1), (2, "kept", 2), (3, "dropped", 2)
    ]  # fmt: skip


@pytest.mark.slow
def test_a_model_is_fitted_on_the_rows(ray: Any, many: Any) -> None:
    """Weights are counted in parts and merged."""
    rows = many.drop_columns(["names"])

    assert got(ray, dedup(blocks(ray, rows, 4), order="place", idf="fit")) == expected(rows, idf="fit")
