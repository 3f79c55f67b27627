"""The HTML of the review page, which has no text of a record, and the words that its script shows."""

from collections.abc import Mapping, Sequence

from simsieve.config.words import in_words
from simsieve.evaluate.pairs import Key
from simsieve.evaluate.review import Review
from simsieve.messages import Message, tr
from simsieve.report.page import MOST_PICTURES, Html, document, page, tag
from simsieve.results.dedup import DedupResult
from simsieve.review.cards import Cards
from simsieve.sinks.base import SinkPath, write_text
from simsieve.sinks.checks import check_sinks


def closed() -> Message:
    """Say to whom an address is closed how it opens."""
    return Message(
        "Open the address that simsieve has printed. It lets one browser in: press Enter where simsieve runs, and it"
        " prints another."
    )


def review_page(data: Mapping[str, object] | None = None, title: str = "") -> str:
    """Write the page, which its script fills: from the program that serves it, or from the data inside it."""
    keys = (("s", "same", tr("same")), ("d", "different", tr("different")), ("x", "skip", tr("skip")))
    verdicts = [_button(key, word, data_verdict=verdict) for key, verdict, word in keys]
    moves = [("u", "undo", tr("undo")), ("j", "next", tr("next pair")), ("k", "previous", tr("previous pair"))]
    if data is None:
        moves += [("n", "next-item", tr("next document")), ("p", "previous-item", tr("previous document"))]
    others = [_button(key, word, data_move=name) for key, name, word in moves]
    bar = tag(
        "header", tag("div", *verdicts, *others, class_="buttons"),
        tag("p", "", id="state", role="status", aria_live="polite"),
        tag("p", "", id="told", role="alert"), class_="bar-of-keys",
    )  # fmt: skip
    title = title or tr("Review near duplicates")
    if data is not None:
        return page(title, bar, _item(), tag("p", _table_link("#")), script="review.js", style="review.css", data=data)
    return served_page(title, bar, _filters(), _item(), _closing(), script="review.js")


def write_page(
    result: DedupResult, review: Review, sink: SinkPath, verdicts: Mapping[Key, str], show: Sequence[str] = ()
) -> None:
    """Write chosen near duplicates as a page that needs no program: it has them inside, and saves a table."""
    check_sinks(result.with_sources()[0].sources, [sink])
    cards = Cards(result, show, MOST_PICTURES)
    members = review.chosen.tolist()
    pairs = []
    for at, card in zip(members, cards.cards(members), strict=True):
        a, b = sorted(cards.positions(at))
        pairs.append(card | {"verdict": verdicts.get((a, b), ""), "naming": cards.naming(at)})
    told = {
        "item": tr("{count:,} of {near:,} near duplicates to judge", count=len(pairs), near=len(review.near)),
        "near": tr(
            "Are the two texts of a pair the same for your purpose? Judge the pairs by key or button, then save. The"
            " saved file names the records and has your verdicts. simsieve review --verdicts FILE gives the precision."
        ),
        "none": tr("No document was dropped as near."),
    }
    write_text(sink, review_page({"words": words() | told, "pairs": pairs}), private=True)


def door_page(*, is_open: bool) -> str:
    """Write what an address shows that lets a browser in, or no longer does."""
    text = tr("You are let in.") if is_open else in_words(closed())
    link = tag("p", tag("a", tr("Open the page"), href="./")) if is_open else ""
    return served_page("simsieve", tag("p", text), link, goes_on=is_open)


