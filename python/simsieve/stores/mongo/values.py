"""Documents of MongoDB as the bytes in which a server sends them, and the values in them.

Most documents of a run are sent on as they came: nothing of them is decoded.
"""

from collections.abc import Mapping
from typing import Any

import bson
from bson import codec_options, json_util, raw_bson


def value_options() -> Any:
    """The codec options under which every value can be sent back as it was: times beyond Python's, any UUID."""
    return codec_options.CodecOptions(
        document_class=dict, tz_aware=True, datetime_conversion=codec_options.DatetimeConversion.DATETIME_MS
    )


def raw_document(document: bytes) -> Any:
    """Give a document that decodes a field when it is asked for, and is sent as it is."""
    return raw_bson.RawBSONDocument(document)


def one_of(field: str, array: bytes) -> Any:
    """Give the query for documents whose field has one of the values of an array of BSON; none is decoded."""
    values = _inner(b"\x04$in\0" + array)
    return raw_document(_inner(b"\x03" + field.encode() + b"\0" + values))


def _inner(elements: bytes) -> bytes:
    """A document of BSON that has these elements."""
    return (len(elements) + 5).to_bytes(4, "little") + elements + b"\0"


def with_elements(document: bytes, elements: bytes) -> bytes:
    """Add elements to a document; nothing is decoded."""
    return b"".join(((len(document) + len(elements)).to_bytes(4, "little"), document[4:-1], elements, b"\0"))


def elements_of(document: Mapping[str, Any]) -> bytes:
    """Encode a document, and give its elements alone."""
    return bson_document(document)[4:-1]


def may_have(document: bytes, field: str) -> bool:
    """Say, without decoding a document, whether it may have a field; its values may hold the same bytes."""
    return field.encode() + b"\0" in document


def bson_document(value: Any) -> bytes:
    """Encode a document."""
    encoded: bytes = bson.encode(value)
    return encoded


def values_of_document(document: bytes) -> dict[str, Any]:
    """Decode a document; every value can be sent back as it was."""
    found: dict[str, Any] = bson.decode(document, value_options())
    return found


def values_of(array: bytes) -> list[Any]:
    """Give the values of an array of BSON, each of the type that it has there."""
    return list(bson.decode(array, value_options()).values())


def extended(value: Any) -> str:
    """Write a value as canonical extended JSON."""
    written: str = json_util.dumps(value, json_options=json_util.CANONICAL_JSON_OPTIONS, ensure_ascii=False)
    return written
