"""The command line in people's hands: what they type from habit, what they see, in both languages."""

import itertools
import json
import re
from collections.abc import Iterator

import pytest
from tests.integration.conftest import Program

from simsieve import dedup
from simsieve.screen import cells

TEXTS = ["the quick brown fox jumps over the lazy dog", "the quick brown fox jumps over the lazy cat", "lorem ipsum"]
RECORDS = "".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(TEXTS))
CHINESE = {"SIMSIEVE_LANG": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_CN.UTF-8", "COLUMNS": "80"}


@pytest.fixture
def program(simsieve: Program) -> Program:
    """Give the program in a folder with a source."""
    simsieve.file("in.jsonl", RECORDS)
    return simsieve


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["--threshold", "0.9"], ["--similarity", "0.9"]),
        (["--sim", "90%"], ["--similarity", "0.9"]),
        (["--similarity", "90 %"], ["--similarity", "0.9"]),
        (["--distance", "3"], ["--max-distance", "3"]),
        (["--column", "text"], ["--text-field", "text"]),
        (["--field=text", "-j", "1"], ["--threads", "1"]),
        (["--jobs", "1"], ["--threads", "1"]),
        (["--workers", "1"], ["--threads", "1"]),
    ],
)
def test_names_of_other_programs_are_taken(typed: list[str], meant: list[str], program: Program) -> None:
    """They do the same as the option of the help."""
    run = ("dedup", "in.jsonl", "-o", "-", "--json")
    outcomes = [program(*run, *words) for words in (typed, meant)]

    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    assert outcomes[0].out == outcomes[1].out


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["dedup", "--in", "in.jsonl"], ["Did you mean SOURCE?"]),
        (["dedup", "in.jsonl", "--simlarity", "0.8"], ["Did you mean --similarity?"]),
        (["dedup", "in.jsonl", "--treshold", "0.8"], ["Did you mean --similarity?"]),
        (["dedup", "in.jsonl", "--zzz"], ["No such option --zzz. (see `simsieve dedup --help`)"]),
        (["dedup", "in.jsonl", "--similarity", "0,8"], ["'0,8' is not a number: did you mean 0.8?"]),
        (["dedup", "in.jsonl", "--similarity", "much"], ["'much' is not a number: give a number such as 0.8"]),
        (["in.jsonl", "-o", "k.jsonl"], ["did you mean `simsieve dedup in.jsonl -o k.jsonl`?"]),
        (["my data.csv"], ["did you mean `simsieve dedup 'my data.csv'`?"]),
        (["help"], ["did you mean `simsieve --help`?"]),
        (["help", "pairs"], ["did you mean `simsieve pairs --help`?"]),
        (["dedup", "gs://bucket/a.jsonl", "-o", "k"], ["`gsutil cat gs://bucket/a.jsonl | simsieve"]),
        (["dedup", "abc://place", "-o", "k"], ["abc://place: is an address", "fetch it first"]),
        (["dedup", "file:///data/a.jsonl", "-o", "k"], ["give its path, /data/a.jsonl"]),
        (["dedup", "in.xlsx", "-o", "k"], ['save its sheet as "CSV UTF-8"']),
        (["fingerprint", "in.jsonl.bz2"], ["unpack it", ".zst"]),
        (["plan"], ["SOURCE is missing"]),
        (["plan", "--documents", "5"], ["a plan without a source is for fingerprints under --max-distance"]),
        (["schemes", "char64"], ["did you mean 'chars64'?"]),
    ],
)
def test_a_mistake_names_what_was_meant(words: list[str], parts: list[str], program: Program) -> None:
    """One line and exit code 2, and no file is written."""
    outcome = program(*words)

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, b"", 1), outcome.err
    assert [part for part in parts if part not in outcome.err] == []
    assert program.names() == ["in.jsonl"]


def test_a_json_file_of_lines_is_read_where_its_format_is_given(program: Program) -> None:
    """The advice works; a folder may have any name."""
    program.file("in.json", RECORDS)
    (program.folder / "texts.zip").mkdir()
    program.file("texts.zip/a.txt", TEXTS[0])

    assert program("dedup", "in.json", "--input-format", "jsonl", "-o", "k.jsonl", "-q").code == 0
    assert program("dedup", "texts.zip", "-o", "k.txt", "-q").code == 0


