"""Builds the site of the docs from its Markdown pages: `make_site.py ZENSICAL [FOLDER]`, by default in build/docs/site.

The pages are staged as they lie in the repository, so that their links stay. Added are the help of all commands in both
languages, a page of the Python names from their docstrings, and `llms.txt`. The build is strict: a link or an anchor
that leads nowhere ends it. So does a page that would load something from another host.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import make_cli

import simsieve
import simsieve.config
import simsieve.inside
import simsieve.results

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "docs" / "site"
ROW = re.compile(r"^\| \[([^]]+)\]\(([^)]+)\) \| (.+) \|$", re.MULTILINE)
ADDED = {"Reference": ["docs/reference/python.md", "docs/reference/cli.md"], "中文": ["docs/zh/cli.md"]}
LOADED = {"img": "src", "script": "src", "iframe": "src", "link": "href"}


def parts() -> dict[str, list[tuple[str, str]]]:
    """The pages of docs/README.md by its headings: path from the root, and what each says."""
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    found = {}
    for part in text.split("\n## ")[1:]:
        title = part.partition("\n")[0]
        rows = [((Path("docs") / link), sentence) for _, link, sentence in ROW.findall(part)]
        found[title] = [(str(path).replace("docs/../", ""), sentence) for path, sentence in rows]
    return {title: rows for title, rows in found.items() if rows}


def navigation() -> str:
    """The navigation in TOML: the sections of the list of all pages, in its order."""
    sections = ['    { "Home" = "README.md" },\n    { "I have ..." = "docs/README.md" },\n']
    for title, rows in parts().items():
        pages = [page for page, _ in rows if page != "README.md"] + ADDED.get(title, [])
        pages = (["README.zh-CN.md"] if title == "中文" else []) + pages
        listed = "".join(f'        "{page}",\n' for page in pages)
        sections.append(f'    {{ "{title}" = [\n{listed}    ] }},\n')
    sections.append(
        '    { "Project" = [\n        "CONTRIBUTING.md",\n        "SECURITY.md",\n        "CHANGELOG.md",\n    ] },\n'
    )
    return f"nav = [\n{''.join(sections)}]\n"


def python_page() -> str:
    """The page of the public names, each with its docstring."""
    names = simsieve.__all__
    errors = [name for name in names if name.endswith(("Error", "Warning", "Interrupted"))]
    groups: dict[str, tuple[ModuleType, list[str]]] = {
        "Functions": (simsieve, [name for name in names if name.islower()]),
        "Classes": (simsieve, [name for name in names if not name.islower() and name not in errors]),
        "Errors and warnings": (simsieve, errors),
        "Rows of results: `simsieve.results`": (simsieve.results, simsieve.results.__all__),
        "Rows of `simsieve.inside`": (simsieve.inside, [one for one in simsieve.inside.__all__ if not one.islower()]),
        "Types of settings: `simsieve.config`": (simsieve.config, simsieve.config.__all__),
    }
    lines = ["# Python", "", "The public names of `import simsieve`, from their docstrings."]
    for title, (place, group) in groups.items():
        lines += ["", f"## {title}", ""]
        lines += [f"::: {getattr(place, name).__module__}.{name}\n" for name in group]
    return "\n".join(lines)


def llms() -> str:
    """The list of all pages for language models: https://llmstxt.org."""
    lines = ["# simsieve", "", "> Finds near-duplicate texts, keeps one of each group, and says of every record why."]
    for title, rows in parts().items():
        lines += ["", f"## {title}", ""]
        lines += [f"- [{Path(page).stem}]({page.removesuffix('.md')}/): {sentence}" for page, sentence in rows]
    return "\n".join(lines) + "\n"


def stage(folder: Path) -> None:
    """Put the pages and the settings of the site into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    shutil.copytree(ROOT / "docs", pages / "docs", ignore=shutil.ignore_patterns("*.py", "*.toml", "__pycache__"))
    for path in [*ROOT.glob("*.md"), ROOT / "LICENSE", ROOT / "pyproject.toml"]:
        shutil.copy(path, pages)
    for language, place in (("en", "reference"), ("zh", "zh")):
        page = make_cli.page(language).replace("](cli.md)", "](../reference/cli.md)")
        (pages / "docs" / place / "cli.md").write_text(page, encoding="utf-8")
    (pages / "docs" / "reference" / "python.md").write_text(python_page(), encoding="utf-8")
    (pages / "llms.txt").write_text(llms(), encoding="utf-8")
    settings = (ROOT / "docs" / "site.toml").read_text(encoding="utf-8")
    settings = settings.replace("\n[project.theme]", f"{navigation()}\n[project.theme]", 1)
    (folder / "zensical.toml").write_text(settings, encoding="utf-8")
    for path in (ROOT / "python").rglob("*.py"):
        target = folder / "source" / path.relative_to(ROOT / "python")
        target.parent.mkdir(parents=True, exist_ok=True)
        # What makes the page of Python knows examples under the plural only.
        text = re.sub(r"^( +)Example:$", r"\1Examples:", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        target.write_text(text, encoding="utf-8")


class Loading(HTMLParser):
    """Collects what a page loads from another host."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element."""
        given = dict(attrs)
        address = given.get(LOADED.get(tag, "")) or ""
        if "//" in address and given.get("rel") != "canonical":
            self.foreign.append(address)


def foreign(folder: Path) -> Iterator[str]:
    """What the pages of a site load from other hosts."""
    for path in sorted(folder.rglob("*.html")):
        page = Loading()
        page.feed(path.read_text(encoding="utf-8"))
        yield from (f"{path.relative_to(folder)} loads {address}" for address in page.foreign)


def main(zensical: str, folder: Path = FOLDER) -> int:
    """Stage, build and look at the pages."""
    stage(folder)
    done = subprocess.run([zensical, "build", "--strict"], cwd=folder, check=False)
    found = list(foreign(folder / "html"))
    print(*found, sep="\n", end="\n" if found else "")
    return done.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(Path, sys.argv[2:3])))
