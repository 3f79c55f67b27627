"""The language of what people read: a text is a template in English and its values, and a catalogue has it in Chinese.

A message of an error or a warning is a `Message`: text in English, which knows its template and values. A program shows it in
the user's language, with options for the settings that it names. The catalogue is that of GNU gettext; a text that is not in
it stays English, and a test holds it whole.
"""

import os
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Number
from typing import Any

VARIABLE = "SIMSIEVE_LANG"
"""The environment's name that decides on the language before those of the system."""
_SYSTEM = ("LC_ALL", "LC_MESSAGES", "LANG")


def language(environment: Mapping[str, str] | None = None) -> str:
    """Return `zh` or `en`: the first name of the environment that has a value decides.

    Args:
        environment: By default that of the process.

    Example:
        >>> language({"LANG": "zh_CN.UTF-8"}), language({"LANG": "zh_CN.UTF-8", "SIMSIEVE_LANG": "en"}), language({})
        ('zh', 'en', 'en')
    """
    names = os.environ if environment is None else environment
    chosen = next(filter(None, (names.get(name) for name in (VARIABLE, *_SYSTEM))), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def tr(text: str, **values: object) -> str:
    """Give a text in the user's language, with its values put in.

    Args:
        text: The English text, with `{name}` for each value.
        **values: The values; without any, braces of the text stay as they are.

    Example:
        >>> tr("{count:,} records", count=2000)
        '2,000 records'
    """
    text = _translated(text)
    return text.format(**values) if values else text


class Setting(str):
    """The name of a setting: the library shows it as it is, a program with options as one."""

    __slots__ = ()


class Quoted(str):
    """A text of the core that a template has between quotes, which the core has put around it.

    Example:
        >>> f"{Quoted('a', '"a"'):?}"
        '"a"'
    """

    shown: str

    def __new__(cls, text: str, shown: str) -> "Quoted":
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


class Message(str):
    """A text for people in English, with what it was made of: by the template it is translated.

    Args:
        template: The English text, with `{name}` for each value and `{@name}` for each setting.
        **values: The values, which may be messages themselves; without any, braces of the text stay as they are.

    Example:
        >>> message = Message("{count:,} records; raise {@max_failed}", count=2000)
        >>> message
        '2,000 records; raise max_failed'
        >>> message.values
        {'count': 2000}
    """

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, /, **values: object) -> "Message":
        """Write it in English."""
        kept = {name: _kept(value) for name, value in values.items()}
        return cls.of(_Writer().write(template, kept), template, kept)

    @classmethod
    def of(cls, text: str, template: str, values: dict[str, object]) -> "Message":
        """Give the message whose English text is known."""
        self = super().__new__(cls, text)
        self.template, self.values = template, values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what makes it again, for another process."""
        return Message.of, (str(self), self.template, self.values)

    def as_json(self) -> dict[str, object]:
        """Give the text, the template and the values as JSON has them; a value that is a message has all three too."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {"message": str(self), "template": self.template, "values": values}


def shown(text: str, option: Callable[[str], str]) -> str:
    """Give a message in the user's language, as a program with options shows it.

    Args:
        text: The message; a text that is none is looked up as a whole.
        option: Gives the option of a setting.

    Example:
        >>> shown(Message("{name:?} is wrong; raise {@max_failed}", name=Quoted("a", '"a"')), lambda name: f"--{name}")
        '"a" is wrong; raise --max_failed'
    """
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
        return _translated(text, "value") if self._translate else text

    def setting(self, name: str) -> str:
        """Give the name of a setting in a text."""
        if self._option is not None:
            return self._option(name.strip("@`"))
        return f"the setting `{name[1:]}`" if name.startswith("@") and "_" not in name else name.strip("@")

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any value
        """Give what stands in a place, before its format."""
        if isinstance(key, str) and key.startswith(("@", "`")):
            return self.setting(key)
        value = kwargs[str(key)]
        if isinstance(value, Message):
            return self.write(value.template, value.values)
        if isinstance(value, Setting):
            return self._option(value) if self._option is not None and "_" in value else str(value)
        return ", ".join(map(self._item, value)) if isinstance(value, list | tuple) else value

    def _item(self, value: object) -> str:
        return self.write(value.template, value.values) if isinstance(value, Message) else str(value)

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - any value
        """Write a value; words are translated."""
        return self.word(value) if type(value) is str and not format_spec else super().format_field(value, format_spec)


def _translated(text: str, context: str | None = None) -> str:
    if language() == "en" or not text:
        return text
    from simsieve.messages.zh import TEXTS  # noqa: PLC0415
    return TEXTS.get(text, text)


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
