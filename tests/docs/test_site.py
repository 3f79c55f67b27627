"""The site of the docs: what is staged is whole, and what loads from elsewhere is found; `make docs` builds it."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import simsieve
import simsieve.config
import simsieve.inside
import simsieve.results


def test_the_navigation_has_every_page_once(maker: Callable[[str], ModuleType], root: Path) -> None:
    """Each page below docs and each page of the root is in the navigation, and no page that is not there."""
    listed = re.findall(r'"([^"]+\.md)"', maker("make_site").navigation())
    made = {"docs/reference/python.md", "docs/reference/cli.md", "docs/zh/cli.md"}
    pages = {str(path.relative_to(root)) for path in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]}

    assert sorted(listed) == sorted(pages | made)


def test_the_page_of_python_has_every_public_name(maker: Callable[[str], ModuleType]) -> None:
    """Each public name is there once, by the module that defines it."""
    shown = re.findall(r"^::: (\S+)$", maker("make_site").python_page(), re.MULTILINE)
    places = (simsieve, simsieve.results, simsieve.inside, simsieve.config)
    names = {name for place in places for name in vars(place)["__all__"]}

    assert sorted(name.rpartition(".")[2] for name in shown) == sorted(names)
    assert all(name.startswith("simsieve.") for name in shown)


def test_the_list_for_language_models_has_every_page(maker: Callable[[str], ModuleType], root: Path) -> None:
    """Each page has its address on the site and its sentence."""
    lines = [line for line in maker("make_site").llms().splitlines() if line.startswith("- ")]
    pages = {f"docs/{path.relative_to(root / 'docs').with_suffix('')}/" for path in (root / "docs").rglob("*.md")}
    addresses = {line.partition("](")[2].partition(")")[0] for line in lines}

    assert pages - addresses == {"docs/README/"}
    assert [line for line in lines if not re.fullmatch(r"- \[[^]]+\]\([^)]+/\): .+[.。]", line)] == []


def test_what_loads_from_elsewhere_is_found(maker: Callable[[str], ModuleType], tmp_path: Path) -> None:
    """Scripts, pictures, frames and styles of another host are named; links that a person follows are not."""
    site = maker("make_site")
    tags = {
        "script": '<script src="https://a.example/x.js"></script>',
        "img": '<img src="//a.example/x.png">',
        "link": '<link rel="stylesheet" href="https://a.example/x.css">',
    }
    for name, tag in tags.items():
        (tmp_path / f"{name}.html").write_text(f'<p>{tag}<a href="https://a.example">a link</a></p>', encoding="utf-8")
    (tmp_path / "own.html").write_text('<img src="x.png"><link rel="canonical" href="https://a.example">', "utf-8")

    assert [line.partition(".")[0] for line in site.foreign(tmp_path)] == ["img", "link", "script"]


def test_what_is_staged_is_whole(maker: Callable[[str], ModuleType], tmp_path: Path) -> None:
    """The pages lie as in the repository, the settings have the navigation, and examples are named as griffe does."""
    site = maker("make_site")
    site.stage(tmp_path / "site")
    pages = tmp_path / "site/pages"

    assert (pages / "docs/how-to/formats.md").exists() and (pages / "llms.txt").exists()
    assert "## simsieve dedup" in (pages / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert "](../reference/cli.md)" in (pages / "docs/zh/cli.md").read_text(encoding="utf-8")
    assert site.navigation() in (tmp_path / "site/zensical.toml").read_text(encoding="utf-8")
    dedup = (tmp_path / "site/source/simsieve/run/pipeline.py").read_text(encoding="utf-8")
    assert "    Examples:\n" in dedup and "    Example:\n" not in dedup


def test_the_picture_is_that_of_the_examples(maker: Callable[[str], ModuleType], root: Path) -> None:
    """The pictures of the READMEs are what their script draws, in both themes, and both READMEs show them."""
    made = maker("make_picture")
    folder = root / "docs/pictures"

    assert {path.name for path in folder.iterdir()} == {f"near-{theme}.svg" for theme in made.COLOURS}
    for theme in made.COLOURS:
        assert (folder / f"near-{theme}.svg").read_text(encoding="utf-8") == made.picture(theme)
        for name in ("README.md", "README.zh-CN.md"):
            assert f"docs/pictures/near-{theme}.svg" in (root / name).read_text(encoding="utf-8")
