"""The fields of a reference."""

from collections.abc import Mapping

from simsieve.sinks.base import Kind

FIELDS: Mapping[str, Kind] = dict.fromkeys(
    ("id", "type", "title", "author", "year", "journal", "volume", "number", "pages", "doi", "abstract"), "text"
)
