"""The language of what people read: a text is written in English where it is used, and `zh` has it in Chinese.

The English text is the key. A text that is not in the table stays English, and a test holds the table whole.
"""

import os
from collections.abc import Mapping

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
    if language() == "zh":
        # Loaded here, since most users never need it.
        from simsieve.messages import zh  # noqa: PLC0415 - see above

        text = zh.TEXTS.get(text, text)
    return text.format(**values) if values else text
