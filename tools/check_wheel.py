"""Looks into a wheel or into packed sources: for which machines it is, whether all that must be in it is, and no more.

What a package says of itself is held against `pyproject.toml` and `Cargo.toml`, its files against the checkout byte for
byte. The tag of a wheel promises the oldest C library that it runs with; the compiled module says which versions of it
its symbols come from, so the promise is checked and not believed.

Usage: check_wheel.py [--release] WHEEL|SOURCES; exit code 1 where something is wrong. With --release the wheel must be
one for everybody: glibc 2.17 (manylinux2014), at most 10 MB, no word of the folders of the machine where it was built.
"""

import io
import os
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
LICENCES = [str(path.relative_to(ROOT)) for glob in PROJECT["license-files"] for path in sorted(ROOT.glob(glob))]
PARTS = ["licenses/crates.cdx.json"]
MODULE = "simsieve/_core.abi3.so"
# One build serves every Python from 3.11 on: the stable ABI. A tag may have an older name before it, and a dot between.
NAME = re.compile(r"simsieve-(.+)-cp311-abi3-([\w.]+)\.whl")
PLATFORM = re.compile(r"manylinux_(\d+)_(\d+)_\w+")
OLD_NAMES = {"manylinux2014": "manylinux_2_17"}
RELEASE_GLIBC = (2, 17)
# The names of versions stand in the module's table of strings, between zeros.
SYMBOL_VERSION = re.compile(rb"(?<=\0)GLIBC_([\w.]+)(?=\0)")
# What packed sources consist of; whoever builds from them has no use for tests, benchmarks and examples.
SOURCES = (
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "pyproject.toml",
    "crates/*/Cargo.toml",
    "crates/*/build.rs",
    "crates/*/src/**/*.rs",
    "python/simsieve/**/*.py",
    "python/simsieve/**/*.pyi",
    "python/simsieve/messages/*/LC_MESSAGES/*.mo",
    "python/simsieve/*/assets/*",
    "python/simsieve/py.typed",
)
# The greatest file is the catalogue of translations at some 350 kB: data come from crates.
MAX_SOURCE_BYTES = 400_000
# What a release's wheel may have, packed as it is.
MAX_WHEEL_BYTES = 10_000_000

Files = Mapping[str, bytes]


def glibc_needed(module: bytes) -> list[tuple[int, ...]]:
    """The versions of glibc that a module's symbols come from; a name without a number asks for the newest: (999,)."""
    names = {found.decode() for found in SYMBOL_VERSION.findall(module)}
    return sorted(tuple(map(int, name.split("."))) if re.fullmatch(r"[\d.]+", name) else (999,) for name in names)


def tag_faults(platforms: str, module: bytes, *, release: bool) -> list[str]:
    """What is wrong with the platform tags of a wheel that holds this module."""
    found = []
    needed = glibc_needed(module)
    if not needed:
        found.append(f"{MODULE} names no version of glibc, so no tag can be checked")
    for tag in platforms.split("."):
        old, _, machine = tag.partition("_")
        match = PLATFORM.fullmatch(f"{OLD_NAMES[old]}_{machine}" if old in OLD_NAMES else tag)
        if match is None:
            found.append(f"{tag} is no tag of manylinux: maturin's audit found a library that is not on every Linux")
            continue
        promised = (int(match[1]), int(match[2]))
        if needed and needed[-1] > promised:
            found.append(f"{tag} promises glibc {dotted(promised)}, and the module needs {dotted(needed[-1])}")
        if release and promised != RELEASE_GLIBC:
            found.append(f"{tag} is for glibc {dotted(promised)}, and a release is for {dotted(RELEASE_GLIBC)}")
    return found


def dotted(version: Iterable[int]) -> str:
    """A version as it is written."""
    return ".".join(map(str, version))


def metadata_faults(text: str) -> list[str]:
    """What a METADATA or PKG-INFO says otherwise than pyproject.toml and Cargo.toml do."""
    told = Parser().parsestr(text)
    extras = PROJECT["optional-dependencies"]
    expected = {
        "Name": [PROJECT["name"]],
        "Version": [VERSION],
        "Requires-Python": [PROJECT["requires-python"]],
        "License-Expression": [PROJECT["license"]],
        "License-File": LICENCES,
        "Provides-Extra": sorted(extras),
        "Classifier": PROJECT["classifiers"],
        "Requires-Dist": PROJECT["dependencies"] + [of_extra(need, name) for name in extras for need in extras[name]],
        "Project-URL": [f"{name}, {address}" for name, address in PROJECT.get("urls", {}).items()],
    }
    found = [
        f"{field} is {values(told, field)}, not {sorted(wanted)}"
        for field, wanted in expected.items()
        if values(told, field) != sorted(wanted)
    ]
    if str(told.get_payload()).strip() != (ROOT / PROJECT["readme"]).read_text(encoding="utf-8").strip():
        found.append(f"the description is not {PROJECT['readme']}")
    return found


