"""The settings table and the checks of a config."""

from dataclasses import FrozenInstanceError, fields
from typing import Any

import click
import numpy as np
import pytest

from simsieve import ConfigError, dedup, find_pairs
from simsieve.cli import cli
from simsieve.cli.help import Command
from simsieve.config.rows import DEFAULT_SIMILARITY
from simsieve.config.settings import SETTINGS, DedupConfig

DEFAULTS = {
    "text_field": ("text",),
    "id_field": "id",
    "scheme": "chars128",
    "combine": "all",
    "block_by": (),
    "differ": (),
    "same": (),
    "verdicts": None,
    "extract": "none",
    "cut_at": None,
    "strip": None,
    "delimiter": None,
    "quoting": "auto",
    "each": None,
    "suffix": (),
    "idf": "none",
    "max_features": 4_194_304,
    "similarity": None,
    "max_distance": None,
    "measure": "cosine",
    "max_ratio": 4.0,
    "max_lost": None,
    "recall": 0.98,
    "keep": ("first",),
    "seed": 0,
    "threads": 0,
    "batch": 0,
    "max_record_bytes": 268435456,
    "max_failed": "0",
    "max_pairs": 10**8,
    "sample": 1000,
    "input_format": None,
    "output_format": None,
    "shard_size": None,
    "limit": None,
    "allow_empty": False,
    "encoding": "utf-8",
    "query": None,
    "since_run": None,
    "since_field": None,
    "fields": None,
    "safe_cells": True,
    "append": False,
    "replace": False,
    "mark": None,
    "apply": False,
    "memory": None,
    "run_dir": None,
    "resume": False,
}

OWN_OPTIONS = {
    "dedup": {
        "output", "against", "decisions", "failed", "summary", "save_run", "save_all_pairs", "from_run", "dry_run",
        "as_json", "link", "quiet", "save_config", "config", "print_config", "dropped", "clusters", "annotate",
        "verbose", "help_all", "report", "report_without_texts", "progress_kind",
    },
    "review": {"output", "count", "order", "marked", "show", "from_run", "quiet", "config", "print_config", "help_all"},
    "thresholds": {"from_run", "as_json", "quiet", "config", "print_config", "help_all"},
    "calibrate": {
        "output", "field", "pairs", "marked", "precision", "wanted", "documents", "lowest", "report", "as_json",
        "quiet", "config", "print_config", "help_all",
    },
    "pairs": {"output", "against", "failed", "quiet", "config", "print_config", "help_all", "progress_kind"},
    "fingerprint": {
        "output", "form", "blocks", "pages", "as_json", "failed", "quiet", "config", "print_config", "help_all",
    },
    "features": {"as_json", "config", "print_config"},
    "compare": {"literal", "as_json", "config", "print_config", "help_all"},
    "plan": {"documents", "bits", "as_json", "config", "print_config", "help_all"},
    "fit": {"output", "merge", "quiet", "config", "print_config", "help_all"},
    "schemes": {"as_json"},
}  # fmt: skip

LETTERS = {"threads": ["-j"]}


def command_options(name: str) -> dict[str, click.Option]:
    """Give a command's options by the name of their value."""
    return {str(p.name): p for p in cli.commands[name].params if isinstance(p, click.Option)}


def test_defaults() -> None:
    """The defaults are those that the contract fixes: changing one changes results."""
    assert {name: setting.default for name, setting in SETTINGS.items()} == DEFAULTS
    assert DEFAULT_SIMILARITY == 0.6


def test_the_table_is_the_config() -> None:
    """The table has a row for each field of the config, with its default."""
    assert [field.name for field in fields(DedupConfig)] == list(SETTINGS)


@pytest.mark.parametrize("name", list(DEFAULTS))
def test_each_setting_says_what_it_is(name: str) -> None:
    """Each row has a help sentence, what is allowed, and an example that uses its option."""
    setting = SETTINGS[name]

    assert setting.help.endswith(".")
    assert setting.allowed
    assert setting.example.startswith(setting.option + " ")


