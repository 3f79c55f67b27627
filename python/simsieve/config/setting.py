"""The columns of the settings table, and the groups of options in the help."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

INPUT, TEXT, NEAR, APART, STAYS, OUTPUT, ADVANCED = GROUPS = (
    "Input", "What is compared", "What is near", "What is never dropped", "Which stays", "Output", "Advanced"
)  # fmt: skip
"""The groups of options in the help of a command, in their order."""

IN_FILE, IN_URI = "file", "uri"
"""Where a setting without an option is given: in a file of settings alone, or in the URI of a collection too."""

SEARCHES = frozenset(("pairs", "review", "thresholds", "labels"))
"""The commands besides `dedup` that search with all settings of nearness."""
ENCODES = SEARCHES | {"calibrate", "edits", "fingerprint"}
"""The commands besides `dedup` that make fingerprints of all records."""
OF_RECORDS = SEARCHES | {"calibrate", "compare"}
"""The commands besides `dedup` that compare fields of records."""
INSIDE = frozenset(("passages", "lines", "templates"))
"""The commands on parts of texts."""
EVERY = ENCODES | INSIDE
"""The commands besides `dedup` that read records with all settings of reading."""
TEXTS = ENCODES | {"compare", "features", "fit", "spark"}
"""The commands besides `dedup` that take features of texts."""
CLEANED = ("cut_at", "strip", "ignore")
"""The settings that take something out of texts before features are taken."""

REPEATED, COMMAS = "repeated", "commas"
"""How the command line takes a list: an option that is repeated, or one list with commas."""

RESUMED, AGAIN, ID = "resumed", "again", "id"
"""When a setting must have the value of an earlier run: in a run that goes on, and when a finished run is decided
again. Runs have one id in MongoDB only if it is the same in them. What the core knows of a run it compares itself."""
FREE, DECIDING = frozenset[str](), frozenset((AGAIN, ID))
CHOOSING = DECIDING | {RESUMED}
"""What chooses the records, and what changes what a record is."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the settings table."""

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
    check: Callable[[str, Any], Any] | None = None
    several: str = ""
    also: tuple[type, ...] = ()
    of: AbstractSet[str] = frozenset()
    of_files: bool = False
    held: AbstractSet[str] = DECIDING
    letter: str = ""
    metavar: str = ""
    words: tuple[str, ...] = ()
    files: bool = False
    rare: str = ""
    flag: str = ""

    @property
    def option(self) -> str:
        """The setting's name on the command line."""
        return self.flag or "--" + self.name.replace("_", "-")


def row_of(default: Any, kind: type, *texts: str, unit: str = "", **columns: Any) -> Any:
    """The field of a dataclass that is a row of the table."""
    row = dict(zip(("allowed", "help", "example"), texts, strict=True), kind=kind, unit=unit, **columns)
    return field(default=default, metadata=row)
