"""A new kind of store touches its own package and a line of the table: here it is one in memory."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import IO, Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from simsieve import ConfigError, _core, dedup, registry
from simsieve.cli.dedup import dedup as command
from simsieve.config.settings import DedupConfig
from simsieve.registry import Kind, Name, Store, StoreName, Version
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import Source
from simsieve.types import Counts, Progress

TEXTS = ["the quick brown fox jumps", "lorem ipsum dolor sit", "the quick brown fox jumps"]
Records = list[dict[str, Any]]


class MemorySource(Source):
    """A list of records."""

    is_named = can_mark = checks_fields = True

    def __init__(self, name: str, records: Records) -> None:
        self.paths, self.records = (name,), records

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Hand over the texts."""
        return _core.Records.from_texts([record[config.text_field[0]] for record in self.records])

    def take(self, positions: NDArray[np.int64]) -> Records:
        """Give records."""
        return [self.records[at] for at in positions]

    def summary(self, counts: Counts, failed: Sequence[int]) -> dict[str, Any]:
        """Give how many there are."""
        return {"total": len(self.records)}


class Memory(Store):
    """Lists of records by their names."""

    def __init__(self) -> None:
        self.lists: dict[str, Records] = {}

    def is_folder(self, name: object) -> bool:
        """There is none."""
        return False

    def open(self, name: str, config: DedupConfig) -> MemorySource:
        """Open a list."""
        return MemorySource(name, self.lists[name])

    def check_outputs(self, sinks: Sinks, config: DedupConfig, source: Source) -> None:
        """Refuse to replace a list."""
        if sinks.kept in self.lists:
            raise ConfigError(f"{sinks.kept} is there already")

    def write(self, run: Any, columns: _core.Decisions, sinks: Sinks, progress: Progress | None) -> Mapping[str, Any]:
        """Write kept records, decisions and marks."""
        kept = np.flatnonzero(columns.decision == 0)
        if sinks.kept is not None:
            self.lists[str(sinks.kept)] = run.rows.take(kept)
        if sinks.decisions is not None:
            self.lists[str(sinks.decisions)] = [columns.row(at) for at in range(len(columns))]
        if run.config.mark is not None and run.config.apply:
            for at, record in enumerate(run.rows.records):
                record[run.config.mark] = columns.row(at)["decision"]
        return {"written": len(kept)}

    def rows(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Give the number of records."""
        return [("in memory", str(summary["collection"]["total"]))]


Tabled = Callable[..., Any]


@pytest.fixture
def tabled(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tabled]:
    """Put a store into the table."""

    def put(store: Store, *, is_database: bool) -> Store:
        package: Any = ModuleType("simsieve.stores.memory")
        package.STORE = store
        monkeypatch.setitem(sys.modules, package.__name__, package)
        kind = Kind("memory", "memory:.*", "", is_database=is_database)
        monkeypatch.setattr(registry, "STORES", [*registry.STORES, kind])
        return store

    yield put
    registry.package.cache_clear()


@pytest.fixture
def memory(tabled: Tabled) -> Memory:
    """The database, with a list of texts."""
    store: Memory = tabled(Memory(), is_database=True)
    store.lists["memory:in"] = [{"text": text} for text in TEXTS]
    return store


def test_it_is_read_and_written(memory: Memory) -> None:
    """Kept records and decisions go where their names say, and the summary has what the store says."""
    result = run_dedup("memory:in", DedupConfig(), Sinks("memory:kept", "memory:why"))

    assert [record["text"] for record in memory.lists["memory:kept"]] == TEXTS[:2]
    assert [row["decision"] for row in memory.lists["memory:why"]] == ["kept", "kept", "dropped"]
    assert result.summary["collection"] == {"total": 3, "written": 2}


def test_its_records_are_marked(memory: Memory) -> None:
    """Marks go into the records of the source."""
    dedup("memory:in", mark="decided", apply=True).write(None)

    assert [record["decided"] for record in memory.lists["memory:in"]] == ["kept", "kept", "dropped"]


def test_it_refuses_before_the_work(memory: Memory) -> None:
    """The check of the store comes before anything is read."""
    with pytest.raises(ConfigError, match="memory:in is there already"):
        run_dedup("memory:in", DedupConfig(), Sinks("memory:in"))


@pytest.mark.parametrize("sinks", [Sinks(failed="memory:a"), Sinks(dropped="memory:a"), Sinks(clusters="memory:a")])
def test_its_names_are_no_files(memory: Memory, sinks: Sinks) -> None:
    """A table of files does not go there."""
    with pytest.raises(ConfigError, match="give a file in place of the URI"):
        run_dedup("memory:in", DedupConfig(), sinks)


def test_the_command_knows_it(memory: Memory) -> None:
    """A run of the command line reads, writes and shows it."""
    done = CliRunner().invoke(command, ["memory:in", "-o", "memory:kept"])

    assert done.exit_code == 0, done.output
    assert "in memory" in done.stderr
    assert len(memory.lists["memory:kept"]) == 2


class MemoryFiles(Store):
    """Files by their names: also what finds and fetches them."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def reader(self, name: str) -> "MemoryFiles":
        """It reads by itself."""
        return self

    def find(self, name: str) -> dict[str, Version]:
        """Give the files whose names begin so."""
        return {one: Version(len(held), "1", 0) for one, held in self.files.items() if one.startswith(name)}

    def fetch(self, name: str, file: IO[bytes], count: Callable[[int], None]) -> Version | None:
        """Copy a file."""
        count(file.write(self.files[name]))
        return self.find(name)[name]

    def close(self) -> None:
        """There is nothing to close."""

    def is_folder(self, name: Name) -> bool:
        """There is none."""
        return False

    def held(self, name: Name) -> dict[str, int]:
        """Give the bytes of a file."""
        return {"": len(self.files[str(name)])} if name in self.files else {}

    def check_writable(self, name: Name) -> None:
        """Every name is free."""

    def upload(self, name: Name) -> "MemoryUpload":
        """Take a file from the disk."""
        return MemoryUpload(self.files, str(name))


class MemoryUpload:
    """A file on its way to memory."""

    def __init__(self, files: dict[str, bytes], name: str) -> None:
        self._files, self._name = files, name
        self._folder: TemporaryDirectory[str] | None = None

    def begin(self) -> str:
        """Give the place to write to."""
        self._folder = self._folder or TemporaryDirectory()
        return os.path.join(self._folder.name, self._name.partition(":")[2])

    def commit(self) -> None:
        """Take the file."""
        self._files[self._name] = Path(self.begin()).read_bytes()
        self.abort()

    def abort(self) -> None:
        """Remove the file."""
        if self._folder is not None:
            self._folder.cleanup()


def test_files_are_fetched_and_put_back(tabled: Tabled) -> None:
    """Files of a store are read like files on a disk, and outputs go to it in each form."""
    store = tabled(MemoryFiles(), is_database=False)
    store.files["memory:in.jsonl"] = b"".join(json.dumps({"text": text}).encode() + b"\n" for text in TEXTS)
    sinks = Sinks("memory:kept.jsonl", "memory:why.csv", summary="memory:summary.json")
    run_dedup([StoreName("memory:in.jsonl")], DedupConfig(), sinks)

    assert store.files["memory:kept.jsonl"] == b"".join(store.files["memory:in.jsonl"].splitlines(keepends=True)[:2])
    assert store.files["memory:why.csv"].count(b"\n") == 4
    assert json.loads(store.files["memory:summary.json"])["kept"] == 2
    with pytest.raises(ConfigError, match="sources are never overwritten"):
        run_dedup([StoreName("memory:in.jsonl")], DedupConfig(), Sinks("memory:in.jsonl"))


def test_no_other_code_knows_a_kind_of_store(root: Path) -> None:
    """Outside `stores` no name such as `is_mongo` asks for the kind of a store."""
    package = root / "python" / "simsieve"
    kinds = "|".join(kind.name for kind in (*registry.STORES, *registry.FORMATS))
    paths = [path for path in package.rglob("*.py") if "stores" not in path.relative_to(package).parts]

    assert [str(path) for path in paths if re.search(rf"\bis_({kinds})\b", path.read_text(encoding="utf-8"))] == []
