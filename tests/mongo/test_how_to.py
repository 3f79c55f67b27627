"""What the page on MongoDB shows is run on a real server, and compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_how_to import assert_shown
from tests.docs.test_pages import LINK
from tests.docs.test_readme import ROOT, folder
from tools.mongod import Mongod

__all__ = ["folder"]

PAGES = [ROOT / folder / "mongodb.md" for folder in ("docs/how-to", "docs/zh")]


@pytest.fixture
def exams(mongod: Mongod, client: Any) -> Iterator[str]:
    """The server that the page has on its own machine, without the page's database."""
    client.drop_database("exams")
    yield f"mongodb://{mongod.host}/"
    client.drop_database("exams")


@pytest.mark.parametrize("page", [PAGES[0], pytest.param(PAGES[1], marks=pytest.mark.slow)], ids=["en", "zh"])
def test_the_page_does_what_it_shows(page: Path, exams: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and Python sessions in their order, as of every page."""
    monkeypatch.chdir(folder)
    text = page.read_text(encoding="utf-8")

    assert_shown(page, text.replace("mongodb://localhost/", exams), folder)
    assert [link for link in LINK.findall(text) if "://" not in link and not (page.parent / link).exists()] == []
