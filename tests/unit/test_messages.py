"""The catalogue is whole; a message keeps its template and values; errors are made of templates alone."""

import ast
import json
import pickle
import re
from collections.abc import Sequence
from typing import get_args

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.catalogue import COMPILED, CONTEXT, ROOT, SOURCES, calls, catalogue, compiled, texts

from simsieve.cli import cli
from simsieve.cli.common import CODES
from simsieve.errors import ConfigError, SimsieveError
from simsieve.messages import Message, Quoted, Setting, language, shown, tr
from simsieve.screen import cells
from simsieve.types import FailureCode

PAGES = ("docs/how-to/serve.md", "docs/zh/serve.md")
PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@pytest.fixture(scope="module")
def translated() -> dict[str, str]:
    """Each text of the catalogue that has no context, with its translation; of a pair, the first."""
    entries = [message for message in catalogue() if message.id and message.context is None]
    return {_first(message.id): _first(message.string or "") for message in entries}


def _first(texts: str | Sequence[str]) -> str:
    return texts if isinstance(texts, str) else texts[0]


def test_the_catalogue_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every template and text has a translation, none is fuzzy, and no translation is of a text that there is not."""
    monkeypatch.setenv("SIMSIEVE_LANG", "en")
    entries = [message for message in catalogue() if message.id]
    wanted = texts()

    assert len(wanted) > 1400
    assert [text for text in wanted if text not in {one.id for one in entries if one.string and not one.fuzzy}] == []
    assert [one.id for one in entries if one.context is None and one.id not in wanted] == []
    assert {one.context for one in entries} == {None, CONTEXT}


def test_what_is_compiled_is_the_catalogue() -> None:
    """`python -m tools.catalogue` was run after the last change."""
    assert COMPILED.read_bytes() == compiled(catalogue())


def test_translations_take_the_same_values(translated: dict[str, str]) -> None:
    """Settings of the Chinese text are those of the English one; its values are some of them."""

    def places(text: str) -> set[str]:
        return {found[1] for found in PLACE.finditer(text) if found[1] is not None}

    def settings(text: str) -> set[str]:
        return {name.strip("@`") for name in places(text) if name.startswith(("@", "`"))}

    assert [text for text, other in translated.items() if places(other) - places(text)] == []
    assert [text for text, other in translated.items() if settings(text) != settings(other)] == []


def test_translations_keep_names_of_options(translated: dict[str, str]) -> None:
    """An option that the English text has is in the other one."""

    def options(text: str) -> set[str]:
        return set(re.findall(r"--[a-z-]+[a-z]", text))

    assert [text for text, other in translated.items() if options(text) - options(other)] == []


def test_a_translation_is_chinese(translated: dict[str, str]) -> None:
    """It has a character of Chinese, unless it is names, places and signs alone."""
    same = [text for text, other in translated.items() if cells(other) == len(other)]

    assert [text for text in same if re.search("[a-z]{2} [a-z]{2}", PLACE.sub("", text))] == [
        "position long, id string, text string, {packed} string"
    ]


def test_errors_are_made_of_templates() -> None:
    """No text of an error is put together where it is raised: no f-string, no sum, no `format!`."""
    classes: list[type[SimsieveError]] = [SimsieveError, *SimsieveError.__subclasses__(), *ConfigError.__subclasses__()]
    names = [error.__name__ for error in classes]
    made = [
        f"{path.name}:{call.lineno}"
        for path, call in calls(SOURCES, *names, "Message")
        for argument in call.args[:1]
        if isinstance(argument, ast.JoinedStr | ast.BinOp)
    ]
    raw = re.compile(r"Error::(?:Config|Resume|TooMany)\(\s*(?:format!|\")|message: (?:format!|\"[^\"]*\"\.)")
    core = {
        path.name: raw.findall(path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests {")[0])
        for path in (ROOT / "crates").glob("*/src/**/*.rs")
        if "test" not in path.name and "tests" not in path.relative_to(ROOT).parts
    }

    assert made == []
    assert {name: found for name, found in core.items() if found} == {}


def test_texts_that_are_handed_over_by_name_come_from_tables() -> None:
    """Whatever `tr` is given is a text that the catalogue sees, or a row of a table that it sees."""
    given_texts = {ast.unparse(call.args[0]) for _, call in calls(SOURCES, "tr")}
    names = {text for text in given_texts if not text.startswith(("'", '"'))}

    assert {text for text in names if " if " not in text} == {
        "CODES[code]", "_OPENING", "edit.kind", "heading", "lead", "piece", "info.purpose", "self.help or ''",
        "setting.allowed", "setting.help", "setting.unit", "label", "stage", "str(value)", "info.unit", "what",
        "HINTS[status_of(error)]",
    }  # fmt: skip


def test_every_code_of_a_failed_record_has_words() -> None:
    """The codes are those of the library's type."""
    assert set(CODES) == set(get_args(FailureCode))


