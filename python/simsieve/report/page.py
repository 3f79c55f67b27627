"""Pages of HTML that need no network: one file each, with its style and script in it. All text is escaped."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib import resources

from simsieve.messages import language, tr

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
    """Join parts, escaping what is not HTML."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Write a table; its first column is that of labels."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in header))) if header else ""
    body = (tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows)
    return tag("div", tag("table", head, tag("tbody", *body)), class_="wide")


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
    """Read a file that goes into pages."""
    return resources.files("simsieve.report").joinpath("assets", name).read_text(encoding="utf-8")


def folded(summary: str, *content: str, is_open: bool = False) -> Html:
    """Write something that a click opens."""
    return tag("details", tag("summary", summary), *content, **({"open": ""} if is_open else {}))


def none_of(text: str) -> Html:
    """Write that there is nothing to show."""
    return tag("p", text, class_="none")
