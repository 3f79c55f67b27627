"""The settings table and the checks of a config."""

import ast
import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from simsieve import ConfigError, dedup, find_pairs, settings_from
from simsieve.cli import cli
from simsieve.cli.help import Command, settings_of
from simsieve.cli.options import settings_options
from simsieve.config.kinds import KINDS
from simsieve.config.near_rows import DEFAULT_SIMILARITY
from simsieve.config.setting import Setting
from simsieve.config.settings import SETTINGS, DedupConfig

DEFAULTS = {
    "text_field": ("text",), "id_field": "id", "scheme": "chars128", "combine": "all", "block_by": (), "differ": (),
    "near": (), "agree": (), "sure": None, "field": (), "merge": (),
    "same": (), "verdicts": None, "extract": "none", "fold": "none", "cut_at": None, "strip": None, "ignore": None,
    "delimiter": None,
    "quoting": "auto", "each": None, "suffix": (), "idf": "none", "max_features": 4_194_304, "similarity": None,
    "max_distance": None, "measure": "cosine", "max_ratio": 4.0, "window": None,
    "date_field": None, "max_lost": None, "conflict": (), "kind": None, "max_dropped": None, "drops_by": (),
    "recall": 0.98, "keep": ("first",),
    "seed": 0, "threads": 0, "batch": 0, "max_record_bytes": 268435456, "max_failed": "0", "max_pairs": 10**8,
    "sample": None, "input_format": None, "output_format": None, "shard_size": None, "limit": None,
    "allow_empty": False, "encoding": "utf-8", "query": None, "since_field": None, "fields": None,
    "safe_cells": True, "with_edit": False, "append": False, "replace": False, "mark": None, "apply": False,
    "memory": None, "run_dir": None, "resume": False,
}  # fmt: skip

REPORTS = [f"Market report. Wheat costs {price} a ton in the port, and trade is calm." for price in (210, 245)]
COMMANDS = [
    "dedup", "review", "thresholds", "calibrate", "pairs", "fingerprint", "features", "compare", "plan", "fit",
    "schemes",
]  # fmt: skip


def test_defaults() -> None:
    """The defaults are those that the contract fixes; a config, which cannot be changed, has a field for each row."""
    assert [field.name for field in fields(DedupConfig)] == list(SETTINGS)
    assert {name: setting.default for name, setting in SETTINGS.items()} == DEFAULTS
    assert DEFAULT_SIMILARITY == DedupConfig().effective_similarity == 0.6
    assert DedupConfig(similarity=0.8).effective_similarity == 0.8
    assert DedupConfig(max_distance=3).effective_similarity is None
    with pytest.raises(FrozenInstanceError):
        DedupConfig().seed = 1  # type: ignore[misc]


@pytest.mark.parametrize("name", list(DEFAULTS))
def test_each_setting_says_what_it_is(name: str) -> None:
    """Each row has a help sentence, what is allowed, and an example: its option, or its key where it has none."""
    setting = SETTINGS[name]

    assert setting.help.endswith(".") and setting.allowed
    assert setting.name in setting.example if setting.rare else setting.example.startswith(setting.option + " ")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_options_of_a_command_come_from_the_table(name: str) -> None:
    """An option of a setting's name is made from its row; the help of a command has examples of 80 columns at most."""
    command = cli.commands[name]
    assert isinstance(command, Command) and f"simsieve {name}" in command.examples[0]
    assert [line for example in command.examples for line in example.splitlines() if len(line) > 78] == []
    for option in command.params:
        setting = getattr(option, "setting", None)
        # Some commands have an option for files of verdicts, or for a recall, with a meaning of its own.
        assert setting is SETTINGS.get(str(option.name)), option.name
        if setting is None:
            continue
        default = setting.default
        if option.multiple:
            default = default if isinstance(default, tuple) else (default,)
        elif isinstance(default, tuple):
            default = ",".join(default)
        assert [*filter(None, [setting.option, setting.letter])] == option.opts
        assert default == option.default


