"""Values of Python as JSON, whatever they are, so that simsieve and others read them again; and JSON that is very deep.

NaN and infinite numbers are null. Dates and times are texts in ISO 8601. Bytes are the text that they hold in UTF-8,
else base64. Anything else that JSON lacks is its text.
"""

import base64
import datetime as dt
import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import accumulate
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)
_DEEP = 200
"""Levels of lists and objects that Python goes through without trouble."""
_MISSING = frozenset(("NAType", "NaTType"))
"""The types of the missing values of pandas."""


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, or what pandas has for it."""
    return value is None or type(value).__name__ in _MISSING or (isinstance(value, float) and math.isnan(value))


def json_of(value: Any, **options: Any) -> str:
    """Write a value as JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain, **options)
    except (TypeError, ValueError):
        # Values that `json` takes for its own, and keys that are no texts.
        return json.dumps(_finite(value, ()), ensure_ascii=False, allow_nan=False, default=_plain, **options)


def _finite(value: Any, above: tuple[int, ...]) -> Any:
    """A value without numbers that JSON lacks, and with texts as keys."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, (Mapping, list, tuple)):
        plain = value if value is None or isinstance(value, (str, int)) else _plain(value)
        return None if isinstance(plain, float) and not math.isfinite(plain) else plain
    if id(value) in above:
        raise ValueError("it contains itself")
    inner = (*above, id(value))
    if isinstance(value, Mapping):
        return {_key(key): _finite(one, inner) for key, one in value.items()}
    return [_finite(one, inner) for one in value]


def _key(key: Any) -> str:
    made = key if isinstance(key, str) else _plain(key) if not isinstance(key, (bool, int, float)) else json.dumps(key)
    return made if isinstance(made, str) else str(key)


def _plain(value: Any) -> Any:
    """What JSON has for a value of a type that it lacks."""
    kind = type(value)
    if kind.__name__ in _MISSING or (isinstance(value, Decimal) and not value.is_finite()):
        return None
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"PT{value.total_seconds():.9f}".rstrip("0").rstrip(".") + "S"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes_text(bytes(value))
    if isinstance(value, Mapping):
        return dict(value)
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist") and kind.__name__ != "datetime64":
        made = value.tolist()
        return None if isinstance(made, float) and not math.isfinite(made) else made
    return str(value)


def bytes_text(value: bytes) -> str:
    """Write bytes as the text that they hold in UTF-8, else in base64."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


class Raw(str):
    """A list or an object as it is written in JSON."""

    __slots__ = ()


def row_of(line: bytes, **options: Any) -> dict[str, Any]:
    """Read an object; where it is too deep for Python, its lists and objects stay as they are written."""
    if line.count(b"[") + line.count(b"{") > _DEEP:
        parts = _TOKEN.findall(line.decode(errors="replace"))
        steps = [(part in ("[", "{")) - (part in ("]", "}")) for part in parts]
        if max(accumulate(steps), default=0) > _DEEP:
            fields = _as_written(parts, steps)
            return {name: Raw(raw) if raw[0] in "[{" else json.loads(raw, **options) for name, raw in fields.items()}
    row: dict[str, Any] = json.loads(line, **options)
    return row


def record_of(line: bytes | None) -> dict[str, Any]:
    """Read a record to look at its fields; empty where it is no object."""
    try:
        # A number of thousands of digits is none of Python's.
        record = json.loads(line or b"", parse_int=str)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _as_written(parts: list[str], steps: list[int]) -> dict[str, str]:
    """The fields of an object of JSON as they are written, without white space."""
    found: dict[str, str] = {}
    key, depth, value = "", 0, list[str]()
    for part, step in zip(parts, steps, strict=True):
        depth += step
        if depth == 1 and part == ":":
            key, value = json.loads("".join(value)), []
        elif (depth == 1 and part == ",") or depth == 0:
            found[key] = "".join(value)
            value = []
        elif depth > 1 or part != "{":
            value.append(part)
    return found


def value_at(record: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """Give the value of a field: by its whole name, else its dots reach into objects."""
    if name in record:
        return record[name]
    found: Any = record
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return default
        found = found[part]
    return found


def utf8_of(text: str) -> bytes:
    """Give JSON as UTF-8; a lone surrogate, which has none, stays visible as its escape."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode()


class _Digits(str):
    """A number as it is written in JSON."""

    __slots__ = ()


def exact_values(line: bytes) -> Any:
    """Read JSON whose numbers `exact_line` writes as they were."""
    return row_of(line, parse_int=_Digits, parse_float=_Digits)


def exact_line(value: Any) -> bytes:
    """Write a value of `exact_values`, or one that JSON has, as a line without a line end."""
    return utf8_of(exact_text(value))


def exact_text(value: Any) -> str:
    """Write a value as JSON, with numbers as they were written."""
    if isinstance(value, _Digits | Raw):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(exact_text, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{exact_text(name)}:{exact_text(one)}' for name, one in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)
