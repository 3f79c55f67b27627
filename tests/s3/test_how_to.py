"""What the page on object stores shows is run on a real one, and compared."""

from pathlib import Path

import pytest
from tests.docs.test_how_to import CODE, FENCED, assert_shown
from tests.docs.test_pages import LINK
from tests.docs.test_readme import ROOT, blocks, folder
from tests.integration.bad_files import gz
from tests.s3.conftest import Store

__all__ = ["folder"]

PAGES = [ROOT / folder / "s3.md" for folder in ("docs/how-to", "docs/zh")]


def test_the_page_does_what_it_shows(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and Python sessions in their order, as of every page; the Chinese page has the same blocks."""
    page = PAGES[0]
    monkeypatch.chdir(folder)
    lines = (ROOT / "examples/texts.jsonl").read_bytes().splitlines(keepends=True)
    store.put("2026/questions.jsonl", b"".join(lines))
    for at in range(3):
        store.put(f"shards/{at}.jsonl.gz", gz(b"".join(lines[21 * at : 21 * (at + 1)])))
    text = page.read_text(encoding="utf-8")

    assert_shown(page, text.replace("s3://exams/", store.name("")), folder)
    assert [link for link in LINK.findall(text) if "://" not in link and not (page.parent / link).exists()] == []
    assert len(store.get("kept.jsonl").splitlines()) == 36


def test_both_pages_show_the_same() -> None:
    """Commands, examples and words of the program are those of the English page."""
    english, chinese = (page.read_text(encoding="utf-8") for page in PAGES)
    words = [set(CODE.findall(FENCED.sub("", text))) for text in (english, chinese)]

    assert blocks(english) == blocks(chinese)
    assert english.count("\n## ") == chinese.count("\n## ")
    assert words[0] == words[1]
