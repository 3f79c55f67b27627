"""The typed settings: equal to the table, and a type checker refuses what is none."""

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from tests.docs.test_pages import FAILURE

from simsieve.config import typed
from simsieve.config.formats import FORMATS
from simsieve.config.near_rows import COMBINE, DEFAULTS
from simsieve.config.settings import SETTINGS
from simsieve.results.dedup import RETHRESHOLD_SETTINGS
from simsieve.run.fit import READ_SETTINGS
from simsieve.schemes.scheme import EXTRACTS
from simsieve.types import FailureCode, SimilarityMeasure

CLOSED: list[tuple[Any, tuple[str, ...]]] = [
    (typed.Combine, COMBINE),
    (typed.Extract, EXTRACTS),
    (typed.Format, FORMATS),
    (SimilarityMeasure, tuple(DEFAULTS)),
]
OPENING = "import simsieve, simsieve.results\n"


def test_the_types_are_those_of_the_table() -> None:
    """Each row has its name, the type that its options are read as, and None where that is its default."""
    hints = get_type_hints(typed.Settings)

    assert set(hints) == set(SETTINGS)
    for name, setting in SETTINGS.items():
        allowed = get_args(hints[name]) or (hints[name],)
        words = [value for kind in allowed for value in (kind, *get_args(kind)) if isinstance(value, str)]
        assert setting.kind in allowed or (setting.kind is str and words), name
        assert (type(None) in allowed) == (setting.default is None), name


def test_parts_of_the_table_are_those_that_functions_take() -> None:
    """`fit` and `rethreshold` refuse at run time what their types do not have, and nothing else."""
    assert set(get_type_hints(typed.FitSettings)) == set(READ_SETTINGS)
    assert set(READ_SETTINGS) == {name for name, row in SETTINGS.items() if "fit" in row.of}
    assert set(get_type_hints(typed.RethresholdSettings)) == set(RETHRESHOLD_SETTINGS)


@pytest.mark.parametrize(("literal", "table"), CLOSED)
def test_closed_words_are_those_that_are_checked(literal: Any, table: tuple[str, ...]) -> None:
    """The words of a literal type are the allowed ones, in their order."""
    assert get_args(literal) == tuple(table)


def test_failure_codes_are_those_of_the_core(root: Path) -> None:
    """The literal type has each code that a record may fail with, and no other."""
    source = (root / "crates/simsieve-core/src/source/failure.rs").read_text(encoding="utf-8")
    assert set(get_args(FailureCode)) == set(FAILURE.findall(source))


@pytest.mark.slow
def test_a_type_checker_knows_the_settings(tmp_path: Path, root: Path) -> None:
    """Mypy refuses names and values that are none, line by line, and takes what is right."""
    wrong = {
        'simsieve.dedup(["a"], similarty=0.8)': 'did you mean "similarity"?',
        'simsieve.dedup(["a"], similarity="0.8")': '"similarity" to "dedup" has incompatible type "str"',
        'simsieve.find_pairs(["a"], max_distance=0.5)': '"max_distance" to "find_pairs" has incompatible type "float"',
        'simsieve.dedup(["a"], measure="hamming")': '"measure" to "dedup" has incompatible type',
        'simsieve.dedup(["a"], input_format="xlsx")': '"input_format" to "dedup" has incompatible type',
        'simsieve.fit(["a"], seed=7)': 'Unexpected keyword argument "seed"',
        "simsieve.plan(['a'], kep='first')": 'did you mean "keep"?',
        'simsieve.dedup(["a"]).rethreshold(recall=0.9)': 'Unexpected keyword argument "recall"',
        'simsieve.similarity("a", "b", measure="dice")': '"measure" to "similarity" has incompatible type',
        'simsieve.dedup(["a"]).kept_rows().columns': 'has no attribute "columns"',
        'simsieve.dedup(["a"]).thresholds()[0].keptt': 'has no attribute "keptt"',
        "simsieve.Scheme(features='words')": 'Unexpected keyword argument "features"',
    }
    right = [
        'simsieve.dedup(["a"], similarity=0.8, keep=["longest", "first"], scheme=simsieve.Scheme("chars64"))',
        'simsieve.dedup(["a"], scheme=["chars64", simsieve.Criterion("words64", 0.5), simsieve.CustomScheme("mine")])',
        'simsieve.dedup("a.jsonl", **(simsieve.settings_from("run.toml") | {"seed": 7}))',
        "counts: simsieve.results.Counts = simsieve.dedup(['a']).counts",
        "pairs: simsieve.results.Pairs = simsieve.find_pairs(['a'])",
        "found: list[simsieve.results.Pair] = list(pairs)",
        "rows: list[str] = simsieve.dedup(['a']).kept_rows(list)",
        "pair: simsieve.results.ReviewPair = simsieve.dedup(['a']).review(around=0.8)[0]",
    ]
    file = tmp_path / "use.py"
    file.write_text(OPENING + "\n".join([*wrong, *right]) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "--cache-dir",
         str(tmp_path / "cache"), "--no-error-summary", "--no-pretty", str(file)],
        capture_output=True, text=True, cwd=root, check=False,
    )  # fmt: skip
    told: dict[int, str] = {}
    for line in done.stdout.splitlines():
        number, _, text = line.partition("use.py:")[2].partition(":")
        told[int(number)] = told.get(int(number), "") + text

    assert sorted(told) == list(range(2, 2 + len(wrong))), done.stdout
    for at, part in enumerate(wrong.values(), 2):
        assert part in told[at], told[at]
