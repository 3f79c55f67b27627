"""Compares what simsieve decided on texts.jsonl with gold.jsonl, and shows both; run by `make demo`.

Usage: check.py DECISIONS PAIRS, the files that `simsieve dedup --decisions` and `simsieve pairs` wrote. Exit code 1
where they differ from the gold clusters.
"""

import json
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_pairs(cluster: dict[str, str]) -> set[tuple[str, str]]:
    """Every two ids of one cluster, in the order of the texts."""
    return {(a, b) for a, b in combinations(cluster, 2) if cluster[a] == cluster[b]}


def show(decisions: list[dict[str, Any]], texts: dict[str, str]) -> None:
    """Print every cluster of more than one text: the kept one, and those it represents."""
    members: dict[str, list[dict[str, Any]]] = {}
    for decision in decisions:
        if decision["decision"] == "dropped":
            members.setdefault(decision["representative"], []).append(decision)
    for kept, dropped in members.items():
        print(f"{kept:<9} kept     {' '.join(texts[kept].split())[:60]}")
        for decision in dropped:
            similarity = decision["similarity"]
            told = decision["reason"] if similarity is None else f"{decision['reason']:<5} {similarity:.2f}"
            print(f"  {decision['id']:<9} {told:<10} {' '.join(texts[decision['id']].split())[:60]}")


def main() -> int:
    """Show the clusters, then compare; 0 where all agree."""
    decisions, pairs = rows(Path(sys.argv[1])), rows(Path(sys.argv[2]))
    cluster = {row["id"]: row["cluster"] for row in rows(HERE / "gold.jsonl")}
    show(decisions, {row["id"]: row["text"] for row in rows(HERE / "texts.jsonl")})

    kept = Counter(cluster[row["id"]] for row in decisions if row["decision"] == "kept")
    wrong = [
        f"{row['id']} is represented by {row['representative']}"
        for row in decisions
        if row["decision"] == "dropped" and cluster[row["id"]] != cluster[row["representative"]]
    ]
    wrong += [f"cluster {name}: {kept[name]} texts kept, not 1" for name in set(cluster.values()) if kept[name] != 1]
    found, expected = {(row["a"], row["b"]) for row in pairs}, gold_pairs(cluster)
    wrong += [f"pair {a}, {b} is not found" for a, b in sorted(expected - found)]
    wrong += [f"pair {a}, {b} is none" for a, b in sorted(found - expected)]
    for line in wrong:
        print(f"differs from gold.jsonl: {line}", file=sys.stderr)

    total = f"{len(decisions)} texts, {sum(kept.values())} kept, {len(found)} pairs"
    print(f"{total}: {'all as gold.jsonl has it' if not wrong else f'{len(wrong)} differences from gold.jsonl'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
