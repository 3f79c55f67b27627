"""What people look at: counts in words, and HTML for notebooks, in which all that comes from texts is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from simsieve.messages import tr

_UNITS = ("B", "kB", "MB", "GB", "TB")
_CELL = "text-align:left;vertical-align:top;padding:2px 8px"
_TEXT = f"{_CELL};unicode-bidi:plaintext;text-align:start;width:50%;white-space:pre-wrap;word-break:break-word"
# Half transparent, so that they show on light and dark pages.
_GONE = "background:rgba(255,80,80,.35);text-decoration:none"
_NEW = "background:rgba(60,190,90,.35);text-decoration:none"
_LONGEST_EQUAL, _LONGEST_DIFFERENT = 400, 1_000


def cut(text: str, most: int) -> str:
    """Cut a text to a number of characters, the last of them an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table; None becomes an empty cell, and a number with a point has four digits after it."""
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<div><b>{escape(title)}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def html_values(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Write labels with their values, a row each."""
    body = "".join(f'<tr><th style="{_CELL}">{escape(label)}</th>{_cell(value)}</tr>' for label, value in rows)
    return f"<div><b>{escape(title)}</b><table><tbody>{body}</tbody></table></div>"


def html_side_by_side(parts: Iterable[tuple[bool, str, str]], names: tuple[str, str] = ("a", "b")) -> str:
    """Write two texts beside each other, with what differs in colour."""
    left, right = [], []
    for equal, a, b in parts:
        if equal:
            same = _shortened(a, _LONGEST_EQUAL)
            left.append(same)
            right.append(same)
            continue
        if a:
            left.append(f'<del style="{_GONE}">{_shortened(a, _LONGEST_DIFFERENT)}</del>')
        if b:
            right.append(f'<ins style="{_NEW}">{_shortened(b, _LONGEST_DIFFERENT)}</ins>')
    cells = "".join(
        f'<td style="{_TEXT}" data-name="{escape(name)}">{"".join(side)}</td>'
        for name, side in zip(names, (left, right), strict=True)
    )
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in names)
    return (
        f'<table style="width:100%;table-layout:fixed"><thead><tr>{head}</tr></thead>'
        f"<tbody><tr>{cells}</tr></tbody></table>"
    )


def html_pair(title: str, parts: Iterable[tuple[bool, str, str]], names: tuple[str, str]) -> str:
    """Write two texts beside each other under a title; see `html_side_by_side`."""
    return f"<div><b>{escape(title)}</b>{html_side_by_side(parts, names)}</div>"


def likeness(similarity: float | None, distance: int | None) -> str:
    """Write how near two documents are; empty where nothing was measured."""
    measured = [] if similarity is None else [f"similarity {similarity:.4f}"]
    apart = [] if distance is None else [f"{counted(distance, 'bit')} apart"]
    return ", ".join(measured + apart)


def _cell(value: object) -> str:
    shown = f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)
    return f'<td style="{_CELL}">{escape(shown)}</td>'


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return escape(text)
    half = longest // 2
    left_out = f"<i> … {tr('{count:,} characters', count=len(text) - 2 * half)} … </i>"
    return escape(text[:half]) + left_out + escape(text[-half:])


def readable_bytes(size: int) -> str:
    """Write a size in decimal units, 1 kB being 1,000 bytes."""
    value, unit = float(size), _UNITS[0]
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"
