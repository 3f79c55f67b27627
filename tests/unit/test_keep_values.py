"""What keep orders compare: fields of records, however their values are written, and what is known of files."""

import os
import random
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import ConfigError, SimsieveWarning, dedup
from simsieve.json_values import json_of

TEXT = "One and the same text about the harbour and its old lighthouse"


def records(values: list[Any], name: str = "v") -> list[dict[str, Any]]:
    """Records of one text, each with a value."""
    return [{"id": at, "text": TEXT, name: value} for at, value in enumerate(values)]


def best(source: Any, keep: str, each: Literal["file", "line"] | None = None) -> int:
    """The position of the record that is kept of equal ones."""
    (position,) = dedup(source, keep=keep, each=each).kept
    return int(position)


@pytest.mark.parametrize(
    ("values", "most", "least"),
    [
        (["9", "10", "8.5"], 1, 2),
        (["9", 10, 8.5], 1, 2),
        ([" 9", "10 ", ""], 1, 0),
        (["1e3", "-5", "+7"], 0, 1),
        (["9007199254740993", "9007199254740992", "0"], 0, 2),
        ([{"$numberLong": "9"}, {"$numberInt": "10"}, {"$numberDecimal": "8.5"}], 1, 2),
        ([{"$date": "2024-01-31T00:00:00Z"}, {"$date": {"$numberLong": "1800000000000"}}, {"$date": 5}], 1, 2),
        ([{"$oid": "65aa"}, {"$oid": "65ab"}, {"$oid": "65a9"}], 1, 2),
        ([{"$numberLong": "9"}, "10", 8], 1, 2),
        ([Decimal(9), Decimal(10), Decimal("NaN")], 1, 0),
        (["2024-01-31", "2025-06-02", None], 1, 0),
    ],
)
def test_values_count_as_what_they_are(values: list[Any], most: int, least: int, tmp_path: Path) -> None:
    """Numbers in strings and in extended JSON are numbers, in records, JSON lines and CSV alike."""
    assert best(records(values), "max:v") == most and best(records(values), "min:v") == least
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json_of(one) + "\n" for one in records(values)), encoding="utf-8")
    assert best(path, "max:v") == most
    if not any(isinstance(value, dict) for value in values):
        table = tmp_path / "in.csv"
        rows = "".join(f'{at},{TEXT},"{"" if value is None else value}"\n' for at, value in enumerate(values))
        table.write_text(f"id,text,v\n{rows}".replace("NaN", ""), encoding="utf-8")
        assert best(table, "max:v") == most


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=8, unique=True), st.randoms())
def test_the_order_is_that_of_the_values_alone(values: list[int], chance: random.Random) -> None:
    """However whole numbers are written, and in whatever order they come, the greatest is kept."""
    forms = (str, int, lambda value: {"$numberLong": str(value)}, lambda value: f" {value} ")
    written = [chance.choice(forms)(value) for value in values]
    assert values[best(records(written), "max:v")] == max(values)


def test_ids_of_extended_json() -> None:
    """A number is a number, and an object id its canonical JSON, as in a run on the collection."""
    found = dedup([{"_id": {"$numberLong": "5"}, "text": "a"}, {"_id": {"$oid": "65"}, "text": "b"}], id_field="_id")
    assert [decision.id for decision in found.decisions] == [5, '{"$oid":"65"}']


@pytest.mark.parametrize(
    ("values", "part"),
    [
        (["9", "n/a", "10"], "2 are numbers and 1 are none, such as 'n/a': numbers precede texts"),
        (["31/01/2024", "02/06/2025"], "as texts, in which '02/06/2025' is before '31/01/2024'"),
        (["v9", "v10"], "as texts, in which 'v10' is before 'v9'"),
        (["2024-01-01T00:00:00Z", "2024-01-01T05:00:00+08:00"], "in one time zone"),
        ([{"a": 1}, [2]], "none of 2 documents has a number or a text in 'v'"),
    ],
)
def test_orders_that_mislead_are_told(values: list[Any], part: str) -> None:
    """Mixed values, dates and numbers that do not sort as texts are warned of, with an example."""
    with pytest.warns(SimsieveWarning) as caught:
        best(records(values), "max:v")
    assert part in str(caught[0].message)


def test_orders_that_are_right_are_not_warned_of() -> None:
    """Dates in ISO 8601, numbers and names say nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in (["2024-01-31", "2025-06-02"], ["9", "10"], ["draft", "final"], [1.5, 2]):
            best(records(values), "max:v")


def notes(folder: Path) -> Path:
    """A folder of files with one text, of several times and names."""
    made = folder / "notes"
    (made / "b").mkdir(parents=True)
    for at, name in enumerate(("longest-name.txt", "b/new.md", "old.txt")):
        (made / name).write_text(TEXT, encoding="utf-8")
        os.utime(made / name, ns=(0, 10**18 + (1, 3, 2)[at] * 10**9))
    return made


NEW, OLD, LONGEST = "b/new.md", "old.txt", "longest-name.txt"
BEST = {"max:mtime": NEW, "min:mtime": LONGEST, "path": NEW, "max:path": OLD, "shortest-name": NEW}


@pytest.mark.parametrize(("keep", "name"), [*BEST.items(), ("max:name_length", LONGEST)])
def test_files_are_ordered_by_what_is_known_of_them(keep: str, name: str, tmp_path: Path) -> None:
    """Time, path and length of the name order the files of a folder, and the lines of text files."""
    folder = notes(tmp_path)
    (decision,) = (one for one in dedup(folder, keep=keep).decisions if one.decision == "kept")
    assert decision.id == name
    lines = [path for path in sorted(folder.rglob("*")) if path.suffix == ".txt"]
    if keep.endswith("mtime"):
        assert lines[best(lines, keep, each="line")].name == (OLD if keep == "max:mtime" else LONGEST)


def test_fields_that_a_source_cannot_have_are_refused(tmp_path: Path) -> None:
    """Texts have no fields: the error names the fields to use. Old records are never ordered, so they need none."""
    folder = notes(tmp_path)
    file = tmp_path / "lines.txt"
    file.write_text(f"{TEXT}\n", encoding="utf-8")
    for source in (folder, file):
        with pytest.raises(ConfigError, match=r"no field \"date\" .*; of their files there are max:mtime, min:mtime"):
            dedup(source, keep="max:date")
    with pytest.raises(ConfigError, match='texts in memory have no field "mtime"'):
        dedup([TEXT, TEXT], keep="max:mtime")
    assert dedup([], keep="max:mtime").counts.read == 0
    assert dedup(records(["1"]), keep="max:v", against=folder).counts.dropped == 1
