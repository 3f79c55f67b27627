"""The house rules that a file listing can hold: sizes, and names that must not appear."""

import ast
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEST_LINES, PYTHON_LINES, RUST_LINES, STUB_LINES = 400, 400, 500, 800

# Put together here, so that this file does not hold them itself.
MACHINE_PATHS = tuple(f"/{name}/" for name in ("work", "root", "home"))
REGISTRY_HOSTS = tuple(".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("crates", "io")))
SHARED = "../" + "shared"
MAY_NAME_SHARED = ("tests", "benches")
WRITTEN_BY_TOOLS = ("Cargo.lock",)


@lru_cache(maxsize=1)
def tracked() -> tuple[Path, ...]:
    """The files that git tracks, as paths below the project's folder."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("NOT TESTED: this is no git checkout, so the tracked files are not known")
    names = (name for name in listing.stdout.split("\0") if name)
    return tuple(path for path in map(Path, names) if (ROOT / path).is_file())


def budget(path: Path) -> int | None:
    """The most lines of code that a file of this kind may have; None where there is no limit."""
    if path.suffix not in {".py", ".pyi", ".rs"}:
        return None
    if "tests" in path.parts or path.stem == "tests" or path.stem.endswith("_tests"):
        return TEST_LINES
    # The stub describes the whole compiled module in one file.
    return {".py": PYTHON_LINES, ".rs": RUST_LINES, ".pyi": STUB_LINES}[path.suffix]


def code_lines(path: Path) -> int:
    """The lines of a file that are neither blank, nor a comment, nor the docstring of a name."""
    text = text_of(path)
    comment = "//" if path.suffix == ".rs" else "#"
    documented = docstring_lines(text) if path.suffix == ".py" else set()
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and not line.startswith(comment) and at not in documented for at, line in lines)


def docstring_lines(text: str) -> set[int]:
    """The numbers of the lines of strings that are statements: docstrings, and those below a field."""
    nodes = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    strings = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {at for node in strings for at in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def text_of(path: Path) -> str:
    """The file's text; bytes that are no UTF-8 are replaced."""
    return (ROOT / path).read_bytes().decode("utf-8", errors="replace")


def holders(words: tuple[str, ...], *, but: tuple[str, ...] = ()) -> list[str]:
    """Each tracked file that holds one of the words, with the line; those under a name in `but` are left out."""
    found = []
    for path in tracked():
        if path.parts[0] in but or path.name in WRITTEN_BY_TOOLS:
            continue
        for number, line in enumerate(text_of(path).splitlines(), start=1):
            found += [f"{path}:{number}: {word}" for word in words if word in line]
    return found


def test_no_file_is_longer_than_its_room_allows() -> None:
    """Python files and tests have at most 400 lines of code, Rust files 500, the stub 800: beyond, a file is two."""
    sizes = {path: (code_lines(path), most) for path in tracked() if (most := budget(path)) is not None}

    too_long = [f"{path}: {lines} lines of code" for path, (lines, most) in sizes.items() if lines > most]

    assert not too_long


def test_no_file_names_a_place_on_one_machine() -> None:
    """Nothing in the project depends on where somebody's copy of it lies."""
    assert not holders(MACHINE_PATHS)


def test_no_file_names_a_package_registry() -> None:
    """Packages come from wherever the user's tools are set up to find them."""
    assert not holders(REGISTRY_HOSTS)


def test_only_tests_and_benchmarks_know_the_development_data() -> None:
    """The development data is not shipped, so nothing that is shipped may ask for it."""
    assert not holders((SHARED,), but=MAY_NAME_SHARED)


def test_nothing_that_was_built_or_fetched_is_tracked() -> None:
    """Packages and compiled modules are made or fetched anew, and never committed."""
    endings = (".whl", ".gz", ".zip", ".so", ".crate")

    assert [str(path) for path in tracked() if path.name.endswith(endings)] == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("python/simsieve/config/settings.py", 400),
        ("python/simsieve/_core.pyi", 800),
        ("crates/simsieve-core/src/lib.rs", 500),
        ("crates/simsieve-core/tests/laws.rs", 400),
        ("crates/simsieve-core/src/hamming/tests.rs", 400),
        ("crates/simsieve-core/src/source/tests/csv.rs", 400),
        ("tests/house/test_budgets.py", 400),
        ("README.md", None),
    ],
)
def test_every_kind_of_file_has_its_budget(path: str, expected: int | None) -> None:
    """A test's budget counts before its language's."""
    assert budget(Path(path)) == expected
