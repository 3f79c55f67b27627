"""The page on which people judge pairs with the keyboard, and save their verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simsieve.config.pair_rows import id_text
from simsieve.messages import tr
from simsieve.report.page import Html, none_of, page, tag
from simsieve.report.samples import Sample, shown_pair
from simsieve.results.texts import Texts


def review_page(
    samples: Sequence[Sample],
    labels: Sequence[tuple[str, str]],
    verdicts: Sequence[str],
    texts: Texts,
    near: int,
    values: Mapping[int, Mapping[str, Any]],
) -> str:
    """Make the page."""
    keys = (
        ("s", "same", tr("same")),
        ("d", "different", tr("different")),
        ("a", "keep a", tr("keep a")),
        ("b", "keep b", tr("keep b")),
        ("x", "", tr("clear")),
    )
    buttons = [
        tag("button", tag("kbd", key), " ", word, type="button", data_verdict=verdict) for key, verdict, word in keys
    ]
    moves = (tag("kbd", "j"), " ", tag("kbd", "k"), " ", tr("next, previous"))
    save = tag("button", tr("Save verdicts"), type="button", id="save")
    bar = tag(
        "div", tag("div", *buttons, save), tag("p", *moves, " · ", tag("span", "", id="count"), class_="note"),
        class_="bar-of-keys",
    )  # fmt: skip
    note = tr(
        "Are the two texts of a pair the same for your purpose? Judge the pairs by key or button, then save. The saved"
        " file names the records and has your verdicts. simsieve review --verdicts FILE gives the precision."
    )
    shown = [
        _pair(number, sample, label, verdict, texts, values)
        for number, (sample, label, verdict) in enumerate(zip(samples, labels, verdicts, strict=True), 1)
    ]
    title = tr("{count:,} of {near:,} near duplicates to judge", count=len(samples), near=near)
    data = {"count": tr("{done} of {all} judged"), "name": "verdicts.csv"}
    body: list[str] = [bar, *shown] if shown else [none_of(tr("No document was dropped as near."))]
    return page(title, tag("p", note), *body, script="review.js", data=data)


def _pair(
    number: int,
    sample: Sample,
    label: tuple[str, str],
    verdict: str,
    texts: Texts,
    values: Mapping[int, Mapping[str, Any]],
) -> Html:
    names = (f"a: {texts.name(sample.a)}", f"b: {texts.name(sample.b)}")
    mark = tag("b", verdict, class_="verdict")
    head = tag("p", tag("b", f"{number}. "), mark)
    body = shown_pair(sample, texts, with_texts=True, names=names)
    naming = texts.naming(sample.a, "a") | texts.naming(sample.b, "b")
    named = {f"data_{name}": value for name, value in {"a": label[0], "b": label[1], **naming}.items()}
    return tag("article", head, body, *_fields(sample, values), tabindex="0", **named, data_verdict=verdict)


def _fields(sample: Sample, values: Mapping[int, Mapping[str, Any]]) -> Iterator[Html]:
    """A table with a row for each field that one of the two has; values that differ are marked."""
    one, other = values.get(sample.a, {}), values.get(sample.b, {})
    rows = []
    for name in dict.fromkeys((*one, *other)):
        cells = [id_text(of[name]) if name in of else "" for of in (one, other)]
        kind = "mark" if cells[0] != cells[1] else "span"
        rows.append(tag("tr", tag("th", name), *(tag("td", tag(kind, cell)) for cell in cells)))
    if rows:
        yield tag("table", tag("tr", tag("th", ""), tag("th", "a"), tag("th", "b")), *rows, class_="fields")
