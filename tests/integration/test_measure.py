"""`--measure jaccard` through the commands: pairs, decisions, a run decided again, plans, several schemes, refusals."""

import json

import pytest
from tests.integration.conftest import Program, jsonl

from simsieve import ConfigError, dedup, find_pairs, plan, similarity
from simsieve.config.settings import DedupConfig

WHOLE = "the ferry leaves the harbour at seven in the morning and whoever is late must walk around the bay"
TEXTS = [WHOLE, WHOLE[: len(WHOLE) // 2], WHOLE.replace("seven", "eight"), "the baker counts the loaves at night"]
BY = ("--measure", "jaccard")


@pytest.fixture
def source(simsieve: Program) -> str:
    """Write the texts and give the file's name."""
    simsieve.file("in.jsonl", jsonl({"id": at, "text": text} for at, text in enumerate(TEXTS)))
    return "in.jsonl"


def test_the_commands_tell_the_jaccard_similarity(simsieve: Program, source: str) -> None:
    """A half of a text is near by its cosine and not by Jaccard; pairs and decisions have what was measured."""
    by_cosine = simsieve("pairs", source, "--quiet", "--similarity", "0.65")
    by_jaccard = simsieve("pairs", source, "--quiet", *BY, "--similarity", "0.48")
    near = [[(row["a"], row["b"]) for row in map(json.loads, it.out.splitlines())] for it in (by_cosine, by_jaccard)]
    assert near == [[(0, 1), (0, 2)], [(0, 2)]]
    (row,) = map(json.loads, by_jaccard.out.splitlines())
    assert row["similarity"] == pytest.approx(similarity(TEXTS[0], TEXTS[2], measure="jaccard"), abs=1e-6)

    words = ("--decisions", "why.jsonl", "--quiet", *BY, "--similarity", "0.48")
    assert simsieve("dedup", source, "-o", "kept.jsonl", *words).code == 0
    why = simsieve.rows("why.jsonl")
    assert [row["decision"] for row in why] == ["kept", "kept", "dropped", "kept"]
    assert {row["measure"] for row in why} == {"jaccard"}
    assert why[2]["similarity"] == row["similarity"]


def test_a_run_directory_keeps_its_measure(simsieve: Program, source: str) -> None:
    """It is decided again by Jaccard as a fresh run is, and takes no other measure."""
    words = ("--similarity", "0.2", *BY, "--run-dir", "a.run")
    assert simsieve("dedup", source, "-o", "loose.jsonl", "--quiet", *words).code == 0
    strict = ("--similarity", "0.6", "--quiet", "--decisions")
    assert simsieve("dedup", source, "-o", "a.jsonl", *BY, *strict, "a.why.jsonl").code == 0
    assert simsieve("dedup", "--run-dir", "a.run", "-o", "b.jsonl", *strict, "b.why.jsonl").code == 0
    assert simsieve("dedup", "--run-dir", "a.run", "-o", "c.jsonl", *BY, *strict, "c.why.jsonl").code == 0
    fresh, *others = [(simsieve.folder / f"{name}.why.jsonl").read_bytes() for name in "abc"]
    assert others == [fresh, fresh]
    for refused, part in (
        (("--measure", "cosine"), "measure is jaccard in the run in a.run, and cosine is given"),
        (("--similarity", "0.1"), "Jaccard similarity 0.1 cannot be answered by a run at Jaccard similarity 0.2"),
        (("--max-distance", "3"), "measure jaccard is of a similarity, and --max-distance 3 is given"),
    ):
        assert part in simsieve("dedup", "--run-dir", "a.run", "-o", "d.jsonl", *refused).refused()


def test_a_result_keeps_its_measure() -> None:
    """`rethreshold` decides by the measure of the run, and does not change it."""
    result = dedup(TEXTS, measure="jaccard", similarity=0.2)
    assert (result.counts.kept, result.rethreshold(similarity=0.6).counts.kept) == (2, 3)
    assert result.recipe["digest"] != dedup(TEXTS, similarity=0.2).recipe["digest"]
    with pytest.raises(ConfigError, match="rethreshold cannot change measure"):
        result.rethreshold(measure="cosine")  # type: ignore[call-arg]


def test_against_old_documents() -> None:
    """Old documents stand first under this measure as under any."""
    assert list(dedup(TEXTS[1:], against=TEXTS[:1], measure="jaccard", similarity=0.48).kept) == [0, 2]
    across = find_pairs(TEXTS[1:], against=TEXTS[:1], measure="jaccard", similarity=0.48)
    assert [(pair.a_position, pair.b_position) for pair in across] == [(1, 0)]


def test_the_measure_is_that_of_every_similarity_of_several_schemes() -> None:
    """Schemes by similarity are measured by Jaccard, one by bits stays with its bits; each tells by what."""
    schemes = ["chars128@0.4", "words64@0.3", "chars64@30bits"]
    result = dedup(TEXTS, scheme=schemes, combine="all", measure="jaccard")
    near = [
        similarity(TEXTS[0], TEXTS[2], spec, "jaccard") >= least
        for spec, least in (("chars128", 0.4), ("words64", 0.3))
    ]
    assert (near, result.decisions[2].measure) == ([True, True], "jaccard")
    assert [row["measure"] for row in result.summary["schemes"]] == ["jaccard", "jaccard", "hamming"]


def test_a_plan_tells_the_measure(simsieve: Program) -> None:
    """The keys are those of the cosine of sets of one size, and a part shares more of them than at that cosine."""
    made = plan(TEXTS, documents=200_000, measure="jaccard")
    cosine = plan(TEXTS, documents=200_000, similarity=2 * 0.43 / 1.43)
    assert (made.measure, made.similarity, made.recipe) == ("jaccard", 0.43, cosine.recipe)
    assert made.recall_of_equals == cosine.recall_of_equals >= 0.98 > made.recall_of_parts > cosine.recall_of_parts
    assert any("Jaccard similarity 0.43" in sentence for sentence in made.why)
    table = simsieve("plan", simsieve.file("in.txt", "one text\n"), *BY).out.decode()
    assert "Jaccard similarity 0.43" in table
    assert plan(documents=10, max_distance=3).measure == "hamming"


def test_the_default_threshold_is_that_of_the_measure() -> None:
    """Where none is given: 0.6 for the cosine, and 0.43 for Jaccard, which sets of one size then have."""
    assert DedupConfig(measure="jaccard").effective_similarity == 0.43 == round(0.6 / (2 - 0.6), 2)
    assert DedupConfig(measure="jaccard", scheme="chars64@0.65").effective_similarity == 0.65
    assert DedupConfig(scheme="chars64@0.48").effective_similarity == 0.48
