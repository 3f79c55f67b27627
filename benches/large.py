"""Deduplicates a large generated collection as users do, and compares each decision with the truth.

The collection comes from `benches/generator`: short exam questions, or web pages of 2 kB with `--pages`.
`simsieve dedup` runs as a program of its own; every argument after `--` is passed to it. Printed are processor and wall
seconds, the greatest anonymous and resident memory, the seconds of each stage, and what was found.

The answer is wrong if a record is missing, an exact copy is kept, a dropped text is farther from its representative
than the threshold, fewer than 98 % of the near edited copies or of those at the threshold are found, or the output has
other records than the decisions keep. Pairs of originals that are near by chance are counted, and 1,000 of them are
computed again.

With `--packed` the source is a folder of 16 shards in .zst, and the kept records go to as many.

With `--report FILE` it measures the page on the run alone: three runs with the page and three without, alternately,
which write only the kept records. The answer is wrong if the page takes more than a tenth of the processor seconds of a
run, by the medians, or if it is larger than 5 MB. `browser.py --page FILE` measures how long it takes to open.

Usage: large.py [--documents N] [--pages] [--packed] [--folder F] [--similarity X] [--report FILE] [-- OPTIONS OF DEDUP]
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from common import finish, memory_of, table
from simsieve import similarity as similarity_of

HERE = Path(__file__).resolve().parent
EXACT = np.uint32(1 << 31)
# Copies that were kept and pairs near by chance: this many are computed again.
SAMPLE = 20_000
BY_CHANCE = 1_000
# How many shards a packed collection has.
SHARDS = 16
# What the page on a run may cost.
REPORT_SHARE = 0.1
REPORT_BYTES = 5_000_000
REPORT_RUNS = 3
# A copy is at the threshold if its similarity is at most this much greater.
AT_THRESHOLD = 0.05


def built_generator() -> Path:
    """Build the generator; its program."""
    target = HERE.parent / "build" / "generator"
    manifest = HERE / "generator" / "Cargo.toml"
    # Its crates have the versions of the module. The copy is made beside its place, because tests build side by side.
    with tempfile.NamedTemporaryFile(dir=manifest.parent, prefix=".lock-", delete=False) as copy:
        copy.write((HERE.parent / "Cargo.lock").read_bytes())
    Path(copy.name).replace(manifest.with_name("Cargo.lock"))
    command = ["cargo", "build", "--quiet", "--release", "--manifest-path", str(manifest), "--target-dir", str(target)]
    subprocess.run(command, check=True)
    return target / "release" / "generator"


def digest_of(path: Path) -> str:
    """A digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def dedup_command(*words: object) -> list[str]:
    """A command of this interpreter's `simsieve dedup` that tells its stages as JSON lines."""
    return [sys.executable, "-m", "simsieve", "dedup", *map(str, words), "--progress", "json"]


def questions_file(folder: Path, documents: int) -> Path:
    """The file of `documents` generated questions in a folder; it is made if it is missing."""
    path = folder / f"questions-{documents}.jsonl"
    if not path.exists():
        subprocess.run([built_generator(), path, "--documents", str(documents)], check=True)
    return path


@dataclass
class Run:
    """What a run cost: seconds, bytes, and of each stage its wall and processor seconds."""

    code: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    anonymous: int = 0
    resident: int = 0
    stages: dict[str, tuple[float, float]] = field(default_factory=dict)


def _cpu_of(process: int) -> float:
    """Processor seconds of a running process; 0.0 where it has ended."""
    try:
        parts = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _watch_memory(process: int, run: Run, ended: threading.Event) -> None:
    while not ended.wait(0.2):
        found = memory_of(process)
        run.anonymous = max(run.anonymous, found.get("RssAnon", 0))
        run.resident = max(run.resident, found.get("VmHWM", 0))


def watched(command: list[str]) -> Run:
    """Run a command that tells its stages as JSON lines on stderr, and measure it."""
    run, start = Run(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch_memory, args=(process.pid, run, ended))
    watcher.start()
    stage, since = "open", (start, 0.0)
    assert process.stderr is not None
    for line in process.stderr:
        now = (time.perf_counter(), _cpu_of(process.pid))
        if not line.startswith("{"):
            print(line, end="", file=sys.stderr)
            continue
        reached = json.loads(line)["stage"]
        if reached != stage:
            wall, cpu = run.stages.get(stage, (0.0, 0.0))
            run.stages[stage] = (wall + now[0] - since[0], cpu + now[1] - since[1])
            stage, since = reached, now
    _, status, usage = os.wait4(process.pid, 0)
    ended.set()
    watcher.join()
    run.code = os.waitstatus_to_exitcode(status)
    run.wall, run.cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    run.stages[stage] = (time.perf_counter() - since[0], run.cpu - since[1])
    return run


