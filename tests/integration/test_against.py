"""`--against`: new files held against old ones, through the command line."""

import json

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, dedup, find_pairs
from simsieve.results import DedupResult

FOX = "the quick brown fox jumps over the lazy dog and runs into the deep dark wood behind the old mill"
LOREM = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore"
SEA = "nothing was to be seen from the cliff but the grey sea, and a sail that did not come any nearer at all"


def lines(*texts: str, label: str = "n") -> str:
    """Records of texts with labels."""
    return "".join(json.dumps({"id": f"{label}{at}", "text": text}) + "\n" for at, text in enumerate(texts))


OLD = lines(FOX, FOX, LOREM, label="o")
NEW = lines(SEA, FOX.replace("dog", "cat"), LOREM.upper(), SEA.replace("grey", "green"), FOX)


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Write an old and a new file, and one whose records all fail."""
    simsieve.file("old.jsonl", OLD)
    simsieve.file("new.jsonl", NEW)
    simsieve.file("bad.jsonl", "no JSON\n" * 3)
    simsieve.file("empty.jsonl", "")
    return simsieve


def test_new_ones_are_dropped_for_old_ones(program: Program) -> None:
    """What is near an old document, or its copy, goes; the sink, decisions and books are of the new records alone."""
    before = (program.folder / "old.jsonl").read_bytes()
    outcome = program(
        "dedup", "new.jsonl", "--against", "old.jsonl", "-o", "out.jsonl", "--decisions", "why.jsonl", "--json"
    )
    summary = json.loads(outcome.out)
    fates = [
        (row["decision"], row["reason"], row["representative"], row["representative_position"],
         row["representative_collection"])
        for row in program.rows("why.jsonl")
    ]  # fmt: skip

    assert outcome.code == 0
    assert fates == [
        ("kept", "representative", "n0", 0, "new"),
        ("dropped", "near", "o0", 0, "old"),
        ("dropped", "exact", "o2", 2, "old"),
        ("dropped", "near", "n0", 0, "new"),
        ("dropped", "exact", "o0", 0, "old"),
    ]
    assert (program.folder / "out.jsonl").read_text() == lines(SEA)
    assert [summary[name] for name in ("read", "kept", "dropped", "failed")] == [5, 1, 4, 0]
    assert [summary[name] for name in ("old_read", "old_failed", "old_duplicates")] == [3, 0, 3]
    assert (summary["clusters"], summary["largest_cluster"], summary["repeated_ids"]) == (1, 2, 0)
    assert before == (program.folder / "old.jsonl").read_bytes()


def test_old_sources_of_every_form(program: Program) -> None:
    """Several old files are one collection in their order: text, packed, or stdin; new ones keep their own form."""
    program.file("more.txt", SEA + "\n" + FOX + "\n")
    program("dedup", "old.jsonl", "-o", "old.jsonl.zst", "--quiet", "--max-distance", "0")
    words = ["--against", "-", "--against", "old.jsonl.zst", "--against", "more.txt"]
    outcome = program("dedup", "new.jsonl", *words, "-o", "out.jsonl", "--decisions", "why.jsonl", "--json", given=b"")

    assert outcome.code == 0
    assert (program.folder / "out.jsonl").read_bytes() == b""
    found = [(row["representative_position"], row["representative_collection"]) for row in program.rows("why.jsonl")]
    # The packed file has one copy of FOX and LOREM, then come the lines of text.
    assert found == [(2, "old"), (0, "old"), (1, "old"), (2, "old"), (0, "old")]
    assert json.loads(outcome.out)["old_read"] == 4


@pytest.mark.parametrize(("old", "code"), [("empty.jsonl", 0), ("bad.jsonl", 1)])
def test_nothing_old_decides_as_without(old: str, code: int, program: Program) -> None:
    """An empty old file, or one of failed records only, changes no decision; the failed ones are told."""
    alone = program("dedup", "new.jsonl", "-o", "alone.jsonl", "--decisions", "alone.why.jsonl", "--quiet")
    outcome = program(
        "dedup", "new.jsonl", "--against", old, "-o", "out.jsonl", "--decisions", "why.jsonl", "--failed",
        "failed.jsonl", "--quiet",
    )  # fmt: skip

    assert (alone.code, outcome.code) == (0, code)
    assert (program.folder / "alone.jsonl").read_bytes() == (program.folder / "out.jsonl").read_bytes()
    decided = program.rows("why.jsonl")
    assert {row.pop("representative_collection") for row in decided} == {"new"}
    assert decided == program.rows("alone.why.jsonl")
    failed = [(row["collection"], row["position"], row["line"]) for row in program.rows("failed.jsonl")]
    assert failed == [("old", at, at + 1) for at in range(3 if code else 0)]
    told = "simsieve: 3 of 3 old records failed, more than --max-failed 0 allows; the first is record 0 (not_json)"
    assert outcome.err.startswith(told if code else "")


def test_failed_records_of_both_are_told_apart(program: Program) -> None:
    """Each collection has its own count and its own positions, and --max-failed is held against each."""
    program.file("new.jsonl", NEW + "no JSON\n")
    words = ["dedup", "new.jsonl", "--against", "bad.jsonl", "-o", "out.jsonl", "--failed", "failed.jsonl"]
    outcome = program(*words, "--max-failed", "2")

    assert outcome.code == 1
    assert "simsieve: 1 of 6 records failed; the first is record 5 (not_json)" in outcome.err
    assert "simsieve: 3 of 3 old records failed, more than --max-failed 2 allows" in outcome.err
    assert "old records        3 (3 failed)" in outcome.err
    failed = [(row["collection"], row["position"]) for row in program.rows("failed.jsonl")]
    assert failed == [("new", 5), ("old", 0), ("old", 1), ("old", 2)]
    assert program(*words, "--max-failed", "3").code == 0


def test_pairs_across(program: Program) -> None:
    """Pairs have a new and an old side, by label or by the position in its own collection; none lies within one."""
    program.file("old.jsonl", OLD + json.dumps({"text": LOREM}) + "\n")
    outcome = program("pairs", "new.jsonl", "--against", "old.jsonl")
    found = [(row["a"], row["b"]) for row in map(json.loads, outcome.out.splitlines())]

    assert outcome.code == 0
    assert found == [("n1", "o0"), ("n1", "o1"), ("n2", "o2"), ("n2", 3), ("n4", "o0"), ("n4", "o1")]
    assert "6 pairs among 5 records and 4 old ones (0 failed)" in outcome.err
    refused = program("pairs", "new.jsonl", "--against", "old.jsonl", "--max-pairs", "5")
    assert (refused.code, refused.out) == (2, b"")
    assert "6 pairs, more than max_pairs = 5" in refused.err


def test_both_collections_may_be_of_any_kind(program: Program) -> None:
    """From Python, texts are held against a file, records against texts, and other objects are refused as ever."""
    texts = [SEA, FOX.replace("dog", "cat"), LOREM.upper()]
    path = program.folder / "old.jsonl"

    def fates(result: DedupResult) -> list[tuple[str, int | None, str | None]]:
        return [(d.decision, d.representative_position, d.representative_collection) for d in result.decisions]

    wanted = [("kept", 0, "new"), ("dropped", 0, "old"), ("dropped", 2, "old")]
    assert wanted == fates(dedup(texts, against=path))
    assert wanted == fates(dedup(({"text": text} for text in texts), against=[FOX, FOX, LOREM]))
    assert wanted == fates(dedup(texts, against=({"text": text} for text in [FOX, FOX, LOREM])))
    assert [(p.a_position, p.b_position) for p in find_pairs(texts, against=path)] == [(1, 0), (1, 1), (2, 2)]
    result = dedup(texts, against=path)
    result.write(program.folder / "out.jsonl")
    assert program.rows("out.jsonl") == [{"text": SEA}]
    assert result.old_clusters() == {0: [1], 2: [2]}
    with pytest.raises(TypeError, match="source is of type int"):
        dedup(texts, against=5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="is the source"):
        result.write(path)


def test_a_run_directory_is_no_source(program: Program) -> None:
    """The message names the option that takes it."""
    program.file("one.jsonl", '{"text": "one text on gravel"}\n')
    assert program("dedup", "one.jsonl", "-o", "k.jsonl", "--run-dir", "rd", "--quiet").code == 0
    for words in (("one.jsonl", "--against", "rd"), ("rd",)):
        assert (
            "rd is a run directory, and no source: name its sources, or make an index of it"
            in program("dedup", *words, "-o", "k.jsonl").refused()
        )
