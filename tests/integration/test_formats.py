"""Tables, folders, patterns, encodings and several text fields from the command line, from sources to sinks."""

import json
from pathlib import Path

import pytest
from tests.integration.conftest import Program

from simsieve import dedup

A = "the quick brown fox jumps over the lazy dog again and again"
B = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do"
C = "今天天气很好我们去公园玩吧，大家都很高兴"


@pytest.mark.parametrize(("ending", "sign"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_tables_come_out_byte_for_byte(ending: str, sign: str, packing: str, simsieve: Program) -> None:
    """Kept rows stand under their header as they were, whatever the packing of source and sink."""
    header = f"\ufeffname{sign}body{sign}n\r\n"
    rows = [f'a{sign}"{A}\nnext"{sign}3\r\n', f"b{sign}{B}{sign}2\r\n", f'c{sign}"{A}, next"{sign}10\r\n']
    simsieve.file(f"in.{ending}", header + "".join(rows))
    words = ("--text-field", "body", "--id-field", "name", "--keep", "max:n", "--quiet")
    assert simsieve("dedup", f"in.{ending}", "-o", f"a.{ending}{packing}", *words).code == 0
    outcome = simsieve("dedup", f"a.{ending}{packing}", "-o", "-", *words, "--decisions", "why.jsonl")
    why = simsieve.rows("why.jsonl")

    assert outcome.out.decode() == header + rows[1] + rows[2]
    assert [row["id"] for row in why] == ["b", "c"]


def test_a_pattern_names_files_in_order(simsieve: Program) -> None:
    """A quoted pattern is the files it matches, sorted, and JSON lines hold records of several formats."""
    simsieve.file("2.jsonl", json.dumps({"text": A}) + "\n")
    simsieve.file("10.jsonl", json.dumps({"text": B, "n": 1}) + "\n")
    simsieve.file("x.txt", A + "\n" + C)
    simsieve.file("t.csv", f"text,n\n{C},2\nsomething else,3")
    one = simsieve("dedup", "*.jsonl", "-o", "-", "--quiet")
    all_of_them = simsieve("dedup", "*.jsonl", "x.txt", "t.csv", "-o", "kept.jsonl", "--quiet")
    lines = simsieve.rows("kept.jsonl")

    assert [json.loads(line)["text"] for line in one.out.splitlines()] == [B, A]
    assert all_of_them.code == 0
    assert lines == [{"text": B, "n": 1}, {"text": A}, {"text": C}, {"text": "something else", "n": "3"}]
    asked = simsieve("dedup", "x.txt", "-o", "-", "--output-format", "jsonl", "--quiet")
    assert [json.loads(line) for line in asked.out.splitlines()] == [{"text": A}, {"text": C}]


def test_several_text_fields_are_one_text(simsieve: Program) -> None:
    """Records are near by all their fields together, and a run directory has them all."""
    records = [{"t": A, "b": {"x": B}}, {"t": A, "b": {"x": C}}, {"t": A, "b": {"x": B}}, {"b": {}}]
    simsieve.file("in.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    words = ("--text-field", "t", "--text-field", "b.x")
    first = simsieve("dedup", "in.jsonl", "-o", "a.jsonl", *words, "--run-dir", "a.run", "--quiet")
    again = simsieve("dedup", "--run-dir", "a.run", *words, "-o", "b.jsonl", "--quiet")
    other = simsieve("dedup", "--run-dir", "a.run", "--text-field", "t", "-o", "c.jsonl", "--quiet")

    assert (first.code, again.code, other.code) == (1, 1, 2)
    assert 'no field "t" or "b.x"' in first.err
    assert "--text-field is t,b.x in the run in a.run, and t is given" in other.err
    kept = (simsieve.folder / "a.jsonl").read_bytes()
    assert kept == (simsieve.folder / "b.jsonl").read_bytes()
    assert [json.loads(line) for line in kept.splitlines()] == records[:2]


@pytest.mark.parametrize("name", ["gb18030", "big5", "shift_jis", "euc-kr", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl"])
def test_an_encoding_comes_out_as_it_came_in(name: str, ending: str, simsieve: Program) -> None:
    """Kept records have the bytes of their source; the encoding is told in the summary."""
    texts = {
        "gb18030": C, "big5": "今天天氣很好我們去公園玩", "shift_jis": "表示能力のテスト、日本語の文章です",
        "euc-kr": "오늘은 날씨가 좋아서 공원에 갔다", "utf-16": C + "😀", "utf-16-be": "\ufeff" + C,
    }  # fmt: skip
    line = {"txt": "%s", "csv": '"%s",1', "jsonl": '{"text": "%s"}'}[ending]
    head = {"csv": "text,n\n"}.get(ending, "")
    text = texts[name].removeprefix("\ufeff")
    mark = "\ufeff" if texts[name] != text else ""
    good = [line % text, line % (text + "！" if name == "gb18030" else text), line % "something else in ASCII"]
    simsieve.file(f"in.{ending}", (mark + head + "\n".join(good) + "\n").encode(name))
    expected = (mark + head + good[0] + "\n" + good[2] + "\n").encode(name)
    outcome = simsieve("dedup", f"in.{ending}", "-o", f"out.{ending}", "--encoding", name, "--json")
    summary = json.loads(outcome.out)

    assert outcome.code == 0, outcome.err
    assert (simsieve.folder / f"out.{ending}").read_bytes() == expected
    assert [told["source"] for told in summary["encodings"]] == [f"in.{ending}"]
    assert not summary["encodings"][0]["detected"]


def test_python_takes_folders_and_patterns(tmp_path: Path) -> None:
    """A path object may be a folder or a pattern."""
    (tmp_path / "a.txt").write_text(A)
    (tmp_path / "b.md").write_text(A)

    assert dedup(tmp_path).counts.exact == 1
    assert dedup(str(tmp_path / "*.txt")).counts.read == 1