def test_a_new_row_is_an_option_and_a_key_of_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A setting needs its row, the place where it acts, and its type: commands and files of settings go by the row."""
    row = Setting("most_words", None, int, "words", "1 to 9", "How many.", "--most-words 3", of=frozenset(("pairs",)))
    monkeypatch.setitem(SETTINGS, "most_words", row)
    (tmp_path / "run.toml").write_text("most_words = '3'")

    made: dict[str, Any] = {name: settings_options(name)(click.Command(name)) for name in ("dedup", "pairs", "review")}
    taking = [name for name, command in made.items() if "most_words" in [param.name for param in command.params]]
    assert taking == ["dedup", "pairs"]
    with pytest.raises(ConfigError, match="most_words = '3' is of another type: give a whole number; 1 to 9"):
        settings_from(tmp_path / "run.toml")


def test_no_list_of_settings_stands_beside_the_table(root: Path) -> None:
    """No tuple, list or set of the package names four settings: what some have in common is a column."""
    lists = [
        (path.name, node.lineno)
        for path in (root / "python/simsieve").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Tuple | ast.List | ast.Set)
        if len([one for one in node.elts if isinstance(one, ast.Constant) and one.value in SETTINGS]) > 3
    ]

    assert lists == []


def test_every_setting_is_in_reach_of_the_command_line() -> None:
    """Each is one of `dedup`, but for two of other commands; those that are rare have no option."""
    command = cli.commands["dedup"]
    options = {param.name for param in command.params}

    assert set(SETTINGS) - set(settings_of(command)) == {"max_pairs", "since_field"}
    assert set(settings_of(command)) - options == {name for name, row in SETTINGS.items() if row.rare} - {"since_field"}
    # 60, --conflict and --for; of fields: --near, --agree, --sure, --field and --merge.
    assert len([param for param in command.params if isinstance(param, click.Option)]) <= 67


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_a_row_of_settings(kind: str) -> None:
    """It sets the settings that are not given, and a given setting wins."""
    row = DedupConfig.from_settings(KINDS[kind])
    config = DedupConfig.from_settings({"kind": kind})
    assert (config.effective_similarity, config.conflict, config.keep) == (
        row.effective_similarity, row.conflict, row.keep,
    )  # fmt: skip
    given = {"kind": kind, "similarity": 0.9, "keep": ("last",), "conflict": "codes"}
    config = DedupConfig.from_settings(given)
    assert (config.similarity, config.keep, config.conflict) == (0.9, ("last",), ("codes",))
    assert DedupConfig.from_settings({"kind": kind, "max_distance": 3}).effective_similarity is None
    assert DedupConfig.from_settings({"kind": kind, "scheme": "chars64@0.7"}).criteria[0].similarity == 0.7
    assert DedupConfig.from_settings({"kind": kind, "measure": "jaccard"}).effective_similarity == 0.43


def test_a_kind_decides_about_pairs_too() -> None:
    """Forms that are filled in differently are near by default, and apart by the conflicts of laws."""
    assert [dedup(REPORTS, kind=kind).counts.dropped for kind in (None, "laws")] == [1, 0]
    assert [len(find_pairs(REPORTS, kind=kind)) for kind in (None, "laws")] == [1, 0]


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"similarity": 1.5}, ["similarity 1.5", "(0, 1]"]),
    ({"similarity": 0}, ["similarity 0", "(0, 1]"]),
    ({"similarity": float("nan")}, ["similarity nan", "(0, 1]"]),
    ({"similarity": "0.8"}, ["similarity '0.8'", "not a number"]),
    ({"max_distance": 200}, ["max_distance 200", "128 bits", "0..127"]),
    ({"max_distance": 128}, ["max_distance 128", "0..127"]),
    ({"max_distance": 64, "scheme": "chars64"}, ["max_distance 64", "64 bits", "0..63"]),
    ({"max_distance": -1}, ["max_distance -1", "0..127"]),
    ({"max_distance": 2.5}, ["max_distance 2.5", "whole"]),
    ({"similarity": 0.8, "max_distance": 3}, ["similarity 0.8", "max_distance 3", "one of them"]),
    ({"recall": 1.0}, ["recall 1.0", "[0.5, 1)"]),
    ({"recall": 0.4}, ["recall 0.4", "[0.5, 1)"]),
    ({"keep": "bigest"}, ["'bigest'", "first, last, longest, shortest, max:FIELD and min:FIELD"]),
    ({"keep": "max:"}, ["'max:'", "max:FIELD"]),
    ({"keep": "first:x"}, ["'first:x'", "allowed"]),
    *(({"keep": order}, ["keep", "allowed"]) for order in ("newest", "max", "mean:score", "first,", "")),
    ({"keep": ()}, ["keep is empty", "allowed"]),
    ({"max_failed": "many"}, ["max_failed 'many'", "0% to 100%"]),
    ({"max_failed": "101%"}, ["max_failed '101%'", "0% to 100%"]),
    ({"max_failed": "nan%"}, ["max_failed 'nan%'", "0% to 100%"]),
    ({"max_failed": -1}, ["max_failed '-1'", "a number of records"]),
    ({"similarity": 10**400}, ["similarity 1000", "...", "outside (0, 1]"]),
    ({"recall": 10**400}, ["recall 1000", "...", "outside [0.5, 1)"]),
    ({"keep": 5}, ["keep 5", "first, last, longest, shortest, max:FIELD and min:FIELD"]),
    ({"keep": None}, ["keep None", "allowed are first"]),
    ({"input_format": "xml"}, ["input_format 'xml'", "jsonl, json, txt, csv, tsv and parquet"]),
    ({"text_field": ""}, ["text_field ''", "not empty"]),
    ({"scheme": "nosuch"}, ["nosuch"]),
    ({"similarty": 0.8}, ["unknown setting 'similarty'", "did you mean 'similarity'?"]),
    ({"zzz": 1}, ["unknown setting 'zzz'", "known are text_field"]),
]


@pytest.mark.parametrize(("settings", "parts"), BAD, ids=[str(settings) for settings, _ in BAD])
def test_a_bad_setting_is_refused(settings: dict[str, Any], parts: list[str]) -> None:
    """A value that is not allowed is refused with the value, what is allowed and what to do, in one line."""
    with pytest.raises(ConfigError) as caught:
        DedupConfig.from_settings(settings)

    message = str(caught.value)
    assert [part for part in parts if part not in message] == []
    assert "\n" not in message


BOUNDS = {
    name: (int(found[1]), int(found[2]) ** int(found[3] or 1) - (found[3] is not None))
    for name, setting in SETTINGS.items()
    if setting.kind is int and (found := re.fullmatch(r"(\d+) to (\d+)(?:\^(\d+) - 1)?", setting.allowed))
}
"""The least and the greatest value of each whole number, as its row words them."""


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_a_whole_number_has_the_bounds_that_its_row_words(name: str) -> None:
    """The bounds are allowed; a number beyond, a bool and a fraction are refused with the bounds."""
    low, high = BOUNDS[name]
    for value in (low, high):
        assert getattr(DedupConfig.from_settings({name: value}), name) == value
    for wrong in (low - 1, high + 1, True, 2.5):
        with pytest.raises(ConfigError, match=rf"^{name} .*allowed is {low}\.\.{high}$"):
            DedupConfig.from_settings({name: wrong})


@pytest.mark.parametrize("name", ["similarity", "max_distance", "recall", "keep", "seed", "batch", "max_failed"])
@pytest.mark.parametrize("value", [-(10**5000), np.array([1, 2]), "x" * 5000], ids=["digits", "array", "text"])
def test_what_cannot_be_shown_whole_is_still_a_bad_setting(name: str, value: Any) -> None:
    """A number too long to print, an array and a long text are refused by the setting's name in a short message."""
    with pytest.raises(ConfigError, match=name) as caught:
        DedupConfig.from_settings({name: value})

    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["batch", "max_record_bytes", "max_pairs", "sample"])
