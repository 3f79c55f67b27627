"""Measures the settings of kinds on labelled sets: each is chosen on one half of the clusters and judged on the other.

A set is NAME.jsonl in a folder, or NAME.jsonl.gz: rows of `id`, `text` and `cluster`, or of `text_a` and `text_b`; or
judged pairs, rows of `a`, `b` and `label`. Of judged pairs those with a label of `--near` are near, and each pair is
compared alone. Halves are drawn by a hash of the cluster or of the pair.

The table has the score of both halves under each conflict at each threshold, or with `--kind` only those of the kind.

Usage: kinds.py FOLDER SET [--near LABEL,...] [--kind KIND] [--conflict KINDS ...] [--scheme NAME]
    [--lowest X]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from zlib import crc32

from common import finish, measured, records, table
from labels import labelled, source_of
from simsieve.config.kinds import KINDS
from simsieve.config.near_rows import DEFAULT_SIMILARITY

CONFLICTS = ("none", "numbers", "numbers,opposites", "numbers,opposites,text")
STEPS = [at / 20 for at in range(8, 20)]

Pair = frozenset[str]


def read(name: str, folder: Path, near: set[str]) -> tuple[Iterator[dict[str, str]], set[Pair], dict[str, str]]:
    """Give the texts of a set, its near pairs, and the group of each text: a judged pair or a cluster."""
    texts, gold, group = list[dict[str, str]](), set[Pair](), dict[str, str]()
    if "label" in (first := next(records(source_of(name, folder)))) and "b" in first:
        for at, row in enumerate(records(source_of(name, folder))):
            texts += ({"id": f"{at}{side}", "text": row[side], "group": str(at)} for side in "ab")
            if str(row["label"]) in near:
                gold.add(frozenset((f"{at}a", f"{at}b")))
    else:
        members = dict[str, list[str]]()
        for number, text, cluster in labelled(name, folder):
            texts.append({"id": number, "text": text, "cluster": cluster})
            members.setdefault(cluster, []).append(number)
        gold = {frozenset(pair) for ids in members.values() for pair in combinations(ids, 2)}
    group = {row["id"]: row.get("group") or row["cluster"] for row in texts}
    return iter(texts), gold, group


def score(found: set[Pair], gold: set[Pair]) -> tuple[float, float, float]:
    """Precision, recall and F1 of pairs."""
    right = len(found & gold)
    precision, recall = right / max(len(found), 1), right / max(len(gold), 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def main() -> int:
    """Read the command line, and print a line for each conflict and threshold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("set")
    parser.add_argument("--near", default="1", help="labels of judged pairs that are near")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--conflict", nargs="*", default=CONFLICTS)
    parser.add_argument("--scheme", default="chars128")
    parser.add_argument("--lowest", type=float, default=STEPS[0], help="the first threshold")
    given = parser.parse_args()
    texts, gold, group = read(given.set, given.folder, set(given.near.split(",")))
    half = {number: crc32(name.encode()) % 2 for number, name in group.items()}
    conflicts, steps = given.conflict, [step for step in STEPS if step >= given.lowest]
    if given.kind is not None:
        conflicts = [None]
        steps = [KINDS[given.kind].get("similarity", DEFAULT_SIMILARITY)]
    lines, told = list[tuple[str, ...]](), []
    with tempfile.TemporaryDirectory() as folder:
        source, sink = Path(folder, "texts.jsonl"), Path(folder, "pairs.jsonl")
        source.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in texts), encoding="utf-8")
        apart = ("--block-by", "group") if "group" in json.loads(source.open(encoding="utf-8").readline()) else ()
        for conflict in conflicts:
            way = (
                ("--for", given.kind)
                if conflict is None
                else (*("--scheme", given.scheme, "--conflict", conflict), "--similarity", str(steps[0]))
            )
            command = [sys.executable, "-m", "simsieve", "pairs", source, "-o", sink, "--quiet", *apart, *way]
            measured([*command, "--max-pairs", str(10**8)])
            with sink.open(encoding="utf-8") as rows:
                near = [(frozenset((str(row["a"]), str(row["b"]))), row["similarity"]) for row in map(json.loads, rows)]
            for step in steps:
                found = {pair for pair, similarity in near if similarity is None or similarity >= step}
                scores = []
                for part in (0, 1):
                    inside = [
                        {pair for pair in pairs if {half[one] for one in pair} == {part}} for pairs in (found, gold)
                    ]
                    scores.append(score(*inside))
                scores.append(score(found, gold))
                lines.append(
                    (conflict or given.kind, f"{step:g}", *(" ".join(f"{x:.3f}" for x in one) for one in scores))
                )
                told.append({"conflict": conflict, "kind": given.kind, "threshold": step, "scores": scores})
    readable = table(("conflict", "threshold", "half 1: P R F1", "half 2: P R F1", "all: P R F1"), lines)
    return finish("kinds", {"set": given.set, "rows": told}, readable, [])


if __name__ == "__main__":
    raise SystemExit(main())
