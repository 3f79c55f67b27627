"""Draws the picture of the READMEs: two near duplicates of the examples side by side, what differs in colour.

Usage: make_picture.py [FOLDER]; the default is docs/pictures. It writes `near-light.svg` and `near-dark.svg`.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import simsieve
from simsieve.differences import PART, aligned_parts
from simsieve.screen import cells

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
SHOWN = ("news-02", "news-14")
"""The dropped records that are shown, a Chinese and an English one."""
COLOURS = {
    "light": dict(ground="#ffffff", text="#1c2128", soft="#59636e", line="#d5dae0", gone="#ffd7d5", new="#ccf0d3"),
    "dark": dict(ground="#14181d", text="#e2e7ec", soft="#9aa5b1", line="#353d47", gone="#6b2f33", new="#1f5a34"),
}
CELL, LINE, WIDE, GAP, EDGE = 7.6, 22, 54, 24, 20
"""The width of a cell, the height of a line, the cells of a column, and what is between and around the columns."""

Run = tuple[bool, str]
"""A piece of text, and whether it differs."""


def lines_of(runs: Sequence[Run]) -> list[list[Run]]:
    """Break a text into the lines of a column; a line has runs that differ and runs that do not."""
    lines: list[list[Run]] = [[]]
    used = 0
    for differs, text in runs:
        for atom in re.findall(PART, text):
            if used + cells(atom) > WIDE:
                lines.append([])
                used = 0
            if not used and atom.isspace():
                continue
            if lines[-1] and lines[-1][-1][0] == differs:
                lines[-1][-1] = (differs, lines[-1][-1][1] + atom)
            else:
                lines[-1].append((differs, atom))
            used += cells(atom)
    return lines


def drawn(lines: Sequence[Sequence[Run]], x: float, y: float, colour: str, text: str) -> Iterator[str]:
    """Draw a column: each run has its own width, so that it stands right with any font."""
    for number, runs in enumerate(lines):
        at, base = x, y + LINE * number
        for differs, run in runs:
            width = cells(run) * CELL
            if differs:
                yield f'<rect x="{at:.1f}" y="{base - 16:.1f}" width="{width:.1f}" height="21" rx="3" fill="{colour}"/>'
            yield (
                f'<text x="{at:.1f}" y="{base:.1f}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
                f'xml:space="preserve" fill="{text}">{escape(run)}</text>'
            )
            at += width


def picture(theme: str) -> str:
    """Draw the picture in the colours of a theme."""
    colours, parts, y = COLOURS[theme], list[str](), EDGE + 18.0
    result = simsieve.dedup(ROOT / "examples" / "texts.jsonl")
    rows = {row.b: row for row in result.review(100)}
    column = WIDE * CELL
    for name in SHOWN:
        row = rows[name]
        aligned = list(aligned_parts(row.a_text, row.b_text))
        sides = [lines_of([(not equal, pair[at]) for equal, *pair in aligned if pair[at]]) for at in (0, 1)]
        titles = (f"kept  {row.a}", f"dropped  {row.b}   similarity {row.similarity:.2f}")
        for at, (title, lines, kind) in enumerate(zip(titles, sides, ("gone", "new"), strict=True)):
            x = EDGE + at * (column + GAP)
            parts.append(
                f'<text x="{x:.1f}" y="{y:.1f}" font-weight="600" fill="{colours["soft"]}">{escape(title)}</text>'
            )
            parts += drawn(lines, x, y + LINE + 4, colours[kind], colours["text"])
        y += LINE * (max(map(len, sides)) + 2) + 4
        if name != SHOWN[-1]:
            parts.append(f'<path d="M{EDGE} {y - 28:.1f}H{EDGE + 2 * column + GAP:.1f}" stroke="{colours["line"]}"/>')
    width, height = 2 * (EDGE + column) + GAP, y - LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'font-family="ui-monospace, Menlo, Consolas, \'Noto Sans Mono CJK SC\', monospace" font-size="14" role="img" '
        f'aria-label="Two near duplicates side by side, what differs in colour">'
        f'<rect width="100%" height="100%" rx="8" fill="{colours["ground"]}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for theme in COLOURS:
        (folder / f"near-{theme}.svg").write_text(picture(theme), encoding="utf-8")
