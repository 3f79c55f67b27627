"""Finds copies of pictures by the hashes of the package imagehash, with the same `dedup` as texts.

Pictures are drawn here: shapes on a gradient, 320 by 240 pixels. Each has three copies: scaled to 40 to 150 %, saved as
JPEG of quality 15 to 40, and cropped by 1 to 4 % at every edge. Hashes of 64 bits are written as JSON lines, and
`simsieve dedup --scheme external64 --max-distance K` drops near ones. Pairs of documents in one cluster are judged;
pairs of one picture are right. `resized`, `recompressed` and `cropped` are the shares of these copies in a cluster with
their original. The answer is wrong if a floor is missed.

Usage: images.py [--pictures N] [--seed N]; it needs imagehash: pip install imagehash
"""

import argparse
import importlib
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from common import finish, table, version_of

SIZE = (320, 240)
HASHES = ("phash", "dhash")
BOUNDS = (0, 2, 4, 6, 8, 10, 12)
COPIES = ("resized", "recompressed", "cropped")
# Precision and recall of pairs at a bound that the page advises.
FLOORS = {("phash", 8): (0.99, 0.9)}


def drawn(random: np.random.Generator) -> Any:
    """A picture: a gradient with some shapes and lines of any colour."""
    image, draw = (importlib.import_module(f"PIL.{name}") for name in ("Image", "ImageDraw"))
    width, height = SIZE
    corners = random.uniform(0, 255, (2, 2, 3))
    x, y = np.linspace(0, 1, width)[None, :, None], np.linspace(0, 1, height)[:, None, None]
    top, bottom = (corners[row][0] * (1 - x) + corners[row][1] * x for row in (0, 1))
    picture = image.fromarray((top * (1 - y) + bottom * y).astype(np.uint8))
    pen = draw.Draw(picture)
    for _ in range(int(random.integers(4, 12))):
        colour = tuple(map(int, random.integers(0, 256, 3)))
        left, upper = random.uniform(-0.2, 0.9, 2) * SIZE
        wide, high = random.uniform(0.1, 0.7, 2) * SIZE
        box = (left, upper, left + wide, upper + high)
        kind = random.integers(0, 4)
        if kind == 0:
            pen.ellipse(box, fill=colour)
        elif kind == 1:
            pen.rectangle(box, fill=colour)
        elif kind == 2:
            pen.polygon([tuple(point) for point in random.uniform(0, 1, (3, 2)) * SIZE], fill=colour)
        else:
            pen.line(box, fill=colour, width=int(random.integers(2, 20)))
    return picture


def copies(picture: Any, random: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """The picture and its copies, each with its name."""
    image = importlib.import_module("PIL.Image")
    yield "original", picture
    share = random.uniform(0.4, 1.5)
    yield "resized", picture.resize((round(SIZE[0] * share), round(SIZE[1] * share)))
    packed = io.BytesIO()
    picture.save(packed, "JPEG", quality=int(random.integers(15, 41)))
    yield "recompressed", image.open(packed)
    left, upper, right, lower = random.uniform(0.01, 0.04, 4) * (*SIZE, *SIZE)
    yield "cropped", picture.crop((round(left), round(upper), round(SIZE[0] - right), round(SIZE[1] - lower)))


def clusters(source: Path, bound: int) -> list[list[str]]:
    """The ids of each cluster that the command makes."""
    decisions = source.with_suffix(".decisions.jsonl")
    command = [str(Path(sys.executable).with_name("simsieve")), "dedup", str(source), "--quiet"]
    command += ["-o", str(source.with_suffix(".kept.jsonl")), "--decisions", str(decisions)]
    subprocess.run([*command, "--scheme", "external64", "--max-distance", str(bound)], check=True)
    found = defaultdict(list)
    for line in decisions.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["representative"]].append(row["id"])
    return list(found.values())


def judged(found: Sequence[Sequence[str]], pictures: int) -> dict[str, float]:
    """Precision and recall of pairs, and the share of each kind of copy that was put to its original."""
    pairs = right = 0
    together: Counter[str] = Counter()
    for members in found:
        for one, other in combinations(members, 2):
            pairs += 1
            if one.split("/")[0] != other.split("/")[0]:
                continue
            right += 1
            kinds = {one.split("/")[1], other.split("/")[1]}
            if "original" in kinds:
                together.update(kinds - {"original"})
    asked = pictures * (len(COPIES) + 1) * len(COPIES) // 2
    shares = {kind: together[kind] / pictures for kind in COPIES}
    return {"precision": right / pairs if pairs else 1.0, "recall": right / asked, **shares}


def measure(pictures: int, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Draw, hash, deduplicate and judge."""
    imagehash = importlib.import_module("imagehash")
    random = np.random.default_rng(seed)
    lines = defaultdict(list)
    for number in range(pictures):
        for kind, copy in copies(drawn(random), random):
            for name in HASHES:
                made = str(getattr(imagehash, name)(copy))
                lines[name].append(json.dumps({"id": f"{number}/{kind}", "text": made}) + "\n")
    told = []
    for name in HASHES:
        source = folder / f"{name}.jsonl"
        source.write_text("".join(lines[name]), encoding="utf-8")
        told += [{"hash": name, "bits": bound, **judged(clusters(source, bound), pictures)} for bound in BOUNDS]
    return told


def main() -> int:
    """Read the command line; skip loudly where the package is not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--pictures", type=int, default=1000, help="pictures to draw; each has three copies")
    parser.add_argument("--seed", type=int, default=0, help="of the drawing")
    given = parser.parse_args()
    if version_of("imagehash") is None:
        print("PICTURES NOT MEASURED: the package imagehash is not installed; pip install imagehash", file=sys.stderr)
        return finish("images", {"not_measured": ["imagehash"]}, "nothing measured", [])
    with tempfile.TemporaryDirectory() as folder:
        told = measure(given.pictures, given.seed, Path(folder))
    wrong = []
    for row in told:
        floor = FLOORS.get((row["hash"], row["bits"]))
        if floor and (row["precision"] < floor[0] or row["recall"] < floor[1]):
            wrong.append(
                f"{row['hash']} at {row['bits']} bits: {row['precision']:.4f}, {row['recall']:.4f} for {floor}"
            )
    header = ["hash", "bits", "precision", "recall", *COPIES]
    readable = table(header, [[row[name] for name in header] for row in told])
    return finish("images", {"pictures": given.pictures, "rows": told}, readable, wrong, "imagehash", "pillow")


if __name__ == "__main__":
    raise SystemExit(main())
