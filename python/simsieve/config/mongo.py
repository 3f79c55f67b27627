"""Checks of the settings that are for collections of MongoDB."""

from collections.abc import Iterable

from simsieve.checks import shown
from simsieve.errors import ConfigError

WRITTEN = ("@text", "@original", "@fingerprint", "@copies")
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
