"""`plan` in place of `dedup`: the same words are taken and checked, and nothing is written."""

import json

import pytest
from tests.integration.conftest import Program

from simsieve.cli.dedup import dedup
from simsieve.cli.plan import plan

RECORDS = "".join(json.dumps({"no": n, "content": f"a text of its own, number {n * 7919}"}) + "\n" for n in range(50))
TABLE = "no,content\n1,one text\n2,another text\n"


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with sources."""
    simsieve.file("in.jsonl", RECORDS)
    simsieve.file("in.csv", TABLE)
    return simsieve


def test_every_option_of_dedup_is_one_of_plan() -> None:
    """By all its names; the help of `plan` shows those alone that change the cost."""
    taken = {word for param in plan.params for word in param.opts}

    assert {word for param in dedup.params for word in param.opts} <= taken


MISTAKES = ["text", "contnet", "content --keep biggest", "content --differ anwser", "content --max-failed much"]


@pytest.mark.parametrize("source", ["in.jsonl", "in.csv"])
@pytest.mark.parametrize("more", [*MISTAKES, "content --similarity 1.5"])
def test_a_mistake_is_answered_alike(more: str, source: str, program: Program) -> None:
    """With the same line and exit code 2."""
    words = ["--text-field", *more.split()]
    planned, run = (program(command, source, *words, "-o", "kept", "-q") for command in ("plan", "dedup"))

    assert (planned.code, planned.err) == (run.code, run.err)
    assert planned.code == 2


def test_a_command_of_dedup_is_planned(program: Program) -> None:
    """Old documents count too; no output is written."""
    before = program.names()
    words = [
        "in.jsonl", "--against", "in.csv", "-o", "kept.jsonl", "--decisions", "why.csv", "--dropped", "dropped.csv",
        "--text-field", "content", "--id-field", "no", "--keep", "longest", "--block-by", "no", "--report", "r.html",
        "--idf", "fit", "--failed", "f.jsonl", "-q", "-v", "--dry-run", "--json",
    ]  # fmt: skip
    outcome = program("plan", *words).ok()
    assert json.loads(outcome.out)["documents"] == 52
    assert program.names() == before


def test_memory_that_is_too_little_is_said_before_the_run(program: Program) -> None:
    """Below the allowance of every run it is a warning; a run that would be refused is refused in the plan."""
    told = "memory 1MB is below the 268.4 MB that every run may take: a run may hold 268.4 MB"
    run = program("dedup", "in.csv", "--text-field", "content", "--dry-run", "-q", "--memory", "1MB")
    planned = program("plan", "in.csv", "--text-field", "content", "--memory", "1MB")
    large = program("plan", "in.csv", "--documents", "1000000000", "--text-field", "content", "--memory", "1GB")

    assert (run.code, planned.code, large.code) == (0, 0, 0)
    assert told in run.err and told in planned.err
    assert b"refused: " in large.out
    assert "1.0 GB of memory are too little for 1,000,000,000 records" in large.err
