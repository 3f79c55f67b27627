"""More failed records than are allowed: Python warns of them, and the result says it."""

import random
import warnings
from typing import Any

import pytest

import simsieve
from simsieve import FailedRecordsWarning, SimsieveWarning, dedup, find_pairs, fit

GOOD = [{"text": "one good text of words"}, {"text": "another text with other words"}]
BAD: list[dict[str, Any]] = [{"text": 7}, {"body": "x"}]


def test_a_run_warns_and_the_result_says_it() -> None:
    """The warning has the number, the first records by position and code, and what to do."""
    with pytest.warns(FailedRecordsWarning) as caught:
        result = dedup([*GOOD, *BAD])
    text = str(caught[0].message)

    assert text.startswith("2 of 4 records failed, more than max_failed 0 allows: record 2 (text_not_string): ")
    assert "record 3 (no_text_field): " in text
    assert text.endswith("failures() lists them. Correct the records, or give max_failed, such as '1%'")
    assert caught[0].filename == __file__
    assert (result.failed.tolist(), result.kept.tolist(), result.has_too_many_failed) == ([2, 3], [0, 1], True)
    assert "more than max_failed 0 allows" in result._repr_html_()


def test_records_in_memory_are_named_by_their_index() -> None:
    """No message has the name of the temporary file that holds them."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        failures = dedup([*GOOD, *BAD]).failures()
        pairs = find_pairs([*GOOD, *BAD]).failures()
        fit([*GOOD, *BAD])
    messages = [message for _, _, message in (*failures, *pairs)] + [str(one.message) for one in caught]

    assert failures == pairs and len(caught) == 3
    assert failures[1][2].startswith('records index 3: no field "text"')
    assert all("records.jsonl" not in message for message in messages)


@pytest.mark.parametrize("allowed", [2, "2", "50%"])
def test_as_many_as_are_allowed_are_silent(allowed: str | int) -> None:
    """The bound is included."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = dedup([*GOOD, *BAD], max_failed=allowed)

    assert (result.failed.tolist(), result.has_too_many_failed) == ([2, 3], False)


def test_every_call_that_reads_records_warns() -> None:
    """Pairs and models as well; of many records three are named."""
    with pytest.warns(FailedRecordsWarning, match="^2 of 4 records failed"):
        find_pairs([*GOOD, *BAD])
    with pytest.warns(FailedRecordsWarning, match="^2 of 4 records failed.*The result is without them. Correct"):
        fit([*GOOD, *BAD])
    with pytest.warns(FailedRecordsWarning, match="record 4 .*; and 9 more. The result"):
        dedup([*GOOD, *BAD * 6])


def test_old_records_count_apart() -> None:
    """Those of `against` are named as old ones."""
    with pytest.warns(FailedRecordsWarning, match=r"^2 of 3 old records failed.*old_failures\(\) lists them"):
        result = dedup(GOOD, against=[GOOD[0], *BAD])

    assert result.has_too_many_failed and result.failed.tolist() == []


def test_all_warnings_are_of_one_class() -> None:
    """A program can turn all of them into errors, or off."""
    with pytest.warns(SimsieveWarning, match="has a field 'nosuch'") as caught:
        dedup(GOOD, id_field="nosuch")
    with pytest.warns(SimsieveWarning, match="names? an id that no record has") as of_verdicts:
        dedup(GOOD, verdicts=[("x", "y", "same"), ("x", "z", "same")], limit=9)
    assert [one.filename for one in (*caught, *of_verdicts)] == [__file__] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimsieveWarning)
        assert dedup([*GOOD, *BAD]).counts.failed == 2
    assert issubclass(simsieve.FailedRecordsWarning, RuntimeWarning)


def strand(seed: int, size: int = 4000) -> str:
    """A text of four letters."""
    return "".join(random.Random(seed).choices("acgt", k=size))


def told(texts: list[str], **settings: Any) -> list[str]:
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dedup(texts, **settings)
    return [str(one.message) for one in caught if issubclass(one.category, SimsieveWarning)]


def test_texts_of_few_letters_are_warned_of() -> None:
    """The warning names the pair, both sizes and windows by which they are far apart."""
    (message,) = told([strand(1), strand(2, 3900)])
    assert "'1' (3,900 characters) and '0' (4,000 characters)" in message
    assert "chars128:n=8 would tell them apart" in message
    assert dedup([strand(1), strand(2)], scheme="chars128:n=8").counts.near == 0


def test_copies_are_not_warned_of() -> None:
    """Neither of few letters nor with a word in five changed, nor of ordinary size; other runs are not looked at."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrst", k=draw.randint(3, 9))) for _ in range(3000)]
    changed = [word if draw.random() > 0.15 else "".join(draw.choices("abcdefgh", k=6)) for word in words]
    one = strand(1)
    assert told([one, one[:2000] + "g" + one[2000:]]) == []
    assert told([" ".join(words), " ".join(changed)], similarity=0.4) == []
    assert told(["the quick brown fox jumps over the dog", "the quick brown fox jumps over the dogs"]) == []
    # A distance is of bits, and words are no windows.
    assert told([one, strand(2)], max_distance=40) == told([one, strand(2)], scheme="words64", similarity=0.5) == []
