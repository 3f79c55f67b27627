"""What every source keeps to: one suite over all kinds."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.paper_files import word
from tests.integration.warc_files import packed, pages

from simsieve import ConfigError, SourceError
from simsieve.config.settings import DedupConfig
from simsieve.errors import InternalError
from simsieve.run.schemes import chosen_schemes
from simsieve.run.steps import load
from simsieve.sources.base import Source
from simsieve.sources.opening import open_source

TEXTS = [f"the text of row number {number}, 第{number}行" for number in range(9)]
NUMBERS = [number * 0x0123_4567_89AB_CDEF % 2**64 for number in range(1, 10)]
SOME = np.array([0, 2, 3, 7])
CONFIG = DedupConfig()
GIVEN = DedupConfig(scheme="external64:format=int", max_distance=3)


def records(texts: list[str]) -> list[dict[str, Any]]:
    """Records with a label."""
    return [{"id": at, "text": text} for at, text in enumerate(texts)]


def lines(texts: list[str]) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records(texts))


def file(name: str, content: Callable[[list[str]], bytes]) -> Callable[[Path, list[str]], Any]:
    """What writes a file and gives its path."""

    def made(folder: Path, texts: list[str]) -> Path:
        path = folder / name
        path.write_bytes(content(texts))
        return path

    return made


def tree(folder: Path, texts: list[str]) -> Path:
    """A folder with a file for each text."""
    root = folder / "in"
    root.mkdir(exist_ok=True)
    for at, text in enumerate(texts):
        (root / f"{at}.txt").write_text(text, encoding="utf-8")
    return root


def papers(folder: Path, texts: list[str]) -> Path:
    """A folder with a Word file for each text."""
    root = folder / "papers"
    root.mkdir(exist_ok=True)
    for at, text in enumerate(texts):
        (root / f"{at}.docx").write_bytes(word([text]))
    return root


def parquet(folder: Path, texts: list[str]) -> Path:
    """A Parquet file."""
    pq.write_table(pa.Table.from_pylist(records(texts)), folder / "in.parquet")
    return folder / "in.parquet"


def fields(sign: str) -> Callable[[list[str]], bytes]:
    """A table whose fields are between quotes."""
    return lambda texts: "".join(
        sign.join(f'"{field}"' for field in row) + "\n"
        for row in [("id", "text"), *((str(at), text) for at, text in enumerate(texts))]
    ).encode()


NAMED: dict[str, Callable[[Path, list[str]], Any]] = {
    "jsonl": file("in.jsonl", lines),
    "jsonl.gz": file("in.jsonl.gz", lambda texts: gzip.compress(lines(texts), mtime=0)),
    "csv": file("in.csv", fields(",")),
    "tsv": file("in.tsv", fields("\t")),
    "txt": file("in.txt", lambda texts: "".join(text + "\n" for text in texts).encode()),
    "folder": tree,
    "parquet": parquet,
    "papers": papers,
    "warc": file("in.warc", lambda texts: b"".join(pages(texts))),
    "warc.gz": file("in.warc.gz", lambda texts: packed(pages(texts))),
}
COPIED = ("jsonl.gz", "warc", "warc.gz")
IN_MEMORY: dict[str, Callable[[list[str]], Any]] = {
    "texts": list,
    "series": pd.Series,
    "array": pa.array,
    "records": records,
    "pandas": lambda texts: pd.DataFrame(records(texts)),
    "arrow": lambda texts: pa.Table.from_pylist(records(texts)),
}


def in_memory(make: Callable[[list[str]], Any]) -> Callable[[Path, list[str]], Any]:
    """What makes a source in memory, for which no folder is needed."""
    return lambda _, texts: make(texts)


KINDS: dict[str, Callable[[Path, list[str]], Any]] = {
    **NAMED,
    **{name: in_memory(make) for name, make in IN_MEMORY.items()},
}


def opened(kind: str, folder: Path, texts: list[str], config: DedupConfig = CONFIG) -> Source:
    """A source of a kind, read."""
    source = open_source(KINDS[kind](folder, texts), config)
    source.read(config)
    return source


def texts_of(source: Source, config: DedupConfig = CONFIG) -> list[str]:
    """The text of each record, as the core has it."""
    store = source.was_read()
    documents = load(store, chosen_schemes(config), config, None)
    return [documents.text(position) for position in range(len(store))]


def plain_rows(rows: Any) -> list[Any]:
    """Rows in the kind that came in, as plain values."""
    if isinstance(rows, pd.DataFrame):
        return list(rows.to_dict("records"))
    return list(rows.to_pylist() if isinstance(rows, pa.Table | pa.Array) else rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_identity_is_that_of_the_records(kind: str, tmp_path: Path) -> None:
    """Equal records have one identity, others another; before reading there is none."""
    given = KINDS[kind](tmp_path, TEXTS)
    one, other = open_source(given, CONFIG), open_source(given, CONFIG)
    with pytest.raises(InternalError, match="was not read"):
        one.identity()
    one.read(CONFIG)
    other.read(CONFIG)

    assert one.identity() == other.identity()
    assert one.identity() != opened(kind, tmp_path, [*TEXTS[:-1], TEXTS[-1] + "!"]).identity()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [None, 4, 99])
def test_rows_are_in_order(kind: str, limit: int | None, tmp_path: Path) -> None:
    """Each row has its position, up to the limit."""
    config = DedupConfig(limit=limit)

    assert texts_of(opened(kind, tmp_path, TEXTS, config), config) == TEXTS[:limit]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_by_positions_are_those_rows(kind: str, tmp_path: Path) -> None:
    """What is fetched by ascending positions is what is read at them; rows in memory come back in their kind."""
    source = opened(kind, tmp_path, TEXTS)
    store = source.was_read()
    whole = store.objects(range(len(TEXTS)))

    assert store.objects(SOME.tolist()) == [whole[position] for position in SOME]
    if kind in NAMED:
        with pytest.raises(ConfigError, match="the rows are in files"):
            source.take(SOME)
    else:
        given = plain_rows(IN_MEMORY[kind](TEXTS))
        assert plain_rows(source.take(SOME)) == [given[position] for position in SOME]
        assert type(source.take(SOME)) in (list, type(IN_MEMORY[kind](TEXTS)))
        assert plain_rows(source.take(SOME[:0])) == []


@pytest.mark.parametrize("kind", sorted({*NAMED}.difference(COPIED)))
def test_a_changed_source_is_refused(kind: str, tmp_path: Path) -> None:
    """The error has the name of the source; the one that stays is not refused."""
    source = opened(kind, tmp_path, TEXTS)
    source.check_unchanged()
    path = NAMED[kind](tmp_path, [*TEXTS[:-1], "another text"])
    with pytest.raises(SourceError, match=f"{path}.*changed"):
        source.check_unchanged()


@pytest.mark.parametrize("kind", [*COPIED, *IN_MEMORY])
def test_what_was_copied_stays(kind: str, tmp_path: Path) -> None:
    """What was unpacked, or came from memory, is copied whole, so nothing can change it."""
    source = opened(kind, tmp_path, TEXTS)
    KINDS[kind](tmp_path, ["another text"])
    source.check_unchanged()

    assert texts_of(source) == TEXTS


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_is_read_again(kind: str, tmp_path: Path) -> None:
    """A second reading gives the same."""
    source = opened(kind, tmp_path, TEXTS)
    first = source.identity()
    source.read(CONFIG)

    assert (source.identity(), texts_of(source)) == (first, TEXTS)


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_those_of_what_the_user_named(kind: str, tmp_path: Path) -> None:
    """A file or folder has its name; what is in memory has none that the user gave."""
    source = open_source(KINDS[kind](tmp_path, TEXTS), CONFIG)

    assert source.is_named == (kind in NAMED) and source.new is source
    if kind in NAMED:
        assert source.paths == (str(KINDS[kind](tmp_path, TEXTS)),)


def test_fingerprints_in_memory_are_texts_of_their_form() -> None:
    """Whole numbers come back as they came in, also after a second reading."""
    source = open_source(NUMBERS, GIVEN)
    for _ in range(2):
        source.read(GIVEN)
        assert texts_of(source, GIVEN) == [str(number) for number in NUMBERS]
    assert source.take(SOME) == [NUMBERS[position] for position in SOME]
