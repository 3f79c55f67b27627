"""A durable index as the old documents of a run: its settings, its schemes, and how a run on new records takes it."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.near_rows import FIT, NONE, THRESHOLDS
from simsieve.config.settings import FIXED, DedupConfig
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.run.schemes import chosen_schemes
from simsieve.schemes.criteria import threshold_apart
from simsieve.schemes.custom import CustomScheme
from simsieve.schemes.scheme import given_name
from simsieve.sinks.fields import in_lines
from simsieve.types import Progress

FIELDS = ("text_field", "id_field", "date_field")
"""The settings that runs on new records take from the index where they are not given."""

_ROWS = 4096
"""Kept documents that are read at a time."""
IGNORE = "ignore"
"""A run whose ids have nothing to do with those of the index."""
ALONE = "alone"
"""A run under the search keys of an index, without its documents."""


@dataclass(slots=True)
class IndexRun:
    """What a run has to do with an index: it is against one, and its result is added; or one is made of its result."""

    core: _core.Index | None = None
    """The index that the run is against."""
    known: str = IGNORE
    """What becomes of a record whose id is in the index: replace, refuse or ignore; or alone, without its documents."""
    expect: int | None = None
    """Of an index that is made: the documents that it will have, 0 for as many as there are."""
    take: "Callable[[Any, IndexRun], Message] | None" = None
    """Takes the result before its files have their names, and gives what holds from then on."""
    run: _core.SeenRun = field(init=False)
    """The run against the state of the index in which it began."""
    common: str = ""
    """What runs against an index that is made have in common with it."""

    def __post_init__(self) -> None:
        """Begin the run."""
        if self.core is not None:
            self.run = self.core.seen(self.known)

    def prepare(self, store: _core.Records, config: DedupConfig, progress: Progress | None) -> None:
        """Make the index that is added to ready for the records of a store."""
        if self.core is None or self.take is None:
            return
        if self.core.prepare(store, config.text_field, config.threads, progress):
            self.run = self.core.seen(self.known)


def index_named(source: Any) -> Path | None:
    """The directory of the index that a source names, alone or in a list of one; None where it names none."""
    if isinstance(source, (list, tuple)) and len(source) == 1:
        source = source[0]
    is_path = isinstance(source, (str, os.PathLike))
    return Path(source) if is_path and _core.Index.is_index(Path(source)) else None


def index_settings(config: DedupConfig) -> str:
    """Write the settings of a new index as they are in its files."""
    if config.idf == FIT:
        raise ConfigError(
            "idf fit is not for an index, whose later documents would change the model: make one by simsieve fit, and "
            "give its file"
        )
    given = config.scheme if isinstance(config.scheme, (list, tuple)) else (config.scheme,)
    if any(isinstance(one, CustomScheme) for one in given):
        raise ConfigError(
            "scheme is an object in memory, and an index names its file: describe the scheme in a TOML file"
        )
    if not isinstance(config.idf, str):
        raise ConfigError("idf is a model in memory, and an index names its file: save the model and give its path")
    values = {name: getattr(config, name) for name in (*sorted(FIXED), *FIELDS)}
    if config.window is None:
        # Such an index is read by the versions that have no window.
        del values["window"], values["date_field"]
    if not config.field:
        # As above.
        del values["field"]
    if not config.field_rules:
        del values["near"], values["agree"], values["sure"]
    schemes = [str(one) for one in given]
    if len(schemes) == 1 and config.max_distance is None and not config.field:
        values["similarity"] = config.criteria[0].similarity
    return json.dumps({**values, "scheme": schemes if len(schemes) > 1 else schemes[0]}, ensure_ascii=False)


def placed(config: DedupConfig) -> DedupConfig:
    """The settings with absolute paths of the files that nearness depends on: an index is opened in any folder."""
    given, idf = config.scheme, config.idf
    schemes = tuple(map(_placed_scheme, given)) if isinstance(given, (list, tuple)) else _placed_scheme(given)
    if isinstance(idf, str) and idf not in {NONE, FIT}:
        idf = os.path.abspath(idf)
    ignore = None if config.ignore is None else os.path.abspath(config.ignore)
    return replace(config, scheme=schemes, idf=idf, ignore=ignore)


def _placed_scheme(given: Any) -> Any:
    if isinstance(given, CustomScheme) or isinstance(getattr(given, "scheme", None), CustomScheme):
        return given
    spec, ending = threshold_apart(str(given))
    if spec.endswith(".toml"):
        return os.path.abspath(spec) + ending
    has_files = _core.spec_files(given_name(spec))
    return (_core.spec_in_folder(spec, os.getcwd()) if has_files else spec) + ending


def made_settings(path: Path) -> dict[str, Any]:
    """The settings that an index was made with."""
    settings: dict[str, Any] = json.loads(_core.Index.settings(path))
    return settings


def with_settings_of(made: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Join the settings that an index was made with and those that are given for a run on new records."""
    own = placed(DedupConfig.from_settings(made))
    fields = {name: given[name] for name in FIELDS if name in given}
    for name in FIXED & given.keys():
        # Checked as any other settings, so that each value has its plain type.
        asked = getattr(placed(DedupConfig.from_settings({**made, **fields, **_alone(name, given)})), name)
        check_same(
            name,
            str(getattr(own, name)),
            str(asked),
            Message("the index"),
            Message("leave it out, or make another index"),
        )
    return {**made, **{name: value for name, value in given.items() if name not in FIXED}}


def _alone(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """One setting; a threshold replaces one of the other kind."""
    return {**(dict.fromkeys(THRESHOLDS) if name in THRESHOLDS else {}), name: given[name]}


def kept_rows(core: _core.Index) -> Iterator[tuple[Any, str, int | None]]:
    """Give id, text and date, where there is a window of time, of every kept document of an index, in order."""
    documents = core.kept()
    while rows := documents.next(_ROWS):
        for raw, text, date in rows:
            yield (None if raw is None else json.loads(raw)), in_lines(text), date


def open_index(
    path: str | os.PathLike[str], *, write: bool = False, progress: Progress | None = None
) -> tuple[_core.Index, DedupConfig]:
    """Open an index with the schemes that its settings choose, and give these settings."""
    # Files are opened by it later, too, whatever folder the process is in then.
    path = Path(os.path.abspath(path))
    while True:
        made = made_settings(path)
        config = DedupConfig.from_settings(made)
        core = _core.Index(path, chosen_schemes(config), write, progress)
        # Else the directory was made anew between the two looks.
        if json.loads(core.made) == made:
            return core, config


def run_against(path: Path) -> IndexRun:
    """A run against the index that is named as old documents, whose ids play no role."""
    return IndexRun(open_index(path)[0])
