"""What a person meets first in Python: signatures, errors without internal frames, and measurements as functions."""

import inspect
import logging
import multiprocessing
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simsieve
from simsieve import ConfigError, Fingerprinter, HammingIndex, SimsieveError, fingerprint
from simsieve.config.settings import SETTINGS

RECORDS = [
    {"text": text, "group": group}
    for group, texts in enumerate(
        [("the old mill by the river", "the old mill by the rivers"), ("a quiet road in May", "a quiet road in May.")]
    )
    for text in texts
]


@pytest.mark.parametrize(
    "function",
    [simsieve.dedup, simsieve.find_pairs, simsieve.plan, simsieve.calibrate, simsieve.evaluate_labels, simsieve.fit],
)
def test_a_signature_names_the_settings(function: Any) -> None:
    """Each setting is a keyword with the default of the table, so that a shell completes it; help fits a screen."""
    parameters = inspect.signature(function).parameters
    shown = {name: parameters[name].default for name in SETTINGS if name in parameters}

    assert shown == {name: SETTINGS[name].default for name in shown}
    assert len(shown) == (19 if function is simsieve.fit else len(SETTINGS))
    assert len(str(inspect.signature(function))) < 1500


def mistakes(folder: Path) -> list[tuple[str, Any]]:
    """Calls that are refused, each at another depth."""
    result = simsieve.dedup(["one text here"])
    return [
        ("source", lambda: simsieve.dedup("nosuch.jsonl")),
        ("value", lambda: simsieve.dedup(["a text"], similarity=80)),
        ("name", lambda: simsieve.dedup(["a text"], similarty=0.8)),  # type: ignore[call-arg]
        ("type", lambda: simsieve.dedup(["a text", 5])),  # type: ignore[arg-type]
        ("pairs", lambda: simsieve.find_pairs("nosuch.jsonl")),
        ("plan", lambda: simsieve.plan("nosuch.jsonl")),
        ("fit", lambda: simsieve.fit(["a text"], keep="first")),  # type: ignore[call-arg]
        ("write", lambda: result.write(folder / "no" / "such" / "kept.jsonl")),
        ("report", lambda: result.report("report.txt")),
        ("rethreshold", lambda: result.rethreshold(similarity=0.1)),
        ("review", lambda: result.review(around=0.1)),
        ("calibrate", lambda: simsieve.calibrate(["a text"])),
        ("labels", lambda: simsieve.evaluate_labels(RECORDS)),
        ("index", lambda: simsieve.Index.create(folder / "index", "nosuch.jsonl")),
    ]


def test_an_error_shows_no_internal_frames(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The traceback ends at the call; what caused the error is its context, and all frames are in the log."""
    for name, call in mistakes(tmp_path):
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "simsieve"), pytest.raises((SimsieveError, TypeError)) as raised:
            call()
        frames = [frame.filename for frame in traceback.extract_tb(raised.value.__traceback__)]
        assert {Path(frame).name for frame in frames} == {Path(__file__).name}, name
        assert "".join(traceback.format_exception(raised.value)).count("Traceback") == 1
        assert any(record.exc_info and "simsieve" in record.name for record in caplog.records), name


def test_the_cause_stays_reachable(tmp_path: Path) -> None:
    """An error of the system behind an error is its context, which no traceback shows."""
    (tmp_path / "run.toml").write_text("similarity = [", encoding="utf-8")
    with pytest.raises(SimsieveError) as raised:
        simsieve.dedup(["a text"], scheme=str(tmp_path / "run.toml"))
    error = raised.value
    assert error.__suppress_context__ and error.__cause__ is None


def test_a_fault_keeps_its_frames() -> None:
    """An error that nobody foresaw, such as one of a user's function, shows where it was raised."""

    def stop(*_: Any) -> None:
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine") as raised:
        simsieve.dedup(["one text here"] * 3, progress=stop)
    assert len(traceback.extract_tb(raised.value.__traceback__)) > 2


def test_calibrate_and_labels_are_functions() -> None:
    """They give what the commands print, and settings for the next run."""
    chosen = simsieve.calibrate(RECORDS, labels="group", scheme=["chars64", "chars128"], least_recall=1.0)
    seen = simsieve.evaluate_labels(RECORDS, labels="group", **chosen.settings)

    assert [curve.scheme for curve in chosen.curves] == ["chars64", "chars128"]
    assert (seen.at.recall, seen.at.f1) == (1.0, chosen.choice.row.f1) == (1.0, 1.0)
    assert simsieve.dedup(RECORDS, **chosen.settings).kept.tolist() == [0, 2]
    assert "F1 1.0000" in repr(chosen) + repr(seen)
    assert "<table>" in chosen._repr_html_()
    assert "2 labelled pairs" in seen._repr_html_()
    with pytest.raises(ConfigError, match="labels come from one place"):
        simsieve.evaluate_labels(RECORDS, labels="group", pairs="pairs.csv")


LONG = [f"text number {at} of a call that needs threads" for at in range(2000)]
PRINTS = Fingerprinter("chars64")


@given(st.lists(st.text(max_size=80), max_size=12))
def test_a_call_of_few_texts_gives_the_bits_of_one_of_many(texts: list[str]) -> None:
    """The rows of few texts are those that they have among many, and those of one text a call."""
    few = PRINTS.transform(texts)

    assert list(few) == list(PRINTS.transform([*texts, *LONG]))[: len(texts)]
    assert list(few) == [fingerprint(text, "chars64") for text in texts]


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
