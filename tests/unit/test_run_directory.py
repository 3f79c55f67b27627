"""Where a run keeps its columns: the choice, the place, and what stays usable afterwards."""

import random
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simsieve import ConfigError, dedup, plan
from simsieve.config.checks import memory_bytes, memory_size
from simsieve.config.settings import DedupConfig
from simsieve.run.forecast import disk_values
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

TEXTS = [
    f"text {number // 2} of the words number {number // 2} and some more words {number % 2}" for number in range(60)
]


SIZES = {"1": 1, "1kB": 0, "1KB": 1000, "1KiB": 1024, "0.5 GiB": 2**29, "3TB": 3 * 10**12, 4096: 4096, "8iB": 0}


@pytest.mark.parametrize(("text", "size"), SIZES.items())
def test_an_amount_of_memory_has_a_unit_or_none(text: object, size: int) -> None:
    """Sizes are read as written; what is none is refused."""
    if size:
        assert memory_bytes(str(memory_size("memory", text))) == size
    else:
        with pytest.raises(ConfigError, match="8GiB"):
            memory_size("memory", text)


def test_a_result_outlives_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without an output has a directory among the temporary files; it is gone, and the result decides again."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plain = dedup(TEXTS, similarity=0.7)
    bounded = dedup(TEXTS, similarity=0.7, memory="1MiB")

    assert list(tmp_path.iterdir()) == []
    assert bounded.kept.tolist() == plain.kept.tolist() and bounded.counts == plain.counts
    for similarity in (0.7, 0.9):
        again = bounded.rethreshold(similarity=similarity)
        assert again.kept.tolist() == plain.rethreshold(similarity=similarity).kept.tolist()
    plain.write(tmp_path / "plain.jsonl")
    bounded.write(tmp_path / "bounded.jsonl")
    assert (tmp_path / "plain.jsonl").read_bytes() == (tmp_path / "bounded.jsonl").read_bytes()


def test_a_hidden_directory_is_beside_the_output_and_is_removed(tmp_path: Path) -> None:
    """It has the name of the output; files of others in a named one stay."""
    seen: list[str] = []

    def look(stage: str, done: int, total: int) -> None:
        del stage, done, total
        seen.extend(path.name for path in tmp_path.iterdir())

    kept = tmp_path / "kept.jsonl"
    run_dedup(TEXTS, DedupConfig(memory="1MiB", threads=1), Sinks(kept), look)

    assert ".kept.jsonl.rundir" in seen
    assert [path.name for path in tmp_path.iterdir()] == ["kept.jsonl"]


def test_what_a_run_left_that_was_cut_off_is_removed_by_the_next(tmp_path: Path) -> None:
    """A run that is not gone on with leaves nothing behind the next run to the same output, whatever that one needs."""
    sinks = Sinks(tmp_path / "kept.jsonl")

    def stop(stage: str, done: int, total: int) -> None:
        del done, total
        if stage == "decide":
            raise KeyError(stage)

    for memory, resume in (("1MiB", False), (None, False), ("1MiB", True)):
        with pytest.raises(KeyError) as stopped:
            run_dedup(TEXTS, DedupConfig(memory="1MiB", threads=1), sinks, stop)
        assert "the setting `resume`" in stopped.value.__notes__[-1]
        assert [path.name for path in tmp_path.iterdir()] == [".kept.jsonl.rundir"]
        part, other = tmp_path / ".kept.jsonl.a1B2c3.part", tmp_path / ".kept.jsonl.mine.part"
        for path in (part, other):
            path.write_text("cut off")
        run_dedup(TEXTS, DedupConfig(memory=memory, resume=resume), sinks)
        assert (part.exists(), other.exists()) == (not resume, True)
        for path in (part, other):
            path.unlink(missing_ok=True)
        assert [path.name for path in tmp_path.iterdir()] == ["kept.jsonl"]
        (tmp_path / "kept.jsonl").unlink()


