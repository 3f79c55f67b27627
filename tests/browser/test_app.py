"""`simsieve app` in a real browser: the whole way by mouse and by keys, in both languages, every size and theme."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import SERIOUS, fits, pictured, shows, until
from tests.integration.mixed_files import TOPICS, mixed
from tests.integration.review_server import App, write
from tests.integration.test_app import files

READY = "#kinds:not(:empty)"
SIZES, THEMES = (390, 800, 1400), ("light", "dark")


def moves_and_undoes(page: Any, folder: Path, before: dict[str, bytes]) -> None:
    """Move 40 files beside the folder, put one back, and then the others."""
    page.click("#beside")
    shows(page, "#done", "40 files were moved to ")
    gone = folder.with_name(f"{folder.name}.duplicates")
    assert len(files(gone)) == 40 and {**files(folder), **files(gone)} == before
    page.click("#undos summary")
    page.locator("#undos li button").nth(3).click()
    shows(page, "#done", "1 file is back.")
    assert len(files(gone)) == 39 and page.locator("#undos li").count() == 39
    page.click("#undos button")
    shows(page, "#done", "39 files are back.")
    assert files(folder) == before and not page.is_visible("#undos button")


def test_the_whole_way(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Look, run, compare, uncheck, move, undo: what is on the disk is what the page says, and nothing is fetched."""
    folder = mixed(tmp_path / "docs")
    before = files(folder)
    with App(tmp_path, "docs") as app:
        page = opened(app, ready=READY)
        assert page.inner_text("#files") == "texts: 49, pictures: 6"
        page.click("#unread-title")
        assert "choose this file by itself" in page.inner_text("#unread") and "hidden" in page.inner_text("#unread")
        page.click("#start button[type=submit]")
        page.wait_for_selector(".group")
        assert page.locator(".group").count() == len(TOPICS) == 8
        shows(page, "#counts", "49 read, 8 groups. 40 go.")

        group = page.locator(".group").first
        boxes = group.locator(".member input")
        assert [box.is_checked() for box in boxes.all()] == [True] + [False] * 5
        boxes.first.click()
        until(page, lambda: "choose to keep none" in group.locator(".refused").inner_text())
        assert boxes.first.is_checked()
        boxes.nth(1).click()
        shows(page, "#counts", "39 go.")
        boxes.first.click()
        shows(page, "#counts", "40 go.")
        going = group.locator(".member:not(.kept) label").all_inner_texts()
        group.locator(".member button").nth(2).click()
        page.wait_for_selector("near-pair .differs, near-pair .text")
        assert page.locator("near-pair button[data-verdict]").count() == 0
        group.locator(".none-of input").click()
        shows(page, "#counts", "Of 1 groups none is kept.")
        group.locator(".none-of input").click()
        page.reload()
        page.wait_for_selector(".group")
        shows(page, "#counts", "40 go.")

        # What was done by hand stays.
        by_hand = group.locator(".member.kept label").inner_text()
        page.click("[data-rule=newest]")
        until(page, lambda: page.locator(".group").nth(1).locator(".member.kept label").inner_text().endswith(".pdf"))
        assert page.locator(".group").first.locator(".member.kept label").inner_text() == by_hand
        page.locator(".group").first.locator("> button").click()
        shows(page, "#counts", "35 go.")
        page.locator(".group").first.locator(".none-of input").click()
        shows(page, "#counts", "Of 1 groups none is kept.")
        page.locator(".group").first.locator(".none-of input").click()
        shows(page, "#counts", "35 go.")
        for box in page.locator(".group").first.locator(".member input").all()[1:]:
            box.click()
        shows(page, "#counts", "40 go.")
        assert len(going) == 5
        moves_and_undoes(page, folder, before)
        # The refused box is the one answer that is an error.
        assert ["422" in one for one in page.told] == [True]


def test_a_run_can_be_cancelled_and_pictures_are_shown(opened: Callable[..., Any], tmp_path: Path) -> None:
    """The run ends by its button; a run of pictures shows them, and moves go to the bin."""
    mixed(tmp_path / "docs")
    write(
        tmp_path / "many.jsonl",
        [{"text": f"{at} " + " ".join(f"w{at * k % 997}" for k in range(60))} for at in range(90_000)],
    )
    with App(tmp_path, "many.jsonl") as app:
        page = opened(app, ready="#name:not(:empty)")
        page.click("#start button[type=submit]")
        shows(page, "#stage", " of 90,000")
        page.click("#cancel")
        shows(page, "#told", "The run was cancelled")
        assert not page.is_visible("#work") and page.is_enabled("#start button[type=submit]")
    with App(tmp_path, "docs") as app:
        page = opened(app, ready=READY)
        page.check("input[value=pictures]")
        assert not page.is_visible("select[name=kind]")
        page.click("#start button[type=submit]")
        page.wait_for_selector(".member img")
        assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
        page.click("#bin")
        shows(page, "#done", "files were moved to ")
        assert page.told == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_passages_that_texts_share_are_found(opened: Callable[..., Any], tmp_path: Path, language: str) -> None:
    """The run leads to the page of all documents, with one and its source; then texts are compared."""
    (tmp_path / "essays").mkdir()
    shared = " ".join(f"shared{at}" for at in range(60))
    for at in range(4):
        own = " ".join(f"w{at}x{number}" for number in range(200))
        (tmp_path / "essays" / f"essay-{at}.txt").write_text(own + shared * (at > 1), encoding="utf-8")
    with App(tmp_path, "essays", language=language) as app:
        page = opened(app, ready=READY, viewport={"width": 390, "height": 850}, bypass_csp=True)
        assert not page.is_visible("input[value=pictures]")
        page.check("input[value=passages]")
        assert not page.is_visible("select[name=kind]") and not page.is_visible("input[name=similarity]")
        page.click("#start button[type=submit]")
        page.wait_for_selector("#shared a")
        shows(page, "#passages", "1 of 4" if language == "en" else "4")
        assert not page.is_visible("#found")
        fits(page, 390, impacts=SERIOUS)
        pictured(page, f"app-passages-{language}")
        with page.expect_popup() as popup:
            page.click("#shared a")
        looked = popup.value
        looked.locator("#table tbody button").first.click()
        looked.locator("#sources button").first.click()
        looked.locator("#twin mark").first.wait_for()
        assert "essay-3.txt" in looked.inner_text("#name")
        looked.close()
        page.reload()
        page.wait_for_selector("#shared a")
        page.click("#start button[type=submit]")
        until(page, lambda: page.is_visible("#found") and not page.is_visible("#shared"))
        assert page.told == []


