"""Measures a real server of MongoDB on this machine.

`steps` reads documents of about 750 bytes of text, of which a quarter is near another one; decides on them and writes
the target; marks others, and takes the marks away. Seconds of the processor are given for the program and for the
server, since both share the machine. Every count is checked.

`questions` loads generated exam questions (`benches/generator`) into the server. `simsieve dedup` runs on them and
writes the target, as a program of its own. It runs on the same texts in a file too, and the two kept sets are compared
document for document. With `--folder` the questions and the server's data stay there, so that a repeated run loads
nothing. `--alone` leaves out the run on the file, for collections whose kept set was compared at a lesser size.

Usage: PYTHONPATH=. python benches/mongo.py steps [--documents 1000000] [--marked 100000]
       PYTHONPATH=. python benches/mongo.py questions [--documents N] [--folder F] [--alone] [-- OPTIONS OF DEDUP]
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.mongod import Mongod

import simsieve
from common import finish, memory_of, setting, table
from large import Run, built_generator, watched
from simsieve.config.settings import DedupConfig
from simsieve.mongo import address_of
from simsieve.sinks.mongo_runs import undo_run
from simsieve.sources.mongo import CollectionSource

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LOADED = 5_000
CACHE_GB = 2.0
"""The cache of the server of questions, in GiB."""
Figures = list[list[Any]]


def documents(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Documents of 105 invented words by Zipf's law; each fourth has one word of an earlier one changed."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.randint(3, 10))) for _ in range(60_000)]
    weights = list(itertools.accumulate(1 / (at + 10) for at in range(len(words))))
    earlier: list[list[str]] = []
    for at in range(count):
        if at % 4 == 3:
            text = list(chance.choice(earlier))
            text[chance.randrange(len(text))] = chance.choice(words)
        else:
            text = chance.choices(words, cum_weights=weights, k=105)
            if len(earlier) < LOADED:
                earlier.append(text)
        yield {"_id": at, "text": " ".join(text)}


def questions(path: Path) -> Iterator[dict[str, Any]]:
    """The generated questions; their `_id`s ascend as they do in the file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            made = json.loads(line)
            yield {"_id": made["id"], "text": made["text"]}


def load(collection: Any, made: Iterator[dict[str, Any]]) -> None:
    """Insert documents."""
    with ThreadPoolExecutor(2) as pool:
        batches = iter(lambda: list(itertools.islice(made, LOADED)), [])
        # As many at a time as there are threads: nothing else waits in memory.
        while some := list(itertools.islice(batches, 2)):
            list(pool.map(lambda batch: collection.insert_many(batch, ordered=False), some))


def server_cpu(server: Mongod) -> float:
    """Seconds of the processor that the server has taken."""
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Clock:
    """Seconds since it was made or asked last: of the wall, of the program's processor, and of the server's."""

    def __init__(self, server: Mongod) -> None:
        self._server, self._last = server, (0.0, 0.0, 0.0)
        self.passed()

    def passed(self) -> list[float]:
        """The seconds, and begin again."""
        now = (time.perf_counter(), time.process_time(), server_cpu(self._server))
        before, self._last = self._last, now
        return [new - old for new, old in zip(now, before, strict=True)]


class Stages:
    """A progress that adds up the seconds of each stage."""

    def __init__(self, server: Mongod) -> None:
        self.seconds: dict[str, list[float]] = {}
        self._clock, self._now = Clock(server), "open"

    def __call__(self, stage: str, _done: int = 0, _total: int = 0) -> None:
        """Enter a stage; what has passed belongs to the one before."""
        if stage != self._now:
            known = self.seconds.setdefault(self._now, [0.0, 0.0, 0.0])
            self.seconds[self._now] = [old + new for old, new in zip(known, self._clock.passed(), strict=True)]
            self._now = stage


@contextmanager
def measured(figures: Figures, server: Mongod, name: str, count: int) -> Iterator[None]:
    """Measure what is done, of so many documents."""
    clock = Clock(server)
    yield
    seconds, own, its = clock.passed()
    figures.append([name, count, seconds, own, its, count / (own + its), count / seconds])


def steps(given: argparse.Namespace) -> int:
    """Run the steps on documents of 750 bytes, and print them."""
    figures: Figures = []
    with Mongod() as server, server.client() as client:
        load(client.bench.questions, documents(given.documents))
        load(client.bench.marked, documents(given.marked))
        source = server.uri("bench", "questions")
        with measured(figures, server, "read", given.documents):
            store = CollectionSource(source, DedupConfig()).spool(DedupConfig())
        assert len(store) == given.documents
        del store
        show = Stages(server)
        with measured(figures, server, "read, decide, write the target", given.documents):
            result = simsieve.dedup(source, progress=show)
            result.write(server.uri("bench", "kept"), progress=show)
        show("end")
        assert client.bench.kept.count_documents({}) == result.counts.kept
        marked = simsieve.dedup(server.uri("bench", "marked"), mark="near", apply=True)
        with measured(figures, server, "mark", given.marked):
            marked.write(None)
        dropped = {"near.decision": "dropped"}
        assert client.bench.marked.count_documents(dropped) == marked.counts.dropped
        run = marked.summary["collection"]["run"]
        with measured(figures, server, "undo the marks", given.marked):
            undo_run(address_of(server.uri("bench"), collection=False), run)
        assert client.bench.marked.count_documents({"near": {"$exists": True}}) == 0
    names = ["step", "documents", "s", "CPU s", "server's CPU s", "documents a CPU s", "documents a s"]
    print(table(names, figures))
    print()
    rows = [[stage, *seconds] for stage, seconds in show.seconds.items()]
    print(table(["stage of the run into the target", "s", "CPU s", "server's CPU s"], rows))
    print(json.dumps(setting("pymongo")))
    return 0


