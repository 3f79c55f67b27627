"""Looks whether all that simsieve is built of may be used, and keeps the notices that its wheel has to carry.

Each crate of Cargo.lock, and each package of Python that simsieve needs at run time, is under a licence of the list in
`deny.toml`; no crate comes from elsewhere than a registry, stands in two versions or is asked for in any version. And
`licenses/crates.txt` names every crate that may be linked into the compiled module, with the texts of those that are
not to be had under Apache-2.0, simsieve's own licence. `licenses/crates.cdx.json` lists the same crates in the form of
CycloneDX, with the sums of Cargo.lock, and nothing of a machine or a time. Exit code 1 where something is wrong.

Usage: check_licences.py [--write]; --write makes both files anew.
"""

import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTICES = ROOT / "licenses" / "crates.txt"
PARTS = ROOT / "licenses" / "crates.cdx.json"
LOCK = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
METADATA = ["cargo", "metadata", "--locked", "--format-version", "1"]
BORDER = "simsieve-py"
OWN_LICENCE = "Apache-2.0"
# What licences stand in: beside a crate's manifest, and beside the C source of Zstandard that zstd-sys holds.
NOTICE_FILE = re.compile(r"(licen[cs]e|copyright|notice)\b", re.IGNORECASE)
NOTICE_FOLDERS = (".", "zstd")
RULE = "=" * 100
# The terms of the MIT License, what may be above them, and the text of the Apache License, however their lines break.
MIT_TITLE = re.compile(r"(The )?MIT License( \(MIT\))?")
MIT_TERMS = re.compile(
    r"Permission is hereby granted, free of charge, to any\s+person.*?DEALINGS\s+IN\s+THE\s+SOFTWARE\.", re.DOTALL
)
APACHE = re.compile(r" *Apache License\n *Version 2\.0, .*?limitations under the License\.", re.DOTALL)
RENEW = "make it anew with `python tools/check_licences.py --write`"

# What older packages of Python say in place of an expression.
CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
}
# What packages say in words. pypdfium2 (5.15.2, 2026-11-26) has the licences of all that PDFium is built of. Two
# name the GPL: ICU's for scripts of its build, and libgcc's with the exception for programs that it is in.
WORDS = {
    "2-clause BSD License": "BSD-2-Clause",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
}

Package = dict[str, Any]


def allowed_licences(text: str) -> frozenset[str]:
    """The list of `deny.toml`."""
    return frozenset(tomllib.loads(text)["licenses"]["allow"])


class Expression:
    """An SPDX expression; OR binds least, then AND, then WITH, and `/` is an old way to write OR."""

    def __init__(self, text: str, allowed: frozenset[str]) -> None:
        self.text, self.allowed = text, allowed
        self.tokens = re.findall(r"[()/]|[^\s()/]+", text)

    def _next_is(self, *words: str) -> bool:
        """Take the next token where it is one of these."""
        if not self.tokens or self.tokens[0].upper() not in words:
            return False
        self.tokens.pop(0)
        return True

    def _name(self) -> str:
        if not self.tokens or self.tokens[0].upper() in {"AND", "OR", "WITH", "/", "(", ")"}:
            raise ValueError(f"a licence is missing in the expression {self.text!r}")
        return str(self.tokens.pop(0))

    def _one(self) -> bool:
        if self._next_is("("):
            value = self.met()
            if not self._next_is(")"):
                raise ValueError(f"a bracket is not closed in the expression {self.text!r}")
            return value
        name = self._name()
        return (f"{name} WITH {self._name()}" if self._next_is("WITH") else name) in self.allowed

    def _all(self) -> bool:
        value = self._one()
        while self._next_is("AND"):
            value = self._one() and value
        return value

    def met(self) -> bool:
        """Whether it can be met, as far as it goes."""
        value = self._all()
        while self._next_is("OR", "/"):
            value = self._all() or value
        return value


def satisfied(text: str, allowed: frozenset[str]) -> bool:
    """Whether an SPDX expression can be met with licences of the list.

    Raises:
        ValueError: the expression cannot be read.
    """
    expression = Expression(text, allowed)
    value = expression.met()
    if expression.tokens:
        raise ValueError(f"the expression {text!r} goes on after its end: {expression.tokens[0]!r}")
    return value


