"""The HTML of the page of `simsieve app`, which has no text of a file, and the words that its script shows."""

import re
from collections.abc import Mapping

from simsieve.config.formats import COMMON
from simsieve.messages import shown, tr
from simsieve.report.page import Html, table, tag
from simsieve.review.page import served_page, words
from simsieve.screen import visible
from simsieve.tidy.moves import HAS_BIN


def app_page() -> str:
    """Write the page, which its script fills."""
    told = tag("p", "", id="told", role="alert")
    parts = (_choosing(), _looking(), told, _asking(), _runs(), _shared(), _found(), _closing())
    return served_page(tr("Find and tidy near duplicates"), *parts, script="app.js", styles=("review.css", "app.css"))


_OTHER = re.compile(r"[;；:：,，] ?[^;；:：,，\0]*\0[^;；.。]*")
"""A clause of a message that names a setting that the page has no field for."""


def on_page(message: str) -> str:
    """Write a message for the page: with its fields for settings, and without a clause that names another setting."""
    fields = {
        "encoding": tr("Letters look wrong?"), "similarity": tr("alike from (% of the wording)"),
        "text_field": tr("field with the text"),
    }  # fmt: skip
    text = shown(message, lambda name: f"“{fields[name]}”" if name in fields else f"\0{name}\0")
    return visible(_OTHER.sub("", text).replace("\0", ""))


def app_words() -> dict[str, str]:
    """Give the words that the script puts together."""
    return words() | {
        "a": "{name}", "b": "{name}", "lost": tr("only in the one that goes: {run}"), "exact": tr("the exact figures"),
        "left": tr("{count} more are not listed."), "empty": tr("Nothing is here that can be opened."),
        "looking": tr("Looking ..."), "moving": tr("Moving ..."), "files": tr("texts: {texts}, pictures: {pictures}"),
        "kinds": tr("By ending: {kinds}"), "records": tr("Records with the fields: {names}"),
        "lines": tr("A text a line."), "unread": tr("Not read: {count}"),
        "stage": tr("{name}: {done} of {total}, {rate} a second, {left} s left"),
        "begun": tr("{name}: {done} of {total}"), "starting": tr("Starting ..."),
        "group": tr("Group {number}: {size} alike"), "compare": tr("Compare"), "close": tr("Close"),
        "none-of": tr("keep none of this group"), "all-of": tr("Keep all of this group"),
        "linked": tr("Some of them are also near to: {names}"),
        "rest": tr("{count} more of this group are not shown; what is chosen for all holds for them too."),
        "letters": tr("{count} characters"), "beginning": tr("{count} characters, of which the beginning is shown"),
        "later": tr("{what} ({count} of them in groups that are not shown yet)"),
        "later-groups": tr("{what} ({count} groups are not shown yet; what is proposed holds in them)"),
        "find": tr("Find near duplicates"), "find-passages": tr("Find passages"),
        "no-group": tr("No near duplicates were found."),
        "other_run": tr("this page shows another folder or an earlier run: load it again"),
        "more": tr("{count} more groups"), "longest": tr("the longest"), "largest": tr("the largest"),
        "beside-button": tr("Move {count} files to {folder}"), "bin-button": tr("Move {count} files to the bin"),
        "write-button": tr("Write the kept records"),
        "undo-button": tr("Undo"), "list": tr("Show the files"), "back": tr("Put back"),
        "matched": tr("Documents that are near it: {count}"), "away": tr("The program does not answer. Is it running?"),
    }  # fmt: skip


def _kinds() -> dict[str, str]:
    """Give the names of the kinds of texts for people."""
    return {
        "": tr("any texts"), "web": tr("web pages"), "news": tr("news"), "articles": tr("articles"),
        "questions": tr("exam questions"), "poems": tr("poems"), "laws": tr("laws"),
        "records": tr("entries of a database"), "code": tr("programs"), "ocr": tr("recognised scans"),
        "short": tr("short texts"),
    }  # fmt: skip


def _part(place: str, title: str, *content: str, is_hidden: bool = False) -> Html:
    hidden = {"hidden": ""} if is_hidden else {}
    return tag("section", tag("h2", title, id=f"{place}-title"), *content, id=place,
               aria_labelledby=f"{place}-title", **hidden)  # fmt: skip


def _labelled(text: str, field: Html, **more: str) -> Html:
    return tag("label", tag("span", text), field, **more)


def _select(name: str, words: Mapping[str, str], chosen: str = "", **more: str) -> Html:
    given = (tag("option", word, value=one, selected="" if one == chosen else None) for one, word in words.items())
    return tag("select", *given, name=name, **more)


def _button(word: str, **given: str) -> Html:
    return tag("button", word, type="button", **given)


def _choosing() -> Html:
    """Choose a folder or a file: one click goes deeper, another one opens."""
    folders, files = (tag("ul", "", id=place, class_="places") for place in ("folders", "places"))
    return _part(
        "choosing", tr("Choose a folder or a file"), tag("p", "", id="folder", role="status"),
        tag("p", _button(tr("One folder up"), id="up"), _button(tr("Open this folder"), id="open")), folders, files,
        tag("p", "", id="unlisted", class_="note"), is_hidden=True,
    )  # fmt: skip


