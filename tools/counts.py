"""Counts the instructions of the hot loops and compares them with those on record.

A count does not depend on what else the machine does, so a loop that became slower shows where a clock would not. The
example `counts` of the core runs under Valgrind's Callgrind, which does not know AVX-512: the other kernels are
counted. Counts of another compiler or processor family are not compared, and without Valgrind nothing is counted; both
are said. Exit code 1 where a loop has more, or fewer, instructions than on record by more than TOLERANCE.

Usage: counts.py [--renew]
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tools" / "counts.json"
PROGRAM = ROOT / "target" / "release" / "examples" / "counts"
BUILD = ["cargo", "build", "--quiet", "--locked", "--release", "--package", "simsieve-core", "--example", "counts"]
KERNELS = ("portable", "avx2")
TOLERANCE = 0.05
RENEW = "Where that is meant, renew the record: make counts-renew, and commit tools/counts.json with the reason."

Counts = dict[str, dict[str, float]]


def setting() -> dict[str, str]:
    """What the counts depend on beside the sources."""
    version = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return {"compiler": version, "machine": platform.machine()}


def count(kernel: str) -> dict[str, float]:
    """Instructions a byte of each loop under one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counts.out")
        told = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(PROGRAM)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "SIMSIEVE_KERNEL": kernel},
        ).stdout
        listed = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    found = {}
    for line in told.splitlines():
        name, size = line.split("\t")
        match = re.search(rf"^\s*([\d,]+)\s.*\bcounts::{name}(?:\s|$)", listed, re.MULTILINE)
        if match is None:
            raise SystemExit(f"counts: Callgrind tells nothing of counts::{name}; is the example built with its lines?")
        found[name] = round(int(match[1].replace(",", "")) / int(size), 3)
    return found


def differences(record: Counts, now: Counts) -> list[str]:
    """Which counts are not those on record."""
    wrong = []
    for kernel, counts in now.items():
        known = record.get(kernel, {})
        for name in sorted({*counts, *known}):
            if name not in known or name not in counts:
                wrong.append(f"{kernel} {name}: {'not on record' if name in counts else 'on record only'}")
            elif abs(counts[name] / known[name] - 1) > TOLERANCE:
                change = counts[name] / known[name] - 1
                wrong.append(
                    f"{kernel} {name}: {counts[name]} instructions a byte, {known[name]} on record ({change:+.0%})"
                )
    return wrong


def main() -> int:
    """Read the command line, count, compare or renew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--renew", action="store_true", help="put the counts of this machine on record")
    options = parser.parse_args()
    if shutil.which("valgrind") is None or platform.machine() != "x86_64":
        print("counts: NOT COUNTED: valgrind is not here, or this is no x86-64 (Debian: apt install valgrind)")
        return 1 if options.renew else 0
    here, record = setting(), json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if not options.renew and record.get("setting") != here:
        print(f"counts: NOT COMPARED: the record is of {record.get('setting')}, this is {here}")
        return 0
    subprocess.run(BUILD, check=True, cwd=ROOT)
    now = {kernel: count(kernel) for kernel in KERNELS}
    for name in now[KERNELS[0]]:
        print(f"{name:24}" + "".join(f"{kernel:>10} {now[kernel][name]:8.2f}" for kernel in KERNELS))
    if options.renew:
        RECORD.write_text(json.dumps({"setting": here, "counts": now}, indent=2) + "\n", encoding="utf-8")
        return 0
    wrong = differences(record["counts"], now)
    print("\n".join([*wrong, RENEW] if wrong else ["counts: as on record"]), file=sys.stderr if wrong else sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
