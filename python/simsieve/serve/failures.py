"""What a request is answered that failed: one shape for every error, in the language of who asks."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from simsieve.errors import ServiceError, SimsieveError
from simsieve.messages import Message, shown, speaking, tr

STATUS = {
    "bad_request": 400, "unauthorized": 401, "forbidden": 403, "read_only": 403, "not_found": 404, "method": 405,
    "body_timeout": 408, "conflict": 409, "digest": 409, "too_large": 413, "media_type": 415, "config": 422,
    "unusable_text": 422, "too_many_pairs": 422, "internal": 500, "source": 500, "busy": 503, "sink": 503,
    "storage": 503, "timeout": 504,
}  # fmt: skip
"""The status of each code; any other code is one of a text."""
_OF_TEXTS = 422
_CODES = {
    "index.no_such_batch": "not_found",
    "index.batch_exists": "conflict",
    "index.batch_undone": "conflict",
    "review.stale": "conflict",
}
"""The codes of errors of an index and a review, by their ids; those of the service have their codes."""

HINTS = {
    400: "Correct the body; /docs shows each request.",
    401: "Send the header `Authorization: Bearer KEY`.",
    403: "Take a key whose role allows it, an address that the service was told, and a service that writes.",
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

_SHAPES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`"),
     "is of type {given}: give {wanted}", "is of type {given}: give {shape}"),
    (re.compile(r"Object missing required field `(?P<name>[^`]+)`"),
     "has no field {name}: give it", "has no field {name}: give {shape}"),
    (re.compile(r"Object contains unknown field `(?P<name>[^`]*)`"),
     "has an unknown field {name}: leave it out", "has an unknown field {name}: give {shape}"),
    (re.compile(r"Expected `\w+` (?P<bound>[<>]=? -?\d+)"), "is out of range: give {bound}", ""),
    (re.compile(r"Expected `\w+` of length (?P<bound>[<>]=? \d+)"), "has another length: give {bound}", ""),
    (re.compile(r"Invalid enum value (?P<value>.+)"), "is {value}, which is not allowed: /docs lists the values", ""),
    (re.compile(r"JSON is malformed: .*\(byte (?P<at>\d+)\)"), "is no JSON at byte {at}: check how it was written", ""),
    (re.compile(r"Input data was truncated"), "is JSON without its end: send it whole", ""),
)  # fmt: skip
"""The texts of the decoder with those of the answer; the second text is for a body of another shape."""
_OTHER = "is not what is expected: /docs shows it"
_PLACE = re.compile(r" - at `(?:key in )?\$?\.?(?P<place>[^`]*)`$")
_KINDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
"""The types of Python by their names in JSON."""


def refused_body(
    error: Exception, shape: Mapping[str, Any], body: bytes, line: str | None = None, position: str = ""
) -> ServiceError:
    """The error of a body, or of a line of one, that is not what was asked for."""
    # `shape` has the fields that are needed. `line` names a line, whose place in the answer is `position`.
    text = str(error)
    found = _PLACE.search(text)
    place = "" if found is None else found["place"]
    what: str = place or Message("body")
    if line is not None:
        what = Message("{line}: {place}", line=line, place=place) if place else line
    if isinstance(error, RecursionError):
        why: str = Message("is nested too deep: make it flatter")
    elif isinstance(error, UnicodeDecodeError):
        why = Message("is no UTF-8: send UTF-8")
    else:
        rows = ((pattern.search(text), plain, whole) for pattern, plain, whole in _SHAPES)
        match, plain, whole = next((row for row in rows if row[0]), (None, _OTHER, ""))
        values: dict[str, str] = {} if match is None else match.groupdict()
        values |= {name: re.sub(r"\w+", lambda of: _KINDS.get(of[0], of[0]), values[name]).replace(" |", " or")
                   for name in ("wanted", "given") if name in values}  # fmt: skip
        is_other = bool(whole) and ((not place and _lacks(body, shape)) or values.get("wanted") in {"object", "array"})
        if is_other:
            values["shape"] = json.dumps(shape, ensure_ascii=False)
        why = Message(whole if is_other else plain, **values)
    field = ".".join(part for part in (position, place) if part)
    return ServiceError(Message("{what} {why}", what=what, why=why), code="bad_request", field=field)


def _lacks(body: bytes, shape: Mapping[str, Any]) -> bool:
    """Whether a body of JSON has not all fields that are needed."""
    try:
        given = msgspec.json.decode(body)
    except DECODE_ERRORS:
        return False
    return not isinstance(given, dict) or not shape.keys() <= given.keys()


def _code_of(error: SimsieveError) -> str:
    return _CODES.get(error.id, error.code)


def status_of(error: SimsieveError) -> int:
    """The status of an error."""
    return STATUS.get(_code_of(error), _OF_TEXTS)


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
        "code": _code_of(error), "message": message, "values": error.as_json()["values"],
        "field": getattr(error, "field", ""), "hint": hint, "id": error.id,
    }  # fmt: skip
    return {"error": hidden(told, folders)}


def hidden(value: Any, folders: Mapping[str, str]) -> Any:
    """A value of JSON in which no folder of the machine is seen."""
    if isinstance(value, str):
        for folder, name in folders.items():
            value = value.replace(folder, name)
        # A name of a file may be no UTF-8.
        return value.encode(errors="backslashreplace").decode()
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
    yield from (template for _, *pair in _SHAPES for template in pair if template)
