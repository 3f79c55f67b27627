"""Deduplicates a large collection with bad lines in it, and compares the result with that of the good lines alone.

The collection comes from `benches/generator`. After every 999 lines a bad one is inserted, of each kind in turn: no
JSON, a text that is no string, no text, bytes that are not UTF-8, and an object that is cut off. Both collections are
deduplicated by `simsieve dedup` as a program of its own, the one with bad lines under `--max-failed 1%`.

The answer is wrong if the kept records of the two runs differ by a byte, if the file of failed records has not
exactly the bad lines with their positions and bytes, if the books do not balance, or if the bad lines cost more than a
tenth of the processor seconds.

Usage: bad_lines.py [--documents N] [--folder F] [-- OPTIONS OF DEDUP]
"""

import argparse
import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bounds import digest_of
from common import finish, table
from large import Run, built_generator, watched

EVERY = 1000
BAD = [
    b"this is no JSON",
    b'{"id": 1, "text": 7}',
    b'{"id": 1}',
    b'{"id": 1, "text": "\xff\xfe"}',
    b'{"id": 1, "text": "cut',
]
MOST_COST = 1.1


def with_bad_lines(good: Path, mixed: Path) -> int:
    """Insert a bad line after every 999 lines; how many were inserted."""
    bad = 0
    with good.open("rb") as lines, mixed.open("wb") as out:
        for number, line in enumerate(lines, 1):
            out.write(line)
            if number % (EVERY - 1) == 0:
                out.write(BAD[bad % len(BAD)] + b"\n")
                bad += 1
    return bad


def bytes_of(row: dict[str, Any]) -> bytes:
    """The bytes of a failed record."""
    return base64.b64decode(row["record_base64"]) if "record_base64" in row else row["record"].encode()


def wrong_failures(failed: Path, bad: int) -> Iterator[str]:
    """What is wrong with the file of failed records."""
    found = 0
    with failed.open("rb") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            position, wanted = (number + 1) * EVERY - 1, BAD[number % len(BAD)]
            if row["position"] != position or bytes_of(row) != wanted:
                yield f"failed record {number} is {line[:200]!r}, {wanted!r} at position {position} was expected"
                return
            found += 1
    if found != bad:
        yield f"{found} failed records, {bad} expected"


def main() -> int:
    """Generate, run twice, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where the files go; the collection is kept there")
    parser.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    generator = built_generator()
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        good = (given.folder or folder) / f"questions-{given.documents}.jsonl"
        if not good.exists():
            truth = good.with_suffix(".truth")
            subprocess.run([generator, good, "--truth", truth, "--documents", str(given.documents)], check=True)
        mixed, failed = folder / "mixed.jsonl", folder / "failed.jsonl"
        bad = with_bad_lines(good, mixed)
        runs: dict[str, Run] = {}
        digests, counts = {}, {}
        for name, source, more in (
            ("good lines", good, []),
            ("with bad lines", mixed, ["--max-failed", "1%", "--failed", failed]),
        ):
            kept, summary = folder / "kept.jsonl", folder / "summary.json"
            command = [sys.executable, "-m", "simsieve", "dedup", source, "-o", kept, "--summary", summary]
            runs[name] = watched(list(map(str, [*command, "--progress", "json", *more, *given.options])))
            if runs[name].code:
                return finish("bad-lines", {}, "", [f"{name}: exit code {runs[name].code}"])
            digests[name] = digest_of(kept)
            counts[name] = json.loads(summary.read_text(encoding="utf-8"))
        wrong = list(wrong_failures(failed, bad))
    first, second = counts.values()
    if len(set(digests.values())) != 1:
        wrong.append("the kept records differ")
    if second["failed"] != bad or second["read"] != given.documents + bad or first["dropped"] != second["dropped"]:
        wrong.append(f"{second['read']} read, {second['failed']} failed, {second['dropped']} dropped; {bad} were bad")
    cost = runs["with bad lines"].cpu / runs["good lines"].cpu
    if cost > MOST_COST:
        wrong.append(f"bad lines cost {cost:.2f} times the run without them, at most {MOST_COST} asked")
    rows = [[name, run.wall, run.cpu, run.anonymous / 1e6] for name, run in runs.items()]
    readable = (
        table(["run", "wall s", "CPU s", "anonymous MB"], rows) + f"\n\n{bad:,} bad lines, {cost:.3f} times the CPU"
    )
    return finish("bad-lines", {"documents": given.documents, "bad": bad, "cost": cost}, readable, wrong)


if __name__ == "__main__":
    raise SystemExit(main())
