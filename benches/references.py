"""Measures the kind of references on labelled sets: wrong and missed pairs, wrong drops, and the cost of the fields.

A set is NAME.jsonl in a folder: references with the usual fields, `id`, and `cluster`, equal for copies of one work. A
set that is not there is skipped, and the bench says so. Two rows a set are of halves, drawn by a hash of the cluster.
With `across` only pairs of two sources count, whose ids begin with other letters, as the labels of DBLP-ACM are.

Usage: references.py FOLDER [across] [SET ...] [-- OPTION ...]
"""

import sys
import tempfile
from itertools import combinations
from pathlib import Path
from zlib import crc32

from common import finish, measured, records, table

SETS = ("references_cytology_screening", "references_haematology", "references_respiratory")
Pair = frozenset[str]


def score(found: set[Pair], gold: set[Pair]) -> tuple[float, float, float, int, int]:
    """Precision, recall and F1 of pairs, and the wrong and the missed ones."""
    right = len(found & gold)
    precision, recall = right / max(len(found), 1), right / max(len(gold), 1)
    f1 = 2 * right / max(len(found) + len(gold), 1)
    return precision, recall, f1, len(found - gold), len(gold - found)


def main() -> int:
    """Read the command line, and print a line for each set, its halves, and all sets."""
    given, _, more = " ".join(sys.argv[1:]).partition("--")
    folder, *names = given.split()
    is_across = names[:1] == ["across"]
    names = names[is_across:]
    options = more.split() or ["--for", "references"]
    lines, told, all_found, all_gold, wrong_drops = list[tuple[str, ...]](), [], set[Pair](), set[Pair](), 0
    for name in names or SETS:
        source = Path(folder, f"{name}.jsonl")
        if not source.exists():
            print(f"SKIPPED: {source} is not there", file=sys.stderr)
            continue
        cluster = {row["id"]: row["cluster"] for row in records(source)}
        members = dict[str, list[str]]()
        for number, of in cluster.items():
            members.setdefault(of or number, []).append(number)
        gold = {frozenset(pair) for ids in members.values() for pair in combinations(ids, 2)}

        def of_task(pairs: set[Pair]) -> set[Pair]:
            return {pair for pair in pairs if not is_across or len({one[0] for one in pair}) == 2}

        gold = of_task(gold)
        with tempfile.TemporaryDirectory() as place:
            command = [sys.executable, "-m", "simsieve"]
            pairs, decisions = Path(place, "pairs.jsonl"), Path(place, "decisions.jsonl")
            measured([*command, "pairs", source, "-o", pairs, "--quiet", *options])
            found = of_task({frozenset((row["a"], row["b"])) for row in records(pairs)})
            measured(
                [
                    *command,
                    "dedup",
                    source,
                    "-o",
                    Path(place, "kept.jsonl"),
                    "--decisions",
                    decisions,
                    "--quiet",
                    *options,
                ]
            )
            drops = [(row["id"], row["representative"]) for row in records(decisions) if row["decision"] == "dropped"]
        wrong = sum(cluster[a] is None or cluster[a] != cluster[b] for a, b in drops)
        half = {number: crc32((of or number).encode()) % 2 for number, of in cluster.items()}
        parts = [
            [{pair for pair in some if {half[one] for one in pair} == {at}} for some in (found, gold)] for at in (0, 1)
        ]
        for what, one in (("all", (found, gold)), *zip(("half 1", "half 2"), parts, strict=True)):
            p, r, f1, wrongs, missed = score(*one)
            drop = f"{wrong} of {len(drops)}" if what == "all" else ""
            lines.append((name, what, f"{p:.3f}", f"{r:.3f}", f"{f1:.3f}", str(wrongs), str(missed), drop))
            told.append({"set": name, "part": what, "f1": f1, "wrong": wrongs, "missed": missed})
        all_found |= {frozenset(f"{name}/{one}" for one in pair) for pair in found}
        all_gold |= {frozenset(f"{name}/{one}" for one in pair) for pair in gold}
        wrong_drops += wrong
    p, r, f1, wrongs, missed = score(all_found, all_gold)
    lines.append(("all", "", f"{p:.3f}", f"{r:.3f}", f"{f1:.3f}", str(wrongs), str(missed), str(wrong_drops)))
    told.append({"set": "all", "part": "all", "f1": f1, "wrong": wrongs, "missed": missed, "wrong_drops": wrong_drops})
    readable = table(("set", "part", "P", "R", "F1", "wrong", "missed", "wrong drops"), lines)
    return finish("references", {"rows": told}, readable, [])


if __name__ == "__main__":
    raise SystemExit(main())