def test_help_is_short_and_help_all_is_whole(program: Program) -> None:
    """The short help has the usual options in groups, in few lines; the other has every option."""
    short, long = (program("dedup", word).out.decode() for word in ("--help", "--help-all"))

    assert program("dedup", "-h").out.decode() == short
    assert program("-V").out == program("--version").out
    assert len(short.splitlines()) <= 60
    groups = ["Input:", "What is near:", "What is never dropped:", "Which stays:", "Output:"]
    assert [line for line in short.splitlines() if line in groups] == groups
    hidden = int(re.findall(r"(\d+) more options: simsieve dedup --help-all", short)[0])
    count = [len(re.findall(r"^  (?:-\w, )?--[a-z]", text, re.MULTILINE)) for text in (short, long)]
    assert count[1] - count[0] == hidden


def test_the_closing_table_says_where_results_went(program: Program) -> None:
    """Pairs and forecasts are shown when they are asked for."""
    words = ("dedup", "in.jsonl", "-o", "k.jsonl", "--decisions", "why.csv")
    table, verbose = program(*words).err, program(*words, "-v").err

    assert "output            k.jsonl\ndecisions         why.csv\n" in table
    assert "candidate pairs" not in table and "candidate pairs" in verbose
    assert "nothing was written: --dry-run" in program("dedup", "in.jsonl", "--dry-run").err
    assert "-> p.jsonl" in program("pairs", "in.jsonl", "-o", "p.jsonl").err


@pytest.mark.parametrize("name", ["in.jsonl", "in.csv", "in.txt", "in.parquet"])
def test_a_plan_of_a_file_counts_it(name: str, program: Program) -> None:
    """The records are counted, and their texts measured; of columns with the few bytes of a record around them."""
    long = ["word " * 40] * 30 + ["word " * 60] * 30
    if name.endswith("parquet"):
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").table({"text": long}), program.folder / name)
    else:
        lines = {"in.jsonl": [json.dumps({"text": text}) for text in long], "in.csv": ["text", *long]}.get(name, long)
        program.file(name, "\n".join(lines) + "\n")
    made = json.loads(program("plan", name, "--json").out)

    assert made["documents"] == 60
    assert abs(made["mean_bytes"] - 250) <= 12
    assert json.loads(program("plan", name, "--limit", "30", "--json").out)["documents"] == 30


def test_a_column_of_one_is_near(program: Program) -> None:
    """A Parquet file of one column is answered as others are."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"Text": TEXTS}), program.folder / "in.parquet")
    told = program("dedup", "in.parquet", "-o", "k.parquet").refused()
    assert "no column 'text': did you mean 'Text'? There are 'Text'; name the column with --text-field" in told


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            ["dedup", "in.jsonl", "-o", "k.jsonl", "-v"],
            ["读入", "保留          2 (66.67 %)", "近似重复所失  ", "输出          k.jsonl", "候选对"],
        ),
        (["dedup", "--help"], ["用法：simsieve dedup [选项] [SOURCE]...", "怎样算相似：", "另有"]),
        (["schemes"], ["名字", "* 是默认方案"]),
        (["compare", "--text", *TEXTS[:2]], ["距离", "相似度"]),
        (["dedup", "in.jsonl", "-o", "k", "--recall", "2"], ["设置或参数不对："]),
        (["compare", "a.txt"], ["缺少参数 'B'"]),
        (["dedup", "in.jsonl", "-o", "k", "--threads", "x"], ["'--threads' 的值不对："]),
        (["dedup", "in.jsonl", "--output"], ["用法不对："]),
        (["in.jsonl"], ["不是命令：是不是 `simsieve dedup in.jsonl`？"]),
        (["pairs", "in.jsonl", "-o", "p.csv"], ["3 条记录中有 1 对相似（失败 0 条） -> p.csv"]),
        (["dedup", "bad.jsonl", "-o", "k"], ["2 条记录中有 1 条失败", "正文不是字符串"]),
    ],
)
def test_chinese_screens(words: list[str], parts: list[str], program: Program) -> None:
    """In Chinese each screen fits 80 columns; messages are one line, and the core's part of them is English."""
    program.file("bad.jsonl", '{"text": 1}\n{"text": "a text"}\n')
    outcome = program(*words, env=CHINESE)
    shown = outcome.out.decode() + outcome.err

    assert [part for part in parts if part not in shown] == []
    assert [line for line in shown.splitlines() if cells(line) > 80 and not line.startswith("simsieve: ")] == []


def test_a_limit_stops_reading() -> None:
    """Of a stream of records no more is taken; old records are all read."""
    taken: list[int] = []

    def endless() -> Iterator[dict[str, str]]:
        for number in itertools.count():
            taken.append(number)
            yield {"text": f"text number {number * 7919}"}

    assert dedup(endless(), limit=3, sample=0).counts.read == 3
    assert len(taken) <= 4
    old = [{"text": f"text number {number * 7919}"} for number in range(9)]
    assert dedup([old[0], old[8]], against=old, limit=2, sample=0).counts.kept == 0
