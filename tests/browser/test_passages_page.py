"""The served page on passages in a real browser: many documents, texts on request, every size, language and theme."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.browser.conftest import downloaded, fits, pictured, shows, until
from tests.integration.review_server import Passages, write

NUMBER = 300


def own(at: int) -> str:
    """Words that no other text has."""
    letters = Random(at).choices("abcdefghijklmnop", k=500)
    return " ".join("".join(letters[k : k + 5]) for k in range(0, len(letters), 5))


def essays(count: int) -> list[dict[str, Any]]:
    """Essays: each third one has a part of the one before it, and each thirtieth one of the first, with an edit."""
    rows = []
    for at in range(count):
        copied = [own(at - 1).partition(" ")[2][:200]] if at % 3 == 2 else []
        copied += [own(0)[:150] + " not " + own(0)[150:300]] if at % 30 == 29 else []
        rows.append({"id": f"<b>{at}", "title": f"Essay {at}", "text": "\n".join([own(at), *copied])})
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with many essays."""
    folder = tmp_path_factory.mktemp("essays")
    write(folder / "in.jsonl", essays(NUMBER))
    return folder


def test_many_documents_are_looked_at_one_by_one(opened: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    """Filters and orders are of all rows; texts come when they are opened, by keys alone too; then nobody answers."""
    with Passages(folder, "in.jsonl", "--show", "title") as served:
        page = opened(served, ready="#table tbody tr")
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url.rpartition("/")[2]))
        rows = page.locator("#table tbody tr")
        assert (rows.count(), page.inner_text("#more")) == (100, "200 more")
        page.fill("#find", "Essay 29")
        assert page.inner_text("#count") == "11 of 300 documents"
        page.locator("#table thead button").first.click()
        firsts = page.locator("#table tbody th").all_inner_texts()
        assert [one.partition(". ")[2] for one in firsts[:2]] == ["Essay 29 (<b>29)", "Essay 290 (<b>290)"]
        page.fill("#find", "")
        page.fill("#from", "1")
        assert page.inner_text("#count") == "100 of 300 documents"
        assert len(downloaded(page, "#save", tmp_path / "documents.csv").read_text("utf-8-sig").splitlines()) == 101
        page.fill("#from", "0")
        page.locator("#more").focus()
        page.keyboard.press("Enter")
        assert rows.count() == 200
        assert page.evaluate("document.activeElement.rowIndex") == 101
        assert asked == []

        page.locator("#table tbody button", has_text="Essay 29 ").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#text mark")
        number = json.loads(page.evaluate("location.hash.slice(1)"))
        assert sorted(asked) == [f"document?number={number}&of={number}", f"text?number={number}&of={number}"]
        page.keyboard.press("j")
        page.wait_for_selector("#twin mark.now")
        page.keyboard.press("j")
        until(page, lambda: page.locator("#twin ins, #text ins").all_inner_texts() == ["not"])
        assert "passage 2 of 2" in page.inner_text("#where")
        page.locator("#sources button").first.click()
        page.wait_for_selector("#every:enabled")
        page.keyboard.press("Escape")
        page.wait_for_selector("#every:disabled", state="attached")
        page.keyboard.press("Escape")
        page.wait_for_selector("#all:not([hidden])")
        assert len(asked) == 4
        assert page.told == []

        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
        page.locator("#table tbody button", has_text="Essay 2 ").first.click()
        shows(page, "#told", "does not answer")


@pytest.mark.parametrize(
    ("language", "size", "theme"), [pytest.param("en", 1280, "light", marks=pytest.mark.slow), ("zh", 390, "dark")]
)
def test_the_served_page_is_for_all(
    opened: Callable[..., Any], folder: Path, language: str, size: int, theme: str
) -> None:
    """Of all documents, one and a pair axe finds nothing, nothing scrolls sideways, and Chinese is Chinese."""
    with Passages(folder, "in.jsonl", language=language) as served:
        page = opened(
            served, ready="#table tbody tr", viewport={"width": size, "height": 850}, color_scheme=theme,
            bypass_csp=True,
        )  # fmt: skip
        for place, ready in (("#graph", "svg"), ("#table tbody", "#text mark"), ("#sources", "#twin mark")):
            if ready != "svg":
                page.locator(f"{place} button").first.click()
            page.locator(ready).first.wait_for()
            fits(page, size)
            pictured(page, f"served-{language}-{theme}-{size}-{ready[1:5]}")
        shown = page.inner_text("body")
        assert ("passage" in shown, "段落" in shown) == (language == "en", language == "zh")
        assert page.told == []
