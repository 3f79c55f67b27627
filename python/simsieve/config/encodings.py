"""The encodings of sources: one for all, or some by patterns of file names."""

from collections.abc import Iterable, Mapping

from simsieve.checks import shown
from simsieve.errors import ConfigError

UTF8 = "utf-8"
"""The encoding where none is given."""


def encoding_of(value: object) -> str | tuple[str, ...]:
    """Check encodings, and bring them to one form: a name, or a tuple of names, most with a pattern.

    Args:
        value: A name or `PATTERN=NAME`, several of them, or a mapping of patterns to names.

    Raises:
        ConfigError: One is no text or empty, or two names are without a pattern.

    Example:
        >>> encoding_of("gbk"), encoding_of({"*.csv": "gb18030"}), encoding_of(["a=big5", "auto"])
        ('gbk', ('*.csv=gb18030',), ('a=big5', 'auto'))
    """
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
    """Give checked encodings as pairs of pattern and name; the one for the rest has no pattern.

    Example:
        >>> rules_of(("*.csv=gb18030", "auto"))
        [('*.csv', 'gb18030'), (None, 'auto')]
    """
    parts = (one.rpartition("=") for one in ((encoding,) if isinstance(encoding, str) else encoding))
    return [(pattern if equals else None, name) for pattern, equals, name in parts]
