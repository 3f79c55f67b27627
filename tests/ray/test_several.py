"""A containment, several schemes, and fields that are compared by themselves decide on Ray as on one machine."""

from typing import Any

import pytest
from tests.ray.conftest import blocks, dedup, got
from tests.spark.conftest import expected, judged
from tests.spark.test_several import CASES, MANY, judged_halves, records

from simsieve.cluster import rounds

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("count", "most", "case"),
    [
        *((700, rounds.MOST_WALKED, case) for case in range(len(CASES))),
        (MANY, 10, 1),
        (MANY, rounds.MOST_WALKED, 5),
        *(
            pytest.param(MANY, most, case, marks=pytest.mark.slow)
            for most in (rounds.MOST_WALKED, 10)
            for case in range(len(CASES))
            if (most, case) not in {(10, 1), (rounds.MOST_WALKED, 5)}
        ),
    ],
)
def test_decisions_are_those_of_one_machine(
    ray: Any, count: int, most: int, case: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field of every decision is equal, where every pair is tested, by keys, and in rounds."""
    monkeypatch.setattr(rounds, "MOST_WALKED", most)
    rows, settings = records(count), CASES[case]

    found = got(ray, dedup(blocks(ray, rows, 4), order="place", **settings))

    assert found == expected(rows, **settings)
    assert "near" in {row["reason"] for row in found}


@pytest.mark.parametrize("settings", [CASES[0], CASES[5]])
def test_verdicts_and_old_rows_hold_too(ray: Any, settings: dict[str, Any]) -> None:
    """A verdict that changes the keep order changes which of two texts contains the other."""
    old, new = judged_halves()
    given = {**settings, "verdicts": judged(new, **settings)}

    found = got(ray, dedup(blocks(ray, new, 3), order="place", against=blocks(ray, old, 2), **given))

    assert found == expected(new, against=old, **given)
