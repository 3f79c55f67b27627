"""Lists of tokens as documents, against the same tokens by a function."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import CustomScheme, Fingerprinter, dedup, similarity

tokens = st.lists(st.text('aAb ,中"\\', min_size=1, max_size=3), max_size=6)
weighted = st.dictionaries(st.text("aAb中", min_size=1, max_size=2), st.floats(0.25, 8), max_size=5)
documents = st.lists(st.one_of(tokens, weighted, weighted.map(lambda found: list(found.items()))), max_size=8)


def listed(text: str) -> list[tuple[str, float]]:
    """The definition: what a document lists, a token without a weight as 1."""
    read = json.loads(text)
    pairs = sorted(read.items()) if isinstance(read, dict) else read
    return [(item, 1.0) if isinstance(item, str) else (item[0], item[1]) for item in pairs]


LISTS = CustomScheme("lists", features="tokens", width=64)
BY_FUNCTION = CustomScheme("function", features=listed, weights="given", normalise=[], width=64, version="1")


@given(documents)
def test_a_list_has_the_fingerprint_of_its_tokens_by_a_function(found: list[Any]) -> None:
    """Lists, pairs and mappings in one call; similarities are those of the weights."""
    prints = Fingerprinter(LISTS).transform(found)
    texts = [json.dumps(document) for document in found]
    wanted = Fingerprinter(BY_FUNCTION).transform(texts)

    assert prints.valid.tolist() == wanted.valid.tolist()
    assert prints.values.tolist() == wanted.values.tolist()
    for document, text in zip(found, texts, strict=True):
        assert similarity(document, found[0], LISTS) == similarity(text, texts[0], BY_FUNCTION)


@given(st.lists(tokens, max_size=8), st.sampled_from(["once", "tf", "log", "given"]), st.integers(1, 2))
def test_runs_over_records_texts_and_files_are_one(
    tmp_path_factory: pytest.TempPathFactory, found: list[list[str]], weights: str, n: int
) -> None:
    """Lists in memory, in records and in a file have the decisions of the walk; equal lists alone are exact copies."""
    scheme = CustomScheme("lists", features="tokens", weights=weights, n=1 if weights == "given" else n)
    records = [{"text": document} for document in found]
    path = tmp_path_factory.mktemp("lists") / "in.jsonl"
    path.write_text("".join(json.dumps(record, indent=None) + "\n" for record in records) or "\n")
    runs = [dedup(source, scheme=scheme, similarity=0.9, allow_empty=True) for source in (found, records)]
    if found:
        runs.append(dedup(path, scheme=scheme, similarity=0.9))

    for run in runs:
        rows = [(row.position, row.decision, row.representative_position, row.reason) for row in run.decisions]
        assert rows == [
            (row.position, row.decision, row.representative_position, row.reason) for row in runs[0].decisions
        ]
    exact = {row.position for row in runs[0].decisions if row.reason == "exact"}
    assert exact <= {place for place, document in enumerate(found) if document in found[:place]}
    assert runs[0].kept_rows(list) == [found[position] for position in runs[0].kept]
    assert runs[1].kept_rows(list) == [records[position] for position in runs[1].kept]
