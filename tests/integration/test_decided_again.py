"""`--run-dir RUN` without SOURCE: a finished run is decided again at another threshold, through the command line."""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.integration.conftest import Outcome, Program

from simsieve import ConfigError, SourceError, dedup

RUN = "texts.rundir"
SIDES = ("kept", "why", "failed")


def outputs(program: Program, name: str, *words: str) -> tuple[Outcome, list[bytes]]:
    """Run `dedup` and give what it wrote: kept, decisions, failed."""
    sides = ["-o", f"{name}.kept.jsonl", "--decisions", f"{name}.why.jsonl", "--failed", f"{name}.failed.jsonl"]
    outcome = program("dedup", *words, *sides, "--quiet", "--max-failed", "9", "--summary", f"{name}.summary.json")
    files = [program.folder / f"{name}.{side}.jsonl" for side in SIDES]
    return outcome, [path.read_bytes() if path.exists() else b"" for path in files]


@pytest.fixture
def program(simsieve: Program, root: Path) -> Program:
    """Write the examples, packed, with records that fail; a part of them as an old file."""
    texts = (root / "examples/texts.jsonl").read_bytes().splitlines(keepends=True)
    simsieve.file("in.jsonl", b"".join(texts[:45]) + b"no JSON\n\n" + texts[45] + b'{"text": null}\n')
    simsieve.file("old.jsonl", b"".join(texts[46:]) + b"bad\n")
    assert simsieve("dedup", "old.jsonl", "-o", "packed.jsonl.gz", "--quiet", "--max-distance", "0").code == 1
    return simsieve


FIRST = [
    ["in.jsonl"],
    ["in.jsonl", "packed.jsonl.gz", "--keep", "longest,last"],
    ["in.jsonl", "--against", "old.jsonl", "--keep", "last"],
    ["in.jsonl", "--against", "packed.jsonl.gz", "--scheme", "chars64:n=3,weights=log"],
]


@pytest.mark.parametrize("first", FIRST, ids=["one", "two", "against", "packed"])
@pytest.mark.parametrize(
    ("loose", "strict"),
    [(["--similarity", "0.5"], ["--similarity", "0.9"]), (["--max-distance", "30"], ["--max-distance", "10"])],
    ids=["similarity", "distance"],
)
def test_a_finished_run_decides_as_a_fresh_one(
    first: list[str], loose: list[str], strict: list[str], program: Program
) -> None:
    """On a small collection it writes byte for byte what a fresh run at its threshold writes, as often as asked."""
    plain, plainly = outputs(program, "plain", *first, *loose)
    saved, made = outputs(program, "saved", *first, *loose, "--run-dir", RUN)
    fresh, wanted = outputs(program, "fresh", *first, *strict)
    again, found = outputs(program, "again", "--run-dir", RUN, *strict)
    named, given = outputs(program, "named", *first, *strict, "--run-dir", RUN, "--resume")
    same, unchanged = outputs(program, "same", "--run-dir", RUN)

    assert [one.code for one in (plain, saved, fresh, again, named, same)] == [0] * 6, again.err
    assert made == plainly == unchanged
    assert found == given == wanted and found != made
    summaries = [json.loads((program.folder / f"{name}.summary.json").read_text()) for name in ("fresh", "again")]
    for name in ("read", "kept", "exact_duplicates", "near_duplicates", "failed", "recall", "scheme", "digest"):
        assert summaries[0][name] == summaries[1][name]


def test_a_run_is_decided_again_in_its_folder(program: Program, tmp_path: Path) -> None:
    """From another folder the names of its sources lead nowhere."""
    assert outputs(program, "first", "in.jsonl", "--run-dir", RUN)[0].code == 0
    below = tmp_path / "below"
    below.mkdir()
    program.folder, here = below, program.folder
    outcome, _ = outputs(program, "again", "--run-dir", f"../{RUN}", "--similarity", "0.8")

    assert (outcome.code, f"names its sources from the folder {here}" in outcome.err) == (2, True)


class Refused(NamedTuple):
    """Words after `dedup --run-dir RUN`, and what the message says."""

    name: str
    words: list[str]
    parts: list[str]


