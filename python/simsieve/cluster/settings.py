"""The settings and columns that a job takes, the errors about both in the words of all engines, and its stages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simsieve.checks import shown
from simsieve.config.settings import SETTINGS as ALL_SETTINGS
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.run.against import index_named, made_settings, with_settings_of
from simsieve.run.schemes import only_criterion

COUNT = "simsieve: count the rows"
SPREAD = "simsieve: spread the texts"
PAIR = "simsieve: keys and candidate pairs"
VERIFY = "simsieve: near pairs"
ROUNDS = "simsieve: rounds of decisions"
DECIDE = "simsieve: decisions on rows that have candidates"
TEXTS = "simsieve: texts of some kept rows"
RECALL = "simsieve: recall"
STAGES = (COUNT, SPREAD, PAIR, VERIFY, ROUNDS, DECIDE, RECALL, TEXTS)
"""All stages in their order. In a small job that of decisions has those of near pairs and rounds in it. The decisions
on all rows are a part of the caller's own jobs."""


SETTINGS = tuple(name for name, row in ALL_SETTINGS.items() if "spark" in row.of)
"""The settings that a job takes; the others are of files, of one machine, or of rules for pairs."""


def job_config(
    engine: str, settings: Mapping[str, Any], index: Any = None, *, drops: bool = False, **more: Any
) -> tuple[DedupConfig, Path | None]:
    """Check the settings of a job and the name of an index, whose settings are in force."""
    wrong = next((name for name in settings if name not in SETTINGS), None)
    if wrong is not None:
        raise ConfigError(
            "setting {name!r} is not one of a {engine} job: it takes {settings}; use simsieve.dedup on one machine "
            "for the others",
            name=wrong, engine=engine, settings=", ".join(SETTINGS),
        )  # fmt: skip
    if (path := index_named(index)) is not None:
        settings, drops = with_settings_of(made_settings(path), settings), False
    elif index is not None:
        raise ConfigError(
            "against {value} is no index: give a DataFrame or a Dataset of old rows, or the folder of an index that "
            "the driver and all executors can read",
            value=shown(index),
        )
    config = DedupConfig.from_settings({**settings, **more}, drops=drops)
    several = len(config.criteria) > 1
    if several and config.combine == "any":
        raise ConfigError(
            "{@combine} any has a search for each scheme, and a {engine} job has one search: give {@combine} all, or "
            "use simsieve.dedup on one machine",
            engine=engine,
        )
    if path is not None:
        only_criterion(config, what := f"a {engine} job against an index")
        config.check_undirected(what)
        if config.field:
            raise ConfigError("an index with {@`field`} is for one machine: use simsieve.dedup there")
    if (config.max_lost is not None or config.conflict) and config.max_distance is not None and not several:
        raise ConfigError(
            "{@max_lost} and {@conflict} read the texts of pairs, and a {engine} job compares fingerprints alone under "
            "{@max_distance}: give similarity, or use simsieve.dedup on one machine",
            engine=engine,
        )
    return config, path


TEXTS_NEEDED = "texts are needed; name another column, or cast it to string"
PARTS_NEEDED = "a text, a list of texts or a whole number is compared; cast it to one of these"
BETWEEN, MARK = "\n\x1e", "\x1e"
"""What is between the texts of several fields in one text, and its sign that the texts themselves must not have."""
ORDER_NEEDED = "whole numbers order the rows; name a column of them with order"
KEEP_NEEDED = "numbers or texts are compared; cast it to one of these"


@dataclass(frozen=True, slots=True)
class Named:
    """The names of the columns of text, label and order, and the settings that name others."""

    text: str
    id: str
    order: str | None
    config: DedupConfig

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of the text: one, or those of fields that are compared by themselves."""
        if not self.config.field:
            return (self.text,)
        if self.text not in (*ALL_SETTINGS["text_field"].default, *self.config.text_field):
            raise ConfigError(
                "{@text_field} {text} and {@`field`} are both given: name the text as one of the fields, such as "
                "{name}:0.8",
                text=self.text, name=self.text,
            )  # fmt: skip
        return tuple(self.config.text_field)


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