def licence_fault(name: str, expression: str | None, allowed: frozenset[str]) -> list[str]:
    """What is wrong with one licence; nothing where it is allowed."""
    if not expression:
        return [f"{name}: it names no licence"]
    try:
        met = satisfied(expression, allowed)
    except ValueError as error:
        return [f"{name}: {error}"]
    return [] if met else [f"{name}: {expression} is not in the list of deny.toml"]


def skipped_crates(text: str) -> frozenset[str]:
    """The crates, as `name version`, that `deny.toml` allows beside another version of theirs."""
    listed = tomllib.loads(text)["bans"].get("skip", [])
    return frozenset(str(entry["crate"]).replace("@", " ") for entry in listed)


def crate_faults(metadata: Package, allowed: frozenset[str], skipped: frozenset[str] = frozenset()) -> list[str]:
    """What is wrong with the crates of `cargo metadata`: licences, sources, versions; a skipped one may be a second."""
    faults = []
    versions: dict[str, list[str]] = {}
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        if name not in skipped:
            versions.setdefault(package["name"], []).append(package["version"])
        faults += licence_fault(name, package["license"], allowed)
        if package["source"] is None:
            anything = [
                needed["name"] for needed in package["dependencies"] if needed["source"] and needed["req"] == "*"
            ]
            faults += [f"{name}: it asks for any version of {needed}" for needed in anything]
        elif not package["source"].startswith("registry+"):
            faults.append(f"{name}: its source is {package['source']}, not a registry")
    faults += [f"{name}: in {len(found)} versions, {', '.join(found)}" for name, found in versions.items() if found[1:]]
    return faults


def python_faults(names: list[str], allowed: frozenset[str]) -> list[str]:
    """What is wrong with packages of Python and all that they need in turn; the extras of others are not looked at."""
    faults = []
    todo, seen = list(names), set(names)
    while todo:
        name = todo.pop(0)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            faults.append(f"{name}: it is not installed, so its licence is not known; make build")
            continue
        told = package.metadata.json
        expression = told.get("license_expression")
        if expression is None:
            found = [CLASSIFIERS[line] for line in told.get("classifier", []) if line in CLASSIFIERS]
            licence = told.get("license")
            expression = " AND ".join(found) or WORDS.get(str(licence), licence)
        faults += licence_fault(f"{name} {package.version}", None if expression is None else str(expression), allowed)
        for line in package.requires or []:
            needed = re.match(r"[\w.-]+", line)
            if needed and ";" not in line and needed[0].lower() not in seen:
                seen.add(needed[0].lower())
                todo.append(needed[0].lower())
    return faults


# Under Apache-2.0, py4j under BSD-3-Clause. They are 460 MB and 600 MB, so they are not among the packages of checks.
NOT_INSTALLED = ("pyspark", "ray")


def python_needs(text: str) -> list[str]:
    """The packages of Python that simsieve needs at run time, and those of its extras for users."""
    project = tomllib.loads(text)["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "dev" for line in lines]
    names = [re.split(r"[^\w.-]", line)[0] for line in project["dependencies"] + extras]
    return [name for name in names if name not in NOT_INSTALLED]


def linked(metadata: Package) -> list[Package]:
    """The crates that may be linked, on any machine: what the border needs in turn, but to build or test with."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = [number for number, package in packages.items() if package["name"] == BORDER]
    seen = set(todo)
    while todo:
        for needed in nodes[todo.pop()]["deps"]:
            if needed["pkg"] not in seen and any(kind["kind"] is None for kind in needed["dep_kinds"]):
                seen.add(needed["pkg"])
                todo.append(needed["pkg"])
    found = [packages[number] for number in seen if packages[number]["source"] is not None]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def notices_of(package: Package) -> list[str]:
    """The texts of a crate's licence files, but for that of Apache-2.0, which stands in LICENSE."""
    crate = Path(package["manifest_path"]).parent
    files = [path for folder in NOTICE_FOLDERS for path in sorted((crate / folder).glob("*")) if path.is_file()]
    found = [path for path in files if NOTICE_FILE.match(path.name) and "apache" not in path.name.lower()]
    return [re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE).strip("\n") for path in found]


