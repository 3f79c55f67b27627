"""Several schemes for one document: which pairs they make near, how they are named, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import strategies
from tests.integration.conftest import Program

import simsieve
from simsieve import ConfigError, Criterion, CustomScheme, dedup, find_pairs, similarity
from simsieve.cli import main
from simsieve.config.typed import Combine

TEXTS = strategies.records.map(lambda record: record["text"]).filter(lambda text: text is not None)
PAIR = ("chars128@0.6", "words64@0.5")


def near(a: str, b: str, criterion: str) -> bool:
    """Near under one scheme, by its similarity."""
    name, _, least = criterion.partition("@")
    found = similarity(a, b, name)
    return found is not None and found >= float(least)


@settings(max_examples=60)
@given(st.lists(TEXTS, max_size=25), st.sampled_from(["all", "any"]))
def test_runs_are_those_of_a_plain_loop(texts: list[str], combine: Combine) -> None:
    """So few documents are all compared: pairs and kept ones are those of the definition."""
    join = {"all": all, "any": any}[combine]
    both = [
        (a, b)
        for b in range(len(texts))
        for a in range(b)
        if join(near(texts[a], texts[b], criterion) for criterion in PAIR)
    ]
    found = find_pairs(texts, scheme=PAIR, combine=combine)
    assert [(pair.a_position, pair.b_position) for pair in found] == sorted(both)
    kept: list[int] = []
    for position in range(len(texts)):
        if not any((earlier, position) in both for earlier in kept):
            kept.append(position)
    assert list(dedup(texts, scheme=PAIR, combine=combine, conflict="none").kept) == kept


def test_a_decision_tells_under_which_scheme_it_was_made() -> None:
    """Where one suffices: the first that finds it near, with that scheme's measure; none for what is kept."""
    texts = ["one two three four five", "five four three two one", "one two three four fives", "something else"]
    result = dedup(texts, scheme=["chars128@0.8", "words64@0bits"], combine="any")
    told = [(row.scheme, row.measure, row.representative_position) for row in result.decisions]
    assert told == [(None, "cosine", 0), ("words64", "hamming", 0), ("chars128", "cosine", 0), (None, "cosine", 3)]
    everywhere = dedup(texts, scheme=["chars128@0.8", "words64@0bits"], combine="all")
    assert [row.scheme for row in everywhere.decisions] == [None] * 4
    assert everywhere.counts.kept == 4


def test_thresholds_are_the_schemes_own_or_the_runs() -> None:
    """The run's threshold is for those that have none; one scheme's own becomes the run's."""
    summary = dedup(["a text"], scheme=["chars64", "words64@3bits"], similarity=0.9).summary
    assert [(row["similarity"], row["max_distance"]) for row in summary["schemes"]] == [(0.9, None), (None, 3)]
    assert dedup(["a text"], scheme=["chars64", "words64"]).config.criteria[1].similarity == 0.6
    single = dedup(["a text"], scheme="chars64@3bits")
    assert (single.config.scheme, single.config.max_distance) == ("chars64", 3)
    assert single.summary["digest"] == dedup(["a text"], scheme="chars64", max_distance=3).summary["digest"]
    own = CustomScheme("own", features="chars", width=64)
    assert [str(each) for each in dedup(["a"], scheme=[own, Criterion(own, max_distance=2)]).config.criteria] == [
        f"{own}@0.6", f"{own}@2bits",
    ]  # fmt: skip


def test_digests_stand_for_schemes_thresholds_and_rule() -> None:
    """Two runs have one digest where they have the same schemes, in one order, under one rule."""
    given: list[dict[str, Any]] = [
        {"scheme": ["chars64", "words64"]},
        {"scheme": ["words64", "chars64"]},
        {"scheme": ["chars64", "words64"], "combine": "any"},
        {"scheme": ["chars64", "words64@0.9"]},
    ]
    made = [dedup(["a text"], **settings).summary for settings in given]
    assert len({summary["digest"] for summary in made}) == 3
    assert len({summary["recipe_digest"] for summary in made}) == 4
    assert made[0]["scheme"] == "all of chars64, words64"


def test_what_is_for_one_scheme_says_so(tmp_path: Path, simsieve: Program) -> None:
    """Deciding again refuses several schemes."""
    with pytest.raises(ConfigError, match="is for one scheme, and there are 2"):
        dedup(["a text"], scheme=["chars64", "words64"]).rethreshold(similarity=0.9)
    source = tmp_path / "texts.jsonl"
    source.write_text('{"text": "a text"}\n')
    simsieve("dedup", source, "--dry-run", "--scheme", "chars64", "--scheme", "words64", "--run-dir", "r").ok()
    done = simsieve("dedup", "--dry-run", "--run-dir", "r", "--similarity", "0.9")
    assert done.code == 2 and "not all of the run's sources and settings can be named again" in done.err


