"""Many files in and many out: a folder with a file for each source, or with numbered parts."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.bad_files import gz, zst
from tests.integration.conftest import Program
from tests.integration.test_run_directory import write_corpus

from simsieve import ConfigError, dedup
from simsieve.config.settings import DedupConfig
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

TEXTS = [" ".join(f"w{number}x{word}" for word in range(9)) for number in range(12)]
SHARDS = [(0, 1, 2, 0, 3), (1, 2, 0), (4, 5, 0, 6, 7, 8)]
"""The numbers of the texts of three sources; all of the second are in the first."""
KEPT = [[0, 1, 2, 3], [], [4, 5, 6, 7, 8]]
ROWS = [[{"id": 10 * at + place, "text": TEXTS[n], "n": n} for place, n in enumerate(s)] for at, s in enumerate(SHARDS)]
ALL_ROWS, ALL_KEPT = list(chain.from_iterable(ROWS)), list(chain.from_iterable(KEPT))


def jsonl(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def table(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as CSV."""
    return ("id,text,n\n" + "".join(f"{row['id']},{row['text']},{row['n']}\n" for row in rows)).encode()


def parquet(rows: Sequence[Mapping[str, Any]], compression: str = "zstd") -> bytes:
    """The rows as Parquet, in groups of two."""
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out, compression=compression, row_group_size=2)
    return out.getvalue()


def numbers(path: Path) -> list[int]:
    """The numbers of the texts in a file of any format and compression."""
    if path.suffix == ".parquet":
        return list(pq.read_table(path)["n"].to_pylist())
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if path.suffix == ".zst":
        content = pa.CompressedInputStream(pa.BufferReader(content), "zstd").read()
    if ".jsonl" in path.suffixes:
        return [int(json.loads(line)["n"]) for line in content.splitlines()]
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [int(row["n"]) for row in csv.DictReader(text, delimiter="\t" if ".tsv" in path.suffixes else ",")]


class Calls:
    """A progress that raises as Ctrl-C does, after some calls."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.stages: list[str] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note the call, or raise."""
        self.stages.append(stage)
        if len(self.stages) > self.most:
            raise KeyboardInterrupt


def written(simsieve: Program, *words: str, settings: str = "") -> dict[str, list[int]]:
    """Run to the folder `out`: its files in order, and the numbers of the texts in each."""
    simsieve("dedup", *words, "-o", "out/", "--quiet", settings=settings).silent()
    out = simsieve.folder / "out"
    return {str(path.relative_to(out)): numbers(path) for path in sorted(out.rglob("*")) if path.is_file()}


def sources(simsieve: Program) -> list[str]:
    """Three sources: one of .zst, one of .gz, and a Parquet file."""
    simsieve.file("a.jsonl.zst", zst(jsonl(ROWS[0])))
    simsieve.file("b.csv.gz", gz(table(ROWS[1])))
    simsieve.file("c.parquet", parquet(ROWS[2]))
    return ["a.jsonl.zst", "b.csv.gz", "c.parquet"]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".csv", ".csv.zst", ".tsv.gz", ".parquet"])
