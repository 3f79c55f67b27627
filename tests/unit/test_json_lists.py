"""Files of JSON lists: compressed, in UTF-16, wrong ones, and the command line."""

import csv
import gzip
import json
import warnings
from pathlib import Path

import pytest

import simsieve
from simsieve import ConfigError, GuessedEncodingWarning, SourceError
from simsieve.cli import main

RECORDS = [
    {"id": 7, "text": "the ferry leaves at seven"},
    {"id": 8, "text": "The ferry leaves at seven!"},
    {"id": 9, "text": "another text of other words"},
]


def test_a_list_is_read_however_it_is_packed(tmp_path: Path) -> None:
    """Plain, compressed, with a mark, in UTF-16, from stdin's format: the records are the same."""
    text = json.dumps(RECORDS, indent=1)
    (tmp_path / "a.json").write_text(text, encoding="utf-8-sig")
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "c.data").write_text(text)
    (tmp_path / "d.json").write_text(text, encoding="utf-16")
    wanted = simsieve.dedup(RECORDS).counts
    assert simsieve.dedup(tmp_path / "a.json").counts == wanted
    assert simsieve.dedup(tmp_path / "b.json.gz").counts == wanted
    assert simsieve.dedup(tmp_path / "c.data", input_format="json").counts == wanted
    with pytest.warns(GuessedEncodingWarning, match="d.json is read as UTF-16LE"):
        assert simsieve.dedup(tmp_path / "d.json", encoding="auto").counts == wanted
    assert simsieve.dedup(tmp_path / "d.json", encoding="utf-16").counts == wanted


@pytest.mark.parametrize(
    ("text", "settings", "error", "part"),
    [
        ("", {}, SourceError, "it is empty"),
        ("[]", {"encoding": "gb18030"}, ConfigError, "read in UTF-8 and UTF-16"),
        ('[{"body": "a"}]', {}, ConfigError, "the record has no field 'text'"),
    ],
)
def test_what_is_no_list_is_told(
    text: str, settings: dict[str, str], error: type[Exception], part: str, tmp_path: Path
) -> None:
    """The message says what is wrong and what to do, and no output is touched."""
    path, kept = tmp_path / "in.json", tmp_path / "kept.json"
    path.write_text(text)
    kept.write_text("as it was")
    with pytest.raises(error) as caught:
        simsieve.dedup(path, **settings).write(kept)  # type: ignore[arg-type]
    assert part in str(caught.value)
    assert kept.read_text() == "as it was"


def test_the_command_line_writes_a_list_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A sink in .json is a list, whatever the sources are; stdout has lines; a run directory opens the list again."""
    source, kept, saved = tmp_path / "in.json", tmp_path / "kept.json", tmp_path / "first.run"
    source.write_text(json.dumps(RECORDS))
    assert main(["dedup", str(source), "-o", str(kept), "--quiet", "--run-dir", str(saved)]) == 0
    assert json.loads(kept.read_text()) == [RECORDS[0], RECORDS[2]]
    again = tmp_path / "again.json"
    assert main(["dedup", "--run-dir", str(saved), "-o", str(again), "--similarity", "0.9", "--quiet"]) == 0
    assert again.read_text() == kept.read_text()
    assert main(["dedup", str(source), "-o", "-", "--quiet"]) == 0
    assert [json.loads(line) for line in capfd.readouterr().out.splitlines()] == [RECORDS[0], RECORDS[2]]
    table, listed = tmp_path / "in.csv", tmp_path / "rows.json"
    table.write_text("id,text\n1,one text\n2,other words\n")
    assert main(["dedup", str(table), "-o", str(listed), "--quiet"]) == 0
    assert json.loads(listed.read_text()) == [{"id": "1", "text": "one text"}, {"id": "2", "text": "other words"}]


def test_a_list_without_records(tmp_path: Path) -> None:
    """An empty list is a file without a record, and comes out as one."""
    path, kept = tmp_path / "in.json", tmp_path / "kept.json"
    path.write_text(" [ ]\n")
    with pytest.warns(RuntimeWarning, match="it has no record"):
        result = simsieve.dedup(path)
    result.write(kept)
    assert kept.read_text() == "[]\n"


def test_messages_speak_of_items(tmp_path: Path) -> None:
    """An item that is no object, and one that is no JSON, fail with messages that do not speak of lines."""
    (tmp_path / "a.json").write_text('[{"text": "one text"}, 7, {"text": nul}]')
    result = simsieve.dedup(tmp_path / "a.json")
    messages = [message for _, _, message in result.failures()]
    assert [("each item of the list must be" in message, "line must" in message) for message in messages] == [
        (True, False)
    ] * 2


SIGNS = {";": "semicolons", "\t": "tabs", "|": "'|'"}


def written(path: Path, sign: str, rows: list[list[str]]) -> Path:
    """A table by Python's own writer."""
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=sign).writerows([["id", "text"], *rows])
    return path


@pytest.mark.parametrize("sign", SIGNS)
def test_the_sign_is_found_and_told(sign: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The records are those of the table; a message names the sign and the setting; the kept rows are as they were."""
    rows = [["1", f"a{sign} b, c"], ["2", 'd "e"\nf'], ["3", f"a{sign} b, c"]]
    source = written(tmp_path / "in.csv", sign, rows)

    with pytest.warns(RuntimeWarning, match="with (semicolons|tabs|'.') between its fields, as was found"):
        result = simsieve.dedup(source)
    assert [(row.id, row.decision) for row in result.decisions] == [("1", "kept"), ("2", "kept"), ("3", "dropped")]
    with warnings.catch_warnings(action="error"):
        again = simsieve.dedup(source, delimiter=sign)
    assert again.counts == result.counts
    kept = tmp_path / "kept.csv"
    assert main(["dedup", str(source), "-o", str(kept), "--quiet"]) == 0
    assert f"{source} is read with {SIGNS[sign]} between its fields, as was found; --delimiter names another" in (
        capfd.readouterr().err
    )
    assert kept.read_bytes() == b"".join(source.read_bytes().splitlines(keepends=True)[:-1])
    named = "tab" if sign == "\t" else sign
    lines = tmp_path / "kept.jsonl"
    assert main(["dedup", str(source), "-o", str(lines), "--quiet", "--delimiter", named]) == 0
    assert not capfd.readouterr().err
    assert len(lines.read_text().splitlines()) == 2


def test_a_comma_is_not_told(tmp_path: Path) -> None:
    """No message names a delimiter that the file's name promises."""
    commas = written(tmp_path / "in.csv", ",", [["1", "a;b"]])
    tabs = written(tmp_path / "in.tsv", "\t", [["1", "a;b"]])
    with warnings.catch_warnings(action="error"):
        assert simsieve.dedup(commas).counts.kept == simsieve.dedup(tabs).counts.kept == 1
        assert simsieve.dedup(written(tmp_path / "x.tsv", ";", [["1", "a"]]), delimiter=";").counts.kept == 1
