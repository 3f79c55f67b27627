"""Chooses one threshold for all labelled sets on one half of their clusters, and judges it on the other half.

The sets are those of `benches/labels.py`, statutes with their earlier versions, and English and Chinese articles with
an edited copy each: twelve kinds of edits in three strengths (`simsieve.evaluate.edits`). A cluster is in one half by
a hash of its name. On each half every pair is compared down to 0.4.

The threshold with the best mean F1 over the sets is chosen on the first halves. The answer is wrong if on the second
halves the default threshold has a mean F1 that is lower by more than 0.005. It is also wrong if the default misses the
goal of a set there. The default was chosen to reach these goals, so the second halves do not judge it any more.

Usage: threshold.py [--data FOLDER] [--idf none|fit] [--measure cosine|jaccard] [SET ...]
"""

import argparse
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from common import DATA, absent_sets, finish, records, table
from labels import SETS, labelled
from simsieve.config.near_rows import DEFAULTS
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.edits import KINDS, STRENGTHS, Parts, edited
from simsieve.evaluate.labels import LOWEST, run_labels

EDITED = {"en_edits": "en_tech_articles", "zh_edits": "zh_tech_articles"}
"""Sets of our own making, and the articles that are edited."""
LAW = "zh_law"
STEPS = {"cosine": [0.5, 0.55, 0.6, 0.65, 0.7, 0.75], "jaccard": [0.33, 0.38, 0.43, 0.48, 0.54, 0.6]}
MARGIN = 0.005
GOALS = {"zh_tech_revisions": 0.99, "zh_poems_two_editions": 0.955, "zh_docs_versions": 0.94, "qbank": 0.87}
"""The least F1 of the default threshold on the second halves, by the cosine of features without a model."""


def texts_of(name: str, data: Path) -> Iterator[tuple[str, str]]:
    """The texts of a set, each with its cluster."""
    if name in SETS:
        yield from ((text, cluster) for _, text, cluster in labelled(name, data))
        return
    rows = records(data / f"{EDITED.get(name, name)}.jsonl.gz")
    if name == LAW:
        yield from ((record["text"], record["cluster"]) for record in rows)
        return
    draw = Random(1)
    texts = list({record["cluster"]: record["text"][:20_000] for record in rows}.values())
    others = Parts(texts)
    ways = [(kind, share) for share in STRENGTHS for kind in KINDS]
    for at, text in enumerate(texts):
        made = text
        for step in range(len(ways)):
            kind, share = ways[(at + step) % len(ways)]
            made = edited(text, kind, share, draw, others)
            if made != text:
                break
        yield from ((one, f"{at}") for one in (text, made))


def half_of(cluster: str) -> int:
    """The half that a cluster is in."""
    return zlib.crc32(cluster.encode()) >> 16 & 1


def scores(name: str, data: Path, options: argparse.Namespace) -> list[dict[float, tuple[float, float, float]]]:
    """Precision, recall and F1 by threshold, of both halves."""
    halves: list[list[dict[str, str]]] = [[], []]
    for text, cluster in texts_of(name, data):
        halves[half_of(cluster)].append({"text": text, "of": cluster})
    config = DedupConfig(idf=options.idf, measure=options.measure)
    found = []
    for half in halves:
        seen = run_labels(half, config, field="of", warn=lambda _: None)
        found.append({row.threshold: (row.precision or 0.0, row.recall or 0.0, row.f1) for row in seen.rows})
    print(f"{name}: {len(halves[0])} and {len(halves[1])} texts", file=sys.stderr)
    return found


def main() -> int:
    """Choose on the first halves and judge on the second."""
    known = [*SETS, *EDITED, LAW]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--idf", default="none", choices=["none", "fit"])
    parser.add_argument("--measure", default="cosine", choices=LOWEST)
    parser.add_argument("sets", nargs="*", default=known, metavar="SET", help=f"of {', '.join(known)}")
    options = parser.parse_args()
    if absent := absent_sets("threshold", options.data, [EDITED.get(name, name) for name in options.sets]):
        return finish("threshold", {"not_measured": absent}, "nothing measured", [])
    all_scores = {name: scores(name, options.data, options) for name in options.sets}
    shown, default = STEPS[options.measure], DEFAULTS[options.measure]
    tried = sorted(next(iter(all_scores.values()))[0])
    rows: list[list[Any]] = []
    for half, told in enumerate(("chosen on", "judged on")):
        for name, both in all_scores.items():
            best = max(tried, key=lambda at, one=both[half]: one[at][2])  # type: ignore[misc]
            rows.append([f"{told} {name}", *(both[half][at][2] for at in shown), best, both[half][best][2]])
        means = [float(np.mean([both[half][at][2] for both in all_scores.values()])) for at in shown]
        rows.append([f"{told}: mean", *means, None, None])

    def mean(half: int, at: float) -> float:
        return float(np.mean([both[half][at][2] for both in all_scores.values()]))

    chosen = max(tried, key=lambda at: mean(0, at))
    readable = table(("F1", *(f"{at:g}" for at in shown), "best at", "best F1"), rows)
    precision = [
        [name, *(f"{both[1][at][0]:.3f} / {both[1][at][1]:.3f}" for at in shown)] for name, both in all_scores.items()
    ]
    readable += "\n\n" + table(("precision / recall, judged", *(f"{at:g}" for at in shown)), precision)
    readable += (
        f"\n\nchosen on the first halves: {chosen:g}; on the second halves mean F1 {mean(1, chosen):.4f},"
        f" {mean(1, default):.4f} at the default {default:g}"
    )
    wrong = []
    if mean(1, chosen) - mean(1, default) > MARGIN:
        wrong.append(f"{chosen:g} has a mean F1 of {mean(1, chosen):.4f}, the default {mean(1, default):.4f}")
    if (options.idf, options.measure) == ("none", "cosine"):
        reached = {name: both[1][default][2] for name, both in all_scores.items() if name in GOALS}
        wrong += [f"{name}: F1 {f1:.4f}, the goal is {GOALS[name]}" for name, f1 in reached.items() if f1 < GOALS[name]]
    result = {"chosen": chosen, "judged": mean(1, chosen), "default": mean(1, default), "idf": options.idf}
    return finish("threshold", result, readable, wrong)


if __name__ == "__main__":
    sys.exit(main())
