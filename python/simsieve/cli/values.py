"""Values of options: numbers that may be percentages, and what a shell may complete a value to."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from simsieve import _core
from simsieve.config.setting import COMMAS, Setting
from simsieve.messages import tr
from simsieve.schemes.scheme import PICTURES, schemes

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Number = click.ParamType[float]
    _Whole = click.ParamType[int]
else:
    # Older releases of click have no types here.
    _Number = click.ParamType
    _Whole = click.ParamType


class Share(_Number):
    """A number that may be a percentage: `0.8` or `80%`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it; what looks like a percentage without its sign is refused with the number that was meant."""
        if isinstance(value, float):
            return value
        text = value.strip()
        try:
            number = float(text.rstrip("%％"))
        except ValueError:
            near = text.replace(",", ".").replace("，", ".")
            hint = tr("did you mean {number}?", number=near) if _is_number(near) else tr("give a number such as 0.8")
            self.fail(tr("{value} is not a number: {hint}", value=repr(value), hint=hint), param, ctx)
        if text.endswith(("%", "％")):
            return number / 100
        if _LEAST_PERCENTAGE <= number <= 100:
            text = tr("{value} is more than 1: did you mean {number:g}, or {value}%?", value=text, number=number / 100)
            self.fail(text, param, ctx)
        return number


SHARE = Share()


class Count(_Whole):
    """A whole number that may have a power of ten or a unit: `1000000`, `1e6`, `1m`."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it; a fraction of a record is refused."""
        if isinstance(value, int):
            return value
        text = value.strip().lower().replace(",", "").replace("_", "")
        found = re.fullmatch(r"([+-]?\d{1,19}(?:\.\d{1,9})?)(?:e\+?(\d{1,2})|([kmb]))?", text)
        number = Decimal(found[1]) * 10 ** (int(found[2] or 0) + _UNITS[found[3] or ""]) if found else Decimal("0.5")
        if number != int(number):
            self.fail(
                tr("{value} is not a whole number: give one such as 1000000, 1e6 or 50m", value=repr(value)), param, ctx
            )
        return int(number)


COUNT = Count()
_UNITS = {"": 0, "k": 3, "m": 6, "b": 9}
"""The powers of ten of thousand, million and billion."""
_LEAST_PERCENTAGE = 10
"""A number from here to 100 was meant as a percentage; a smaller one is just too large."""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _schemes(incomplete: str) -> list[str]:
    """Names of schemes; after a colon the options of that scheme, each with its values where these can be listed."""
    name, colon, options = incomplete.partition(":")
    if not colon:
        return [*(info.name for info in schemes()), *PICTURES]
    done, comma, _ = options.rpartition(",")
    given = {option.partition("=")[0] for option in done.split(",")}
    family = name.rstrip("0123456789")
    rows = [row for row in _core.scheme_options() if family in row["families"] and row["key"] not in given]
    words = [f"{row['key']}={value}" for row in rows for value in row["choices"] or [""]]
    return [f"{name}:{done}{comma}{word}" for word in words]


def completer(setting: Setting) -> Completer:
    """Return the completer of a setting's option: its words, and names of files if it takes them."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        del ctx, param
        # Of a list with commas the last one is being written, and of a pattern the word behind it.
        cut = incomplete.rfind("," if setting.several == COMMAS else "=" if dict in setting.also else "\0") + 1
        done, last = incomplete[:cut], incomplete[cut:]
        words = _schemes(incomplete) if setting.name == "scheme" else setting.words
        found = [CompletionItem(done + word) for word in words if word.startswith(last)]
        return found or ([CompletionItem(incomplete, type="file")] if setting.files else [])

    return complete
