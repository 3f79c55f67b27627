"""Writes docs/reference/scheme-options.md from the table of scheme options; a test checks that the page is current.

Usage: make_scheme_options.py [FILE]; `-` writes to standard output.
"""

from pathlib import Path
from typing import Any

from making import written

from simsieve import _core

PAGE = Path(__file__).parent / "reference" / "scheme-options.md"
OPENING = """# Options of schemes

This page is made from the core's table of options by `docs/make_scheme_options.py`; a test fails when it is stale. A
scheme is written `name:option=value,option=value`, for example `chars64:n=3,weights=log`. The rows have the order of a
canonical spec. What the features and weights are: [schemes.md](schemes.md).

| option | schemes | allowed | default | what it does |
|---|---|---|---|---|
"""


def cell(text: str) -> str:
    """A cell of a table, in which no bar may stand."""
    return text.replace("|", "\\|")


def allowed(row: dict[str, Any]) -> str:
    """The values of an option."""
    if row["choices"]:
        return ", ".join(f"`{choice}`" for choice in row["choices"])
    if row["least"] is not None:
        return f"{row['least']:,} to {row['most']:,}"
    return f"`{row['sample'].partition('=')[2]}`"


def line(row: dict[str, Any]) -> str:
    """One row of the page."""
    default = "-" if row["default"] is None else f"`{row['default']}`"
    cells = (f"`{row['key']}`", ", ".join(row["families"]), allowed(row), default, row["help"])
    return "| " + " | ".join(cell(text) for text in cells) + " |\n"


def page() -> str:
    """The whole page."""
    return OPENING + "".join(map(line, _core.scheme_options()))


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
