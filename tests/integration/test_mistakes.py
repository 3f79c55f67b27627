"""Mistakes that users make: the run ends with one line that says what to do, and no output is touched."""

from dataclasses import dataclass, field

import pytest
from tests.integration.conftest import Program

OLD = b'{"text": "an output of yesterday"}\n'
RECORDS = b"".join(b'{"id": %d, "content": "a text of its own, number %d"}\n' % (n, n * 7919) for n in range(5))
TABLE = "id,Inhalt\n1,ein Text\n2,noch ein Text\n"


@dataclass(frozen=True)
class Mistake:
    """A command line, and what its message says."""

    name: str
    words: list[str]
    parts: list[str]
    files: dict[str, bytes] = field(default_factory=dict)


REFUSED = [
    Mistake("the usual field", ["in.jsonl"], ["none of the first 5 records has a field 'text'", "'id', 'content'"]),
    Mistake("another case", ["in.jsonl", "--text-field", "Content"], ["did you mean 'content'?", "--text-field"]),
    Mistake("two letters", ["in.jsonl", "--text-field", "conetnt"], ["did you mean 'content'?"]),
    Mistake(
        "an inner field",
        ["deep.jsonl", "--text-field", "body.plan"],
        ["did you mean 'body.plain'?"],
        {"deep.jsonl": b'{"body": {"plain": "a text"}}\n'},
    ),
    Mistake("a column", ["in.csv", "--text-field", "inhalt"], ["did you mean 'Inhalt'?", "'id', 'Inhalt'"]),
    Mistake("a field of old documents", ["old.jsonl", "--against", "in.jsonl"], ["none of the first 5 records"]),
    Mistake("stdin", ["-"], ["none of the first 5 records has a field 'text'"]),
    Mistake("a folder of code", ["code"], ["code: the folder has no .txt, .md, .html,", "file, but 2 .py", "--suffix"]),
    Mistake("packed texts", ["packed"], ["but 1 .txt.gz: give 'packed/*.txt.gz'"]),
    Mistake("nested texts", ["nested"], ["give 'nested/**/*.txt.gz'"]),
    Mistake("an empty folder", ["empty"], ["empty: the folder has no file", "--allow-empty"]),
    Mistake("decisions for Excel", ["good.jsonl", "--decisions", "w.xlsx"], ["w.xlsx", ".csv", "Excel opens .csv"]),
    Mistake("decisions in JSON", ["good.jsonl", "--decisions", "w.json"], ["JSON lines are .jsonl"]),
    Mistake("dropped as text", ["good.jsonl", "--dropped", "w.txt"], [".jsonl, .csv and .tsv"]),
    Mistake("packed Parquet", ["good.jsonl", "--clusters", "w.parquet.gz"], ["the ending .gz"]),
    Mistake("nothing kept", ["bad.jsonl"], ["of 1 records none is kept, and 1 failed", "--allow-empty"]),
    Mistake("annotated links", ["good.jsonl", "--annotate", "--link"], ["--annotate and --link"]),
]


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with sources and an output of yesterday."""
    simsieve.file("in.jsonl", RECORDS)
    simsieve.file("good.jsonl", RECORDS.replace(b"content", b"text"))
    simsieve.file("old.jsonl", OLD)
    simsieve.file("in.csv", TABLE)
    simsieve.file("bad.jsonl", '{"text": 7}\n')
    simsieve.file("kept.jsonl", OLD)
    for name in ("code", "packed", "nested/one", "empty"):
        (simsieve.folder / name).mkdir(parents=True)
    for name in ("code/a.py", "code/b.py", "packed/a.txt.gz", "nested/one/a.txt.gz"):
        simsieve.file(name, b"")
    return simsieve


@pytest.mark.parametrize("mistake", REFUSED, ids=[mistake.name for mistake in REFUSED])
def test_a_mistake_ends_the_run_and_touches_nothing(mistake: Mistake, program: Program) -> None:
    """Exit code 2, one line with the advice, the output of yesterday as it was, and no file more."""
    for name, content in mistake.files.items():
        program.file(name, content)
    before = program.names()
    outcome = program("dedup", *mistake.words, "-o", "kept.jsonl", "--quiet", given=RECORDS)

    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (2, b"", 1), outcome.err
    assert [part for part in mistake.parts if part not in outcome.err] == []
    assert (program.folder / "kept.jsonl").read_bytes() == OLD
    assert program.names() == before


@pytest.mark.parametrize("command", ["pairs", "fingerprint"])
def test_other_commands_check_the_field_too(command: str, program: Program) -> None:
    """They stop before the output of yesterday is replaced."""
    outcome = program(command, "in.jsonl", "-o", "kept.jsonl")

    assert outcome.code == 2 and "none of the first 5 records" in outcome.err
    assert (program.folder / "kept.jsonl").read_bytes() == OLD


def test_a_model_is_not_fitted_to_nothing(program: Program) -> None:
    """A fit looks for the field too."""
    outcome = program("fit", "in.jsonl", "-o", "m.model")

    assert outcome.code == 2 and "none of the first 5 records" in outcome.err


def test_no_pairs_do_not_replace_pairs(program: Program) -> None:
    """Nor do pairs of none; `--allow-empty` lets them."""
    words = ["pairs", "good.jsonl", "-o", "kept.jsonl", "--similarity", "1.0"]

    assert program(*words).code == 2
    assert (program.folder / "kept.jsonl").read_bytes() == OLD
    assert program(*words, "--allow-empty").code == 0
    assert (program.folder / "kept.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--id-field", "nosuch"], "warning: none of the first 5 records has a field 'nosuch'"),
        (["--id-field", "idd"], "did you mean 'id'?"),
        (["--keep", "max:score"], "keep does not order by it"),
    ],
)
def test_a_label_or_order_that_no_record_has_is_a_warning(words: list[str], told: str, program: Program) -> None:
    """The run goes on."""
    outcome = program("dedup", "good.jsonl", "-o", "out.jsonl", "--quiet", *words)

    assert outcome.code == 0 and told in outcome.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('[{"text": "a"}, {"text": "b"}]', "seem to be a JSON list, not JSON lines: give --input-format json"),
        ('[\n{"text": "a"},\n{"text": "b"}\n]', "seem to be a JSON list, not JSON lines: give --input-format json"),
        ('{\n  "text": "a"\n}\n', "JSON over several lines: write each on one line, as with `jq -c . FILE`"),
    ],
)
def test_json_that_is_no_lines_is_told(content: str, told: str, program: Program) -> None:
    """A list, and objects over several lines, under the name of JSON lines."""
    program.file("wrong.jsonl", content)
    outcome = program("dedup", "wrong.jsonl", "--dry-run")

    assert outcome.code == 1 and told in outcome.err


def test_other_mistakes_of_a_command_line(program: Program) -> None:
    """Records in a folder, a field of texts that are compared, and an encoding that is not that of the file."""
    program.file("gbk.csv", "题目,答案\n一道题,甲\n".encode("gbk"))
    for words, part in [
        (["dedup", "good.jsonl", "-o", "out/", "--decisions", "out/d.csv"], "which appears as a whole: give a place"),
        (["compare", "good.jsonl:1", "good.jsonl:2", "--text-field", "txet"], "did you mean 'text'?"),
        (["compare", "good.jsonl:1", "good.jsonl:9"], "good.jsonl has 5 records: there is no record 9"),
        (["compare", "good.jsonl:1", "bad.jsonl:1"], 'bad.jsonl line 1: field "text" is a number 7'),
        (["dedup", "gbk.csv", "--dry-run", "--encoding", "big5"], "the header, read as Big5, has"),
        (["dedup", "good.jsonl", "--group-by", "x"], "Did you mean --block-by FIELD?"),
    ]:
        outcome = program(*words)
        assert outcome.code == 2 and part in outcome.err, outcome.err


def test_empty_is_allowed_where_it_is_asked_for(program: Program) -> None:
    """An empty folder, and an output of nothing."""
    outcome = program("dedup", "empty", "-o", "kept.jsonl", "--allow-empty", "--quiet")

    assert outcome.code == 0 and "warning: empty: the folder has no file" in outcome.err
    assert (program.folder / "kept.jsonl").read_bytes() == b""
    program.file("none.jsonl", b"")
    outcome = program("dedup", "none.jsonl", "-o", "out.jsonl", "--quiet")
    assert outcome.code == 0 and "warning: nothing was read from none.jsonl" in outcome.err


def test_empty_sources_beside_others_are_named(program: Program) -> None:
    """A folder without texts is an error, which --allow-empty makes a warning; an empty file is a warning."""
    for name in ("none.jsonl", "blank.jsonl"):
        program.file(name, b"" if name == "none.jsonl" else b"\n\n")
    for folder, part in (("empty", "empty: the folder has no file"), ("packed", "give 'packed/*.txt.gz'")):
        refused = program("dedup", folder, "good.jsonl", "-o", "out.jsonl")
        assert refused.code == 2 and part in refused.err, refused.err
        allowed = program("dedup", "good.jsonl", folder, "-o", "out.jsonl", "--allow-empty", "--quiet")
        assert allowed.code == 0 and f"warning: {folder}: the folder has no" in allowed.err
    outcome = program("dedup", "none.jsonl", "good.jsonl", "blank.jsonl", "-o", "out.jsonl", "--quiet")
    assert outcome.code == 0
    assert "warning: nothing was read from none.jsonl, blank.jsonl: it has no record" in outcome.err
    limited = program("dedup", "good.jsonl", "none.jsonl", "-o", "out.jsonl", "--quiet", "--limit", "1")
    assert (limited.code, limited.err) == (0, "")


def test_one_of_several_text_fields_that_no_record_has_is_named(program: Program) -> None:
    """The other fields give the texts; a field that some records have is no mistake."""
    words = ("dedup", "good.jsonl", "-o", "out.jsonl", "--quiet", "--text-field", "text")
    outcome = program(*words, "--text-field", "txet")
    assert outcome.code == 0
    assert "warning: none of the first 5 records has a field 'txet': did you mean 'text'?" in outcome.err
    assert outcome.err.rstrip().endswith(": texts are without it")
    program.file("some.jsonl", RECORDS * 3 + b'{"text": "one text"}\n')
    assert program("dedup", "some.jsonl", *words[2:], "--text-field", "content").err == ""


def test_a_field_that_some_first_record_has_is_no_mistake(program: Program) -> None:
    """One in a thousand is enough; the others fail one by one."""
    program.file("some.jsonl", RECORDS * 3 + b'{"text": "one text"}\n')

    assert program("dedup", "some.jsonl", "-o", "out.jsonl", "--max-failed", "15", "--quiet").code == 0
