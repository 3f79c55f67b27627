"""Text on a terminal: how many columns it takes, and how it is broken into lines. A Chinese character takes two."""

import re
from collections.abc import Iterable

# Text without blanks breaks between two of these characters; other runs stay whole.
_WIDE = "\u2e80-\u303f\u3040-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef"
_ATOM = re.compile(rf"(\s*)([{_WIDE}]|[^\s{_WIDE}]+)")
_NOT_FIRST = "，。；：、！？）」』》】…"
_NOT_LAST = "（「『《【"


def cells(text: str) -> int:
    """Count the columns that a text takes.

    Example:
        >>> cells("abc"), cells("中文")
        (3, 4)
    """
    if text.isascii():
        return len(text)
    # Loaded here, since it takes longer than most commands need for their help.
    from rich.cells import cell_len  # noqa: PLC0415 - see above

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """Fill a text with blanks to a number of columns.

    Example:
        >>> padded("中", 4) + "|"
        '中  |'
    """
    return text + " " * (width - cells(text))


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most a number of columns; a word that is longer has a line of its own.

    Example:
        >>> wrapped("two words", 5), wrapped("保留的记录。", 6)
        (['two', 'words'], ['保留的', '记录。'])
    """
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
    for match in _ATOM.finditer(text):
        blank, atom = bool(match[1]), match[2]
        follows = found and not blank and (atom in _NOT_FIRST or found[-1][1][-1] in _NOT_LAST)
        if follows:
            found[-1] = (found[-1][0], found[-1][1] + atom)
        else:
            found.append((blank, atom))
    return found
