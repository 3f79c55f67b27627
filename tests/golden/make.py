"""Writes the golden files: `python -m tests.golden.make`, by hand only, when a new kind of output or scheme is added.

What was once released is never written again to make a test pass: a changed bit is a new version of its scheme.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.golden.cases import OTHERS, SCHEMES, SOURCE, TEXTS

from simsieve import Fingerprinter, Index, dedup, fingerprint

FOLDER = Path(__file__).parent
VOLATILE = ("seconds", "peak_rss_bytes", "peak_anonymous_bytes", "peak_mapped_bytes", "stages", "plan")
"""Fields of the summary that differ from run to run, or from machine to machine."""

LOADING = ["--config", str(FOLDER / "run.toml"), "--max-failed", "100%"]
"""The settings by which the fixed source is read."""
RUN = ["--similarity", "0.65", "--keep", "max:score,longest", *LOADING]
"""The settings of the run over the fixed source; every kind of decision comes of them."""

TABLES = ("decisions.csv", "dropped.csv", "clusters.csv")
"""The tables of a run in CSV, by the options that write them."""


def fingerprints() -> str:
    """A row for each text and a column for each scheme, both with their names; in hex."""
    rows = [[name, *(_hex(text, spec) for spec in SCHEMES)] for name, text in TEXTS.items()]
    return "".join("\t".join(row) + "\n" for row in (["text", *SCHEMES], *rows))


def others() -> str:
    """A line for each scheme that takes no running text, and each of its texts: scheme, name of the text, hex."""
    return "".join(
        f"{spec}\t{name}\t{_hex(text, spec)}\n" for spec, texts in OTHERS.items() for name, text in texts.items()
    )


def _hex(text: Any, spec: str) -> str:
    made = fingerprint(text, spec)
    return "-" if made is None else made.hex


def digests() -> str:
    """The digests of the schemes, and those of recipes, as JSON."""
    recipes = {
        "similarity 0.65": dedup(["a text"] * 5, similarity=0.65).recipe["digest"],
        "similarity 0.8, recall 0.99, seed 7, 5 records": dedup(
            ["a text"] * 5, similarity=0.8, recall=0.99, seed=7
        ).recipe["digest"],
        "similarity 0.65, 8192 records": dedup(["a text"] * 8192, similarity=0.65).recipe["digest"],
        "similarity 0.6 as the default, 8192 records": dedup(["a text"] * 8192).recipe["digest"],
        "chars64, max_distance 3, 8192 records": dedup(["a text"] * 8192, scheme="chars64", max_distance=3).recipe[
            "digest"
        ],
    }
    found = {"schemes": {spec: Fingerprinter(spec).digest for spec in (*SCHEMES, *OTHERS)}, "recipes": recipes}
    return json.dumps(found, indent=2) + "\n"


def index_batches() -> list[list[dict[str, Any]]]:
    """Two batches of records for the index of each version."""
    rows = [
        {"id": name, "text": text, "date": f"2026-11-{1 + 3 * at % 28:02}"}
        for at, (name, text) in enumerate(TEXTS.items())
    ]
    others = [row | {"id": at, "text": f"{row['text']} and {at} more words"} for at, row in enumerate(rows)]
    return [rows, others]


def save_index(folder: Path, **settings: Any) -> Path:
    """Make the index of the present version in a folder: two batches, a removal, search keys and all kinds of files."""
    first, second = index_batches()
    with Index.create(folder / "index", first, similarity=0.8, **settings) as index:
        index.add(second, name="second")
        index.remove([1])
        index.refreeze(20_000)
        return index.path


WEEK: dict[str, Any] = {"window": "7d", "date_field": "date"}
"""The settings of the index with a window of time."""

INDEXES: dict[str, dict[str, Any]] = {"index-3": {}, "index-3-window": WEEK}
"""The indexes of the present version."""


def save_indexes() -> None:
    """Make the indexes of the present version anew: `python -m tests.golden.make indexes`."""
    for name, settings in INDEXES.items():
        with tempfile.TemporaryDirectory() as temporary:
            shutil.rmtree(FOLDER / "indexes" / name, ignore_errors=True)
            made = save_index(Path(temporary), **settings)
            shutil.copytree(made, FOLDER / "indexes" / name, ignore=shutil.ignore_patterns("lock"))


def outputs(folder: Path) -> dict[str, bytes]:
    """Run every command over the fixed source in an empty folder: name of the golden file -> its bytes."""
    (folder / "in.jsonl").write_bytes(SOURCE)

    def run(*words: str, code: int = 0) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "simsieve", *words], cwd=folder, capture_output=True, check=False, timeout=60
        )
        assert done.returncode == code, done.stderr.decode()
        return done.stdout

    sides = ["--decisions", "decisions.jsonl", "--failed", "failed.jsonl", "--json", "--quiet"]
    summary: dict[str, Any] = json.loads(run("dedup", "in.jsonl", "-o", "kept.jsonl", *sides, *RUN))
    for name in VOLATILE:
        del summary[name]
    bits = [word for word in RUN if word not in ("--similarity", "0.65")]
    run("dedup", "in.jsonl", "-o", "k.jsonl", "--max-distance", "30", "--decisions", "d.jsonl", "--quiet", *bits)
    tables = [word for name in TABLES for word in (f"--{name.partition('.')[0]}", name)]
    run("dedup", "in.jsonl", "-o", "k.jsonl", "--quiet", *tables, *RUN)
    run("dedup", "in.jsonl", "-o", "k.jsonl", "--decisions", "decisions.tsv", "--quiet", *RUN)
    run("dedup", "in.jsonl", "-o", "annotated.jsonl", "--annotate", "--clusters", "clusters.jsonl", "--quiet", *RUN)
    run("dedup", "in.jsonl", "-o", "k.jsonl", "--dropped", "dropped.jsonl", "--quiet", *RUN)
    run("review", "in.jsonl", "-o", "review.csv", "--quiet", *RUN)
    loading = [*LOADING, "--quiet"]
    made = {
        "kept.jsonl": (folder / "kept.jsonl").read_bytes(),
        "decisions.jsonl": (folder / "decisions.jsonl").read_bytes(),
        "decisions-by-distance.jsonl": (folder / "d.jsonl").read_bytes(),
        "failed.jsonl": (folder / "failed.jsonl").read_bytes(),
        "summary.json": json.dumps(summary, indent=2).encode() + b"\n",
        "pairs.jsonl": run("pairs", "in.jsonl", "--similarity", "0.65", *loading),
        "pairs-by-distance.jsonl": run("pairs", "in.jsonl", "--max-distance", "30", *loading),
    }
    for name in (*TABLES, "decisions.tsv", "annotated.jsonl", "clusters.jsonl", "dropped.jsonl", "review.csv"):
        made[name] = (folder / name).read_bytes()
    for form in ("hex", "int", "bits"):
        made[f"fingerprints-{form}.tsv"] = run(
            "fingerprint", "in.jsonl", "--format", form, "--scheme", "chars64", *loading
        )
    return made


def main() -> None:
    """Write every golden file."""
    (FOLDER / "fingerprints.tsv").write_text(fingerprints(), encoding="utf-8")
    (FOLDER / "others.tsv").write_text(others(), encoding="utf-8")
    (FOLDER / "digests.json").write_text(digests(), encoding="utf-8")
    folder = FOLDER / "outputs"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for name, content in outputs(Path(temporary)).items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    save_indexes() if sys.argv[1:] == ["indexes"] else main()
