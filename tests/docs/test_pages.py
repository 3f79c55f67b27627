"""What the pages say of one another and of the code's lists."""

import re
import tomllib
from pathlib import Path

import pytest

import simsieve

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh-CN.md")
DOCS = [str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*READMES, "DESIGN.md", "CONTRIBUTING.md", *DOCS]
FAILURE = re.compile(r'^    \(\s*"([a-z_0-9]+)",', re.MULTILINE)
ANCHOR = re.compile(r"\]\(([^)#]*)#([^)]+)\)")
LINK = re.compile(r"\]\(([^)#]+)\)")
NUMBER = re.compile(r"\d[\d.,^]*\d|\d")
README_LINES, README_WORDS = 120, 900
NEVER = "`pip install simsieve`"
"""What the pages on installing say that nobody should do."""


def test_every_code_of_a_failed_record_is_explained(root: Path) -> None:
    """The page on failures has a row for each code that the core knows, and no other."""
    source = (root / "crates/simsieve-core/src/source/failure.rs").read_text(encoding="utf-8")
    page = (root / "docs/reference/failures.md").read_text(encoding="utf-8")
    records = page.split("\n## ")[1]

    assert set(FAILURE.findall(source)) == set(re.findall(r"^\| `([a-z_0-9]+)` \|", records, re.MULTILINE))


