"""Fingerprints that the user brings: what `external` schemes take, find, refuse and say."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.conftest import Program
from tests.property.plain import walked

from simsieve import ConfigError, Fingerprinter, TextError, dedup, find_pairs, similarity

FORMS: dict[str, Callable[[int], str]] = {
    "hex": lambda value: f"{value:016x}",
    "int": str,
    "bits": lambda value: f"{value:064b}",
}


@given(
    st.lists(st.integers(0, 2**64 - 1).flatmap(lambda x: st.sampled_from([x, x ^ 1, x & 0xFF])), max_size=40),
    st.integers(0, 8),
    st.sampled_from(sorted(FORMS)),
)
def test_a_run_keeps_what_the_plain_walk_keeps(values: list[int], bound: int, form: str) -> None:
    """Whatever the form, what is kept is what a walk over the numbers keeps."""
    texts = [FORMS[form](value) for value in values]
    result = dedup(texts, scheme=f"external64:format={form}", max_distance=bound)

    assert list(result.kept) == walked(len(values), lambda a, b: (values[a] ^ values[b]).bit_count() <= bound)
    assert result.counts.exact == len(values) - len(set(values))


def test_records_that_hold_no_fingerprint_fail_alone(simsieve: Program) -> None:
    """Each bad record fails with its reason, the others are decided, and the books balance."""
    rows = ['"ff"', '"FF"', '"1ff"', '"xyz"', '""', "null", "255", '"0"']
    simsieve.file("in.jsonl", "".join(f'{{"id": {n}, "text": {row}}}\n' for n, row in enumerate(rows)) + '{"id": 8}\n')
    run = ("--scheme", "external8", "--max-distance", "2", "--max-failed", "100%", "--quiet")
    done = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--failed", "failed.jsonl", "--json", *run)
    summary = json.loads(done.out)
    failed = simsieve.rows("failed.jsonl")

    assert done.code == 0, done.err
    assert (summary["read"], summary["kept"], summary["exact_duplicates"], summary["failed"]) == (9, 2, 1, 6)
    codes = ["unusable_text"] * 3 + ["text_not_string"] * 2 + ["no_text_field"]
    assert [(row["position"], row["code"]) for row in failed] == list(zip((2, 3, 4, 5, 6, 8), codes, strict=True))
    assert "it is wider; format=hex takes up to 2 digits" in failed[0]["message"]
    prints = simsieve("fingerprint", "in.jsonl", "--scheme", "external8", "--max-failed", "100%", "--quiet")
    assert prints.out == b"0\tff\n1\tff\n7\t00\n"
    pairs = simsieve("pairs", "in.jsonl", *run)
    assert list(json.loads(pairs.out).values()) == [0, 1, 0, None, 0, 0, False]


def test_whole_numbers_are_taken_under_int(simsieve: Program) -> None:
    """A JSON integer is a fingerprint under format=int, as long as it fits; a fraction is none."""
    simsieve.file("in.jsonl", '{"text": 18446744073709551615}\n{"text": 18446744073709551614}\n{"text": 1.5}\n')
    run = ("--scheme", "external64:format=int", "--max-distance", "1", "--max-failed", "1", "--json", "--quiet")
    summary = json.loads(simsieve("dedup", "in.jsonl", "-o", "out.jsonl", *run).out)

    assert (summary["kept"], summary["near_duplicates"], summary["failed"]) == (1, 1, 1)


@pytest.mark.parametrize("settings", [{}, {"similarity": 0.8}])
def test_a_similarity_is_refused_with_what_to_give(settings: dict[str, Any]) -> None:
    """Neither the default nor a given similarity has a meaning, and the error says to give max_distance."""
    for call in (dedup, find_pairs):
        with pytest.raises(ConfigError, match="give max_distance, in bits from 0 to 63"):
            call(["ff"], scheme="external64", **settings)
    with pytest.raises(ConfigError, match="no features"):
        similarity("ff", "fe", scheme="external64")


def test_the_first_bad_text_is_named() -> None:
    """A transform names the text by its index, whichever batch or thread meets one."""
    texts = ["ff"] * 9000 + ["first"] + ["second"] * 3000
    for threads, batch in ((1, 7), (2, 0), (2, 20_000)):
        with pytest.raises(TextError, match=r'^text 9000: "first" is no fingerprint'):
            Fingerprinter("external64").transform(texts, threads=threads, batch=batch)
    with pytest.raises(TextError, match=r'^text 1: "first" is no fingerprint'):
        Fingerprinter("external64").transform(texts[8999:9002])


def test_compare_tells_the_distance_alone(simsieve: Program) -> None:
    """Two fingerprints have a distance and no similarity; a text that is none is an error that names it."""
    told = json.loads(simsieve("compare", "--text", "ff", "f0", "--scheme", "external64", "--json").out)
    wrong = simsieve("compare", "--text", "ff", "fx", "--scheme", "external64")

    assert (told["distance"], told["similarity"]) == (4, None)
    assert (told["jaccard"], told["edit"]) == (None, None)
    assert told["edit_note"] == "the scheme takes fingerprints, not texts"
    assert (wrong.code, wrong.err.split(":")[:2]) == (2, ["simsieve", " B"])


def test_many_equal_fingerprints_are_copies_of_the_first() -> None:
    """A hundred thousand of one fingerprint cost a look each."""
    values = np.zeros(100_000, dtype=np.uint64)
    result = dedup((str(value) for value in values), scheme="external64:format=int", max_distance=3)

    assert (result.counts.kept, result.counts.exact, result.counts.verified) == (1, 99_999, 0)
