"""Quotes of tables: around fields or data, by counting; and headers as spreadsheets and R write them."""

import gzip
import json
import re
import warnings

import pytest
from tests.integration.conftest import Program

import simsieve as library

SWALLOWED = (
    'id\ttext\n1\t"The ferry leaves at seven\n2\tBring the red lamp to the harbour office\n3\tand do not be late this'
    ' time"\n4\t"The ferry leaves at seven\n5\tBring the red lamp to the harbour master\n6\tand do not be late'
    ' this time"\n'
    "7\tA list of birds seen on the pier\n"
)
TRULY_QUOTED = 'id,text\n1,"A lamp, red\nand a line, of its own"\n2,"He said ""no"", twice"\n3,plain\n'
INNER = 'id\ttext\n1\t"Hello" he said to the keeper\n2\t"Never" she said to the choir\n3\tnothing is quoted here\n'
ONE_OPEN = "id,text\n" + '1,"open\n' + "".join(f'{n},"row, number {n}"\n' for n in range(2, 9))


def texts_of(program: Program, name: str, settings: str = "") -> tuple[list[str], int, str]:
    """The texts that are read, how many records fail, and what is told."""
    outcome = program("dedup", name, "-o", "all.jsonl", "--annotate", "--similarity", "1", "-q", settings=settings)
    rows = program.rows("all.jsonl")
    read = [row["text"] for row in rows if row["decision"] != "failed"]
    return read, len(rows) - len(read), outcome.err


@pytest.mark.parametrize("name", ["raw.tsv", "raw.tsv.gz"])
def test_a_quote_swallows_no_rows(name: str, simsieve: Program) -> None:
    """A quote that opens a text of a TSV without quoting is data: each line is a row, as it was, and that is told."""
    data = SWALLOWED.encode()
    simsieve.file(name, gzip.compress(data) if name.endswith("gz") else data)
    read, failed, told = texts_of(simsieve, name)

    assert (len(read), failed) == (7, 0)
    assert read[0] == '"The ferry leaves at seven'
    assert f"{name} is read with quotes as data, as was found" in told
    assert "2 quoted fields swallow 4 lines" in told and "quoting (--config) minimal" in told
    simsieve("dedup", name, "-o", "kept.tsv", "-q", "--similarity", "1", "--keep", "last").ok()
    assert set((simsieve.folder / "kept.tsv").read_text().splitlines()) <= set(SWALLOWED.splitlines())


@pytest.mark.parametrize(
    ("data", "name", "settings", "count", "failed"),
    [
        (TRULY_QUOTED, "a.csv", "", 3, 0),
        (TRULY_QUOTED, "a.csv", 'quoting = "minimal"', 3, 0),
        (TRULY_QUOTED, "a.csv", 'quoting = "none"', 2, 2),
        (TRULY_QUOTED.replace(",", "\t"), "a.tsv", "", 3, 0),
        (SWALLOWED, "a.tsv", 'quoting = "minimal"', 3, 0),
        (SWALLOWED, "a.tsv", 'quoting = "none"', 7, 0),
        (INNER, "a.tsv", "", 3, 0),
        (INNER, "a.tsv", 'quoting = "minimal"', 1, 2),
        (ONE_OPEN, "a.csv", "", 6, 1),
    ],
)
def test_the_reading_with_the_fewest_faults_is_taken(
    data: str, name: str, settings: str, count: int, failed: int, simsieve: Program
) -> None:
    """Real quotes stay quotes, quotes inside texts are data, and what is asked for is done."""
    simsieve.file(name, data)
    read, fails, told = texts_of(simsieve, name, settings)

    assert (len(read), fails) == (count, failed), told
    if settings:
        assert "as was found" not in told


def test_lines_that_look_like_rows_in_real_quotes_are_told(simsieve: Program) -> None:
    """Where quotes are real, a field that holds what looks like rows is read whole, with a warning that counts."""
    rows = "".join(f'{n},"a, text of commas {n}"\n' for n in range(9))
    simsieve.file("a.csv", f'id,text\n{rows}10,"a line\n11,another\n12,last"\n')
    read, failed, told = texts_of(simsieve, "a.csv")

    assert (len(read), failed) == (10, 0)
    assert "a.csv has 1 quoted fields with 2 lines that look like rows; quoting (--config) none makes them rows" in told


