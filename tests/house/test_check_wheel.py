"""The check of packages: a wheel and packed sources made of this checkout, and what can be wrong with them."""

import io
import re
import runpy
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CHECK: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "check_wheel.py"))
PROJECT: dict[str, Any] = CHECK["PROJECT"]
VERSION: str = CHECK["VERSION"]
MODULE: str = CHECK["MODULE"]
INFO = f"simsieve-{VERSION}.dist-info"
TOP = f"simsieve-{VERSION}"
TAG = "manylinux2014_x86_64.manylinux_2_17_x86_64"
NAME = f"simsieve-{VERSION}-cp311-abi3-{TAG}.whl"
# The strings of a module, as a linker leaves them.
OLD_ENOUGH = b"\x7fELF\0memcpy\0GLIBC_2.14\0GLIBC_2.2.5\0clock_gettime\0GLIBC_2.17\0GCC_3.0\0"


def metadata() -> str:
    """What a package says of itself, as pyproject.toml has it."""
    extras = PROJECT["optional-dependencies"]
    lines = ["Metadata-Version: 2.4", f"Name: {PROJECT['name']}", f"Version: {VERSION}"]
    lines += [f"Classifier: {line}" for line in PROJECT["classifiers"]]
    lines += [f"Requires-Dist: {need}" for need in PROJECT["dependencies"]]
    lines += [f"Requires-Dist: {CHECK['of_extra'](need, extra)}" for extra in extras for need in extras[extra]]
    lines += [f"Provides-Extra: {extra}" for extra in extras]
    lines += [f"License-File: {path}" for path in CHECK["LICENCES"]]
    lines += [f"License-Expression: {PROJECT['license']}", f"Requires-Python: {PROJECT['requires-python']}"]
    readme = ROOT / str(PROJECT["readme"])
    return "\n".join(lines) + "\n\n" + readme.read_text(encoding="utf-8")


def good_wheel() -> dict[str, bytes]:
    """All files of a wheel that is as it should be."""
    package = [
        path
        for path in (ROOT / "python/simsieve").rglob("*")
        if path.suffix in {".py", ".pyi", ".typed", ".css", ".js", ".mo"}
    ]
    files = {str(path.relative_to(ROOT / "python")): path.read_bytes() for path in package}
    files |= {f"{INFO}/licenses/{path}": (ROOT / path).read_bytes() for path in CHECK["LICENCES"]}
    files |= {f"{INFO}/sboms/{Path(path).name}": (ROOT / path).read_bytes() for path in CHECK["PARTS"]}
    tags = "".join(f"Tag: cp311-abi3-{tag}\n" for tag in TAG.split("."))
    return files | {
        MODULE: OLD_ENOUGH,
        f"{INFO}/METADATA": metadata().encode(),
        f"{INFO}/WHEEL": f"Wheel-Version: 1.0\n{tags}".encode(),
        f"{INFO}/RECORD": b"",
        f"{INFO}/entry_points.txt": b"[console_scripts]\nsimsieve=simsieve.__main__:main\n",
    }


def good_sources() -> dict[str, bytes]:
    """All files of packed sources that are as they should be."""
    paths = [path for glob in (*CHECK["SOURCES"], *CHECK["LICENCES"], *CHECK["PARTS"]) for path in ROOT.glob(glob)]
    files = {f"{TOP}/{path.relative_to(ROOT)}": path.read_bytes() for path in paths}
    return files | {f"{TOP}/PKG-INFO": metadata().encode()}


def wheel_faults(files: dict[str, bytes], name: str = NAME) -> list[str]:
    """What the check says of a release's wheel of these files."""
    return list(CHECK["wheel_faults"](name, files, release=True))


def test_a_wheel_and_sources_that_are_as_they_should_be_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files on the disk, read as the command reads them: no fault, exit code 0, the size is told."""
    wheel, sources = tmp_path / NAME, tmp_path / f"{TOP}.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in good_wheel().items():
            archive.writestr(name, data)
    with tarfile.open(sources, "w:gz") as packed:
        for name, data in good_sources().items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))

    assert CHECK["main"](["--release", str(wheel)]) == 0
    assert CHECK["main"]([str(sources)]) == 0
    assert capsys.readouterr().out.count("MB, as it should be") == 2


def test_a_wheel_with_a_fault_ends_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is told, a line each, and make stops."""
    wheel = tmp_path / NAME
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(MODULE, OLD_ENOUGH)

    assert CHECK["main"]([str(wheel)]) == 1
    assert f"{INFO}/licenses/LICENSE is missing\n" in capsys.readouterr().out


def test_a_release_that_is_too_large_is_told(tmp_path: Path) -> None:
    """It counts what is downloaded; a wheel of one's own may be larger."""
    wheel = tmp_path / NAME
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in (good_wheel() | {MODULE: OLD_ENOUGH + bytes(CHECK["MAX_WHEEL_BYTES"])}).items():
            archive.writestr(name, data)

    [fault] = CHECK["faults"](wheel, release=True)
    assert fault == f"{NAME} has {wheel.stat().st_size:,} bytes, and a release has at most 10,000,000"
    assert CHECK["faults"](wheel) == []


