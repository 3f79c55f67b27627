"""The example texts: what examples/README.md says of them."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import simsieve
from simsieve import _core


def rows(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_text_has_its_gold_cluster_in_the_same_order(root: Path) -> None:
    """gold.jsonl has a line for each text, and a cluster is named after one of its members."""
    texts, gold = rows(root / "examples/texts.jsonl"), rows(root / "examples/gold.jsonl")

    assert [row["id"] for row in gold] == [row["id"] for row in texts]
    assert {row["cluster"] for row in gold} <= {row["id"] for row in texts}


def test_every_text_has_all_its_fields(root: Path) -> None:
    """A record has id, text, lang, kind and date, and the kinds are the four that the README names."""
    texts = rows(root / "examples/texts.jsonl")

    assert {tuple(row) for row in texts} == {("id", "text", "lang", "kind", "date")}
    assert {row["kind"] for row in texts} == {"news", "exam", "product", "notice"}
    assert Counter(row["id"] for row in texts).most_common(1)[0][1] == 1


def test_an_original_stands_before_its_copies(root: Path) -> None:
    """With the default keep order, first, the text that names a cluster is the one kept."""
    gold = rows(root / "examples/gold.jsonl")
    first: dict[str, str] = {}

    for row in gold:
        first.setdefault(row["cluster"], row["id"])

    assert all(cluster == name for cluster, name in first.items())


PACKAGE = Path(simsieve.__file__).parent
WRITTEN = (
    "../../crates/simsieve-core/src/forecast/reasons.rs", "run/forecast.py", "cluster/job.py", "ray/pipeline.py",
    "../../locale/zh_CN.po",
)  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_how_many_records_have_every_pair_compared(name: str) -> None:
    """Below this number all pairs are compared; messages in both languages name it."""
    text = (PACKAGE / name).read_text(encoding="utf-8")

    assert set(re.findall(r"(?<!到 )(\d{1,3},\d{3}) (?:documents|rows|篇|行)", text)) == {f"{_core.BRUTE_BELOW:,}"}
