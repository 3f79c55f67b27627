"""What near means: a scheme, and the threshold under it. A run has one criterion, or several that are combined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from simsieve import _core
from simsieve.checks import check_distance, check_similarity, shown
from simsieve.errors import ConfigError
from simsieve.messages import Message, Setting
from simsieve.schemes.custom import CustomScheme
from simsieve.schemes.scheme import AnyScheme, Scheme, given_name, load_scheme

MOST_SCHEMES = 16

_BEHIND = re.compile(r"(.+)@([^@/=,]*)")
_THRESHOLD = re.compile(r"(\d+)bits?|(\d*\.\d+|\d+\.?)")


def check_one(similarity: float | None, max_distance: int | None) -> None:
    """Check that not both thresholds are given."""
    if similarity is not None and max_distance is not None:
        raise ConfigError(
            "similarity {similarity} and {@max_distance} {max_distance} are both given: give one of them, or neither "
            "for the default",
            similarity=shown(similarity), max_distance=shown(max_distance),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Criterion:
    """A scheme with a threshold of its own; where it has none, the run's holds.

    Args:
        scheme: A scheme's name with or without options, a TOML file, a `Scheme` or a `CustomScheme`.
        similarity: Documents at least this similar are near, in (0, 1].
        max_distance: Documents whose fingerprints differ in at most this many bits are near, 0 to the width less 1.

    Raises:
        ConfigError: Both thresholds are given, or one is not allowed.

    Example:
        >>> from simsieve import dedup
        >>> texts = ["the quick brown fox jumps", "the quick brown fox jumped", "lorem ipsum dolor sit"]
        >>> criteria = [Criterion("chars128", similarity=0.5), Criterion("words64", similarity=0.7)]
        >>> dedup(texts, scheme=criteria, combine="all").counts.kept
        2
    """

    scheme: AnyScheme
    similarity: float | None = None
    max_distance: int | None = None

    def __post_init__(self) -> None:
        """Check the thresholds, and bring them to their plain types."""
        check_one(self.similarity, self.max_distance)
        if self.similarity is not None:
            object.__setattr__(self, "similarity", check_similarity(self.similarity))
        if not isinstance(self.scheme, str | Scheme | CustomScheme) or not self.scheme:
            raise ConfigError("scheme {scheme!r} is not a name: give a text that is not empty", scheme=self.scheme)
        width = load_scheme(self.scheme).width
        if self.max_distance is not None:
            object.__setattr__(
                self,
                "max_distance",
                check_distance(self.max_distance, width, Message("scheme {scheme}", scheme=self.scheme)),
            )

    @property
    def has_threshold(self) -> bool:
        """Whether it has one of its own."""
        return self.similarity is not None or self.max_distance is not None

    def __str__(self) -> str:
        """The criterion as the command line takes it."""
        if self.max_distance is not None:
            return f"{self.scheme}@{self.max_distance}bits"
        # Without an exponent, which is not read.
        return str(self.scheme) if self.similarity is None else f"{self.scheme}@{Decimal(repr(self.similarity)):f}"


class Nearness(NamedTuple):
    """The threshold of one scheme, as the core takes it: a similarity with its measure, or a distance."""

    similarity: float | None = None
    max_distance: int | None = None
    measure: str = "cosine"
    max_ratio: float = 1.0


def given_forms(criteria: Sequence[Criterion]) -> frozenset[str]:
    """Return the forms in which schemes take fingerprints or `tokens`, such as `int`; none where all take texts."""
    # A built-in scheme with files, such as a model, takes texts, and is not read again for this.
    schemes = [each.scheme for each in criteria]
    asked = [one for one in schemes if not (isinstance(one, str) and _has_files(one))]
    return frozenset(form for one in asked if (form := load_scheme(one).given_as) is not None)


def _has_files(spec: str) -> bool:
    return not spec.endswith(".toml") and bool(_core.spec_files(given_name(spec)))


def threshold_apart(given: str) -> tuple[str, str]:
    """Part a scheme from what follows its last `@`, which comes with that sign, or is empty."""
    parts = None if given.endswith(".toml") else _BEHIND.fullmatch(given)
    return (given, "") if parts is None else (parts[1], "@" + parts[2])


def criterion_of(given: Any) -> Criterion:
    """Read a criterion: `NAME`, `NAME@0.8` for a similarity, `NAME@3bits` for a distance, or one that is made."""
    if isinstance(given, Criterion):
        return given
    name, ending = threshold_apart(given) if isinstance(given, str) else (given, "")
    if not ending:
        return Criterion(name)
    threshold = _threshold_of(ending[1:])
    if not threshold:
        raise ConfigError(
            "scheme {given!r} has {ending!r} after @: give a similarity such as @0.8, or bits such as @3bits",
            given=given, ending=ending[1:],
        )  # fmt: skip
    return Criterion(name, **threshold)


class FieldText(NamedTuple):
    """A field that is compared by itself: the names that stand for it, its criterion, its weight in a mean."""

    names: tuple[str, ...]
    criterion: Criterion
    weight: float | None


_FIELD = re.compile(r"([^:]+)(?::(?:(.+)@)?(\d+bits?|\d*\.\d+|\d*)(?::(\d*\.?\d+))?)?")
NO_FLOOR = 1e-6
"""A similarity that the core takes for none: of a field in a mean that may differ altogether."""


def fields_of(
    given: Sequence[str], scheme: Any, similarity: float | None, max_distance: int | None, default: float
) -> list[FieldText]:
    """Read fields: `NAME`, `NAME:0.8`, `NAME:SCHEME@3bits`, each with `:WEIGHT` behind, and `NAME::WEIGHT`."""
    several = isinstance(scheme, Sequence) and not isinstance(scheme, str)
    if several or criterion_of(scheme).has_threshold:
        raise ConfigError(
            "scheme {scheme} and {@`field`} are both given: name the scheme of a field in it, as in title:words64@0.8",
            scheme=shown(", ".join(map(str, scheme)) if several else str(scheme)),
        )
    fields = [field_of(one, scheme) for one in given]
    if any(field.weight for field in fields):
        least = default if similarity is None else similarity
        if max_distance is not None or any(field.criterion.max_distance is not None for field in fields):
            raise ConfigError(
                "{@`field`} {given} has a weight, and bits have no mean: give similarities, or no weights",
                given=shown(", ".join(given)),
            )
        return _weighed(fields, least)
    criteria = criteria_of([field.criterion for field in fields], similarity, max_distance, default)
    return [field._replace(criterion=criterion) for field, criterion in zip(fields, criteria, strict=True)]


def field_of(given: str, scheme: Any) -> FieldText:
    """Read a field as it is given, with what it has of threshold and weight."""
    found = _FIELD.fullmatch(given)
    name, named, threshold, weight = (None,) * 4 if found is None else found.groups()
    if name is None or (named and not threshold) or (weight and not float(weight)):
        raise ConfigError(
            "{@`field`} {given} is not allowed: give NAME, NAME:THRESHOLD or NAME:THRESHOLD:WEIGHT, such as title:0.8,"
            " title:words64@0.8 or title:0.8:2",
            given=shown(given),
        )
    criterion = Criterion(named or scheme, **(_threshold_of(threshold) if threshold else {}))
    return FieldText(tuple(name.split("|")), criterion, float(weight) if weight else None)


def _weighed(fields: Sequence[FieldText], least: float) -> list[FieldText]:
    """Give each field a weight, and the least similarity of its own with which a mean can be enough."""
    weights = [field.weight or 1.0 for field in fields]
    found: list[FieldText] = []
    for field, weight in zip(fields, weights, strict=True):
        criterion = field.criterion
        if criterion.similarity is None:
            floor = (least * sum(weights) - (sum(weights) - weight)) / weight
            if floor <= 0 and not found:
                raise ConfigError(
                    "{@`field`} {name} finds the pairs, and a pair may have this mean that shares nothing of it: give"
                    " it a threshold, such as {name}:0.5:{weight:g}, or name a field of more weight first",
                    name="|".join(field.names), weight=weight,
                )  # fmt: skip
            criterion = replace(criterion, similarity=max(floor, NO_FLOOR))
        found.append(FieldText(field.names, criterion, weight))
    return found


def _threshold_of(text: str) -> dict[str, Any]:
    """Read a threshold; nothing where it is none."""
    found = _THRESHOLD.fullmatch(text)
    if found is None:
        return {}
    return {"similarity": float(found[2])} if found[1] is None else {"max_distance": int(found[1])}


def criteria_of(scheme: Any, similarity: float | None, max_distance: int | None, default: float) -> list[Criterion]:
    """Give the criteria of a run, each with a threshold."""
    several = isinstance(scheme, Sequence) and not isinstance(scheme, str)
    given = [criterion_of(each) for each in (scheme if several else [scheme])]
    if not 1 <= len(given) <= MOST_SCHEMES:
        raise ConfigError(
            "scheme names {count} schemes: allowed are 1 to {most_schemes}", count=len(given), most_schemes=MOST_SCHEMES
        )
    common = similarity is not None or max_distance is not None
    if common and all(criterion.has_threshold for criterion in given):
        name, value = ("max_distance", max_distance) if similarity is None else ("similarity", similarity)
        raise ConfigError(
            "{name} {value} and the threshold of scheme {given!r} are both given: leave one of them out",
            name=Setting(name), value=shown(value), given=str(given[0]),
        )  # fmt: skip
    if not common:
        similarity = default
    return [
        criterion if criterion.has_threshold else replace(criterion, similarity=similarity, max_distance=max_distance)
        for criterion in given
    ]
