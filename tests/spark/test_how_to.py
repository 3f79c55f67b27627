"""What the page on Spark shows in Python is run."""

from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_readme import ROOT, blocks, wrong_in
from tests.spark.conftest import main

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]
PAGE = ROOT / "docs/how-to/spark.md"


def test_the_page_does_what_it_shows(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python session gives what stands there."""
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"spark": spark}
    shown = [content for kind, content in blocks(PAGE.read_text(encoding="utf-8")) if kind == "python"]
    told = "".join(wrong_in(content, names, f"block {number}") for number, content in enumerate(shown))

    assert not told, told


def test_the_job_writes_kept_rows_and_decisions(spark: Any, tmp_path: Path) -> None:
    """`python -m simsieve.spark` reads and writes Parquet and JSON lines."""
    source, kept, decisions = ROOT / "examples/texts.jsonl", tmp_path / "kept.jsonl", tmp_path / "decisions"

    assert main([str(source), "-o", str(kept), "--decisions", str(decisions), "--similarity", "0.65"]) == 0

    assert spark.read.json(str(kept)).count() == 36
    assert spark.read.json(str(decisions)).count() == len(source.read_text(encoding="utf-8").splitlines())
    assert main([str(tmp_path / "none"), "-o", str(kept)]) == 2
