"""Text on a terminal: how many columns it takes, and how it is broken into lines. A Chinese character takes two.

Control characters of records and file names could move the cursor or reorder the text on the screen: they are escaped.
"""

import re
from collections.abc import Iterable

# Text without blanks breaks between two of these characters; other runs stay whole.
_WIDE = "\u2e80-\u303f\u3040-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef"
_ATOM = rf"(\s*)([{_WIDE}]|[^\s{_WIDE}]+)"
"""A pattern that is compiled when it is first used, which takes as long as importing ten modules."""
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""C0 but for the tab and the line end, delete, C1, further line ends, and what turns the direction of a text.

It goes between the brackets of a pattern.
"""
_CONTROLS = re.compile(f"[{CONTROLS}]")
_NOT_FIRST = "，。；：、！？）」』》】…"
_NOT_LAST = "（「『《【"


def visible(text: str) -> str:
    """Escape the control characters of a text, as JSON does; tabs and line ends stay."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cells(text: str) -> int:
    """Count the columns that a text takes."""
    if text.isascii():
        return len(text)
    # Loaded here, since it takes longer than most commands need for their help.
    from rich.cells import cell_len  # noqa: PLC0415 - see above

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """Fill a text with blanks to a number of columns."""
    return text + " " * (width - cells(text))


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most a number of columns; a word that is longer has a line of its own."""
    lines, line = [], ""
    for blank, atom in _atoms(text):
        longer = line + (" " if blank and line else "") + atom
        if line and cells(longer) > width:
            lines.append(line)
            longer = atom
        line = longer
    return [*lines, line] if line else lines


def _atoms(text: str) -> Iterable[tuple[bool, str]]:
    """The parts that a line may end after: whether a blank precedes each, and the part with its punctuation."""
    found: list[tuple[bool, str]] = []
    for match in re.finditer(_ATOM, text):
        blank, atom = bool(match[1]), match[2]
        follows = found and not blank and (atom in _NOT_FIRST or found[-1][1][-1] in _NOT_LAST)
        if follows:
            found[-1] = (found[-1][0], found[-1][1] + atom)
        else:
            found.append((blank, atom))
    return found
