"""Tables of results: the same rows in every format, and the records with what was decided about them."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.integration.conftest import Program

import simsieve as library

SOURCE = "".join(
    json.dumps(record, ensure_ascii=False) + "\n"
    for record in (
        {"_id": {"$oid": "65a"}, "text": "the quick brown fox jumps over the lazy dog", "n": 1},
        {"_id": {"$oid": "65b"}, "text": "the quick brown fox jumps over the lazy dog", "tags": ["a", None]},
        {"_id": {"$oid": "65c"}, "text": "昨天下午，村口的老槐树下聚了许多人", "decision": "mine"},
    )
)
FOX = "the quick brown fox jumps over the lazy dog"
ROWS = f'id,text,note\n7,{FOX},"a, b"\n8,{FOX},\n'
TABLES = {
    "decisions": ["position", "id", "decision", "representative", "representative_position", "distance", "similarity",
                  "measure", "reason", "lost", "conflict", "source", "line"],
    "clusters": ["group", "size", "position", "id", "decision", "representative", "similarity", "source", "line"],
    "dropped": ["_id", "text", "tags", "representative", "representative_position", "similarity", "lost", "conflict",
                "source", "line"],
}  # fmt: skip


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a table; those of CSV and TSV are read as JSON where they are that."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    content = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    if path.name.endswith(".zst"):
        content = pa.input_stream(path, compression="zstd").read()
    if name.endswith(".parquet"):
        return [dict(row) for row in pyarrow.parquet.read_table(path).to_pylist()]
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in content.splitlines()]
    excel = name.endswith(".csv")
    assert content.startswith(b"\xef\xbb\xbf") == excel
    assert (b"\r\n" in content) == excel
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [dict(row) for row in csv.DictReader(text, delimiter="," if excel else "\t")]


def plain(value: Any) -> str:
    """A value as a field of CSV has it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "csv.gz", "tsv.zst", "jsonl.gz", "jsonl.zst"])
def test_tables_have_the_same_rows_in_every_format(simsieve: Program, ending: str) -> None:
    """Each table has its columns in their order, and the values of its JSON lines."""
    simsieve.file("in.jsonl", SOURCE)
    for end in ("jsonl", ending):
        sides = [word for name in TABLES for word in (f"--{name}", f"{name}.{end}")]
        simsieve("dedup", "in.jsonl", "-o", "kept.jsonl", "--id-field", "_id", "--quiet", *sides).silent()
    for name, columns in TABLES.items():
        wanted, found = (read(simsieve.folder / f"{name}.{end}") for end in ("jsonl", ending))
        assert len(found) == len(wanted) > 0 and list(found[0]) == columns
        assert [[plain(row.get(c)) for c in columns] for row in found] == [
            [plain(row.get(c)) for c in columns] for row in wanted
        ]


def test_pairs_and_failed_records_are_tables_too(simsieve: Program) -> None:
    """Of other commands as well."""
    simsieve.file("in.jsonl", SOURCE + "no JSON\n")
    words = ["--id-field", "_id", "--max-failed", "1", "--quiet"]
    assert simsieve("pairs", "in.jsonl", "-o", "p.csv", "--failed", "f.tsv", *words).code == 0

    ids = ['{"$oid":"65a"}', '{"$oid":"65b"}']
    assert [list(row.values()) for row in read(simsieve.folder / "p.csv")] == [[*ids, "0", "1.0", "0", "0", "false"]]
    [failed] = read(simsieve.folder / "f.tsv")
    assert (failed["position"], failed["code"], failed["record"]) == ("3", "not_json", "no JSON")


def test_fingerprints_have_a_header_and_are_read_again(simsieve: Program) -> None:
    """In a file of any format; stdout has lines without a header."""
    simsieve.file("in.jsonl", SOURCE)
    lines = simsieve("fingerprint", "in.jsonl", "--id-field", "_id", "--scheme", "chars64").out.decode().splitlines()
    wanted = [line.split("\t") for line in lines]
    for name in ("f.tsv", "f.csv", "f.jsonl", "f.parquet"):
        assert simsieve("fingerprint", "in.jsonl", "--id-field", "_id", "--scheme", "chars64", "-o", name).code == 0
        assert [[row["id"], row["fingerprint"]] for row in read(simsieve.folder / name)] == wanted
        again = ["--scheme", "external64", "--text-field", "fingerprint", "--max-distance", "0", "--json"]
        done = simsieve("dedup", name, "-o", f"kept-{name}", "--quiet", *again)
        assert json.loads(done.out)["kept"] == 2, done.err
    two = ["--scheme", "chars64@0.5", "--scheme", "words64@0.5"]
    assert simsieve("fingerprint", "in.jsonl", *two, "-o", "two.csv").code == 0
    assert list(read(simsieve.folder / "two.csv")[0]) == ["id", "chars64", "words64"]


