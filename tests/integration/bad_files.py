"""Files that are not as they should be, and what it takes to make them."""

import gzip
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ENGLISH = "a line that is good and has enough words to have features"
OTHER = "另外的一行文字，有足够多的字\n"
LINE = ENGLISH.encode() + b"\n"
GOOD = b'{"id": 1, "text": "' + ENGLISH.encode() + b'"}\n'


def gz(content: bytes) -> bytes:
    """Pack with gzip, in blocks that every library cuts alike."""
    return gzip.compress(content, compresslevel=0, mtime=0)


def zst(content: bytes) -> bytes:
    """Pack as a frame of zstd with one raw block: RFC 8878, section 3.1.1."""
    header = (len(content) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little") + header + content


def cut(content: bytes) -> bytes:
    """The first two thirds."""
    return content[: len(content) * 2 // 3]


def parquet_bytes(**columns: list[Any]) -> bytes:
    """A Parquet file of these columns, by default of one good text."""
    out = io.BytesIO()
    pq.write_table(pa.table(columns or {"text": [ENGLISH]}), out, compression="none")
    return out.getvalue()


def parquet(**columns: list[Any]) -> Callable[[], None]:
    """What writes `in.parquet`."""

    def make() -> None:
        kinds = {"text": pa.string()} if columns == {"text": []} else {}
        arrays = {name: pa.array(values, kinds.get(name)) for name, values in columns.items()}
        pq.write_table(pa.table(arrays), "in.parquet")

    return make


def parquet_files() -> None:
    """Two Parquet files of other columns."""
    Path("a.parquet").write_bytes(parquet_bytes())
    Path("b.parquet").write_bytes(parquet_bytes(text=[OTHER], more=[1]))


def nested() -> None:
    """A text in objects a hundred deep, where a text is asked for at the top."""
    Path("in.jsonl").write_bytes(GOOD + b'{"a": ' * 100 + b'"b"' + b"}" * 100 + b"\n")


def grown() -> None:
    """A file of `/proc` that says it has no bytes and has some: it is longer than it was when it is read."""
    os.symlink("/proc/self/status", "in.jsonl")


def symlinked() -> None:
    """Two links that name each other."""
    os.symlink("in.jsonl", "other.jsonl")
    os.symlink("other.jsonl", "in.jsonl")


def gbk_name() -> None:
    """A file whose name is no UTF-8."""
    Path(os.fsdecode(b"\xd6\xd0.jsonl")).write_bytes(GOOD)


def loop() -> None:
    """A folder with a link to itself."""
    Path("in").mkdir()
    Path("in/a.txt").write_bytes(LINE)
    os.symlink(".", "in/again")


def write_files(files: Mapping[str, bytes]) -> None:
    """Write files by their names, and the folders that they are in."""
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def fifo() -> None:
    """A pipe that is named as a text, and that nobody writes to."""
    Path("in").mkdir()
    Path("in/a.txt").write_bytes(LINE)
    os.mkfifo("in/b.txt")
