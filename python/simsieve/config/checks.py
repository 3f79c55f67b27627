"""Checks of settings that need more than a line."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from simsieve.checks import MOST, MOST_THREADS, is_integer, shown
from simsieve.config.encodings import encoding_of
from simsieve.config.rows import EACH, SAME
from simsieve.config.verdicts import check_verdicts
from simsieve.errors import ConfigError
from simsieve.schemes.model import MOST_FEATURES

INTEGERS: tuple[tuple[str, int, int], ...] = (
    ("seed", 0, 2**64 - 1),
    ("threads", 0, MOST_THREADS),
    ("batch", 0, MOST),
    ("max_features", 1, MOST_FEATURES),
    ("max_record_bytes", 1, MOST),
    ("max_pairs", 1, MOST),
    ("sample", 0, MOST),
    ("limit", 1, MOST),
    ("max_lost", 0, 2**31 - 1),
)
"""The settings that are whole numbers, with the least and the greatest value."""

KEEP_ORDERS = ("first", "last", "longest", "shortest")
KEEP_FIELD_ORDERS = ("max", "min")
_FILE_ORDERS = {"path": "min:path", "shortest-name": "min:name_length"}
"""Orders by what is known of files; the rule of a field that each means."""


def keep_orders(value: object) -> tuple[str, ...]:
    """Check a keep order: a text with commas, or names one by one.

    Raises:
        ConfigError: It is empty, or one of them is no order.

    Example:
        >>> keep_orders("max:date, longest"), keep_orders(["shortest-name"])
        (('max:date', 'longest'), ('min:name_length',))
    """
    allowed = (
        "allowed are first, last, longest, shortest, max:FIELD and min:FIELD, or a list of them; for files also path"
        " and shortest-name"
    )
    if not isinstance(value, Iterable):
        raise ConfigError("keep {value} is not an order: {allowed}", value=shown(value), allowed=allowed)
    orders = tuple(value.split(",")) if isinstance(value, str) else tuple(value)
    if not orders:
        raise ConfigError("keep is empty: {allowed}", allowed=allowed)
    checked = []
    for order in orders:
        name = order.strip() if isinstance(order, str) else ""
        name = _FILE_ORDERS.get(name, name)
        head, _, of = name.partition(":")
        if name not in KEEP_ORDERS and not (head in KEEP_FIELD_ORDERS and of):
            raise ConfigError("keep {order} is not an order: {allowed}", order=shown(order), allowed=allowed)
        checked.append(name)
    return tuple(checked)


def keep_fields(orders: Iterable[str]) -> list[str]:
    """Name the fields that a checked keep order compares.

    Example:
        >>> keep_fields(("max:date", "longest"))
        ['date']
    """
    return [order.partition(":")[2] for order in orders if ":" in order]


def failed_limit(text: str) -> tuple[float, bool]:
    """Read how many records may fail: a number, and whether it is a percentage.

    Raises:
        ConfigError: It is neither.

    Example:
        >>> failed_limit("1%")
        (1.0, True)
    """
    percent = text.endswith("%")
    try:
        number = float(text[:-1]) if percent else int(text)
    except ValueError:
        number = -1
    if not (0 <= number <= 100 if percent else number >= 0):
        raise ConfigError(
            "{@max_failed} {text} is not allowed: give a number of records such as 10, or a percentage 0% to 100%",
            text=shown(text),
        )  # fmt: skip
    return number, percent


def failed_text(value: object) -> str:
    """Bring how many records may fail to a text, and check it.

    Raises:
        ConfigError: As for `failed_limit`.

    Example:
        >>> failed_text(3), failed_text(" 1% ")
        ('3', '1%')
    """
    text = shown(value) if is_integer(value) else str(value).strip()
    failed_limit(text)
    return text


def field_names(name: str, value: object, *, optional: bool = False) -> tuple[str, ...]:
    """Check one name of a field, or several.

    Args:
        name: The setting's name, for the message.
        value: A text, or several.
        optional: There may be none.

    Raises:
        ConfigError: There is none, or one is no text, or empty.

    Example:
        >>> field_names("text_field", "body"), field_names("text_field", ["title", "body"])
        (('body',), ('title', 'body'))
    """
    several = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for one in several or (() if optional else ("",)):
        if not isinstance(one, str) or not one:
            raise ConfigError("{name} {one} is not a name: give a text that is not empty", name=name, one=shown(one))
    return several


def same_of(value: object) -> tuple[str, ...]:
    """Check what must be the same in two near texts.

    Args:
        value: A text, or several.

    Raises:
        ConfigError: One is not known.

    Example:
        >>> same_of("numbers"), same_of([])
        (('numbers',), ())
    """
    several = field_names("same", value, optional=True)
    for one in several:
        if one not in SAME:
            raise ConfigError("same {one} is not known: allowed is {same}", one=shown(one), same=", ".join(SAME))
    return tuple(dict.fromkeys(several))


def suffixes_of(value: object) -> tuple[str, ...]:
    """Check the endings of the files of a folder that are documents.

    Args:
        value: A text, or several; a dot is added, and `*` before it is left out.

    Raises:
        ConfigError: One is empty, has a slash, or is that of a compressed file.

    Example:
        >>> suffixes_of(["PY", "*.d.ts"]), suffixes_of([])
        (('.py', '.d.ts'), ())
    """
    found = []
    for one in field_names("suffix", value, optional=True):
        name = one.strip().lstrip("*").lstrip(".").lower()
        if not name or "/" in name or name.endswith(("gz", "zst")):
            raise ConfigError(
                "suffix {one} is not allowed: give the end of a file's name such as .py; files are read as they are, "
                "so unpack those with .gz and .zst first",
                one=shown(one),
            )  # fmt: skip
        found.append("." + name)
    return tuple(dict.fromkeys(found))


def each_of(value: object) -> str | None:
    """Check what a document is.

    Raises:
        ConfigError: It is not known.

    Example:
        >>> each_of("file")
        'file'
    """
    if value is not None and value not in EACH:
        raise ConfigError("each {value} is not known: allowed are {each}", value=shown(value), each=" and ".join(EACH))
    return value


def check_text(name: str, value: object, *, optional: bool = False) -> None:
    """Check that a name is a text that is not empty, or None where it is optional.

    Raises:
        ConfigError: It is no text, or empty.

    Example:
        >>> check_text("id_field", 7)
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: id_field 7 is not a name: give a text that is not empty
    """
    if (not isinstance(value, str) or not value) and not (optional and value is None):
        raise ConfigError("{name} {value!r} is not a name: give a text that is not empty", name=name, value=value)


def delimiter_of(value: object) -> str | None:
    r"""Read the sign between the fields of a table; None where it is to be found.

    Raises:
        ConfigError: It is no such sign.

    Example:
        >>> delimiter_of("tab"), delimiter_of(";")
        ('\t', ';')
    """
    sign = "\t" if value in ("tab", "\\t") else value
    if sign is None:
        return None
    if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0':
        raise ConfigError(
            "delimiter {value} is not allowed: give one ASCII sign that is no letter, digit, quote or line break, "
            "such as ';', or tab",
            value=shown(value),
        )  # fmt: skip
    return sign


_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def memory_size(value: object) -> str | None:
    """Check an amount of memory: a number of bytes, or one with a unit.

    Raises:
        ConfigError: It is neither, or less than a byte.

    Example:
        >>> memory_size("8 GiB"), memory_size(1000)
        ('8GiB', '1000')
    """
    if value is None:
        return None
    text = "" if isinstance(value, bool) else str(value).replace(" ", "")
    if memory_bytes(text) < 1:
        raise ConfigError(
            "memory {value} is not allowed: give a size such as 8GiB, 512MiB or 2GB, or a number of bytes",
            value=shown(value),
        )  # fmt: skip
    return text


def memory_bytes(text: str) -> int:
    """Read a checked amount of memory; 0 where it is none.

    Example:
        >>> memory_bytes("1.5KiB"), memory_bytes("2GB"), memory_bytes("much")
        (1536, 2000000000, 0)
    """
    found = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)(?:([KMGT]?)(i?)B)?", text)
    if not found or (found[3] and not found[2]):
        return 0
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _UNITS[found[2] or ""])


def shard_size_of(value: object) -> str | None:
    """Check the size of numbered parts: a number of records, or an amount of bytes with its unit.

    Raises:
        ConfigError: It is neither, or 0.

    Example:
        >>> shard_size_of(1000), shard_size_of("256 MiB")
        ('1000', '256MiB')
    """
    if value is None:
        return None
    text = "" if isinstance(value, bool) else re.sub(r"(?<=\d)[ ,_](?=[\dKMGTB])", "", str(value).strip())
    if shard_limit(text)[0] < 1:
        raise ConfigError(
            "{@shard_size} {value} is not allowed: give a number of records such as 1000000, or a size such as 256MiB",
            value=shown(value),
        )  # fmt: skip
    return text


def shard_limit(text: str) -> tuple[int, bool]:
    """Read how much a part may have, and whether that is bytes; 0 where it is no size.

    Example:
        >>> shard_limit("1000"), shard_limit("2KB")
        ((1000, False), (2000, True))
    """
    return (int(text), False) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else (memory_bytes(text), True)


def check_flag(name: str, value: object) -> None:
    """Check that a value is true or false.

    Raises:
        ConfigError: It is neither.

    Example:
        >>> check_flag("allow_empty", True)
    """
    if not isinstance(value, bool):
        raise ConfigError("{name} {value} is not allowed: give True or False", name=name, value=shown(value))


def path_name(setting: str, value: object) -> str | None:
    """Check a name of a file, a folder or a run: a path object becomes its text.

    Raises:
        ConfigError: It is no text, or empty.

    Example:
        >>> path_name("run_dir", "corpus.rundir")
        'corpus.rundir'
    """
    name = os.fsdecode(value) if isinstance(value, os.PathLike) else value
    check_text(setting, name, optional=True)
    return None if name is None else str(name)


CHECKED: Mapping[str, Callable[[object], object]] = {
    "delimiter": delimiter_of, "encoding": encoding_of, "keep": keep_orders,
    "max_failed": failed_text, "memory": memory_size,
    "shard_size": shard_size_of,
    "run_dir": partial(path_name, "run_dir"), "since_run": partial(path_name, "since_run"), "verdicts": check_verdicts,
    "block_by": partial(field_names, "block_by", optional=True),
    "differ": partial(field_names, "differ", optional=True), "same": same_of, "suffix": suffixes_of, "each": each_of,
}  # fmt: skip
"""Settings with the functions that check their values and bring them to their plain type."""


def with_bits(bits: int | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Put the scheme that a width means among settings.

    Args:
        bits: Width of the default scheme's fingerprints, 64, 128 or 256; None leaves the settings as they are.
        settings: Settings by name, in which a scheme is only where it is given.

    Raises:
        ConfigError: Another width, or there is a scheme too.

    Example:
        >>> with_bits(64, {"recall": 0.9})
        {'recall': 0.9, 'scheme': 'chars64'}
    """
    if bits is None:
        return dict(settings)
    if "scheme" in settings:
        raise ConfigError(
            "bits {bits} and scheme {settings!r} are both given: give one of them",
            bits=bits, settings=settings["scheme"],
        )  # fmt: skip
    if bits not in (64, 128, 256):
        raise ConfigError("bits {bits} is not allowed: allowed are 64, 128 and 256", bits=bits)
    return {**settings, "scheme": f"chars{bits}"}