def packed(source: Path) -> Path:
    """Cut a collection into shards in .zst, in its place; their folder."""
    folder = source.with_suffix("")
    folder.mkdir()
    size = source.stat().st_size // SHARDS + 1
    with source.open("rb") as lines:
        for number in range(SHARDS):
            with pa.CompressedOutputStream(str(folder / f"part-{number:02}.jsonl.zst"), "zstd") as shard:
                while (left := (number + 1) * size - lines.tell()) > 0 and (piece := lines.read(min(left, 1 << 24))):
                    shard.write(piece if piece.endswith(b"\n") else piece + lines.readline())
    source.unlink()
    return folder


def lines_of(kept: Path) -> int:
    """How many lines a file has, or the shards of a folder."""
    found = 0
    for path in sorted(kept.iterdir()) if kept.is_dir() else [kept]:
        with pa.input_stream(str(path), compression="detect") as lines:
            while piece := lines.read(1 << 24):
                found += piece.count(b"\n")
    return found


def texts_of(generator: Path, numbers: NDArray[np.int64], arguments: list[str], folder: Path) -> dict[int, str]:
    """The texts of some documents, by their numbers."""
    wanted = np.unique(numbers)
    names, lines = folder / "numbers.txt", folder / "only.jsonl"
    np.savetxt(names, wanted, fmt="%d")
    subprocess.run([generator, lines, "--only", names, *arguments], check=True, stderr=subprocess.DEVNULL)
    with lines.open(encoding="utf-8") as rows:
        return {int(number): json.loads(row)["text"] for number, row in zip(wanted, rows, strict=True)}


def similarities(pairs: NDArray[np.int64], generator: Path, arguments: list[str], folder: Path) -> NDArray[np.float64]:
    """The similarity of each pair of documents, computed by itself."""
    texts = texts_of(generator, pairs.ravel(), arguments, folder)
    found = [similarity_of(texts[a], texts[b]) for a, b in pairs.tolist()]
    return np.array(found, dtype=np.float64)


@dataclass
class Decided:
    """The decisions as columns by document; a kept document is its own representative."""

    dropped: NDArray[np.bool_]
    representative: NDArray[np.int64]
    similarity: NDArray[np.float32]


def read_decisions(path: Path, documents: int) -> Decided:
    """Read the decisions a piece at a time."""
    found = Decided(np.zeros(documents, bool), np.full(documents, -1, np.int64), np.ones(documents, np.float32))
    columns = ["position", "decision", "representative_position", "similarity"]
    for batch in pq.ParquetFile(path).iter_batches(1 << 20, columns=columns):
        at = batch.column("position").to_numpy()
        found.dropped[at] = pc.equal(batch.column("decision"), "dropped").to_numpy(zero_copy_only=False)
        found.representative[at] = batch.column("representative_position").to_numpy()
        found.similarity[at] = batch.column("similarity").to_numpy(zero_copy_only=False)
    return found


def compare(decided: Decided, truth: NDArray[np.uint32], least: float, near: Any) -> tuple[dict[str, Any], list[str]]:
    """Counts of the findings, and what is wrong; `near` gives the similarities of pairs."""
    rng, wrong = np.random.default_rng(5), []
    number = np.arange(len(truth))
    root = (truth & ~EXACT).astype(np.int64)
    exact, copy = truth >= EXACT, root != number
    if (decided.representative < 0).any():
        wrong.append(f"{int((decided.representative < 0).sum())} documents have no decision")
    if decided.dropped[decided.representative].any():
        wrong.append("a representative is dropped")
    kept_exact = int((exact & ~decided.dropped & (decided.representative[root] != number)).sum())
    if kept_exact:
        wrong.append(f"{kept_exact} exact copies are kept")
    far = int((decided.similarity[decided.dropped] < least - 1e-6).sum())
    if far:
        wrong.append(f"{far} dropped texts are farther from their representatives than {least}")

    by_chance = np.flatnonzero(decided.dropped & (root[decided.representative] != root))
    some = rng.choice(by_chance, min(BY_CHANCE, len(by_chance)), replace=False)
    again = near(np.stack([some, decided.representative[some]], axis=1)) if len(some) else np.empty(0)
    if (again < least - 1e-6).any():
        wrong.append(f"{int((again < least).sum())} of {len(some)} pairs of different originals are not near")

    edited = copy & ~exact
    found = edited & decided.dropped
    # A copy that is kept is missed if it is near its original and that is kept: the original comes first.
    kept = np.flatnonzero(edited & ~decided.dropped & ~decided.dropped[root])
    some = rng.choice(kept, min(SAMPLE, len(kept)), replace=False)
    nearness = near(np.stack([some, root[some]], axis=1)) if len(some) else np.empty(0)
    shares: dict[str, Any] = {}
    # Under a distance no similarity is asked for: an edited copy is found if few of its bits differ.
    for name, most in (("", 2.0), (" at the threshold", least + AT_THRESHOLD)) if least > 0 else ():
        right = int((found & (decided.similarity < most)).sum())
        missed = round(len(kept) * float(((nearness >= least) & (nearness < most)).sum()) / max(1, len(some)))
        share = right / (right + missed) if right + missed else 1.0
        shares |= {f"near copies found{name}": right, f"missed{name}": missed, f"share found{name}": share}
        if share < 0.98:
            wrong.append(f"{share:.4f} of the near copies{name} are found, 0.98 asked")
    counts = {
        "documents": len(truth), "kept": int((~decided.dropped).sum()), "exact copies": int(exact.sum()),
        "edited copies": int(edited.sum()), "near by chance": len(by_chance), **shares,
    }  # fmt: skip
    return counts, wrong


