"""Checks of the settings that are for collections of MongoDB."""

from collections.abc import Iterable

from simsieve.checks import shown
from simsieve.config.checks import check_flag, check_text
from simsieve.errors import ConfigError

WRITTEN = ("@text", "@original", "@fingerprint")
"""What `fields` takes besides fields of the documents."""
RUN_FIELD = "simsieve"
"""The field of a written document that has its run, scheme and fingerprint."""


def check_mongo(
    query: object, fields: object, mark: object, *, append: bool, replace: bool, apply: bool, read: Iterable[str]
) -> tuple[str, ...] | None:
    """Check the settings of these names.

    Args:
        query: As the setting, and so are those that follow.
        fields: See `renamed_fields`.
        mark: See `check_mark`.
        append: Not together with `replace`.
        replace: Not together with `append`.
        apply: Only with `mark`.
        read: The fields that a run reads.

    Returns:
        The fields.

    Raises:
        ConfigError: One is not allowed.

    Example:
        >>> check_mongo(None, "title", None, append=True, replace=False, apply=False, read=["text"])
        ('title',)
    """
    for name, flag in (("append", append), ("replace", replace), ("apply", apply)):
        check_flag(name, flag)
    if query is not None:
        check_text("query", query)
    if append and replace:
        raise ConfigError("append and replace are both given: give one of them")
    if mark is not None:
        check_mark(mark, read)
    elif apply:
        raise ConfigError("the setting `apply` writes marks, and no field for them is given: give the setting `mark`")
    return None if fields is None else renamed_fields(fields)


def check_since_field(name: object, limit: int | None) -> None:
    """Check the field that shows which documents came in after a run.

    Args:
        name: The field; None names none.
        limit: How many documents are read at most; None reads all.

    Raises:
        ConfigError: It is no name, or only some documents are read.

    Example:
        >>> check_since_field("created", None)
    """
    check_text("since_field", name, optional=True)
    if name is not None and limit is not None:
        raise ConfigError(
            f"since_field {shown(name)} and limit {limit} are both given: documents beyond the limit would never count"
            " as new ones; leave one of them out"
        )


def renamed_fields(value: object) -> tuple[str, ...]:
    """Check fields that are written: a text with commas, or names one by one, each with a new name or without.

    Raises:
        ConfigError: There is none, a name is empty or no field's, or two have one name.

    Example:
        >>> renamed_fields("title, @text:content")
        ('title', '@text:content')
    """
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, Iterable):
        raise ConfigError(f"fields {shown(value)} is no list of fields: give names, such as title,@text:content")
    fields = tuple(one.strip() if isinstance(one, str) else str(one) for one in given)
    names = []
    for one in fields:
        field, _, name = one.partition(":")
        name = name or field.lstrip("@")
        is_known = field in WRITTEN if field.startswith("@") else bool(field)
        if not is_known or not name or name[0] in "$@" or "." in name:
            raise ConfigError(
                f"fields {shown(one)} is not allowed: give FIELD or FIELD:NAME, NAME without dots; besides fields of"
                f" the documents there are {', '.join(WRITTEN)}"
            )
        names.append(name)
    if not fields or len({*names, RUN_FIELD}) < len(names) + 1:
        raise ConfigError(f"fields {shown(value)} has no name, one twice, or {RUN_FIELD}, where the run is named")
    return fields


def check_mark(name: object, read: Iterable[str]) -> None:
    """Check the field for marks.

    Args:
        name: Its name.
        read: The fields that a run reads.

    Raises:
        ConfigError: It is no name of one field, or is a field that is read.

    Example:
        >>> check_mark("simsieve", ["text"])
    """
    if not isinstance(name, str) or not name or "." in name or name.startswith("$"):
        raise ConfigError(f"mark {shown(name)} is not allowed: give the name of a field, without dots and dollars")
    if name == "_id" or name in {field.partition(".")[0] for field in read}:
        raise ConfigError(f"mark {name!r} is a field that the run reads: name a field that the documents do not have")
