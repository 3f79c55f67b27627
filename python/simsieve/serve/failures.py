"""What a request is answered that failed: one shape for every error, in the language of who asks."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from simsieve.errors import ServiceError, SimsieveError
from simsieve.messages import Message, shown, speaking, tr

STATUS = {
    "bad_request": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "method": 405, "body_timeout": 408,
    "conflict": 409, "digest": 409, "too_large": 413, "media_type": 415, "config": 422, "unusable_text": 422,
    "too_many_pairs": 422, "internal": 500, "source": 500, "busy": 503, "sink": 503, "storage": 503, "timeout": 504,
}  # fmt: skip
"""The status of each code; any other code is one of a text."""
_OF_TEXTS = 422

HINTS = {
    400: "Correct the body; /docs shows each request.",
    401: "Send the header `Authorization: Bearer KEY`.",
    403: "Take a key whose role allows it, and an address that the service was told.",
    404: "Check the address; GET /v1/indexes lists the indexes.",
    405: "Take the method that /docs shows for this address.",
    408: "Send the whole request at once.",
    409: "Take another name, or send again exactly what was sent before.",
    413: "Send less in one request.",
    415: "Send JSON, not compressed, with `Content-Type: application/json`.",
    422: "Change the value that the message names.",
    500: "Report it with the request id; the log of the service has more.",
    503: "Wait as many seconds as Retry-After says, and send it again.",
    504: "Send it again with the same ids or batch: nothing is added twice.",
}
"""What to do next, by status."""

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`"), "is of type {given}: give {wanted}"),
    (re.compile(r"Object missing required field `(?P<name>[^`]+)`"), "has no field {name}: give it"),
    (re.compile(r"Object contains unknown field `(?P<name>[^`]*)`"), "has an unknown field {name}: leave it out"),
    (re.compile(r"Expected `\w+` (?P<bound>[<>]=? -?\d+)"), "is out of range: give {bound}"),
    (re.compile(r"Expected `\w+` of length (?P<bound>[<>]=? \d+)"), "has another length: give {bound}"),
    (re.compile(r"Invalid enum value (?P<value>.+)"), "is {value}, which is not allowed: /docs lists the values"),
    (re.compile(r"JSON is malformed: .*\(byte (?P<at>\d+)\)"), "is no JSON at byte {at}: check how it was written"),
    (re.compile(r"Input data was truncated"), "is JSON without its end: send it whole"),
)  # fmt: skip
"""What the decoder says, and what is said of it."""
_OTHER = "is not what is expected: /docs shows it"
_PLACE = re.compile(r" - at `(?:key in )?\$?\.?(?P<place>[^`]*)`$")


def refused_body(error: Exception, line: int | None = None) -> ServiceError:
    """The error of a body that is not what was asked for; `line` is of a body of lines."""
    text = str(error)
    place = _PLACE.search(text)
    field = "" if place is None else place["place"]
    if line is not None:
        field = f"{line}.{field}".rstrip(".")
    what = field or Message("body")
    if isinstance(error, RecursionError):
        why: str = Message("is nested too deep: make it flatter")
    elif isinstance(error, UnicodeDecodeError):
        why = Message("is no UTF-8: send UTF-8")
    else:
        found = ((pattern.search(text), template) for pattern, template in _SHAPES)
        match, template = next((pair for pair in found if pair[0]), (None, _OTHER))
        why = Message(template, **(match.groupdict() if match else {}))
    return ServiceError(Message("{what} {why}", what=what, why=why), code="bad_request", field=field)


def status_of(error: SimsieveError) -> int:
    """The status of an error."""
    return STATUS.get(error.code, _OF_TEXTS)


def error_of(error: BaseException, request: str) -> SimsieveError:
    """An error that callers may see: of a fault only the request's id."""
    if isinstance(error, SimsieveError):
        return error
    if isinstance(error, MemoryError):
        return ServiceError(Message("the memory of the service is used up"), code="busy")
    return ServiceError(Message("a fault of simsieve itself, in request {id}", id=request), code="internal")


def answer_of(error: SimsieveError, accepted: str, folders: Mapping[str, str]) -> dict[str, Any]:
    """The body of an answer; the folders of indexes are shown by their names."""
    with speaking(chosen_language(accepted)):
        message = shown(error.message, lambda name: name.strip("@`"))
        hint = tr(HINTS[status_of(error)])
    told = {
        "code": error.code, "message": message, "values": error.as_json()["values"],
        "field": getattr(error, "field", ""), "hint": hint,
    }  # fmt: skip
    return {"error": hidden(told, folders)}


def hidden(value: Any, folders: Mapping[str, str]) -> Any:
    """A value of JSON in which no folder of the machine is seen."""
    if isinstance(value, str):
        for folder, name in folders.items():
            value = value.replace(folder, name)
        return value
    if isinstance(value, dict):
        return {key: hidden(one, folders) for key, one in value.items()}
    return [hidden(one, folders) for one in value] if isinstance(value, list) else value


def chosen_language(accepted: str) -> str:
    """`zh` or `en`, by a header Accept-Language."""
    best, weight = "en", 0.0
    for part in accepted.split(",")[:16]:
        name, _, given = part.partition(";")
        language = name.strip().lower()[:2]
        if language not in {"zh", "en"}:
            continue
        try:
            quality = float(given.strip().removeprefix("q=") or 1)
        except ValueError:
            quality = 0.0
        if quality > weight:
            best, weight = language, quality
    return best


DECODE_ERRORS: tuple[type[Exception], ...] = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading a body raises."""


def templates() -> Iterable[str]:
    """The texts of the tables, for the catalogue."""
    yield from (*HINTS.values(), _OTHER)
    yield from (template for _, template in _SHAPES)
