"""What a row of the settings table has, and the groups of options in the help."""

from dataclasses import dataclass
from typing import Any

INPUT, NEAR, STAYS, OUTPUT, ADVANCED = GROUPS = ("Input", "What is near", "Which stays", "Output", "Advanced")
"""The groups of options in the help of a command, in their order."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the settings table.

    Args:
        name: The name in Python; the command line's is `--` and the same with `-` for `_`.
        default: The value when none is given.
        kind: The type that the command line reads: `str`, `int` or `float`; `bool` is an option without a value.
        unit: What a number counts; empty where it has no unit.
        allowed: The values that are allowed, in words, bounds included or not by bracket.
        help: What it does, in one or two sentences.
        example: A use of it on the command line.
        group: Where the help has it: one of `GROUPS`.
        common: Whether the short help has it too.
        aliases: Other names that the command line takes, for people who know them from other programs.

    Example:
        >>> Setting("max_distance", None, int, "bits", "0 to 63", "How far.", "--max-distance 3").option
        '--max-distance'
    """

    name: str
    default: Any
    kind: type
    unit: str
    allowed: str
    help: str
    example: str
    group: str = ADVANCED
    common: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The setting's name on the command line."""
        return "--" + self.name.replace("_", "-")
