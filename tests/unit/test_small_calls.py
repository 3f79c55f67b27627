"""Calls of little work run on the calling thread, and all others on pools that last: no answer depends on which."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import Fingerprinter, HammingIndex, TextError, fingerprint

LONG = [f"text number {at} of a call that needs threads" for at in range(2000)]
PRINTS = Fingerprinter("chars64")


@given(st.lists(st.text(max_size=80), max_size=12))
def test_a_call_of_few_texts_gives_the_bits_of_one_of_many(texts: list[str]) -> None:
    """The rows of few texts are those that they have among many, and those of one text a call."""
    few = PRINTS.transform(texts)

    assert list(few) == list(PRINTS.transform([*texts, *LONG]))[: len(texts)]
    assert list(few) == [fingerprint(text, "chars64") for text in texts]


@pytest.mark.parametrize("more", [[], LONG], ids=["few", "many"])
def test_the_first_text_that_cannot_be_used_is_named(more: list[str]) -> None:
    """Whichever way a call runs, the error names the first of two texts that the scheme cannot use."""
    with pytest.raises(TextError, match="text 1:"):
        Fingerprinter("external64:format=hex").transform(["00" * 8, "no digits", "none", *["00" * 8 for _ in more]])


def test_one_query_finds_what_many_find() -> None:
    """An index answers queries one by one as it does all at once."""
    rows = np.random.default_rng(7).integers(0, 1 << 12, 3000, dtype=np.uint64)
    index = HammingIndex(rows, 1)
    queries, found, _ = index.query(rows)

    for at in range(0, len(rows), 100):
        assert index.query(rows[at : at + 1])[1].tolist() == found[queries == at].tolist()


def test_threads_of_python_have_a_pool_each() -> None:
    """Eight threads that call at once get the rows of one that calls alone."""
    alone = PRINTS.transform(LONG).values.tolist()

    with ThreadPoolExecutor(8) as threads:
        both = list(threads.map(lambda texts: PRINTS.transform(texts, threads=2).values.tolist(), [LONG] * 24))

    assert all(rows == alone for rows in both)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_starts_threads_of_its_own() -> None:
    """A process that was forked while a pool waited works on, as the worker of a web server or of joblib does."""
    expected = PRINTS.transform(LONG).values.tolist()

    with multiprocessing.get_context("fork").Pool(1) as workers:
        for _ in range(2):
            assert workers.apply_async(rows_of_long).get(timeout=60) == expected


def rows_of_long() -> list[list[int]]:
    """Give the rows, in another process."""
    rows: list[list[int]] = PRINTS.transform(LONG).values.tolist()
    return rows
