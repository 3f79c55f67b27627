"""A real browser: it needs playwright and a chromium of the system, which CHROMIUM may name.

Without them the tests are skipped loudly.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Give a browser."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("PAGES NOT LOOKED AT IN A BROWSER: playwright is not installed: pip install playwright")
    if chromium is None:
        pytest.skip("PAGES NOT LOOKED AT IN A BROWSER: there is no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Give what opens a page for a person of its own, and notes whatever it says or asks elsewhere."""
    contexts = []

    def open_(served: Any, address: str = "", ready: str = "near-pair[aria-current=true]", **how: Any) -> Any:
        context = browser.new_context(accept_downloads=True, **how)
        contexts.append(context)
        page = context.new_page()
        page.told = []
        page.on("console", lambda message: page.told.append(message.text))
        page.on("pageerror", lambda error: page.told.append(str(error)))
        page.on("dialog", lambda dialog: page.told.append(dialog.message))
        page.on("request", lambda one: None if served.host in one.url else page.told.append(one.url))
        page.goto(address or served.address)
        page.wait_for_selector(ready)
        return page

    yield open_
    for context in contexts:
        context.close()


def until(page: Any, is_so: Callable[[], bool]) -> None:
    """Wait until something is so; the page's policy keeps playwright from waiting in it."""
    for _ in range(500):
        if is_so():
            return
        page.wait_for_timeout(20)
    raise AssertionError(page.inner_text("body"))


def shows(page: Any, place: str, text: str) -> None:
    """Wait until a place of the page has a text."""
    until(page, lambda: text in page.locator(place).first.inner_text())


def pictured(page: Any, name: str, *, full_page: bool = True) -> None:
    """Take a picture of the page into the folder that SIMSIEVE_SCREENSHOTS names; without it none."""
    if folder := os.environ.get("SIMSIEVE_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=full_page)


def fits(page: Any, width: int, *, looked_at: bool = True, impacts: Sequence[str] = ()) -> None:
    """Check that nothing scrolls sideways, and that axe finds nothing, or nothing of these impacts."""
    from axe_playwright_python.sync_playwright import Axe

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"] if looked_at else []
    assert [one for one in found if not impacts or one["impact"] in impacts] == []


SERIOUS = ("serious", "critical")


def downloaded(page: Any, place: str, path: Path) -> Path:
    """Click what saves a file, and give the file."""
    with page.expect_download() as download:
        page.click(place)
    download.value.save_as(path)
    return path
