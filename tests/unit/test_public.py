"""What is public, and that it says how it is used."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import simsieve
import simsieve.config
import simsieve.inside
import simsieve.results
import simsieve.text.html
from simsieve.cli import cli

PLACES = [simsieve, simsieve.results, simsieve.inside, simsieve.config, simsieve.text.html]
"""The modules with public names: verbs, classes and errors; rows of results; types of settings; pages."""
PUBLIC = [(place, name) for place in PLACES for name in vars(place)["__all__"]]


def test_the_lists_of_public_names_are_sorted_and_whole() -> None:
    """Each name of __all__ exists, is listed once, and in order; there are few at the top."""
    for place in PLACES:
        names = vars(place)["__all__"]
        assert sorted(set(names)) == names
    assert [name for place, name in PUBLIC if not hasattr(place, name)] == []
    assert len(dir(simsieve)) <= 46


@pytest.mark.parametrize(("place", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_each_public_name_has_an_example(place: ModuleType, name: str) -> None:
    """The docstring of a public name has an example."""
    assert "Example:\n" in str(getattr(place, name).__doc__)


def test_the_version_is_one() -> None:
    """The version is a release's."""
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", simsieve.__version__)


def test_schemes_are_listed_with_what_they_are() -> None:
    """Each scheme has a name, a width that fits its fingerprints, and a digest of its own."""
    rows = simsieve.schemes()

    assert {"chars64", "chars128", "chars256"} <= {row.name for row in rows}
    assert len({row.digest for row in rows}) == len(rows)
    for row in rows:
        maker = simsieve.Fingerprinter(row.name)
        assert (row.width, row.digest) == (maker.width, maker.digest)


def test_the_library_loads_no_terminal_library() -> None:
    """Neither importing simsieve nor its command line loads rich; the library alone does not load click either."""
    code = (
        "import sys, simsieve; assert 'click' not in sys.modules; import simsieve.cli; assert 'rich' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def modules_of(words: list[str]) -> set[str]:
    """The modules that are loaded when a command line has been carried out."""
    code = f"import sys; from simsieve.cli import main; main({words}); print(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


RARE = {"hashlib", "numpy", "rich", "tomllib"}
"""Packages that take long to load and that most command lines do not need."""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["dedup", "--help-all"], ["nosuch"]], ids=" ".join)
def test_help_loads_what_it_needs(words: list[str]) -> None:
    """Neither help, version and errors nor completion load numpy, which takes longer than all the rest."""
    assert modules_of(words) & RARE == set()


def test_a_command_loads_no_other_command(tmp_path: Path) -> None:
    """A run of one text loads its own command alone, and no page, evaluation, store, table or progress bar."""
    (tmp_path / "one.jsonl").write_text('{"text": "one text"}\n', encoding="utf-8")
    found = modules_of(["dedup", str(tmp_path / "one.jsonl"), "-o", str(tmp_path / "kept.jsonl")])
    # The module of `completion` also answers the shell.
    commands = {f"simsieve.cli.{name}" for name in cli.commands} - {"simsieve.cli.completion"}
    others = {f"simsieve.{name}" for name in ("compare", "evaluate", "index", "report.html", "spark", "stores.mongo")}

    assert modules_of(["--version"]) & commands == set()
    assert found & commands == {"simsieve.cli.dedup"}
    assert found & (others | RARE | {"pandas", "polars", "pyarrow"}) == {"numpy"}


def test_completion_loads_no_numpy() -> None:
    """Every press of the tab key starts the program."""
    code = "import sys; from simsieve.cli import main; main(); sys.exit('numpy' in sys.modules)"
    asked = {"_SIMSIEVE_COMPLETE": "bash_complete", "COMP_WORDS": "simsieve dedup --sim", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **asked}
    )

    assert (done.returncode, done.stdout) == (0, "plain,--similarity\n")


def test_the_public_module_needs_no_import_of_its_own() -> None:
    """`import simsieve` is enough for `simsieve.text.html`."""
    code = "import simsieve; assert callable(simsieve.text.html.decode); assert callable(simsieve.schemes)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_a_name_that_has_moved_answers_with_its_place() -> None:
    """As an attribute and in an import; any other name is unknown."""
    told = "Pair is in simsieve.results: from simsieve.results import Pair"
    with pytest.raises(AttributeError, match=told):
        simsieve.Pair  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match=told):
        from simsieve import Pair  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        simsieve.nosuch  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nosuch'"):
        from simsieve import nosuch  # type: ignore[attr-defined]  # noqa: F401


@pytest.mark.parametrize("name", ["MinHash", "MinHashLSH", "RMinHash", "SemHash", "Simhash", "SimhashIndex"])
def test_a_name_of_another_package_answers_with_the_line_that_does_it(name: str) -> None:
    """Each name in the answer is public, and nothing else finds the other package's name here."""
    with pytest.raises(AttributeError, match=f"{name} is a name of another package: simsieve") as told:
        getattr(simsieve, name)
    with pytest.raises(ImportError, match="is a name of another package"):
        exec(f"from simsieve import {name}")
    assert set(re.findall(r"simsieve\.(\w+)", str(told.value))) <= set(dir(simsieve))
    assert not hasattr(simsieve, name)


def test_only_public_names_are_listed() -> None:
    """`dir` lists the public names, and none of the modules that hold them."""
    assert dir(simsieve) == vars(simsieve)["__all__"]


def returned(public: Any) -> Iterator[tuple[str, Any]]:
    """Give what a function returns, or what each public method and property of a class returns."""
    members = vars(public).items() if inspect.isclass(public) else [("", public)]
    for name, member in members:
        bare = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(bare) and (not name.startswith("_") or name in ("__getitem__", "__iter__")):
            yield name, get_type_hints(bare).get("return")


def classes(hint: Any) -> Iterator[type]:
    """Give the classes that a type hint names."""
    if isinstance(hint, type):
        yield hint
    for part in get_args(hint):
        yield from classes(part)


def test_what_public_names_return_is_public() -> None:
    """The class of each returned value is exported, so that a program can name it."""
    # The packages above `results` and the core take these; no page names them.
    internal = {("DedupResult", "with_sources"), ("Pairs", "with_sources"), ("DedupConfig", "nearness"),
                ("DedupConfig", "field_texts"), ("PassageResult", "fields")}  # fmt: skip
    hidden = [
        (public, method, kind.__name__)
        for place, public in PUBLIC
        for method, hint in returned(getattr(place, public))
        for kind in classes(hint)
        if kind.__module__.startswith("simsieve") and (public, method) not in internal
        if not any(getattr(one, kind.__name__, None) is kind for one in PLACES if (one, kind.__name__) in PUBLIC)
    ]

    assert hidden == []
