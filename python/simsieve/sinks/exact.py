"""JSON whose numbers stay as they are written."""

import json
from typing import Any

from simsieve.json_values import Raw, row_of, utf8_of


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