def generated(folder: Path, count: int) -> Path:
    """The file of questions, made where it is not there."""
    path = folder / f"questions-{count}.jsonl"
    if not path.exists():
        part = path.with_suffix(".part")
        subprocess.run([built_generator(), part, "--documents", str(count)], check=True)
        part.rename(path)
    return path


def run_on(source: str, target: str, folder: Path, options: list[str]) -> tuple[Run, dict[str, Any]]:
    """Run the program; what it cost, and its summary."""
    summary = folder / "summary.json"
    command = [sys.executable, "-m", "simsieve", "dedup", source, "-o", target, "--summary", str(summary)]
    run = watched([*command, "--progress", "json", *options])
    if run.code:
        raise RuntimeError(f"dedup of {source} ended with exit code {run.code}")
    return run, json.loads(summary.read_text(encoding="utf-8"))


def differences(kept: Path, target: Any) -> tuple[int, list[str]]:
    """The documents of a target, and what is another in the file of the same run."""
    number = 0
    wrong: list[str] = []
    with kept.open(encoding="utf-8") as lines:
        found = target.find({}, {"text": 1}, sort=[("_id", 1)], batch_size=LOADED)
        for line, document in itertools.zip_longest(lines, found):
            record = None if line is None else json.loads(line)
            ours = None if record is None else (record["id"], record["text"])
            theirs = None if document is None else (document["_id"], document["text"])
            if ours != theirs and len(wrong) < 5:
                wrong.append(
                    f"document {number} is {str(theirs)[:100]} in the target and {str(ours)[:100]} in the file"
                )
            number += document is not None
    return number, wrong


def compare_questions(given: argparse.Namespace, folder: Path) -> int:
    """Load the questions, run on them in the server and in the file, and compare."""
    made = generated(folder, given.documents)
    wrong: list[str] = []
    data = folder / f"mongod-{given.documents}"
    with Mongod(folder=data, cache_gb=CACHE_GB) as server, server.client() as client:
        loaded = client.bench.questions.estimated_document_count
        if loaded() != given.documents:
            client.bench.questions.drop()
            started = time.perf_counter()
            load(client.bench.questions, questions(made))
            print(f"loaded in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        assert loaded() == given.documents
        client.bench.kept.drop()
        clock = Clock(server)
        source, target = server.uri("bench", "questions"), server.uri("bench", "kept")
        run, summary = run_on(source, target, folder, given.options)
        its = clock.passed()[2]
        figures = {
            "documents": given.documents, "kept": summary["kept"], "anonymous MB": run.anonymous / 1e6,
            "resident MB": run.resident / 1e6, "server's resident MB": memory_of(server.process.pid)["VmHWM"] / 1e6,
            "server's CPU s": its, "us a document": 1e6 * (run.cpu + its) / given.documents,
        }  # fmt: skip
        stages = [[stage, wall, cpu] for stage, (wall, cpu) in run.stages.items()]
        stages.append(["all", run.wall, run.cpu])
        if not given.alone:
            kept = folder / "kept.jsonl"
            alone, of_file = run_on(str(made), str(kept), folder, given.options)
            stages.append(["all, of the file", alone.wall, alone.cpu])
            figures["resident MB, of the file"] = alone.resident / 1e6
            there, wrong = differences(kept, client.bench.kept)
            kept.unlink()
            if not there == summary["kept"] == of_file["kept"]:
                wrong.append(
                    f"{there} in the target, {summary['kept']} by the run, {of_file['kept']} by that of the file"
                )
    readable = (
        table(["stage", "wall s", "CPU s"], stages) + "\n\n" + table(["figure", ""], [*map(list, figures.items())])
    )
    return finish("mongo", {"options": given.options, "stages": stages, **figures}, readable, wrong, "pymongo")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    of_steps = commands.add_parser("steps")
    of_steps.add_argument("--documents", type=int, default=1_000_000)
    of_steps.add_argument("--marked", type=int, default=100_000, help="documents of the collection that is marked")
    of_questions = commands.add_parser("questions")
    of_questions.add_argument("--documents", type=int, default=1_000_000)
    of_questions.add_argument(
        "--folder", type=Path, help="where questions and server's data stay; about 700 bytes each"
    )
    of_questions.add_argument("--alone", action="store_true", help="leave out the run on the file")
    of_questions.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    if given.command == "steps":
        return steps(given)
    if given.folder is not None:
        given.folder.mkdir(parents=True, exist_ok=True)
        return compare_questions(given, given.folder)
    with tempfile.TemporaryDirectory() as folder:
        return compare_questions(given, Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