def of_extra(need: str, extra: str) -> str:
    """A requirement of an extra as a wheel tells it: the terms of its marker in order, the extra last."""
    package, _, marker = need.partition(";")
    terms = sorted(term.strip() for term in marker.split(" and ") if term.strip())
    return f"{package.strip()} ; {' and '.join([*terms, f'extra == {extra!r}'])}"


def values(told: Message, field: str) -> list[str]:
    """All that stands under a name, sorted."""
    return sorted(map(str, told.get_all(field, [])))


def same_faults(files: Files, wanted: Mapping[str, str]) -> list[str]:
    """What is missing of `wanted`, which gives names in the package those in the checkout, or has other bytes."""
    found = [f"{name} is missing" for name in wanted if name not in files]
    differing = [name for name in wanted if name in files and files[name] != (ROOT / wanted[name]).read_bytes()]
    return found + [f"{name} differs from {wanted[name]}" for name in differing]


def wheel_faults(name: str, files: Files, *, release: bool) -> list[str]:
    """What is wrong with a wheel of this name; nothing where it is as it should be."""
    match = NAME.fullmatch(name)
    if match is None:
        return [f"{name} is not for cp311-abi3"]
    folder = f"simsieve-{match[1]}.dist-info"
    package = ROOT / "python"
    endings = {".py", ".pyi", ".typed", ".css", ".js", ".mo"}
    sources = [path for path in package.glob("simsieve/**/*") if path.suffix in endings]
    wanted = {str(path.relative_to(package)): str(path.relative_to(ROOT)) for path in sources}
    wanted |= {f"{folder}/licenses/{path}": path for path in LICENCES}
    wanted |= {f"{folder}/sboms/{Path(path).name}": path for path in PARTS}
    found = same_faults(files, wanted)
    own = [f"{folder}/METADATA", f"{folder}/WHEEL", f"{folder}/RECORD", f"{folder}/entry_points.txt", MODULE]
    found += [f"{path} is missing" for path in own if path not in files]
    found += [f"{path} does not belong there" for path in files if path not in wanted and path not in own]
    if any(path not in files for path in own):
        return found
    tags = sorted(f"cp311-abi3-{tag}" for tag in match[2].split("."))
    told = values(Parser().parsestr(files[f"{folder}/WHEEL"].decode()), "Tag")
    if told != tags:
        found.append(f"its WHEEL says {told}, its name {tags}")
    found += tag_faults(match[2], files[MODULE], release=release)
    found += metadata_faults(files[f"{folder}/METADATA"].decode())
    for command, place in PROJECT["scripts"].items():
        if f"{command}={place}" not in files[f"{folder}/entry_points.txt"].decode().replace(" ", "").splitlines():
            found.append(f"there is no command {command}")
    return found + (place_faults(files) if release else [])


def place_faults(files: Files) -> list[str]:
    """The files that name a folder of this machine: the checkout, or where cargo unpacks crates."""
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    return [f"{name} names {place}" for place in (ROOT, cargo) for name in files if f"{place}/".encode() in files[name]]


def source_faults(name: str, files: Files) -> list[str]:
    """What is wrong with packed sources of this name."""
    top = f"simsieve-{VERSION}"
    paths = [path for glob in (*SOURCES, *LICENCES, *PARTS) for path in ROOT.glob(glob)]
    wanted = {f"{top}/{path.relative_to(ROOT)}": str(path.relative_to(ROOT)) for path in paths}
    found = [] if name == f"{top}.tar.gz" else [f"{name} is not {top}.tar.gz"]
    found += same_faults(files, wanted)
    information = f"{top}/PKG-INFO"
    found += [f"{path} does not belong there" for path in files if path not in wanted and path != information]
    found += [f"{path} has {len(data)} bytes" for path, data in files.items() if len(data) > MAX_SOURCE_BYTES]
    return found + (
        metadata_faults(files[information].decode()) if information in files else [f"{information} is missing"]
    )


def faults(package: Path, *, release: bool = False) -> list[str]:
    """What is wrong with a wheel or packed sources; nothing where it is as it should be."""
    data = io.BytesIO(package.read_bytes())
    if package.name.endswith(".tar.gz"):
        with tarfile.open(fileobj=data) as archive:
            held = {member.name: archive.extractfile(member) for member in archive.getmembers() if member.isfile()}
            return source_faults(package.name, {name: file.read() for name, file in held.items() if file is not None})
    size = len(data.getvalue())
    large = [f"{package.name} has {size:,} bytes, and a release has at most {MAX_WHEEL_BYTES:,}"]
    with zipfile.ZipFile(data) as wheel:
        found = wheel_faults(package.name, {name: wheel.read(name) for name in wheel.namelist()}, release=release)
    return found + (large if release and size > MAX_WHEEL_BYTES else [])


def main(arguments: list[str]) -> int:
    """Check one package and tell its size and tag."""
    release = arguments[:1] == ["--release"]
    if len(arguments) != 1 + release:
        raise SystemExit(f"check_wheel.py [--release] WHEEL|SOURCES; it was given {' '.join(arguments) or 'nothing'}")
    package = Path(arguments[-1])
    wrong = faults(package, release=release)
    print("\n".join(wrong) or f"{package.name}: {package.stat().st_size / 1e6:.2f} MB, as it should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
