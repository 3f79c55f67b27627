"""Measures `dedup` on crowds among millions of ordinary questions, against as many ordinary ones.

`equal`: all texts are one text. `near`: 7 % of the texts differ in one word of one text, so all pairs of them are near.
`template`: half of each of 7 % of the texts is one text, and no two are near. The others come from `benches/generator`.
Every argument after `--` is passed to `dedup`; `--memory 2GiB` lets it work on disk.

The answer is wrong if a kind takes more than twice the processor seconds of the ordinary case, if equal texts keep more
than one, if more than 2 % of the near ones are kept, if more than 1 % of the template's are dropped, or if a dropped
text is farther from its representative than the threshold.

Usage: large_crowds.py [KIND ...] [--documents N] [--folder F] [--similarity X] [-- OPTIONS OF DEDUP]
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import finish, table
from crowds import words
from large import dedup_command, questions_file, read_decisions, watched

KINDS = ("equal", "near", "template")
SHARE = 0.07
BYTES = 300
MOST = 2.0


def crowd(kind: str, n: int) -> Iterator[str]:
    """The texts of a crowd."""
    chance = random.Random(kind)
    parts = words(chance, BYTES).split()
    half = " ".join(parts[: len(parts) // 2])
    for _ in range(n):
        if kind == "equal":
            yield " ".join(parts)
        elif kind == "near":
            place = chance.randrange(len(parts))
            yield " ".join([*parts[:place], words(chance, 7), *parts[place + 1 :]])
        else:
            yield f"{half} {words(chance, BYTES // 2)}"


def write_kind(kind: str, ordinary: Path, documents: int, path: Path) -> int:
    """Write a collection; the number of its first text of the crowd."""
    first = documents if kind == "ordinary" else 0 if kind == "equal" else documents - int(SHARE * documents)
    with path.open("wb") as out, ordinary.open("rb") as lines:
        for _ in range(first):
            out.write(next(lines))
        for number, text in enumerate(crowd(kind, documents - first)):
            out.write(json.dumps({"id": f"c{number}", "text": text}).encode() + b"\n")
    return first


def faults(kind: str, first: int, decisions: Path, documents: int, similarity: float) -> tuple[float, list[str]]:
    """The share of the crowd that is dropped, and what is wrong."""
    decided, wrong = read_decisions(decisions, documents), []
    dropped = float(decided.dropped[first:].mean()) if first < documents else 0.0
    if (decided.similarity[decided.dropped] < similarity - 1e-6).any():
        wrong.append(f"{kind}: a dropped text is farther from its representative than {similarity}")
    if kind == "equal" and int((~decided.dropped).sum()) != 1:
        wrong.append(f"equal: {int((~decided.dropped).sum())} texts are kept, one asked")
    if kind == "near" and dropped < 0.98:
        wrong.append(f"near: {dropped:.4f} of the crowd are dropped, 0.98 asked")
    if kind == "template" and dropped > 0.01:
        wrong.append(f"template: {dropped:.4f} of the crowd are dropped, at most 0.01 asked")
    return dropped, wrong


def main() -> int:
    """Run the ordinary case and each kind, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the files go; the ordinary collection is kept there")
    parser.add_argument("--similarity", type=float, default=0.65)
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given, options = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]
    rows: list[list[Any]] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        ordinary = questions_file(given.folder or folder, given.documents)
        source, kept, decisions = folder / "source.jsonl", folder / "kept.jsonl", folder / "decisions.parquet"
        for kind in ("ordinary", *(given.kinds or KINDS)):
            first = write_kind(kind, ordinary, given.documents, source)
            outputs = ("-o", kept, "--decisions", decisions)
            run = watched(dedup_command(source, *outputs, "--similarity", given.similarity, *options))
            if run.code:
                return finish(
                    "large_crowds", {"code": run.code}, "", [f"{kind}: dedup ended with exit code {run.code}"]
                )
            dropped, more = faults(kind, first, decisions, given.documents, given.similarity)
            wrong += more
            rows.append([kind, run.wall, run.cpu, run.cpu / rows[0][2] if rows else 1.0, run.anonymous / 1e6, dropped])
            if rows[-1][3] > MOST:
                wrong.append(
                    f"{kind}: {rows[-1][3]:.2f} times the processor seconds of the ordinary case, {MOST} asked"
                )
    columns = ["kind", "wall s", "CPU s", "times", "anonymous MB", "crowd dropped"]
    result = {"documents": given.documents, "similarity": given.similarity, "options": options, "runs": rows}
    return finish("large_crowds", result, table(columns, rows), wrong, "pyarrow")


if __name__ == "__main__":
    raise SystemExit(main())
