"""Looks into a wheel: for which machines it is, and whether all that must come with it is there.

Usage: check_wheel.py WHEEL; run in the project's folder. Exit code 1 where something is missing.
"""

import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# One build serves every Python from 3.11 on: the stable ABI.
TAG = re.compile(r"simsieve-[\w.]+-cp311-abi3-(\w+)\.whl")


def faults(wheel: Path) -> list[str]:
    """What is wrong with the wheel; nothing where it is as it should be."""
    match = TAG.fullmatch(wheel.name)
    if match is None:
        return [f"{wheel.name} is not for cp311-abi3"]
    found = []
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    licences = [ROOT / "LICENSE", *sorted((ROOT / "licenses").iterdir())]
    wanted = [f".dist-info/licenses/{path.relative_to(ROOT)}" for path in licences]
    wanted += ["simsieve/py.typed", "simsieve/_core.pyi", "simsieve/_core.abi3.so", ".dist-info/entry_points.txt"]
    found += [f"the wheel has no {name}" for name in wanted if not any(have.endswith(name) for have in names)]
    stray = [name for name in names if not re.match(r"simsieve(-[\w.]+\.dist-info)?/", name) or "__pycache__" in name]
    found += [f"the wheel has {name}, which does not belong there" for name in stray]
    return found


def main(arguments: list[str]) -> int:
    """Check one wheel and tell its size and tag."""
    (name,) = arguments
    wheel = Path(name)
    wrong = faults(wheel)
    print("\n".join(wrong) or f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, nothing is missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