@pytest.mark.parametrize("name", ["all.jsonl", "all.csv", "all.tsv", "all.parquet"])
def test_annotated_records_are_all_records(simsieve: Program, name: str) -> None:
    """All come out with what was decided; a field of the same name stays, and the value gets another name."""
    simsieve.file("in.jsonl", SOURCE + "no JSON\n")
    done = simsieve("dedup", "in.jsonl", "-o", name, "--annotate", "--id-field", "_id", "--max-failed", "1", "-q")
    rows = read(simsieve.folder / name)

    assert (done.code, done.err) == (0, "")
    assert [row["simsieve_decision"] for row in rows] == ["kept", "dropped", "kept", "failed"]
    assert [plain(row["group"]) for row in rows] == ["0", "0", "2", ""]
    assert [row.get("decision") or "" for row in rows] == ["", "", "mine", ""]
    assert plain(rows[1]["representative"]) == '{"$oid":"65a"}'
    if name == "all.jsonl":
        lines = (simsieve.folder / name).read_text(encoding="utf-8").splitlines()
        assert [line.startswith(old[:-1]) for line, old in zip(lines, SOURCE.splitlines(), strict=False)] == [True] * 3


def test_dropped_records_of_tables_keep_their_columns(simsieve: Program) -> None:
    """CSV under its header, Parquet with its types; GB18030 becomes UTF-8."""
    simsieve.file("in.csv", ROWS.replace("fox", "狐狸").encode("gb18030"))
    simsieve("dedup", "in.csv", "-o", "k.csv", "--dropped", "d.csv", "--encoding", "gb18030", "-q").silent()
    assert read(simsieve.folder / "d.csv") == [
        {"id": "8", "text": "the quick brown 狐狸 jumps over the lazy dog", "note": "", "representative": "7",
         "representative_position": "0", "similarity": "1.0", "lost": "0", "conflict": "false", "source": "in.csv",
         "line": "3"}
    ]  # fmt: skip
    table = pa.table({"id": [1, 2], "text": ["one text of it"] * 2, "when": pa.array([1, 2], pa.timestamp("s"))})
    pyarrow.parquet.write_table(table, simsieve.folder / "in.parquet")
    sides = ["--dropped", "d.parquet", "--clusters", "c.csv", "-q"]
    assert simsieve("dedup", "in.parquet", "-o", "k.parquet", *sides).code == 0
    made = pyarrow.parquet.read_table(simsieve.folder / "d.parquet")
    assert made.schema.field("when").type == pa.timestamp("ms") or made.schema.field("when").type == pa.timestamp("s")
    assert made.drop_columns(["when"]).to_pylist() == [
        {"id": 2, "text": "one text of it", "representative": 1, "representative_position": 0, "similarity": 1.0,
         "lost": 0, "conflict": False,
         "source": "in.parquet", "line": 2}
    ]  # fmt: skip
    assert simsieve("dedup", "in.parquet", "-o", "all.csv", "--annotate", "--limit", "1", "-q").code == 0
    assert [row["decision"] for row in read(simsieve.folder / "all.csv")] == ["kept"]


