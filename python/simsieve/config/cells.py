"""Cells of tables that a spreadsheet would take for formulas: an apostrophe before them makes them text."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def safe_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would calculate; numbers stay."""
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def given_cell(text: str) -> str:
    """Give the text that `safe_cell` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
