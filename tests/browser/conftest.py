"""A real browser: it needs playwright and a chromium of the system, which CHROMIUM may name.

Without them the tests are skipped loudly.
"""

import os
import shutil
from collections.abc import Iterator
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
