"""Checks on texts before they cross into the core; each failure names the text's index."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from simsieve.errors import ConfigError


def check_texts(texts: Sequence[str], start: int = 0) -> None:
    """Check that all are texts by their type.

    Args:
        texts: The batch.
        start: The index of its first text, for the message.

    Raises:
        TypeError: One is no `str`; the text names its index and type.

    Example:
        >>> check_texts(["a", "b"])
    """
    for index, text in enumerate(texts, start):
        if not isinstance(text, str):
            raise TypeError(f"text {index} is of type {type(text).__name__}: give str")


@contextmanager
def lone_surrogates_named(texts: Sequence[str], start: int = 0) -> Iterator[None]:
    """Run a block that hands texts to the core, and name the text that it cannot take.

    A `str` may hold lone surrogates, which no UTF-8 has. Looking for them beforehand would encode every text twice, so
    the search begins only once the border has refused one.

    Args:
        texts: The batch.
        start: The index of its first text, for the message.

    Raises:
        ConfigError: A text holds a lone surrogate; the text names its index and the character.

    Example:
        >>> with lone_surrogates_named(["a"]):
        ...     pass
    """
    try:
        yield
    except UnicodeEncodeError:
        for index, text in enumerate(texts, start):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ConfigError(
                    f"text {index} has a lone surrogate at character {error.start}: mend it, for example with"
                    " text.encode('utf-8', 'replace').decode()"
                ) from None
        raise