@pytest.mark.parametrize("arguments", [[], ["--release"], ["a.whl", "b.whl"], ["--relaese", "a.whl"]])
def test_other_arguments_are_refused(arguments: list[str]) -> None:
    """A misspelt option does not make the check milder."""
    with pytest.raises(SystemExit, match=r"check_wheel.py \[--release\] WHEEL\|SOURCES; it was given"):
        CHECK["main"](arguments)


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        (b"\0GLIBC_2.17\0GLIBC_2.2.5\0", [(2, 2, 5), (2, 17)]),
        (b"\0GLIBC_2.9\0GLIBC_2.34\0", [(2, 9), (2, 34)]),
        (b"\0GLIBC_2.2.5\0GLIBC_ABI_DT_RELR\0", [(2, 2, 5), (999,)]),
        (b"\0XGLIBC_2.40\0GLIBC_2.40 or newer\0", []),
    ],
)
def test_versions_of_glibc_are_read_as_numbers(strings: bytes, expected: list[tuple[int, ...]]) -> None:
    """2.9 is older than 2.34; a name without a number asks for the newest; other words are no versions."""
    assert CHECK["glibc_needed"](strings) == expected


@pytest.mark.parametrize(
    ("tags", "version", "expected"),
    [
        ("manylinux_2_17_x86_64", "2.17", []),
        ("manylinux2014_aarch64", "2.17", []),
        ("manylinux_2_17_x86_64", "2.18", ["manylinux_2_17_x86_64 promises glibc 2.17, and the module needs 2.18"]),
        ("manylinux2014_x86_64", "2.17.1", ["manylinux2014_x86_64 promises glibc 2.17, and the module needs 2.17.1"]),
        ("manylinux_2_34_x86_64", "2.34", ["manylinux_2_34_x86_64 is for glibc 2.34, and a release is for 2.17"]),
        ("linux_x86_64", "2.17", ["linux_x86_64 is no tag of manylinux"]),
        ("manylinux_2_17_x86_64", "", ["simsieve/_core.abi3.so names no version of glibc"]),
    ],
)
def test_a_tag_that_the_module_does_not_keep_is_told(tags: str, version: str, expected: list[str]) -> None:
    """The highest version that a symbol asks for is at most that of the tag, and a release's is 2.17."""
    module = f"\0GLIBC_2.2.5\0GLIBC_{version}\0".encode() if version else b"\0memcpy\0"

    faults = CHECK["tag_faults"](tags, module, release=True)

    assert len(faults) == len(expected)
    assert all(fault.startswith(start) for fault, start in zip(faults, expected, strict=True))


def test_the_name_and_the_wheel_say_the_same() -> None:
    """A renamed wheel is no other wheel."""
    faults = wheel_faults(good_wheel(), NAME.replace("manylinux2014_x86_64.", ""))

    assert len(faults) == 1 and faults[0].startswith("its WHEEL says ['cp311-abi3-manylinux2014_x86_64', ")


LICENCES = sorted({*CHECK["LICENCES"], "licenses/jieba.txt", "licenses/opencc.txt", "licenses/zig.txt"})
# A file, what it has instead (None: it is not there), and what is said.
WHEELS: list[tuple[str, bytes | None, str]] = [
    *((f"{INFO}/licenses/{path}", None, f"{INFO}/licenses/{path} is missing") for path in LICENCES),
    *((f"{INFO}/licenses/{path}", b"\n", f"{INFO}/licenses/{path} differs from {path}") for path in LICENCES),
    *((name, None, f"{name} is missing")
      for name in ("simsieve/py.typed", "simsieve/_core.pyi", MODULE, f"{INFO}/entry_points.txt")),
    *((name, b"", f"{name} does not belong there")
      for name in ("tests/unit/test_own.py", "simsieve/__pycache__/own.pyc", "simsieve.libs/libm.so.6")),
    (f"{INFO}/entry_points.txt", b"[console_scripts]\n", "there is no command simsieve"),
]  # fmt: skip
SOURCES: list[tuple[str, bytes | None, str]] = [
    *((f"{TOP}/{name}", None, f"{TOP}/{name} is missing")
      for name in ("Cargo.lock", "LICENSE", "licenses/crates.txt", "crates/simsieve-core/build.rs", "PKG-INFO")),
    (f"{TOP}/tests/unit/test_own.py", b"", f"{TOP}/tests/unit/test_own.py does not belong there"),
    (f"{TOP}/Cargo.toml", b" " * 500_000, f"{TOP}/Cargo.toml has 500000 bytes"),
    (f"{TOP}/Cargo.lock", b"version = 4\n", f"{TOP}/Cargo.lock differs from Cargo.lock"),
]  # fmt: skip


