"""What all tests share: the Hypothesis profiles, the language and the development data.

SIMSIEVE_TEST_PROFILE=slow runs every property over 1,000 examples, all over 200; the default, fast, over 30.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# Messages are compared in English, whatever the language of who runs the tests.
os.environ["SIMSIEVE_LANG"] = "en"
SHARED_DATA = (ROOT / "../shared/data").resolve()

# No deadline: the machine that runs the tests may be busy with other work, and pytest-timeout guards against hanging.
settings.register_profile("fast", max_examples=30, deadline=None, print_blob=True)
settings.register_profile("all", max_examples=200, deadline=None, print_blob=True)
settings.register_profile(
    "slow", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("SIMSIEVE_TEST_PROFILE", "fast"))


# About half of the time of all tests, by file or folder, with the law that each holds: part of `make test-more`.
# Quicker tests of `make test`, most of them of the core, hold the same laws on smaller cases.
LONG = {
    "browser": "a page works in a real browser",
    "mongo": "a run on a real server of MongoDB is that of a file, killed and resumed too",
    "serve": "a service answers as its index does, whatever it is sent, and keeps what it acknowledged",
    "s3": "a run on a real object store is that of files, killed and resumed too",
    "docs/test_how_to.py": "each page of docs does what it shows",
    "docs/test_pipelines.py": "the steps for other packages' pipelines drop what they show",
    "integration/test_against.py": "new documents against old ones are decided as the naive loop does",
    "integration/test_app.py": "files that a person moves are at one place, come back, and replace nothing",
    "integration/test_assistants.py": "an assistant's client gets answers, and nothing that is not allowed",
    "integration/test_chinese.py": "no message under a Chinese language is half English",
    "integration/test_containment.py": "a directed measure decides as the plain loop through every command",
    "integration/test_decided_again.py": "a finished run decides as a fresh one",
    "integration/test_evaluation_mistakes.py": "mistakes in evaluations are told",
    "integration/test_external_fields.py": "fingerprints in fields are taken as they are",
    "integration/test_extras.py": "what is not needed is not asked for",
    "integration/test_fit.py": "a fitted model is that of its texts, from the command line too",
    "integration/test_formats.py": "every format in and out has the same records",
    "integration/test_hostile.py": "crowds and templates cost no square of their number",
    "integration/test_killed_sources.py": "a killed run goes on to the same bytes, whatever its sources are",
    "integration/test_lines.py": "repeated lines of files of every kind are removed, told and written",
    "integration/test_look.py": "the commands that look at a run show it",
    "integration/test_measure.py": "the Jaccard similarity decides as the plain loop through every command",
    "integration/test_mistakes.py": "a mistake ends the run with one line and no change of an output",
    "integration/test_one_scheme.py": "commands for one scheme refuse several",
    "integration/test_own_stops.py": "Ctrl-C ends functions of users",
    "integration/test_pages.py": "pages that cannot be used are told, the others printed",
    "integration/test_passages.py": "passages of files of every kind are found, told and written",
    "integration/test_pictures.py": "pictures are sifted by the hashes of the library, and pages show them",
    "integration/test_plan_for_dedup.py": "`plan` checks as `dedup` does",
    "integration/test_review_page.py": "a review that is served lets in who it should, and loses no verdict",
    "integration/test_rules.py": "blocks, differing fields and verdicts decide as the naive loop",
    "integration/test_run_directory.py": "a killed run goes on to the same bytes",
    "integration/test_shards.py": "shards in are shards out, with the same records",
    "integration/test_stops.py": "a full disk, a signal, a closed pipe and used up memory lose nothing",
    "integration/test_tables_of_results.py": "results and kept records have the same rows in every table",
    "integration/test_token_schemes.py": "schemes on tokens work in every command",
    "property/test_page_runs.py": "runs over pages decide as the plain walk of the definitions",
    "property/test_plans.py": "threads, batches and kernels change no byte",
    "unit/test_evaluate_edits.py": "edits are the paper's, and the figures those of a count by hand",
    "unit/test_segment_oracle.py": "words are those of jieba",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `LONG`."""
    for item in items:
        if not item.path.is_relative_to(ROOT / "tests"):
            continue
        path = item.path.relative_to(ROOT / "tests")
        if path.as_posix() in LONG or path.parts[0] in LONG:
            item.add_marker("long")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def examples() -> list[dict[str, Any]]:
    """The records of the examples."""
    lines = (ROOT / "examples/texts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the development data, real texts that do not come with the project; skips where it is not there."""
    if not SHARED_DATA.is_dir():
        pytest.skip("NOT TESTED ON REAL TEXTS: there is no ../shared/data beside the project's folder")
    return SHARED_DATA
