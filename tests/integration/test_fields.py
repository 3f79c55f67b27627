"""Chosen fields of kept records in files, cells that are no formulas, and messages that cannot act on a terminal."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.integration.conftest import Program, jsonl

import simsieve as library
from simsieve import ConfigError, CustomScheme, Scheme

STEM = "the ferry leaves the harbour at seven in the morning"
RECORDS: list[dict[str, Any]] = [
    {"id": "q1", "stem": f"{STEM} Answer: A", "meta": {"by": "x", "n": 1.50}},
    {"id": "q2", "stem": f"{STEM} Answer: B"},
    {
        "id": "q3",
        "stem": "<b>another</b> stem on gravel and lamps Answer: C",
        "meta": {"by": "y", "n": 12345678901234567890},
    },
]
CUT = ["--text-field", "stem", "--cut-at", " ?Answer:"]
FIELDS = "id,@text:stem,@original:whole,meta.n:n,@fingerprint"


def test_the_text_is_that_which_was_compared(simsieve: Program, tmp_path: Path) -> None:
    """Cut and extracted; the original stays; numbers stay as they are written, and what a record lacks is left out."""
    simsieve.file("in.jsonl", jsonl(RECORDS).replace("1.5}", "1.50}"))
    simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *CUT, "--extract", "text", "--fields", FIELDS, "--quiet").ok()
    written = (tmp_path / "k.jsonl").read_text(encoding="utf-8")
    first, last = (json.loads(line) for line in written.splitlines())
    assert (first["stem"], first["whole"]) == (STEM, f"{STEM} Answer: A")
    assert (last["stem"], last["whole"]) == ("another stem on gravel and lamps", RECORDS[2]["stem"])
    assert '"n":1.50' in written and '"n":12345678901234567890' in written
    assert len(first["fingerprint"]) == 39


def test_a_fingerprint_has_three_forms(simsieve: Program, tmp_path: Path) -> None:
    """Decimal digits, hex and bits are one number, which `fingerprint` prints; a text without features has none."""
    simsieve.file("in.jsonl", jsonl([*RECORDS[:1], {"id": "q4", "stem": "..."}]))
    fields, scheme = "id,@fingerprint,@hex:key,@bits", ("--scheme", "chars70", "--text-field", "stem")
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *scheme, "--fields", fields, "-q").code == 0
    first, last = simsieve.rows("k.jsonl")
    printed = simsieve("fingerprint", "in.jsonl", *scheme).out.decode().split()[1]
    assert first == {
        "id": "q1", "fingerprint": f"{int(printed, 16):022}", "key": printed, "bits": f"{int(printed, 16):070b}"
    }  # fmt: skip
    assert list(last.values()) == ["q4", None, None, None]


@pytest.mark.parametrize("name", ["in.csv", "in.parquet", "in.jsonl"])
@pytest.mark.parametrize("out", ["k.csv", "k.tsv", "k.jsonl", "k.parquet"])
def test_every_table_gives_the_same_fields(simsieve: Program, tmp_path: Path, name: str, out: str) -> None:
    """Whatever the format of source and output."""
    rows = [{"id": record["id"], "stem": record["stem"], "lang": "en"} for record in RECORDS]
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / name)
    elif name.endswith(".csv"):
        simsieve.file(name, "id,stem,lang\n" + "".join(f"{row['id']},{row['stem']},en\n" for row in rows))
    else:
        simsieve.file(name, jsonl(rows))
    simsieve("dedup", name, "-o", out, *CUT, "--fields", "id:key,@text,lang", "--quiet").ok()
    if out.endswith(".parquet"):
        found = pyarrow.parquet.read_table(tmp_path / out).to_pylist()
    elif out.endswith(".jsonl"):
        found = [json.loads(line) for line in (tmp_path / out).read_text().splitlines()]
    else:
        with (tmp_path / out).open(encoding="utf-8-sig", newline="") as file:
            found = list(csv.DictReader(file, delimiter="," if out.endswith("csv") else "\t"))
    assert [list(row) for row in found] == [["key", "text", "lang"]] * 2
    assert [row["key"] for row in found] == ["q1", "q3"] and found[0]["text"] == STEM


def test_fields_in_a_folder_of_several_files(simsieve: Program, tmp_path: Path) -> None:
    """Each file has the texts of its own records."""
    simsieve.file("a.jsonl", jsonl(RECORDS[:1]))
    simsieve.file("b.jsonl", jsonl(RECORDS[1:]))
    simsieve("dedup", "a.jsonl", "b.jsonl", "-o", "out/", *CUT, "--fields", "id,@text", "--quiet").ok()
    found = [json.loads((tmp_path / "out" / name).read_text()) for name in ("a.jsonl", "b.jsonl")]
    assert found == [{"id": "q1", "text": STEM}, {"id": "q3", "text": "<b>another</b> stem on gravel and lamps"}]


def test_wrong_fields_are_refused(simsieve: Program) -> None:
    """Before the work: a field that there is not, a name that is none, and an output that is no table."""
    simsieve.file("in.jsonl", jsonl(RECORDS))
    for fields, out, part in [
        ("id,stemm", "k.jsonl", "fields has 'stemm', and the first records have no such field: did you mean 'stem'?"),
        ("@txt", "k.jsonl", "there are @text, @original, @fingerprint, @hex, @bits"),
        ("id", "k.txt", "a table of results cannot have the ending .txt"),
    ]:
        assert part in simsieve("dedup", "in.jsonl", "-o", out, *CUT, "--fields", fields).refused()
    assert simsieve("dedup", "in.jsonl", "-o", "k.jsonl", *CUT, "--fields", "id", "--annotate").code == 2
    with pytest.raises(ConfigError, match="fields has 'no'"):
        library.dedup([{"text": "a text"}], fields="no").write("k.jsonl")


FORMULAS = ["=1+2", "+cmd", "-a1", "@sum", "\tx", "'=x", "-5", "+1.5e3", "plain", "a=b", "'tis"]


def test_no_cell_of_results_is_a_formula(simsieve: Program, tmp_path: Path) -> None:
    """Texts get an apostrophe, numbers do not; kept and dropped records stay as they are; it can be turned off."""
    text = "one and the same text about the harbour"
    simsieve.file("in.csv", "id,text\n" + "".join(f'"{name}",{text}\n' for name in FORMULAS))
    sides = ["--decisions", "d.csv", "--clusters", "c.tsv", "--dropped", "dropped.csv"]
    for more, wanted in [("", None), ("safe_cells = false", FORMULAS)]:
        assert simsieve("dedup", "in.csv", "-o", "k.csv", "--quiet", *sides, settings=more).code == 0
        for name, sign in (("d.csv", ","), ("c.tsv", "\t")):
            with (tmp_path / name).open(encoding="utf-8-sig", newline="") as file:
                found = [row["id"] for row in csv.DictReader(file, delimiter=sign)]
            safe = [
                "'" + one if one[0] in "=+-@\t'" and one not in ("-5", "+1.5e3", "'tis") else one for one in FORMULAS
            ]
            assert found == (wanted or safe)
        with (tmp_path / "dropped.csv").open(encoding="utf-8-sig", newline="") as file:
            assert [row["id"] for row in csv.DictReader(file)] == FORMULAS[1:]
        assert (tmp_path / "k.csv").read_text().splitlines()[1].startswith('"=1+2",')


def test_messages_show_control_characters(simsieve: Program) -> None:
    """Those of records and of file names, and what turns the direction of a text; other scripts stay."""
    evil = "e\x1b[31m\x9b\u202evil中文🙂.jsonl"
    simsieve.file(evil, "\x1b]0;title\x07 \u2066\n")
    for words in (
        ("dedup", evil, "-o", "k.jsonl"),
        ("dedup", evil + "x", "-o", "k.jsonl"),
        ("review", evil, "-o", "r.html"),
        ("compare", evil + ":1", evil),
    ):
        done = simsieve(*words)
        shown = done.err + done.out.decode()
        assert not set("\x1b\x07\x9b\u202e\u2066") & set(shown), words
        assert "e\\u001b[31m\\u009b\\u202evil中文🙂" in shown


PAIR = ("他看著新買的軟體，第二行", "他看着新买的软件，第二行")
FOLDED = "".join(f'{{"id": {at}, "text": "{text}"}}\n' for at, text in enumerate(PAIR))


@pytest.mark.parametrize("fold", ["t2s", "tw2sp"])
@pytest.mark.parametrize(
    "words",
    [
        ["dedup", "in.jsonl", "-o", "-", "--similarity", "0.9"], ["pairs", "in.jsonl", "--similarity", "0.3"],
        ["fingerprint", "in.jsonl"], ["compare", "--text", *PAIR], ["features", PAIR[0]],
    ],
)  # fmt: skip
def test_every_command_folds_as_the_scheme(words: list[str], fold: str, simsieve: Program) -> None:
    """The output is that of the scheme with the option in its spec, and another than without a fold."""
    simsieve.file("in.jsonl", FOLDED)
    by_option = simsieve(*words, "--fold", fold)
    by_spec = simsieve(*words, "--scheme", f"chars128:fold={fold}")
    plain = simsieve(*words)

    assert by_option.code == by_spec.code == 0, by_option.err
    assert by_option.out == by_spec.out
    assert (by_option.out != plain.out) is (words[0] != "dedup" or fold == "tw2sp")


def test_a_saved_run_has_its_fold(simsieve: Program) -> None:
    """It decides again as it did."""
    simsieve.file("in.jsonl", FOLDED)
    words = ("--fold", "tw2sp", "--similarity", "0.9", "-q", "-o")
    assert simsieve("dedup", "in.jsonl", *words, "first.jsonl", "--run-dir", "run").code == 0
    simsieve("dedup", "--run-dir", "run", "-q", "-o", "again.jsonl", "--similarity", "0.95").ok()
    assert len(simsieve.rows("again.jsonl")) == len(simsieve.rows("first.jsonl")) == 1


def test_schemes_of_ones_own_are_folded_last() -> None:
    """In Python and with a model; what folds already or takes no text is refused."""
    mine = CustomScheme("mine", features="chars", normalise=["usual", "no-digits"])
    steps = CustomScheme("mine", features="chars", normalise=["usual", "no-digits", "tw2sp"])
    assert mine.folded("tw2sp").digest == steps.digest
    assert library.dedup(list(PAIR), scheme=mine, fold="tw2sp").counts.exact == 1
    assert Scheme("words64:n=2").folded("t2s") == Scheme("words64:fold=t2s,n=2")
    refused: list[tuple[str | CustomScheme, str]] = [
        ("chars64:fold=t2s", "fold is given twice"), ("dom64", "its options are"), ("external64", "its option is"),
        (steps, "says already how texts are folded"), (CustomScheme("no", features="dom"), "takes the elements"),
    ]  # fmt: skip
    for scheme, part in refused:
        with pytest.raises(ConfigError, match=part):
            library.dedup(list(PAIR), scheme=scheme, fold="t2s")