def changed(files: dict[str, bytes], name: str, content: bytes | None) -> dict[str, bytes]:
    """The files with another content of one, or without it."""
    return {key: data for key, data in (files | {name: content}).items() if data is not None}


@pytest.mark.parametrize(("name", "content", "fault"), WHEELS)
def test_a_fault_of_a_wheel_is_told(name: str, content: bytes | None, fault: str) -> None:
    """Licences with their texts, types, the module and the command are there, and nothing else is."""
    assert wheel_faults(changed(good_wheel(), name, content)) == [fault]


@pytest.mark.parametrize(("name", "content", "fault"), SOURCES)
def test_a_fault_of_packed_sources_is_told(name: str, content: bytes | None, fault: str) -> None:
    """They are those of the checkout, and hold nothing but what is built."""
    assert fault in CHECK["source_faults"](f"{TOP}.tar.gz", changed(good_sources(), name, content))


def test_a_package_has_the_name_of_the_project() -> None:
    """One wheel serves every Python by the stable ABI; only a release has to run everywhere."""
    for name in ("simsieve-0.1.0-cp311-cp311-manylinux_2_17_x86_64.whl", "simsieve-0.1.0-py3-none-any.whl"):
        assert wheel_faults(good_wheel(), name) == [f"{name} is not for cp311-abi3"]
    assert CHECK["source_faults"]("simsieve-9.tar.gz", good_sources()) == [f"simsieve-9.tar.gz is not {TOP}.tar.gz"]
    assert CHECK["tag_faults"]("manylinux_2_34_x86_64", b"\0GLIBC_2.34\0", release=False) == []


@pytest.mark.parametrize(
    ("line", "other", "start"),
    [
        ("Requires-Python: >=3.11", "Requires-Python: >=3.9", "Requires-Python is ['>=3.9'], not ["),
        ("License-Expression: Apache-2.0", "License: Apache", "License-Expression is [], not ['Apache-2.0']"),
        ("License-File: licenses/jieba.txt\n", "", "License-File is ["),
        ("Provides-Extra: parquet\n", "", "Provides-Extra is ["),
        ("Requires-Dist: pyarrow>=15 ; extra == 'parquet'", "Requires-Dist: pyarrow>=15", "Requires-Dist is ["),
        ("\n\n# simsieve", "\n\n# other", "the description is not README.md"),
        (f"Version: {VERSION}", f"Version: {VERSION}\nProject-URL: Home, https://example.com", "Project-URL is ["),
    ],
)
def test_metadata_that_are_not_the_projects_are_told(line: str, other: str, start: str) -> None:
    """What an index and an installer read is what pyproject.toml says, in wheel and sources alike."""
    text = metadata()
    assert line in text
    said = text.replace(line, other, 1).encode()

    for faults in (
        wheel_faults(good_wheel() | {f"{INFO}/METADATA": said}),
        CHECK["source_faults"](f"{TOP}.tar.gz", good_sources() | {f"{TOP}/PKG-INFO": said}),
    ):
        assert len(faults) == 1 and faults[0].startswith(start)


def test_a_release_does_not_tell_where_it_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the checkout nor the crates' folder is named; in a wheel of one's own that does not matter."""
    monkeypatch.setenv("CARGO_HOME", "/somewhere/cargo")
    files = good_wheel() | {MODULE: OLD_ENOUGH + b"/somewhere/cargo/registry/src/lib.rs\0" + f"{ROOT}/crates".encode()}

    assert wheel_faults(files) == [f"{MODULE} names {ROOT}", f"{MODULE} names /somewhere/cargo"]
    assert CHECK["wheel_faults"](NAME, files, release=False) == []


def test_the_tools_of_a_release_are_pinned_once() -> None:
    """Each has an exact version but maturin, which the developer's tools pin, and zig's is that of its licence."""
    lines = (ROOT / "requirements-release.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if not line.startswith("#")]
    developer = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().split("==") for line in wanted if "==" in line)

    assert [line for line in wanted if "==" not in line] == ["maturin"]
    assert any(re.fullmatch(r"maturin==[\d.]+", line) for line in developer)
    assert f" zig {pins['ziglang']}," in (ROOT / "licenses/zig.txt").read_text(encoding="utf-8")
    both = {name: line for line in developer if (name := line.lower().partition("==")[0]) in pins}
    assert [line for name, line in both.items() if line.lower() != f"{name}=={pins[name]}"] == []


def test_a_requirement_of_an_extra_has_its_marker_in_order() -> None:
    """A wheel tells the terms of a marker in the order of their names, and the extra last."""
    assert CHECK["of_extra"]("ruff>=0.11", "dev") == "ruff>=0.11 ; extra == 'dev'"
    told = "a==1 ; platform_machine == 'x' and sys_platform == 'linux' and extra == 'dev'"
    assert CHECK["of_extra"]("a==1; sys_platform == 'linux' and platform_machine == 'x'", "dev") == told