def test_the_greatest_value_is_worked_with(name: str) -> None:
    """The upper bound of a count is allowed, and nothing overflows in the core under it."""
    texts = ["the quick brown fox jumps", "lorem ipsum dolor sit", "the quick brown fox jumps"]
    settings: dict[str, Any] = {name: 2**63 - 1}

    assert dedup(texts, **settings).counts.kept == 2
    assert dedup(({"text": text} for text in texts), **settings).counts.kept == 2
    assert len(find_pairs(texts, **settings)) == 1


DATED = ("max:meta.date", "min:rank")
KEEP = {"last": ("last",), "longest, first": ("longest", "first"), "max:meta.date,min:rank": DATED}


@pytest.mark.parametrize(("given", "kept"), [*KEEP.items(), (["shortest", "max:a,b"], ("shortest", "max:a,b"))])
def test_keep_orders(given: Any, kept: tuple[str, ...]) -> None:
    """A keep order is a word, a list with commas, or a sequence, in which a field's name may hold a comma."""
    assert kept == DedupConfig(keep=given).keep


ALLOWED = [("0", 0, 0), (3, 3, 10), ("10%", 1, 10), ("0.5%", 1, 200), ("100%", 10, 10), ("0%", 0, 0)]


@pytest.mark.parametrize(("limit", "failed", "read"), [*ALLOWED, ("0", 1, 10), ("3", 4, 10), ("10%", 2, 10)])
def test_max_failed_is_inclusive(limit: Any, failed: int, read: int) -> None:
    """So many failed records are allowed as max_failed says, bound included, as a number or a percentage."""
    assert DedupConfig(max_failed=limit).allows_failed(failed, read) is ((limit, failed, read) in ALLOWED)
