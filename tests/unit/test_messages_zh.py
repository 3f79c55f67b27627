"""Messages of the library in Chinese: those of the pages on bad input and failures, and those that Python raises."""

import ast
import json
import re
from pathlib import Path

import pytest

import simsieve
from simsieve.cli import main
from simsieve.config.settings import SETTINGS
from simsieve.messages.bodies import in_chinese
from simsieve.messages.zh_core import CORE
from simsieve.messages.zh_errors import ERRORS
from simsieve.messages.zh_options import OPTIONS
from simsieve.messages.zh_python import PYTHON
from simsieve.messages.zh_usage import USAGE
from simsieve.screen import cells

PACKAGE = Path(simsieve.__file__).parent
REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


PAGES_LEFT = {
    "failures.md": {
        # These are written in Chinese where they are made, by `tr`.
        "No such option --jaccard.",
        "'in.jsonl' is no command",
        "Invalid value for ",
    },
    "bad-input.md": set[str](),
}
"""Messages of the pages that have no translation by templates, by how they begin."""
RAISED = ("ConfigError", "SourceError", "SinkError", "TextError", "warn")


def page_messages(name: str) -> list[str]:
    """The messages in the last cells of the tables of a page, with settings as the library names them."""
    found = []
    for line in (REFERENCE / name).read_text(encoding="utf-8").splitlines():
        cell = re.split(r"(?<!\\)\|", line)[-2].strip() if line.startswith("|") else ""
        ticks = len(cell) - len(cell.lstrip("`"))
        if not ticks or not cell.endswith("`" * ticks):
            continue
        plain = cell[ticks:-ticks].strip().replace("\\|", "|")
        for setting in SETTINGS.values():
            named = setting.name if "_" in setting.name else f"the setting `{setting.name}`"
            plain = re.sub(rf"(?<=give ){setting.option}(?![\w-])", named, plain)
            plain = re.sub(rf"(?<![`\w]){setting.option}(?![\w-])", named, plain)
        found.append(plain)
    return found


@pytest.mark.parametrize("name", sorted(PAGES_LEFT))
def test_messages_of_the_pages_are_translated(name: str) -> None:
    """Every message of every kind of bad input; what is left is listed."""
    messages = page_messages(name)
    left = [text for text in messages if in_chinese(text) is None]

    assert len(messages) > 60
    assert [text for text in left if not any(text.startswith(begin) for begin in PAGES_LEFT[name])] == []
    assert [begin for begin in PAGES_LEFT[name] if not any(text.startswith(begin) for text in left)] == []


def raised() -> list[tuple[str, str]]:
    """The module and the text of every error and warning whose text is where it is raised, with `X1` for values."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or ast.unparse(node.func) not in RAISED:
                continue
            parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else [node.args[0]]
            texts = [str(part.value) if isinstance(part, ast.Constant) else "X1" for part in parts]
            text = "".join(texts)
            if " " in text:
                found.append((path.relative_to(PACKAGE).as_posix(), text))
    return found


def test_what_python_raises_is_translated() -> None:
    """Every message that has its words where it is raised; of those that have other messages in them, see below."""
    left = {text for _, text in raised() if in_chinese(text) is None}

    assert sorted(left) == sorted(COMPOSED)


COMPOSED: dict[str, list[str]] = json.loads(Path(__file__).with_name("composed_messages.json").read_text())
"""Messages whose words are partly made elsewhere, with what they are at run time."""


@pytest.mark.parametrize("message", [one for examples in COMPOSED.values() for one in examples])
def test_composed_messages_are_translated(message: str) -> None:
    """Each as people see it."""
    assert in_chinese(message) is not None


def test_templates_take_the_same_values_and_are_chinese() -> None:
    """Every value of the English text is in the other one, which has a character of Chinese."""
    every = {**CORE, **OPTIONS, **ERRORS, **PYTHON}

    assert len(every) == sum(map(len, (CORE, OPTIONS, ERRORS, PYTHON)))
    assert [text for text, other in every.items() if set(values(other)) - set(values(text))] == []
    assert [text for text, other in every.items() if cells(other) == len(other)] == []


def values(text: str) -> list[str]:
    """The names in braces."""
    return re.findall(r"\{(\w+)\}", text)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("a b.csv, line 3: a and b are both 'x'; correct the row", None),
        ("a b.csv, line 3: has 2 fields, and the header has 3; correct the row",
         "a b.csv 第 3 行：有 2 个字段，而表头有 3 个；请改正这一行"),
        ("mine.toml: scheme 'mine': width 300 is not allowed; give a whole number from 1 to 256",
         "mine.toml：方案 'mine'：位数不能是 300；请给 1 到 256 的整数"),
        ("x.txt: it is raining; check the name", None),
        ("does not exist; it is raining", None),
        ("x" * 5000, None),
    ],
)  # fmt: skip
def test_a_message_is_translated_whole_or_not(message: str, expected: str | None) -> None:
    """Places and parts are put together; one unknown part leaves all as it is."""
    assert in_chinese(message) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["dedup", "no.jsonl", "-o", "k.jsonl"], "输入有问题：no.jsonl：不存在；请检查名字"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--text-field", "txet"],
         "记录没有字段 'txet'：是不是 'text'？字段有 'text'；请用 --text-field 指明正文字段"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--similarity", "1.5"], "similarity 1.5 不在 (0, 1] 之内"),
        (["dedup", "in.jsonl", "-o", "k.jsonl", "--recall", "7"], "recall 7.0 不在 [0.5, 1) 之内"),
        (["compare", "a"], "缺少参数"),
        (["compare", "a", "b", "c"], "用法不对：多余的参数（c）"),
        (["dedup", "in.jsonl", "-o"], "选项 '-o' 需要一个值"),
        (["dedup", "in.jsonl", "--threads", "x"], "'x' 不是整数"),
    ],
)  # fmt: skip
def test_the_command_line_is_chinese(
    words: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """From the words to the line on stderr."""
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.delenv("SIMSIEVE_LANG", raising=False)
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text('{"text": "a text"}\n')

    assert main(words) == 2
    assert expected in capsys.readouterr().err


def runs(text: str) -> list[str]:
    """Two words of a template that follow one another, without a value between them; one where it has no two."""
    parts = [part.split() for part in re.split(r"\{\w+\}", text)]
    size = min(2, max(map(len, parts)))
    return [" ".join(words[at : at + size]) for words in parts for at in range(len(words) - size + 1)]


def test_every_template_is_of_a_message() -> None:
    """Some words of it are in the source of the library or of the core; what click says is click's own."""
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path.parent.name != "messages"]
    texts += [path.read_text(encoding="utf-8") for path in (REFERENCE.parents[1] / "crates").rglob("src/**/*.rs")]
    # Texts that are written over several lines are put together, and signs are as they are printed.
    source = re.sub(r"\\\n\s*|\"\s*\n\s*f?\"|'\s*\n\s*f?'", "", "\n".join(texts)).replace('\\"', '"')
    ours = [text for text in {**CORE, **OPTIONS, **ERRORS, **PYTHON} if text not in USAGE]

    assert [text for text in ours if not any(run in source for run in runs(text))] == []