def _looking() -> Html:
    unread = table((tr("ending"), tr("files"), tr("why"), tr("names")), ())
    return _part(
        "looking", tr("What is here"), tag("p", "", id="name"), tag("p", "", id="files", role="status"),
        tag("p", "", id="kinds", class_="note"),
        tag("details", tag("summary", "", id="unread-title"), tag("div", unread, id="unread"), id="unread-part",
            hidden=""),
        tag("p", _button(tr("Choose another folder or file"), id="other", hidden="")),
    )  # fmt: skip


def _asking() -> Html:
    text = tag("textarea", "", name="text", rows="6", required="", maxlength="100000")
    form = tag("form", _labelled(tr("a text"), text), tag("button", tr("Look it up"), type="submit"), id="ask")
    answers = tag("p", "", id="matched", role="status"), tag("div", "", id="matches")
    return _part("asking", tr("Look up a text"), form, *answers, is_hidden=True)


def _runs() -> Html:
    what = (
        tag("label", tag("input", type="radio", name="what", value=value), " ", word)
        for value, word in (
            ("texts", tr("texts")),
            ("pictures", tr("pictures")),
            ("passages", tr("passages that texts share")),
        )
    )
    number = {"type": "number", "required": ""}
    # Of 64 bits; other pictures differ in about 32.
    degrees = {"0": tr("equal to the eye"), "4": tr("nearly equal"), "8": tr("alike"), "14": tr("roughly alike")}
    encodings = {name: name.upper() for name in COMMON} | {"auto": tr("found by itself")}
    form = tag(
        "form", tag("fieldset", tag("legend", tr("Compare")), *what, id="whats", class_="rows"),
        _labelled(tr("kind of texts"), _select("kind", _kinds()), data_of="texts"),
        _labelled(tr("alike from (% of the wording)"),
                  tag("input", name="similarity", min="30", max="100", step="1", **number), data_of="texts"),
        _labelled(tr("field with the text"), tag("select", name="field"), data_of="texts passages", id="fields"),
        _labelled(tr("how alike"), _select("bits", degrees, "8"), data_of="pictures"),
        tag("details", tag("summary", tr("Letters look wrong?")),
            _labelled(tr("encoding of the letters"), _select("encoding", encodings)),
            data_of="texts passages"),
        tag("button", "", type="submit"), id="start",
    )  # fmt: skip
    work = tag(
        "div", tag("progress", id="bar", aria_labelledby="stage"), tag("p", "", id="stage", role="status"),
        _button(tr("Cancel"), id="cancel"), id="work", hidden="",
    )  # fmt: skip
    why = tag("p", "", id="why", class_="note", data_of="texts")
    return _part("runs", tr("Compare"), why, form, work)


def _shared() -> Html:
    link = tag("a", tr("Open the page on passages"), href="passages/", target="_blank", class_="button")
    told = tag("p", "", id="passages", role="status")
    return _part("shared", tr("Passages"), told, tag("p", link), is_hidden=True)


def _found() -> Html:
    rules = (("longest", tr("the longest")), ("newest", tr("the newest")), ("first", tr("the first")))
    ends = _select("least", {"": tr("greatest"), "1": tr("least")}, aria_label=tr("greatest or least"))
    best = tag("button", tr("Keep the best by this field"), type="submit")
    by_field = tag("form", tag("select", name="field", aria_label=tr("field")), ends, best, id="by-field", hidden="")
    bar = tag(
        "header", tag("p", "", id="counts", role="status"),
        tag("div", tag("span", tr("All go but:"), " "), *(_button(word, data_rule=name) for name, word in rules),
            class_="buttons"),
        by_field, tag("p", "", id="ruled", role="status", class_="note"), class_="bar-of-keys",
    )  # fmt: skip
    note = tag(
        "p", tr("A box that is checked is kept. What is not near the one that is kept stays checked."), class_="note"
    )
    failures = tag("ul", "", id="failures")
    failed = tag("details", tag("summary", tr("Could not be read")), failures, id="failed", hidden="")
    groups = tag("div", "", id="groups"), _button("", id="more", hidden="")
    notes = tag("ul", "", id="notes", class_="note")
    return _part("found", tr("Groups"), bar, note, notes, failed, *groups, is_hidden=True)


def _closing() -> Html:
    write = tag("form", _labelled(tr("name of the new file"), tag("input", name="name", required="", maxlength="200")),
                tag("button", "", type="submit", id="write-button"), id="write", hidden="")  # fmt: skip
    to_bin = _button("", id="bin", **({} if HAS_BIN else {"hidden": ""}))
    move = tag("p", _button("", id="beside"), to_bin, id="move", hidden="")
    content = (
        tag("p", tr("Nothing is replaced. What is moved can be put back, also later."), class_="note", id="promise",
            hidden=""),
        move, write, tag("p", "", id="done", role="status", aria_live="polite"), tag("ul", "", id="refused"),
        tag("div", "", id="undos"),
    )  # fmt: skip
    return _part("closing", tr("Move or write"), *content, is_hidden=True)
