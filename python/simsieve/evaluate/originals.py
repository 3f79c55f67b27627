"""Documents of a collection that are no copies of one another: what edited copies are made of."""

from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.collection import numbers_of
from simsieve.run.forecast import Warn
from simsieve.run.schemes import fitted_schemes
from simsieve.run.steps import load, open_store, prepare
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import AnySource
from simsieve.types import Progress

_COPY = 0.8
"""Two documents at least this similar are taken for copies of one another: the later is left out."""
_UNIQUE = _core.REASONS.index("unique")


@dataclass(frozen=True, slots=True, eq=False)
class Originals:
    """Texts that are no copies of one another."""

    texts: list[str]
    read: int
    left_out: int
    short: int
    fields: list[NDArray[np.int64]]


def originals_of(
    source: AnySource,
    config: DedupConfig,
    wanted: int,
    draw: Random,
    progress: Progress | None,
    warn: Warn,
    least_characters: int = 0,
    alone: float | None = None,
) -> Originals:
    """Draw documents that are no copies of one another; with `alone` those that no document is as similar to."""
    opened, schemes = prepare(source, None, config, Sinks())
    store, config = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    whole = load(store, schemes, replace(config, similarity=alone or _COPY), progress)
    columns = whole.dedup(config.threads, progress)
    fit = (columns.decision == 0) & whole.valid[: len(columns)]
    kept = np.flatnonzero(fit if alone is None else fit & (columns.reason == _UNIQUE)).tolist()
    found: list[tuple[int, str]] = []
    short = 0
    for position in draw.sample(kept, len(kept)):
        if len(found) == wanted:
            break
        text = schemes[0].used_text(whole.text(position))[0]
        if len(text) < least_characters:
            short += 1
        else:
            found.append((position, text))
    found.sort()
    positions = [position for position, _ in found]
    # A missing value equals another missing one.
    fields = [np.maximum(numbers_of(store, schemes, config, name)[0], -1)[positions] for name in config.equal_fields]
    return Originals([text for _, text in found], len(store), len(store) - len(kept), short, fields)
