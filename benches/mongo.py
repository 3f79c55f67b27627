"""Measures a real server of MongoDB on this machine.

`steps` reads documents of about 750 bytes of text; a quarter of them is near another one. It decides on them, writes
the target, marks others, and takes the marks away. Seconds of the processor are given for the program and for the
server, since both share the machine. Every count is checked.

`questions` loads generated exam questions (`benches/generator`) into the server. `simsieve dedup` runs on them and
writes the target, as a program of its own. It runs on the same texts in a file too, and the two kept sets are compared
document for document. Several numbers of documents show the growth from the first to the last. With `--folder` the
questions and the server's data stay there, so that a repeated run loads nothing. `--alone` leaves out the run on the
file, for collections whose kept set was compared at a lesser size. `--run-dir` has the run's columns on the disk.

Usage: PYTHONPATH=. python benches/mongo.py steps [--documents 1000000] [--marked 100000]
       PYTHONPATH=. python benches/mongo.py questions [--documents N [N ...]] [--folder F] [--alone] [--run-dir]
                                                      [-- OPTIONS OF DEDUP]
"""

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.mongod import Mongod

import simsieve
from common import finish, memory_of, setting, table
from large import Run, built_generator, watched
from simsieve.config.settings import DedupConfig
from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import undo_run
from simsieve.stores.mongo.sinks import write_batch
from simsieve.stores.mongo.source import CollectionSource
from simsieve.stores.mongo.values import bson_document

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LOADED = 5_000
CACHE_GB = 2.0
"""The cache of the server of questions, in GiB."""
NEEDED = {"the server's data and target": 340, "the questions and kept documents as files": 420, "the run": 400}
"""Bytes of the disk that a question takes at most."""
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


