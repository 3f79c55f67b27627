"""Tables whose fields are not separated by commas: found, named, told."""

import csv
import warnings
from pathlib import Path

import pytest

import simsieve
from simsieve.cli import main

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
    """Nothing is said of what the names promise."""
    commas = written(tmp_path / "in.csv", ",", [["1", "a;b"]])
    tabs = written(tmp_path / "in.tsv", "\t", [["1", "a;b"]])
    with warnings.catch_warnings(action="error"):
        assert simsieve.dedup(commas).counts.kept == simsieve.dedup(tabs).counts.kept == 1
        assert simsieve.dedup(written(tmp_path / "x.tsv", ";", [["1", "a"]]), delimiter=";").counts.kept == 1
