"""What the pages say of one another and of the code's lists."""

import re
from pathlib import Path

import pytest

PAGES = (
    "README.md",
    "README.zh-CN.md",
    "DESIGN.md",
    "CONTRIBUTING.md",
    "docs/reference/failures.md",
    "docs/reference/licences.md",
)
FAILURE = re.compile(r'^    \(\s*"([a-z_0-9]+)",', re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)\)")


def test_every_code_of_a_failed_record_is_explained(root: Path) -> None:
    """The page on failures has a row for each code that the core knows, and no other."""
    source = (root / "crates/simsieve-core/src/read/failure.rs").read_text(encoding="utf-8")
    page = (root / "docs/reference/failures.md").read_text(encoding="utf-8")
    records = page.split("\n## ")[1]

    assert set(FAILURE.findall(source)) == set(re.findall(r"^\| `([a-z_0-9]+)` \|", records, re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str, root: Path) -> None:
    """A page links only to files that are there."""
    page = root / name
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_speed_table_stands_between_its_marks(name: str, root: Path) -> None:
    """The final measurement finds the place where it goes."""
    text = (root / name).read_text(encoding="utf-8")

    assert text.count("<!-- speed:begin -->") == text.count("<!-- speed:end -->") == 1
