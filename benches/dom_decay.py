"""Sweeps the decay of page structure, for tags, tags with classes and tag paths; families are sites and sections.

Pairs of all pages of html_doc_sites (development data) are judged as in `dom.py`: precision, recall and F1 of pairs
within 5 bits, and within the bound that has the best F1. First with the options of `dom64` (sums, FNV-1, 64 bits), then
with those advised for templates (the nearest element, XXH3, 128 bits). The tables are printed in the form of the
documentation. The answer is wrong if no setting reaches F1 0.9 for sites.

Usage: dom_decay.py [--data FOLDER]
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from common import data_sets, finish
from dom import DECAYS, FAMILIES, NAME, Record, Score, Setting, distances, kin, scores

KINDS = {
    "tags": (1, False),
    "tags, classes": (1, True),
    "2 levels, classes": (2, True),
    "paths": (0, False),
    "paths, classes": (0, True),
}
# Weight, hash, width, and what is swept.
SWEEPS = (
    ("sum", "fnv1", 64, ("tags", "tags, classes", "paths", "paths, classes")),
    ("nearest", "xxh3", 128, tuple(KINDS)),
)
JUDGED = ("site", "section")
ASKED = 0.9


def measure(rows: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Every decay of every kind."""
    families = {name: kin(rows, FAMILIES[name]) for name in JUDGED}
    for weight, hashing, width, kinds in SWEEPS:
        for kind in kinds:
            for decay in DECAYS:
                setting = Setting(*KINDS[kind], weight, decay, hashing)
                apart = distances([setting.print_of(row["html"], width) for row in rows], width)
                counts = np.bincount(apart, minlength=width + 1)
                found = {
                    name: scores(counts, np.bincount(apart[same], minlength=width + 1), 0)[:2]
                    for name, same in families.items()
                }
                yield {"kind": kind, "weight": weight, "decay": decay, "width": width, "scores": found}


def shown(score: Score) -> str:
    """Precision, recall and F1."""
    return f"{score.precision:.3f} / {score.recall:.3f} / {score.f1:.3f}"


def tables(told: Sequence[dict[str, Any]]) -> str:
    """A table for each sweep."""
    lines = []
    for weight, hashing, width, _ in SWEEPS:
        lines += [f"{weight}, {hashing}, {width} bits", ""]
        lines.append("| features | decay | sites: P / R / F1 at 5 bits | best | at | sections: at 5 bits | best | at |")
        lines.append("|---|---|---|---|---|---|---|---|")
        for row in told:
            if row["weight"] == weight:
                cells = [row["kind"], str(row["decay"])]
                for name in JUDGED:
                    fixed, best = row["scores"][name]
                    cells += [shown(fixed), shown(best), str(best.bound)]
                lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    sets = data_sets(__doc__, "dom_decay", NAME)
    if sets is None:
        return 0
    told = list(measure(sets[0]))
    best = max(row["scores"]["site"][1].f1 for row in told)
    wrong = [f"F1 for sites is at best {best:.4f}, at least {ASKED} asked"] if best < ASKED else []
    result = [
        {**row, "scores": {name: [asdict(score) for score in made] for name, made in row["scores"].items()}}
        for row in told
    ]
    return finish("dom_decay", {"pages": len(sets[0]), "settings": result}, tables(told), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
