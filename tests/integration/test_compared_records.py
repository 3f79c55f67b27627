"""`simsieve compare` of two records by fields and rules: what it says is what a run decides."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import find_pairs
from simsieve.cli import main

RULES = {"near": ["year:1", "pages:range"], "differ": ["doi:known"], "agree": ["doi"], "block_by": ["lang"]}
SETTINGS: list[dict[str, Any]] = [
    {"field": ["title:0.6", "author:0.5"], **RULES}, {"field": ["title:0.4:2", "author::1"], **RULES, "sure": "2:0.9"},
    {"field": ["title:60bits", "author:0.1"], "differ": ["lang"]}, {"text_field": ["title"], **RULES},
    {"field": ["title:0.7", "author:0.4"], "combine": "any"},
    {"field": ["title", "author"], "scheme": ["chars64"], "similarity": 0.3},
]  # fmt: skip


def words(settings: dict[str, Any]) -> list[str]:
    """Settings as the command line has them."""
    pairs = ((name, value if isinstance(value, list) else [str(value)]) for name, value in settings.items())
    return [word for name, values in pairs for one in values for word in (f"--{name.replace('_', '-')}", one)]


def records(draw: Random) -> list[dict[str, Any]]:
    """Records of few words, years and identifiers; each may lack some."""
    made = []
    for at in range(6):
        values = {
            "title": " ".join(draw.choices(("salt", "mortar", "tender", "kilo"), k=4)),
            "author": draw.sample(["Lind", "Okafor", "Moreau"], 2), "year": draw.choice([2015, "2016", 2019]),
            "pages": draw.choice(["1-9", "9", "11-12"]), "doi": draw.choice(["10.1/a", "DOI:10.1/A", "10.1/b"]),
        }  # fmt: skip
        kept = {name: value for name, value in values.items() if draw.random() > 0.2}
        made.append({"id": f"r{at}", "lang": draw.choice(["en", "de"]), **kept})
    return made


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_is_told_is_what_a_run_decides(
    settings: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of all pairs, one of them with a record without a text."""
    path, draw = tmp_path / "r.jsonl", Random(7)
    made = [*records(draw), {"id": "none", "lang": "en", "title": "", "doi": "10.1/a"}]
    path.write_text("".join(json.dumps(one) + "\n" for one in made))
    found = {(pair.a_position, pair.b_position) for pair in find_pairs(path, **settings)}
    for b in range(len(made)):
        for a in range(b):
            assert main(["compare", f"{path}:{a + 1}", f"{path}:{made[b]['id']}", "--json", *words(settings)]) == 0
            told = json.loads(capfd.readouterr().out)
            assert told["is_near"] == ((a, b) in found), (made[a], made[b], told)
    assert 0 < len(found) < len(made) * (len(made) - 1) / 2


def test_what_decides_is_told(simsieve: Program) -> None:
    """Rules, fields and what is not known, in two files that name a field in other words; texts are no records."""
    simsieve.file("a.csv", "id,Title,Publication Year,DOI\nx,The mill by the old river,2015,10.1/a\n")
    simsieve.file("b.jsonl", json.dumps({"id": "y", "title": "The mill by the old rivers", "year": 2018, "doi": "?"}))
    shown = simsieve("compare", "a.csv:x", "b.jsonl:y", "--for", "references").out.decode()
    assert "--near year:1       does not agree" in shown and "--differ doi:known  not known" in shown
    assert "by these            not near: --near year:1 keeps them apart" in shown
    shown = simsieve("compare", "a.csv:1", "a.csv:1", "--field", "Title:0.9").out.decode()
    assert "by these    near: the fields are near, and no rule keeps them apart" in shown
    for given in (("a.csv", "b.jsonl:1", "--field", "title"), ("--text", "a", "b", "--similarity", "0.5")):
        assert "is for records: give FILE:N or FILE:ID in place of a" in simsieve("compare", *given).refused()