def test_a_limit_takes_the_first_records(simsieve: Program, tmp_path: Path) -> None:
    """Of all sources together; old documents are all read, and a run directory remembers it."""
    texts = [f"a text of its own, number {n * 7919}" for n in range(9)]
    simsieve.file("a.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts[:4]).rstrip("\n"))
    simsieve.file("b.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts[4:]))
    words = ["-o", "k.jsonl", "--limit", "6", "--similarity", "0.99", "-q", "--run-dir", "x.run"]
    assert simsieve("dedup", "a.jsonl", "b.jsonl", *words).code == 0
    assert [row["text"] for row in read(simsieve.folder / "k.jsonl")] == texts[:6]
    assert simsieve("dedup", "--run-dir", "x.run", "-o", "again.jsonl", "-q").code == 0
    assert (simsieve.folder / "again.jsonl").read_bytes() == (simsieve.folder / "k.jsonl").read_bytes()
    assert library.dedup(texts, against=texts[2:], limit=3, max_distance=0).counts.dropped == 1
    assert len(library.dedup(pa.table({"text": texts}), limit=2, similarity=0.99).kept_rows(pa.Table)) == 2


def test_python_raises_and_writes_the_same(tmp_path: Path) -> None:
    """A field that no record has is an error of the settings; `write` goes by names too."""
    with pytest.raises(library.ConfigError, match="did you mean 'body'"):
        library.dedup([{"body": "a text"}], text_field="bdoy")
    with pytest.warns(RuntimeWarning, match="has a field 'nosuch'|has no field 'nosuch'"):
        library.dedup([{"text": "a text"}], id_field="nosuch")
    result = library.dedup([{"id": 1, "text": "one text of it"}, {"id": 2, "text": "one text of it"}])
    result.write(None, tmp_path / "d.csv", dropped=tmp_path / "x.csv", clusters=tmp_path / "c.jsonl")
    assert [row["decision"] for row in read(tmp_path / "d.csv")] == ["kept", "dropped"]
    assert [row["representative"] for row in read(tmp_path / "x.csv")] == ["1"]
    assert [row["position"] for row in read(tmp_path / "c.jsonl")] == [0, 1]
    result.write(tmp_path / "all.csv", annotate=True)
    assert [row["group"] for row in read(tmp_path / "all.csv")] == ["0", "0"]
    with pytest.raises(library.ConfigError, match=r"cannot have the ending \.xls"):
        result.write(None, tmp_path / "d.xls")


def test_kept_and_dropped_rows_of_a_table_are_read_side_by_side(simsieve: Program) -> None:
    """Kept rows are written by a thread of their own, which shares no reader of the table with the other one."""
    texts = [f"text number {number // 2 * 7919 % 10007} of them" for number in range(20_000)]
    table = pa.table({"id": list(range(20_000)), "text": texts})
    pyarrow.parquet.write_table(table, simsieve.folder / "in.parquet", row_group_size=500)
    for ending in ("parquet", "jsonl", "csv"):
        sides = ["--dropped", f"d.{ending}", "--similarity", "1", "-q"]
        simsieve("dedup", "in.parquet", "-o", f"k.{ending}", *sides).silent()
        ids = {
            name: [int(row["id"]) for row in read(simsieve.folder / f"{name}.{ending}")]
            if ending != "parquet"
            else pyarrow.parquet.read_table(simsieve.folder / f"{name}.parquet")["id"].to_pylist()
            for name in ("k", "d")
        }
        first = {text: number for number, text in reversed(list(enumerate(texts)))}
        assert ids["k"] == sorted(first.values())
        assert ids["d"] == sorted(set(range(20_000)) - set(first.values()))


def test_a_row_says_where_its_record_is(simsieve: Program) -> None:
    """Decisions, clusters and dropped records name file and line, as failed records do, so repeated ids do no harm."""
    for name in ("in", "texts"):
        (simsieve.folder / name).mkdir()
    simsieve.file(
        "in/a.jsonl", f'{{"id": 1, "text": "{FOX}", "source": "own"}}\n\n{{"id": 1, "text": "{FOX}!"}}\nno JSON\n'
    )
    simsieve.file("in/b.csv", f'id,text\n1,"{FOX}\nand on"\n1,"{FOX}\nand on"\n')
    table = pa.table({"id": [1, 1], "text": [FOX, "another text on gravel and lamps"]})
    pyarrow.parquet.write_table(table, simsieve.folder / "in" / "c.parquet")
    simsieve.file("texts/d.txt", FOX)
    simsieve.file("e.json", json.dumps([{"id": 1, "text": FOX}]))
    words = [f"--{name}={name}.jsonl" for name in (*TABLES, "failed")]
    names = ("in/*", "texts", "e.json")
    simsieve("dedup", *names, "-o", "kept.jsonl", "--quiet", "--max-failed", "1", *words).ok()
    found = {name: read(simsieve.folder / f"{name}.jsonl") for name in (*TABLES, "failed")}
    places = [(row["source"], row["line"]) for row in found["decisions"]]
    assert places == [
        ("in/a.jsonl", 1), ("in/a.jsonl", 3), ("in/a.jsonl", 4), ("in/b.csv", 2), ("in/b.csv", 4),
        ("in/c.parquet", 1), ("in/c.parquet", 2), ("texts/d.txt", 1), ("e.json", 0),
    ]  # fmt: skip
    for name in ("clusters", "failed"):
        assert all((row["source"], row["line"]) == places[row["position"]] for row in found[name]) and found[name]
    gone = [row for row in found["decisions"] if row["decision"] == "dropped"]
    for row, decided in zip(found["dropped"], gone, strict=True):
        assert row["representative_position"] == decided["representative_position"]
        assert (row["source"], row["line"]) == places[decided["position"]]


def test_a_dropped_record_keeps_its_own_source(simsieve: Program) -> None:
    """A field of the record stays; and where the run is against old records, the row says whose position it gives."""
    simsieve.file("new.jsonl", f'{{"text": "{FOX}", "source": "own"}}\n')
    simsieve.file("old.jsonl", f'{{"text": "{FOX}"}}\n')
    simsieve("dedup", "new.jsonl", "--against", "old.jsonl", "-o", "k.jsonl", "--dropped", "d.jsonl", "--quiet")
    assert read(simsieve.folder / "d.jsonl") == [
        {"text": FOX, "source": "own", "representative": 0, "representative_position": 0, "similarity": 1.0, "lost": 0,
         "conflict": False, "simsieve_source": "new.jsonl", "line": 1, "representative_collection": "old"}
    ]  # fmt: skip


RECORDS = [
    {"id": "a", "text": FOX, "n": 1, "tags": ["x", None]},
    {"id": "b", "text": FOX, "n": 2},
    {"id": "c", "text": "pour the water, while it is nearly boiling", "n": 3.5, "tags": [1, {"weight": 2.50}, "1"]},
]


def write(program: Program, name: str) -> Path:
    """A source of the format of its name, with the records above."""
    program.file("made.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))
    if name != "made.jsonl":
        program("dedup", "made.jsonl", "-o", name, "--max-distance", "0", "--differ", "id", "--quiet").silent()
    return program.folder / name


@pytest.mark.parametrize("source", ["made.jsonl", "in.csv", "in.tsv.gz", "in.parquet"])
@pytest.mark.parametrize("sink", ["kept.jsonl", "kept.csv", "kept.tsv", "kept.parquet"])
def test_every_table_goes_to_every_other(simsieve: Program, source: str, sink: str) -> None:
    """The kept records have the values of the source; in CSV and TSV as text."""
    write(simsieve, source)
    simsieve("dedup", source, "-o", sink, "--quiet").silent()
    kept: list[dict[str, Any]] = [record for record in RECORDS if record["id"] != "b"]
    found = read(simsieve.folder / sink)
    for record, wanted in zip(found, kept, strict=True):
        assert [plain(record.get(name)) for name in ("id", "text")] == [wanted["id"], wanted["text"]]
        assert plain(record.get("n")).removesuffix(".0") == plain(wanted["n"]).removesuffix(".0")
        assert plain(record.get("tags")).replace(" ", "") == plain(wanted["tags"])


def test_sources_of_two_formats_go_to_one_table(simsieve: Program) -> None:
    """Columns come in the order in which they are met; what a record lacks is empty."""
    simsieve.file("a.jsonl", json.dumps(RECORDS[0]) + "\n")
    simsieve.file("b.csv", f"id,text,note\nb,{FOX},\nd,lorem ipsum dolor sit amet consectetur,hm\n")
    simsieve("dedup", "a.jsonl", "b.csv", "-o", "kept.csv", "--quiet").silent()
    assert [(row["id"], row["n"], row["note"]) for row in read(simsieve.folder / "kept.csv")] == [
        ("a", "1", ""),
        ("d", "", "hm"),
    ]


def test_parquet_goes_to_standard_output_as_json_lines(simsieve: Program) -> None:
    """And a table of another format only where it is asked for."""
    write(simsieve, "in.parquet")
    lines = simsieve("dedup", "in.parquet", "-o", "-", "--quiet").out
    assert [json.loads(line)["id"] for line in lines.splitlines()] == ["a", "c"]
    table = simsieve("dedup", "in.parquet", "-o", "-", "--output-format", "csv", "--quiet").out
    assert table.decode("utf-8-sig").splitlines()[0] == "id,text,n,tags"
