"""Fields and rules on fields by labels: the thresholds and the rules that find the labelled pairs and few others.

All pairs that the loosest threshold of the first field finds, or a rule joins, are compared by every field and rule
once. A choice then goes from threshold to threshold and from rule to rule while that helps, from all rules and from
none. So its own figures are optimistic; those of each half of the groups by the choice of the other half are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError
from simsieve.evaluate.choice import Curve, Goal, resampled_f1
from simsieve.evaluate.collection import Labelled
from simsieve.evaluate.metrics import PairScore, average_precision, components, similarities_from, sweep
from simsieve.run.steps import load
from simsieve.schemes.criteria import NO_FLOOR, FieldText
from simsieve.sinks.fields import values_of
from simsieve.sources.fields import agreeing
from simsieve.types import Progress

LEAST_GROUPS = 20
"""Groups of copies that a choice of fields and rules needs, so that each half has ten."""
_STEP = 0.01
_LOWEST_FURTHER = 0.1
"""From where the thresholds of further fields are tried, besides none at all."""
_KINDS = ("differ", "near", "agree")

OF_FIELDS = ("field", "similarity", *_KINDS, "sure")
"""The settings that are chosen."""

Option = tuple[str, str]
"""The name of a setting, and one of its values."""


class _Choice(NamedTuple):
    """A threshold for each field, 0 where it does not count, and the rules that hold."""

    thresholds: tuple[float, ...]
    rules: frozenset[Option]

    def toggled(self, option: Option) -> "_Choice":
        """Give the choice with or without one of the rules."""
        return self._replace(rules=self.rules ^ {option})

    def of(self, config: DedupConfig) -> DedupConfig:
        """Give the settings with this choice."""
        names = {kind: tuple(one for of, one in self.rules if of == kind) for kind in _KINDS}
        rules: dict[str, Any] = {kind: tuple(sorted(of, key=getattr(config, kind).index)) for kind, of in names.items()}
        is_sure = ("sure", config.sure) in self.rules and any(rules.values())
        rules["sure"] = config.sure if is_sure and replace(config, **rules, sure=None).field_rules else None
        if not config.field:
            return replace(config, similarity=self.thresholds[0], **rules)
        fields = zip(config.field_texts, self.thresholds, strict=True)
        return _with_fields(config, [_written(*one, config) for one in fields if one[1]], None, **rules)


def _with_fields(config: DedupConfig, fields: Sequence[str], similarity: float | None, **others: Any) -> DedupConfig:
    usual = SETTINGS["text_field"].default
    return replace(config, field=tuple(fields), text_field=usual, similarity=similarity, **others)


def _written(field: FieldText, least: float, config: DedupConfig) -> str:
    """A field as the settings have it, with a threshold."""
    criterion = replace(field.criterion, similarity=least)
    own = str(criterion).rpartition("@")[2] if criterion.scheme == config.scheme else str(criterion)
    return f"{'|'.join(field.names)}:{own}"


@dataclass(frozen=True, slots=True)
class Rules:
    """Which fields and rules were chosen, from how many groups of copies."""

    config: DedupConfig
    groups: int
    fields: Mapping[str, float]
    """The threshold of each field; 0 where the field does not pay."""
    rules: Mapping[Option, tuple[bool, float]]
    """Of each rule whether it pays, and the F1 without it, or with it where it does not."""
    held_out: PairScore
    """Of each half of the groups by the choice of the other half, in all."""

    @property
    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        rules = [
            {"setting": kind, "value": value, "pays": pays, "f1_without" if pays else "f1_with": f1}
            for (kind, value), (pays, f1) in self.rules.items()
        ]
        held_out = {name: getattr(self.held_out, name) for name in ("precision", "recall", "f1")}
        return {"groups": self.groups, "fields": dict(self.fields), "rules": rules, "held_out": held_out}


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """Pairs, compared by every field and rule."""

    config: DedupConfig
    nearness: Sequence[NDArray[np.float64]]
    """Of each field the similarities; not a number where one of two records lacks it."""
    agree: Mapping[tuple[str, str], NDArray[np.int8]]
    """By names and bound: 1 where the values agree, 0 where they do not, and -1 where too little is known."""
    right: NDArray[np.bool_]
    gold: int

    def part(self, chosen: NDArray[np.bool_], gold: int, times: int) -> "_Compared":
        """Some of the pairs; a wrong one counts several times."""
        at = np.flatnonzero(chosen)
        at = np.repeat(at, np.where(self.right[at], 1, times))
        agree = {name: column[at] for name, column in self.agree.items()}
        return replace(self, nearness=[one[at] for one in self.nearness], agree=agree, right=self.right[at], gold=gold)

    def ranked(self, choice: _Choice, field: int) -> NDArray[np.float64]:
        """The threshold of a field up to which each pair is found; -1 where it is never found, 2 where always."""
        config = choice.of(self.config)
        known = np.where(np.isnan(self.nearness[0]), -1.0, self.nearness[0])
        rank = known if field == 0 else np.where(np.isnan(self.nearness[field]), 2.0, self.nearness[field])
        is_near = known >= (0.0 if field == 0 else choice.thresholds[0] - 1e-12)
        for at, least in enumerate(choice.thresholds):
            if at not in (0, field):
                is_near &= ~(self.nearness[at] < least - 1e-12)
        columns = [(self.agree["|".join(names), bound], *rule) for names, bound, *rule in config.field_rules]
        if config.sure_pair is not None:
            enough, similar = config.sure_pair
            equal = np.sum([column == 1 for column, *_ in columns], axis=0)
            is_near &= (equal >= enough) | (known >= similar - 1e-12)
        rank = np.where(is_near, rank, -1.0)
        for column, _, joins in columns:
            rank[(column == 1) & bool(joins)] = 2.0
        for column, apart, _ in columns:
            rank[(column == 0) & bool(apart)] = -1.0
        for name in config.differ:
            if (name, "") in self.agree:
                rank[self.agree[name, ""] == 0] = -1.0
        return rank

    def scores(self, choice: _Choice, field: int, steps: Sequence[float]) -> list[PairScore]:
        """Score a choice at several thresholds of a field."""
        return sweep(self.ranked(choice, field), self.right, self.gold, steps, by_distance=False)

    def at(self, choice: _Choice) -> PairScore:
        """Score a choice."""
        return self.scores(choice, 0, choice.thresholds[:1])[0]


def rules_by_labels(collection: Labelled, goal: Goal, lowest: float, progress: Progress | None) -> tuple[Rules, Curve]:
    """Choose thresholds of fields and rules on fields, and give the curve of the first field too."""
    config = collection.config
    if config.combine == "any" or any(one.similarity is None for one in config.criteria) or config.mean_pair:
        raise ConfigError(
            "{@`field`} {given} has bits, a weight or {@combine} any, and a calibration is for fields that must all be"
            " similar: give their names alone, such as title",
            given=", ".join(config.field),
        )
    group, groups = _groups(collection)
    if groups < LEAST_GROUPS:
        raise ConfigError(
            "the labels have {count:,} groups of copies, and a choice of fields and rules needs at least {least}, "
            "because one half judges what the other half chose: judge more pairs with `simsieve review`, or give "
            "thresholds to `dedup` yourself",
            count=groups, least=LEAST_GROUPS,
        )  # fmt: skip
    (a, b), compared = _compared(collection, lowest, progress)
    further = [0.0, *similarities_from(_LOWEST_FURTHER, _STEP)]
    steps = [similarities_from(lowest, _STEP), *[further] * (len(compared.nearness) - 1)]
    side = _sides(group, config.seed)
    # A wrong pair is of two groups. Two halves separate every second pair of groups; judged pairs are of one group.
    times = 1 if collection.labels is None else 2
    halves = [
        compared.part((side[a] == half) & (side[b] == half), collection.gold_among(side == half), times)
        for half in (0, 1)
    ]
    held_out = [halves[1 - at].at(_chosen(halves[at], steps, goal)) for at in (0, 1)]
    found, right, gold = (sum(getattr(one, name) for one in held_out) for name in ("found", "right", "gold"))
    choice = _chosen(compared, steps, goal)
    others = {one: (one in choice.rules, compared.at(choice.toggled(one)).f1) for one in _options(config)}
    names = ["|".join(one.names) for one in config.field_texts] or [", ".join(config.text_field)]
    rank = compared.ranked(choice, 0)
    near, rights = np.minimum(rank[rank >= 0], 1.0), compared.right[rank >= 0]
    average = average_precision(near, rights, compared.gold, by_distance=False)
    resampled = resampled_f1(near, rights, compared.gold, steps[0], config.seed)
    curve = Curve(str(config.criteria[0].scheme), compared.scores(choice, 0, steps[0]), average, resampled)
    fields, score = (
        dict(zip(names, choice.thresholds, strict=True)),
        PairScore(choice.thresholds[0], found, right, gold),
    )
    return Rules(choice.of(config), groups, fields, others, score), curve


def _groups(collection: Labelled) -> tuple[NDArray[np.int64], int]:
    """The group of each record, and how many groups have copies. Pairs that are judged make groups, same or not."""
    count = len(collection.store)
    if collection.labels is not None:
        _, sizes = np.unique(collection.labels[collection.usable], return_counts=True)
        return collection.labels, int((sizes > 1).sum())
    judged = np.array(list(collection.pairs or ()), dtype=np.int64).reshape(-1, 2)
    group = components(count, judged[:, 0], judged[:, 1])
    return group, len({group[a] for (a, _), is_same in (collection.pairs or {}).items() if is_same})


def _sides(group: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """The half of each record: groups of several records take turns in a drawn order, and then the others."""
    _, at, sizes = np.unique(group, return_inverse=True, return_counts=True)
    order = np.lexsort((np.random.default_rng(seed).permutation(len(sizes)), sizes == 1))
    side = np.empty(len(sizes), dtype=np.int64)
    side[order] = np.arange(len(sizes)) % 2
    return side[at]


def _options(config: DedupConfig) -> list[Option]:
    found = [(kind, one) for kind in _KINDS for one in getattr(config, kind)]
    return found if config.sure is None else [*found, ("sure", config.sure)]


def _chosen(compared: _Compared, steps: Sequence[Sequence[float]], goal: Goal) -> _Choice:
    """Choose step by step, from all rules and from none."""
    options, first = _options(compared.config), tuple(each[0] for each in steps)
    starts = (_Choice(first, frozenset(options)), _Choice(first, frozenset()))
    found = [_climbed(compared, start, steps, goal, options) for start in starts]
    return max(found, key=lambda choice: (goal.key(compared.at(choice)), -len(choice.rules)))


def _climbed(
    compared: _Compared, choice: _Choice, steps: Sequence[Sequence[float]], goal: Goal, options: Sequence[Option]
) -> _Choice:
    def with_best(choice: _Choice, field: int) -> tuple[tuple[float, ...], _Choice]:
        scores = compared.scores(choice, field, steps[field])
        place = goal.place(scores)
        # A field that does not matter does not count.
        place = 0 if field and goal.key(scores[0]) == goal.key(scores[place]) else place
        least = list(choice.thresholds)
        least[field] = steps[field][place]
        return goal.key(scores[place]), choice._replace(thresholds=tuple(least))

    value, choice = with_best(choice, 0)
    while True:
        before = value
        for field in range(1, len(steps)):
            value, choice = with_best(choice, field)
        for option in options:
            other, toggled = with_best(choice.toggled(option), 0)
            # Of two choices as good, the one with fewer rules.
            if other > value or (other == value and option in choice.rules):
                value, choice = other, toggled
        value, choice = with_best(choice, 0)
        if value <= before:
            return choice


def _compared(
    collection: Labelled, lowest: float, progress: Progress | None
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], _Compared]:
    """Find the pairs, and compare them."""
    config, store = collection.config, collection.store
    loose = replace(config, differ=(), near=(), sure=None, similarity=lowest)
    if len(config.criteria) > 1:
        fields = [
            _written(one, lowest if not at else NO_FLOOR, config) + ":1" for at, one in enumerate(config.field_texts)
        ]
        loose = _with_fields(loose, fields, NO_FLOOR)
    documents = load(store, collection.schemes, loose, progress)
    a, b, *_ = documents.pairs(config.max_pairs, threads=config.threads, progress=progress)
    known, right = collection.judged(a, b)
    a, b = a[known], b[known]
    places = np.unique(np.concatenate([a, b]))
    texts = {at: documents.text(at) for at in places.tolist()}
    nearness = []
    for scheme in collection.schemes:
        has = {at: bool(scheme.features(text)) for at, text in texts.items()}
        values = (
            scheme.similarity(texts[x], texts[y], config.measure) if has[x] and has[y] else np.nan
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        )
        nearness.append(np.fromiter(values, dtype=np.float64, count=len(a)))
    equal = [name for name in config.differ if name in config.equal_fields]
    needed = (*config.rule_fields, *equal)
    read = values_of(collection.rows, store, places, needed) if needed else {}
    beside = [(read.get(x, {}), read.get(y, {})) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    agree = {(name, ""): np.array([x.get(name) == y.get(name) for x, y in beside], np.int8) for name in equal}
    for names, bound, *_ in config.field_rules:
        found = (agreeing(names, bound, x, y) for x, y in beside)
        agree["|".join(names), bound] = np.array([-1 if one is None else one for one in found], np.int8)
    return (a, b), _Compared(config, nearness, agree, right, collection.gold)
