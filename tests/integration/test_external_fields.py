"""Fingerprints that the user brings in fields that hold them as they are: whole numbers and packed bytes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.integration.conftest import Program

from simsieve import ConfigError, Fingerprinter, dedup, find_pairs, fingerprint

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

VALUES = [0, 1, 2**64 - 1, 2**64 - 2, 0b111000]
PAIRS = [(0, 1, 1), (0, 4, 3), (2, 3, 1)]
PACKED = [value.to_bytes(8, "big") for value in VALUES]


def pairs_of(source: Any, form: str, **settings: Any) -> list[tuple[int, int, int | None]]:
    """The pairs within 3 bits."""
    found = find_pairs(source, scheme=f"external64:format={form}", max_distance=3, **settings)
    assert not found.failures()
    return [(pair.a_position, pair.b_position, pair.distance) for pair in found]


@pytest.mark.parametrize(
    ("kind", "form"),
    [("uint64", "int"), ("decimal", "int"), ("string", "int"), ("binary", "bytes"), ("large_binary", "bytes"),
     ("fixed", "bytes"), ("view", "bytes"), ("dictionary", "bytes"), ("base64", "bytes")],
)  # fmt: skip
def test_columns_hold_fingerprints(kind: str, form: str) -> None:
    """Whole numbers stand in columns of numbers, packed bytes in columns of bytes, whatever these are called."""
    column = {
        "uint64": lambda: pa.array(VALUES, pa.uint64()),
        "decimal": lambda: pa.array(VALUES, pa.decimal128(20, 0)),
        "string": lambda: pa.array(list(map(str, VALUES))),
        "binary": lambda: pa.array(PACKED, pa.binary()),
        "large_binary": lambda: pa.array(PACKED, pa.large_binary()),
        "fixed": lambda: pa.array(PACKED, pa.binary(8)),
        "view": lambda: pa.array(PACKED, pa.binary_view()),
        "dictionary": lambda: pa.array(PACKED, pa.binary()).dictionary_encode(),
        "base64": lambda: pa.array(["AAAAAAAAAAA=", "AAAAAAAAAAE=", "//////////8=", "//////////4=", "AAAAAAAAADg="]),
    }[kind]()
    assert pairs_of(pa.table({"text": column}), form) == PAIRS
    assert pairs_of(pa.table({"hash": column}), form, text_field="hash") == PAIRS


def test_frames_hold_fingerprints() -> None:
    """Frames of pandas and polars too, and their series."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for values, form in ((np.array(VALUES, np.uint64), "int"), (PACKED, "bytes")):
        assert pairs_of(pandas.DataFrame({"text": values}), form) == PAIRS
        assert pairs_of(polars.DataFrame({"text": values}), form) == PAIRS
        assert pairs_of(pandas.Series(values), form) == PAIRS
        assert pairs_of(polars.Series(values), form) == PAIRS
    assert pairs_of(pandas.DataFrame({"text": pandas.array([1, 3], "Int64")}), "int") == [(0, 1, 1)]


HELD: dict[str, Callable[[list[Any]], tuple[Any, dict[str, Any]]]] = {
    "list": lambda values: (values, {}),
    "records": lambda values: ([{"id": at, "text": value} for at, value in enumerate(values)], {}),
    "inner fields": lambda values: ([{"a": {"b": value}} for value in values], {"text_field": "a.b"}),
    "array": lambda values: (np.array(values, np.uint64), {}),
    "records of an array": lambda values: ([{"text": value} for value in np.array(values, np.uint64)], {}),
}
"""How numbers or bytes are handed over; arrays hold numbers alone."""
WAYS = [(way, form) for way in HELD for form in ("int", "bytes") if form == "int" or "array" not in way]


@pytest.mark.parametrize(("way", "form"), WAYS)
@strategies.examples(0.2)
@given(st.lists(st.integers(0, 2**64 - 1).flatmap(lambda x: st.sampled_from([x, x ^ 1, x & 0xFF])), max_size=30))
def test_lists_and_records_hold_fingerprints(way: str, form: str, values: list[int]) -> None:
    """Numbers and bytes in lists and records give the pairs that their digits give."""
    source, more = HELD[way]([value.to_bytes(8, "big") for value in values] if form == "bytes" else values)
    assert pairs_of(source, form, **more) == pairs_of([f"{value:016x}" for value in values], "hex")