def test_nothing_is_installed_by_a_name_that_others_can_take(root: Path) -> None:
    """No page, message or image takes simsieve from a package index, in which it is not."""
    places = [*root.glob("*.md"), root / "Dockerfile", root / "locale/zh_CN.po"]
    for folder, kind in (("docs", "*.md"), ("deploy", "*"), ("python/simsieve", "*.py")):
        places += (root / folder).rglob(kind)
    names = re.compile(r"pip install [^|;\n]*?['\" ]simsieve(\[|['\"\s]|$)")

    assert [str(path) for path in places if names.search(path.read_text(encoding="utf-8").replace(NEVER, ""))] == []


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str, root: Path) -> None:
    """A page links only to files that are there."""
    page = root / name
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]

    assert [link for link in links if not (page.parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings in lower case, blanks made hyphens and punctuation left out."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", PAGES)
def test_links_to_a_heading_find_it(name: str, root: Path) -> None:
    """A link to a part of a page names a heading of that page."""
    page = root / name
    links = [link for link in ANCHOR.findall(page.read_text(encoding="utf-8")) if "://" not in link[0]]
    targets = [((page.parent / file) if file else page, heading) for file, heading in links]

    assert [(str(target), heading) for target, heading in targets if heading not in anchors(target)] == []


def test_the_layout_names_every_module_of_the_core(root: Path) -> None:
    """The table of DESIGN.md has a row for each module of the core, and no other."""
    layout = (root / "DESIGN.md").read_text(encoding="utf-8").split("\n## The layout\n")[1].split("\n## ")[0]
    folders = {path.parent.name for path in (root / "crates/simsieve-core/src").glob("*/mod.rs")} - {"tests"}

    assert set(re.findall(r"^\| `([a-z]+)` \|", layout, re.MULTILINE)) == folders


def test_the_index_lists_every_page_once(root: Path) -> None:
    """docs/README.md has one row for each page below docs, and for no page that is not there."""
    folder = root / "docs"
    pages = {str(page.relative_to(folder)) for page in folder.rglob("*.md")} - {"README.md"}
    rows = re.findall(
        r"^\| \[([^]]+)\]\(([^)]+)\) \| (.+) \|$", (folder / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted([link for _, link, _ in rows if not link.startswith("../")]) == sorted(pages)
    assert [link for _, link, sentence in rows if not sentence.endswith((".", "。"))] == []


def test_the_speed_table_stands_between_its_marks(root: Path) -> None:
    """The final measurement finds the place where it goes."""
    text = (root / "docs/benchmarks.md").read_text(encoding="utf-8")

    assert text.count("<!-- speed:begin -->") == text.count("<!-- speed:end -->") == 1


@pytest.mark.parametrize(
    ("name", "part"), [("README.md", "## Accuracy and speed"), ("README.zh-CN.md", "## 准确度与速度")]
)
def test_figures_of_a_readme_are_those_of_the_benchmarks(name: str, part: str, root: Path) -> None:
    """Each number in a README's lines on accuracy and speed stands in docs/benchmarks.md, with its command."""
    lines = (root / name).read_text(encoding="utf-8").split(part)[1].split("\n## ")[0].splitlines()
    # 20 万 is how Chinese writes 200,000, and 5000 万 is 50 million.
    figures = {
        figure
        for line in lines
        if line.startswith("- ")
        for figure in NUMBER.findall(line.replace("20 万", "").replace("5000 万", "50"))
    }
    measured = set(
        NUMBER.findall((root / "docs/benchmarks.md").read_text(encoding="utf-8").replace("200000", "200,000"))
    )

    assert len(figures) > 9
    assert figures - measured == set()


@pytest.mark.parametrize("name", READMES)
def test_other_programs_have_the_figures_of_the_benchmarks(name: str, root: Path) -> None:
    """Each row of a README's comparison has version, CPU seconds and memory of the row in docs/benchmarks.md."""
    text, measured = ((root / path).read_text(encoding="utf-8") for path in (name, "docs/benchmarks.md"))
    rows = re.findall(r"^(?:\| )?([\w-]+)( [\d.]+)? \| .+ \| ([\d.]+)[,，] ?([\d.]+)", text, re.MULTILINE)

    assert [tool for tool, *_ in rows] == ["simsieve", "rensa", "datasketch", "text-dedup", "datatrove"]
    for tool, version, seconds, memory in rows:
        row = rf"^\| {tool}{re.escape(version or ' ')}[^|]*\| {re.escape(seconds)} \| {re.escape(memory)} \|"
        assert re.search(row, measured, re.MULTILINE), tool


@pytest.mark.parametrize("name", READMES)
def test_the_second_line_of_a_readme_says_what_the_project_needs(name: str, root: Path) -> None:
    """The oldest Python, the licence and the types are those of the files that it leads to."""
    second = (root / name).read_text("utf-8").splitlines()[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python, licence, types = re.findall(r"\[([^]]+)\]\([^)]+\)", second)

    assert python == f"Python {project['requires-python'].removeprefix('>=')}+"
    assert licence == project["license"]
    assert "Typing :: Typed" in project["classifiers"] and (root / "python/simsieve" / types).exists()


@pytest.mark.parametrize("name", READMES)
def test_a_readme_is_short_and_shows_a_result_early(name: str, root: Path) -> None:
    """A README has at most 120 lines and 900 words, and a reader sees the outcome of a run in its first 15 lines."""
    text = (root / name).read_text(encoding="utf-8")
    lines = text.splitlines()

    assert len(lines) <= README_LINES
    assert len([word for word in text.split() if any(map(str.isalnum, word))]) <= README_WORDS
    assert any(line.startswith("$ simsieve dedup") for line in lines[:15])
    assert "kept              36 (57.14 %)" in lines[:15]
    assert any("--text-field" in line and "--encoding" in line for line in lines[:50])


@pytest.mark.parametrize("name", READMES)
def test_the_picture_of_a_readme_is_what_a_run_decides(name: str, root: Path) -> None:
    """Each line of the picture has the decision and the reason of its text."""
    rows = re.findall(r"^ \d  (.+?) +--(?:-->|X  )  (\w+): (\w+)$", (root / name).read_text("utf-8"), re.MULTILINE)
    result = simsieve.dedup([text for text, _, _ in rows])

    assert len(rows) == 4
    assert [(d.decision, d.reason) for d in result.decisions] == [(decision, reason) for _, decision, reason in rows]


def test_both_readmes_show_the_same_commands(root: Path) -> None:
    """The two READMEs name the same commands and link to the same pages; one links to the Chinese pages too."""
    english, chinese = ((root / name).read_text(encoding="utf-8") for name in READMES)

    def commands(text: str) -> list[str]:
        return re.findall(r"^(?:\||-) `(simsieve [a-z]+)", text, re.MULTILINE)

    assert commands(english) == commands(chinese)
    own = {f"docs/zh/{page.name}" for page in (root / "docs/zh").glob("*.md")}
    assert own <= set(LINK.findall(chinese))
    assert set(LINK.findall(english)) - set(READMES) == set(LINK.findall(chinese)) - set(READMES) - own


@pytest.mark.parametrize(("name", "folder"), [("README.md", "how-to"), ("README.zh-CN.md", "zh")])
def test_the_readmes_link_the_pages_on_databases_and_clusters(name: str, folder: str, root: Path) -> None:
    """Either README leads to the pages on MongoDB and Spark in its language."""
    text = (root / name).read_text(encoding="utf-8")

    assert [page for page in ("mongodb", "spark") if f"(docs/{folder}/{page}.md)" not in text] == []


@pytest.mark.parametrize("name", ["DESIGN.md", "docs/explanation/search.md", "docs/explanation/runs.md"])
def test_files_of_the_code_that_a_page_names_are_there(name: str, root: Path) -> None:
    """A path to a file of the code or the tests leads to one."""
    paths = re.findall(
        r"`((?:crates|python|tests|benches|tools)/[\w/.-]+\.\w+)", (root / name).read_text(encoding="utf-8")
    )

    assert [path for path in paths if not (root / path).exists()] == []
