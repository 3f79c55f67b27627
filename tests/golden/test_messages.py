"""Whole messages of the command line in both languages, as they were before they became templates with values."""

import shlex
from pathlib import Path

import pytest

from simsieve.cli import main

SESSION = Path(__file__).with_name("messages.txt").read_text(encoding="utf-8")
"""Command lines, and below each what it says on stderr: in English, and in as many lines in Chinese."""
GOLDEN = {line: said for line, _, said in (part.partition("\n") for part in SESSION.split("$ simsieve ")[1:])}
FILES = {
    "in.jsonl": '{"id": "1", "text": "a text of its own"}\n{"id": "2", "text": "quite another matter"}\n',
    "bad.jsonl": '{"text": "a text"}\n{"text": \n{"text": 7}\n[1]\n{"id": 3}\n',
    "null.jsonl": '{"text": null}\n{"text": "one"}\n',
    "list.json": '[{"text": "one"}, {"text": "two"}',
    "t.csv": "id;text\n1;one\n2;two\n",
    "twice.csv": "text,text\na,b\n",
    "ragged.csv": 'id,text\n1,one,two\n2,"two\n',
    "latin.csv": "id,text\n1,caf\udce9\n",
    "v.csv": "a,b,verdict\n1,2,keep a\n2,1,keep a\n",
    "w.csv": "a,b,verdict\n1,2,perhaps\n",
    "u.csv": "a,b,verdict\n1,9,same\n",
    "run.toml": "sede = 7\n",
    "half.toml": "similarity = \n",
    "kind.toml": 'seed = "x"\n',
    "mine.toml": 'name = "mine"\nfeatures = "words"\nwidht = 64\n',
    "pack.gz": "no gzip at all",
    "in.wps": "PK",
    "in.xyz": "a text\n",
    "model.bin": "no model",
}


def prepare(folder: Path) -> None:
    """Write the files that the command lines name."""
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / "empty").mkdir()
    (folder / "full").mkdir()
    (folder / "full/a.md").write_text("a text")
    (folder / "loop").symlink_to("loop")


@pytest.mark.parametrize("line", GOLDEN)
def test_messages_are_the_golden_ones(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both languages say what they said."""
    said = []
    for lang in ("en", "zh"):
        folder = tmp_path / lang
        folder.mkdir()
        prepare(folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("SIMSIEVE_LANG", lang)
        main(shlex.split(line))
        # What follows is the summary of the run.
        lines = capsys.readouterr().err.replace(str(folder), ".").splitlines(keepends=True)
        said.append([line for line in lines if line.startswith("simsieve:")])
    assert len(said[0]) == len(said[1]) > 0
    assert "".join(said[0] + said[1]) == GOLDEN[line]