def mit_notice(text: str, terms: str) -> str | None:
    """The copyright notices of a text that has these terms of the MIT License and no other; None of another text."""
    if [" ".join(found.split()) for found in MIT_TERMS.findall(text)] != [terms]:
        return None
    lines = [line for line in MIT_TERMS.sub("", text).splitlines() if line and not MIT_TITLE.fullmatch(line)]
    return "; ".join(lines) if all(line.startswith("Copyright ") for line in lines) else None


def notices(metadata: Package) -> str:
    """The text of `licenses/crates.txt`: each licence once, with the crates and their copyright notices."""
    plain: list[str] = []
    others: dict[str, list[str]] = {}
    for package in linked(metadata):
        name = f"{package['name']} {package['version']}"
        if satisfied(package["license"], frozenset({OWN_LICENCE})):
            plain.append(name)
            continue
        texts = notices_of(package)
        if not texts:
            raise SystemExit(f"{name} is under {package['license']} and has no file with its text")
        for text in texts:
            short = APACHE.sub("[The Apache License 2.0: see the file LICENSE]", text)
            others.setdefault(short, []).append(f"{name} ({package['license']})")
    found = Counter(" ".join(terms.split()) for text in others for terms in MIT_TERMS.findall(text))
    terms = found.most_common(1)[0][0] if found else ""
    mit = {text: notice for text in others if (notice := mit_notice(text, terms)) is not None}
    parts = [
        "The crates that the compiled module may be linked with. This file is written by tools/check_licences.py.\n\n"
        "Under the Apache License 2.0, whose text is in the file LICENSE beside this folder:\n\n"
        + "\n".join(f"    {name}" for name in plain),
        "Under the MIT License, with the copyright notices that its crates have:\n\n"
        + "\n".join(f"    {', '.join(others[text])}: {notice or 'none'}" for text, notice in mit.items())
        + f"\n\n{textwrap.fill(terms, 120)}",
    ]
    parts += ["\n".join(names) + "\n\n" + text for text, names in others.items() if text not in mit]
    return f"\n\n{RULE}\n\n".join(parts) + "\n"


def parts(metadata: Package, lock: list[Package]) -> str:
    """The text of `licenses/crates.cdx.json`: the crates that may be linked, by CycloneDX 1.6."""
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    own = next(package for package in metadata["packages"] if package["name"] == BORDER)
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:cargo/{package['name']}@{package['version']}",
            "name": package["name"],
            "version": package["version"],
            "hashes": [{"alg": "SHA-256", "content": sums[package["name"], package["version"]]}],
            "licenses": [{"expression": package["license"].replace("/", " OR ")}],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
        }
        for package in linked(metadata)
    ]
    whole = {
        "type": "library",
        "name": "simsieve",
        "version": own["version"],
        "licenses": [{"expression": OWN_LICENCE}],
    }
    whole["purl"] = f"pkg:pypi/simsieve@{own['version']}"
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": whole}}
    # A line for each crate.
    lines = ",\n".join(json.dumps(one) for one in components)
    return json.dumps({**bill, "components": []}).replace("[]}", f"[\n{lines}\n]}}\n")


def main(arguments: list[str]) -> int:
    """Check all, or write the notices."""
    metadata = json.loads(subprocess.run(METADATA, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    written = {NOTICES: notices(metadata), PARTS: parts(metadata, LOCK)}
    if arguments == ["--write"]:
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        return 0
    if arguments:
        raise SystemExit(f"check_licences.py [--write]; it was given {' '.join(arguments)}")
    rules = (ROOT / "deny.toml").read_text(encoding="utf-8")
    allowed = allowed_licences(rules)
    needs = python_needs((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    faults = crate_faults(metadata, allowed, skipped_crates(rules)) + python_faults(needs, allowed)
    for path, text in written.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            faults.append(f"{path.relative_to(ROOT)} is not of these crates; {RENEW}")
    print("\n".join(faults) or f"{len(metadata['packages'])} crates, {len(needs)} packages of Python: all may be used")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
