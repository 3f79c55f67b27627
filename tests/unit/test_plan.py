"""Plans at every extreme, what they warn of, and the forecast of a run beside its outcome."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, dedup, plan
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.report.table import summary_rows
from simsieve.results import DedupResult, Plan
from simsieve.run.pipeline import run_dedup
from simsieve.run.plan import ClusterPlan

COUNTED = {"keys", "looks", "candidates", "verified", "bytes", "recall"}
OUTCOME = COUNTED | {"seconds", "cpu_seconds"}
TEXTS = ["one text of words", "another text of other words"]


def families(count: int, each: int) -> list[str]:
    """Make families of texts; all but the first have one word changed."""
    chance = random.Random(5)
    texts = []
    for _ in range(count):
        words = [f"{chance.randrange(10**6):x}" for _ in range(30)]
        for member in range(each):
            changed = [*words]
            if member:
                changed[member] = f"other{member}"
            texts.append(" ".join(changed))
    return texts


@pytest.fixture(scope="module")
def found() -> tuple[list[str], DedupResult, list[str]]:
    """Texts of a search by keys, the run on them, and the stages that it told."""
    texts, stages = families(5000, 4), list[str]()
    return texts, dedup(texts, progress=lambda stage, _done, _total: stages.append(stage)), stages


@pytest.mark.parametrize("documents", [0, 1, 2, 8191, 8192, 10**6, 2**32 - 2])
@pytest.mark.parametrize(
    "threshold",
    [{"similarity": 0.01}, {"similarity": 0.65}, {"similarity": 1.0}, {"max_distance": 0}, {"max_distance": 63}],
    ids=str,
)
def test_every_extreme_is_a_plan(documents: int, threshold: dict[str, Any]) -> None:
    """A plan of any size and threshold has finite numbers, keys, and a reason for each choice."""
    made = plan(TEXTS[:documents], documents=documents, bits=64, **threshold)

    numbers = [made.looks, made.candidates, made.verified, made.bytes]
    assert all(0 <= number < float("inf") for number in numbers)
    assert made.keys >= 1 and made.why
    assert len(made.digest) == 32 and 0 <= made.recall_of_parts <= made.recall_of_equals <= 1


@pytest.mark.parametrize(
    ("settings", "ratios"),
    [
        ({"similarity": 0.6}, [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.36]),
        ({"similarity": 0.5, "measure": "jaccard"}, [1, 0.9, 0.8, 0.7, 0.6, 0.5]),
        ({"similarity": 0.8, "measure": "containment", "max_ratio": 3}, [0.8, 1, 1.5, 2, 3]),
    ],
    ids=str,
)
def test_the_recall_by_size_ends_at_the_worst_case(
    settings: dict[str, Any], ratios: list[float], tmp_path: Path
) -> None:
    """The plan and its table go from texts of one size to the ratio that is found least often."""
    program, made = Program(tmp_path), plan(TEXTS, documents=200_000, **settings)
    by_size = dict(made.recall_by_size)

    assert [round(ratio, 4) for ratio in by_size] == ratios
    assert by_size[1.0] == pytest.approx(made.recall_of_equals)
    assert made.recall_by_size[-1][1] == pytest.approx(made.recall_of_parts)
    program.file("in.txt", "".join(f"{text}\n" for text in TEXTS))
    program.file("run.toml", "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()))
    words = ["in.txt", "--documents", "200000", "--config", "run.toml"]
    table = program("plan", *words).out.decode()
    shown = [line.split() for line in table.splitlines() if line.startswith("  ") and line[2].isdigit()]
    assert shown == [[f"{ratio:g}", f"{recall:.4f}"] for ratio, recall in zip(ratios, by_size.values(), strict=True)]
    found = json.loads(program("plan", *words, "--json").out)
    assert found["recall_by_size"] == [list(pair) for pair in made.recall_by_size]


def test_a_search_that_finds_every_pair_has_no_recall_by_size(tmp_path: Path) -> None:
    """There is nothing to promise, and no table."""
    program = Program(tmp_path)
    program.file("in.txt", "one text\n")
    assert plan(TEXTS).recall_by_size == plan(documents=200_000, max_distance=3).recall_by_size == ()
    assert b"size ratio" not in program("plan", "in.txt").out


@pytest.mark.parametrize("settings", [{}, {"documents": 1000}, {"max_distance": 3}])
def test_without_a_source_a_plan_is_for_fingerprints(settings: dict[str, Any]) -> None:
    """A search by similarity depends on the texts, and a plan without them says so."""
    with pytest.raises(ConfigError, match="give a source, whose texts say what a search by similarity meets"):
        plan(**settings)
    made = plan(documents=10**6, bits=64, max_distance=3)
    assert (made.recipe, made.keys_mean, made.mean_bytes) == ("4 tables of agreeing bits", 4, 0)


def test_the_recipe_is_that_of_the_run(found: tuple[list[str], DedupResult, list[str]]) -> None:
    """A plan names the recipe that a run of the same number of documents has, digest and all."""
    texts, result, _ = found
    made = plan(texts[:50], documents=len(texts))

    assert (made.recipe, made.digest) == (result.recipe["source"], result.recipe["digest"])
    assert result.summary["plan"]["recipe"] == made.recipe and result.summary["plan"]["keys"] == made.keys


def test_a_recall_out_of_reach_is_told() -> None:
    """A threshold whose recall no keys reach is warned of, with a similarity that is not."""
    (warning, *_) = plan(TEXTS, documents=10**6, similarity=0.05).warnings
    fits = float(warning.split("a similarity of ")[1].split(",")[0])

    assert warning.startswith("similarity 0.05 is too low for a recall of 0.98 over 1,000,000 documents: of pairs")
    assert 0.1 < fits < 0.3
    assert [told for told in plan(TEXTS, documents=10**6, similarity=fits).warnings if "too low" in told] == []
    # Few texts say little of many documents.
    for times, count in ((1_000, 0), (1_001, 1)):
        made = plan(TEXTS, documents=times * len(TEXTS))
        assert len([told for told in made.warnings if f"from {len(TEXTS):,} texts" in told]) == count


def test_memory_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan above the free memory says how many documents would fit, and these do."""
    for module in ("plan", "forecast"):
        monkeypatch.setattr(f"simsieve.run.{module}.available_bytes", lambda: 2 * 10**9)
    (warning,) = [told for told in plan(TEXTS, documents=500_000_000).warnings if "GB" in told]
    fits = int(warning.split("about ")[1].split(" ")[0].replace(",", ""))

    assert "2.0 GB are free" in warning
    assert 10**6 < fits < 500_000_000
    assert [told for told in plan(TEXTS, documents=fits // 2).warnings if "GB" in told] == []


def test_a_long_search_is_told() -> None:
    """A plan says so where each document meets many others."""
    assert "others that must be looked at" in " ".join(plan(documents=10**7, max_distance=40).warnings)


def test_forecast_and_outcome_stand_side_by_side(found: tuple[list[str], DedupResult, list[str]]) -> None:
    """The forecast is by a sample, before anything is encoded; summary and table have it beside the outcome."""
    _, result, stages = found
    told = result.summary["plan"]
    forecast, outcome = told["forecast"], told["outcome"]
    rows = dict(summary_rows(result.summary, result.recall, verbose=True))

    assert (set(forecast), set(outcome)) == (COUNTED | {"texts", "near_pairs", "crowd"}, OUTCOME)
    assert (forecast["texts"] > 5000, forecast["near_pairs"] > 1000, forecast["crowd"]) == (True, True, 0)
    assert forecast["keys"] == pytest.approx(outcome["keys"], rel=0.1)
    for name in ("looks", "candidates", "verified"):
        assert 0.5 < forecast[name] / outcome[name] < 2, name
    assert outcome["recall"] == result.summary["recall"] == pytest.approx(forecast["recall"], abs=0.05)
    assert outcome["candidates"] == result.summary["candidates"] > 5000 and outcome["cpu_seconds"] > 0
    assert stages.index("fingerprint") > stages.index("sample")
    assert f"(forecast {forecast['candidates']:,})" in rows["candidate pairs"]
    assert rows["tested pairs"] == f"{outcome['looks']:,} (forecast {forecast['looks']:,})"
    assert "forecast" in rows["peak memory"]
    json.dumps(told, allow_nan=False)


def test_a_second_decision_has_no_forecast(found: tuple[list[str], DedupResult, list[str]]) -> None:
    """The forecast is one of the run that was begun; the outcome has the seconds of the decision."""
    again = found[1].rethreshold(similarity=0.9)
    told = again.summary["plan"]

    assert (told["forecast"], set(told["outcome"])) == (None, OUTCOME)
    assert told["outcome"]["seconds"] == pytest.approx(again.seconds, abs=0.05)


def test_a_run_that_goes_on_has_no_forecast(tmp_path: Path) -> None:
    """Its sample was taken before; what was found then is in force."""
    texts, settings = families(2500, 4), DedupConfig(run_dir=str(tmp_path / "run"))
    first = run_dedup(texts, settings)
    again = run_dedup(texts, replace(settings, resume=True))

    assert first.summary["plan"]["forecast"]["texts"] > 4000
    assert again.summary["plan"]["forecast"] is None and list(again.decisions) == list(first.decisions)


def test_few_documents_have_no_forecast() -> None:
    """Where every pair is looked at the forecast is null, and the table has none."""
    summary = dedup(["one text here", "another text"]).summary

    assert (summary["plan"]["recipe"], summary["plan"]["forecast"]) == ("every pair", None)
    assert "forecast" not in str(summary_rows(summary, None, verbose=True))


def test_a_run_warns_before_the_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the forecast says too much of is told to the caller; without one it is a warning."""
    monkeypatch.setattr("simsieve.run.forecast.MANY_CANDIDATES", 0.01)
    told: list[str] = []
    texts = families(2100, 4)
    run_dedup(texts, DedupConfig(sample=0), warn=told.append)

    assert len(told) == 1 and "others that must be looked at" in told[0]
    with pytest.warns(RuntimeWarning, match="must be looked at"):
        dedup(texts, sample=0)


@pytest.mark.parametrize("documents", [100, 1_000_000])
@pytest.mark.parametrize(
    "near", [{"similarity": 0.5}, {"similarity": 0.005}, {"max_distance": 3}, {"max_distance": 40}]
)
def test_every_reason_is_known(near: dict[str, Any], documents: int) -> None:
    """Each sentence of the core is a message with its template, so that it can be translated."""
    made = plan(TEXTS, documents=documents, **near)
    for sentence in (made.recipe, *made.why):
        assert isinstance(sentence, Message), sentence


def test_a_plan_of_a_source_counts_on_a_sample(tmp_path: Path) -> None:
    """Keys and pairs are about those of the run, and the table says what they follow from."""
    program, texts = Program(tmp_path), families(2500, 4)
    program.file("in.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts))
    told = json.loads(program("plan", "in.jsonl", "--json", "-q").out)
    outcome = dedup(texts).summary["plan"]["outcome"]
    table = program("plan", "in.jsonl", "-q").out.decode()
    by_distance = json.loads(program("plan", "in.jsonl", "--max-distance", "3", "--json", "-q").out)

    assert (told["documents"], told["mean_bytes"]) == (10_000, pytest.approx(len(texts[0]), rel=0.1))
    assert told["sampled"] > 4000 and told["crowd"] == 0
    assert told["keys_mean"] == pytest.approx(outcome["keys"], rel=0.1)
    assert 0.5 < told["looks"] / outcome["looks"] < 2
    assert 0.5 < told["candidates"] / outcome["candidates"] < 2
    assert told["recall_of_sample"] > 0.95
    assert f"by a sample of {told['sampled']:,} texts" in table and "of the pairs of the sample" in table
    assert (by_distance["sampled"], by_distance["recall_of_sample"]) == (0, None)


def test_a_part_says_what_the_collection_meets(found: tuple[list[str], DedupResult, list[str]]) -> None:
    """A plan of texts drawn at random from a larger collection has about the keys and pairs of a run on all of them."""
    texts, result, _ = found
    part = random.Random(3).sample(texts, 5000)
    made, outcome = plan(part, documents=len(texts)), result.summary["plan"]["outcome"]

    assert made.sampled > 4000 and made.keys_mean == pytest.approx(outcome["keys"], rel=0.2)
    for name in ("looks", "candidates", "verified"):
        assert 0.5 < getattr(made, name) / outcome[name] < 2, name


def test_a_crowd_is_said_before_the_search(tmp_path: Path) -> None:
    """Some pairs of texts with one template are near and some are not: their cost is not forecast."""
    program, chance = Program(tmp_path), random.Random(7)
    template = [f"{chance.randrange(10**6):x}" for _ in range(16)]

    def text() -> str:
        return " ".join([*template, *(f"{chance.randrange(10**6):x}" for _ in range(chance.randrange(20)))])

    program.file("in.txt", "".join(f"{text()}\n" for _ in range(9000)))
    told = json.loads(program("plan", "in.txt", "--json", "-q").out)
    table = program("plan", "in.txt", "-q").out.decode()

    assert told["crowd"] > 1000
    assert f"not known before the search of {told['crowd']:,} documents" in " ".join(table.split())


def test_a_job_on_a_cluster_is_planned_too() -> None:
    """It grows as texts and bytes do, and goes beyond what one machine takes; the driver takes a sample alone."""
    texts = families(1000, 2)
    one, ten = (plan(texts, documents=10**count, executors=4).cluster for count in (9, 10))
    assert one is not None and ten is not None

    assert plan(texts).cluster is None
    assert one.core_hours > 10**9 * (47e-6 + 0.121e-6 * len(texts[0])) / 3600 * 0.9
    assert ten.shuffle_bytes == pytest.approx(10 * one.shuffle_bytes, rel=0.01)
    few, many = (ClusterPlan.of(4, 10**9, 100, {"looks": 0.0, "verified": near}) for near in (0.0, 2e8))
    assert many.shuffle_bytes == few.shuffle_bytes + 400 * 2 * 10**8
    assert many.driver_bytes == ten.driver_bytes // len(texts[0]) * 100 == 100 << 20
    assert "Spark on 4 executors" in str(plan(texts, executors=4))
    with pytest.raises(ConfigError, match="executors 0 is not allowed"):
        plan(texts, executors=0)


def test_the_command(tmp_path: Path) -> None:
    """`simsieve plan` writes a table or JSON on stdout, warnings on stderr, and refuses with exit code 2."""
    program = Program(tmp_path)
    program.file("in.txt", "one text\n")
    table = program("plan", "in.txt", "--documents", "1000000", "--similarity", "0.005")
    told = json.loads(program("plan", "--documents", "100", "--bits", "64", "--max-distance", "3", "--json").out)
    refused = program("plan", "--documents", "1", "--bits", "64", "--scheme", "chars64")

    assert (table.code, table.err.startswith("simsieve: warning: similarity 0.005 is too low")) == (0, True)
    labels = {line.split("  ")[0] for line in table.out.decode().splitlines()}
    assert max(map(len, table.out.decode().splitlines())) <= 80
    assert {"recipe", "memory", "candidates", "verified", "recall", "why"} <= labels
    assert (told["scheme"], told["max_distance"], told["recipe"], told["warnings"]) == (
        "chars64", 3, "every pair", [],
    )  # fmt: skip
    assert (refused.code, "both given" in refused.err) == (2, True)
    assert set(told) == set(Plan.__slots__)
