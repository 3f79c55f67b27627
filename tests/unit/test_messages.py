"""The texts for people, in both languages: each text of the command line has a translation with the same places."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest

import simsieve
from simsieve.cli import cli
from simsieve.cli.common import CODES
from simsieve.cli.help import Option, paragraphs
from simsieve.cli.hints import _LEADS
from simsieve.cli.schemes import PURPOSES
from simsieve.config.setting import GROUPS
from simsieve.config.settings import SETTINGS
from simsieve.config.toml import _OPENING
from simsieve.evaluate.edits import KINDS
from simsieve.messages import language, tr
from simsieve.messages.zh import TEXTS
from simsieve.run.reasons import REASONS
from simsieve.schemes.scheme import SchemeInfo, schemes
from simsieve.screen import cells
from simsieve.types import FailureCode

PACKAGE = Path(simsieve.__file__).parent
STAGES = (
    "check",
    "copies",
    "decide",
    "fetch",
    "fingerprint",
    "fit",
    "freeze",
    "measure",
    "open",
    "read",
    "recall",
    "sample",
    "save",
    "search",
    "verify",
    "write",
    "starting",
)


def calls(folder: Path, *names: str) -> Iterator[ast.Call]:
    """The calls of functions of these names in a folder's modules."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                yield node


def literals() -> Iterator[str]:
    """The texts that are handed to `tr` where they are written."""
    for call in calls(PACKAGE, "tr"):
        first = call.args[0]
        parts = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
        yield from (str(part.value) for part in parts if isinstance(part, ast.Constant))


def of_tables() -> Iterator[str]:
    """The texts of tables: settings, options, commands, groups, schemes, errors, codes and stages."""
    for setting in SETTINGS.values():
        # Bounds without a word are the same in every language.
        yield from (text for text in (setting.help, setting.allowed, setting.unit) if any(map(str.isalpha, text)))
    inner = [
        one
        for command in cli.commands.values()
        if isinstance(command, click.Group)
        for one in command.commands.values()
    ]
    for command in (cli, *cli.commands.values(), *inner):
        # In English, a paragraph is its own key.
        yield from paragraphs(command)
        yield from (param.help for param in command.params if isinstance(param, Option) and param.help)
    yield from (*GROUPS, "Examples", "Commands", *STAGES)
    yield from (text for row in PURPOSES.values() for text in row)
    yield from (lead for _, lead in _LEADS)
    yield from CODES.values()
    yield from (*REASONS, "tested pairs", "candidates", "verified")
    yield from ("[OPTIONS]", "records", "old records")
    for info in schemes():
        told = (info.features, info.weights, info.hash, info.widths, info.sign)
        yield from (text for text in told if re.search("[a-z]{3}", text))
    yield from (*KINDS, *SchemeInfo.__slots__, _OPENING)


@pytest.fixture
def all_texts(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Give every English text."""
    monkeypatch.setenv("SIMSIEVE_LANG", "en")
    return {*literals(), *of_tables()}


def places(text: str) -> list[str]:
    """The names of the values that a text takes."""
    return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name})


def test_both_languages_are_whole(all_texts: set[str]) -> None:
    """Every text has a translation, and no translation is of a text that there is not."""
    assert sorted(all_texts - set(TEXTS)) == []
    assert sorted(set(TEXTS) - all_texts) == []


def test_texts_that_are_handed_over_by_name_come_from_tables() -> None:
    """Whatever `tr` is given is a text that the tests see, or a row of a table that they see."""
    given = {ast.unparse(call.args[0]) for call in calls(PACKAGE, "tr")}
    names = {text for text in given if not text.startswith(("'", '"'))}

    assert {text for text in names if " if " not in text} == {
        "CODES[code]", "_OPENING", "edit.kind", "heading", "lead", "piece", "purpose", "self.help or ''",
        "setting.allowed", "setting.help", "setting.unit", "label", "stage", "str(value)", "text", "unit", "what",
    }  # fmt: skip


def test_no_message_of_the_command_line_is_english_only() -> None:
    """A text that is raised, said or printed goes through `tr`; formats without a word may stand alone."""
    shown = calls(PACKAGE / "cli", "say", "click.echo", "ConfigError", "SourceError", "click.UsageError", "self.fail")
    texts = [call.args[0] for call in shown if isinstance(call.args[0], ast.Constant | ast.JoinedStr)]
    parts = [part for text in texts for part in ast.walk(text) if isinstance(part, ast.Constant)]

    assert [part.value for part in parts if re.search("[a-z]{3}", str(part.value))] == []


def test_every_code_of_a_failed_record_has_words() -> None:
    """The codes are those of the library's type."""
    assert set(CODES) == set(get_args(FailureCode))


def test_translations_take_the_same_values(all_texts: set[str]) -> None:
    """A value that the English text has is in the other one, too."""
    formatted = {text for text in literals() if places(text)}

    assert formatted
    assert [text for text in sorted(formatted) if places(text) != places(TEXTS[text])] == []


def test_translations_keep_names_of_options() -> None:
    """An option, a placeholder in capitals or a file name that the English text has is in the other one."""

    def names(text: str) -> set[str]:
        return {word.strip(".,;:()`'，。；：、（）") for word in text.split() if word.startswith(("--", "`"))}

    broken = [
        text for text, other in TEXTS.items() if any(name not in other for name in names(text) if name[:2] == "--")
    ]

    assert broken == []


def test_a_translation_is_chinese() -> None:
    """It has a character of Chinese, unless it is a name or a punctuation mark."""
    assert [text for text, other in TEXTS.items() if cells(other) == len(other)] == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN", "LC_MESSAGES": "en_US"}, "en"),
        ({"LANG": "en_US", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN", "SIMSIEVE_LANG": "en"}, "en"),
        ({"SIMSIEVE_LANG": "zh"}, "zh"),
    ],
)
def test_the_environment_chooses(names: dict[str, str], expected: str) -> None:
    """The program's own name goes first, then those of the system in their order."""
    assert language(names) == expected


def test_a_text_without_translation_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files, and what the core says, stay as they are."""
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")

    assert tr("no such text {here}") == "no such text {here}"
    assert tr("warning: ") == TEXTS["warning: "]


def screens() -> list[tuple[str, list[str]]]:
    """Every page of help."""
    return [(name, [name, word]) for name in cli.commands for word in ("--help", "--help-all")] + [
        ("", ["--help"]),
        ("", ["--help-all"]),
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("name", "words"), screens())
def test_help_fits_80_columns(
    lang: str, name: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line of any page of help is wider, in both languages."""
    monkeypatch.setenv("SIMSIEVE_LANG", lang)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(click.exceptions.Exit), cli.make_context("simsieve", list(words)) as context:
        cli.invoke(context)
    lines = capsys.readouterr().out.splitlines()

    assert [line for line in lines if cells(line) > 80] == []
    assert (lang == "zh") == any(cells(line) > len(line) for line in lines if "simsieve" not in line)
