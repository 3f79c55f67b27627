"""Runs of each kind of source that are killed by SIGKILL go on to the bytes of a run that nobody disturbed."""

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.conftest import Program
from tests.integration.killing import kill_at, kill_at_random
from tests.integration.test_run_directory import questions
from tests.integration.warc_files import packed, pages

RECORDS = 9_000
"""A few more than a run compares pair by pair, so that a run has all its stages."""
STAGES = (b'"freeze"', b'"encode"', b'"copies"', b'"search"', b'"decide"')
SIDE = "why.jsonl"

Rows = Sequence[tuple[int, str]]


def lines(rows: Rows) -> bytes:
    """The rows as JSON lines."""
    return "".join(f'{{"id": {number}, "text": "{text}"}}\n' for number, text in rows).encode()


def table(rows: Rows) -> bytes:
    """The rows as CSV."""
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text"), *rows])
    return out.getvalue().encode()


def parquet(rows: Rows) -> bytes:
    """The rows as Parquet in groups of a thousand."""
    out = io.BytesIO()
    numbers, texts = zip(*rows, strict=True)
    pq.write_table(pa.table({"id": numbers, "text": texts}), out, row_group_size=1000)
    return out.getvalue()


def zst(rows: Rows) -> bytes:
    """The rows as JSON lines, packed with zstd."""
    return bytes(pa.compress(lines(rows), codec="zstd", asbytes=True))


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "jsonl": lines,
    "jsonl.gz": lambda rows: gzip.compress(lines(rows), 1),
    "jsonl.zst": zst,
    "csv": table,
    "parquet": parquet,
    "warc.gz": lambda rows: packed(pages(f"<p>{text}" for _, text in rows)),
}
KINDS = pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind != "jsonl"])


def source(program: Program, name: str, kind: str, numbers: range) -> str:
    """Write the questions of these numbers as a source of a kind and give its name."""
    rows = list(enumerate(questions(numbers.stop)))[numbers.start :]
    return program.file(f"{name}.{kind}", WRITERS[kind](rows)).name


HALF = RECORDS // 2
OLD, NEW = range(RECORDS), range(HALF, RECORDS + HALF)
"""A half of the new questions are old ones too."""


class Held:
    """A command line whose results are known from a run that nobody disturbed."""

    def __init__(self, program: Program, *words: str, kind: str) -> None:
        self.program = program
        self.sink = f"out.{'jsonl' if kind == 'warc.gz' else kind}"
        self.words = ("dedup", *words, "-o", self.sink, "--decisions", SIDE, "--quiet")
        program(*self.words, "--run-dir", "calm").silent()
        self.expected = self.take_results()

    def take_results(self) -> list[bytes]:
        """The bytes of the results, which are removed."""
        paths = [self.program.folder / name for name in (self.sink, SIDE)]
        found = [path.read_bytes() for path in paths]
        for path in paths:
            path.unlink()
        return found

    @property
    def kept(self) -> int:
        """How many documents are kept."""
        return self.expected[1].count(b'"kept"')

    @property
    def command(self) -> list[str]:
        """The command line that begins a run in a directory, or goes on with it."""
        return self.program.command(*self.words, "--run-dir", "run", "--resume")

    @property
    def log(self) -> Path:
        """What the run in the directory has finished."""
        return self.program.folder / "run" / "run.log"

    def check_the_end(self) -> None:
        """The run goes on to its end, with the results that are known."""
        self.program(*self.words, "--run-dir", "run", "--resume").silent()
        assert self.take_results() == self.expected

    def check_kills_in_each_stage(self) -> None:
        """It is killed when each of its stages is finished, and goes on."""
        killed = [kill_at(self.command, self.program.folder, self.log, stage) for stage in STAGES]
        assert any(killed)
        self.check_the_end()


@pytest.mark.slow
@KINDS
def test_a_killed_run_goes_on_for_each_kind_of_source(simsieve: Program, kind: str) -> None:
    """Whatever the format and the compression of its source."""
    Held(simsieve, source(simsieve, "in", kind, OLD), kind=kind).check_kills_in_each_stage()


@pytest.mark.parametrize("kind", ["jsonl.zst", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_a_killed_run_against_old_documents_goes_on(simsieve: Program, kind: str) -> None:
    """Its old documents are of another file."""
    old, new = source(simsieve, "old", kind, OLD), source(simsieve, "new", kind, NEW)
    held = Held(simsieve, new, "--against", old, kind=kind)
    assert held.kept < HALF
    held.check_kills_in_each_stage()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@KINDS
def test_a_larger_run_is_killed_at_random(simsieve: Program, kind: str) -> None:
    """A run of 80,000 records against as many is killed twenty times."""
    first = source(simsieve, "first", kind, range(80_000))
    second = source(simsieve, "second", kind, range(40_000, 120_000))
    held = Held(simsieve, second, "--against", first, kind=kind)
    assert kill_at_random(held.command, simsieve.folder, 20, 1.5) > 5
    held.check_the_end()
