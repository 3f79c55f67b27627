"""Smaller experiments, one for each row of the table EXPERIMENTS; each checks its answer.

`scripts`: the cosines of unrelated texts and of copies in Japanese, Korean, Thai, Arabic, Devanagari and mixed text,
under the schemes and under plain windows of other sizes. It is wrong where an unrelated pair is nearer than the
farthest copy under `chars128`, or in Thai under `words128:unspaced=fours`, or F1 is low.

`twins`: every scheme against its plain twin over all of the development data. It is wrong if one fingerprint differs.

`images`: copies of drawn pictures (320 by 240 pixels): scaled to 40 to 150 %, saved as JPEG of quality 15 to 40, and
cropped by 1 to 4 % at every edge. They are found by the hashes of the package imagehash with `--scheme external64`.

`bounds`: a large run under several bounds of memory and numbers of threads, with `--kills N` in a run directory,
killed at random moments and resumed. It is wrong if a byte of the results differs, if a run holds more anonymous
memory than its bound and a tenth, or if it leaves a file behind.

`bad-lines`: a bad line after every 999 lines. It is wrong if the kept records differ from those of the good lines
alone, if the failed records are not the bad lines, or if these cost more than a tenth of the processor seconds.

Usage: experiments.py NAME [OPTIONS] [-- OPTIONS OF DEDUP]; `experiments.py NAME --help` lists the options.
"""

import argparse
import importlib
import io
import math
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from common import DATA, finish, records, table, version_of
from experiment_runs import Given, Outcome, bad_lines, bounds
from scripts_texts import IN_FOURS, SCRIPTS, SHARES, TRIALS, Features, Script, edited, text
from simsieve import dedup

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def not_measured(what: str) -> Outcome:
    """Say loudly that something is not there."""
    print(f"NOT MEASURED: {what}", file=sys.stderr)
    return Outcome({"not_measured": what}, "nothing measured", [])


# --- scripts

THRESHOLD, TEXTS_A_SUBJECT, FLOOR = 0.65, 6, 0.99


def cosine(a: Features, b: Features) -> float:
    """The cosine of two sets."""
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


def separated(script: Script, cut: Callable[[str], Features]) -> dict[str, float]:
    """The figures of one script under one treatment."""
    made = []
    for subject in range(len(script.subjects)):
        for seed in range(TEXTS_A_SUBJECT):
            pieces = text(script, subject, seed)
            copies = [cut(edited(script, pieces, subject, share, seed)) for share in SHARES]
            made.append((subject, cut("".join(pieces)), copies))
    unrelated = [cosine(a, b) for (s, a, _), (t, b, _) in combinations(made, 2) if s != t]
    near = [cosine(one, copy) for _, one, some in made for copy in some]
    right, wrong = sum(c >= THRESHOLD for c in near), sum(c >= THRESHOLD for c in unrelated)
    return {
        "median": float(np.median(unrelated)), "p99": float(np.quantile(unrelated, 0.99)), "max": max(unrelated),
        "copy_min": min(near), "copy_median": float(np.median(near)), "f1": 2 * right / (len(near) + right + wrong),
    }  # fmt: skip


def judged_script(name: str, seen: dict[str, float]) -> list[str]:
    """What is not right about a scheme in use."""
    wrong = []
    if seen["max"] >= seen["copy_min"]:
        wrong.append(f"{name}: an unrelated pair has {seen['max']:.3f}, and a copy {seen['copy_min']:.3f}")
    if seen["f1"] < FLOOR:
        wrong.append(f"{name}: F1 {seen['f1']:.4f} at {THRESHOLD}, at least {FLOOR} asked")
    return wrong


def scripts(given: Given) -> Outcome:
    """Measure each script under each treatment."""
    told = {name: {trial: separated(SCRIPTS[name], cut) for trial, cut in TRIALS.items()} for name in given.scripts}
    used = [(name, trial) for name in told for trial in ("chars128", *([IN_FOURS] if name == "Thai" else []))]
    wrong = [line for name, trial in used for line in judged_script(f"{name}, {trial}", told[name][trial])]
    lines = [[name, trial, *seen.values()] for name, trials in told.items() for trial, seen in trials.items()]
    header = ["script", "features", "unrelated median", "99 %", "max", "copies min", "median", "F1 at 0.65"]
    return Outcome(told, table(header, lines), wrong)


# --- twins

BATCH, FIELDS = 64, ("text", "text_a", "text_b")
Counts = dict[tuple[str, str], Counter[str]]
COLUMNS = ("compared", "differing", "empty")


@cache
def schemes() -> list[Any]:
    """The schemes with their twins, which need packages of the tests."""
    from tests.property import all_twins, token_twin  # noqa: PLC0415 - the path to them is made above

    token_twin.remember_blocks()
    return all_twins.twins()


