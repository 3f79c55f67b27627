"""Verdicts on the command line: what a review writes, a run takes."""

from pathlib import Path

from tests.integration.conftest import Program

NAMELESS = "".join(
    f'{{"no": {at + 1}, "text": "the quick brown fox jumps over the lazy dog {end}"}}\n' for at, end in enumerate("xyz")
)


def test_a_saved_run_without_verdicts_takes_none(simsieve: Program) -> None:
    """The message says what to do, and has no None."""
    simsieve.file("in.jsonl", NAMELESS)
    simsieve.file("v.csv", "a,b,verdict\n0,1,different\n")
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", "--save-run", "w.run", "--quiet").code == 0
    outcome = simsieve("dedup", "--from-run", "w.run", "-o", "l.jsonl", "--verdicts", "v.csv")
    assert outcome.code == 2
    assert "w.run was made without verdicts: leave them out, or run on the sources with them" in outcome.err


def test_records_without_an_id_are_named_by_their_position(simsieve: Program, tmp_path: Path) -> None:
    """A review of them serves a run; another field of ids is refused, and ids are no positions."""
    simsieve.file("in.jsonl", NAMELESS)
    assert simsieve("review", "in.jsonl", "-o", "r.csv", "--quiet").code == 0
    assert simsieve("review", "in.jsonl", "-o", "ids.csv", "--quiet", "--id-field", "no").code == 0
    for name in ("r.csv", "ids.csv"):
        path = tmp_path / name
        path.write_text(path.read_text(encoding="utf-8").replace(",,0,0.9", ",different,0,0.9"), encoding="utf-8")
    header, first, _ = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()
    assert header.endswith(",position_a,position_b") and first.startswith("0,") and ",0," in first
    run = ("dedup", "in.jsonl", "-o", "k.jsonl")

    by_position = simsieve(*run, "--verdicts", "r.csv")
    assert by_position.code == 0 and "0 same, 2 different, 0 keep" in by_position.err
    by_id = simsieve(*run, "--verdicts", "ids.csv", "--id-field", "no")
    assert "0 same, 2 different, 0 keep" in by_id.err
    refused = simsieve(*run, "--verdicts", "r.csv", "--id-field", "no")
    assert refused.code == 2
    assert 'names record 0 by its position, and the record has the id "1"; give the --id-field' in refused.err
    unknown = simsieve(*run, "--verdicts", "ids.csv")
    assert "2 of 2 verdicts name an id that no record has" in unknown.err
    judged = simsieve("review", "in.jsonl", "--verdicts", "r.csv", "--id-field", "no")
    assert judged.code == 2 and "has the id '1'" in judged.err
    wrong = (tmp_path / "r.csv").read_text(encoding="utf-8").replace(",0,1", ",zero,1")
    (tmp_path / "w.csv").write_text(wrong, encoding="utf-8")
    assert "position_a 'zero' is no position" in simsieve(*run, "--verdicts", "w.csv").err
