"""Errors and warnings in Chinese: a message is matched with templates, since the library and the core raise English.

A message is `place: what is wrong; what to do`. The tables have a template for a whole message, or for one of its
parts; a part in braces is a value, which stays as it is. A message of which a part is in no table stays English.
"""

import re
from collections.abc import Callable
from functools import cache

_MOST = 4000
"""Characters of a message that is looked at; a longer one has texts of the user in it."""
_PLACES = (
    (re.compile(r"(.+?),? line (\d+)", re.DOTALL), r"\1 第 \2 行"),
    (re.compile(r"(.+?),? row (\d+)", re.DOTALL), r"\1 第 \2 行"),
    (re.compile(r"(mongodb:.+?) document (\d+)", re.DOTALL), r"\1 第 \2 篇"),
    (re.compile(r"(.+?) index (\d+)", re.DOTALL), r"\1 下标 \2"),
    (re.compile(r"(.+?), item (\d+)", re.DOTALL), r"\1 第 \2 项"),
    (re.compile(r"item (\d+) of verdicts"), r"判定第 \1 项"),
    (re.compile(r"the first that failed is record (\d+) \((\w+)\)"), r"第一条失败的是记录 \1（\2）"),
    (re.compile(r"scheme (\".*\"|'.*')"), r"方案 \1"),
    (re.compile(r"line (\d+)"), r"第 \1 行"),
    (re.compile(r"key ('.*')"), r"键 \1"),
)
"""What a place is called."""
_VALUE = re.compile(r"\{(\w+)\}")
_FREE = frozenset(("why", "error", "record", "row", "rows", "line", "command", "example", "names"))
"""The values that may have the ends of parts in them."""
_BOUND = "(?:(?!: |; ).)+?"
_SHAPES = {"key": "[a-z_]+", "listed": r"[\w-]+(?:, [\w-]+)*", "last": r"[\w-]+"}
"""The values that are words: the key of an option, words with commas between them, a word."""
_BOUNDS = re.compile(r"[\d .,%^<>=+-]+")
_WHERE = frozenset(("where", "first"))
"""The values that are places."""
_LISTS = frozenset(("names", "allowed", "words", "endings", "forms", "choices", "kind", "places", "fields"))
"""The values that are lists, whose last two items have `and` or `or` between them."""
_SENTENCES = frozenset(("why", "rows", "error"))
"""The values that are messages themselves."""
_LISTED = re.compile(r"(?:(?!, | and | or ).)+(?:, (?:(?! and | or ).)+)?( and | or )(?:(?!, | and | or ).)+")
_AND = {" and ": " 和 ", " or ": " 或 "}
_SYSTEM = (
    re.compile(r"(.+) \(os error (\d+)\)", re.DOTALL),
    re.compile(r"\[Errno (\d+)\] (.+)", re.DOTALL),
)
"""How Rust and Python write what the system says."""


def pattern_of(english: str, *, free: bool) -> re.Pattern[str]:
    r"""Make the pattern of a template.

    Args:
        english: The template.
        free: Let the values that may have the ends of parts in them have such.

    Example:
        >>> pattern_of("no {why}", free=True).pattern
        'no\\ (?P<why>.+?)'
    """
    parts = _VALUE.split(english)
    pattern = ""
    for at, part in enumerate(parts):
        value = ".+?" if free and part in _FREE else _SHAPES.get(part, _BOUND)
        again = part in parts[1:at:2]
        pattern += re.escape(part) if at % 2 == 0 else f"(?P={part})" if again else f"(?P<{part}>{value})"
    return re.compile(pattern, re.DOTALL)


# A run has one message or few, so a pattern is made when its longest constant part is in a text.
_pattern = cache(pattern_of)


