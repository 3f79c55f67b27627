"""Measures the durable index beside stores that people build with other tools, on one collection in one process.

The collection comes from `benches/generator`. Each tool takes the first texts in batches of 1,000, is closed, opened
again, and asked about single texts: copies with one character in twenty changed, and texts that it has not seen. A copy
is found if one of the answers has a similarity of 0.6 with it; answers below that are counted too.

datasketch keeps MinHash signatures of 128 permutations of windows of five characters in a `MinHashLSH`, threshold 0.5;
faiss keeps simsieve's fingerprints of 128 bits in an `IndexBinaryFlat`, asked within 32 bits; SQLite keeps the text
under a digest of it, so it knows exact copies alone. None of the three compares the texts. Tools that are not installed
are named and left out.

Usage: index_peers.py [--documents N] [--asked N] [--folder F]
"""

import argparse
import importlib
import pickle
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from common import finish, table
from index import processor_seconds, read
from large import questions_file
from simsieve import Fingerprinter, Index, similarity

BATCH, NEAR, COPIES_FOUND = 1_000, 0.6, 0.95
HEADER = (
    "tool", "add, cpu us each", "MB on disk", "open s", "ask one, median ms", "p99 ms", "cpu us", "copies found",
    "answers below 0.6", "durable", "compares texts",
)  # fmt: skip


class Store(Protocol):
    """What a tool does."""

    durable: str
    compares: str

    def add(self, first: int, texts: list[str], /) -> None:
        """Take a batch; the number of a text is `first` and its place."""

    def close(self) -> None:
        """Write the texts that are not written yet."""

    def ask(self, text: str) -> list[int]:
        """Give the numbers of texts that are near."""


class Simsieve:
    """The index of this package."""

    durable, compares = "each batch", "yes"

    def __init__(self, folder: Path) -> None:
        path = folder / "seen"
        self._index = Index.open(path, write=True) if path.exists() else Index.create(path, expect=1_000_000, sample=0)

    def add(self, first: int, texts: list[str]) -> None:
        """One batch, durable."""
        self._index.add([{"id": first + at, "text": text} for at, text in enumerate(texts)])

    def close(self) -> None:
        """Nothing is left to write."""
        self._index.close()

    def ask(self, text: str) -> list[int]:
        """The representative of the one decision."""
        (decision,) = self._index.check_texts([text])
        return [] if decision.representative is None else [decision.representative]


class Datasketch:
    """MinHash and banding in memory, pickled; its own storage is a server of Redis or Cassandra."""

    durable, compares = "when it is pickled", "no"

    def __init__(self, folder: Path) -> None:
        self._file, self._module = folder / "lsh.pickle", importlib.import_module("datasketch")
        self._lsh = (
            pickle.loads(self._file.read_bytes())
            if self._file.exists()
            else self._module.MinHashLSH(threshold=0.5, num_perm=128)
        )

    def _signature(self, text: str) -> Any:
        signature = self._module.MinHash(num_perm=128)
        signature.update_batch([text[at : at + 5].encode() for at in range(max(1, len(text) - 4))])
        return signature

    def add(self, first: int, texts: list[str]) -> None:
        """One by one."""
        for at, text in enumerate(texts):
            self._lsh.insert(first + at, self._signature(text))

    def close(self) -> None:
        """Pickle all."""
        self._file.write_bytes(pickle.dumps(self._lsh))

    def ask(self, text: str) -> list[int]:
        """The candidates, which are the answer."""
        return list(self._lsh.query(self._signature(text)))


class Faiss:
    """All fingerprints, compared with each."""

    durable, compares = "when it is written", "no"

    def __init__(self, folder: Path) -> None:
        self._file, self._module = folder / "flat.faiss", importlib.import_module("faiss")
        self._module.omp_set_num_threads(1)
        self._bits = Fingerprinter("chars128")
        there = self._file.exists()
        self._index = self._module.read_index_binary(str(self._file)) if there else self._module.IndexBinaryFlat(128)

    def _rows(self, texts: list[str]) -> Any:
        return np.ascontiguousarray(self._bits.transform(texts).values).view(np.uint8)

    def add(self, _: int, texts: list[str]) -> None:
        """Numbers are places."""
        self._index.add(self._rows(texts))

    def close(self) -> None:
        """Write all."""
        self._module.write_index_binary(self._index, str(self._file))

    def ask(self, text: str) -> list[int]:
        """All within 32 bits."""
        _, _, found = self._index.range_search(self._rows([text]), 33)
        return [int(number) for number in found]