def words(none: str = "") -> dict[str, str]:
    """Give the words that the script puts together; `none` is said where nothing is to be shown."""
    return {
        "item": tr("Document {rank} of {total}: {name}"),
        "near": tr("near duplicates: {size}"),
        "keep": tr("keep this one"),
        "a": tr("a: {name} (stays)"), "b": tr("b: {name} (goes)"),
        "same": tr("same"), "different": tr("different"), "keep a": tr("keep a"), "keep b": tr("keep b"),
        "skip": tr("skipped"),
        "by": tr("{verdict}, by {person}"),
        "judged": tr("{done} of {all} judged"),
        "precision": tr("Precision: {value}"),
        "lost": tr("lost: {run}"),
        "fold": tr("{count} characters"),
        "more": tr("{count} more"),
        "none": none or tr("Nothing is left to show: change the filter."),
        "done": tr("Every pair of this queue is judged or skipped. Press j or n, or click a pair, to look again."),
        "nothing": tr("There is nothing to undo."),
        "undone": tr("undone; the filter hides the pair"),
        "away": tr("The program does not answer: nothing was kept. Is it running?"),
        "any": tr("all"),
        "address": tr("Send this address; it lets one browser in."),
        "doubt": tr("most doubtful first"), "most": tr("most lost text first"),
        "numbers": tr("conflicts of numbers first"), "size": tr("largest groups first"),
        "sample": tr("a fair sample"),
    }  # fmt: skip


def _filters() -> Html:
    def ends(name: str, label: str, step: str) -> Html:
        fields = (
            tag(
                "input", type="number", step=step, name=f"{name}_{end}", aria_label=f"{label}: {word}", placeholder=word
            )
            for end, word in (("from", tr("from")), ("to", tr("to")))
        )
        return tag("fieldset", tag("legend", label), *fields, data_range=name)

    def choice(name: str, label: str) -> Html:
        return tag("label", tag("span", label), tag("select", name=name), data_choice=name)

    form = tag(
        "form", choice("order", tr("order")), choice("source", tr("source")), choice("field", tr("field")),
        choice("value", tr("value")), ends("similarity", tr("similarity"), "any"), ends("distance", tr("bits"), "1"),
        ends("lost", tr("lost units"), "1"), ends("length", tr("bytes of the record"), "1"),
        tag("button", tr("Show"), type="submit"), tag("button", tr("Show all"), type="reset"), id="filters",
    )  # fmt: skip
    return tag("details", tag("summary", tr("Order and filters")), form)


def _item() -> Html:
    return tag(
        "section", tag("h2", "", id="name"), tag("p", "", id="note", class_="note"), tag("div", "", id="pairs"),
        tag("button", "", type="button", id="more", hidden=""), id="item", aria_labelledby="name",
    )  # fmt: skip


def _closing() -> Html:
    """The effects of the verdicts, and the actions on them."""
    effects = (
        tag("h2", tr("What the verdicts come to"), id="closing"), tag("p", "", id="precision"),
        tag("p", "", id="about"),
        tag("p", "", id="effects", role="status", aria_live="polite"),
        tag("p", tag("button", tr("Decide again, and count"), type="button", id="work-out"),
            _table_link("api/verdicts.csv"),
            tag("button", "", type="button", id="apply")),
        tag("p", "", id="applied", role="status", aria_live="polite"),
        tag("p", tag("label", tag("span", tr("Take over a table of verdicts")),
                     tag("input", type="file", id="take", accept=".csv,.tsv,.jsonl,.json,.parquet"))),
        tag("p", "", id="taken", role="status", aria_live="polite"),
    )  # fmt: skip
    people = tag(
        "form", tag("label", tag("span", tr("Another person, by name")), tag("input", name="name", maxlength="40")),
        tag("button", tr("Make an address"), type="submit"), id="invite",
    )  # fmt: skip
    address = tag("p", "", id="address", role="status", aria_live="polite")
    return tag("section", *effects, people, address, aria_labelledby="closing")


def _table_link(place: str) -> Html:
    return tag("a", tr("Save a table"), href=place, download="verdicts.csv", class_="button")


def _button(key: str, word: str, **data: str) -> Html:
    return tag("button", tag("kbd", key), " ", word, type="button", aria_keyshortcuts=key, **data)


def served_page(
    title: str, *content: str, script: str = "", styles: Sequence[str] = ("review.css",), goes_on: bool = False
) -> str:
    """Write a page that a program serves with its script and styles."""
    head = '<link rel="icon" href="data:,">'
    head += "".join(f'<link rel="stylesheet" href="{name}">' for name in ("page.css", *styles))
    head += '<meta http-equiv="refresh" content="0;url=./">' if goes_on else ""
    head += f'<script type="module" src="{script}"></script>' if script else ""
    return document(title, head, *content)
