"""Checks of the values of settings: each takes the setting's name and the value, and returns its plain form.

A setting whose default is None may be left out; then its value is not checked.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from simsieve.checks import check_integer, check_real, check_similarity, is_integer, shown
from simsieve.errors import ConfigError
from simsieve.messages import Setting
from simsieve.optional import rapidfuzz
from simsieve.schemes.model import Model

Check = Callable[[str, Any], Any]

CONFLICTS = ("numbers", "codes", "opposites", "text")
"""Kinds of conflict that may keep two near texts apart."""
SAME = ("numbers", "negation")
"""What may have to be the same in two near texts."""
EACH = ("file", "line")
"""What a document may be where sources are texts."""
LENGTH = "@length"
"""What `drops_by` takes besides fields: the bytes of a record."""
KEEP_ORDERS = ("first", "last", "longest", "shortest")
KEEP_FIELD_ORDERS = ("max", "min")
KEEP_WORDS = (*KEEP_ORDERS, *(f"{order}:" for order in KEEP_FIELD_ORDERS))
_FILE_ORDERS = {"path": "min:path", "shortest-name": "min:name_length"}
"""Orders by facts of files; the rule of a field that each means."""
TIMES = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
"""The units of times in milliseconds."""
_MOST_MILLIS = 36_525 * TIMES["d"]
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def whole(low: int, high: int) -> Check:
    """Make the check of a whole number in low..high."""
    return lambda name, value: check_integer(name, value, low, high)


def real(interval: str, inside: Callable[[float], bool]) -> Check:
    """Make the check of a number in an interval, which is written for messages."""
    return lambda name, value: check_real(name, value, interval, inside)


def one_of(words: Iterable[str]) -> Check:
    """Make the check of a word that is one of these."""
    known = tuple(words)

    def check(name: str, value: object) -> object:
        if value not in known:
            raise ConfigError(
                "{name} {value} is not known: allowed are {known}",
                name=Setting(name), value=shown(value), known=", ".join(known),
            )  # fmt: skip
        return value

    return check


def each(_: str, value: object) -> object:
    """Check what a document is."""
    if value not in EACH:
        raise ConfigError("each {value} is not known: allowed are {each}", value=shown(value), each=" and ".join(EACH))
    return value


def same(_: str, value: object) -> tuple[str, ...]:
    """Check what must be the same in two near texts."""
    several = names("same", value)
    for one in several:
        if one not in SAME:
            raise ConfigError("same {one} is not known: allowed is {same}", one=shown(one), same=", ".join(SAME))
    return tuple(dict.fromkeys(several))


def conflict(_: str, value: object) -> tuple[str, ...]:
    """Check the kinds of conflict: a text with commas, or a list."""
    several = names("conflict", value.replace(" ", "").split(",") if isinstance(value, str) and value else value or ())
    for one in several:
        if one not in CONFLICTS and several != ("none",):
            raise ConfigError(
                "conflict {one} is not known: allowed are {conflicts}, several with commas between them; or none alone",
                one=shown(one), conflicts=", ".join(CONFLICTS),
            )  # fmt: skip
    return tuple(one for one in CONFLICTS if one in several)


def near(name: str, value: object) -> tuple[str, ...]:
    """Check rules on fields: each a field and how near its values must be."""
    several = names(name, value)
    for one in several:
        if not re.fullmatch(r".+:(range|names|\d+(\.\d+)?%?|\d+(d|h|min|s))", one):
            raise ConfigError(
                "near {one} is not allowed: give FIELD:BOUND; BOUND is a number such as 1, a percentage such as 5%, a"
                " time such as 3d, range, or names",
                one=shown(one),
            )
    return several


def sure(_: str, value: object) -> str:
    """Check how many fields must agree, and the similarity that takes their place."""
    if not isinstance(value, str) or not re.fullmatch(r"[1-9]\d?:(0?\.\d+|1(\.0*)?)", value):
        raise ConfigError(
            "sure {value} is not allowed: give a number of fields and a similarity, such as 4:0.95", value=shown(value)
        )
    return value


def window(_: str, value: object) -> str:
    """Check a window of time, and write it in the largest unit that divides it."""
    if isinstance(value, timedelta):
        millis = value // timedelta(milliseconds=1)
    else:
        found = re.fullmatch(r"(\d{1,9}) ?([a-z]+)", value.strip()) if isinstance(value, str) else None
        millis = int(found[1]) * TIMES.get(found[2], 0) if found else 0
    if not 0 < millis <= _MOST_MILLIS:
        raise ConfigError(
            "window {value} is not allowed: give a time of at most 100 years with its unit {units}, such as 7d",
            value=shown(value), units=", ".join(TIMES),
        )  # fmt: skip
    unit = next(unit for unit, length in reversed(TIMES.items()) if millis % length == 0)
    return f"{millis // TIMES[unit]}{unit}"


def similarity(_: str, value: object) -> float:
    """Check a threshold of similarity."""
    return check_similarity(value)


def text(name: str, value: object) -> str:
    """Check a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ConfigError(
            "{name} {value!r} is not a name: give a text that is not empty", name=Setting(name), value=value
        )
    return value


