"""What a job on Ray refuses, before its tasks start."""

from typing import Any

import pytest
from tests.ray.conftest import dedup

from simsieve.errors import ConfigError

pa = pytest.importorskip("pyarrow")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("columns", "arguments", "part"),
    [
        ({"id": [1], "text": [2]}, {}, "text 'text' is a column of int64, and texts are needed"),
        ({"id": [1], "body": ["a"]}, {}, "text 'text' is no column: there are id, body"),
        ({"id": ["a"], "text": ["a"]}, {}, "id 'id' is a column of string, and whole numbers order .* with order"),
        ({"id": [1], "text": ["a"], "n": [0.5]}, {"order": "n"}, "order 'n' is a column of double"),
        ({"id": [1], "text": ["a"]}, {"keep": ["max:score"]}, "keep max 'score' is no column"),
        ({"id": [1], "text": ["a"], "s": [[1]]}, {"keep": ["max:s"]}, "numbers or texts are compared"),
        ({"id": [1], "text": ["a"], "s": [{"a": 1}]}, {"block_by": "s"}, "column 's' is a column of struct.* cast it"),
        ({"id": [1], "text": ["a"], "s": [{"a": 1}]}, {"text": "s.b"}, "text 's.b' is a column of struct.* no field"),
        ({"id": [1], "text": ["a"]}, {"threads": 2}, "setting 'threads' is not one of a Ray job: it takes field"),
        ({"id": [1], "text": ["a"], "n": [0.5]}, {"field": ["text:0.8", "n:0.5"]}, "'n' is .* double, and a text, a"),
        ({"id": [1], "text": ["a"]}, {"field": ["text:0.8"], "text": "body"}, "text_field body and .*`field` are both"),
        ({"id": [1], "text": ["a"]}, {"near": ["year:1"]}, "column 'year' is no column: there are id, text"),
        ({"id": [1], "text": ["a"]}, {"against": "old"}, "against 'old' is no index: give a DataFrame or a Dataset"),
        ({"id": [1], "text": ["a"]}, {"scheme": ["chars64", "words64"], "combine": "any"}, "a Ray job has one search"),
        ({"id": [1], "text": ["a"]}, {"max_distance": 3, "max_lost": 1}, "a Ray job compares fingerprints alone"),
        ({"id": [1, 1, 2], "text": ["a"] * 3}, {}, "1 rows repeat one of its numbers"),
        ({"id": [1, None, 2], "text": ["a"] * 3}, {}, "1 rows have none of its numbers"),
    ],
)
def test_a_wrong_call_is_refused(ray: Any, columns: dict[str, list[Any]], arguments: dict[str, Any], part: str) -> None:
    """The message names the column or the setting, and what is needed."""
    with pytest.raises(ConfigError, match=part):
        dedup(ray.data.from_arrow(pa.table(columns)), **arguments)


def test_old_rows_have_ids_of_the_same_type(ray: Any) -> None:
    """Ids of two types would be one column of decisions."""
    rows, old = (ray.data.from_arrow(pa.table({"id": ids, "n": [1], "text": ["a"]})) for ids in ([1], ["a"]))

    with pytest.raises(ConfigError, match="the ids of the rows are int64, and those of the old ones string"):
        dedup(rows, order="n", against=old)


def test_what_a_task_refuses_is_told_as_it_is(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a worker is the error of the call, without the trace of Ray."""
    from simsieve.cluster import steps

    monkeypatch.setattr(steps.SentScheme, "of", lambda scheme: steps.SentScheme(scheme.spec, "00"))

    with pytest.raises(ConfigError, match="digest") as caught:
        dedup(ray.data.from_arrow(pa.table({"id": [1], "text": ["a text of words"]})))
    assert "Traceback" not in str(caught.value)
