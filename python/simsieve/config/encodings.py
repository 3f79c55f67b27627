"""The encodings of sources: one for all, or some by patterns of file names."""

from collections.abc import Iterable, Mapping

from simsieve.checks import shown
from simsieve.errors import ConfigError

COMMON = (
    "auto", "utf-8", "utf-16", "gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "latin1", "windows-1252"
)  # fmt: skip
"""Common encodings of texts, which a shell completes; others are taken too."""


def encoding(_: str, value: object) -> str | tuple[str, ...]:
    """Check encodings, and bring them to one form: a name, or a tuple of names, most with a pattern."""
    if isinstance(value, Mapping):
        value = [f"{pattern}={name}" for pattern, name in value.items()]
    several = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    for one in several or ("",):
        if not isinstance(one, str) or not all(part.strip() for part in one.rsplit("=", 1)):
            raise ConfigError(
                "encoding {one} is not allowed: give auto, a name such as gb18030, or PATTERN=NAME such as "
                "'*.csv=gb18030'",
                one=shown(one),
            )  # fmt: skip
    usual = [one for one in several if "=" not in one]
    if len(usual) > 1:
        raise ConfigError(
            "encoding {usual} and encoding {usual_2} are both given for all sources: give one of them, or a pattern "
            "before each, such as '*.csv=gb18030'",
            usual=usual[0], usual_2=usual[1],
        )  # fmt: skip
    return usual[0] if several == tuple(usual) else several


def rules_of(encoding: str | tuple[str, ...]) -> list[tuple[str | None, str]]:
    """Give checked encodings as pairs of pattern and name; the one for the rest has no pattern."""
    parts = (one.rpartition("=") for one in ((encoding,) if isinstance(encoding, str) else encoding))
    return [(pattern if equals else None, name) for pattern, equals, name in parts]
