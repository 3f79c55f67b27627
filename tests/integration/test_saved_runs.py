"""`--save-run` and `--from-run`: a run taken up again at another threshold, through the command line."""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.integration.conftest import Outcome, Program

from simsieve import ConfigError, SourceError, _core, dedup
from simsieve.config.settings import DedupConfig

RUN = "texts.run"
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
@pytest.mark.parametrize("pairs", [True, False], ids=["pairs", "search"])
@pytest.mark.parametrize(
    ("loose", "strict"),
    [(["--similarity", "0.5"], ["--similarity", "0.9"]), (["--max-distance", "30"], ["--max-distance", "10"])],
    ids=["similarity", "distance"],
)
def test_a_saved_run_decides_as_a_fresh_one(
    first: list[str], pairs: bool, loose: list[str], strict: list[str], program: Program
) -> None:
    """On a small collection the later run writes byte for byte what a fresh run at its threshold writes."""
    save = ["--save-run", RUN, *(["--save-all-pairs"] if pairs else [])]
    plain, plainly = outputs(program, "plain", *first, *loose)
    saved, made = outputs(program, "saved", *first, *loose, *save)
    fresh, wanted = outputs(program, "fresh", *first, *strict)
    again, found = outputs(program, "again", "--from-run", RUN, *strict)
    same, unchanged = outputs(program, "same", "--from-run", RUN)

    assert [plain.code, saved.code, fresh.code, again.code, same.code] == [0] * 5
    assert made == plainly == unchanged
    assert found == wanted
    assert found != made
    summaries = [json.loads((program.folder / f"{name}.summary.json").read_text()) for name in ("fresh", "again")]
    for name in ("read", "kept", "exact_duplicates", "near_duplicates", "failed", "recall", "scheme", "digest"):
        assert summaries[0][name] == summaries[1][name]
    assert (summaries[1]["verified"] == 0) == pairs


def test_a_saved_run_is_taken_up_from_anywhere(program: Program, tmp_path: Path) -> None:
    """The sources are found from another folder."""
    assert outputs(program, "first", "in.jsonl", "--save-run", RUN)[0].code == 0
    (tmp_path / "below").mkdir()
    program.folder = tmp_path / "below"
    outcome, (kept, *_) = outputs(program, "again", "--from-run", f"../{RUN}", "--similarity", "0.8")

    assert (outcome.code, outcome.err) == (0, "")
    assert kept


class Refused(NamedTuple):
    """Words after `dedup --from-run texts.run`, and what the message says."""

    name: str
    words: list[str]
    parts: list[str]