REFUSED = [
    Refused("looser", ["--similarity", "0.5"], ["similarity 0.5", "a run at similarity 0.6", "give 0.6 to 1"]),
    Refused("of the other kind", ["--max-distance", "3"], ["--max-distance 3", "a run at similarity 0.6"]),
    Refused("both", ["--max-distance", "3", "--similarity", "0.8"], ["both given"]),
    Refused("scheme", ["--scheme", "chars64"], ["scheme is chars128 in", "chars64 is given: leave it out"]),
    Refused("text field", ["--text-field", "body"], ["--text-field is text in", "body is given"]),
    Refused("keep", ["--keep", "last"], ["keep is first in", "last is given"]),
    Refused("recall", ["--recall", "0.9"], ["recall is 0.98 in", "0.9 is given"]),
    Refused("an old source", ["--against", "old.jsonl"], ["--against is given without SOURCE"]),
    Refused("sink is a source", ["--failed", "in.jsonl"], ["the output in.jsonl is the source"]),
    Refused("another sink form", ["-o", "out.txt"], ["the output out.txt is named txt"]),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_the_run_cannot_answer_is_refused(case: Refused, program: Program) -> None:
    """Exit code 2, one line that names what is wrong, nothing written."""
    assert outputs(program, "first", "in.jsonl", "--run-dir", RUN)[0].code == 0
    before = program.names()
    outcome = program("dedup", "--run-dir", RUN, "-o", "out.jsonl", *case.words)

    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (2, b"", 1)
    assert [part for part in case.parts if part not in outcome.err] == [], outcome.err
    assert program.names() == before


def test_settings_that_are_the_runs_own_may_be_given(program: Program) -> None:
    """A setting with the value that the run had is no contradiction; what decides nothing may differ."""
    assert outputs(program, "first", "in.jsonl", "--run-dir", RUN, "--scheme", "chars256")[0].code == 0
    words = ["--scheme", "chars256", "--keep", "first", "--sample", "5", "--threads", "1", "--similarity", "0.7"]

    assert outputs(program, "again", "--run-dir", RUN, *words)[0].code == 0


@pytest.mark.parametrize("name", ["in.jsonl", "old.jsonl"])
def test_a_source_that_is_not_what_it_was_is_refused(name: str, program: Program) -> None:
    """Another size, another time, or no file: the message names the source."""
    assert outputs(program, "first", "in.jsonl", "--against", "old.jsonl", "--run-dir", RUN)[0].code == 0
    path = program.folder / name
    stat, content = path.stat(), path.read_bytes()

    def refusal() -> str:
        outcome = program("dedup", "--run-dir", RUN, "-o", "out.jsonl")
        assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
        return outcome.err

    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))
    assert f"the time of change of source {1 + (name != 'in.jsonl')} ({name}) was" in refusal()
    path.write_bytes(content + b"more\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert f"({name}) was" in refusal()
    path.unlink()
    assert f"{name}: does not exist" in refusal()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert program("dedup", "--run-dir", RUN, "-o", "out.jsonl", "--max-failed", "9").code == 0


def test_what_has_no_names_is_given_again(program: Program) -> None:
    """Stdin and several schemes are not noted, and a path that is no run directory has nothing to decide on."""
    assert program("dedup", "-", "-o", "k.jsonl", "--run-dir", RUN, "-q", given=b'{"text": "one text"}\n').code == 0
    assert "not all of the run's sources and settings can be named" in program("dedup", "--run-dir", RUN, "-o", "l").err
    assert "in.jsonl is no run directory" in program("dedup", "--run-dir", "in.jsonl", "-o", "l.jsonl").err


def test_again_from_python(program: Program) -> None:
    """A result decides again at stricter thresholds of its kind and refuses the rest; a changed source is noticed."""
    path = program.folder / "in.jsonl"
    result = dedup(path, similarity=0.6)

    strict = result.rethreshold(similarity=0.9)
    assert list(strict.decisions) == list(dedup(path, similarity=0.9).decisions)
    assert strict.rethreshold(similarity=0.6).summary["kept"] == result.summary["kept"]
    assert result.rethreshold(sample=0, threads=1).recall is None
    assert strict.recipe["digest"] != result.recipe["digest"]
    for settings, part in (
        ({"similarity": 0.59}, "similarity 0.59 cannot be answered by a run at similarity 0.6"),
        ({"max_distance": 3}, "max_distance 3 cannot be answered"),
        ({"keep": "last"}, "rethreshold cannot change keep: it takes similarity, max_distance, sample, threads"),
        ({"similarity": 2}, "similarity 2 is outside"),
    ):
        with pytest.raises(ConfigError, match=part):
            result.rethreshold(**settings)
    path.write_bytes(path.read_bytes() + b"more\n")
    with pytest.raises(SourceError, match="changed"):
        result.rethreshold(similarity=0.9)