class Sqlite:
    """A table of digests and texts."""

    durable, compares = "each batch", "exact copies"

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "floor.sqlite", isolation_level=None)
        self._base.execute("pragma journal_mode=wal")
        self._base.execute("pragma synchronous=full")
        self._base.execute("create table if not exists seen (digest blob primary key, id integer, text text)")

    def add(self, first: int, texts: list[str]) -> None:
        """One transaction."""
        rows = [(sha256(text.encode()).digest(), first + at, text) for at, text in enumerate(texts)]
        self._base.execute("begin")
        self._base.executemany("insert or ignore into seen values (?, ?, ?)", rows)
        self._base.execute("commit")

    def close(self) -> None:
        """Nothing is left to write."""
        self._base.close()

    def ask(self, text: str) -> list[int]:
        """The text with this digest."""
        found = self._base.execute("select id from seen where digest = ?", (sha256(text.encode()).digest(),))
        return [number for (number,) in found]


TOOLS: dict[str, tuple[str, Callable[[Path], Store]]] = {
    "simsieve": ("simsieve", Simsieve),
    "datasketch": ("datasketch", Datasketch),
    "faiss": ("faiss", Faiss),
    "sqlite": ("sqlite3", Sqlite),
}


def edited(text: str, chance: random.Random) -> str:
    """A copy in which one character in twenty is another."""
    signs = list(text)
    for at in chance.sample(range(len(signs)), max(1, len(signs) // 20)):
        signs[at] = chr(0x4E00 + chance.randrange(3000))
    return "".join(signs)


def measured(
    name: str, make: Callable[[Path], Store], texts: list[str], asked: list[tuple[str, bool]]
) -> Iterator[object]:
    """The cells of a tool's row."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        begun, store = processor_seconds(), make(folder)
        for first in range(0, len(texts), BATCH):
            store.add(first, texts[first : first + BATCH])
        store.close()
        yield from (name, round((processor_seconds() - begun) / len(texts) * 1e6, 1))
        yield round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6, 1)
        start = time.perf_counter()
        store = make(folder)
        yield round(time.perf_counter() - start, 3)
        found, others, copies, times, begun = 0, 0, 0, list[float](), processor_seconds()
        answers = []
        for text, _ in asked:
            start = time.perf_counter()
            answers.append(store.ask(text))
            times.append(time.perf_counter() - start)
        cpu, cuts = processor_seconds() - begun, statistics.quantiles(times, n=100)
        yield from (round(statistics.median(times) * 1e3, 3), round(cuts[98] * 1e3, 3))
        yield round(cpu / len(asked) * 1e6, 1)
        for (text, is_copy), answer in zip(asked, answers, strict=True):
            near = [(similarity(text, texts[number]) or 0) >= NEAR for number in answer]
            copies, found = copies + is_copy, found + (is_copy and any(near))
            others += near.count(False)
        yield from (round(found / max(1, copies), 3), others, store.durable, store.compares)
        store.close()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--asked", type=int, default=1_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        source = questions_file(options.folder or Path(made), options.documents + options.asked)
        rows = read(source, 0, options.documents + options.asked)
    texts, chance = [row["text"] for row in rows], random.Random(5)
    texts, unseen = texts[: options.documents], texts[options.documents :][: options.asked // 2]
    asked = [(edited(text, chance), True) for text in chance.sample(texts, options.asked // 2)]
    asked += [(text, False) for text in unseen]
    chance.shuffle(asked)
    shown, faults = [], []
    for name, (module, make) in TOOLS.items():
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"NOT MEASURED: {name} is not installed", file=sys.stderr)
            continue
        row = dict(zip(HEADER, measured(name, make, texts, asked), strict=True))
        shown.append(row)
        if name == "simsieve" and not float(str(row["copies found"])) >= COPIES_FOUND:
            faults.append(f"simsieve finds {row['copies found']} of the copies")
    return finish(
        "index_peers",
        {"rows": shown},
        table(HEADER, [list(row.values()) for row in shown]),
        faults,
        "datasketch",
        "faiss-cpu",
    )


if __name__ == "__main__":
    sys.exit(main())
