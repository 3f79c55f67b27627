"""Checks of single values: numbers, names, thresholds; and how a message shows a value."""

import difflib
import math
import operator
from collections.abc import Callable, Iterable
from typing import SupportsFloat, SupportsIndex, TypeGuard

from simsieve.errors import ConfigError
from simsieve.messages import Message, Setting

# What the core counts with, less the sign bit: Python's own counters of items end there too.
MOST = 2**63 - 1
MOST_THREADS = 1024


_SHOWN = 80
# The share of letters in common from which a name is taken for another one misspelt: `lowercase` for `lower` is, and
# `version` for `sign` is not.
_NEAR = 0.65


def shown(value: object) -> str:
    """Show a value in one line of bounded length, whatever it is."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:
        # An int of thousands of digits, which Python refuses to print.
        return Message("of type {name} with too many digits to show", name=type(value).__name__)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 2 :]}"


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Give the known name that is nearest to one that is not known; None where none is near."""
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=_NEAR)
    return near[0] if near else None


def check_key(what: str, name: object, known: Iterable[str]) -> None:
    """Check that a name is a known one."""
    if name not in (names := tuple(known)):
        near = nearest(name, names)
        hint = (
            Message("known are {names}", names=", ".join(names))
            if near is None
            else Message("did you mean {near!r}?", near=near)
        )
        raise ConfigError("{what} {name!r}: {hint}", what=what, name=name, hint=hint)


def check_real(name: str, value: object, interval: str, inside: Callable[[float], bool]) -> float:
    """Check that a number is in an interval."""
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, SupportsFloat)):
        raise ConfigError(
            "{name} {value} is not a number: give a number in {interval}",
            name=Setting(name), value=shown(value), interval=interval,
        )  # fmt: skip
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        # An array of many numbers, or a signalling NaN.
        number = math.nan
    if math.isnan(number) or not inside(number):
        raise ConfigError(
            "{name} {value} is outside {interval}: give a number in {interval}",
            name=Setting(name), value=shown(value), interval=interval,
        )  # fmt: skip
    return number


def check_similarity(similarity: object) -> float:
    """Check a bound on the similarity, which is in (0, 1]."""
    number = check_real("similarity", similarity, "(0, 1]", lambda x: 0 < x <= 1 or 10 <= x <= 100)
    if number > 1:
        raise ConfigError(
            "similarity {similarity} is outside (0, 1]: did you mean {number:g}?",
            similarity=shown(similarity), number=number / 100,
        )  # fmt: skip
    return number


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """Check that a number is whole and within its bounds, which are both allowed."""
    if not is_integer(value):
        raise ConfigError(
            "{name} {value} is not a whole number: allowed is {low}..{high}",
            name=Setting(name), value=shown(value), low=low, high=high,
        )  # fmt: skip
    number = operator.index(value)
    if not low <= number <= high:
        raise ConfigError(
            "{name} {number} is not allowed: allowed is {low}..{high}",
            name=Setting(name), number=shown(number), low=low, high=high,
        )  # fmt: skip
    return number


def is_integer(value: object) -> TypeGuard[SupportsIndex]:
    """Say whether a value counts as a whole number: any integer type, but no bool."""
    # Most are of this very type, and a look at a protocol takes some 10 us.
    if type(value) is int:
        return True
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return False
    try:
        operator.index(value)
    except TypeError:
        # An array of many numbers.
        return False
    return True


def check_distance(max_distance: object, width: int, of: str) -> int:
    """Check a bound on the Hamming distance against the width of the fingerprints."""
    if not is_integer(max_distance) or not 0 <= operator.index(max_distance) < width:
        raise ConfigError(
            "{@max_distance} {max_distance} is not allowed: {of} has {width} bits, allowed are the whole numbers "
            "0..{width_2}",
            max_distance=shown(max_distance), of=of, width=width, width_2=width - 1,
        )  # fmt: skip
    return operator.index(max_distance)


def check_same(name: str, was: object, now: object, of: object, instead: Message) -> None:
    """Check that the value of a setting is the one that a run or an index was made with."""
    if now != was:
        raise ConfigError(
            "{name} is {was} in {of}, and {now} is given: {instead}",
            name=Setting(name), was=_plain(was), now=_plain(now), of=of, instead=instead,
        )  # fmt: skip


def _plain(value: object) -> str:
    if value is None:
        return Message("not given")
    return (",".join(map(str, value)) or "none") if isinstance(value, tuple) else str(value)
