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
        raise ConfigError("{@`apply`} writes marks, and no field for them is given: give {@`mark`}")
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
            "{@since_field} {name} and limit {limit} are both given: documents beyond the limit would never count as "
            "new ones; leave one of them out",
            name=shown(name), limit=limit,
        )  # fmt: skip


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
        raise ConfigError(
            "mark {name} is not allowed: give the name of a field, without dots and dollars", name=shown(name)
        )
    if name == "_id" or name in {field.partition(".")[0] for field in read}:
        raise ConfigError(
            "mark {name!r} is a field that the run reads: name a field that the documents do not have", name=name
        )
