"""Repeated lines in Python: units, scopes, what is written, and wrong values."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from simsieve import lines

MENU, NOTICE = "首页 新闻 关于我们的港口", "版权所有，未经许可不得转载"
OWN = ["老灯塔每隔两年都要重新刷漆一次。", "夏天的蝉声从槐树上落下来。", "守塔人说这是祖父留下的规矩。"]


def test_units_are_removed_whole() -> None:
    """Lines, sentences, paragraphs and runs of three sentences each go as a whole, all but the first of each."""
    texts = [f"{OWN[0]}{OWN[1]}\n{MENU}\n\n{NOTICE}", f"{OWN[0]}{OWN[2]}\n{MENU}\n\n{NOTICE}\n"]
    left = {
        "line": f"{OWN[0]}{OWN[2]}\n\n",
        "sentence": f"{OWN[2]}\n",
        "paragraph": f"{OWN[0]}{OWN[2]}\n{MENU}\n\n",
        "3-sentences": texts[1],
    }
    for unit, expected in left.items():
        assert lines(texts, unit=unit).texts() == [texts[0], expected], unit  # type: ignore[arg-type]
    run = "".join(OWN)
    assert lines([f"{run}{MENU}", f"{NOTICE}。{run}"], unit="3-sentences").texts()[1] == f"{NOTICE}。"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_lines_end_at_every_break(end: str, tmp_path: Path) -> None:
    """A repeated line goes with its break, whatever that is; records without repeated lines stay byte for byte."""
    texts = [end.join(rows) for rows in ([OWN[0], MENU, OWN[1]], [OWN[2], MENU, ""], ["", OWN[1] + "?", ""])]
    assert lines(texts).texts() == [texts[0], OWN[2] + end, texts[2]]
    source, clean = tmp_path / "in.jsonl", tmp_path / "clean.jsonl"
    records = [json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts]
    source.write_text("".join(records), encoding="utf-8", newline="")
    lines(source, output=clean)
    written = clean.read_bytes().decode().split("\n")
    assert [written[0], written[2]] == [records[0][:-1], records[2][:-1]]


def test_a_scope_and_its_furniture() -> None:
    """Under a scope a line is repeated among records of one value only; a share of them may be asked for."""
    records = [{"text": f"{MENU}\n{OWN[at % 3]}", "web": {"site": "ab"[at // 3]}} for at in range(4)]
    result = lines(records, scope="web.site", min_share=0.9, keep_repeats=0)

    assert result.texts() == [*OWN, f"{MENU}\n{OWN[0]}"]
    assert [(one.scope, one.documents, one.removed > 0) for one in result.scopes] == [("a", 3, True), ("b", 1, False)]
    assert [(one.count, one.documents, one.position) for one in result.repeated] == [(3, 3, 0)]
    assert len(result.to_arrow()) == 1
    assert "4 records" in repr(result) and MENU in result._repr_html_()


def test_a_mark_of_a_number_is_no_character() -> None:
    """10² and 102 are different lines, and of one length."""
    assert lines(["10²\n102\n10²", "102"], min_length=3).texts() == ["10²\n102", ""]
    assert lines(["10²\n10²"], min_length=4).texts() == ["10²\n10²"]


def test_near_lines_count_as_one() -> None:
    """A line with another date counts as the first of its kind, and the recall of the search is known."""
    texts = [
        f"最后更新：本页面由港口管理处的工作人员于周{day}上午编写并发布\n{one}"
        for day, one in zip("一二三", OWN, strict=True)
    ]
    result = lines(texts, near=0.8)

    assert result.texts() == [texts[0], OWN[1], OWN[2]] and result.recall == 1.0
    assert lines(texts).recall is None and lines(texts).texts() == texts


def test_documents_with_little_left_are_left_out() -> None:
    """Only a document that lost something may be too short."""
    result = lines([MENU, f"{MENU}\n{OWN[0]}", f"{MENU}\n短", "短"], rest_below=5)

    assert result.short.tolist() == [2] and result.texts() == [MENU, OWN[0], "短"]
    assert result.summary["short"] == 1


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet"])
def test_every_kind_of_source_goes_to_every_table(tmp_path: Path, name: str) -> None:
    """Rows in columns keep their types, and records in memory become objects."""
    rows = [{"id": at, "when": at * 1.5, "text": f"{MENU}\n{one}"} for at, one in enumerate(OWN)]
    expected = [rows[0]["text"], *OWN[1:]]
    for source in (rows, pa.Table.from_pylist(rows)):
        out = tmp_path / name
        lines(source, output=out)
        if name.endswith("parquet"):
            table = pyarrow.parquet.read_table(out)
            assert table["text"].to_pylist() == expected and table.schema.field("when").type == pa.float64()
        elif name.endswith("jsonl"):
            assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == [
                row | {"text": text} for row, text in zip(rows, expected, strict=True)
            ]
        else:
            assert out.read_text(encoding="utf-8-sig").count(MENU) == 1


def test_a_text_inside_of_structs_is_cut(tmp_path: Path) -> None:
    """Dots reach into objects and structs."""
    rows = [{"page": {"body": f"{MENU}\n{one}", "n": 1}} for one in OWN]
    for source, name in ((rows, "out.jsonl"), (pa.Table.from_pylist(rows), "out.parquet")):
        assert lines(source, text_field="page.body", output=tmp_path / name).texts()[1] == OWN[1]
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet")["page"].to_pylist()[2] == {"body": OWN[2], "n": 1}
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()[1])["page"]["body"] == OWN[1]
