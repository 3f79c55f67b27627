"""The inherent `impl` blocks of a type of Rust stand in one file; traits' impls may stand anywhere."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXCEPTIONS = {"Recipe", "Threshold"}
"""Types whose `impl` is still in several files."""

COMMENTS_AND_STRINGS = re.compile(
    r"//[^\n]*|/\*.*?\*/|\bb?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|b?'(?:\\.|[^'\\])'", re.DOTALL
)
DEFINED = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union) (\w+)", re.MULTILINE)
ALIAS = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?type (\w+)(?:<[^=]*>)? =\s*(?:\w+::)*(\w+)\b", re.MULTILINE)
IMPL = re.compile(r"^[ \t]*(?:unsafe )?impl\b", re.MULTILINE)
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)

Sources = Mapping[str, str]
"""The code of each file by its path below the project's folder."""


def without_generics(code: str) -> str:
    """The code without what stands in angle brackets; the arrow of a function's result is no bracket."""
    kept, depth, before = [], 0, ""
    for letter in code:
        depth += letter == "<"
        if not depth:
            kept.append(letter)
        depth -= depth > 0 and letter == ">" and before != "-"
        before = letter
    return "".join(kept)


def inherent(code: str) -> Iterator[str]:
    """The name of the type of each inherent `impl` block."""
    for found in IMPL.finditer(code):
        head = without_generics(code[found.end() : code.index("{", found.end())])
        words = re.split(r"\bwhere\b", head)[0].split()
        if "for" not in words:
            yield words[-1].rpartition("::")[2]


def home(name: str, path: str, sources: Sources, defined: Mapping[str, set[str]]) -> str:
    """The file that defines the type which has this name in a file; the name alone where that is not clear."""
    of_crate = {other for other in defined.get(name, ()) if other.split("/")[1] == path.split("/")[1]}
    if path in of_crate:
        return path
    if len(of_crate) > 1:
        imported = [use for use in USE.findall(sources[path]) if re.search(rf"\b{name}\b", use)]
        of_crate = {other for other in of_crate if any(Path(other).stem in use for use in imported)} or of_crate
    return min(of_crate) if len(of_crate) == 1 else name


def scattered(raw: Sources) -> dict[str, list[str]]:
    """The files of each type whose inherent `impl` blocks stand in more than one."""
    sources = {path: COMMENTS_AND_STRINGS.sub(" ", code) for path, code in raw.items()}
    defined: dict[str, set[str]] = defaultdict(set)
    aliases: dict[str, str] = {}
    for path, code in sources.items():
        for name in DEFINED.findall(code):
            defined[name].add(path)
        aliases.update(ALIAS.findall(code))
    files = defaultdict(set)
    for path, code in sources.items():
        for name in inherent(code):
            known = name if path in defined.get(name, ()) else aliases.get(name, name)
            files[home(known, path, sources, defined), known].add(path)
    return {name: sorted(found) for (_, name), found in files.items() if len(found) > 1}


def test_the_impl_of_a_type_stands_in_one_file() -> None:
    """A type that does not fit into a file is two types; the exceptions are needed."""
    paths = [
        path for folder in ("src", "examples", "tests", "fuzz") for path in ROOT.glob(f"crates/*/{folder}/**/*.rs")
    ]
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    found = scattered(sources)

    assert len(sources) > 200
    assert found.keys() - EXCEPTIONS == set(), found
    assert EXCEPTIONS - found.keys() == set()


ONE = "crates/a/src/one.rs"
TWO = "crates/a/src/two.rs"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("pub struct A;\nimpl A {\n}\n", "use super::one::A;\nimpl A {}\n"),
        ("struct A<T>(T);\nimpl<T: Into<u8>> A<T>\nwhere\n T: Copy,\n{\n}\n", "impl one::A<u8> {\n fn f() {}\n}\n"),
        ("pub struct A<T>(T);\npub(super) type B = A<u8>;\nimpl<T> A<T> {}", "use super::one::B;\nimpl B {\n}"),
        ("pub enum A {}\nimpl A {}", "mod inner {\n    impl super::A {\n    }\n}"),
        ("pub struct A;\nimpl A {}", "impl<F: Fn(u8) -> u8> A {}"),
    ],
)
def test_an_impl_in_a_second_file_is_found(one: str, two: str) -> None:
    """However it is written; of generics and of an alias too."""
    assert scattered({ONE: one, TWO: two}) == {"A": [ONE, TWO]}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("pub struct A;\nimpl A {}\nimpl A {}", "use super::one::A;\nimpl Clone for A {}\nimpl<T> From<T> for A {}"),
        ("struct A;\nimpl A {}", "struct A;\nimpl A {}"),
        ("struct A;\nimpl A {}", '// impl A {}\nconst B: &str = "\nimpl A {}\n";\nfn f(\n    g: impl Fn(u8),\n) {}'),
    ],
)
def test_other_impls_are_no_fault(one: str, two: str) -> None:
    """Several blocks in one file, traits' impls, types of one name, comments and strings."""
    assert scattered({ONE: one, TWO: two}) == {}
