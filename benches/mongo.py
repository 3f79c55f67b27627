"""Measures a real server of MongoDB on this machine: reading, a whole run into a target, marks, and taking them away.

Documents have about 750 bytes of text; a quarter is near another one. Seconds of the processor are given for the
program and for the server, since both share the machine. Every count is checked.

Usage: PYTHONPATH=. python benches/mongo.py [--documents 1000000] [--marked 100000]
"""

import argparse
import itertools
import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tools.mongod import Mongod

import simsieve
from common import setting, table
from simsieve.config.settings import DedupConfig
from simsieve.mongo import address_of
from simsieve.sinks.mongo_runs import undo_run
from simsieve.sources.mongo import CollectionSource

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LOADED = 5_000
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


def load(collection: Any, count: int) -> None:
    """Insert the documents."""
    made = documents(count)
    while batch := list(itertools.islice(made, LOADED)):
        collection.insert_many(batch, ordered=False)


def server_cpu(server: Mongod) -> float:
    """Seconds of the processor that the server has taken."""
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured(figures: Figures, server: Mongod, name: str, count: int) -> Iterator[None]:
    """Measure what is done, of so many documents."""
    wall, own, its = time.perf_counter(), time.process_time(), server_cpu(server)
    yield
    seconds, own, its = time.perf_counter() - wall, time.process_time() - own, server_cpu(server) - its
    figures.append([name, count, seconds, own, its, count / (own + its), count / seconds])


def main() -> None:
    """Run the measurements and print them."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--documents", type=int, default=1_000_000)
    arguments.add_argument("--marked", type=int, default=100_000, help="documents of the collection that is marked")
    given = arguments.parse_args()
    figures: Figures = []
    with Mongod() as server, server.client() as client:
        load(client.bench.questions, given.documents)
        load(client.bench.marked, given.marked)
        source = server.uri("bench", "questions")
        with measured(figures, server, "read", given.documents):
            store = CollectionSource(source, DedupConfig()).spool(DedupConfig())
        assert len(store) == given.documents
        del store
        with measured(figures, server, "read, decide, write the target", given.documents):
            result = simsieve.dedup(source)
            result.write(server.uri("bench", "kept"))
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
    print(json.dumps(setting("pymongo")))


if __name__ == "__main__":
    main()