def test_memory_that_is_too_little_is_refused_with_what_would_do(tmp_path: Path) -> None:
    """The message has what is needed with a run directory and without one."""
    source = tmp_path / "texts.jsonl"
    source.write_bytes(b'{"text": "a", "rank": 1}\n' * 3_000_000)
    with pytest.raises(
        ConfigError, match=r"too little for 3,000,000 records: about .* with a run directory, and .* without"
    ):
        dedup(source, memory="1MiB", keep="max:rank")


def test_fifty_million_documents_fit_into_two_gibibytes() -> None:
    """The plan of a run with a run directory is below the bound, and above what stays of each document."""
    made = plan(["word " * 40] * 2, documents=50_000_000, memory="2GiB")
    assert 50_000_000 * 7.5 < made.directory_bytes < 2 << 30
    assert not [text for text in made.warnings if "memory" in text]


def told_of_disk(directory: Path, free: int, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> list[str]:
    """Run on a disk of so much room and return the warnings on the disk."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    told: list[str] = []
    run_dedup(TEXTS, DedupConfig(run_dir=str(directory), **settings), warn=told.append)
    return [text for text in told if "of disk" in text]


def test_a_disk_with_too_little_room_is_told_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warning has what is needed and what is free, and what would do; the run is not refused."""
    (told,) = told_of_disk(tmp_path / "small", 1000, monkeypatch)
    assert told.startswith("the run directory takes about ")
    assert f"1.0 kB are free for {tmp_path / 'small'}; give a folder on a larger disk" in told
    assert told_of_disk(tmp_path / "large", 10**9, monkeypatch) == []
    # The files of the run that goes on count as room.
    held = sum(path.stat().st_size for path in (tmp_path / "large").iterdir())
    free = max(plan(TEXTS).disk_bytes - held // 2, 0)
    assert len(told_of_disk(tmp_path / "other", free, monkeypatch)) == 1
    assert told_of_disk(tmp_path / "large", free, monkeypatch, resume=True) == []


def test_what_goes_to_disk_is_told_before_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note has the folder, the bytes of each part as the plan has them, and the seconds; little is not noted."""
    notes: list[str] = []
    run_dedup(TEXTS, DedupConfig(), tell=notes.append)
    run_dedup(TEXTS, DedupConfig(run_dir=str(tmp_path / "small")), tell=notes.append)
    assert notes == []
    monkeypatch.setattr("simsieve.run.directory.NOTED_BYTES", 1)
    run = tmp_path / "run"
    run_dedup(TEXTS, DedupConfig(run_dir=str(run)), tell=notes.append)
    made = plan(TEXTS)
    parts = disk_values(made.disk_parts)

    assert len(notes) == 1 and notes[0].startswith(f"the run directory in {run} takes about ")
    assert [name for name in ("columns", "search keys", "pairs found", "decisions") if f" {name}" not in notes[0]] == []
    assert f"{parts['decisions']} decisions" in notes[0]


def test_the_disk_of_a_run_directory_is_within_a_factor_of_2_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most bytes that a run's directory has, at any tick, are near those of the plan, whose parts add up."""
    chance = random.Random(9)
    texts = [" ".join(f"{chance.randrange(20_000):x}" for _ in range(40)) for _ in range(16_000)]
    texts += [text + " more" for text in texts[:4000]]
    most = 0

    def look(stage: str, done: int, total: int) -> None:
        del stage, done, total
        nonlocal most
        # Files come and go while they are listed.
        with suppress(FileNotFoundError):
            most = max(most, sum(path.stat().st_size for path in directory.iterdir()))

    directory = tmp_path / "run"
    run_dedup(texts, DedupConfig(run_dir=str(directory), sample=0), progress=look)
    most = max(most, sum(path.stat().st_size for path in directory.iterdir()))
    made = plan(texts)
    assert sum(made.disk_parts.values()) == made.disk_bytes
    assert 0.5 < made.disk_bytes / most < 2, (made.disk_parts, most)
