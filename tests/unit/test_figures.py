"""Figures in messages are those of the core."""

import re
from pathlib import Path

import pytest

import simsieve
from simsieve import _core

PACKAGE = Path(simsieve.__file__).parent
WRITTEN = (
    "../../crates/simsieve-core/src/forecast/reasons.rs", "run/forecast.py", "spark/pipeline.py",
    "../../locale/zh_CN.po",
)  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_how_many_records_have_every_pair_compared(name: str) -> None:
    """Below this number all pairs are compared; messages in both languages name it."""
    text = (PACKAGE / name).read_text(encoding="utf-8")

    assert set(re.findall(r"(\d{1,3},\d{3}) (?:documents|rows|篇|行)", text)) == {f"{_core.BRUTE_BELOW:,}"}
