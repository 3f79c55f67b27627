"""The language of texts for people: a text is a template in English and its values, and a catalogue has it in Chinese.

A message of an error or a warning is a `Message`: text in English, which knows its template and values. A program shows
it in the user's language, with options for the settings that it names. The catalogue is that of GNU gettext; a text
that is not in it stays English, and a test holds it whole.
"""

import os
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import NullTranslations, bindtextdomain, textdomain, translation
from numbers import Number
from pathlib import Path
from typing import Any, Self

CATALOGUES = Path(__file__).parent
"""The folder of the catalogues, as gettext looks for them."""
VARIABLE = "SIMSIEVE_LANG"
"""The environment's name that decides on the language before those of the system."""
_SYSTEM = ("LC_ALL", "LC_MESSAGES", "LANG")
_FAULT = re.compile(r"\[Errno (\d+)\] (\w[\w ]*\w)")
"""A fault of the system as Python writes it, in the texts of other libraries too."""
_CHOSEN = ContextVar("language", default="")


@contextmanager
def speaking(chosen: str) -> Iterator[None]:
    """Speak `zh` or `en` in a block, whatever the environment says: a service answers each in their language."""
    before = _CHOSEN.set(chosen)
    try:
        yield
    finally:
        _CHOSEN.reset(before)


def language(environment: Mapping[str, str] | None = None) -> str:
    """Return `zh` or `en`: what a block has chosen, else the first name of the environment that has a value."""
    if environment is None and _CHOSEN.get():
        return _CHOSEN.get()
    names = os.environ if environment is None else environment
    chosen = next(filter(None, (names.get(name) for name in (VARIABLE, *_SYSTEM))), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def speak() -> None:
    """Have the standard gettext, which other libraries call, speak the user's language from the catalogue here."""
    if language() == "zh":
        os.environ["LANGUAGE"] = "zh_CN"
        bindtextdomain("simsieve", str(CATALOGUES))
    textdomain("simsieve" if language() == "zh" else "messages")


def tr(text: str, **values: object) -> str:
    """Give a text in the user's language, with its values put in."""
    text = _translated(text)
    return text.format(**values) if values else text


class Setting(str):
    """The name of a setting: the library shows it, a program with options has its option; one word alone stays.

    Between backticks it is a word of sentences too; after `@`, the sentence has yet to say that it is a setting.
    """

    __slots__ = ()


class Listed(tuple[object, ...]):
    """Values that a message shows with commas between them; any other list is shown as Python writes it."""

    __slots__ = ()


class Quoted(str):  # noqa: SLOT000 - it has attributes
    """A text of the core that a template has between quotes, which the core has put around it."""

    shown: str

    def __new__(cls, text: str, shown: str) -> Self:
        """Keep both."""
        self = super().__new__(cls, text)
        self.shown = shown
        return self

    def __format__(self, spec: str) -> str:
        """Give it with quotes where the template has `?`."""
        return self.shown if spec == "?" else str.__format__(self, spec)

    def __repr__(self) -> str:
        """Give it with quotes."""
        return self.shown

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what makes it again, for another process."""
        return Quoted, (str(self), self.shown)


class Message(str):  # noqa: SLOT000 - it has attributes
    """A text for people in English, with what it was made of: by the template it is translated."""

    template: str
    values: dict[str, object]
    id: str
    """The name by which programs know the error, such as `index.no_such_batch`; mostly empty."""

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Write it in English."""
        kept = {name: _kept(value) for name, value in values.items()}
        return cls.of(_Writer().write(template, kept), template, kept)

    @classmethod
    def of(cls, text: str, template: str, values: dict[str, object], id: str = "") -> Self:
        """Give the message whose English text is known."""
        self = super().__new__(cls, text)
        self.template, self.values, self.id = template, values, id
        return self

    def with_id(self, id: str) -> "Message":
        """Give the same with a name by which programs know it; each name is in `docs/how-to/serve.md`."""
        return Message.of(str(self), self.template, self.values, id)

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what makes it again, for another process."""
        return Message.of, (str(self), self.template, self.values, self.id)

    def as_json(self) -> dict[str, object]:
        """Give the text, the template and the values as JSON has them; a value that is a message has all three too."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {"message": str(self), "template": self.template, "values": values}


def shown(text: str, option: Callable[[str], str]) -> str:
    """Give a message in the user's language, as a program with options shows it."""
    writer = _Writer(option, translate=True)
    return writer.write(text.template, text.values) if isinstance(text, Message) else writer.word(text)


class _Writer(string.Formatter):
    """Puts values into templates."""

    def __init__(self, option: Callable[[str], str] | None = None, *, translate: bool = False) -> None:
        self._option, self._translate = option, translate

    def write(self, template: str, values: Mapping[str, object]) -> str:
        """Give the text of a message."""
        text = _translated(template) if self._translate else template
        return self.vformat(text, (), values) if values or "{@" in text or "{`" in text else text

    def word(self, text: str) -> str:
        """Give a value that may be words of a program or of the system, such as `Permission denied`."""
        if not self._translate or language() == "en":
            return text
        return _FAULT.sub(self._fault, _catalogue().pgettext("value", text))

    def _fault(self, found: re.Match[str]) -> str:
        return self.write("[Errno {number}] {why}", {"number": found[1], "why": found[2]})

    def setting(self, name: str) -> str:
        """Give the name of a setting in a text."""
        if self._option is not None:
            return self._option(name.strip("@`"))
        return name.replace("@`", "the setting `").strip("@")

    def get_value(self, key: int | str, _: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Give what stands in a place, before its format."""
        if isinstance(key, str) and key.startswith(("@", "`")):
            return self.setting(key)
        value = kwargs[str(key)]
        if isinstance(value, Message):
            return self.write(value.template, value.values)
        if isinstance(value, Setting):
            return self.setting(value) if self._option is None or not value.isalpha() else str(value)
        return ", ".join(map(self._item, value)) if isinstance(value, Listed) else value

    def _item(self, value: object) -> str:
        return self.write(value.template, value.values) if isinstance(value, Message) else str(value)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Write a value; words are translated."""
        return self.word(value) if type(value) is str and not format_spec else super().format_field(value, format_spec)


@cache
def _catalogue() -> NullTranslations:
    return translation("simsieve", CATALOGUES, ["zh_CN"])


def _translated(text: str) -> str:
    """The text in the user's language; an empty one would be the head of the catalogue."""
    return text if language() == "en" or not text else _catalogue().gettext(text)


def _kept(value: object) -> object:
    """A value as a message keeps it: what it is made of stays, of another object its texts."""
    if isinstance(value, BaseException):
        value = value.args[0] if value.args and isinstance(value.args[0], Message) else _of_system(value)
    if value is None or isinstance(value, str | Number | list | tuple):
        return value
    return Quoted(os.fspath(value) if isinstance(value, os.PathLike) else str(value), repr(value))


def _of_system(error: BaseException) -> str:
    """What the system says, with its number."""
    if not isinstance(error, OSError) or error.errno is None or error.filename is not None:
        return str(error)
    return Message("[Errno {number}] {why}", number=error.errno, why=error.strerror)


def _plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, Message):
        return value.as_json()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