@pytest.mark.parametrize("name", list(OWN_OPTIONS))
def test_the_options_of_a_command_come_from_the_table(name: str) -> None:
    """Every option of a command is a row of the table, with its name and default, or is listed as the command's own."""
    # What `plan` takes in place of `dedup` is hidden there, and is among the options of `dedup`.
    options = {key: option for key, option in command_options(name).items() if not option.hidden}
    made = set(options) - OWN_OPTIONS[name]

    assert OWN_OPTIONS[name] <= set(options)
    for option in made:
        setting = SETTINGS[option]
        default = setting.default
        if options[option].multiple:
            default = default if isinstance(default, tuple) else (default,)
        elif isinstance(default, tuple):
            default = ",".join(default)
        assert [setting.option, *LETTERS.get(option, [])] == options[option].opts
        assert default == options[option].default
        assert setting.help in str(options[option].help)


def test_every_setting_is_an_option_of_some_command() -> None:
    """No row of the table is out of the command line's reach."""
    reached = set().union(*(command_options(name) for name in OWN_OPTIONS))

    assert set(SETTINGS) <= reached


@pytest.mark.parametrize("name", list(OWN_OPTIONS))
def test_each_command_shows_an_example(name: str) -> None:
    """The help of a command has examples of it, each line of which fits 80 columns."""
    command = cli.commands[name]
    assert isinstance(command, Command)

    assert f"simsieve {name}" in command.examples[0]
    assert [line for example in command.examples for line in example.splitlines() if len(line) > 78] == []


def test_neither_threshold_means_the_default_similarity() -> None:
    """Without a threshold the default similarity is in force; under max_distance none is."""
    assert DedupConfig().effective_similarity == 0.6
    assert DedupConfig(similarity=0.8).effective_similarity == 0.8
    assert DedupConfig(max_distance=3).effective_similarity is None


def test_a_config_is_frozen() -> None:
    """A config cannot be changed once it is made."""
    with pytest.raises(FrozenInstanceError):
        DedupConfig().seed = 1  # type: ignore[misc]


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
    ({"keep": ()}, ["keep is empty", "allowed"]),
    ({"seed": -1}, ["seed -1", "0..18446744073709551615"]),
    ({"seed": 2**64}, ["seed 18446744073709551616", "allowed"]),
    ({"threads": True}, ["threads True", "whole number"]),
    ({"batch": -5}, ["batch -5", "0..9223372036854775807"]),
    ({"max_record_bytes": 0}, ["max_record_bytes 0", "1..9223372036854775807"]),
    ({"max_failed": "many"}, ["max_failed 'many'", "0% to 100%"]),
    ({"max_failed": "101%"}, ["max_failed '101%'", "0% to 100%"]),
    ({"max_failed": "nan%"}, ["max_failed 'nan%'", "0% to 100%"]),
    ({"max_failed": -1}, ["max_failed '-1'", "a number of records"]),
    ({"max_pairs": 0}, ["max_pairs 0", "1..9223372036854775807"]),
    ({"sample": -1}, ["sample -1", "0..9223372036854775807"]),
    ({"batch": 2**63}, ["batch 9223372036854775808", "0..9223372036854775807"]),
    ({"max_record_bytes": 2**64}, ["max_record_bytes 18446744073709551616", "1..9223372036854775807"]),
    ({"max_pairs": 2**63}, ["max_pairs 9223372036854775808", "1..9223372036854775807"]),
    ({"sample": 2**63}, ["sample 9223372036854775808", "0..9223372036854775807"]),
    ({"threads": 1025}, ["threads 1025", "0..1024"]),
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


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("last", ("last",)),
        ("longest, first", ("longest", "first")),
        ("max:meta.date,min:rank", ("max:meta.date", "min:rank")),
        (["shortest", "max:a,b"], ("shortest", "max:a,b")),
    ],
)
def test_keep_orders(given: Any, kept: tuple[str, ...]) -> None:
    """A keep order is a word, a list with commas, or a sequence, in which a field's name may hold a comma."""
    assert kept == DedupConfig(keep=given).keep


@pytest.mark.parametrize(
    ("limit", "failed", "read", "allowed"),
    [
        ("0", 0, 0, True),
        ("0", 1, 10, False),
        (3, 3, 10, True),
        ("3", 4, 10, False),
        ("10%", 1, 10, True),
        ("10%", 2, 10, False),
        ("0.5%", 1, 200, True),
        ("100%", 10, 10, True),
        ("0%", 0, 0, True),
    ],
)
def test_max_failed_is_inclusive(limit: Any, failed: int, read: int, allowed: bool) -> None:
    """So many failed records are allowed as max_failed says, bound included, as a number or a percentage."""
    assert allowed is DedupConfig(max_failed=limit).allows_failed(failed, read)
