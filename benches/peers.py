"""Other tools on the same collection, each as its own documentation uses it; a peer that is not installed is skipped.

Usage: peers.py rensa SOURCE DECISIONS; bench_dedup.py runs it as a separate process, so its cost is measured in the
same way.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path


def tokens(text: str, lang: str) -> list[str]:
    """What a user of a word-based tool gives it: words, or for Chinese runs of three characters."""
    return text.split() if lang == "en" else [text[k : k + 3] for k in range(len(text) - 2)]


def rensa(source: Path, decisions: Path) -> None:
    """MinHash with 128 permutations in 16 bands; the first estimated at 0.8 or more represents a document."""
    from rensa import RMinHash, RMinHashLSH  # noqa: PLC0415  a peer is imported only where it is asked for

    lsh = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
    kept: dict[int, tuple[str, RMinHash]] = {}
    with source.open(encoding="utf-8") as lines, decisions.open("w", encoding="utf-8") as out:
        for position, line in enumerate(lines):
            row = json.loads(line)
            sketch = RMinHash(num_perm=128, seed=42)
            sketch.update(tokens(row["text"], row["lang"]))
            near = (kept[other] for other in lsh.query(sketch) if kept[other][1].jaccard(sketch) >= 0.8)
            representative = next((name for name, _ in near), None)
            if representative is None:
                lsh.insert(position, sketch)
                kept[position] = (row["id"], sketch)
            verdict = {"decision": "kept" if representative is None else "dropped"}
            out.write(json.dumps({"id": row["id"], **verdict, "representative": representative or row["id"]}) + "\n")


PEERS: dict[str, Callable[[Path, Path], None]] = {"rensa": rensa}


if __name__ == "__main__":
    PEERS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