@given(st.lists(st.integers(0, 2**200 - 1), min_size=1, max_size=9))
def test_fingerprints_are_made_of_numbers_and_bytes(values: list[int]) -> None:
    """One at a time and in batches the fingerprint is the number that was given, in digits too."""
    packed, hexes = [value.to_bytes(25, "big") for value in values], [f"{value:x}" for value in values]
    for items, form in ((values, "int"), (packed, "bytes"), (hexes, "hex"), (list(map(str, values)), "int")):
        spec = f"external200:format={form}"
        made = Fingerprinter(spec).transform(items)
        assert [print_ and print_.value for print_ in made] == values
        assert [print_ and print_.value for print_ in (fingerprint(item, spec) for item in items)] == values


def test_what_comes_in_goes_out() -> None:
    """Kept items of a list are those that were given; in kept records a number and bytes stay such."""
    settings: dict[str, Any] = {"max_distance": 0}
    packed = dedup([b"\0\1", b"\0\1", b"\0\2"], scheme="external16:format=bytes", **settings)
    numbers = dedup([{"text": 1}, {"text": 1}], scheme="external16:format=int", **settings)
    records = dedup([{"text": b"\0\1"}], scheme="external16:format=bytes", **settings)

    assert packed.kept_rows() == [b"\0\1", b"\0\2"]
    assert numbers.kept_rows() == [{"text": 1}]
    assert records.kept_rows() == [{"text": b"\0\1"}]


def test_values_that_are_no_fingerprints_fail_alone(tmp_path: Path, simsieve: Program) -> None:
    """Too short, too wide, negative or missing: each record fails with a message of its own, and the run goes on."""
    parquet.write_table(pa.table({"text": [b"\0\1", b"\1", b"\xff\xff", None, b""]}), tmp_path / "bytes.parquet")
    parquet.write_table(pa.table({"text": pa.array([1, -1, 70_000, None, 3])}), tmp_path / "whole.parquet")
    run = ("--max-distance", "0", "--max-failed", "100%", "--quiet")
    simsieve("dedup", "bytes.parquet", "-o", "a.parquet", "--failed", "a", "--scheme", "external12:format=bytes", *run)
    simsieve("dedup", "whole.parquet", "-o", "b.parquet", "--failed", "b", "--scheme", "external16:format=int", *run)
    failed = {name: [json.loads(line) for line in (tmp_path / name).read_text().splitlines()] for name in ("a", "b")}

    codes = {name: [(row["position"], row["code"]) for row in rows] for name, rows in failed.items()}
    bad = "unusable_text"
    assert codes["a"] == [(1, bad), (2, bad), (3, "text_not_string"), (4, bad)]
    assert codes["b"] == [(1, bad), (2, bad), (3, "text_not_string")]
    messages = [row["message"] for rows in failed.values() for row in rows]
    for message, part in zip(
        messages,
        ["it has 1 bytes; format=bytes takes 2 bytes", "it is wider", "is null", "it has 0 bytes", "'-' is no digit",
         "it is wider", "is null"],
        strict=True,
    ):  # fmt: skip
        assert part in message
        assert "iconv" not in message
    assert parquet.read_table(tmp_path / "a.parquet").column("text").to_pylist() == [b"\0\1"]


def test_items_that_are_no_fingerprints_fail_alone() -> None:
    """In a list as in a file; a number of any length too."""
    cases: list[tuple[list[Any], str]] = [
        ([1, -1, 2**64, 10**5000, 3, "x"], "int"),
        ([b"\0" * 8, b"", b"\0" * 9, "text"], "bytes"),
    ]
    for items, form in cases:
        result = dedup(items, scheme=f"external64:format={form}", max_distance=0, max_failed="100%")
        assert result.counts.failed == len(items) - (2 if form == "int" else 1)
        assert {code for _, code, _ in result.failures()} == {"unusable_text"}


@pytest.mark.parametrize(
    ("column", "form", "part"),
    [
        ([1, 2], "hex", "of type int64, and text is needed; for whole numbers give format=int"),
        ([1.0, 2.5], "int", "whole numbers are needed; read or convert the column as uint64"),
        (pa.array([b"ab"], pa.binary(2)), "hex", "for packed bytes give format=bytes"),
        (pa.array([b"ab"], pa.binary(2)), None, "and text is needed; name another column"),
        ([1, 2], "bytes", "for whole numbers give format=int"),
    ],
)
def test_columns_of_another_kind_say_which_format_takes_them(column: Any, form: str | None, part: str) -> None:
    """A column that the format does not take is refused with the one that does."""
    scheme = "chars64" if form is None else f"external64:format={form}"
    with pytest.raises(ConfigError, match=part):
        find_pairs(pa.table({"text": column}), scheme=scheme, max_distance=3)


