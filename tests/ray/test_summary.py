"""A job on Ray counts, measures and finds pairs as one machine does."""

from typing import Any

import pyarrow as pa
import pytest
from tests.ray.conftest import blocks, got
from tests.spark.conftest import expected, mixed
from tests.spark.test_equal import PAIRS, in_pairs, pairs_of
from tests.spark.test_summary import COUNTED, MANY, SAMPLED, counted, forms, in_places, same

import simsieve
from simsieve.cluster import rounds
from simsieve.errors import ConfigError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]


def summary_of(*given: Any, **settings: Any) -> tuple[Any, dict[str, Any]]:
    """Call `simsieve.ray.dedup_with_summary`: Ray is loaded where a test runs."""
    from simsieve import ray

    return ray.dedup_with_summary(*given, order="place", **settings)


def find_pairs(*given: Any, **settings: Any) -> Any:
    """Call the function of this name of `simsieve.ray`."""
    from simsieve import ray

    return ray.find_pairs(*given, order="place", **settings)


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_is_that_of_one_machine(ray: Any, name: str) -> None:
    """Rows that are dropped for old ones are in no cluster; those that a fact joins are near duplicates."""
    rows, old, settings = counted(name)

    decisions, summary = summary_of(
        blocks(ray, rows, 3), against=None if old is None else blocks(ray, old, 2), **settings
    )

    assert same(summary) == same(simsieve.dedup(rows, against=old, max_failed="100%", sample=0, **settings).summary)
    assert got(ray, decisions) == expected(rows, against=old, **settings)


@pytest.mark.parametrize(
    ("settings", "most"), [(SAMPLED[1], 10), pytest.param(SAMPLED[0], rounds.MOST_WALKED, marks=pytest.mark.slow)]
)
def test_the_summary_is_that_of_one_machine(
    ray: Any, settings: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, digests, and the recall with its interval, which the same sample gives."""
    monkeypatch.setattr(rounds, "MOST_WALKED", most)
    rows = in_places(mixed(MANY, seed=2))

    _, summary = summary_of(blocks(ray, rows, 5), sample=700, **settings)

    one = simsieve.dedup(rows, max_failed="100%", sample=700, **settings).summary
    told = ("recall", "recall_interval", "hubs", "looks_like")
    assert same(summary) == same(one)
    assert [summary.get(name) for name in told] == [one.get(name) for name in told]
    assert not settings or summary["recall"] < 1


def test_hubs_and_kinds_are_told_as_on_one_machine(ray: Any) -> None:
    """Forms with other numbers are a hub with its passage, and short texts are named."""
    rows = forms()

    _, summary = summary_of(blocks(ray, rows, 3), conflict="none")

    one = simsieve.dedup(rows, conflict="none").summary
    assert summary["hubs"] == one["hubs"] and summary["hubs"][0]["near_duplicates"] == 29
    assert summary["looks_like"] == one["looks_like"] == "short"


@pytest.mark.parametrize("settings", [pytest.param(PAIRS[0], marks=pytest.mark.slow), *PAIRS[1:]])
def test_pairs_are_those_of_one_machine(ray: Any, settings: dict[str, Any]) -> None:
    """The near pairs among different texts are found, as far as no group of them is large."""
    rows = in_pairs()

    pairs = find_pairs(blocks(ray, rows, 4), **settings).take_all()

    assert sorted((row["a"], row["b"]) for row in pairs) == pairs_of(rows, **settings)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({}, "2 rows are in large groups of similar texts.* decide with simsieve.ray.dedup"),
        ({"verdicts": [("a", "b", "same")]}, "verdicts are for simsieve.ray.dedup, and not for find_pairs"),
        ({"measure": "containment"}, "measure containment is not for find_pairs of simsieve.ray"),
    ],
)
def test_pairs_that_are_not_found(ray: Any, settings: dict[str, Any], part: str) -> None:
    """The message names what finds them."""
    rows = pa.table({"id": ["a", "b"], "place": [1, 2], "text": ["one text of words", "one text of words more"]})

    with pytest.raises(ConfigError, match=part):
        find_pairs(ray.data.from_arrow(rows), **settings)


def test_no_rows_have_a_summary_and_no_pairs(ray: Any) -> None:
    """There is nothing to count or to measure, and the columns are those of any other rows."""
    rows = ray.data.from_arrow(pa.table({"id": [1], "place": [1], "text": ["a"]}).slice(0, 0))

    decisions, summary = summary_of(rows)

    assert (decisions.count(), summary["read"], summary["largest_cluster"], summary["recall"]) == (0, 0, 0, None)
    assert decisions.schema().names[:4] == ["position", "id", "decision", "representative"]
    assert find_pairs(rows).schema().names[:3] == ["a", "b", "distance"]
