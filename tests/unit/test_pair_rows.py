"""Files of pairs: one reader for verdicts, labels and what other programs found."""

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import simsieve
from simsieve import ConfigError, dedup
from simsieve.config.pair_rows import read_pairs
from simsieve.config.verdicts import DIFFERENT, KEEP, SAME, check_verdicts, checked_verdicts, read_verdicts
from simsieve.evaluate.pairs import Ids, labels_of

ROWS = [{"a": "题1", "b": "题2", "verdict": "相同"}, {"a": "7", "b": "8", "verdict": "different"}]


def csv_of(rows: list[dict[str, Any]]) -> str:
    """A table with the columns of the first row."""
    return "\n".join(",".join(line) for line in [list(rows[0]), *(list(row.values()) for row in rows)]) + "\n"


def lines_of(rows: list[dict[str, Any]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows in the form of a name."""
    name = path.name
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    text = json.dumps(rows) if ".json" in name and "jsonl" not in name else lines_of(rows)
    content = (csv_of(rows) if ".csv" in name else text).encode("utf-16" if "utf16" in name else "utf-8")
    if name.endswith(".zst"):
        with pa.CompressedOutputStream(str(path), "zstd") as out:
            out.write(content)
    else:
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


@pytest.mark.parametrize(
    "name", ["v.csv", "v.csv.gz", "v.csv.zst", "utf16.csv", "v.jsonl", "v.jsonl.gz", "v.json", "v.parquet"]
)
def test_every_form_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    """Also packed, in UTF-16 as spreadsheets save it, and as Parquet."""
    write(tmp_path / name, ROWS)
    rows = read_pairs(str(tmp_path / name), judged=True)

    assert [(row.a, row.b, row.word) for row in rows] == [tuple(row.values()) for row in ROWS]
    assert texts_of(check_verdicts(tmp_path / name)) == [("题1", "题2", SAME), ("7", "8", DIFFERENT)]


@pytest.mark.parametrize(
    ("word", "verdict", "is_turned"),
    [
        ("same", SAME, False), ("相同", SAME, False), ("1", SAME, False), ("TRUE", SAME, False), ("yes", SAME, False),
        ("different", DIFFERENT, False), ("不同", DIFFERENT, False), ("0", DIFFERENT, False), ("no", DIFFERENT, False),
        ("keep a", KEEP, False), ("保留 a", KEEP, False), ("保留A", KEEP, False), ("留 a", KEEP, False),
        ("Keep  B", KEEP, True), ("保留b", KEEP, True), ("保留　Ｂ", KEEP, True), ("留b", KEEP, True),
    ],
)  # fmt: skip
def test_words_of_both_languages(word: str, verdict: int, is_turned: bool, tmp_path: Path) -> None:
    """They mean the same as a setting, in a file of verdicts, and as labels."""
    write(tmp_path / "v.jsonl", [{"a": "x", "b": "y", "label": word}])
    order = ("y", "x") if is_turned else ("x", "y")
    rows = read_pairs(str(tmp_path / "v.jsonl"), judged=True)

    assert texts_of(check_verdicts([("x", "y", word)])) == [(*order, verdict)]
    assert texts_of(check_verdicts(tmp_path / "v.jsonl")) == [(*order, verdict)]
    assert labels_of(rows, [(0, 1)]) == {(0, 1): verdict != DIFFERENT}


def test_tables_in_memory_are_verdicts() -> None:
    """Frames of pandas and polars and Arrow tables; a missing verdict is not judged yet."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"a": ["x", "x"], "note": [1, 2], "b": ["y", "z"], "verdict": ["different", None]}
    texts = [{"id": name, "text": "one good text of words"} for name in "xyz"]
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), pa.table(columns)):
        assert texts_of(check_verdicts(frame)) == [("x", "y", DIFFERENT)]
        assert dedup(texts, verdicts=frame).kept.tolist() == [0, 1]
    numbers = pandas.DataFrame({"a": [1], "b": [2], "verdict": [1]})
    assert texts_of(check_verdicts(numbers)) == [("1", "2", SAME)]
    with pytest.raises(ConfigError, match=r"has no column 'b': .* the columns a, b and verdict; it has 'a'"):
        dedup(texts, verdicts=pandas.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("v.csv", "", r"v\.csv: has no pair: give a row for each, with the columns a, b and verdict"),
        ("v.csv", "a,b,verdict\n\n", "has no pair"),
        ("v.jsonl", "\n", "has no pair"),
        ("v.json", "[]", "has no pair"),
        ("v.csv", "x,y\n1,2\n", r"has no column 'a': .* the columns a and b; it has 'x', 'y'"),
        ("v.csv", "x,y\n", "has no column 'a'"),
        ("v.csv", "a,b\n1,2\n", "has no column 'verdict'"),
        ("v.csv", "a,a,b,verdict\n1,1,2,same\n", "has more than one column 'a'"),
        ("v.csv", "a,b,verdict\n1,2\n", "line 2: has 2 fields, and the header has 3; correct the row"),
        ("v.csv", "a,b,verdict\n1,1,same\n", "line 2: a and b are both '1'"),
        ("v.csv", "a,b,verdict\n1,,same\n", "line 2: a pair needs two ids, and b is empty"),
        ("v.csv", "a,b,verdict\n1,2,same\n\n1,3,perhaps\n", "line 4: verdict 'perhaps' is unknown"),
        ("v.jsonl", '{"a": 1, "b": 2, "verdict": "same"}\n[1]\n', "line 2: is no JSON object such as"),
        ("v.json", '{"a": 1}', "is no JSON list of objects"),
        ("v.json", '[{"a": 1, "b": 2, "verdict": 1}, 3]', "item 2: is no JSON object"),
    ],
)
def test_what_is_refused(name: str, content: str, part: str, tmp_path: Path) -> None:
    """Files for runs and for labels are refused with one message, which has the line."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ConfigError, match=part) as as_setting:
        read_verdicts(check_verdicts(path))
    with pytest.raises(ConfigError) as as_labels:
        checked_verdicts(read_pairs(str(path), judged=True))

    assert str(as_labels.value) == str(as_setting.value)


def test_a_review_with_long_texts_is_read_back(tmp_path: Path) -> None:
    """A cell may be longer than Python's own limit; that limit stays as it was."""
    import csv

    usual = csv.field_size_limit()
    write(tmp_path / "v.csv", [{"a": "x", "b": "y", "verdict": "same", "text_a": "x" * 200_000}])

    assert read_pairs(str(tmp_path / "v.csv"))[0].word == "same"
    assert csv.field_size_limit() == usual


