"""The generator of large collections: the same bytes in any shards, and the truth that it writes."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from large import EXACT, built_generator

DOCUMENTS = 50_000


@pytest.mark.slow
def test_shards_and_single_documents_are_those_of_the_whole(tmp_path: Path) -> None:
    """Shards, compression and `--only` give the same documents; copies are those that the truth names."""
    generator = built_generator()

    def made(name: str, *arguments: str) -> Path:
        subprocess.run([generator, tmp_path / name, "--documents", str(DOCUMENTS), *arguments], check=True)
        return tmp_path / name

    whole = made("whole.jsonl", "--truth", str(tmp_path / "truth")).read_bytes()
    made("part.jsonl", "--shards", "3")
    assert b"".join((tmp_path / f"part-{shard:05}.jsonl").read_bytes() for shard in range(3)) == whole
    assert made("other.jsonl", "--seed", "2").read_bytes() != whole

    lines = whole.splitlines(keepends=True)
    (tmp_path / "numbers").write_text("7\n40000\n", encoding="ascii")
    assert made("only.jsonl", "--only", str(tmp_path / "numbers")).read_bytes() == lines[7] + lines[40_000]

    truth = np.fromfile(tmp_path / "truth", dtype="<u4")
    original, exact = truth & ~EXACT, truth >= EXACT
    words = ["".join(json.loads(line)["text"].split()) for line in lines]
    assert len(truth) == DOCUMENTS == len(lines)
    assert 0.68 < np.mean(original == np.arange(DOCUMENTS)) < 0.72
    assert 0.09 < exact.mean() < 0.11
    assert all(words[at] == words[original[at]] for at in np.flatnonzero(exact))
    edited = np.flatnonzero(~exact & (original != np.arange(DOCUMENTS)))
    # An edit may exchange a word for itself.
    assert np.mean([words[at] != words[original[at]] for at in edited]) > 0.999
