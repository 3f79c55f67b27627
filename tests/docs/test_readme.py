"""What the READMEs show is run and compared.

The convention: a ```console block with lines `$ command`, each followed by what it prints, is run line by line and
compared; a ```sh block whose lines begin with `simsieve ` is run and must end with 0; a ```python block with `>>>` is a
doctest; the lines of a ```json block are lines that a command before wrote to a file. `make`, `pip` and `git` lines and
blocks of any other kind are not run. All blocks of one README run in one folder, in their order, beside a copy of
`examples`. Stdout comes first, then stderr; what is measured (seconds, MB/s, memory) is made `#` on both sides, and a
line `...` stands for any lines. A command with `--serve` is stopped by Ctrl-C when it has printed its address.
"""

import doctest
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh-CN.md")
PROGRAMS = "simsieve,SIMSIEVE_LANG=zh simsieve,cat,zcat,head,tail,wc,gzip,echo,printf,cut"
RUN = tuple(f"{name} " for name in PROGRAMS.split(","))
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
# A measured number with its unit, as the report and the summary write them.
MEASURED = re.compile(
    r"(?<=^seconds )[\d.]+|[\d,.]+ ?(?=(?:s|ms|seconds?|秒|[KMG]i?B(?:/s)?)\b)"
    r'|(?<="seconds": )[\d.]+|(?<="seconds":)[\d.]+|(?<="peak_rss_bytes": )\d+|(?<="peak_rss_bytes":)\d+'
    r'|(?<="kernel": )"\w+"'
)

# What a run says of its way where it takes long, as it may on a busy machine.
PROGRESS = re.compile(r"simsieve: .* \d+ % \(.*\), [\d.]+ s")


class Step(NamedTuple):
    """A command of a README and what it shows below; None where it shows nothing to compare."""

    command: str
    shown: str | None


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks as (kind, content)."""
    return FENCE.findall(text)


def steps(kind: str, content: str) -> list[Step]:
    """The commands of a block that are to be run."""
    content = content.replace("\\\n", " ")
    if kind in ("sh", "shell", "bash"):
        return [Step(line, None) for line in content.splitlines() if line.startswith("simsieve ")]
    found: list[Step] = []
    if kind == "console":
        for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            if command.startswith(RUN):
                found.append(Step(command, shown))
    return found


def unmeasured(text: str) -> list[str]:
    """The lines with what was measured made `#`, runs of blanks made one, and empty lines and progress left out."""
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if not PROGRESS.fullmatch(line))
    return [MEASURED.sub("#", line) for line in lines if line]


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, `...` standing for any lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(agrees(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and agrees(shown[1:], printed[1:])


def carry_out(step: Step, folder: Path) -> None:
    """Run a command in a folder and compare what it prints with what is shown."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # A test in this process may have spoken Chinese, and other programs would too.
    env = {**os.environ, "PATH": path, "LANGUAGE": "en"}
    command = ["bash", "-o", "pipefail", "-c", step.command]
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:  # fmt: skip
        first = ""
        if re.search(r" --serve|^simsieve app ", step.command) and running.stdout is not None:
            # It serves until it is stopped; its first line says that it does.
            first = running.stdout.readline()
            running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    done = subprocess.CompletedProcess(command, running.returncode, first + out, err)
    if step.shown is None:
        assert done.returncode == 0, f"$ {step.command}\n{done.stderr}"
        return
    printed = unmeasured(done.stdout + done.stderr)
    assert agrees(unmeasured(step.shown), printed), (
        f"$ {step.command}\nshown:\n{step.shown}\nprinted:\n{done.stdout}{done.stderr}"
    )


def wrong_in(session: str, names: dict[str, object], name: str, flags: int = 0) -> str:
    """What is wrong in a Python session, which has the names of those before it and leaves its own."""
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(session, names, name, name, 0)
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    return "".join(told)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a copy of `examples`."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def readme(name: str) -> str:
    """A README's text; skips where the translation is not there."""
    path = ROOT / name
    if not path.exists() and name != "README.md":
        pytest.skip(f"NOT TESTED: there is no {name}")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READMES)
def test_commands_do_what_is_shown(name: str, folder: Path) -> None:
    """Every command that a README shows runs, and prints what stands below it; there is at least one."""
    found = [step for kind, content in blocks(readme(name)) for step in steps(kind, content)]
    for step in found:
        carry_out(step, folder)

    written = b"".join(path.read_bytes() for path in folder.glob("*.jsonl")).decode().splitlines()
    records = [line for kind, content in blocks(readme(name)) if kind == "json" for line in content.splitlines()]
    assert [line for line in records if line not in written] == []
    assert found, f"{name} has no ```console block with a line `$ simsieve ...`"


@pytest.mark.parametrize("name", READMES)
def test_python_says_what_is_shown(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python session that a README shows gives what stands there; there is at least one."""
    monkeypatch.chdir(folder)
    sessions = [content for kind, content in blocks(readme(name)) if kind in ("python", "pycon") and ">>>" in content]
    names: dict[str, object] = {}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    told = "".join(wrong_in(content, names, f"{name} {number}", flags) for number, content in enumerate(sessions))

    assert not told, told
    assert sessions, f"{name} has no ```python block with `>>>`"


def test_a_wrong_readme_is_found_out(folder: Path) -> None:
    """A command that prints something else than is shown, or fails where nothing is shown, fails the test."""
    text = "```console\n$ simsieve --version\nversion ...\n...\n$ make demo\n$ printf 'a 0.25 s\\n'\na 7.5 s\n```\n"
    ((kind, content),) = blocks(text)
    version, clock = steps(kind, content)
    assert (version.command, clock.command) == ("simsieve --version", "printf 'a 0.25 s\\n'")

    carry_out(clock, folder)
    carry_out(Step("simsieve --version", "...\n"), folder)
    for wrong in (version, Step("printf 'b 1 s'", "a 1 s"), Step("simsieve nosuch", None), Step("echo a", "")):
        with pytest.raises(AssertionError, match=re.escape(f"$ {wrong.command}")):
            carry_out(wrong, folder)


AGREE, DIFFER = [("a ... d", "a b c d"), ("a ...", "a"), ("", "")], [("a ... d", "a b"), ("a", "a b"), ("", "a")]


@pytest.mark.parametrize(("shown", "printed"), AGREE + DIFFER)
def test_dots_stand_for_lines(shown: str, printed: str) -> None:
    """A line of dots stands for any number of lines, and nothing else does."""
    assert agrees(shown.split(), printed.split()) is ((shown, printed) in AGREE)