def test_items_of_another_kind_say_which_format_takes_them() -> None:
    """So do lists, records and JSON numbers; schemes on texts say nothing of formats."""
    for source in ([1], [{"text": np.uint64(1)}]):
        with pytest.raises(TypeError, match="whole numbers under format=int, such as external64:format=int"):
            find_pairs(source, scheme="external64", max_distance=3)
    for packed in ([b"ab"], [{"text": b"ab"}]):
        with pytest.raises(TypeError, match="packed bytes under format=bytes, such as external64:format=bytes"):
            find_pairs(packed, scheme="external64", max_distance=3)
        with pytest.raises(TypeError) as caught:
            find_pairs(packed)
        assert "format" not in str(caught.value)
    ((_, code, message),) = find_pairs([{"text": 1}], scheme="external64", max_distance=3).failures()
    assert code == "text_not_string"
    assert "give format=int for whole numbers, such as external64:format=int" in message


def test_packed_bytes_under_another_format_are_told_of_it() -> None:
    """A column of bytes that are no text, under a format of digits, is not sent to iconv."""
    result = dedup(pa.table({"text": [b"\xff" * 8, b"ff"]}), scheme="external64", max_distance=3, max_failed="1")
    ((_, code, message),) = result.failures()

    assert (code, "iconv" in message) == ("invalid_utf8", False)
    assert "for a column of packed bytes give format=bytes" in message


@pytest.mark.parametrize("name", ["prints.tsv", "prints.csv", "prints.jsonl", "prints.parquet"])
def test_what_fingerprint_writes_is_read_again(name: str, tmp_path: Path, simsieve: Program) -> None:
    """Without a text field named, the column `fingerprint` is read; in Python and of old documents too."""
    simsieve.file("in.jsonl", "".join(f'{{"id": "n{at}", "text": "some words {at // 2}"}}\n' for at in range(4)))
    assert simsieve("fingerprint", "in.jsonl", "-o", name, "--quiet").code == 0
    run = ("--scheme", "external128", "--max-distance", "0", "--quiet", "--json")
    done = simsieve("dedup", name, "-o", f"kept-{name}", *run)
    (tmp_path / f"old-{name}").write_bytes((tmp_path / name).read_bytes())
    against = simsieve("dedup", name, "-o", f"new-{name}", "--against", f"old-{name}", *run)
    kept = dedup(tmp_path / name, scheme="external128", max_distance=0).kept.tolist()

    assert (done.code, json.loads(done.out)["kept"]) == (0, 2), done.err
    assert kept == [0, 2]
    assert (against.code, json.loads(against.out)["kept"]) == (0, 0), against.err


def test_a_field_that_is_named_or_usual_comes_first() -> None:
    """The field `fingerprint` is read only where there is no `text`, and where the user names none."""
    both = [{"text": "ff", "fingerprint": "00"}, {"text": "ff", "fingerprint": "01"}]
    assert dedup(both, scheme="external8", max_distance=0).counts.exact == 1
    assert dedup(both, scheme="external8", max_distance=0, text_field="fingerprint").counts.exact == 0
    for form, values in (("int", [7, 7]), ("bytes", [b"\7", b"\7"]), ("hex", ["7", "07"])):
        alone = [{"fingerprint": value} for value in values]
        scheme = f"external8:format={form}"
        assert dedup(alone, scheme=scheme, max_distance=0).counts.exact == 1
        assert dedup(pa.table({"fingerprint": values}), scheme=scheme, max_distance=0).counts.exact == 1
        assert dedup(alone, against=alone[:1], scheme=scheme, max_distance=0).counts.kept == 0
    with pytest.raises(ConfigError, match="no column 'text'"):
        dedup(pa.table({"fingerprint": ["ff"]}), scheme="chars64")


def test_the_bare_name_has_64_bits() -> None:
    """`external` is `external64`, with one digest; each format has a digest of its own."""
    assert Fingerprinter("external").scheme == "external64"
    assert Fingerprinter("external:format=bytes").digest == Fingerprinter("external64:format=bytes").digest
    forms = ("hex", "int", "base64", "bits", "bytes")
    assert len({Fingerprinter(f"external64:format={form}").digest for form in forms}) == len(forms)
