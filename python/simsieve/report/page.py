"""Pages of HTML that need no network: one file each, with style, script and charts in it. All text is escaped."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from simsieve.messages import language, tr

_SHOWING_PAIRS = ("app.js", "review.js")
MOST_PICTURES = 20_000_000
"""Characters of pictures in a page."""


class Html(str):
    """Text that is HTML already; any other text is escaped where it goes into a page."""

    __slots__ = ()


def tag(name: str, /, *content: str, **attributes: object) -> Html:
    """Write an element."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{joined(content)}</{name}>")


def image(name: str, address: str | None) -> Html:
    """Write a picture that the page has in it; one that it has not is said to be left out."""
    if address is None:
        return tag("p", tr("not shown"), class_="none")
    return Html(f'<img alt="{escape(name)}" src="{escape(address)}">')


def within(picture: Callable[[object], str | None], most: int = MOST_PICTURES) -> Callable[[object], str | None]:
    """Give pictures until a page has `most` characters of them, and none after that."""
    left = most

    def bounded(name: object) -> str | None:
        nonlocal left
        found = picture(name) if left > 0 else None
        left -= len(found or "")
        return found

    return bounded


def joined(parts: Iterable[str]) -> Html:
    """Join parts, escaping those that are not HTML."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Write a table; its first column is that of labels."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in header))) if header else ""
    body = (tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows)
    return tag("div", tag("table", head, tag("tbody", *body)), class_="wide")


def with_code(text: str) -> Html:
    """Write a text; words between back quotes are code."""
    return joined(tag("code", part) if at % 2 else part for at, part in enumerate(text.split("`")))


def section(title: str, *content: str, place: str | None = None) -> Html:
    """Write a part of a page under its title, which links name by its place."""
    return tag("section", tag("h2", title), *content, id=place)


def page(
    title: str,
    *content: str,
    script: str | None = None,
    style: str | None = None,
    data: Mapping[str, object] | None = None,
) -> str:
    """Write a whole page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    # Nothing of the values can end the element.
    values = json.dumps(data or {}, ensure_ascii=False).replace("<", "\\u003c")
    scripts = "" if script is None else (
        f'<script type="application/json" id="data">{values}</script><script type="module">{asset(script)}</script>'
    )  # fmt: skip
    styles = asset("page.css") + ("" if style is None else asset(style))
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="generator" content="simsieve">'
        f"<style>{styles}</style>"
    )
    # An id of JSON may have half a character, which no file can hold.
    return document(title, head, *content, Html(scripts)).encode(errors="replace").decode()


def document(title: str, head: str, *content: str) -> str:
    """Write a page whose style and script are what the head says."""
    lang = "zh-Hans" if language() == "zh" else "en"
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)}</title>{head}</head>'
        f"<body><main><h1>{escape(title)}</h1>{joined(content)}</main></body></html>\n"
    )


def asset(name: str) -> str:
    """Read a file that goes into pages; scripts have what they share before them."""
    names = (*(("base.js",) if name.endswith(".js") else ()), *(("near.js",) if name in _SHOWING_PAIRS else ()), name)
    folder = resources.files("simsieve.report").joinpath("assets")
    return "".join(folder.joinpath(one).read_text(encoding="utf-8") for one in names)


def folded(summary: str, *content: str, is_open: bool = False) -> Html:
    """Write something that a click opens."""
    return tag("details", tag("summary", summary), *content, **({"open": ""} if is_open else {}))


def none_of(text: str) -> Html:
    """Write that there is nothing to show."""
    return tag("p", text, class_="none")


_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 20, 12, 40
_COLOURS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]


def bars(
    labels: Sequence[str], counts: Sequence[int], title: str, every: int = 1, mark: tuple[float, str] | None = None, *,
    are_edges: bool = False,
) -> Html:  # fmt: skip
    """Draw a bar for each count, its label below or where it begins; a mark is a line across, counted in bars."""
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
            drawn.append(_text(label, x if are_edges else x + step / 2, _HEIGHT - _BOTTOM + 18, "middle"))
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