@given(st.text(), st.integers(), st.text())
def test_a_message_is_its_template_with_its_values(name: str, count: int, why: str) -> None:
    """As `str.format` writes it; it is the same after a pickle, and its JSON has the values."""
    message = Message("{name!r} has {count:,}: {why}", name=name, count=count, why=Message("no {why}", why=why))
    again = pickle.loads(pickle.dumps(ConfigError(message)))

    assert message == f"{name!r} has {count:,}: no {why}"
    assert (again.message, again.template, again.values) == (message, message.template, message.values)
    assert json.loads(json.dumps(message.as_json()))["values"]["count"] == count


def test_every_error_id_is_in_the_docs() -> None:
    """Each id that the core or the package gives has a line in both languages, and no line is of another."""
    files = [*ROOT.glob("crates/*/src/**/*.rs"), *(ROOT / "python").rglob("*.py")]
    ids = {found for path in files for found in re.findall(r"with_id\(\s*\"(.+?)\"", path.read_text("utf-8"))}
    told = [re.findall(r"^\| `(\w+\.\w+)` \|", (ROOT / page).read_text("utf-8"), re.MULTILINE) for page in PAGES]

    assert sorted(ids) == sorted(told[0]) == sorted(told[1])


def test_any_error_is_json() -> None:
    """A code, the text, its template and its values, of an error of Python and of the core."""
    import simsieve

    with pytest.raises(SimsieveError) as raised:
        simsieve.dedup("nosuch.jsonl")
    inner = {"message": "does not exist; check the name", "template": "does not exist; check the name", "values": {}}

    assert json.loads(json.dumps(raised.value.as_json())) == {
        "code": "source",
        "id": "",
        "message": "nosuch.jsonl: does not exist; check the name",
        "template": "{path}: {message}",
        "values": {"path": "nosuch.jsonl", "message": inner},
    }
    assert ConfigError("{name} {value} is wrong", name=Setting("seed"), value=7).as_json()["values"] == {
        "name": "seed",
        "value": 7,
    }


def test_settings_of_a_message_are_those_of_who_shows_it() -> None:
    """The library has names, a program with options has them; a word alone stays, and user's text is never touched."""
    message = Message(
        "{@max_pairs} of {name}, or {@`resume`}: {value:?}",
        name=Setting("seed"),
        value=Quoted("max_pairs", '"max_pairs"'),
    )

    assert message == 'max_pairs of seed, or the setting `resume`: "max_pairs"'
    assert shown(message, lambda name: "--" + name.replace("_", "-")) == '--max-pairs of seed, or --resume: "max_pairs"'


ENGLISH = ["", "LANG=C.UTF-8", "LANG=zh_CN LC_MESSAGES=en_US", "LANG=zh_CN SIMSIEVE_LANG=en"]
CHINESE = ["LANG=zh_CN.UTF-8", "LANG=zh_TW", "LANG=en_US LC_ALL=zh_CN", "SIMSIEVE_LANG=zh"]


@pytest.mark.parametrize("environment", ENGLISH + CHINESE)
def test_the_environment_chooses(environment: str) -> None:
    """The program's own name goes first, then those of the system in their order."""
    names = dict(one.split("=") for one in environment.split())
    assert language(names) == ("zh" if environment in CHINESE else "en")


def test_a_text_without_translation_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files, and what the core says, stay as they are."""
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")

    assert tr("no such text {here}") == "no such text {here}"
    assert tr("warning: ") == "警告："


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