def test_the_keyboard_alone_writes_the_kept_records(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Tab and the space bar choose, Enter starts and writes; the file has what was checked."""
    rows = [
        {"text": f"the harbour closes at seven today and opens again {'soon ' * at}", "score": at} for at in range(3)
    ]
    write(tmp_path / "in.jsonl", rows)
    with App(tmp_path, "in.jsonl") as app:
        page = opened(app, ready="#name:not(:empty)")
        until(page, lambda: page.is_visible("select[name=field]"))
        page.focus("input[name=similarity]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".group")
        page.focus(".member:nth-of-type(3) input")
        page.keyboard.press("Space")
        shows(page, "#counts", "1 go.")
        assert page.evaluate("document.activeElement.value") == "1"
        page.focus("#write input")
        page.keyboard.press("Enter")
        shows(page, "#done", "2 records are in")
        assert page.told == []
    assert [json.loads(line)["score"] for line in (tmp_path / "in.kept.jsonl").read_text().splitlines()] == [1, 2]


def test_a_folder_is_chosen_and_groups_that_are_not_shown_are_told(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Clicks go deeper, up and open; buttons count what is in groups further down, until all are shown."""
    folder = tmp_path / "work" / "docs"
    folder.mkdir(parents=True)
    for at in range(44):
        words = " ".join(f"w{at}x{number}" for number in range(40))
        (folder / f"{at // 2}-{at % 2}.txt").write_text(
            f"{words.replace(f'w{at}x', f'w{at // 2}x')} end", encoding="utf-8"
        )
    with App(tmp_path) as app:
        page = opened(app, ready="#folders button")
        assert not page.is_visible("#looking") and not page.is_visible("#open")
        page.click("#folders button")
        shows(page, "#folder", "/work")
        page.click("#up")
        until(page, lambda: not page.is_visible("#up"))
        page.click("#folders button")
        page.get_by_role("button", name="docs").click()
        until(page, lambda: "/docs" in page.inner_text("#folder"))
        assert page.evaluate("document.activeElement.id") == "open"
        page.keyboard.press("Enter")
        shows(page, "#files", "texts: 44")
        page.click("#start button[type=submit]")
        page.wait_for_selector(".group")
        shows(page, "#beside", "Move 22 files to ")
        shows(page, "#beside", "(2 of them in groups that are not shown yet)")
        page.click("#more")
        until(page, lambda: page.locator(".group").count() == 22 and "not shown" not in page.inner_text("#beside"))
        page.click("#other")
        page.locator("#folders button").first.wait_for()
        page.reload()
        shows(page, "#counts", "22 go.")
    with App(tmp_path) as first, App(tmp_path) as second:
        pages = [opened(app, ready="#folders button") for app in (first, second)]
        for page in pages:
            page.click("#folders button")
            shows(page, "#folder", "/work")
            page.click("#open")
        shows(pages[0], "#files", "texts: 44")
        shows(pages[1], "#told", f"is open in another simsieve app, at http://{first.host}")
        assert [len(page.told) for page in pages] == [0, 1]


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh"])
def test_it_fits_and_all_can_use_it(opened: Callable[..., Any], tmp_path: Path, language: str) -> None:
    """In every size and theme nothing scrolls sideways, axe finds nothing serious, and Chinese is Chinese."""
    mixed(tmp_path / "docs")
    with App(tmp_path, "docs", language=language) as app:
        page = opened(app, ready=READY)
        page.click("#start button[type=submit]")
        page.wait_for_selector(".group")
        page.locator(".member button").nth(2).click()
        page.wait_for_selector("near-pair")
        for theme in THEMES:
            for width in SIZES:
                page.emulate_media(color_scheme=theme)
                page.set_viewport_size({"width": width, "height": 900})
                fits(page, width, looked_at=width == SIZES[0], impacts=SERIOUS)
                pictured(page, f"app-{language}-{theme}-{width}", full_page=False)
        words = page.inner_text("body") if language == "zh" else ""
        page.locator(".member button").nth(2).click()
        page.click("#beside")
        page.wait_for_selector("#undos button")
        assert page.told == []
    for word in ("Compare", "kept", "proposed", "similarity", "Group", "Move", "Not read", "characters"):
        assert not re.search(rf"\b{word}\b", words)