@cache
def _templates() -> list[tuple[str, bool, str, str]]:
    """The longest constant part of each template, whether it has free values, the template, and the translation."""
    # Loaded here, since most users never need them.
    from simsieve.messages.zh_core import CORE  # noqa: PLC0415 - see above
    from simsieve.messages.zh_errors import ERRORS  # noqa: PLC0415 - see above
    from simsieve.messages.zh_options import OPTIONS  # noqa: PLC0415 - see above
    from simsieve.messages.zh_python import PYTHON  # noqa: PLC0415 - see above

    found = []
    for english, chinese in {**CORE, **OPTIONS, **ERRORS, **PYTHON}.items():
        parts = _VALUE.split(english)
        found.append((max(parts[::2], key=len), not _FREE.isdisjoint(parts[1::2]), english, chinese))
    # A template with more constant text is more definite.
    return sorted(found, key=lambda one: -len(_VALUE.sub("", one[2])))


def in_chinese(message: str) -> str | None:
    """Translate a message; None where a part of it is in no table.

    Example:
        >>> in_chinese("in.jsonl: does not exist; check the name")
        'in.jsonl：不存在；请检查名字'
        >>> in_chinese("it rains") is None
        True
    """
    if len(message) > _MOST:
        return None
    known: dict[str, str | None] = {}

    def translated(text: str) -> str | None:
        if text not in known:
            known[text] = (
                _whole(text, translated, free=False)
                or _split(text, translated)
                or _placed(text, translated)
                or _whole(text, translated, free=True)
                or _of_system(text)
                or _of_table(text)
            )
        return known[text]

    return translated(message)


def _whole(text: str, translated: Callable[[str], str | None], *, free: bool) -> str | None:
    for part, is_free, english, chinese in _templates():
        found = _pattern(english, free=free).fullmatch(text) if part in text and (is_free or not free) else None
        if found is not None:
            values = {name: _value(name, value, translated) for name, value in found.groupdict().items()}
            return _VALUE.sub(lambda name: values[name[1]], chinese)  # noqa: B023 - it is used here alone
    return None


def _value(name: str, value: str, translated: Callable[[str], str | None]) -> str:
    """A value in Chinese where it is made of words; names and texts of users stay."""
    from simsieve.messages.zh_usage import WORDS  # noqa: PLC0415 - most users never need them

    if value in WORDS:
        return WORDS[value]
    if name in _WHERE:
        return _place(value)
    if name in _SENTENCES:
        return translated(value) or value
    listed = _LISTED.fullmatch(value) if name in _LISTS else None
    if listed is None:
        return value
    before, after = value[: listed.start(1)], value[listed.end(1) :]
    items = ", ".join(WORDS.get(item, item) for item in before.split(", "))
    return items + _AND[listed[1]] + WORDS.get(after, after)


def _of_system(text: str) -> str | None:
    from simsieve.messages.zh_usage import SYSTEM  # noqa: PLC0415 - most users never need them

    if text in SYSTEM:
        return SYSTEM[text]
    for pattern in _SYSTEM:
        found = pattern.fullmatch(text)
        words, number = ("", "") if found is None else sorted(found.groups(), key=str.isdigit)
        if words in SYSTEM:
            return f"{SYSTEM[words]}（系统错误 {number}）"
    return None


def _of_table(text: str) -> str | None:
    """A text of the command line's own, such as what a setting allows; bounds without a word stay."""
    from simsieve.messages.zh import TEXTS  # noqa: PLC0415 - most users never need them

    return text if _BOUNDS.fullmatch(text) else TEXTS.get(text)


def _split(text: str, translated: Callable[[str], str | None]) -> str | None:
    for at in [one.start() for one in re.finditer("; ", text)]:
        second = translated(text[at + 2 :])
        if second is not None and (first := translated(text[:at])) is not None:
            return f"{first}；{second}"
    return None


def _placed(text: str, translated: Callable[[str], str | None]) -> str | None:
    for at in [one.start() for one in re.finditer(": ", text)]:
        rest = translated(text[at + 2 :])
        if rest is not None:
            return f"{_place(text[:at])}：{rest}"
    return None


def _place(text: str) -> str:
    for pattern, chinese in _PLACES:
        found = pattern.fullmatch(text)
        if found is not None:
            return found.expand(chinese)
    return text
