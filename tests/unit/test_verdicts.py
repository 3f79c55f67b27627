"""Verdicts in files and in rows: how they are read, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import simsieve
from simsieve.config.verdicts import DIFFERENT, KEEP, SAME, check_verdicts, read_verdicts

ROWS = [("题1", "题2", SAME), ("题4", "题3", KEEP)]


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

    assert texts_of(check_verdicts(path)) == ROWS


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
