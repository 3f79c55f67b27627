"""Compares every scheme with its plain twin over all of the development data, and counts differences.

Each distinct text and page of the data goes through every scheme of `tests/property/all_twins.py` and through its twin
of a few lines of Python; different fingerprints are counted, and so are texts without a fingerprint on both sides.
Pages are compared under the schemes on elements, texts under all. Schemes with a model are fitted on 64 texts at a
time. The plain twins take hours for all data, so some files, or a part of each, can be chosen. The answer is wrong if
one fingerprint differs.

Usage: twins.py [--data FOLDER] [--files NAME ...] [--records N] [--characters N] [--jobs N]
"""

import argparse
import gzip
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from common import DATA, finish, table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

BATCH = 64
# Seconds between two lines that tell how far it has come.
EVERY = 30
FIELDS = ("text", "text_a", "text_b")
Counts = dict[tuple[str, str], Counter[str]]


@cache
def schemes() -> list[Any]:
    """The schemes with their twins, which need packages of the tests."""
    from tests.property import all_twins, token_twin  # noqa: PLC0415 - the path to them is made above

    token_twin.remember_blocks()
    return all_twins.twins()


def records(path: Path, most: int | None) -> list[dict[str, Any]]:
    """The records of a file, or so many of them, evenly spread."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return found if most is None or len(found) <= most else found[:: -(-len(found) // most)]


def batches(paths: list[Path], options: argparse.Namespace) -> Iterator[tuple[str, bool, list[str]]]:
    """The distinct texts and pages of each file, some at a time: a text that several files have is compared once."""
    met: set[str] = set()
    for path in paths:
        rows = records(path, options.records)
        for is_page, fields in ((False, FIELDS), (True, ("html",))):
            most = None if is_page else options.characters
            texts = dict.fromkeys(row[field][:most] for field in fields for row in rows if row.get(field))
            new = [text for text in texts if text not in met]
            met.update(new)
            for at in range(0, len(new), BATCH):
                yield path.name.removesuffix(".jsonl.gz"), is_page, new[at : at + BATCH]


def compare(batch: tuple[str, bool, list[str]]) -> tuple[str, Counts]:
    """Hold every scheme against its twin on some texts."""
    warnings.simplefilter("ignore")
    from tests.property.all_twins import PAGES, compared  # noqa: PLC0415 - as above

    name, is_page, texts = batch
    counts: Counts = {}
    for twin in schemes():
        if is_page and twin.family not in PAGES:
            continue
        row = counts[twin.family, twin.name] = Counter()
        for value, expected in compared(twin, texts):
            row.update(compared=1, differing=value != expected, empty=expected is None)
    return name, counts


def measure(paths: list[Path], options: argparse.Namespace) -> tuple[Counts, dict[str, Counter[str]]]:
    """Go through all of it: counts by scheme and by file."""
    by_scheme: Counts = {}
    by_file: dict[str, Counter[str]] = {}
    start, told = time.perf_counter(), 0.0
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, counts in pool.map(compare, batches(paths, options)):
            whole = by_file.setdefault(name, Counter())
            for scheme, row in counts.items():
                by_scheme.setdefault(scheme, Counter()).update(row)
                whole.update(row)
                if row["differing"]:
                    print(f"{name}, {scheme[1]}: {row['differing']} differ", file=sys.stderr, flush=True)
            seconds = time.perf_counter() - start
            if seconds - told > EVERY:
                told = seconds
                state = f"{seconds:.0f} s, {name}: {whole['compared']:,} compared, {whole['differing']:,} differ"
                print(state, file=sys.stderr, flush=True)
    return by_scheme, by_file


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--files", nargs="*", help="only these, by their names without .jsonl.gz")
    parser.add_argument("--records", type=int, help="so many records of each file; the default is all")
    parser.add_argument("--characters", type=int, help="so many of each text, pages whole; the default is all")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work side by side")
    options = parser.parse_args()
    paths = [
        path
        for path in sorted(options.data.glob("*.jsonl.gz"), key=lambda path: path.stat().st_size)
        if not options.files or path.name.removesuffix(".jsonl.gz") in options.files
    ]
    if not paths:
        print(f"NOT COMPARED: there is no such data in {options.data}", file=sys.stderr)
        return finish("twins", {"not_measured": True}, "nothing compared", [])
    by_scheme, by_file = measure(paths, options)
    wrong = [
        f"{row['differing']} of {row['compared']}: {name}" for (_, name), row in by_scheme.items() if row["differing"]
    ]
    columns = ("compared", "differing", "empty")
    lines = [[family, name, *(row[c] for c in columns)] for (family, name), row in by_scheme.items()]
    files = [[name, *(row[c] for c in columns)] for name, row in by_file.items()]
    whole = sum(by_file.values(), Counter())
    readable = "\n\n".join(
        (
            table(["family", "scheme", *columns], lines),
            table(["file", *columns], [*files, ["all", *(whole[c] for c in columns)]]),
        )
    )
    result = {"files": {name: dict(row) for name, row in by_file.items()}, "all": {c: whole[c] for c in columns}}
    return finish("twins", result, readable, wrong, "jieba", "justhtml")


if __name__ == "__main__":
    raise SystemExit(main())