def test_shards_in_are_shards_out(ending: str, simsieve: Program) -> None:
    """Each file has the name, the order and the compression of its source; all of them hold what one file would."""
    (simsieve.folder / "in").mkdir()
    for name, rows in zip("abc", ROWS, strict=True):
        plain = parquet(rows) if ending == ".parquet" else jsonl(rows) if ".jsonl" in ending else table(rows)
        plain = plain.replace(b",", b"\t") if ".tsv" in ending else plain
        packed = {".gz": gz, ".zst": zst}.get(Path(ending).suffix, bytes)
        simsieve.file(f"in/{name}{ending}", packed(plain))

    found = written(simsieve, "in/*")

    assert found == {f"{name}{ending}": kept for name, kept in zip("abc", KEPT, strict=True)}
    assert simsieve("dedup", "in/*", "-o", f"one{ending}", "--quiet").code == 0
    assert numbers(simsieve.folder / f"one{ending}") == ALL_KEPT
    if ending in (".jsonl", ".csv"):
        lines = (simsieve.folder / "in" / f"a{ending}").read_bytes().splitlines(keepends=True)
        # The fourth record is a copy of the first.
        assert (simsieve.folder / "out" / f"a{ending}").read_bytes() == b"".join(lines[:-2] + lines[-1:])
    if ending == ".parquet":
        out = simsieve.folder / "out"
        assert pq.read_schema(out / "b.parquet").equals(pq.read_schema(simsieve.folder / "in" / "b.parquet"))
        assert pq.ParquetFile(out / "a.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


def test_sources_of_several_formats_are_each_mirrored_in_its_own(simsieve: Program) -> None:
    """Without a format each file has that of its source."""
    names = sources(simsieve)

    assert written(simsieve, *names) == dict(zip(names, KEPT, strict=True))


@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv", "parquet"])
def test_one_format_out_of_several(form: str, simsieve: Program) -> None:
    """All files have the format that is given, with its ending, and keep their compression."""
    packings = ("", "", "") if form == "parquet" else (".zst", ".gz", "")
    expected = {f"{name}.{form}{packing}": kept for name, packing, kept in zip("abc", packings, KEPT, strict=True)}

    assert written(simsieve, *sources(simsieve), "--output-format", form) == expected
    simsieve("dedup", *sources(simsieve), "-o", f"one.{form}", "--quiet").silent()
    assert numbers(simsieve.folder / f"one.{form}") == ALL_KEPT


def test_files_of_one_name_keep_their_folders(simsieve: Program) -> None:
    """Where two sources have one name, all keep their places below the folder that is common to them."""
    for folder, rows in zip(("in/1", "in/2/x", "in/2"), ROWS, strict=True):
        (simsieve.folder / folder).mkdir(parents=True, exist_ok=True)
        simsieve.file(f"{folder}/a.jsonl", jsonl(rows))

    found = written(simsieve, "in/1/a.jsonl", "in/2/x/a.jsonl", "in/2/a.jsonl")

    assert found == {"1/a.jsonl": KEPT[0], "2/a.jsonl": KEPT[2], "2/x/a.jsonl": KEPT[1]}


def test_parts_of_a_number_of_records(simsieve: Program) -> None:
    """Parts follow one another; each but the last has as many records as are asked for."""
    found = written(simsieve, *sources(simsieve), "--shard-size", "4", "--output-format", "jsonl")

    assert found == {
        "part-00000.jsonl.zst": [0, 1, 2, 3], "part-00001.jsonl.zst": [4, 5, 6, 7], "part-00002.jsonl.zst": [8]
    }  # fmt: skip


@pytest.mark.parametrize("ending", [".jsonl", ".csv.gz", ".parquet"])
def test_parts_of_a_size(ending: str, simsieve: Program) -> None:
    """No part has more bytes before compression, and each is a whole file; a record that is larger is alone."""
    content = {".jsonl": jsonl(ALL_ROWS), ".csv.gz": gz(table(ALL_ROWS)), ".parquet": parquet(ALL_ROWS)}[ending]
    simsieve.file(f"in{ending}", content)

    found = written(simsieve, f"in{ending}", "--shard-size", "250B")

    assert list(chain.from_iterable(found.values())) == list(range(9))
    assert list(found) == [f"part-{at:05}{ending}" for at in range(len(found))]
    assert all(len(some) >= 2 for some in list(found.values())[:-1]) and len(found) >= 2
    if ending == ".jsonl":
        assert all(path.stat().st_size <= 250 for path in (simsieve.folder / "out").iterdir())
    assert written(simsieve, f"in{ending}", "--shard-size", "1B", settings="replace = true") == {
        f"part-{at:05}{ending}": [at] for at in range(9)
    }


def test_python_writes_the_same(tmp_path: Path) -> None:
    """`output` of `dedup`, and `write` of a result; rows in memory have parts, and no names to mirror."""
    for name, rows in zip("abc", ROWS, strict=True):
        (tmp_path / f"{name}.jsonl").write_bytes(jsonl(rows))
    result = dedup([tmp_path / f"{name}.jsonl" for name in "abc"], output=f"{tmp_path}/out/")
    result.write(f"{tmp_path}/again/")
    for folder in ("out", "again"):
        found = {path.name: numbers(path) for path in sorted((tmp_path / folder).iterdir())}
        assert found == {f"{name}.jsonl": kept for name, kept in zip("abc", KEPT, strict=True)}
    frame = pa.Table.from_pylist(ALL_ROWS)
    dedup(frame, output=f"{tmp_path}/parts/", shard_size=5)
    assert [numbers(tmp_path / "parts" / f"part-0000{at}.parquet") for at in (0, 1)] == [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    with pytest.raises(ConfigError, match="in memory"):
        dedup(frame, output=f"{tmp_path}/more/")
    dedup(TEXTS, output=f"{tmp_path}/texts/", shard_size="10")
    assert sorted(os.listdir(tmp_path / "texts")) == ["part-00000.jsonl", "part-00001.jsonl"]
    assert not list(tmp_path.glob(".*"))


def test_a_folder_is_replaced_only_by_files_of_its_names(simsieve: Program) -> None:
    """What is there stays, unless the run writes all of it and is told to; nothing is replaced by nothing."""
    simsieve.file("a.jsonl", jsonl(ROWS[0]))
    simsieve.file("none.jsonl", b"")
    assert written(simsieve, "a.jsonl") == {"a.jsonl": KEPT[0]}
    before = (simsieve.folder / "out" / "a.jsonl").read_bytes()
    assert "?replace" in simsieve("dedup", "a.jsonl", "-o", "out", "--quiet").refused()
    simsieve.file("a.jsonl", b"")
    emptied = simsieve("dedup", "a.jsonl", "-o", "out", "--quiet", settings="replace = true")
    assert emptied.code == 2 and "bytes, and of 0 records none is kept" in emptied.err
    assert (simsieve.folder / "out" / "a.jsonl").read_bytes() == before
    simsieve.file("a.jsonl", jsonl(ROWS[2]))
    assert written(simsieve, "a.jsonl", settings="replace = true") == {"a.jsonl": [4, 5, 0, 6, 7, 8]}
    simsieve.file("out/mine.txt", "mine")
    assert "mine.txt" in simsieve("dedup", "a.jsonl", "-o", "out", "--quiet", settings="replace = true").refused()
    (simsieve.folder / "out" / "mine.txt").unlink()
    inside = simsieve("dedup", "out/a.jsonl", "-o", "out", "--quiet", settings="replace = true")
    assert inside.code == 2 and "sources are never overwritten" in inside.err
    side = simsieve("dedup", "a.jsonl", "-o", "new/", "--decisions", "new/why.csv", "--quiet")
    assert side.code == 2 and "appears as a whole" in side.err
    assert simsieve.names() == ["a.jsonl", "none.jsonl", "out"]
    assert simsieve("dedup", "none.jsonl", "-o", "out2/", "--quiet", "--shard-size", "3").code == 0
    assert (simsieve.folder / "out2" / "part-00000.jsonl").read_bytes() == b""


def test_a_folder_behind_a_link_is_replaced_where_it_is(simsieve: Program) -> None:
    """The link stays, and so do the folder's permissions."""
    simsieve.file("a.jsonl", jsonl(ROWS[0]))
    (simsieve.folder / "there").mkdir(mode=0o750)
    (simsieve.folder / "out").symlink_to("there")

    assert written(simsieve, "a.jsonl") == {"a.jsonl": KEPT[0]}
    assert (simsieve.folder / "out").is_symlink()
    assert (simsieve.folder / "there").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("size", [None, "2"])
def test_a_run_that_is_stopped_leaves_no_folder(size: str | None, tmp_path: Path) -> None:
    """An exception at any call of `progress` leaves what was there, and the whole folder where the run had ended."""
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for path, rows in zip(paths, ROWS, strict=True):
        path.write_bytes(jsonl(rows))
    config, stages = DedupConfig(shard_size=size), []
    for stop in range(40):
        calls = Calls(stop)
        try:
            run_dedup(paths, config, Sinks(f"{tmp_path}/out/"), calls)
        except KeyboardInterrupt:
            stages.append(calls.stages[-1])
            assert sorted(os.listdir(tmp_path)) == ["a.jsonl", "b.jsonl", "c.jsonl"]
            continue
        break
    assert "write" in stages
    assert len(os.listdir(tmp_path / "out")) == (3 if size is None else 5)


def test_a_saved_run_writes_to_a_folder(simsieve: Program) -> None:
    """Deciding again gives each source its file too."""
    for name, rows in zip("abc", ROWS, strict=True):
        simsieve.file(f"{name}.jsonl", jsonl(rows))
    assert simsieve("dedup", "?.jsonl", "-o", "one.jsonl", "--run-dir", "a.run", "--quiet").code == 0

    found = written(simsieve, "--run-dir", "a.run", "--similarity", "0.9")

    assert found == {f"{name}.jsonl": kept for name, kept in zip("abc", KEPT, strict=True)}


def test_a_killed_run_goes_on_to_the_same_folder(simsieve: Program) -> None:
    """Killed while it writes the folder, and once more after that, it leaves nothing but the folder."""
    for at in range(3):
        write_corpus(simsieve.folder / f"{at}.jsonl", 4000, seed=at)
    words = ["dedup", "?.jsonl", "-o", "out/", "--run-dir", "run", "--resume", "--max-failed", "100%", "--quiet"]
    assert simsieve("dedup", "?.jsonl", "-o", "plain/", "--max-failed", "100%", "--quiet").code == 0
    for _ in range(3):
        running = subprocess.Popen(simsieve.command(*words), cwd=simsieve.folder)
        while running.poll() is None:
            if list(simsieve.folder.glob(".out.*.part")):
                running.send_signal(signal.SIGKILL)
                break
            time.sleep(0.0005)
        running.wait()
    simsieve(*words).silent()

    out, plain = simsieve.folder / "out", simsieve.folder / "plain"
    assert [path.name for path in sorted(out.iterdir())] == ["0.jsonl", "1.jsonl", "2.jsonl"]
    assert all((out / path.name).read_bytes() == path.read_bytes() for path in plain.iterdir())
    assert simsieve.names() == ["0.jsonl", "1.jsonl", "2.jsonl", "out", "plain", "run"]
    # Its own folder may be there already where the run was cut off after it; another run's may not.
    assert simsieve(*words).code == 0
    assert "something in it" in simsieve("dedup", "?.jsonl", "-o", "out/", "--max-failed", "100%", "--quiet").refused()
