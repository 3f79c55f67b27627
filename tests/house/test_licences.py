"""The licences of simsieve's dependencies: the check, the page about them, the notices that a wheel carries."""

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CHECK = runpy.run_path(str(ROOT / "tools" / "check_licences.py"))
ALLOWED = CHECK["allowed_licences"]((ROOT / "deny.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
REGISTRY = "registry+somewhere"
# A row of the page's table of data: data and their version, crate, its version, licence, file.
ROW = re.compile(r"^\|[^|]+\| ([^|]+) \| `([\w-]+)` ([\w.+]+) \| ([^|]+) \| `([^`]+)` \|$", re.MULTILINE)


def crate(name: str, licence: str | None, **other: Any) -> dict[str, Any]:
    """A crate as `cargo metadata` tells of it."""
    return {"name": name, "version": "1.0.0", "license": licence, "source": REGISTRY, "dependencies": [], **other}


MET = """MIT; MIT OR GPL-3.0-only; GPL-3.0-only OR MIT; MIT/GPL-3.0-only; (MIT OR GPL-3.0-only) AND Zlib;
MIT OR GPL-3.0-only AND LGPL-3.0-only; Apache-2.0 WITH LLVM-exception"""
NOT_MET = """GPL-3.0-only; MIT AND GPL-3.0-only; (MIT OR GPL-3.0-only) AND LGPL-3.0-only;
GPL-3.0-only WITH Classpath-exception-2.0"""


@pytest.mark.parametrize("expected", [True, False])
def test_an_expression_is_met_or_not(*, expected: bool) -> None:
    """AND binds closer than OR, `/` is an old OR, and a licence with an exception is one of its own."""
    for expression in re.split(r";\s", MET if expected else NOT_MET):
        assert CHECK["satisfied"](expression, ALLOWED) is expected, expression


@pytest.mark.parametrize("expression", ["", "MIT OR", "(MIT", "MIT Zlib", "AND MIT", "MIT)", "MIT WITH"])
def test_an_expression_that_cannot_be_read_is_a_fault(expression: str) -> None:
    """What is no expression is never taken for an allowed one."""
    faults = CHECK["licence_fault"]("odd 1.0.0", expression, ALLOWED)

    assert len(faults) == 1 and faults[0].startswith("odd 1.0.0: ")


def test_every_kind_of_crate_that_may_not_be_there_is_named() -> None:
    """A licence out of the list, none, another source, any version, two versions: each is told with the crate."""
    metadata = {
        "packages": [
            crate("good", "MIT OR Apache-2.0"),
            crate("copyleft", "GPL-3.0-only"),
            crate("silent", None),
            crate("elsewhere", "MIT", source="git+https://example.com/elsewhere"),
            crate("ours", "MIT", source=None, dependencies=[{"name": "good", "req": "*", "source": REGISTRY}]),
            crate("twice", "MIT"),
            crate("twice", "MIT", version="2.0.0"),
        ]
    }

    assert CHECK["crate_faults"](metadata, ALLOWED) == [
        "copyleft 1.0.0: GPL-3.0-only is not in the list of deny.toml",
        "silent 1.0.0: it names no licence",
        "elsewhere 1.0.0: its source is git+https://example.com/elsewhere, not a registry",
        "ours 1.0.0: it asks for any version of good",
        "twice: in 2 versions, 1.0.0, 2.0.0",
    ]


def test_a_second_version_is_allowed_by_name_and_version_alone() -> None:
    """The list of `deny.toml` excuses what it names, and nothing newer."""
    skipped = CHECK["skipped_crates"]('[bans]\nskip = [{ crate = "twice@1.0.0", reason = "old" }]')
    packages = [crate("twice", "MIT", version=version) for version in ("1.0.0", "2.0.0", "3.0.0")]

    assert CHECK["crate_faults"]({"packages": packages[:2]}, ALLOWED, skipped) == []
    assert CHECK["crate_faults"]({"packages": packages}, ALLOWED, skipped) == ["twice: in 2 versions, 2.0.0, 3.0.0"]


def test_packages_of_python_are_looked_at_with_what_they_need() -> None:
    """What a needed package needs in turn is held against the list, and one that is not there is told."""
    assert CHECK["python_faults"](["rich", "numpy", "click"], ALLOWED) == []

    only_mit = CHECK["python_faults"](["rich", "surely-not-there"], frozenset({"MIT"}))

    assert [fault.split()[0] for fault in only_mit] == ["surely-not-there:", "pygments"]


def test_what_users_install_is_looked_at_and_what_developers_do_is_not() -> None:
    """The extras for users count; the developer's do not."""
    needs = CHECK["python_needs"]((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert {"numpy", "click", "rich", "pyarrow", "rapidfuzz"} <= set(needs) and "jieba" not in needs


def test_the_check_of_this_checkout_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """All that simsieve is built of may be used, and the notices are those of its crates."""
    code = CHECK["main"]([])

    assert (code, "all may be used" in capsys.readouterr().out) == (0, True)


def test_crates_that_are_only_built_or_tested_with_need_no_notice() -> None:
    """Notices are for linked crates; a crate of the build alone needs none, however near it stands."""
    nodes = [
        {
            "id": "border",
            "deps": [{"pkg": "in", "dep_kinds": [{"kind": None}]}, {"pkg": "b", "dep_kinds": [{"kind": "build"}]}],
        },
        {"id": "in", "deps": []},
        {"id": "b", "deps": []},
    ]
    packages = [
        crate("simsieve-py", "Apache-2.0", source=None) | {"id": "border"},
        crate("linked", "Apache-2.0") | {"id": "in"},
        crate("builder", "Apache-2.0") | {"id": "b"},
    ]

    found = CHECK["linked"]({"packages": packages, "resolve": {"nodes": nodes}})

    assert [package["name"] for package in found] == ["linked"]


def test_the_list_of_parts_has_the_sum_of_each_crate_and_nothing_of_a_build() -> None:
    """Each component has its checksum of the lock, and no time, number or folder makes two builds differ."""
    bill = json.loads((ROOT / "licenses/crates.cdx.json").read_text(encoding="utf-8"))
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in lock}
    found = {(one["name"], one["version"]): one["hashes"][0]["content"] for one in bill["components"]}

    assert len(found) > 50 and found == {name: sums[name] for name in found}
    assert set(bill) == {"bomFormat", "specVersion", "version", "metadata", "components"}
    assert set(bill["metadata"]) == {"component"}


def test_the_page_tells_the_versions_of_the_lock() -> None:
    """Each row of the table of data has the version of its crate that is locked, and of Unicode that the core names."""
    locked = {
        package["name"]: package["version"]
        for package in tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    }
    table = (ROOT / "crates/simsieve-core/src/text/normalise/table.rs").read_text(encoding="utf-8")
    unicode = re.search(r'UNICODE_VERSION: &str = "([\d.]+)"', table)
    rows = ROW.findall(PAGE)

    assert unicode is not None
    assert [(name, version) for _, name, version, _, _ in rows] == [(name, locked[name]) for _, name, _, _, _ in rows]
    assert {of for of, *_ in rows if of.startswith("Unicode")} == {f"Unicode {unicode[1]}"}
    assert all(CHECK["satisfied"](licence, ALLOWED) for *_, licence, _ in rows)


def test_every_crate_whose_data_are_taken_has_its_row() -> None:
    """What the build script takes from a crate, and each crate whose name says that it is data, is in the table."""
    named = {name for _, name, *_ in ROW.findall(PAGE)}
    script = (ROOT / "crates/simsieve-core/build.rs").read_text(encoding="utf-8")
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    taken = set(re.findall(r'^ +name: "([\w-]+)",$', script, re.MULTILINE))

    assert len(taken) == 3
    assert taken | set(re.findall(r'^name = "(\w+_data)"$', lock, re.MULTILINE)) <= named


def test_every_licence_file_is_named_and_every_named_one_is_there() -> None:
    """The page and the folder agree, and a row's crate stands in the file that the row names."""
    files = {f"licenses/{path.name}" for path in (ROOT / "licenses").iterdir()}

    assert set(re.findall(r"`(licenses/[\w.]+)`", PAGE)) == files
    for _, name, version, _, file in ROW.findall(PAGE):
        text = " ".join((ROOT / file).read_text(encoding="utf-8").split())
        assert name in text, f"{file} does not name {name}"
        assert version in text, f"{file} does not name {name} {version}"
