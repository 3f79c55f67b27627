"""Lists of tokens: what is taken, what is refused, TOML."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simsieve
from simsieve import ConfigError, CustomScheme, Fingerprinter
from simsieve.cli import main

LISTS = CustomScheme("lists", features="tokens")
COUNTED = CustomScheme("counted", features="tokens", weights="tf", n=2)


def test_lists_pairs_and_mappings_are_documents() -> None:
    """A token weighs 1 where it has no weight; repetitions add up; tuples and numbers of numpy count."""
    same: list[Any] = [
        ["a", "b", "a"],
        [("a", 2), ("b", 1)],
        {"a": 2, "b": 1},
        (("b", np.float64(1)), ("a", np.int64(2))),
    ]
    prints = Fingerprinter(LISTS).transform(same)
    assert len({print_.hex for print_ in prints if print_ is not None}) == 1
    assert simsieve.fingerprint(["a"], LISTS) == simsieve.fingerprint('["a"]', LISTS)
    assert simsieve.fingerprint([], LISTS) is None
    assert [feature.text for feature in COUNTED.features('["one", "two", "three"]')] == ["one two", "two three"]
    assert simsieve.explain(["a", "b"], ["a"], LISTS).a_in_b == 0.5
    assert (
        Fingerprinter(CustomScheme("idf", features="tokens", weights="idf")).fit([["a"], ["a", "b"]]).model is not None
    )


def test_a_run_takes_mappings_for_documents() -> None:
    """Mappings of tokens to weights are no records: empty ones first, a token named as a field, numbers of numpy."""
    documents: list[Any] = [{}, {"text": 2, "id": 1}, {"id": np.float32(1), "text": np.int64(2)}, {"other": 1.5}]
    for given in (documents, iter(documents)):
        found = simsieve.dedup(given, scheme=LISTS)
        assert (found.counts.kept, found.counts.exact, found.counts.failed) == (3, 1, 0)
        assert found.decisions[0].reason == "no_features"
    records: list[Any] = [{}, {"text": {"a": 2}}, {"text": ["a", "a"]}]
    assert simsieve.dedup(records, scheme=LISTS, max_failed="1").counts.near == 1
    with pytest.raises(ConfigError, match='or give a CustomScheme with features="tokens" if these are tokens'):
        simsieve.dedup([*documents[3:], {"a": 2}])
    with pytest.raises(ConfigError, match=r"with text_field$"):
        simsieve.dedup([{"a": "2"}])


def test_the_command_line_reads_lists_of_tokens(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A field of JSON may hold a list or an object, a column the same as JSON; another scheme refuses them."""
    (tmp_path / "lists.toml").write_text("features = 'tokens'\n")
    records: list[dict[str, Any]] = [{"text": ["a", "b"]}, {"text": {"a": 1, "b": 1}}, {"text": ["c"]}, {"text": 3}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "in.csv").write_text('text\n"[""a"", ""b""]"\n"[""b"", ""a""]"\n')
    scheme, kept = str(tmp_path / "lists.toml"), tmp_path / "kept.jsonl"
    run = ["dedup", str(tmp_path / "in.jsonl"), "-o", str(kept), "--quiet", "--max-failed", "1", "--scheme", scheme]
    assert main(run) == 0
    assert [json.loads(line) for line in kept.read_text().splitlines()] == [records[0], records[2]]
    result = simsieve.dedup(tmp_path / "in.jsonl", scheme=scheme)
    assert "a list of tokens, or an object of weights, is needed" in result.failures()[0][2]
    assert simsieve.dedup(tmp_path / "in.csv", scheme=scheme).counts.near == 1
    advice = r"text 0 is of type list: give str, or lists of tokens .* simsieve.CustomScheme\(features='tokens'\)"
    with pytest.raises(TypeError, match=advice):
        simsieve.dedup([["a"]])
    assert simsieve.dedup(records[:3], scheme=scheme).counts.kept == 2
    several = simsieve.dedup([{"a": ["x"], "b": ["y"]}, {"a": ["x", "y"]}], scheme=scheme, text_field=["a", "b"])
    assert several.counts.exact == 1


def test_a_mapping_of_weights_is_a_document_and_a_record_is_none() -> None:
    """Under `tokens` a mapping whose values are weights is a text; one with the field of the text is a record."""
    scheme = CustomScheme("tokens", features="tokens")
    weights: list[Any] = [{"harbour": 2, "lamp": 1.5}, {"harbour": 2, "lamp": 1.5}, {"gravel": 1}]
    for source in (weights, [{"text": each} for each in weights]):
        assert [row.reason for row in simsieve.dedup(source, scheme=scheme).decisions] == [
            "representative", "exact", "unique"
        ]  # fmt: skip
