"""The settings of a saved run: how they are kept, and which of them may differ when the run is taken up again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simsieve import _core
from simsieve.config.encodings import rules_of
from simsieve.config.near_rows import THRESHOLDS
from simsieve.config.setting import AGAIN
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, SourceError
from simsieve.messages import Setting
from simsieve.run.schemes import only_criterion
from simsieve.schemes.custom import CustomScheme
from simsieve.schemes.scheme import Scheme
from simsieve.sources.copies import Copies
from simsieve.types import Progress


def settings_of(config: DedupConfig) -> str:
    """Write a run's settings as they are in its file."""
    only_criterion(config, "a saved run")
    if isinstance(config.scheme, CustomScheme):
        raise ConfigError(
            "scheme is an object in memory, and a saved run names its file: describe the scheme in a TOML file"
        )
    if not isinstance(config.idf, str):
        raise ConfigError("idf is a model in memory, and a saved run names its file: save the model and give its path")
    values = {name: getattr(config, name) for name in SETTINGS}
    return json.dumps({**values, "scheme": str(config.scheme)}, ensure_ascii=False)


def sources_of(saved: str) -> tuple[list[str], list[str]]:
    """Give the new and the old sources of a saved run."""
    copies = Copies.of([saved], None)
    listed = _core.Snapshot(copies.places.get(saved, saved)).sources
    new, old = ([path for path, _, is_old in listed if is_old == wanted] for wanted in (False, True))
    return new, old


def resumed_config(saved: str, settings: str, given: Mapping[str, Any]) -> tuple[DedupConfig, DedupConfig]:
    """Join the settings of a saved run with those that are given anew."""
    made = _made(saved, settings)
    # Checked as any other settings, so that each value has its plain type.
    asked = DedupConfig.from_settings({"scheme": made.scheme, "measure": made.measure, **given})
    for name in given:
        if AGAIN in SETTINGS[name].held and _plain(getattr(asked, name)) != getattr(made, name):
            if name == "verdicts" and made.verdicts is None:
                raise ConfigError(
                    "the saved run {saved} was made without verdicts: leave them out, or run on the sources with them",
                    saved=saved,
                )  # fmt: skip
            raise ConfigError(
                "{name} {getattr} is not that of the saved run {saved}, which has {getattr_2}: leave it out, or run "
                "on the sources again",
                name=Setting(name), getattr=_shown(getattr(asked, name)), saved=saved,
                getattr_2=_shown(getattr(made, name)),
            )  # fmt: skip
    taken = {name: getattr(made, name) for name in SETTINGS}
    if given.keys() & THRESHOLDS:
        taken |= dict.fromkeys(THRESHOLDS)
    return made, DedupConfig.from_settings({**taken, **given})


def _made(saved: str, settings: str) -> DedupConfig:
    """The settings of a saved run, whose file may be damaged in a way that its checksum does not show."""
    try:
        read = json.loads(settings)
        if not isinstance(read, dict):
            raise ConfigError("they are of type {name}, and not an object", name=type(read).__name__)
        return DedupConfig.from_settings(read)
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceError(
            "{saved}: the settings of the saved run cannot be used: {error}; save the run again, or name another",
            saved=saved, error=error,
        ) from error  # fmt: skip


def _plain(value: Any) -> Any:
    """A value as a run's file has it: a scheme by its spec."""
    return str(value) if isinstance(value, Scheme) else value


def _shown(value: Any) -> str:
    return (",".join(value) or "none") if isinstance(value, tuple) else str(value)


def opened_again(
    sources: Sequence[tuple[str, str, bool]], made: DedupConfig, progress: Progress | None
) -> tuple[_core.Records, Copies]:
    """Open the sources of a saved run."""
    copies = Copies.of((path for path, _, _ in sources), progress)
    new, old = ([(path, form) for path, form, is_old in sources if is_old == wanted] for wanted in (False, True))
    reading = made.max_record_bytes, progress, rules_of(made.encoding), made.delimiter
    store = _core.Records(new, *reading, made.limit, copies=copies.places, quoting=made.quoting)
    if made.limit is not None:
        store = store.first(made.limit)
    if old:
        store = store.against(_core.Records(old, *reading, copies=copies.places, quoting=made.quoting))
    return store, copies
