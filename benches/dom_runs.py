"""Runs `dedup` on pages by their structure, and compares its clusters with the pages' sites.

Pages of html_doc_sites (development data) are five sites, each of one generator and theme. Pairs of documents in one
cluster are judged; pairs of one site are right. Five sites are few, so `strangers` counts the dropped ones of the 37
pages of html_crawled_cc, most of other sites, at the same setting. `many` is the first set with each page five times,
each after a comment. So the search has more than 8,191 documents and uses chosen paths or blocks; pages of equal
structure differ in their texts. The answer is wrong if a floor or a run's recall is missed.

Usage: dom_runs.py [--data FOLDER]
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from common import data_sets, finish, table
from simsieve import dedup
from simsieve.results.dedup import DedupResult

NAME, STRANGERS = "html_doc_sites", "html_crawled_cc"
TIMES = 5
TEMPLATE = "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3"
TAGS = "dom128:classes=keep,weight=nearest,decay=0.8,hash=xxh3"
RUNS: list[tuple[str, dict[str, Any]]] = [
    *((TEMPLATE, {"max_distance": bound}) for bound in (17, 28, 37)),
    *((TEMPLATE, {"similarity": bound}) for bound in (0.4, 0.5, 0.6, 0.65, 0.8)),
    *((TAGS, {"max_distance": bound}) for bound in (17, 28)),
    *((TAGS, {"similarity": bound}) for bound in (0.5, 0.6, 0.65, 0.8)),
    ("dom64", {"max_distance": 5}),
    ("dom64", {"max_distance": 12}),
    ("dom64", {"similarity": 0.65}),
    ("dom64", {"similarity": 0.9}),
]
FLOORS = {(TEMPLATE, "max_distance", 37): 0.95, (TEMPLATE, "similarity", 0.65): 0.99}


def judged(result: DedupResult, sites: Sequence[str]) -> dict[str, float]:
    """Pairwise precision, recall and F1 of the clusters against the sites."""

    def pairs(count: int) -> int:
        return count * (count - 1) // 2

    clusters = defaultdict(list)
    for decision in result.decisions:
        if decision.representative_position is not None:
            clusters[decision.representative_position].append(sites[decision.position])
    found = sum(pairs(len(members)) for members in clusters.values())
    right = sum(pairs(count) for members in clusters.values() for count in Counter(members).values())
    asked = sum(map(pairs, Counter(sites).values()))
    precision, recall = right / max(found, 1), right / asked
    return {"precision": precision, "recall": recall, "f1": 2 * right / (found + asked)}


def measure(rows: Sequence[dict[str, Any]], strangers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every run over the pages and over the strangers; those with a floor over the pages five times too."""
    sites = [row["site"] for row in rows]
    many = [f"<!-- {time} {place} -->{row['html']}" for time in range(TIMES) for place, row in enumerate(rows)]
    told = []
    for spec, bound in RUNS:
        result = dedup((row["html"] for row in rows), scheme=spec, **bound)
        apart = dedup((row["html"] for row in strangers), scheme=spec, **bound)
        [(name, value)] = bound.items()
        scores = {"kept": result.counts.kept, **judged(result, sites), "strangers": apart.counts.dropped}
        row = {"scheme": spec, "by": name, "bound": value, **scores, "many_f1": None, "many_recall": None}
        if (spec, name, value) in FLOORS:
            larger = dedup(many, scheme=spec, sample=200, **bound)
            row |= {
                "many_f1": judged(larger, sites * TIMES)["f1"],
                "many_recall": larger.recall and larger.recall.value,
            }
        told.append(row)
    return told


def judge(told: Sequence[dict[str, Any]]) -> list[str]:
    """What is below its floor."""
    wrong = []
    for row in told:
        name = f"{row['scheme']} {row['by']} {row['bound']}"
        floor = FLOORS.get((row["scheme"], row["by"], row["bound"]))
        if floor is None:
            continue
        if min(row["f1"], row["many_f1"]) < floor:
            wrong.append(f"{name}: F1 {row['f1']:.4f} and {row['many_f1']:.4f}, at least {floor} asked")
        if row["many_recall"] < 0.98:
            wrong.append(f"{name}: recall {row['many_recall']:.4f} of the search")
    return wrong


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    sets = data_sets(__doc__, "dom_runs", NAME, STRANGERS)
    if sets is None:
        return 0
    told = measure(*sets)
    header = list(told[0])
    readable = table(header, [list(row.values()) for row in told])
    return finish("dom_runs", {"pages": len(sets[0]), "runs": told}, readable, judge(told))


if __name__ == "__main__":
    raise SystemExit(main())