def test_fingerprints_have_a_column_for_each_scheme(tmp_path: Path, simsieve: Program) -> None:
    """Those of each scheme alone, side by side; nothing where there is none."""
    source = tmp_path / "texts.jsonl"
    source.write_text('{"id": "a", "text": "one two three"}\n{"id": "b", "text": "!!!"}\n')

    def lines(*schemes: str) -> list[list[str]]:
        done = simsieve("fingerprint", source, *(word for name in schemes for word in ("--scheme", name))).ok()
        return [line.split("\t") for line in done.out.decode().splitlines()]

    columns = [[row[1] for row in lines(name)] for name in ("chars64", "words128")]
    assert lines("chars64", "words128") == [["a", columns[0][0], columns[1][0]], ["b", "", ""]]
    source.write_text('{"id": "page", "text": "<p><b></b></p>"}\n')
    (alone,) = lines("dom64")
    assert lines("chars64:extract=text", "dom64") == [["page", "", alone[1]]]


def test_old_documents_and_the_command_line(tmp_path: Path, simsieve: Program) -> None:
    """New against old under two schemes, with decisions and a summary in files."""
    old, new, why = tmp_path / "old.jsonl", tmp_path / "new.jsonl", tmp_path / "why.jsonl"
    old.write_text('{"id": "o", "text": "one two three four five"}\n')
    new.write_text(
        '{"id": "n", "text": "five four three two one"}\n{"id": "m", "text": "one two three four six"}\n'
        '{"id": "k", "text": "nothing of the kind"}\n'
    )
    done = simsieve(
        "dedup", new, "--against", old, "-o", "-", "--scheme", "chars128@0.7", "--scheme", "words64@0.9",
        "--combine", "any", "--decisions", why,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in done.out.decode().splitlines()] == ["k"]
    rows = [json.loads(line) for line in why.read_text().splitlines()]
    assert [(row["representative"], row["scheme"]) for row in rows] == [
        ("o", "words64"), ("o", "chars128"), ("k", None),
    ]  # fmt: skip
    pairs = simsieve(
        "pairs", new, "--against", old, "--scheme", "chars128@0.7", "--scheme", "words64@0.9", "--combine", "any", "-q"
    )
    assert {json.loads(line)["a"] for line in pairs.out.splitlines()} == {"n", "m"}


BLOCKED = ["the quick brown fox jumps", "", "lorem ipsum dolor sit amet"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Records with ids, one without features and one that fails."""
    path = tmp_path / "in.jsonl"
    rows = [{"id": f"n{at}", "text": text} for at, text in enumerate(BLOCKED)] + [{"id": "bad"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("count", [2, 3, 4, 16])
def test_blocks_are_columns_after_each_fingerprint(source: Path, tmp_path: Path, count: int) -> None:
    """They are those of the library, for each of several schemes; nothing where there is no fingerprint."""
    sink, schemes = tmp_path / "out", ("chars64", "chars128")
    named = [word for scheme in schemes for word in ("--scheme", scheme)]
    words = ["fingerprint", str(source), "-o", str(sink), *named, "--format", "int", "--blocks", str(count), "-q"]
    assert main([*words, "--max-failed", "1"]) == 0
    wanted = []
    made = [simsieve.Fingerprinter(scheme).transform(BLOCKED) for scheme in schemes]
    for at in range(len(BLOCKED)):
        row = [f"n{at}"]
        for prints in made:
            one = prints[at]
            values = ["", *[""] * count] if one is None else [int(one), *prints.blocks(count)[at].tolist()]
            row += map(str, values)
        wanted.append(row)

    assert [line.split("\t") for line in sink.read_text().splitlines()] == wanted


def test_blocks_have_columns_in_a_table(source: Path, tmp_path: Path) -> None:
    """A header names them, of one scheme and of several."""
    sink = tmp_path / "out.tsv"
    words = ["fingerprint", str(source), "-o", str(sink), "--blocks", "2", "-q", "--max-failed", "1"]
    assert main(words) == 0
    header, first, *_ = sink.read_text().splitlines()
    assert header.split("\t") == ["id", "fingerprint", "fingerprint_block_1", "fingerprint_block_2"]
    label, whole, *blocks = first.split("\t")
    assert (label, "".join(blocks)) == ("n0", whole)
    assert main([*words, "--scheme", "chars64", "--scheme", "chars128"]) == 0
    assert sink.read_text().splitlines()[0].split("\t") == [
        "id", "chars64", "chars64_block_1", "chars64_block_2", "chars128", "chars128_block_1", "chars128_block_2",
    ]  # fmt: skip


def test_blocks_of_hex_and_bits_join_to_the_fingerprint(source: Path, tmp_path: Path) -> None:
    """Their digits one after another are the fingerprint's."""
    for form in ("hex", "bits"):
        sink = tmp_path / form
        words = ["fingerprint", str(source), "-o", str(sink), "--format", form, "--blocks", "4", "-q"]
        assert main([*words, "--max-failed", "1"]) == 0
        for line in sink.read_text().splitlines():
            _, whole, *blocks = line.split("\t")
            assert "".join(blocks) == whole and len(blocks) == 4
