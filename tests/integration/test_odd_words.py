"""What the system gives a command line: bytes that are no UTF-8, closed streams, a folder that is gone, deep values."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from simsieve.cli import cli, main
from simsieve.cli.help import Option

TEXTS = ["One text of some words", "One text of some words", "Another text on gravel and lamps"]
BAD = "a\udcff"
"""A word of the command line with the byte FF."""
ARGUMENTS = {
    "compare": ("--text", "one text", "another text"),
    "completion": ("bash",),
    "plan": ("in.jsonl",),
    "schemes": (),
    "features": ("in.txt",),
    "fit": ("in.jsonl", "-o", "made.model"),
    "review": ("in.jsonl", "-o", "review.html"),
    "calibrate": ("in.jsonl",),
    "dedup": ("in.jsonl", "-o", "out.jsonl"),
}


def options() -> Iterator[tuple[str, str]]:
    """Each option that takes a value, with its command."""
    groups = [(name, command) for name, command in cli.commands.items()]
    for name, command in groups:
        if isinstance(command, click.Group):
            groups += [(f"{name} {inner}", one) for inner, one in command.commands.items()]
            continue
        for param in command.params:
            if isinstance(param, Option) and not param.is_flag:
                yield name, param.opts[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with sources, which is the current one."""
    rows = [json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(TEXTS)]
    (tmp_path / "in.jsonl").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "in.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "option"), list(options()))
def test_bytes_that_are_no_utf8_as_the_value_of_an_option(
    command: str, option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every option of every command takes them as a file's name, or ends in one line with exit code 2."""
    code = main([*command.split(), *ARGUMENTS.get(command, ("in.jsonl",)), option, BAD])
    said = capfd.readouterr().err
    assert code in (0, 1, 2)
    assert "Traceback" not in said and "fault of simsieve" not in said
    if code == 2:
        assert len(said.splitlines()) == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", sorted(cli.commands))
def test_bytes_that_are_no_utf8_as_an_argument(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A source, a text or a URI of such bytes ends in one line with exit code 2, or is used."""
    assert main([command, BAD, BAD]) in (0, 2)
    said = capfd.readouterr().err
    assert "Traceback" not in said and "fault of simsieve" not in said


def run(folder: Path, words: str) -> tuple[int, str]:
    """Run a line of a shell in which `simsieve` is this program; give its exit code and stderr."""
    line = words.replace("simsieve", f"{sys.executable} -m simsieve")
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ("simsieve dedup in.jsonl -o - -q >&-", 2, "-: cannot be written"),
        ("simsieve schemes >&-", 2, "standard output is closed"),
        ("simsieve dedup in.jsonl -o out.jsonl -q >&-", 0, ""),
        ("simsieve dedup in.jsonl -o out.jsonl 2>&-", 0, ""),
        ("simsieve dedup in.jsonl -o out.jsonl -q <&- >&- 2>&-", 0, ""),
        ("simsieve dedup - -o out.jsonl <&-", 2, "-: cannot be read"),
        ("simsieve nothing 2>/dev/full", 2, ""),
        ("mkdir gone; cd gone; rmdir ../gone; simsieve dedup ../in.jsonl -o out.jsonl", 2, "change to one that exists"),
    ],
)
def test_closed_streams_and_a_folder_that_is_gone(folder: Path, words: str, code: int, part: str) -> None:
    """Each ends with its code and one line at most; what does not need the stream is not disturbed."""
    found, said = run(folder, words)
    assert (found, "Traceback" in said) == (code, False), said
    assert part in said
    assert len(said.splitlines()) <= 1
    if code == 0:
        assert len((folder / "out.jsonl").read_bytes().splitlines()) == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--scheme", "--config"])
def test_a_deep_file_of_toml(folder: Path, option: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It is no TOML that can be read, which is one line."""
    (folder / "deep.toml").write_text("a = " + "[" * 5000 + "]" * 5000, encoding="utf-8")
    assert main(["dedup", "in.jsonl", "--dry-run", option, "deep.toml"]) == 2
    assert "deep.toml: is no TOML" in capfd.readouterr().err


def test_messages_name_settings_as_the_user_wrote_them(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The keys of a file stay keys, and options stay options."""
    (folder / "run.toml").write_text("max_distance = 200\n", encoding="utf-8")
    words = ["dedup", "in.jsonl", "--dry-run"]
    assert main([*words, "--config", "run.toml"]) == 2
    assert "run.toml: max_distance 200" in capfd.readouterr().err
    assert main([*words, "--max-distance", "200"]) == 2
    assert "--max-distance 200" in capfd.readouterr().err
    (folder / "run.toml").write_text('cut_at = "("\n', encoding="utf-8")
    assert main([*words, "--config", "run.toml"]) == 2
    assert "--cut-at" not in capfd.readouterr().err
    assert os.environ.get("SIMSIEVE_LANG", "en") == "en"


def test_help_shows_no_empty_default(capfd: pytest.CaptureFixture[str]) -> None:
    """A setting that is empty by default has no default to show."""
    assert main(["dedup", "--help-all"]) == 0
    assert "Default: ." not in capfd.readouterr().out
