"""Small functions of the package: what each gives for a few values."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simsieve.bits import decimal_fingerprint, read_bits
from simsieve.cli.hints import error_text
from simsieve.cli.pages import are_pages
from simsieve.config.formats import given_cell, safe_cell
from simsieve.config.settings import DedupConfig
from simsieve.display import likeness
from simsieve.errors import ConfigError
from simsieve.evaluate.metrics import cluster_score, similarities_from
from simsieve.fingerprints import cut_blocks, hex_digits
from simsieve.json_values import bytes_text, exact_line, exact_text, exact_values, utf8_of, value_at
from simsieve.progress import rate_text
from simsieve.registry import DISK, databases, format_of, in_database, store_of
from simsieve.report.html import changed_settings
from simsieve.report.page import Html, tag
from simsieve.report.table import columned
from simsieve.results.arrow import cluster_sizes, grouped, heads
from simsieve.run.forecast import expected_recall, memory_bound
from simsieve.run.schemes import only_criterion
from simsieve.schemes.criteria import criteria_of, threshold_apart
from simsieve.screen import wrapped
from simsieve.sinks.base import Rows, by_source, can_be_taken_back
from simsieve.sinks.checks import Sinks
from simsieve.sinks.fields import lacking_field
from simsieve.sinks.kept import has_files
from simsieve.sinks.names import ending_of, format_and_packing, is_part, part_name
from simsieve.sinks.records import free_names
from simsieve.sinks.tables import kind_of, table_format
from simsieve.sources import fields, folders
from simsieve.sources.base import format_given
from simsieve.stores.mongo.reading import spool_fields
from simsieve.stores.mongo.values import may_have, with_elements
from simsieve.text.checks import advice_on, written_fields

DEFAULT = DedupConfig()
LABELS = np.array([5, 5, 7])
DECIDED = np.array([0, 1, 2], np.uint8), np.array([0, 0, -1])

CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (read_bits, ("1010",), 10),
    (decimal_fingerprint, (255, 64), "00000000000000000255"),
    (error_text, (ConfigError("{@max_distance} 200 is not allowed"),), "--max-distance 200 is not allowed"),
    (are_pages, (["index.html", "about.htm"],), True),
    (are_pages, (["corpus.jsonl"],), False),
    (safe_cell, ("=1+2",), "'=1+2"),
    (safe_cell, ("-5",), "-5"),
    (safe_cell, ("a=b",), "a=b"),
    (given_cell, ("'=1+2",), "=1+2"),
    (given_cell, ("'tis",), "'tis"),
    (likeness, (0.91234, 3), "similarity 0.9123, 3 bits apart"),
    (likeness, (None, 1), "1 bit apart"),
    (likeness, (None, None), ""),
    (similarities_from, (0.98, 0.01), [0.98, 0.99, 1.0]),
    (bytes_text, ("é".encode(),), "é"),
    (bytes_text, (b"\xff",), "/w=="),
    (value_at, ({"a": {"b": 1}, "a.c": 2}, "a.b"), 1),
    (value_at, ({"a": {"b": 1}, "a.c": 2}, "a.c"), 2),
    (utf8_of, ('"\ud800é"',), b'"\\ud800\xc3\xa9"'),
    (rate_text, (20_000_000.0, 0.2), ""),
    (rate_text, (2500.0, 3.0), "2,500/s"),
    (store_of, ("kept.jsonl",), DISK),
    (store_of, (["a text"],), DISK),
    (in_database, ("mongodb://host/exams.questions",), True),
    (in_database, ("s3://bucket/kept.jsonl",), False),
    (databases, ("kept.jsonl", None), []),
    (format_of, ("a.jsonl.gz",), None),
    (changed_settings, (DedupConfig(seed=7),), [("seed", 7)]),
    (tag, ("p", "a < b", Html("<hr>")), "<p>a &lt; b<hr></p>"),
    (columned, ([("scheme", "F1"), ("words64", "0.9")],), "scheme    F1\nwords64  0.9"),
    (grouped, (np.array([3, 1, 3]), np.array([0, 1, 4]), 2), {3: [0, 4]}),
    (expected_recall, ({"recall_of_equals": 0.98, "recall_of_sample": None},), 0.98),
    (memory_bound, (DedupConfig(memory="2GiB"),), 2_147_483_648),
    (threshold_apart, ("chars64@3bits",), ("chars64", "@3bits")),
    (threshold_apart, ("of@home.toml",), ("of@home.toml", "")),
    (wrapped, ("two words", 5), ["two", "words"]),
    (wrapped, ("保留的记录。", 6), ["保留的", "记录。"]),
    (exact_line, (exact_values(b'{"a": 1.50}'),), b'{"a":1.50}'),
    (exact_line, ({"a": ["é", None]},), '{"a":["é",null]}'.encode()),
    (exact_text, (exact_values(b'{"a":1.50}')["a"],), "1.50"),
    (lacking_field, (["@text", "a.b.c:x", "title"], ["id", "a.b"]), "title"),
    (can_be_taken_back, ("kept.jsonl",), True),
    (can_be_taken_back, ("-",), False),
    (can_be_taken_back, ("/dev/null",), False),
    (has_files, ("kept.jsonl", ["in.jsonl"], Sinks(), DEFAULT), False),
    (has_files, ("kept/", ["a.jsonl", "b.jsonl"], Sinks(), DEFAULT), True),
    (format_and_packing, ("a.csv.gz",), ("csv", ".gz")),
    (format_and_packing, ("a.ndjson",), ("jsonl", "")),
    (format_and_packing, ("a.log",), (None, "")),
    (ending_of, ("jsonl", ".zst"), ".jsonl.zst"),
    (ending_of, ("parquet", ".zst"), ".parquet"),
    (part_name, (7, ".jsonl"), "part-00007.jsonl"),
    (is_part, ("part-00007.jsonl", ".jsonl"), True),
    (is_part, ("parts.jsonl", ".jsonl"), False),
    (free_names, (["decision", "group"], ["id", "group"]), {"decision": "decision", "group": "simsieve_group"}),
    (table_format, ("why.csv",), "csv"),
    (table_format, ("-",), None),
    (kind_of, ([1, None, 2.5],), "float"),
    (format_given, ("a.py", DedupConfig(each="line")), "txt"),
    (format_given, ("a.py", DEFAULT), None),
    (fields.text_fields, (DedupConfig(scheme="external64", max_distance=3), ["id", "fingerprint"]), ("fingerprint",)),
    (fields.near_field, ("CONTENT", ["id", "content"]), "content"),
    (fields.rule_of, ("answer", ("subject",)), "differ"),
    (fields.shown_fields, (["id", "body"],), "'id', 'body'"),
    (fields.has_field, ({"a": {"b": 1}}, "a.b"), True),
    (fields.has_field, ({"a.b": 1}, "a.b"), False),
    (fields.has_field, ({"a": [{"b": 1}]}, "a.*.b"), True),
    (fields.inner_names, ("a", {"b": 1}), ["a.b"]),
    (fields.inner_names, ("a", [{"b": 1}]), ["a.*.b"]),
    (fields.inner_names, ("a", ["one"]), ["a.*"]),
    (fields.inner_names, ("a", 1), []),
    (folders.counts_by, (Counter({".jsonl.zst": 8, ".csv": 1}),), "8 .jsonl.zst, 1 .csv"),
    (folders.files_in, ("no-such-folder", None), ([], Counter())),
    (folders.ending_of, ("a.jsonl.zst",), ".jsonl.zst"),
    (folders.ending_of, ("a.py",), ".py"),
    (folders.ending_of, ("Makefile",), ""),
    (folders.common_folder, (["in/a/x.py", "in/b/y.py"],), "in"),
    (folders.common_folder, (["x.py"],), ""),
    (with_elements, (b"\x05\0\0\0\0", b"\x0aa\0"), b"\x08\x00\x00\x00\na\x00\x00"),
    (may_have, (b"\x0c\0\0\0\x10ab\0\x01\0\0\0\0", "ab"), True),
    (may_have, (b"\x05\0\0\0\0", "ab"), False),
    (written_fields, ({"id": 1, "hash": {"p": b"ab"}}, ["hash.p"], {"bytes"}), {"id": 1, "hash": {"p": "YWI="}}),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), CASES)
def test_a_small_function_gives_what_its_name_says(
    function: Callable[..., Any], arguments: tuple[Any, ...], expected: Any
) -> None:
    """Each value of the table is what its function gives."""
    assert function(*arguments) == expected


def test_columns_of_clusters_have_the_kept_record_of_each() -> None:
    """A kept record is its own head, a copy has that of its representative, and a failed one has none."""
    assert heads(*DECIDED).tolist() == [0, 0, -1]
    assert cluster_sizes(np.array([0, 0, 2, -1, 9])).tolist() == [2, 0, 1, 0, 0]
    assert cluster_score(np.array([0, 0, 1]), LABELS).adjusted_rand == 1.0


def test_fingerprints_are_cut_and_written_from_their_most_significant_digit() -> None:
    """Blocks and digits of hex begin with the most significant bits."""
    assert cut_blocks(np.array([[0xABCD]], dtype=np.uint64), 16, 4).tolist() == [[10, 11, 12, 13]]
    assert hex_digits(np.array([[0xABC]], dtype=np.uint64), 12).tobytes() == b"abc"
    assert len(decimal_fingerprint(2**128 - 1, 128)) == 39


def test_rows_are_cut_by_source() -> None:
    """Consecutive records go to the sources that have them; a source without records gets none."""
    cut = by_source(Rows(1, np.ones(4, bool)), [2, 0, 3])

    assert [(source, rows.first, len(rows.wanted)) for source, rows in cut] == [(0, 1, 1), (2, 0, 3)]


def test_thresholds_go_to_the_criteria_without_one() -> None:
    """A default similarity is that of criteria without a threshold; a distance in the settings is that of the run."""
    assert list(map(str, criteria_of(["chars64", "dom64@3bits"], None, None, 0.65))) == ["chars64@0.65", "dom64@3bits"]
    assert str(only_criterion(DedupConfig(max_distance=3), "a plan")) == "chars128@3bits"


def test_what_is_lacking_is_told_with_what_there_is() -> None:
    """A message on a field that is not there has the fields that are."""
    assert fields.with_fields("the record has no field", "'a'", None, ["b"]) == (
        "the record has no field 'a': the fields are 'b'"
    )
    assert fields.lacking_field([{"body": "a text"}], ["Body"]) == (
        "none of the first 1 documents has a field 'Body': did you mean 'body'? The fields are 'body'"
    )
    assert "simsieve.CustomScheme(features='tokens')" in advice_on(["a", "b"], ())
    assert "external64:format=int" in advice_on(7, {"hex"})


def test_the_spool_has_the_fields_that_the_run_reads() -> None:
    """A collection's documents are spooled with their text, keep field and label."""
    assert list(spool_fields(DedupConfig(text_field="body", keep=("max:date",))).values()) == [
        ("body", "text"),
        ("date", "value"),
        ("_id", "label"),
        ("_id", "packed"),
    ]
    assert spool_fields(DedupConfig(text_field="messages.*.content"))["messages"] == ("messages", "text")