REFUSED = [
    Refused("looser", ["--similarity", "0.5"], ["similarity 0.5", "a run at similarity 0.6", "give 0.6 to 1"]),
    Refused("of the other kind", ["--max-distance", "3"], ["--max-distance 3", "a run at similarity 0.6"]),
    Refused("both", ["--max-distance", "3", "--similarity", "0.8"], ["both given"]),
    Refused("scheme", ["--scheme", "chars64"], ["scheme chars64", "which has chars128", "leave it out"]),
    Refused("text field", ["--text-field", "body"], ["--text-field body", "which has text"]),
    Refused("keep", ["--keep", "last"], ["keep last", "which has first"]),
    Refused("recall", ["--recall", "0.9"], ["recall 0.9", "which has 0.98"]),
    Refused("seed", ["--seed", "1"], ["seed 1", "which has 0"]),
    Refused("a source", ["in.jsonl"], ["in.jsonl and --from-run are both given"]),
    Refused("an old source", ["--against", "old.jsonl"], ["old.jsonl and --from-run are both given"]),
    Refused("saved once more", ["--save-run", "more.run"], ["--save-run and --from-run"]),
    Refused("sink is the run", ["--summary", RUN], [f"the output {RUN} is the source"]),
    Refused("sink is a source", ["--failed", "in.jsonl"], ["the output in.jsonl is the source"]),
    Refused("another sink form", ["-o", "out.txt"], ["the output out.txt is named txt"]),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_the_run_cannot_answer_is_refused(case: Refused, program: Program) -> None:
    """Exit code 2, one line that names what is wrong, nothing written."""
    assert outputs(program, "first", "in.jsonl", "--save-run", RUN)[0].code == 0
    before = program.names()
    outcome = program("dedup", "--from-run", RUN, "-o", "out.jsonl", *case.words)

    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (2, b"", 1)
    assert [part for part in case.parts if part not in outcome.err] == []
    assert program.names() == before


def test_settings_that_are_the_runs_own_may_be_given(program: Program) -> None:
    """A setting with the value that the run had is no contradiction; what decides nothing may differ."""
    assert outputs(program, "first", "in.jsonl", "--save-run", RUN, "--scheme", "chars256")[0].code == 0
    words = ["--scheme", "chars256", "--keep", "first", "--sample", "5", "--threads", "1", "--similarity", "0.7"]

    assert outputs(program, "again", "--from-run", RUN, *words)[0].code == 0


@pytest.mark.parametrize("name", ["in.jsonl", "old.jsonl"])
def test_a_source_that_is_not_what_it_was_is_refused(name: str, program: Program) -> None:
    """Another size, another time, or no file: the message names the source."""
    words = ["in.jsonl", "--against", "old.jsonl", "--save-run", RUN, "--save-all-pairs"]
    assert outputs(program, "first", *words)[0].code == 0
    path = program.folder / name
    stat, content = path.stat(), path.read_bytes()

    def refusal() -> str:
        outcome = program("dedup", "--from-run", RUN, "-o", "out.jsonl")
        assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
        return outcome.err

    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))
    assert f"{name}: changed since {RUN} was saved" in refusal()
    path.write_bytes(content + b"more\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert f"{name}: changed since {RUN} was saved" in refusal()
    path.unlink()
    assert f"{name}: does not exist" in refusal()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert program("dedup", "--from-run", RUN, "-o", "out.jsonl", "--max-failed", "9").code == 0


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "does not exist"),
        (b'{"text": "a source"}\n' * 9, "is not a saved run; name the file of a saved run"),
        ({32: 99}, "is a saved run of version 99, and this simsieve reads version 7; run on the sources again"),
        ({20: ord("x")}, 'is a simsieve file of kind "xun", not a saved run'),
    ],
    ids=["missing", "foreign", "of another version", "of another kind"],
)
def test_what_is_no_whole_saved_run_is_refused(
    content: bytes | dict[int, int] | None, part: str, program: Program
) -> None:
    """A file that is not a whole saved run of this version ends the run with its name."""
    assert outputs(program, "first", "in.jsonl", "--save-run", RUN)[0].code == 0
    path = program.folder / RUN
    if content is None:
        path.unlink()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        bent = bytearray(path.read_bytes())
        for place, byte in content.items():
            bent[place] = byte
        path.write_bytes(bent)
    outcome = program("dedup", "--from-run", RUN, "-o", "out.jsonl")

    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"simsieve: {RUN}: {part}")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["-", "--save-run", RUN], "the source - cannot be opened again, so this run cannot be saved"),
        (["folder", "--save-run", RUN], "folder is a folder or a document, and a saved run finds lines again"),
        (["rows.parquet", "--save-run", RUN], "rows.parquet has its rows in columns, and a saved run finds lines"),
        (["in.jsonl", "--save-all-pairs"], "--save-all-pairs needs --save-run FILE"),
        (["in.jsonl", "--save-run", "-"], "--save-run - is not allowed"),
        (["in.jsonl", "--save-run", "in.jsonl"], "the output in.jsonl is the source"),
        (["in.jsonl", "--save-run", "out.jsonl"], "the outputs out.jsonl and out.jsonl are the same file"),
        (["in.jsonl", "--save-run", "nowhere/a.run"], "nowhere"),
        (["in.jsonl", "--save-run", RUN, "--save-all-pairs", "--max-pairs", "3"], "pairs, more than max_pairs = 3"),
    ],
)
def test_what_cannot_be_saved_is_refused(words: list[str], part: str, program: Program) -> None:
    """A run that cannot be saved ends with 2 before anything is written."""
    sink = "out.jsonl"
    if words[0] == "folder":
        (program.folder / "folder").mkdir()
        (program.folder / "folder" / "a.txt").write_text("one text of words")
        sink = "out.txt"
    if words[0] == "rows.parquet":
        pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.table({"text": ["one text of words"]}), program.folder / "rows.parquet")
        sink = "out.parquet"
    before = program.names()
    outcome = program("dedup", *words, "-o", sink, given=b'{"text": "one text"}\n')

    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (2, b"", 1)
    assert part in outcome.err
    assert program.names() == before


def test_nothing_is_saved_in_a_dry_run(program: Program) -> None:
    """With --dry-run no file appears."""
    before = program.names()
    assert program("dedup", "in.jsonl", "--dry-run", "--save-run", RUN, "--max-failed", "9").code == 0
    assert program.names() == before


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


UNREAD = "is a saved run, but its settings cannot be read"
"""The core's message for settings that are not an object in JSON."""


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('{"similarity": 0.8', UNREAD),
        ("", UNREAD),
        ("[1]", UNREAD),
        ("[" * 100_000, UNREAD),
        ('{"similarity": 2}', "similarity 2 is outside (0, 1]"),
        ('{"similarty": 0.8}', "unknown setting 'similarty'"),
        ('{"text_field": 5}', "--text-field 5"),
        ('{"keep": {"a": 1}}', "keep"),
    ],
    ids=["cut", "empty", "a list", "deep", "outside", "unknown", "a number", "an object"],
)
def test_settings_that_are_damaged_name_the_file(settings: str, why: str, program: Program) -> None:
    """A saved run whose checksum holds and whose settings cannot be read is refused by name, with exit code 2."""
    store = _core.Records([(str(program.folder / "in.jsonl"), None)], 10**6)
    loading = store.begin([_core.Scheme("chars128")], DedupConfig(similarity=0.5))
    loading.finish().save(str(program.folder / RUN), settings)
    outcome = program("dedup", "--from-run", RUN, "-o", "out.jsonl")

    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    if why is UNREAD:
        assert outcome.err == f"simsieve: {RUN}: {UNREAD}; save the run again\n"
    else:
        assert outcome.err.startswith(f"simsieve: {RUN}: the settings of the saved run cannot be used: "), outcome.err
        assert why in outcome.err
        assert outcome.err.endswith("save the run again, or name another\n")