def report_cost(command: list[str], page: Path) -> int:
    """Measure what the page on a run costs: the exit code."""
    costs: dict[str, list[float]] = {"without": [], "with": []}
    for _ in range(REPORT_RUNS):
        for name, more in (("without", []), ("with", ["--report", str(page)])):
            run = watched([*command, *more])
            if run.code:
                return finish("report", {"code": run.code}, "", [f"dedup ended with exit code {run.code}"])
            costs[name].append(run.cpu)
    medians = {name: statistics.median(seconds) for name, seconds in costs.items()}
    share, size = 1 - medians["without"] / medians["with"], page.stat().st_size
    wrong = []
    if share > REPORT_SHARE:
        wrong.append(f"the page takes {share:.3f} of the run, at most {REPORT_SHARE} asked")
    if size > REPORT_BYTES:
        wrong.append(f"the page has {size:,} bytes, at most {REPORT_BYTES:,} asked")
    rows = [[name, *seconds, medians[name]] for name, seconds in costs.items()]
    head = [f"CPU s, {REPORT_RUNS} runs", *(f"{at + 1}" for at in range(REPORT_RUNS)), "median"]
    readable = table(head, rows) + f"\n\nshare of the page: {share:.3f}; its bytes: {size:,}"
    return finish("report", {"cpu_seconds": costs, "share": share, "bytes": size}, readable, wrong)


def main() -> int:
    """Generate, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--packed", action="store_true", help="from shards in .zst to shards in .zst")
    parser.add_argument("--folder", type=Path, help="where the files go; the collection is kept there")
    parser.add_argument("--similarity", type=float, default=0.65)
    parser.add_argument("--report", type=Path, help="measure the page on the run, which is written here")
    parser.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    generator = built_generator()
    kind = ["--pages"] if given.pages else []
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        base = (given.folder or folder) / f"{'pages' if given.pages else 'questions'}-{given.documents}"
        source, truth = base.with_suffix(".jsonl"), base.with_suffix(".truth")
        if not truth.exists():
            started = time.perf_counter()
            count = ["--documents", str(given.documents)]
            subprocess.run([generator, source, "--truth", truth, *count, *kind], check=True)
            print(f"generated in {time.perf_counter() - started:.1f} s", file=sys.stderr)
        if given.packed and source.exists():
            packed(source)
        read = source.with_suffix("") / "*.jsonl.zst" if given.packed else source
        kept = folder / ("kept" if given.packed else "kept.jsonl")
        decisions, summary = folder / "decisions.parquet", folder / "summary.json"
        limit = [] if "--max-distance" in given.options else ["--similarity", str(given.similarity)]
        dedup = dedup_command(read, "-o", f"{kept}/" if given.packed else kept, *limit, *given.options)
        if given.report is not None:
            return report_cost(dedup, given.report)
        run = watched([*dedup, "--decisions", str(decisions), "--summary", str(summary)])
        if run.code:
            return finish("large", {"code": run.code}, "", [f"dedup ended with exit code {run.code}"])
        counts, wrong = compare(
            read_decisions(decisions, given.documents),
            np.fromfile(truth, dtype="<u4"),
            given.similarity if limit else -1.0,
            lambda pairs: similarities(pairs, generator, kind, folder),
        )
        printed = json.loads(summary.read_text(encoding="utf-8"))
        written = lines_of(kept)
        if not written == printed["kept"] == counts["kept"]:
            wrong.append(
                f"{written} records written, {printed['kept']} in the summary, {counts['kept']} by the decisions"
            )
        size = sum(path.stat().st_size for path in read.parent.glob(read.name))
    stages = [[name, wall, cpu] for name, (wall, cpu) in run.stages.items()]
    stages.append(["all", run.wall, run.cpu])
    figures = {
        "megabytes": size / 1e6, "anonymous MB": run.anonymous / 1e6, "resident MB": run.resident / 1e6,
        "us a document": 1e6 * run.cpu / given.documents, "recall printed": printed["recall"], **counts,
    }  # fmt: skip
    readable = (
        table(["stage", "wall s", "CPU s"], stages) + "\n\n" + table(["figure", ""], [*map(list, figures.items())])
    )
    result = {"similarity": given.similarity, "options": given.options, "stages": stages, **figures}
    return finish("large", result, readable, wrong, "pyarrow")


if __name__ == "__main__":
    raise SystemExit(main())
