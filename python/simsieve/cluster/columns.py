"""What is wrong with the columns that a job reads, in the words of all engines."""

from collections.abc import Sequence
from dataclasses import dataclass

from simsieve.checks import shown
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError

TEXTS_NEEDED = "texts are needed; name another column, or cast it to string"
ORDER_NEEDED = "whole numbers order the rows; name a column of them with order"
KEEP_NEEDED = "numbers or texts are compared; cast it to one of these"


@dataclass(frozen=True, slots=True)
class Named:
    """The names of the columns of text, label and order, and the settings that name others."""

    text: str
    id: str
    order: str | None
    config: DedupConfig


def is_whole_name(what: str, name: object, columns: Sequence[str]) -> bool:
    """Return whether a name is that of a column; else it is that of a field of a struct."""
    if not isinstance(name, str) or not name:
        raise ConfigError(
            "{what} {name} is no name of a column: give one of {columns}",
            what=what, name=shown(name), columns=", ".join(columns),
        )  # fmt: skip
    if name in columns:
        return True
    if name.partition(".")[0] not in columns or "." not in name:
        raise ConfigError(
            "{what} {name!r} is no column: there are {value}", what=what, name=name, value=", ".join(columns) or "none"
        )
    return False


def wrong_kind(what: str, name: str, kind: str, needed: str) -> ConfigError:
    """Give the error that a column is of a type that a job cannot use."""
    return ConfigError(
        "{what} {name!r} is a column of {simplestring}, and {needed}",
        what=what, name=name, simplestring=kind, needed=needed,
    )  # fmt: skip


def no_order(place: str, what: str) -> ConfigError:
    """Give the error that a column does not order the rows."""
    return ConfigError(
        "column {place!r} does not order the rows: {what} of its numbers; name a column of numbers that differ with "
        "order",
        place=place, what=what,
    )  # fmt: skip


def other_ids(own: str, other: str) -> ConfigError:
    """Give the error that old rows have ids of another type."""
    return ConfigError(
        "the ids of the rows are {own}, and those of the old ones {other}: cast one of the columns",
        own=own, other=other,
    )  # fmt: skip
