"""Counts the near pairs that people read and that are still near under some options.

`FOLDER` has a file `NAME.jsonl` for each set, with `id` and `text`. `JUDGED` is a JSON object: for each set a list of
`[a, b, verdict]` with the ids of two records; a verdict is good, loses (a part of the text is lost) or wrong (another
document). A set without a file is told and left out. What follows `--` goes to `simsieve pairs`.

Usage: read_drops.py FOLDER JUDGED [-- OPTION ...]
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from common import finish, measured, table

VERDICTS = ("good", "loses", "wrong")


def still_near(source: Path, judged: list[tuple[str, str, str]], options: list[str]) -> Counter[str]:
    """Count the verdicts of the judged pairs that are near."""
    with tempfile.TemporaryDirectory() as folder:
        sink = Path(folder, "pairs.jsonl")
        measured([sys.executable, "-m", "simsieve", "pairs", source, "-o", sink, "--quiet", *options])
        with sink.open(encoding="utf-8") as lines:
            near = {frozenset((str(row["a"]), str(row["b"]))) for row in map(json.loads, lines)}
    return Counter(verdict for a, b, verdict in judged if frozenset((str(a), str(b))) in near)


def main() -> int:
    """Read the command line, and print a line a set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("judged", type=Path)
    parser.add_argument("options", nargs="*", metavar="OPTION", help="options of `simsieve pairs`, behind --")
    given = parser.parse_args()
    lines, total, read = [], Counter[str](), Counter[str]()
    for name, judged in json.loads(given.judged.read_text(encoding="utf-8")).items():
        source = given.folder / f"{name}.jsonl"
        if not source.is_file():
            print(f"READ DROPS NOT COUNTED: {source} is missing", file=sys.stderr)
            continue
        near, all_read = still_near(source, judged, given.options), Counter(verdict for *_, verdict in judged)
        lines.append([name, *(f"{near[verdict]} of {all_read[verdict]}" for verdict in VERDICTS)])
        total, read = total + near, read + all_read
    lines.append(["all", *(f"{total[verdict]} of {read[verdict]}" for verdict in VERDICTS)])
    figures = {"options": given.options, "near": dict(total), "read": dict(read)}
    return finish("read_drops", figures, table(["set", *VERDICTS], lines), [] if read else ["no set was found"])


if __name__ == "__main__":
    raise SystemExit(main())
