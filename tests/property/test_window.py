"""A window of time, held against the plain loop: in one run, and batch by batch in an index."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property import twin
from tests.property.plain import Outcome, batches_are_one_run, decided
from tests.strategies import examples

from simsieve import dedup

Record = dict[str, Any]
START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEXTS = ["the quick brown fox", "The  quick brown fox", "the quick brown fix", "lorem ipsum dolor", "!!!", ""]

WRITTEN = (
    lambda at: at.isoformat(),
    lambda at: at.replace(tzinfo=None).isoformat(sep=" "),
    lambda at: at.astimezone(timezone(8 * HOUR)).isoformat(),
    lambda at: int(at.timestamp()),
    lambda at: int(at.timestamp()) * 1000,
    lambda at: {"$date": at.isoformat().replace("+00:00", "Z")},
    lambda at: {"$date": {"$numberLong": str(int(at.timestamp()) * 1000)}},
)
"""The forms of one date."""
NO_DATES: tuple[Any, ...] = (None, "", "soon", 5, 20261101, [], {"at": 1}, True, -1, "2026-11-31")


def record(text: str, hour: int, form: int, bad: int) -> Record:
    """A record whose date is in one of the forms, or is none."""
    at = START + hour * HOUR
    date = NO_DATES[bad] if bad < len(NO_DATES) else WRITTEN[form](at)
    return {"text": text, "date": date, "hour": None if bad < len(NO_DATES) else hour}


records = st.builds(
    record, st.sampled_from(TEXTS), st.integers(0, 60), st.integers(0, len(WRITTEN) - 1), st.integers(0, 120)
)
collections = st.lists(records, min_size=1, max_size=30)
hours = st.sampled_from([1, 5, 24, 1000])
distances = st.sampled_from([0, 12, 28])


def loop(rows: list[Record], span: int, k: int) -> list[Outcome]:
    """The law under a window; a copy of the same time stands directly behind its first."""
    options = twin.parse("chars64")
    bits = [twin.fingerprint(row["text"], options) for row in rows]
    normal = [twin.normalise(row["text"]) for row in rows]
    dated = [at for at, row in enumerate(rows) if row["hour"] is not None]

    def near(one: int, other: int) -> tuple[int, str] | None:
        a, b = bits[one], bits[other]
        if a is None or b is None or abs(rows[one]["hour"] - rows[other]["hour"]) > span:
            return None
        distance = (a ^ b).bit_count()
        return (distance, "exact" if normal[one] == normal[other] else "near") if distance <= k else None

    found = decided(dated, lambda at: None if bits[at] is None else (normal[at], rows[at]["hour"]), near)
    return [found.get(at, ("failed", "bad_date", None)) for at in range(len(rows))]


@examples(0.6)
@given(collections, hours, distances)
def test_a_run_with_a_window_is_the_plain_loop(rows: list[Record], span: int, k: int) -> None:
    """Only records whose dates are within the window may be near, whatever forms the dates have."""
    expected = loop(rows, span, k)
    result = dedup(
        rows, scheme="chars64", max_distance=k, window=span * HOUR, date_field="date", max_failed="100%", batch=7
    )

    assert [(one.decision, one.reason, one.representative_position) for one in result.decisions] == expected
    counts = result.counts
    assert (counts.read, counts.failed) == (len(rows), sum(row["hour"] is None for row in rows))
    assert counts.read == counts.kept + counts.dropped + counts.failed
    assert counts.dropped == counts.exact + counts.near


@examples(0.4)
@given(collections, st.integers(0, 30), hours)
def test_batches_of_an_index_with_a_window_are_one_run(rows: list[Record], cut: int, span: int) -> None:
    """Two batches are decided as the plain loop decides on both."""
    rows = [row | {"id": at} for at, row in enumerate(rows)]
    # An exact copy in the batch names its first in the batch or the index; both have one representative.
    expected = [(decision, of) for decision, _, of in loop(rows, span, 12)]
    made = {"scheme": "chars64", "max_distance": 12, "window": f"{span}h", "date_field": "date"}
    batches_are_one_run(rows, cut, expected, max_failed="100%", sample=0, **made)


@pytest.mark.parametrize("form", range(len(WRITTEN)))
def test_every_form_of_a_date_is_the_same_date(form: int) -> None:
    """A minute less than the window is inside of it, and a minute more is not."""
    for minutes, kept in ((-1, 1), (0, 1), (1, 2)):
        later = START + timedelta(days=7, minutes=minutes)
        rows = [{"text": TEXTS[0], "date": WRITTEN[form](START)}, {"text": TEXTS[0], "date": WRITTEN[0](later)}]
        assert dedup(rows, window="7d", date_field="date").counts.kept == kept
        assert dedup(rows[::-1], window="168h", date_field="date").counts.kept == kept
