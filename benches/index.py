"""Measures a durable index of generated questions: building, batches, single texts, opening, sizes on disk.

The collection comes from `benches/generator`. All but a tenth of it, or all but a million, make the index; the rest is
added in batches of 10,000. Then single texts are checked and added, warm and in this process. Processor seconds are
those of the process with its threads; latencies are wall time. As a floor, SQLite takes rows of the same texts, each in
a durable transaction.

The answer is wrong if `verify` finds a fault, one of the first million is kept by a second check, a dropped text is
less similar to its representative than the threshold, a second process that opens the index has other counts, or a
sample of the stored documents shows a recall below 0.97.

With `--late N`, N texts of one template come after the frozen set was made; no two of them are near. The queries before
and after a refreeze are further texts of the template, and one of a hundred is a copy.

Usage: index.py [--documents N] [--singles N] [--late N] [--folder F]
"""

import argparse
import json
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from common import finish, table
from crowds import words
from large import questions_file
from simsieve import Index, similarity

BATCH = 10_000
MOST = 1_000_000
"""Documents at most that are added in batches, and that are checked a second time."""
SAMPLE = 200
THRESHOLD = 0.6
LEAST_RECALL = 0.97
HEADER = ("work", "documents", "seconds", "cpu us each", "median ms", "p99 ms")


def processor_seconds() -> float:
    """Processor seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Measured:
    """Rows of figures, a row a piece of work."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def __call__(self, work: str, count: int, do: Callable[[], Any]) -> Any:
        """Do a piece of work on `count` documents once, and note what it took."""
        start, begun = time.perf_counter(), processor_seconds()
        made = do()
        seconds, cpu = time.perf_counter() - start, processor_seconds() - begun
        self.rows.append(
            {"work": work, "documents": count, "seconds": round(seconds, 3), "cpu us each": round(cpu / count * 1e6, 1)}
        )
        return made

    def singles(self, work: str, texts: list[str], do: Callable[[str], Any]) -> list[Any]:
        """Do a piece of work on each text, and note the latencies."""
        times, made, begun = [], [], processor_seconds()
        for text in texts:
            start = time.perf_counter()
            made.append(do(text))
            times.append(time.perf_counter() - start)
        cpu, cuts = processor_seconds() - begun, statistics.quantiles(times, n=100)
        median, last = statistics.median(times) * 1e3, cuts[98] * 1e3
        self.rows.append(
            {
                "work": work,
                "documents": len(texts),
                "seconds": round(sum(times), 3),
                "cpu us each": round(cpu / len(texts) * 1e6, 1),
                "median ms": round(median, 3),
                "p99 ms": round(last, 3),
            }
        )
        return made


