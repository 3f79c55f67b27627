"""`simsieve fingerprint --blocks`: the blocks of each fingerprint as columns."""

import json
from pathlib import Path

import pytest

import simsieve
from simsieve.cli import main

TEXTS = ["the quick brown fox jumps", "", "lorem ipsum dolor sit amet"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Records with ids, one without features and one that fails."""
    path = tmp_path / "in.jsonl"
    rows = [{"id": f"n{at}", "text": text} for at, text in enumerate(TEXTS)] + [{"id": "bad"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("count", [2, 3, 4, 16])
def test_blocks_are_columns_after_each_fingerprint(source: Path, tmp_path: Path, count: int) -> None:
    """They are those of the library, for each of several schemes; nothing where there is no fingerprint."""
    sink, schemes = tmp_path / "out", ("chars64", "chars128")
    named = [word for scheme in schemes for word in ("--scheme", scheme)]
    words = ["fingerprint", str(source), "-o", str(sink), *named, "--format", "int", "--blocks", str(count), "-q"]
    assert main([*words, "--max-failed", "1"]) == 0
    wanted = []
    made = [simsieve.Fingerprinter(scheme).transform(TEXTS) for scheme in schemes]
    for at in range(len(TEXTS)):
        row = [f"n{at}"]
        for prints in made:
            one = prints[at]
            values = ["", *[""] * count] if one is None else [int(one), *prints.blocks(count)[at].tolist()]
            row += map(str, values)
        wanted.append(row)

    assert [line.split("\t") for line in sink.read_text().splitlines()] == wanted


def test_blocks_have_columns_in_a_table(source: Path, tmp_path: Path) -> None:
    """A header names them, of one scheme and of several."""
    sink = tmp_path / "out.tsv"
    words = ["fingerprint", str(source), "-o", str(sink), "--blocks", "2", "-q", "--max-failed", "1"]
    assert main(words) == 0
    header, first, *_ = sink.read_text().splitlines()
    assert header.split("\t") == ["id", "fingerprint", "fingerprint_block_1", "fingerprint_block_2"]
    label, whole, *blocks = first.split("\t")
    assert (label, "".join(blocks)) == ("n0", whole)
    assert main([*words, "--scheme", "chars64", "--scheme", "chars128"]) == 0
    assert sink.read_text().splitlines()[0].split("\t") == [
        "id", "chars64", "chars64_block_1", "chars64_block_2", "chars128", "chars128_block_1", "chars128_block_2",
    ]  # fmt: skip


def test_blocks_of_hex_and_bits_join_to_the_fingerprint(source: Path, tmp_path: Path) -> None:
    """Their digits one after another are the fingerprint's."""
    for form in ("hex", "bits"):
        sink = tmp_path / form
        words = ["fingerprint", str(source), "-o", str(sink), "--format", form, "--blocks", "4", "-q"]
        assert main([*words, "--max-failed", "1"]) == 0
        for line in sink.read_text().splitlines():
            _, whole, *blocks = line.split("\t")
            assert "".join(blocks) == whole and len(blocks) == 4
