"""The front page of the core names tests, files and items that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "crates/simsieve-core"
PAGE = "\n".join(
    line for line in (CORE / "src/lib.rs").read_text(encoding="utf-8").splitlines() if line.startswith("//!")
)
CODE = {path: path.read_text(encoding="utf-8") for path in (CORE / "src").rglob("*.rs") if path.name != "lib.rs"}

# A type, a function, a module, a variant or method of a type, or a re-export.
ITEM = r"(?:\b(?:struct|enum|trait|fn|mod|const|type) {name}\b|^    {name}\b|^pub use .*\b{name}\b)"


def files_of(parts: list[str]) -> list[Path]:
    """The files of the longest leading part of a path that is a module, with the files below it."""
    for length in range(len(parts), 0, -1):
        place = CORE / "src" / Path(*parts[:length])
        if place.with_suffix(".rs").is_file():
            return [place.with_suffix(".rs")]
        if place.is_dir():
            return [path for path in CODE if place in path.parents]
    return []


def test_each_test_of_the_front_page_is_in_its_file() -> None:
    """A law is shown by a test; the page names the test and its file, or `check_books`, which is no test."""
    named = re.findall(r"`([a-z]+_[a-z_]+)` in `(src/[\w/]+\.rs)`", re.sub(r"\n//!\s+", " ", PAGE))

    assert sorted(name for name, _ in named) == sorted(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE))
    assert [name for name, path in named if f"fn {name}(" not in (CORE / path).read_text(encoding="utf-8")] == []


def test_each_file_of_the_front_page_exists() -> None:
    """Paths of the core begin with `src` or `tests`, those of the project with another folder."""
    named = re.findall(r"`((?:src|tests|python)/[\w/]+(?:\.\w+)?)`", PAGE)

    assert [path for path in named if not (CORE / path).exists() and not (ROOT / path).exists()] == []


def test_each_link_of_the_front_page_leads_to_an_item() -> None:
    """The last part of a link is defined in the module that the parts before it name."""
    links = [link.split("::") for link in re.findall(r"\[`([a-z_]\w*(?:::\w+)*)`\]", PAGE)]

    def is_defined(parts: list[str]) -> bool:
        defined = re.compile(ITEM.format(name=parts[-1]), re.MULTILINE)
        place = CORE / "src" / Path(*parts)
        is_module = place.is_dir() or place.with_suffix(".rs").is_file()
        return is_module or any(defined.search(CODE[path]) for path in files_of(parts))

    assert len(links) > 20
    assert ["::".join(parts) for parts in links if not is_defined(parts)] == []