def batches(paths: list[Path], given: Given) -> Iterator[tuple[str, bool, list[str]]]:
    """The distinct texts and pages of each file, some at a time: a text that several files have is compared once."""
    met: set[str] = set()
    for path in paths:
        rows = list(records(path))
        rows = rows[:: -(-len(rows) // given.records)] if given.records else rows
        for is_page, fields in ((False, FIELDS), (True, ("html",))):
            most = None if is_page else given.characters
            texts = dict.fromkeys(row[field][:most] for field in fields for row in rows if row.get(field))
            new = [one for one in texts if one not in met]
            met.update(new)
            for at in range(0, len(new), BATCH):
                yield path.name.removesuffix(".jsonl.gz"), is_page, new[at : at + BATCH]


def compared_with_twins(batch: tuple[str, bool, list[str]]) -> tuple[str, Counts]:
    """Hold every scheme against its twin on some texts."""
    warnings.simplefilter("ignore")
    from tests.property.all_twins import PAGES, compared  # noqa: PLC0415 - as above

    name, is_page, texts = batch
    counts: Counts = {}
    for twin in schemes():
        if not is_page or twin.family in PAGES:
            row = counts[twin.family, twin.name] = Counter()
            for value, expected in compared(twin, texts):
                row.update(compared=1, differing=value != expected, empty=expected is None)
    return name, counts


def twins(given: Given) -> Outcome:
    """Go through the data: counts by scheme and by file."""
    paths = sorted(given.data.glob("*.jsonl.gz"), key=lambda path: path.stat().st_size)
    paths = [path for path in paths if not given.files or path.name.removesuffix(".jsonl.gz") in given.files]
    if not paths:
        return not_measured(f"no such data in {given.data}")
    by_scheme: Counts = defaultdict(Counter)
    by_file: dict[str, Counter[str]] = defaultdict(Counter)
    with ProcessPoolExecutor(given.jobs) as pool:
        for name, counts in pool.map(compared_with_twins, batches(paths, given)):
            for scheme, row in counts.items():
                by_scheme[scheme].update(row)
                by_file[name].update(row)
            print(f"{name}: {by_file[name]['compared']:,} compared", file=sys.stderr, flush=True)
    by_file["all"] = sum(by_file.values(), Counter())
    wrong = [
        f"{row['differing']} of {row['compared']}: {name}" for (_, name), row in by_scheme.items() if row["differing"]
    ]
    lines = [[*names, *(row[c] for c in COLUMNS)] for names, row in by_scheme.items()]
    files = [[name, *(row[c] for c in COLUMNS)] for name, row in by_file.items()]
    readable = table(["family", "scheme", *COLUMNS], lines) + "\n\n" + table(["file", *COLUMNS], files)
    return Outcome({"files": {name: dict(row) for name, row in by_file.items()}}, readable, wrong)


# --- images

SIZE = (320, 240)
COPIES = ("resized", "recompressed", "cropped")
IMAGE_FLOORS = {("phash", 8): (0.99, 0.9)}
"""Precision and recall of pairs at a bound that the page advises."""


def drawn(chance: np.random.Generator) -> Any:
    """A picture: a gradient with some shapes and lines of any colour."""
    image, draw = (importlib.import_module(f"PIL.{name}") for name in ("Image", "ImageDraw"))
    width, height = SIZE
    corners = chance.uniform(0, 255, (2, 2, 3))
    x, y = np.linspace(0, 1, width)[None, :, None], np.linspace(0, 1, height)[:, None, None]
    top, bottom = (corners[row][0] * (1 - x) + corners[row][1] * x for row in (0, 1))
    picture = image.fromarray((top * (1 - y) + bottom * y).astype(np.uint8))
    pen = draw.Draw(picture)
    for _ in range(int(chance.integers(4, 12))):
        colour = tuple(map(int, chance.integers(0, 256, 3)))
        left, upper = chance.uniform(-0.2, 0.9, 2) * SIZE
        wide, high = chance.uniform(0.1, 0.7, 2) * SIZE
        box = (left, upper, left + wide, upper + high)
        kind = chance.integers(0, 4)
        if kind < 2:
            (pen.ellipse, pen.rectangle)[kind](box, fill=colour)
        elif kind == 2:
            pen.polygon([tuple(point) for point in chance.uniform(0, 1, (3, 2)) * SIZE], fill=colour)
        else:
            pen.line(box, fill=colour, width=int(chance.integers(2, 20)))
    return picture


def pictures(picture: Any, chance: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """The picture and its copies, each with its name."""
    yield "original", picture
    share = chance.uniform(0.4, 1.5)
    yield "resized", picture.resize((round(SIZE[0] * share), round(SIZE[1] * share)))
    packed = io.BytesIO()
    picture.save(packed, "JPEG", quality=int(chance.integers(15, 41)))
    yield "recompressed", importlib.import_module("PIL.Image").open(packed)
    left, upper, right, lower = chance.uniform(0.01, 0.04, 4) * (*SIZE, *SIZE)
    yield "cropped", picture.crop((round(left), round(upper), round(SIZE[0] - right), round(SIZE[1] - lower)))


def judged_pictures(hashes: list[dict[str, str]], bound: int, count: int) -> dict[str, float]:
    """Precision and recall of pairs in one cluster, and the share of each kind of copy beside its original."""
    clusters = defaultdict(list)
    for row in dedup(hashes, scheme="external64", max_distance=bound).decisions:
        clusters[row.representative].append(row.id.split("/"))
    together: Counter[str] = Counter()
    pairs = right = 0
    for (one, kind), (other, other_kind) in chain.from_iterable(combinations(m, 2) for m in clusters.values()):
        pairs, right = pairs + 1, right + (one == other)
        if one == other and "original" in (kind, other_kind):
            together.update({kind, other_kind} - {"original"})
    asked = count * (len(COPIES) + 1) * len(COPIES) // 2
    shares = {kind: together[kind] / count for kind in COPIES}
    return {"precision": right / pairs if pairs else 1.0, "recall": right / asked, **shares}


def images(given: Given) -> Outcome:
    """Draw, hash, deduplicate and judge."""
    if version_of("imagehash") is None:
        return not_measured("the package imagehash is not installed; pip install imagehash")
    imagehash, chance = importlib.import_module("imagehash"), np.random.default_rng(given.seed)
    hashed: dict[str, list[dict[str, str]]] = {"phash": [], "dhash": []}
    for number in range(given.pictures):
        for kind, copy in pictures(drawn(chance), chance):
            for name, made in hashed.items():
                made.append({"id": f"{number}/{kind}", "text": str(getattr(imagehash, name)(copy))})
    told: list[dict[str, Any]] = [
        {"hash": name, "bits": bound, **judged_pictures(made, bound, given.pictures)}
        for name, made in hashed.items()
        for bound in range(0, 13, 2)
    ]
    wrong = [
        f"{row['hash']} at {row['bits']} bits: {row['precision']:.4f}, {row['recall']:.4f}"
        for row in told
        for precision, recall in [IMAGE_FLOORS.get((row["hash"], row["bits"]), (0, 0))]
        if row["precision"] < precision or row["recall"] < recall
    ]
    return Outcome({"rows": told}, table(list(told[0]), [list(row.values()) for row in told]), wrong)


Option = tuple[str, dict[str, Any]]
FOLDER: Option = ("--folder", {"type": Path, "help": "where the files go; the collection is kept there"})
DEDUP: Option = ("options", {"nargs": "*", "help": "options of dedup, after --"})
SIZES = ["256MiB", "1GiB", "4GiB", "16GiB"]

EXPERIMENTS: dict[str, tuple[Callable[[Given], Outcome], list[Option]]] = {
    "scripts": (scripts, [("scripts", {"nargs": "*", "default": list(SCRIPTS), "help": f"of {', '.join(SCRIPTS)}"})]),
    "twins": (twins, [
        ("--data", {"type": Path, "default": DATA, "help": "the folder of the development data"}),
        ("--files", {"nargs": "*", "help": "only these, by their names without .jsonl.gz"}),
        ("--records", {"type": int, "help": "so many records of each file, evenly spread; the default is all"}),
        ("--characters", {"type": int, "help": "so many of each text, pages whole; the default is all"}),
        ("--jobs", {"type": int, "default": 1, "help": "processes that work side by side"}),
    ]),
    "images": (images, [("--pictures", {"type": int, "default": 1000}), ("--seed", {"type": int, "default": 0})]),
    "bounds": (bounds, [
        ("--documents", {"type": int, "default": 300_000}), FOLDER, ("--memory", {"nargs": "+", "default": SIZES}),
        ("--threads", {"nargs": "+", "type": int, "default": [1, 2]}), ("--kills", {"type": int, "default": 0}), DEDUP,
    ]),
    "bad-lines": (bad_lines, [("--documents", {"type": int, "default": 10_000_000}), FOLDER, DEDUP]),
}  # fmt: skip


def main() -> int:
    """Run the experiment that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    names = parser.add_subparsers(dest="name", required=True)
    for name, (_, options) in EXPERIMENTS.items():
        one = names.add_parser(name)
        for option, how in options:
            one.add_argument(option, **how)
    given = parser.parse_args()
    return finish(given.name, *EXPERIMENTS[given.name][0](given), "jieba", "justhtml", "imagehash", "pillow")


if __name__ == "__main__":
    raise SystemExit(main())
