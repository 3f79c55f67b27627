"""Small mistakes and their answers: groups without a command, other names of settings, nothing but failures."""

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, Index, SourceError, dedup
from simsieve.cli.options import COUNT


@pytest.mark.parametrize("name", ["evaluate", "mongo"])
def test_a_group_without_a_command_prints_its_help(name: str, simsieve: Program) -> None:
    """On stderr as it is, with exit code 2."""
    outcome = simsieve(name)

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"Usage: simsieve {name} ") and "\nCommands:\n" in outcome.err


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("threshold", "similarity"), ("sim", "similarity"), ("treshold", "similarity"), ("column", "text_field"),
        ("jobs", "threads"), ("workers", "threads"), ("distance", "max_distance"), ("jaccard", "measure"),
        ("similarty", "similarity"), ("sede", "seed"),
    ],
)  # fmt: skip
def test_other_names_of_settings_are_understood_in_python(name: str, meant: str) -> None:
    """The message has the name of the setting, as the command line's has that of the option."""
    with pytest.raises(ConfigError, match=f"unknown setting '{name}': did you mean '{meant}'?"):
        dedup(["a text"], **{name: 1})  # type: ignore[arg-type]


def test_words_in_place_of_a_name_are_answered(simsieve: Program) -> None:
    """A text that is no list, a path in place of an index, labels by another name, a part of an option's name."""
    with pytest.raises(SourceError, match="'two words' is no file here: a text is given in a list"):
        dedup("two words")
    with pytest.raises(SourceError, match=r"my file\.txt: does not exist"):
        dedup("my file.txt")
    with pytest.raises(TypeError, match=r"Index.open\(path\) opens an index"):
        Index("seen")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="did you mean 'labels'"):
        dedup(["a text"], label_field="x")  # type: ignore[call-arg]
    assert "Did you mean --key-file?" in simsieve("serve", "seen", "--key", "x").err


def test_nothing_but_failures_leaves_no_empty_file(simsieve: Program) -> None:
    """A JSON list named .jsonl, as an example; tables beside the output are written, and `--allow-empty` writes all."""
    simsieve.file("arr.jsonl", '[{"text": "a"},\n{"text": "b"}]')
    outcome = simsieve("dedup", "arr.jsonl", "-o", "kept.jsonl", "--failed", "failed.jsonl")
    closing = [line for line in outcome.err.splitlines() if line.startswith("output")]

    assert outcome.code == 1
    assert "kept.jsonl is not written: every record failed; correct the records, or give --allow-empty" in outcome.err
    assert closing == []
    assert simsieve.names() == ["arr.jsonl", "failed.jsonl"]
    assert simsieve("dedup", "arr.jsonl", "-o", "kept.jsonl", "--allow-empty").code == 1
    assert "kept.jsonl" in simsieve.names()


def test_two_records_of_a_file_are_compared(simsieve: Program) -> None:
    """By their numbers, from any format; a file whose own name ends in a number is a text."""
    simsieve.file("in.jsonl", '{"body": "one good text of words"}\n{"body": "one good text of birds"}\n')
    simsieve.file("in.csv", "id,body\n1,one good text of words\n2,one good text of birds\n")
    simsieve.file("a:1", "one good text of words")
    found = [
        simsieve("compare", first, second, "--text-field", "body").out
        for first, second in [("in.jsonl:1", "in.jsonl:2"), ("in.csv:1", "in.csv:2"), ("a:1", "in.csv:2")]
    ]

    assert b"'words' -> 'birds'" in found[0], found[0]
    assert found == [found[0]] * 3


def test_two_records_of_a_file_are_compared_by_their_ids(simsieve: Program) -> None:
    """An id that no record has, or a field of records without a record, is an error that names what to give."""
    rows = '{"id": "q-1", "text": "one good text of words"}\n{"id": "q-2", "text": "one good text of birds"}\n'
    simsieve.file("in.jsonl", rows)
    missing = simsieve("compare", "in.jsonl:q-1", "in.jsonl:q-9")
    ignored = simsieve("compare", "in.jsonl", "in.jsonl", "--text-field", "text")

    assert simsieve("compare", "in.jsonl:q-1", "in.jsonl:q-2") == simsieve("compare", "in.jsonl:1", "in.jsonl:2")
    assert (missing.code, ignored.code) == (2, 2)
    assert "in.jsonl has no record with the id 'q-9': give FILE:N, its number from 1 on" in missing.err
    assert "--text-field is for records: give FILE:N or FILE:ID in place of in.jsonl" in ignored.err


@pytest.mark.parametrize(
    ("given", "count"),
    [("1000", 1000), ("1e3", 1000), ("50K", 50_000), ("1.5m", 1_500_000), ("1_000,000", 1_000_000), ("2b", 2 * 10**9)],
)
def test_plans_take_counts_with_units(given: str, count: int) -> None:
    """A power of ten, thousands, millions and billions."""
    assert COUNT.convert(given, None, None) == count


def test_options_of_experiments_are_named_as_options(simsieve: Program) -> None:
    """The function's argument is `min_characters`."""
    simsieve.file("in.jsonl", '{"text": "one good text of words"}\n')
    few, wrong = (
        simsieve("evaluate", "edits", "in.jsonl", "--min-characters", number).err for number in ("1000", "-1")
    )

    assert "give more documents, or a lower --min-characters" in few
    assert "--min-characters -1 is not allowed" in wrong


def test_a_review_is_for_its_owner_alone(simsieve: Program) -> None:
    """It has texts, as a page and as a table."""
    text = "one good text of words that is long enough"
    simsieve.file("in.jsonl", "".join(f'{{"id": {at}, "text": "{text}{end}"}}\n' for at, end in enumerate(("", "s"))))
    for name in ("review.html", "review.csv"):
        assert simsieve("review", "in.jsonl", "-o", name).code == 0
        assert (simsieve.folder / name).stat().st_mode & 0o777 == 0o600


def test_ids_of_an_export_of_mongodb_are_hinted_at(simsieve: Program) -> None:
    """By default ids are those of `id`; records that have `_id` in its place are told of in a warning."""
    ids = ("65a000000000000000000001", "65a000000000000000000002")
    rows = [f'{{"_id": {{"$oid": "{one}"}}, "text": "one good text of {one}"}}\n' for one in ids]
    simsieve.file("in.jsonl", "".join(rows))
    simsieve.file("some.jsonl", rows[0] + '{"text": "another one"}\n')
    hint = "warning: the records have no field 'id', but '_id': ids are empty; name it with --id-field"
    told = [
        simsieve("dedup", *words, "-o", "-")
        for words in (["in.jsonl"], ["in.jsonl", "--id-field", "_id"], ["some.jsonl"])
    ]

    assert [outcome.code for outcome in told] == [0, 0, 0]
    assert [hint in outcome.err for outcome in told] == [True, False, False]
