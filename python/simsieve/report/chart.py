"""Charts as SVG in the page's own colours: bars and lines, with a title for each value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simsieve.report.page import Html, tag

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 20, 12, 40
_COLOURS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]


def bars(
    labels: Sequence[str], counts: Sequence[int], title: str, every: int = 1, mark: tuple[float, str] | None = None
) -> Html:
    """Draw a bar for each count; a mark is a line across at a place, counted in bars, with its label."""
    most = max(counts, default=0) or 1
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(counts), 1)
    drawn: list[str] = _grid(0, most, whole=True)
    for at, (label, count) in enumerate(zip(labels, counts, strict=True)):
        height = (_HEIGHT - _TOP - _BOTTOM) * count / most
        # A bar of one document beside one of a million can be seen.
        height = max(height, 1.5) if count else 0
        x = _LEFT + step * at
        drawn.append(
            tag(
                "rect", tag("title", f"{label}: {count:,}"), class_="bar", x=_place(x + step * 0.08),
                y=_place(_HEIGHT - _BOTTOM - height), width=_place(step * 0.84), height=_place(height),
            )
        )  # fmt: skip
        if at % every == 0:
            drawn.append(_text(label, x + step / 2, _HEIGHT - _BOTTOM + 18, "middle"))
    if mark is not None:
        across = _LEFT + step * mark[0]
        drawn.append(tag("line", x1=_place(across), x2=_place(across), y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="mark"))
        drawn.append(_text(mark[1], across + 4, _TOP + 10, "start"))
    return _drawing(drawn, title)


def lines(
    drawn_lines: Sequence[Line],
    x_range: tuple[float, float],
    title: str,
    marks: Sequence[float] = (),
    ticks: Sequence[tuple[float, str]] | None = None,
) -> Html:
    """Draw lines of values in [0, 1], with a legend below."""
    first, last = x_range
    lowest = min((y for line in drawn_lines for _, y in line.points), default=0.0)
    base = 0.0 if lowest < 0.5 else 0.5 if lowest < 0.8 else 0.8

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / ((last - first) or 1)
        up = (y - base) / (1 - base)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    drawn = _grid(base, 1.0, whole=False)
    if ticks is None:
        tenths = range(math.ceil(first * 10 - 1e-9), math.floor(last * 10 + 1e-9) + 1)
        ticks = [(tenth / 10, f"{tenth / 10:g}") for tenth in tenths]
    drawn += [_text(label, place(x, base)[0], _HEIGHT - _BOTTOM + 18, "middle") for x, label in ticks]
    for x in marks:
        at = _place(place(x, base)[0])
        drawn.append(tag("line", x1=at, x2=at, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="mark"))
    legend = []
    for number, line in enumerate(drawn_lines):
        points = " ".join(f"{_place(x)},{_place(y)}" for x, y in (place(*point) for point in line.points))
        look = f"c{number % _COLOURS}" + (" thin" if number >= _COLOURS else "")
        drawn.append(tag("polyline", tag("title", line.name), points=points, class_=f"line {look}"))
        legend.append(tag("span", tag("i", class_=f"key {look}"), line.name))
    return tag("div", _drawing(drawn, title), tag("p", *legend, class_="legend"))


def _grid(low: float, high: float, *, whole: bool) -> list[str]:
    """Lines across at round values, with their values at the left."""
    step = _round_step((high - low) / 4) if whole else (high - low) / 4
    drawn: list[str] = []
    for part in range(int((high - low) / step + 1e-9) + 1):
        value = low + step * part
        y = _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)
        drawn.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=_place(y), y2=_place(y), class_="grid"))
        drawn.append(_text(f"{value:,.0f}" if whole else f"{value:.2f}", _LEFT - 6, y + 4, "end"))
    return drawn


def _round_step(least: float) -> float:
    """The least whole number of the form 1, 2 or 5 times a power of ten that is not below a number."""
    step = 1
    while step < least:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def _text(text: str, x: float, y: float, anchor: str) -> Html:
    return tag("text", text, x=_place(x), y=_place(y), text_anchor=anchor)


def _place(value: float) -> str:
    return f"{value:.1f}"


def _drawing(parts: Sequence[str], title: str) -> Html:
    return tag("svg", *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=title)
