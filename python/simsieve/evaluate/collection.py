"""A labelled collection: its documents, encoded, with the values of a field beside them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.pair_rows import id_text
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.evaluate.pairs import Ids, Key, judged_rows, labels_of
from simsieve.messages import Message
from simsieve.run.forecast import Warn
from simsieve.run.schemes import fitted_schemes
from simsieve.run.steps import open_store, prepare
from simsieve.sinks.base import RowSinks
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import AnySource
from simsieve.sources.fields import first_fields, meant, with_fields, with_text_fields
from simsieve.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Documents with what labels say of them."""

    store: _core.Records
    schemes: list[_core.Scheme]
    labels: NDArray[np.int64] | None
    pairs: dict[Key, bool] | None
    usable: NDArray[np.bool_]
    ids: Ids
    config: DedupConfig
    """The settings, with the names of fields that the records have."""
    rows: RowSinks
    keep_alive: object

    @property
    def gold(self) -> int:
        """Pairs that are the same by the labels."""
        return self.gold_among(self.usable)

    def gold_among(self, chosen: NDArray[np.bool_]) -> int:
        """Pairs of some records that are the same by the labels."""
        if self.pairs is not None:
            return sum(is_same and bool(chosen[a] and chosen[b]) for (a, b), is_same in self.pairs.items())
        assert self.labels is not None
        _, sizes = np.unique(self.labels[self.usable & chosen], return_counts=True)
        return int((sizes * (sizes - 1) // 2).sum())

    def judged(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say of pairs, a before b, which of them the labels judge, and of these which are the same."""
        if self.labels is not None:
            known = self.usable[a] & self.usable[b]
            return known, (self.labels[a] == self.labels[b])[known]
        pairs = self.pairs or {}
        verdicts = [pairs.get(key) for key in zip(a.tolist(), b.tolist(), strict=True)]
        known = np.array([one is not None for one in verdicts], dtype=bool)
        return known, np.array([bool(one) for one in verdicts if one is not None], dtype=bool)


def labelled(
    source: AnySource, config: DedupConfig, field: str | None, pairs: str | None, progress: Progress | None, warn: Warn
) -> Labelled:
    """Open a source with its labels."""
    if (field is None) == (pairs is None):
        raise ConfigError("labels come from one place: give the field of the labels, or a file of labelled pairs")
    # The rows of tables have only the columns that a run reads; the field is one more of them.
    reading = config if field is None else replace(config, keep=(*config.keep, f"max:{field}"))
    rows = [] if pairs is None else judged_rows(pairs)
    opened, schemes = prepare(source, None, reading, Sinks())
    if field is not None and opened.new.columns is not None:
        _check_column(opened.new.columns, field)
    checked = config
    store, config = open_store(opened, reading, progress, warn, checked=checked)
    if field is not None and store.columns is not None:
        _check_column(store.columns, field)
    fitted = fitted_schemes(schemes, store, config, progress)
    coded = store.encode(fitted, config.text_field, config.id_field, config.threads, config.batch, progress)
    labels = None if field is None else _labels(store, fitted, config, field)
    ids = Ids(coded, len(store))
    verdicts = None
    if pairs is not None:
        keys, warning = ids.keys(rows)
        verdicts = labels_of(rows, keys)
        if warning:
            warn(warning)
    usable = np.ones(len(store), dtype=bool)
    usable[[position for position, _, _ in coded.failures()]] = False
    names = with_text_fields(store, replace(config, keep=checked.keep))
    found = Labelled(store, fitted, labels, verdicts, usable, ids, names, opened.new.row_sinks(), opened.keep_alive)
    if not found.gold:
        where = Message("the field {field!r}", field=field) if field is not None else str(pairs)
        raise ConfigError(
            "by {where} no two of {count:,} documents are the same, so there is nothing to find: name another field, "
            "or give labels of pairs",
            where=where, count=len(store),
        )  # fmt: skip
    return found


def numbers_of(
    store: _core.Records, schemes: list[_core.Scheme], config: DedupConfig, field: str
) -> tuple[NDArray[np.int64], int]:
    """Give the value of a field of each record as a number, and how many have none; each of these has its own."""
    named = store.encode(schemes, config.text_field, field, config.threads)
    numbers: dict[str, int] = {}
    found = np.empty(len(store), dtype=np.int64)
    lacking = 0
    for position in range(len(store)):
        value = named.id(position)
        if value is None or value == "":
            lacking += 1
            found[position] = -1 - position
        else:
            found[position] = numbers.setdefault(id_text(value), len(numbers))
    return found, lacking


def _labels(store: _core.Records, schemes: list[_core.Scheme], config: DedupConfig, field: str) -> NDArray[np.int64]:
    found, lacking = numbers_of(store, schemes, config, field)
    if lacking == len(store):
        raise _no_labels(
            Message("none of {count:,} records has a label in the field", count=len(store)),
            field,
            first_fields(store, inner=True),
        )
    return found


def _check_column(names: list[str], field: str) -> None:
    if field not in names and field.partition(".")[0] not in names:
        raise _no_labels("there is no column of labels", field, names)


def _no_labels(lack: str, field: str, names: list[str]) -> ConfigError:
    lacking = with_fields(lack, repr(field), meant((field,), names), names)
    return ConfigError("{lacking}; name the field of the labels", lacking=lacking)