def path(name: str, value: object) -> str:
    """Check the name of a file, a folder or a run; a path object becomes its text."""
    return text(name, os.fsdecode(value) if isinstance(value, os.PathLike) else value)


def model(name: str, value: object) -> object:
    """Check a model, or the name of its file, or a word in place of it."""
    return value if isinstance(value, Model) else path(name, value)


def flag(name: str, value: object) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool):
        raise ConfigError("{name} {value} is not allowed: give True or False", name=Setting(name), value=shown(value))
    return value


def with_edit(name: str, value: object) -> bool:
    """Check that edits can be counted where they are wanted."""
    wanted = flag(name, value)
    if wanted:
        rapidfuzz()
    return wanted


def names(name: str, value: object) -> tuple[str, ...]:
    """Check the name of a field, several, or none."""
    several = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for one in several:
        if not isinstance(one, str) or not one:
            raise ConfigError(
                "{name} {one} is not a name: give a text that is not empty", name=Setting(name), one=shown(one)
            )
    return several


def some_names(name: str, value: object) -> tuple[str, ...]:
    """Check the name of a field, or several."""
    return names(name, value) or names(name, "")


def keep_orders(_: str, value: object) -> tuple[str, ...]:
    """Check a keep order: a text with commas, or orders one by one."""
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
        word = order.strip() if isinstance(order, str) else ""
        word = _FILE_ORDERS.get(word, word)
        head, _, of = word.partition(":")
        if word not in KEEP_ORDERS and not (head in KEEP_FIELD_ORDERS and of):
            raise ConfigError("keep {order} is not an order: {allowed}", order=shown(order), allowed=allowed)
        checked.append(word)
    return tuple(checked)


def keep_fields(orders: Iterable[str]) -> list[str]:
    """Name the fields that a checked keep order compares."""
    return [order.partition(":")[2] for order in orders if ":" in order]


def failed_text(_: str, value: object) -> str:
    """Bring how many records may fail to a text, and check it."""
    text = shown(value) if is_integer(value) else str(value).strip()
    failed_limit(text)
    return text


def failed_limit(text: str) -> tuple[float, bool]:
    """Read how many records may fail: a number, and whether it is a percentage."""
    percent = text.endswith("%")
    try:
        number = float(text[:-1]) if percent else int(text)
    except ValueError:
        number = -1
    if not (0 <= number <= 100 if percent else number >= 0):
        raise ConfigError(
            "{@max_failed} {text} is not allowed: give a number of records such as 10, or a percentage 0% to 100%",
            text=shown(text),
        )
    return number, percent


def share_text(name: str, value: object) -> str:
    """Check a percentage, which is a text such as 60%."""
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1
    if not text.endswith("%") or not 0 <= number <= 100:
        raise ConfigError(
            "{name} {value} is not allowed: give a percentage 0% to 100%, such as 60%",
            name=Setting(name), value=shown(value),
        )  # fmt: skip
    return text