def test_pairs_of_other_programs_need_no_verdict(tmp_path: Path) -> None:
    """Their other columns are kept; ids are found by their text."""
    write(tmp_path / "p.csv", [{"b": "2", "a": "1", "similarity": "0.9"}])
    (row,) = read_pairs(str(tmp_path / "p.csv"))

    records = [{"id": number, "text": f"a text of its own, number {number}"} for number in (1, 2)]
    documents = dedup(records).with_sources()[0].documents

    assert (row.where, row.values) == (f"{tmp_path}/p.csv, line 2", {"similarity": "0.9"})
    assert Ids(documents, 2).keys([row]) == ([(0, 1)], "")
    assert simsieve.config.pair_rows.is_pair_file("p.csv")


JUDGED = [("题1", "题2", SAME), ("题4", "题3", KEEP)]


def texts_of(given: Any) -> list[tuple[str, str, int]]:
    """Verdicts by the texts of their names."""
    return [(str(a), str(b), verdict) for a, b, verdict in read_verdicts(given)]


@pytest.mark.parametrize(("sign", "encoding"), [(",", "utf-8-sig"), (";", "utf-8"), ("\t", "utf-8"), (",", "gb18030")])
def test_tables_as_programs_save_them(sign: str, encoding: str, tmp_path: Path) -> None:
    """Signs and encodings are found; further columns, blanks, case and rows that are not judged do not count."""
    lines = [["a", "text of a", " B ", "Verdict"], ["题1", "x", " 题2", "Same"], ["题3", "", "题4", " keep  b"]]
    table = "\r\n".join(sign.join(line) for line in [*lines, ["题5", "", "题6", ""], [""]])
    path = tmp_path / "v.csv"
    path.write_bytes(table.encode(encoding))

    assert texts_of(check_verdicts(path)) == JUDGED


def test_rows_of_every_kind() -> None:
    """Mappings, lists and numbers; the same verdict twice is one, and an order is stronger than `same`."""
    given = [{"a": 1, "b": 2, "verdict": "different"}, [3, 4, "same"], ("4", "3", "keep b"), (3, 4, "same")]
    assert texts_of(check_verdicts(given)) == [("1", "2", DIFFERENT), ("3", "4", KEEP)]


def test_a_verdict_may_be_called_a_label(tmp_path: Path) -> None:
    """In rows as in files, whose first row may not be judged yet."""
    row = {"a": "q1", "b": "q2", "label": "same"}
    (tmp_path / "v.jsonl").write_text(json.dumps({"a": "q3", "b": "q4"}) + "\n" + json.dumps(row) + "\n")

    assert read_verdicts(check_verdicts([row])) == read_verdicts(check_verdicts(tmp_path / "v.jsonl"))
    assert len(read_verdicts(check_verdicts([row]))) == 1


def test_texts_are_named_by_their_position() -> None:
    """In rows, and in a frame whose positions have gaps."""
    texts = ["the quick brown fox jumps over the lazy dog x", "the quick brown fox jumps over the lazy dog y"]
    frame = pd.DataFrame({"a": ["0"], "b": ["1"], "verdict": ["different"], "position_a": [0.0], "position_b": [1.0]})
    for verdicts in ([(0, 1, "different")], frame):
        assert simsieve.dedup(texts).counts.kept == 1
        assert simsieve.dedup(texts, verdicts=verdicts).counts.kept == 2
