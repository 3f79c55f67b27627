"""What the how-to pages show is run and compared, as the READMEs are."""

import re
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, carry_out, folder, steps, wrong_in

__all__ = ["folder"]

NEED_A_SERVER = ("mongodb", "ray", "s3", "serve", "spark")
"""The pages that `tests/mongo`, `tests/ray`, `tests/s3`, `tests/serve` and `tests/spark` run."""
PAGES = [page for page in sorted((ROOT / "docs/how-to").glob("*.md")) if page.stem not in NEED_A_SERVER] + [
    ROOT / f"docs/zh/{name}.md" for name in ("install", "question-banks", "kinds")
]
CODE, FENCED = re.compile(r"`([^`\n]+)`"), re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TRANSLATED = {
    "formats": "how-to/formats.md", "threshold": "how-to/choose-a-threshold.md", "outputs": "reference/outputs.md",
    "frames": "how-to/frames.md", "images": "how-to/images.md", "large": "how-to/large.md",
    "review": "how-to/review.md", "app": "how-to/app.md",
    "passages": "how-to/passages.md", "lines": "how-to/lines.md", "templates": "how-to/templates.md",
}  # fmt: skip
"""Pages whose blocks are those of the English page, which is run."""


@pytest.mark.parametrize("page", PAGES, ids=[f"{page.parent.name}-{page.stem}" for page in PAGES])
def test_a_page_does_what_it_shows(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, records and Python sessions of a page, in their order, give what stands there."""
    monkeypatch.chdir(folder)
    assert_shown(page, page.read_text(encoding="utf-8"), folder)


@pytest.mark.slow
def test_what_is_shown_of_ray_is_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks `py` of the page on tables, which need Ray, give what stands there too."""
    pytest.importorskip("ray", reason="NOT TESTED: pip install 'ray[data]'")
    monkeypatch.chdir(folder)
    page = ROOT / "docs/how-to/frames.md"

    assert_shown(page, page.read_text(encoding="utf-8").replace("```py\n", "```python\n"), folder)


def assert_shown(page: Path, text: str, folder: Path) -> None:
    """What a page shows is what running it gives, in a folder that is the current one."""
    told = ""
    names: dict[str, object] = {}
    ran = 0
    for number, (kind, content) in enumerate(blocks(text)):
        for step in steps(kind, content):
            carry_out(step, folder)
            ran += 1
        if kind == "json":
            written = b"".join(path.read_bytes() for path in folder.glob("*.jsonl")).decode().splitlines()
            assert [line for line in content.splitlines() if line not in written] == []
        if kind == "python":
            told += wrong_in(content, names, f"{page.stem} block {number}")
            ran += content.count(">>> ")

    assert not told, told
    assert ran, f"{page} shows nothing that is run"


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_translated_page_shows_the_same(name: str) -> None:
    """Commands, examples, tables and words of the program are those of the English page."""
    english, chinese = (
        (ROOT / "docs" / place).read_text(encoding="utf-8") for place in (TRANSLATED[name], f"zh/{name}.md")
    )
    words = [set(CODE.findall(FENCED.sub("", text))) for text in (english, chinese)]

    assert blocks(english) == blocks(chinese)
    assert english.count("\n## ") == chinese.count("\n## ")
    assert words[0] - words[1] == set()
