"""What the page on Ray shows in Python is run."""

import doctest
from typing import Any

import pytest
from tests.docs.test_readme import ROOT, blocks

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]
PAGE = ROOT / "docs/how-to/ray.md"


def test_the_page_does_what_it_shows(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python session gives what stands there."""
    monkeypatch.chdir(ROOT)
    told: list[str] = []
    names: dict[str, object] = {}
    for number, (kind, content) in enumerate(blocks(PAGE.read_text(encoding="utf-8"))):
        if kind == "python":
            test = doctest.DocTestParser().get_doctest(content, names, f"block {number}", str(PAGE), 0)
            doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
            names = test.globs

    assert not told, "".join(told)
    assert ray.is_initialized()