def read(path: Path, start: int, end: int) -> list[dict[str, Any]]:
    """Records of a file by their places."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, start, end)]


def of_template(count: int, seed: int) -> list[str]:
    """Texts of about 200 characters: one half is the same in all, the other has words that all draw from."""
    fixed, chance = random.Random(0), random.Random(seed)
    vocabulary, template = words(fixed, 130_000).split(), words(fixed, 100)
    return [f"{template} {' '.join(chance.choices(vocabulary, k=14))}" for _ in range(count)]


def late_crowd(path: Path, count: int, singles: int, measured: Measured) -> list[str]:
    """Measure checks of texts of a template that came late, before and after a refreeze, and say what is wrong."""
    members, asked = of_template(count, 1), of_template(singles, 2)
    asked[::100] = members[:: max(1, count // len(asked[::100]))][: len(asked[::100])]
    copies, faults = len(asked[::100]), []
    with Index.open(path, write=True) as index:
        parts = [members[at : at + BATCH] for at in range(0, count, BATCH)]
        measured("add a late template, batches of 10,000", count, lambda: [index.add_texts(part) for part in parts])
        if not index.stats()["refreeze_due"]:
            faults.append("no refreeze is due after the late template")
    for state in ("", ", refrozen"):
        if state:
            with Index.open(path, write=True) as index:
                measured("refreeze", len(index), index.refreeze)
        with Index.open(path) as index:
            measured(f"check_texts, the first text of it{state}", 1, lambda: index.check_texts(asked[1:2]))
            ask = f"check_texts, one text of a late template of {count:,}{state}"
            answers = measured.singles(ask, asked, lambda text: index.check_texts([text])[0].decision)
        wrong = answers[::100].count("kept") + max(0, answers.count("dropped") - copies - singles // 50)
        faults += [f"{wrong} answers on texts of the late template{state} are wrong"] if wrong else []
    return faults


def sqlite_floor(folder: Path, texts: list[str], measured: Measured) -> None:
    """Durable inserts of the texts into a table with an index on their ids."""
    base = sqlite3.connect(folder / "floor.sqlite", isolation_level=None)
    base.execute("pragma journal_mode=wal")
    base.execute("pragma synchronous=full")
    base.execute("create table seen (id integer primary key, text text)")
    insert = "insert into seen(text) values (?)"
    measured.singles("sqlite: insert one, durable", texts, lambda text: base.execute(insert, (text,)))
    base.close()


def faults_of(path: Path, head: Path, tail: list[dict[str, Any]], kept: int) -> list[str]:
    """What is wrong with the answers of an index that keeps some of these records."""
    with Index.open(path) as index:
        faults, again = [], index.check(read(head, 0, MOST))
        if again.counts.kept:
            faults.append(f"{again.counts.kept} texts that were added are kept by a second check")
        for one, row in zip(index.check(tail[:SAMPLE]).decisions, tail, strict=False):
            text = index.get(one.representative)
            if one.reason == "near" and not (similarity(row["text"], text or "") or 0) >= THRESHOLD:
                faults.append(f"record {row['id']} is not near its representative {one.representative}")
    code = "import simsieve, sys; print(len(simsieve.Index.open(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    if int(done.stdout) != kept:
        faults.append(f"a second process sees {done.stdout.strip()} documents, not {kept}")
    return faults


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--singles", type=int, default=1_000)
    parser.add_argument("--late", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = Path(made)
        source = questions_file(options.folder or folder, options.documents)
        first = max(options.documents * 9 // 10, options.documents - MOST) // BATCH * BATCH
        head, path, measured = folder / "head.jsonl", folder / "seen", Measured()
        with source.open("rb") as lines, head.open("wb") as out:
            out.writelines(islice(lines, first))
        index = measured("create", first, lambda: Index.create(path, head, expect=options.documents, sample=0))
        tail = read(source, first, options.documents)
        batches = [tail[at : at + BATCH] for at in range(0, len(tail), BATCH)]
        measured("add, batches of 10,000", len(tail), lambda: [index.add(batch) for batch in batches])
        texts = [row["text"] for row in tail]
        measured("check_texts, one call", len(texts), lambda: index.check_texts(texts))
        measured.singles("check_texts, one text", texts[: options.singles], lambda text: index.check_texts([text]))
        measured.singles("check, one text", texts[: options.singles], lambda text: index.check([text]))
        measured.singles("query, one text", texts[: options.singles], index.query)
        new = [f"{text} {at * 7919} {at * 104_729}" for at, text in enumerate(texts[: options.singles // 5])]
        measured.singles("add_texts, one text", new, lambda text: index.add_texts([text], [text]))
        sqlite_floor(folder, new, measured)
        stats = index.stats()
        kept_bytes = sum(len(text.encode()) for _, text in index)
        index.close()
        measured("open", 1, lambda: Index.open(path).close())
        with Index.open(path) as other:
            measured("verify", stats["kept"], other.verify)
            recall = measured("recall of a sample, cpu a document of it", SAMPLE, lambda: other.recall(SAMPLE))
        faults = faults_of(path, head, tail, stats["kept"])
        if recall is None or (recall.value or 0) < LEAST_RECALL:
            faults.append(f"the recall of a sample is {recall and recall.text}")
        if options.late:
            faults += late_crowd(path, options.late, options.singles, measured)
    shown = table(HEADER, ([row.get(name) for name in HEADER] for row in measured.rows))
    kept, size = stats["kept"], stats["bytes"]
    shown += f"\nkept {kept:,}, dropped {stats['dropped']:,}; {size / 1e6:,.1f} MB in {stats['segments']} segments: "
    shown += f"{size / kept:.0f} bytes a kept document, {kept_bytes / kept:.0f} its text"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = {"rows": measured.rows, "stats": stats, "text_bytes": kept_bytes, "peak_rss_kib": peak}
    return finish("index", result, shown, faults)


if __name__ == "__main__":
    sys.exit(main())
