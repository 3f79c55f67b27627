"""What the page on Ray shows in Python is run."""

from typing import Any

import pytest
from tests.docs.test_readme import ROOT, blocks, wrong_in

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]
PAGE = ROOT / "docs/how-to/ray.md"


def test_the_page_does_what_it_shows(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python session gives what stands there."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    shown = [content for kind, content in blocks(PAGE.read_text(encoding="utf-8")) if kind == "python"]
    told = "".join(wrong_in(content, names, f"block {number}") for number, content in enumerate(shown))

    assert not told, told
    assert ray.is_initialized()