def test_quoting_is_known_in_python(simsieve: Program) -> None:
    """What was found is a warning there, and a value that is none is refused."""
    path = simsieve.folder / "raw.tsv"
    simsieve.file("raw.tsv", SWALLOWED)
    with pytest.warns(library.SimsieveWarning, match=re.escape("raw.tsv is read with quotes as data")):
        assert library.dedup(path).counts.read == 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert library.dedup(path, quoting="minimal").counts.read == 3
    with pytest.raises(library.ConfigError, match="quoting 'all' is not known: allowed are auto, minimal, none"):
        library.dedup(path, quoting="all")  # type: ignore[arg-type]
    words = ("raw.tsv", "--run-dir", "a.run", "-o", "one.tsv", "-q")
    assert simsieve("dedup", *words, settings='quoting = "minimal"').code == 0
    assert simsieve("dedup", "--run-dir", "a.run", "-o", "two.tsv", "-q").code == 0
    assert (simsieve.folder / "one.tsv").read_bytes() == (simsieve.folder / "two.tsv").read_bytes()


@pytest.mark.parametrize("packed", [False, True])
def test_a_first_line_names_the_sign(simsieve: Program, *, packed: bool) -> None:
    """`sep=;` is no header; it comes out again, so that a spreadsheet reads what is kept."""
    data = "\ufeffsep=|\r\nid|text, with a comma;\r\n1|first of all\r\n2|first of all\r\n".encode()
    name = "in.csv.gz" if packed else "in.csv"
    simsieve.file(name, gzip.compress(data) if packed else data)
    words = ("--text-field", "text, with a comma;")
    simsieve("dedup", name, "-o", "out.csv", *words, "-q", "--decisions", "why.jsonl").ok()
    assert (simsieve.folder / "out.csv").read_bytes() == data.replace(b"2|first of all\r\n", b"")
    simsieve("dedup", name, "-o", "-", "--text-field", "id", "--limit", "2", "-q").ok()


def test_the_header_of_r_lacks_a_name(simsieve: Program) -> None:
    """R names no column of row names: the first field of each row is `row.names`, and the others keep their names."""
    simsieve.file("a.csv", '"id","text"\n"1","a","The ferry, at seven"\n"2","b","The lamp"\n')
    simsieve.file("b.tsv", "id\ttext\n1\ta\tThe ferry\n2\tb\tThe lamp\n")
    simsieve.file("c.csv", "id,text\n1,a,\n2,b,\n")
    simsieve.file("d.csv", "id,text\n1,Hello, world\n")
    read, failed, _ = texts_of(simsieve, "a.csv")
    assert (read, failed) == (["The ferry, at seven", "The lamp"], 0)
    assert texts_of(simsieve, "b.tsv")[:2] == (["The ferry", "The lamp"], 0)
    assert texts_of(simsieve, "c.csv")[:2] == ([], 2) and texts_of(simsieve, "d.csv")[:2] == ([], 1)


def test_other_small_things_of_files(simsieve: Program) -> None:
    """Padding behind gzip, marks inside JSON lines, and the list of formats."""
    lines = b'{"text": "one text"}\n'
    padded = gzip.compress(lines) + gzip.compress(b"\xef\xbb\xbf" + lines.replace(b"one", b"another")) + bytes(700)
    simsieve.file("in.jsonl.gz", padded)
    outcome = simsieve("dedup", "in.jsonl.gz", "-o", "out.jsonl", "--json")
    assert (outcome.code, json.loads(outcome.out)["read"]) == (0, 2), outcome.err
    assert (simsieve.folder / "out.jsonl").read_bytes().count(b"\xef\xbb\xbf") == 1
    simsieve.file("bad.jsonl.gz", gzip.compress(lines) + bytes(9) + b"x" * 30)
    assert "the gzip data is corrupt" in simsieve("dedup", "bad.jsonl.gz", "-o", "-").err
    simsieve.file("in.dat", lines)
    told = simsieve("dedup", "in.dat", "-o", "-").err
    assert ".parquet" in told and ".warc" in told
