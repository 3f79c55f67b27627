"""Thresholds of fields and rules on fields, chosen by labels."""

import json
import shlex
from pathlib import Path
from random import Random
from typing import Any

import pytest

from simsieve import ConfigError, calibrate, find_pairs
from simsieve.cli import main

WORDS = [f"{one}{other}" for one in ("sal", "mor", "ten", "kil", "vos") for other in ("ta", "ren", "dim", "go", "lux")]
RULES: dict[str, Any] = {"near": ["year:1", "pages:range"], "differ": ["doi:known", "volume"], "agree": ["doi"]}


def records(groups: int, seed: int = 0) -> list[dict[str, Any]]:
    """Works with one copy each, and works of the same title in another year."""
    draw, made = Random(seed), []
    for group in range(groups):
        title, year = " ".join(draw.choices(WORDS, k=7)), draw.randrange(1990, 2020)
        author = draw.sample(WORDS, 2)
        of = {"volume": str(group % 9), "pages": f"{group * 9}-{group * 9 + 8}", "doi": f"10.5/{group}"}
        copies = [
            {"title": title, "author": author, "year": year, **of},
            {"title": f"{title} {draw.choice(WORDS)}.", "author": author[::-1], "year": year + draw.choice([0, 1])}
            | of,
            {"title": title, "author": draw.sample(WORDS, 2), "year": year + 5, **of, "doi": f"10.7/{group}"},
        ]
        if group % 3:
            del copies[1]["doi"]
        labels = (group, group, groups + group)
        made += [one | {"label": label} for one, label in zip(copies, labels, strict=True)]
    return [one | {"id": at} for at, one in enumerate(made)]


@pytest.mark.parametrize(
    "settings",
    [
        {"field": ["title", "author"], **RULES}, {"field": ["title", "author:words64@0.5"], **RULES, "sure": "2:0.9"},
        {"text_field": ["title"], **RULES, "sure": "3:0.95", "measure": "jaccard"},
        {"field": ["title"], "near": ["year:1"]},
    ],
)  # fmt: skip
def test_what_was_chosen_finds_what_was_told(settings: dict[str, Any]) -> None:
    """A run with the chosen settings finds as many pairs, and as many right ones."""
    made = records(40)
    found = calibrate(made, labels="label", **settings)
    pairs = find_pairs(made, **{**{k: v for k, v in settings.items() if k == "measure"}, **found.settings})
    right = sum(made[pair.a_position]["label"] == made[pair.b_position]["label"] for pair in pairs)

    assert found.rules is not None and found.rules.groups == 40
    assert (len(pairs), right) == (found.choice.row.found, found.choice.row.right)
    assert found.choice.row.f1 > 0.9 and found.rules.held_out.gold == found.choice.row.gold == 40
    best = found.choice.row.f1
    assert all(f1 < best if pays else f1 <= best for pays, f1 in found.rules.rules.values())


def test_the_command_line_that_is_told_can_be_carried_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It drops what was chosen, whose figures are told as rows and as JSON."""
    source, kept = tmp_path / "refs.jsonl", tmp_path / "kept.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in records(40)))
    given = [str(source), "--labels", "label", "--field", "title", "--near", "year:1"]
    assert main(["calibrate", *given, "--agree", "doi"]) == 0
    out, err = capfd.readouterr()
    command = next(line for line in err.splitlines() if "simsieve dedup" in line).partition(": ")[2]
    assert "--near year:1 (F1 0." in out and "each half by the other's choice" in out
    words = [str(kept) if word == "kept.jsonl" else word for word in shlex.split(command)[1:]]
    assert main([*words, "--quiet"]) == 0
    assert len(kept.read_text().splitlines()) == 80
    assert main(["calibrate", *given, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)["rules"]
    assert told["rules"][0] | {"f1_without": 0} == {"setting": "near", "value": "year:1", "pays": True, "f1_without": 0}


def test_judged_pairs_are_labels_too(tmp_path: Path) -> None:
    """The halves are those of what pairs join, and pairs without a verdict do not count."""
    made, path = records(30), tmp_path / "pairs.csv"
    judged = [(at, at + 1, "same") for at in range(0, 90, 3)] + [(at, at + 2, "different") for at in range(0, 90, 3)]
    path.write_text("a,b,verdict\n" + "".join(f"{a},{b},{word}\n" for a, b, word in judged))
    found = calibrate(made, pairs=path, field=["title"], near=["year:1"])

    assert found.rules is not None and found.rules.held_out.f1 == 1.0
    assert [(one, pays) for one, (pays, _) in found.rules.rules.items()] == [(("near", "year:1"), True)]


@pytest.mark.parametrize(
    ("groups", "given", "part"),
    [
        (19, {"labels": "label", "near": ["year:1"]}, "labels have 19 groups of copies.* at least 20.*simsieve review"),
        (20, {"near": ["year:1"]}, "chosen by labels: give labels"),
        (20, {"labels": "label", "field": ["title:9bits", "author"]}, "'?title:9bits, author'? has bits"),
        (20, {"labels": "label", "field": ["title:0.5:2", "author"]}, "has bits, a weight"),
        (20, {"labels": "label", "near": ["jear:1"]}, "did you mean 'year'"),
        (20, {"labels": "label", "near": ["year:1"], "scheme": ["chars64", "words64"]}, "under one scheme"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_refused(groups: int, given: dict[str, Any], part: str) -> None:
    """The message says what is there, and what to give."""
    fields: dict[str, Any] = {} if "field" in given else {"text_field": ["title"]}
    with pytest.raises(ConfigError, match=part):
        calibrate(records(groups), **fields, **given)