def suffixes(_: str, value: object) -> tuple[str, ...]:
    """Check endings of files, which get a dot; `*` before it is left out. Those of compressed files are refused."""
    found = []
    for one in names("suffix", value):
        ending = one.strip().lstrip("*").lstrip(".").lower()
        if not ending or "/" in ending or ending.endswith(("gz", "zst")):
            raise ConfigError(
                "suffix {one} is not allowed: give the end of a file's name such as .py; files are read as they are, "
                "so unpack those with .gz and .zst first",
                one=shown(one),
            )
        found.append("." + ending)
    return tuple(dict.fromkeys(found))


def delimiter(_: str, value: object) -> str:
    """Check the sign between the fields of a table; `tab` is a tab."""
    sign = "\t" if value in ("tab", "\\t") else value
    if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0':
        raise ConfigError(
            "delimiter {value} is not allowed: give one ASCII sign that is no letter, digit, quote or line break, "
            "such as ';', or tab",
            value=shown(value),
        )
    return sign


def memory_size(_: str, value: object) -> str:
    """Check an amount of memory: a number of bytes, or one with a unit."""
    text = "" if isinstance(value, bool) else str(value).replace(" ", "")
    if memory_bytes(text) < 1:
        raise ConfigError(
            "memory {value} is not allowed: give a size such as 8GiB, 512MiB or 2GB, or a number of bytes",
            value=shown(value),
        )
    return text


def memory_bytes(text: str) -> int:
    """Read a checked amount of memory, such as 1.5KiB; 0 where it is none."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)(?:([KMGT]?)(i?)B)?", text)
    if not found or (found[3] and not found[2]):
        return 0
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _UNITS[found[2] or ""])


def shard_size(_: str, value: object) -> str:
    """Check the size of numbered parts: a number of records, or an amount of bytes with its unit."""
    text = "" if isinstance(value, bool) else re.sub(r"(?<=\d)[ ,_](?=[\dKMGTB])", "", str(value).strip())
    if shard_limit(text)[0] < 1:
        raise ConfigError(
            "{@shard_size} {value} is not allowed: give a number of records such as 1000000, or a size such as 256MiB",
            value=shown(value),
        )
    return text


def shard_limit(text: str) -> tuple[int, bool]:
    """Parse a shard size: amount, and whether it is bytes; 0 if invalid."""
    return (int(text), False) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else (memory_bytes(text), True)


def with_bits(bits: int | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Put the scheme of a width among settings, which have a scheme only where it is given; None leaves them."""
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


WRITTEN = ("@text", "@original", "@fingerprint", "@hex", "@bits", "@copies")
"""What `fields` takes besides fields of the documents."""
RUN_FIELD = "simsieve"
"""The field of a written document that has its run, scheme and fingerprint."""


def renamed_fields(_: str, value: object) -> tuple[str, ...]:
    """Check fields that are written: a text with commas, or names one by one, each with a new name or without."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, Iterable):
        raise ConfigError(
            "fields {value} is no list of fields: give names, such as title,@text:content", value=shown(value)
        )
    fields = tuple(one.strip() if isinstance(one, str) else str(one) for one in given)
    names = []
    for one in fields:
        field, _, name = one.partition(":")
        name = name or field.lstrip("@")
        is_known = field in WRITTEN if field.startswith("@") else bool(field)
        if not is_known or not name or name[0] in "$@" or "." in name:
            raise ConfigError(
                "fields {one} is not allowed: give FIELD or FIELD:NAME, NAME without dots; besides fields of the "
                "documents there are {written}",
                one=shown(one), written=", ".join(WRITTEN),
            )  # fmt: skip
        names.append(name)
    if not fields or len({*names, RUN_FIELD}) < len(names) + 1:
        raise ConfigError(
            "fields {value} has no name, one twice, or {run_field}, where the run is named",
            value=shown(value), run_field=RUN_FIELD,
        )  # fmt: skip
    return fields


def mark(_: str, name: object) -> object:
    """Check the field for marks."""
    if not isinstance(name, str) or not name or "." in name or name.startswith("$"):
        raise ConfigError(
            "mark {name} is not allowed: give the name of a field, without dots and dollars", name=shown(name)
        )
    return name
