"""Measures how well fingerprints of page structure separate the pages of one site, section or page from others.

Pairs of all pages of html_doc_sites (development data) are judged by the distance of their fingerprints: at 5 bits, the
bound for `dom64`, and at the bound with the best F1. Three families: pages of one `site` (one generator and theme), of
one `section` (folder of a site), and of one `page` (the same page in several languages: equal structure, other words).

Five sites are few, so unrelated pages are judged too: the pairs of html_crawled_cc, pages of some 35 other sites.
`strangers` is the number of these pairs within the bound with the best F1 for sites. `safe` is the widest bound with at
most 1 % of them. (Some of them share a blog's theme.) The answer is wrong if a floor is missed.

`runs` runs `dedup` on the pages instead. Pairs of documents in one cluster are judged; pairs of one site are right.
`strangers` counts the dropped ones of html_crawled_cc. `many` is the first set with each page five times, each after a
comment, so the search has more than 8,191 documents. The answer is wrong if a floor or a run's recall is missed.

Usage: dom.py [grid | runs] [--data FOLDER]
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import data_sets, finish, table
from simsieve import dedup
from simsieve.results.dedup import DedupResult
from simsieve.text.html import dom_fingerprint

NAME, STRANGERS = "html_doc_sites", "html_crawled_cc"
BOUND = 5
SAFE = 0.01
DECAYS = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
FEW_DECAYS = (0.3, 0.45, 0.6, 0.8)
# F1 for sites at the safe bound; the advised settings at 64 and 128 bits.
FLOORS = {(2, True, "nearest", 0.8, 64): 0.93, (2, True, "nearest", 0.8, 128): 0.98}

Record = dict[str, Any]
FAMILIES: dict[str, Callable[[Record], Hashable]] = {
    "site": lambda row: row["site"],
    "section": lambda row: (row["site"], row["section"]),
    "page": lambda row: row["cluster"] or row["id"],
}


@dataclass(frozen=True)
class Setting:
    """How fingerprints are made."""

    levels: int
    classes: bool
    weight: str
    decay: float
    hash: str

    def print_of(self, html: str, width: int) -> int:
        """The fingerprint as a number; 0 where the page has none."""
        made = dom_fingerprint(
            html, levels=self.levels, classes=self.classes, weight=self.weight, decay=self.decay, hash=self.hash,
            width=width,
        )  # fmt: skip
        return 0 if made is None else made.value


def settings() -> list[Setting]:
    """The grid: every decay for sums of tags, few for the other kinds, and once."""
    found = [Setting(1, False, "sum", decay, "fnv1") for decay in DECAYS]  # noqa: FBT003 - the columns of a table
    for levels in (1, 2, 3, 0):
        decays = DECAYS if levels == 1 else FEW_DECAYS
        for classes in (False, True):
            found += [Setting(levels, classes, "sum", decay, "xxh3") for decay in decays]
            found += [Setting(levels, classes, "nearest", decay, "xxh3") for decay in FEW_DECAYS]
            found.append(Setting(levels, classes, "once", 1.0, "xxh3"))
    return found


@dataclass(frozen=True)
class Score:
    """Pairwise precision, recall and F1 of one family within a bound in bits."""

    bound: int
    precision: float
    recall: float
    f1: float


def scores(counts: NDArray[np.int64], right: NDArray[np.int64], safe: int) -> tuple[Score, Score, Score]:
    """The scores at 5 bits, the best and the safe bound, from the pairs and right pairs at each distance."""
    found, hits = counts.cumsum(), right.cumsum()
    precision, recall = hits / np.maximum(found, 1), hits / max(int(hits[-1]), 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    fixed, best, safest = (
        Score(k, float(precision[k]), float(recall[k]), float(f1[k])) for k in (BOUND, int(f1.argmax()), safe)
    )
    return fixed, best, safest


def distances(values: Sequence[int], width: int) -> NDArray[np.int64]:
    """The distance of every pair i < j, row by row."""
    raw = b"".join(value.to_bytes(width // 8, "little") for value in values)
    bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8).reshape(len(values), -1), axis=1).astype(np.float32) * 2 - 1
    apart = np.rint((width - bits @ bits.T) / 2).astype(np.int64)
    return apart[np.triu_indices(len(values), 1)]


def kin(rows: Sequence[Record], key: Callable[[Record], Hashable]) -> NDArray[np.bool_]:
    """Whether the two of every pair i < j are of one family."""
    numbers: dict[Hashable, int] = {}
    of = np.array([numbers.setdefault(key(row), len(numbers)) for row in rows])
    same: NDArray[np.bool_] = of[:, None] == of[None, :]
    return same[np.triu_indices(len(rows), 1)]


def measure(rows: Sequence[Record], strangers: Sequence[Record]) -> list[dict[str, Any]]:
    """Every setting at 64 and 128 bits. The 64 bits are the low ones of the 128: a page is parsed once."""
    families = {name: kin(rows, key) for name, key in FAMILIES.items()}
    # Two pages of unknown site count as of different ones.
    foreign = ~kin(strangers, lambda row: row["site"] or row["id"])
    told = []
    for setting in settings():
        wide = [setting.print_of(row["html"], 128) for row in rows]
        wide_strangers = [setting.print_of(row["html"], 128) for row in strangers]
        for width in (64, 128):
            apart = distances([value & (1 << width) - 1 for value in wide], width)
            between = distances([value & (1 << width) - 1 for value in wide_strangers], width)[foreign]
            near = np.bincount(between, minlength=width + 1).cumsum()
            safe = max(int((near <= SAFE * len(between)).sum()) - 1, 0)
            counts = np.bincount(apart, minlength=width + 1)
            found = {
                name: scores(counts, np.bincount(apart[of_one], minlength=width + 1), safe)
                for name, of_one in families.items()
            }
            row = {"setting": setting, "width": width, "scores": found}
            told.append({**row, "strangers": int(near[found["site"][1].bound]), "of": len(between)})
    return told


def judge(told: Sequence[dict[str, Any]]) -> list[str]:
    """What is below its floor."""
    wrong = []
    for row in told:
        setting: Setting = row["setting"]
        floor = FLOORS.get((setting.levels, setting.classes, setting.weight, setting.decay, row["width"]))
        safe = row["scores"]["site"][2]
        if floor is not None and safe.f1 < floor:
            wrong.append(f"{setting} at {row['width']} bits: F1 {safe.f1:.4f} for sites, at least {floor} asked")
    return wrong


def line(row: dict[str, Any]) -> list[Any]:
    """One line of the table."""
    setting: Setting = row["setting"]
    features = {0: "paths", 1: "tags"}.get(setting.levels, f"{setting.levels} levels")
    name = f"{features}{', classes' if setting.classes else ''}"
    weight = setting.weight if setting.weight == "once" else f"{setting.weight} {setting.decay}"
    cells: list[Any] = [name, weight, setting.hash, row["width"]]
    for family in FAMILIES:
        fixed, best, safe = row["scores"][family]
        if family == "site":
            cells += [fixed.precision, fixed.recall, fixed.f1, best.bound, best.f1, row["strangers"]]
            cells += [safe.bound, safe.f1]
        else:
            cells += [best.bound, best.f1]
    return cells


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
RUN_FLOORS = {(TEMPLATE, "max_distance", 37): 0.95, (TEMPLATE, "similarity", 0.65): 0.99}


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


def measure_runs(rows: Sequence[Record], strangers: Sequence[Record]) -> list[dict[str, Any]]:
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
        if (spec, name, value) in RUN_FLOORS:
            larger = dedup(many, scheme=spec, sample=200, **bound)
            row |= {
                "many_f1": judged(larger, sites * TIMES)["f1"],
                "many_recall": larger.recall and larger.recall.value,
            }
        told.append(row)
    return told


def judge_runs(told: Sequence[dict[str, Any]]) -> list[str]:
    """What is below its floor."""
    wrong = []
    for row in told:
        name = f"{row['scheme']} {row['by']} {row['bound']}"
        floor = RUN_FLOORS.get((row["scheme"], row["by"], row["bound"]))
        if floor is None:
            continue
        if min(row["f1"], row["many_f1"]) < floor:
            wrong.append(f"{name}: F1 {row['f1']:.4f} and {row['many_f1']:.4f}, at least {floor} asked")
        if row["many_recall"] < 0.98:
            wrong.append(f"{name}: recall {row['many_recall']:.4f} of the search")
    return wrong


def main() -> int:
    """Read the command line; skip loudly where there is no data."""
    part = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in ("grid", "runs") else "grid"
    sets = data_sets(__doc__, "dom", NAME, STRANGERS)
    if sets is None:
        return 0
    rows, strangers = sets
    if part == "runs":
        ran = measure_runs(rows, strangers)
        readable = table(list(ran[0]), [list(row.values()) for row in ran])
        return finish("dom", {"pages": len(rows), "runs": ran}, readable, judge_runs(ran))
    told = measure(rows, strangers)
    header = ["features", "weight", "hash", "bits", "site P@5", "R@5", "F1@5", "best at", "F1", "strangers"]
    header += ["safe at", "F1", "section at", "F1", "page at", "F1"]
    readable = table(header, map(line, told))
    result = [
        {
            **asdict(row["setting"]),
            "width": row["width"],
            "strangers": [row["strangers"], row["of"]],
            "scores": {name: [asdict(score) for score in made] for name, made in row["scores"].items()},
        }
        for row in told
    ]
    return finish("dom", {"pages": len(rows), "settings": result}, readable, judge(told))


if __name__ == "__main__":
    raise SystemExit(main())
