"""Checks on texts before they cross into the core; each failure names the text's index."""

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from simsieve.checks import is_integer
from simsieve.errors import ConfigError
from simsieve.messages import Message, Setting

_MOST_BITS = 4096
"""Python refuses to write longer numbers; no fingerprint is as long."""


def check_texts(texts: Sequence[str], start: int = 0, forms: Collection[str] = ()) -> None:
    """Check that all are texts by their type."""
    for index, text in enumerate(texts, start):
        if not isinstance(text, str):
            raise TypeError(f"text {index} is of type {type(text).__name__}: give str{advice_on(text, forms)}")


def check_name(what: str, name: object) -> None:
    """Check that a name is a text that UTF-8 has."""
    try:
        if isinstance(name, str):
            name.encode()
            return
    except UnicodeEncodeError:
        pass
    raise ConfigError(
        "{what} {name} is not a name: give a text without lone surrogates", what=Setting(what), name=ascii(name)
    )


def written(value: Any, forms: Collection[str]) -> Any:
    """Write whole numbers under `int`, bytes under `bytes`, and lists under `tokens` as texts; leave all else."""
    if "int" in forms and is_integer(value):
        number = int(value)
        return (
            str(number)
            if number.bit_length() <= _MOST_BITS
            else Message("a number of {bit_length} bits", bit_length=number.bit_length())
        )
    if "bytes" in forms and isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if "tokens" in forms and isinstance(value, (list, tuple, Mapping)):
        return _written_tokens(value)
    return value


def _written_tokens(tokens: Sequence[Any] | Mapping[Any, Any]) -> str:
    plain = dict(tokens) if isinstance(tokens, Mapping) else list(tokens)
    for token in plain:
        if isinstance(plain, dict) and not isinstance(token, str):
            raise TypeError(f"the token {token!r} is of type {type(token).__name__}: give str")
    try:
        # Weights of numpy are numbers that JSON does not know.
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, default=float)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"a list of tokens cannot be written as JSON: {error}; {TOKENS}") from None


TOKENS = "give a list of texts, a list of pairs (text, weight) or a dict of weights"
"""What a message says of lists of tokens."""


def all_written(given: Sequence[Any], forms: Collection[str], start: int = 0) -> list[str]:
    """Write the values given in place of texts as texts, and check that all are."""
    texts = list(given)
    for place, value in enumerate(texts) if forms else ():
        try:
            texts[place] = written(value, forms)
        except TypeError as error:
            raise TypeError(f"text {start + place}: {error}") from None
    check_texts(texts, start, forms)
    return texts


def written_fields(record: Mapping[str, Any], fields: Sequence[str], forms: Collection[str]) -> Mapping[str, Any]:
    """Write the fingerprints in some fields of a record as JSON has them; dots reach into objects."""
    # A whole number stays one, so that the record comes out as it came in.
    for name in fields:
        head, _, rest = name.partition(".")
        if name in record:
            # A list of tokens stays one, too: the core reads it of the record.
            is_list = isinstance(record[name], (list, tuple, Mapping))
            value = record[name] if is_list else written(record[name], forms)
            is_number = is_integer(record[name]) and isinstance(value, str) and value.lstrip("-").isdecimal()
            record = {**record, name: int(value) if is_number else value}
        elif rest and isinstance(record.get(head), Mapping):
            record = {**record, head: written_fields(record[head], [rest], forms)}
    return record


def advice_on(value: object, forms: Collection[str]) -> str:
    """Say what takes a value of this type: a format of fingerprints, or a custom scheme on tokens; empty for others."""
    if "tokens" in forms:
        return f", or {TOKENS.removeprefix('give ')}"
    if not forms and isinstance(value, (list, tuple, Mapping)):
        return ", or lists of tokens under a scheme on them, such as simsieve.CustomScheme(features='tokens')"
    if forms and is_integer(value):
        return ", or whole numbers under format=int, such as external64:format=int"
    if forms and isinstance(value, (bytes, bytearray, memoryview)):
        return ", or packed bytes under format=bytes, such as external64:format=bytes"
    return ""


@contextmanager
def lone_surrogates_named(texts: Sequence[str], start: int = 0) -> Iterator[None]:
    r"""Run a block that hands texts to the core, and name the text that it cannot take."""
    # A `str` may hold lone surrogates, which no UTF-8 has. Looking for them beforehand would encode every text twice,
    # so the search begins only once the border has refused one.
    try:
        yield
    except UnicodeEncodeError:
        for index, text in enumerate(texts, start):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ConfigError(
                    "text {index} has a lone surrogate at character {start}: fix it, for example with "
                    "text.encode('utf-8', 'replace').decode()",
                    index=index, start=error.start,
                ) from None  # fmt: skip
        raise
