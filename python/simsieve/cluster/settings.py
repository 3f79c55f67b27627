"""The settings that a job on a cluster takes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simsieve.checks import shown
from simsieve.config.setting import OF_RECORDS
from simsieve.config.settings import SETTINGS as ALL_SETTINGS
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.messages import Setting as Named
from simsieve.run.against import index_named, made_settings, with_settings_of
from simsieve.run.schemes import only_criterion

SETTINGS = tuple(name for name, row in ALL_SETTINGS.items() if "spark" in row.of)
"""The settings that a job takes; the others are of files, of one machine, or of rules for pairs."""
OF_FIELDS = tuple(name for name, row in ALL_SETTINGS.items() if row.of == OF_RECORDS)
"""The settings that compare fields of records, which a job does not."""


def _of_fields(name: str, engine: str) -> ConfigError:
    return ConfigError(
        "{name} compares several texts of records, and a {engine} job reads one text of each: leave it out and join "
        "the fields into one column, as by concat_ws, or use simsieve.dedup on one machine",
        name=Named(f"@`{name}`"), engine=engine,
    )  # fmt: skip


def job_config(
    engine: str, settings: Mapping[str, Any], index: Any = None, *, drops: bool = False, **more: Any
) -> tuple[DedupConfig, Path | None]:
    """Check the settings of a job and the name of an index, whose settings are in force."""
    wrong = next((name for name in settings if name not in SETTINGS), None)
    if wrong in OF_FIELDS:
        raise _of_fields(wrong, engine)
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
    if config.field:
        raise _of_fields("field", engine)
    if (config.max_lost is not None or config.conflict) and config.max_distance is not None:
        raise ConfigError(
            "{@max_lost} and {@conflict} read the texts of pairs, and a {engine} job compares fingerprints alone under "
            "{@max_distance}: give similarity, or use simsieve.dedup on one machine",
            engine=engine,
        )
    only_criterion(config, f"a {engine} job")
    return config, path