def questions(count: int) -> Iterator[bytes]:
    """The generated questions as BSON; their `_id`s ascend."""
    command = [str(built_generator()), "/dev/stdout", "--bson", "--documents", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as made:
        assert made.stdout is not None
        while length := made.stdout.read(4):
            yield length + made.stdout.read(int.from_bytes(length, "little") - 4)
    if made.returncode:
        raise RuntimeError(f"the generator ended with exit code {made.returncode}")


def load(collection: Any, made: Iterator[bytes]) -> None:
    """Insert documents, while the next ones are made."""
    with ThreadPoolExecutor(2) as pool:
        waiting: list[Future[Any]] = []
        while batch := list(itertools.islice(made, LOADED)):
            waiting.append(pool.submit(write_batch, collection, "insert", batch))
            if len(waiting) > 2:
                waiting.pop(0).result()
        for one in waiting:
            one.result()


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
    """Measure the work on `count` documents."""
    clock = Clock(server)
    yield
    seconds, own, its = clock.passed()
    figures.append([name, count, seconds, own, its, count / (own + its), count / seconds])


def steps(given: argparse.Namespace) -> int:
    """Run the steps on documents of 750 bytes, and print them."""
    figures: Figures = []
    with Mongod() as server, server.client() as client:
        load(client.bench.questions, map(bson_document, documents(given.documents)))
        load(client.bench.marked, map(bson_document, documents(given.marked)))
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


def check_room(folder: Path, count: int, data: Path, *, alone: bool) -> None:
    """Say what the disk must hold, and end where it does not."""
    asked = {what: size * count for what, size in NEEDED.items() if not alone or "files" not in what}
    if data.exists():
        # The questions are there; the target may be, too.
        asked["the server's data and target"] //= 2
    free = shutil.disk_usage(folder).free
    for what, size in asked.items():
        print(f"{what}: up to {size / 1e9:.1f} GB", file=sys.stderr)
    if sum(asked.values()) > free:
        raise SystemExit(f"{folder}: {sum(asked.values()) / 1e9:.1f} GB are needed, and {free / 1e9:.1f} GB are free")


def loaded(folder: Path, count: int) -> Path:
    """The server's data with the questions, which are loaded where they are not there."""
    data = folder / f"mongod-{count}"
    if data.exists():
        return data
    part = data.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    started = time.perf_counter()
    # A server that is no replica set notes no write twice.
    with Mongod(folder=part, cache_gb=CACHE_GB, replica_set=False) as server, server.client() as client:
        load(client.bench.questions, questions(count))
        cpu, there = server_cpu(server), client.bench.questions.estimated_document_count()
        if there != count:
            raise RuntimeError(f"{there} documents are loaded in place of {count}")
    part.rename(data)
    seconds = time.perf_counter() - started
    print(f"{count:,} documents loaded in {seconds:.0f} s, {cpu:.0f} CPU s of the server", file=sys.stderr)
    return data


def size_of(folder: Path) -> int:
    """The bytes of the files of a folder."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def compare_questions(given: argparse.Namespace, folder: Path, count: int) -> tuple[dict[str, Any], list[str]]:
    """Load the questions, run on them in the server and in the file, and compare."""
    wrong: list[str] = []
    check_room(folder, count, folder / f"mongod-{count}", alone=given.alone)
    run_dir = folder / "run"
    shutil.rmtree(run_dir, ignore_errors=True)
    options = [*(["--run-dir", str(run_dir)] if given.run_dir else []), *given.options]
    with Mongod(folder=loaded(folder, count), cache_gb=CACHE_GB) as server, server.client() as client:
        client.bench.drop_collection("kept")
        client.bench.drop_collection("simsieve_runs")
        clock = Clock(server)
        source, target = server.uri("bench", "questions"), server.uri("bench", "kept")
        run, summary = run_on(source, target, folder, options)
        its = clock.passed()[2]
        stored = [client.bench.command("collStats", name)["totalSize"] / 1e6 for name in ("questions", "kept")]
        figures = {
            "documents": count, "kept": summary["kept"], "documents a s": count / run.wall,
            "us of CPU a document": 1e6 * (run.cpu + its) / count, "server's CPU s": its,
            "anonymous MB": run.anonymous / 1e6, "resident MB": run.resident / 1e6,
            "server's resident MB": memory_of(server.process.pid)["VmHWM"] / 1e6, "MB of the questions": stored[0],
            "MB of the target": stored[1], "MB of the run directory": size_of(run_dir) / 1e6,
        }  # fmt: skip
        stages = [[stage, wall, cpu] for stage, (wall, cpu) in run.stages.items()]
        stages.append(["all", run.wall, run.cpu])
        if not given.alone:
            kept, made = folder / "kept.jsonl", generated(folder, count)
            alone, of_file = run_on(str(made), str(kept), folder, given.options)
            stages.append(["all, of the file", alone.wall, alone.cpu])
            figures["resident MB, of the file"] = alone.resident / 1e6
            there, wrong = differences(kept, client.bench.kept)
            kept.unlink()
            if not there == summary["kept"] == of_file["kept"]:
                wrong.append(
                    f"{there} in the target, {summary['kept']} by the run, {of_file['kept']} by that of the file"
                )
    shutil.rmtree(run_dir, ignore_errors=True)
    return {"stages": stages, **figures}, wrong


def compared(given: argparse.Namespace, folder: Path) -> int:
    """Run on each number of documents, and show the growth from the first to the last."""
    found, wrong, shown = [], [], []
    # Spools and columns go to the disk whose room was checked.
    os.environ["TMPDIR"] = str(folder)
    for count in given.documents:
        made, differing = compare_questions(given, folder, count)
        found.append(made)
        wrong += differing
        figures = [[name, value] for name, value in made.items() if name != "stages"]
        shown += [table(["stage", "wall s", "CPU s"], made["stages"]), table(["figure", ""], figures)]
    if len(found) > 1:
        first, last = ({stage: cpu for stage, _, cpu in one["stages"]} for one in (found[0], found[-1]))
        t = given.documents[-1] / given.documents[0]
        rows = [
            [stage, 1e6 * first[stage] / given.documents[0], 1e6 * cpu / given.documents[-1], cpu / first[stage] / t]
            for stage, cpu in last.items() if first.get(stage)
        ]  # fmt: skip
        names = [f"us of CPU a document at {count:,}" for count in (given.documents[0], given.documents[-1])]
        shown.append(table(["stage", *names, "growth"], rows))
    return finish("mongo", {"options": given.options, "runs": found}, "\n\n".join(shown), wrong, "pymongo")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    of_steps = commands.add_parser("steps")
    of_steps.add_argument("--documents", type=int, default=1_000_000)
    of_steps.add_argument("--marked", type=int, default=100_000, help="documents of the collection that is marked")
    of_questions = commands.add_parser("questions")
    of_questions.add_argument("--documents", type=int, nargs="+", default=[1_000_000])
    of_questions.add_argument("--folder", type=Path, help="where questions and server's data stay")
    of_questions.add_argument("--run-dir", action="store_true", help="run with a run directory in the folder")
    of_questions.add_argument("--alone", action="store_true", help="leave out the run on the file")
    of_questions.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    if given.command == "steps":
        return steps(given)
    if given.folder is not None:
        given.folder.mkdir(parents=True, exist_ok=True)
        return compared(given, given.folder)
    with tempfile.TemporaryDirectory() as folder:
        return compared(given, Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
