"""The generator of the benchmarks: its collections are what its docstring says, and the same for the same seed."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from generate import make_corpus

DOCUMENTS = 1_000


def rows(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """A small collection."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    make_corpus(path, DOCUMENTS, seed=3)
    return rows(path)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """A collection is a pure function of its size and its seed."""
    paths = [tmp_path / name for name in ("first", "second", "other")]
    for path, seed in zip(paths, (3, 3, 4), strict=True):
        make_corpus(path, 50, seed)
    first, second, other = (path.read_bytes() for path in paths)

    assert first == second and first != other


def test_originals_exact_and_edited_copies_have_their_shares(corpus: list[dict[str, Any]]) -> None:
    """70 % are originals, 10 % exact copies, 20 % edited ones; four of five are English."""
    assert Counter(row["truth"]["kind"] for row in corpus) == {"original": 700, "exact": 100, "edited": 200}
    assert Counter(row["lang"] for row in corpus) == {"en": 800, "zh": 200}


def test_a_copy_is_of_an_original_and_is_what_it_says(corpus: list[dict[str, Any]]) -> None:
    """An exact copy differs from its original in white space at most, an edited one in more than that."""
    by_id = {row["id"]: row for row in corpus}

    for row in corpus:
        original = by_id[row["truth"]["original"]]
        same = "".join(row["text"].split()) == "".join(original["text"].split())

        assert original["truth"]["kind"] == "original"
        assert same == (row["truth"]["kind"] != "edited")


def test_every_document_has_its_place_in_its_id(corpus: list[dict[str, Any]]) -> None:
    """Ids number the lines of the file."""
    assert [row["id"] for row in corpus] == [f"d{place:08}" for place in range(DOCUMENTS)]
