"""Mistakes that users make: the run ends with one line that says what to do, and no output is touched."""

import shlex

import pytest
from tests.integration.conftest import Program

OLD = b'{"text": "an output of yesterday"}\n'
RECORDS = b"".join(b'{"id": %d, "content": "a text of its own, number %d"}\n' % (n, n * 7919) for n in range(5))
TABLE = "id,Inhalt\n1,ein Text\n2,noch ein Text\n"
FILES: dict[str, bytes | str] = {
    "in.jsonl": RECORDS, "good.jsonl": RECORDS.replace(b"content", b"text"), "old.jsonl": OLD, "kept.jsonl": OLD,
    "in.csv": TABLE, "bad.jsonl": '{"text": 7}\n', "deep.jsonl": '{"body": {"plain": "a text"}}\n',
    "code/a.py": "", "code/b.py": "", "packed/a.txt.gz": "", "nested/one/a.txt.gz": "", "empty/.hidden": "",
    "a.txt": "one good text of words", "bad.txt": b"caf\xe9", "page.html": "<p>a page",
    "gbk.csv": "题目,答案\n一道题,甲\n".encode("gbk"), "a.csv": "id,text\n1,one text\n", "bad.model": "no model\n",
}  # fmt: skip

# Command lines, and what their messages say.
FIELDS = [
    ("dedup in.jsonl", "none of the first 5 records has a field 'text'", "'id', 'content'"),
    ("pairs in.jsonl", "none of the first 5 records has a field 'text'"),
    ("fingerprint in.jsonl", "none of the first 5 records has a field 'text'"),
    ("fit in.jsonl", "none of the first 5 records has a field 'text'"),
    ("dedup -", "none of the first 5 records has a field 'text'"),
    ("dedup in.jsonl --text-field Content", "did you mean 'content'?", "--text-field"),
    ("dedup in.jsonl --text-field conetnt", "did you mean 'content'?"),
    ("dedup deep.jsonl --text-field body.plan", "did you mean 'body.plain'?"),
    ("dedup in.csv --text-field inhalt", "did you mean 'Inhalt'?", "'id', 'Inhalt'"),
    ("dedup old.jsonl --against in.jsonl", "none of the first 5 records"),
    ("compare good.jsonl:1 good.jsonl:2 --text-field txet", "did you mean 'text'?"),
    ("dedup good.jsonl --drops-by anwser", "--drops-by has 'anwser', and the first records have no such field"),
    ("dedup gbk.csv --encoding big5", "the header, read as Big5, has"),
    ("dedup good.jsonl --differ txet", "has a field 'txet'", "did you mean 'text'?", "--differ"),
    ("dedup good.jsonl --block-by grade", "has a field 'grade'", "'id', 'text'", "--block-by"),
    ("dedup good.jsonl --near yaer:1", "has a field 'yaer'"),
    ("dedup good.jsonl --agree dio", "has a field 'dio'"),
    *((f"lines {name} --scope nosuch", "no such field") for name in ("good.jsonl", "a.csv")),
]
SOURCES = [
    ("dedup", "SOURCE"),
    ("dedup code", "code: the folder has no .txt, .md, .html,", "file, but 2 .py", "--suffix"),
    ("dedup packed", "but 1 .txt.gz: give 'packed/*.txt.gz'"),
    ("dedup nested", "give 'nested/**/*.txt.gz'"),
    ("dedup empty", "empty: the folder has no file", "--allow-empty"),
    ("dedup bad.jsonl", "of 1 records none is kept, and 1 failed", "--allow-empty"),
    ("pairs good.jsonl --similarity 1.0", "--allow-empty"),
    ("dedup good.jsonl --each file", "good.jsonl: has records, and each file is of texts"),
    ("dedup - --each file", "standard input: each file is of plain files on disk"),
    ("dedup a.txt --each page", "each 'page' is not known: allowed are file and line"),
    ("dedup a.txt --suffix .gz", "suffix '.gz' is not allowed"),
    ("dedup in.csv --encoding *.tsv=gbk", "encoding *.tsv=gbk: no source matches the pattern '*.tsv'"),
    ("dedup in.csv --encoding gbk --encoding auto", "encoding gbk and encoding auto are both given"),
    ("dedup in.csv --encoding *.csv=", "is not allowed: give auto, a name such as gb18030, or PATTERN=NAME"),
    ("dedup in.csv --encoding *.csv=gb18031", '"gb18031" is not known; give auto'),
    ("dedup mongo://host/exams.questions", "did you mean mongodb://host/exams.questions?"),
    ("compare good.jsonl:1 good.jsonl:9", "good.jsonl has 5 records: there is no record 9"),
    ("compare good.jsonl:1 bad.jsonl:1", 'bad.jsonl line 1: field "text" is a number 7'),
    ("compare missing.txt a.txt", "missing.txt"),
    ("compare bad.txt a.txt", "byte 3 is not UTF-8"),
    ("compare - -", "stdin"),
    ("dedup - -", "-"),
    ("lines nosuch.jsonl", "nosuch.jsonl"),
    ("passages nosuch.txt", "nosuch.txt"),
    ("passages good.jsonl --against good.jsonl", "both a source and an old document"),
    ("passages good.jsonl --exclude nosuch.txt", "nosuch.txt"),
    ("passages good.jsonl --against - --serve", "--serve needs files"),
    ("fit", "there is nothing to fit"),
    ("fit good.jsonl --scheme angelo32", "take a chars, words, keywords or esimhash scheme"),
    ("dedup good.jsonl --scheme angelo32 --idf fit", '"angelo32" is not used with a model'),
    ("fit good.jsonl --merge bad.model", "bad.model: is not a model; `simsieve fit` makes models"),
    ("dedup good.jsonl --idf bad.model", "bad.model: is not a model; `simsieve fit` makes models"),
]
AGAINST = [
    (f"{command} {words}", *parts)
    for command in ("dedup", "pairs")
    for words, *parts in (
        ("good.jsonl --against nowhere.jsonl", "nowhere.jsonl: does not exist"),
        ("good.jsonl --against good.jsonl", "good.jsonl is both a source", "name it once"),
        ("good.jsonl --against ./link.jsonl", "link.jsonl is both a source"),
        ("- --against -", "- is both a source"),
        ("good.jsonl --against . --input-format jsonl", ".: is a folder, and only files"),
    )
]
SINKS = [
    ("dedup good.jsonl -o good.jsonl", "good.jsonl", "source"),
    ("dedup good.jsonl -o link.jsonl", "link.jsonl", "source"),
    ("dedup good.jsonl --decisions good.jsonl", "source"),
    ("dedup good.jsonl --against old.jsonl --failed old.jsonl", "is the source old.jsonl"),
    ("dedup good.jsonl --failed kept.jsonl", "kept.jsonl"),
    ("dedup good.jsonl --failed ./kept.jsonl", "are the same file"),
    ("dedup good.jsonl --decisions s --failed s", "are the same file"),
    ("dedup good.jsonl --decisions s --summary s", "same file"),
    ("dedup good.jsonl -o - --failed -", "-"),
    ("dedup good.jsonl --summary nowhere/s.json", "nowhere"),
    ("dedup good.jsonl -o out.txt", "out.txt"),
    ("dedup good.jsonl -o out/ --decisions out/d.csv", "which appears as a whole: give a place"),
    ("dedup good.jsonl --decisions w.xlsx", "w.xlsx", ".csv", "Excel opens .csv"),
    ("dedup good.jsonl --decisions w.json", "JSON lines are .jsonl"),
    ("dedup good.jsonl --dropped w.txt", ".jsonl, .csv and .tsv"),
    ("dedup good.jsonl --clusters w.parquet.gz", "the ending .gz"),
    ("dedup good.jsonl --annotate --link", "--annotate and --link"),
    ("dedup good.jsonl --run-dir no/such/folder", "does not exist"),
    *((f"{command} good.jsonl -o good.jsonl", "source") for command in ("lines", "passages", "fit")),
    ("fit good.jsonl -o x.model.zst", "compressed already"),
    ("lines good.jsonl --table out.xlsx", "Excel opens .csv"),
    ("passages good.jsonl -o out.xlsx", "Excel opens .csv"),
    ("passages good.jsonl --report page.pdf", "no name of a page"),
]
VALUES = [
    *((f"dedup good.jsonl --max-dropped={value}", "--max-dropped ", f"{value}", " is not allowed")
      for value in ("60", "x%", "101%", "-1%")),
    *((f"plan --documents '{value}'", f"{value!r} is not a whole number: give one such as 1000000, 1e6 or 50m")
      for value in ("1e-3", "1.5", "many", "1x", "", "1.2345k")),
    *((f"fingerprint good.jsonl --blocks {count}", f"blocks {count} is not allowed: allowed is 2..128")
      for count in ("1", "0", "129")),
    ("fingerprint page.html --blocks 4", "--blocks is for records"),
    ("calibrate good.jsonl --measure containment", "measure containment is not for"),
    ("evaluate edits good.jsonl --measure containment", "measure containment is not for"),
    ("dedup good.jsonl --max-lost 9 --scheme external64:format=int --max-distance 3", "9 is of texts"),
    ("dedup good.jsonl --max-lost -1", "-1"),
    ("dedup good.jsonl --group-by x", "Did you mean --block-by FIELD?"),
    ("dedup good.jsonl --memory much", "memory 'much' is not allowed"),
    ("dedup good.jsonl --same dates", "same 'dates' is not known: allowed is numbers, negation"),
    ("dedup good.jsonl --same numbers --scheme external64:format=int --max-distance 3", "--same numbers is of texts"),
    ("dedup good.jsonl --near year", "near 'year' is not allowed: give FIELD:BOUND"),
    ("dedup good.jsonl --sure 2:0.9", "counts fields that agree, and no rule has one"),
    ("dedup good.jsonl --near id:1 --sure x", "give a number of fields and a similarity"),
    ("dedup good.jsonl --near id:1 --sure 1:0.9 --max-distance 3", "leave one of them out"),
    ("lines good.jsonl --near 2", "near"),
    ("lines good.jsonl --text-field id --text-field text", "one field"),
    *((f"{command} good.jsonl --min-length 0", "min-length") for command in ("lines", "passages")),
    ("passages good.jsonl --doubtful", "doubtful"),
    ("passages good.jsonl --review good.jsonl", "source"),
    ("passages good.jsonl --verdicts good.jsonl", "no column 'a'"),
    ("passages good.jsonl --contained 0", "contained"),
    ("deduplicate", "Did you mean dedup?"),
    *((f"fingerprint page.html {words}", part) for words, part in (
        ("--scheme doom64", 'did you mean "dom64"?'),
        ("--encoding utf-7", 'charset "utf-7" is not known'),
        ("--scheme chars64:weights=idf", "model"),
        ("--scheme chars64@2", "similarity 2"),
        ("--scheme chars64@64bits", "--max-distance 64"),
        ("--idf fit", "idf fit counts over a collection"),
        ("--failed f", "--failed is for records"),
        ("in.jsonl", "page.html is a page and in.jsonl is not"),
        ("--max-failed some", "--max-failed 'some'"))),
]  # fmt: skip
REFUSED = [*FIELDS, *SOURCES, *AGAINST, *SINKS, *VALUES]
WITHOUT_SINK = ("compare", "plan", "calibrate", "evaluate", "deduplicate")


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with sources and an output of yesterday."""
    for name, content in FILES.items():
        (simsieve.folder / name).parent.mkdir(parents=True, exist_ok=True)
        simsieve.file(name, content)
    (simsieve.folder / "link.jsonl").symlink_to("good.jsonl")
    return simsieve


@pytest.mark.parametrize(("line", "parts"), [(row[0], row[1:]) for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_mistake_ends_the_run_and_touches_nothing(line: str, parts: tuple[str, ...], program: Program) -> None:
    """Exit code 2, one line with the advice, every file as it was, and no file more."""
    words = shlex.split(line)
    if words[0] not in WITHOUT_SINK and "-o" not in words:
        words += ["-o", "kept.jsonl"]
    before = program.names()
    outcome = program(*words, given=RECORDS)

    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (2, b"", 1), outcome.err
    assert outcome.err.startswith("simsieve: ")
    assert [part for part in parts if part not in outcome.err] == [], outcome.err
    assert program.names() == before
    assert {name: (program.folder / name).read_bytes() for name in ("kept.jsonl", "good.jsonl", "old.jsonl")} == {
        "kept.jsonl": OLD, "good.jsonl": FILES["good.jsonl"], "old.jsonl": OLD,
    }  # fmt: skip


def test_no_pairs_replace_pairs_where_it_is_allowed(program: Program) -> None:
    """With `--allow-empty` an output of none takes the place of one of yesterday."""
    assert program("pairs", "good.jsonl", "-o", "kept.jsonl", "--similarity", "1.0", "--allow-empty").code == 0
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
    assert told in program("dedup", "good.jsonl", "-o", "out.jsonl", "--quiet", *words).ok().err


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
        assert part in program("dedup", folder, "good.jsonl", "-o", "out.jsonl").refused()
        allowed = program("dedup", "good.jsonl", folder, "-o", "out.jsonl", "--allow-empty", "--quiet")
        assert allowed.code == 0 and f"warning: {folder}: the folder has no" in allowed.err
    outcome = program("dedup", "none.jsonl", "good.jsonl", "blank.jsonl", "-o", "out.jsonl", "--quiet").ok()
    assert "warning: nothing was read from none.jsonl, blank.jsonl: it has no record" in outcome.err
    program("dedup", "good.jsonl", "none.jsonl", "-o", "out.jsonl", "--quiet", "--limit", "1").silent()


def test_one_of_several_text_fields_that_no_record_has_is_named(program: Program) -> None:
    """The other fields give the texts; a field that some records have is no mistake."""
    words = ("dedup", "good.jsonl", "-o", "out.jsonl", "--quiet", "--text-field", "text")
    outcome = program(*words, "--text-field", "txet").ok()
    assert "warning: none of the first 5 records has a field 'txet': did you mean 'text'?" in outcome.err
    assert outcome.err.rstrip().endswith(": texts are without it")
    program.file("some.jsonl", RECORDS * 3 + b'{"text": "one text"}\n')
    assert program("dedup", "some.jsonl", *words[2:], "--text-field", "content").err == ""


def test_a_field_that_some_first_record_has_is_no_mistake(program: Program) -> None:
    """One in a thousand is enough; the others fail one by one."""
    program.file("some.jsonl", RECORDS * 3 + b'{"text": "one text"}\n')

    assert program("dedup", "some.jsonl", "-o", "out.jsonl", "--max-failed", "15", "--quiet").code == 0
