"""Copies of sources that cannot be read in place: their folder, mode and size, and the note before a large one."""

import gzip
import json
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from simsieve import _core, plan
from simsieve.config.settings import DedupConfig
from simsieve.display import readable_bytes
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import NOTED_BYTES, Files, noted_copies, spool_folder

LINES = b"".join(b'{"text": "some words of text %d"}\n' % at for at in range(300))


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A packed source."""
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress(LINES))
    return path


def open_files(folder: Path) -> list[tuple[str, int]]:
    """The files of a folder that this process has open and that have no name, with their modes."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(handle)
        except OSError:
            continue
        if target.startswith(f"{folder}/") and target.endswith(" (deleted)"):
            found.append((target, handle.stat().st_mode & 0o777))
    return found


@pytest.mark.filterwarnings("ignore:.*probably other documents")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
def test_a_copy_is_in_the_run_directory_with_no_name(packed: Path, tmp_path: Path) -> None:
    """It is open there with mode 600, leaves no name, and takes no part in what the directory holds."""
    run = tmp_path / "run"
    seen: list[tuple[str, int]] = []

    def look(stage: str, done: int, total: int) -> None:
        del done, total
        if stage == "fingerprint":
            seen.extend(open_files(run))

    result = run_dedup(str(packed), DedupConfig(run_dir=str(run)), Sinks(dry_run=True), look)

    assert result.counts.read == 300
    assert {mode for _, mode in seen} == {0o600}
    assert {path.suffix for path in run.iterdir()} <= {"", ".column", ".log"}
    again = run_dedup(str(packed), DedupConfig(run_dir=str(run), resume=True), Sinks(dry_run=True))
    assert again.counts == result.counts


def test_only_what_is_copied_makes_the_folder(packed: Path, tmp_path: Path) -> None:
    """A plain file is read where it is; without a run directory copies are among the temporary files."""
    plain = tmp_path / "in.jsonl"
    plain.write_bytes(LINES)
    run = tmp_path / "run"
    config = DedupConfig(run_dir=str(run))

    assert spool_folder(config, [str(plain)]) is None
    assert not run.exists()
    assert spool_folder(DedupConfig(), [str(packed)]) is None
    assert spool_folder(config, [str(packed)]) == str(run)
    assert run.stat().st_mode & 0o777 == 0o700
    assert spool_folder(DedupConfig(run_dir=str(tmp_path / "no" / "folder")), [str(packed)]) is None


def test_a_large_copy_is_noted_before_it_is_written(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note has what is copied, where and how large it is at most; a small copy has none."""
    notes: list[str] = []
    noted_copies([str(packed)], DedupConfig(), None, notes.append)
    assert notes == []
    monkeypatch.setattr("simsieve.sources.base.NOTED_BYTES", 100)
    noted_copies([str(packed)], DedupConfig(), None, notes.append)
    size = 4 * packed.stat().st_size

    assert len(notes) == 1 and notes[0].startswith(f"{packed}: is copied to a temporary file in ")
    assert f"at most about {readable_bytes(size)}; " in notes[0]


def test_a_stream_is_noted_once_when_much_of_it_was_read() -> None:
    """Its size is not known before; reports go on to the progress that is shown."""
    notes: list[str] = []
    seen: list[tuple[str, int, int]] = []
    progress = noted_copies(["-"], DedupConfig(), lambda *report: seen.append(report), notes.append)
    assert progress is not None
    for done in (0, NOTED_BYTES - 1, NOTED_BYTES, 2 * NOTED_BYTES):
        progress("read", done, 0)

    assert [done for _, done, _ in seen] == [0, NOTED_BYTES - 1, NOTED_BYTES, 2 * NOTED_BYTES]
    assert len(notes) == 1 and notes[0].startswith("standard input: is copied to a temporary file in ")


EXAMPLES = [json.loads(line)["text"] for line in Path("examples/texts.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("words", [12, 200])
def test_a_copy_is_not_above_that_of_the_plan(words: int, tmp_path: Path) -> None:
    """The plan's bytes of the copy are at least those of texts of real words, and at most three times as many."""
    chance = random.Random(3)
    known = [word for text in EXAMPLES for word in text.split() if len(word) < 30]
    encoded = [" ".join(chance.choices(known, k=words)).encode() for _ in range(200_000 // words)]
    directory = _core.RunDirectory(str(tmp_path / "run"), "new", 1 << 30, [], None)
    rows = _core.Rows(["text"], 1 << 20, directory, "rows")
    rows.begin("rows.parquet")
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    rows.add(len(encoded), [("texts", offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8), None)])
    rows.commit(directory, "rows")
    copied = (tmp_path / "run" / "rows.copy").stat().st_size
    made = plan([text.decode() for text in encoded])

    assert copied <= made.copy_bytes <= 3 * copied


def test_files_are_opened_with_that_folder(packed: Path, tmp_path: Path) -> None:
    """The records of a copy in the run directory are those of the file."""
    config = DedupConfig(run_dir=str(tmp_path / "run"))
    store = Files((str(packed),)).read(config)

    assert store.objects([0, 299]) == [LINES.splitlines()[0], LINES.splitlines()[299]]
