"""The imports that the layers of pyproject.toml cannot see: those of the package's own front page."""

import ast
from pathlib import Path

import pytest

import simsieve

PACKAGE = Path(simsieve.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def from_the_front_page(source: str) -> list[str]:
    """The names that a module takes from `simsieve` itself; `simsieve` where it imports the whole."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "simsieve":
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name == "simsieve"]
    return found


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_module_imports_the_front_page(module: Path) -> None:
    """`simsieve` imports the modules and none of them imports it: from it comes the compiled module alone."""
    assert set(from_the_front_page((PACKAGE / module).read_text(encoding="utf-8"))) <= {"_core"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from simsieve import _core, dedup", ["_core", "dedup"]),
        ("def f():\n    import simsieve", ["simsieve"]),
        ("import simsieve.errors\nfrom simsieve.types import Pair", []),
    ],
)
def test_imports_of_the_front_page_are_found(source: str, found: list[str]) -> None:
    """Every form of the import is found, in functions too; imports of modules are none."""
    assert from_the_front_page(source) == found
