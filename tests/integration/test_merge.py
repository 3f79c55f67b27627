"""Values that kept records take from dropped ones, and references that are written as they stand in their files."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.integration.conftest import Program
from tests.integration.test_references import FORMS, KEPT, REFERENCES, around, written
from tests.strategies import examples

from simsieve import ConfigError, dedup
from simsieve.stores.references.output import with_values

Record = dict[str, Any]
VALUES = [None, "", " ", [], "one", "two", 7, 0, False, ["x"], {"deep": None}]
rows = st.lists(
    st.builds(
        lambda text, doi, note: {"text": text, "doi": doi} | ({} if note == "" else {"note": note}),
        st.sampled_from(["the quick brown fox", "The quick brown fox!", "lorem ipsum dolor", ""]),
        st.sampled_from(VALUES), st.sampled_from(VALUES),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


def is_missing(value: Any) -> bool:
    """Whether a value is none; 0 and false are values."""
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


@examples(0.3)
@given(rows, st.sampled_from(["doi", ["note"], ["doi", "note"], "*"]), st.sampled_from(["first", "last"]))
def test_a_kept_record_takes_what_it_lacks(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record], merge: Any, keep: str
) -> None:
    """No value is overwritten, the first dropped record by position counts, and other records stay byte for byte."""
    # A field that no record has is refused.
    assume("note" not in merge or any("note" in row for row in records))
    folder = tmp_path_factory.mktemp("merge")
    lines = [json.dumps(row | {"id": at}) for at, row in enumerate(records)]
    (folder / "in.jsonl").write_text("\n".join(lines) + "\n")
    result = dedup(folder / "in.jsonl", keep=keep, merge=merge, output=folder / "out.jsonl")
    names = ["text", "doi", "note"] if merge == "*" else [merge] if isinstance(merge, str) else merge
    expected, taken = [], 0
    for head, members in ((one, result.clusters().get(one, [one])) for one in result.kept.tolist()):
        made = json.loads(lines[head])
        donors = [json.loads(lines[at]) for at in sorted(members) if at != head]
        for name in names:
            value = next((one[name] for one in donors if not is_missing(one.get(name))), None)
            if is_missing(made.get(name)) and value is not None:
                made[name], taken = value, taken + 1
        expected.append((head, made))
    found = (folder / "out.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in found] == [made for _, made in expected]
    for line, (head, made) in zip(found, expected, strict=True):
        assert line == lines[head] or made != json.loads(lines[head])
    assert result.summary["merged"]["values"] == taken


@pytest.mark.parametrize(("ending", "form"), FORMS.items())
def test_kept_references_stand_as_they_stood(ending: str, form: Any, tmp_path: Path, simsieve: Program) -> None:
    """The kept references are those of the source byte for byte, whatever its line ends are."""
    source = written(simsieve.folder, ending)
    before, behind = ("@string{jis = {J}}\n\n", "@comment{the end}\n\n") if ending == "bib" else ("", "")
    for line_end in ("\n", "\r\n"):
        kept = [form(row) for row in REFERENCES if row["id"] in KEPT]
        text = before + around(ending, "".join(one + "\n" * (ending == "bib") for one in kept)) + behind
        whole = before + source.read_text(encoding="utf-8") + behind if line_end == "\n" else source.read_text()
        source.write_text(whole.replace("\r", ""), encoding="utf-8", newline=line_end)
        simsieve("dedup", source.name, "-o", f"kept.{ending}", "--for", "references", "-q").ok()
        found = (simsieve.folder / f"kept.{ending}").read_bytes().decode()
        assert found.replace("\r\n", "\n") == text
        assert ending == "bib" or found.count("\r\n") == (found.count("\n") if line_end == "\r\n" else 0)
    simsieve("dedup", source.name, "-o", "parts/", "--for", "references", "-q").ok()
    assert (simsieve.folder / "parts" / source.name).read_bytes().decode() == found


@pytest.mark.parametrize(("ending", "form"), FORMS.items())
def test_references_take_values_in_their_format(ending: str, form: Any, simsieve: Program) -> None:
    """What a kept reference takes is written under its tag, and is read again as it was."""
    lacking = REFERENCES[0] | {"doi": None, "author": None, "pages": None}
    simsieve.file(f"refs.{ending}", around(ending, form(lacking) + form(REFERENCES[0] | {"id": "a2"})))
    done = simsieve("dedup", f"refs.{ending}", "-o", f"kept.{ending}", "--text-field", "title", "--merge", "*").ok()
    assert "3 values into 1 records" in done.err
    simsieve("dedup", f"kept.{ending}", "-o", "again.jsonl", "--text-field", "title", "-q")
    (again,) = map(json.loads, (simsieve.folder / "again.jsonl").read_text().splitlines())
    assert {name: again[name] for name in ("id", "doi", "author", "pages")} == {
        name: REFERENCES[0][name] for name in ("id", "doi", "author", "pages")
    }
    assert with_values("TY  - JOUR\r\nER  - \r\n", {"year": "2015"}, ".ris") == (
        "TY  - JOUR\r\nPY  - 2015\r\nER  - \r\n"
    )


def test_tables_fields_and_parts(simsieve: Program) -> None:
    """A table keeps its columns; chosen fields and parts of a folder have the values too."""
    simsieve.file("in.csv", "id,text,doi\n1,the quick brown fox,\n2,The quick brown fox!,10.1/a\n3,lorem ipsum,\n")
    for words, name in (
        (["-o", "out.csv"], "out.csv"),
        (["-o", "out.jsonl", "--fields", "id,doi"], "out.jsonl"),
        (["-o", "parts/", "--shard-size", "1"], "parts/part-00000.csv"),
        (["-o", "each/"], "each/in.csv"),
    ):
        simsieve("dedup", "in.csv", *words, "--merge", "doi", "-q").ok()
        text = (simsieve.folder / name).read_text(encoding="utf-8-sig")
        first = json.loads(text.splitlines()[0]) if name.endswith("jsonl") else next(csv.DictReader(text.splitlines()))
        assert (first["id"], first["doi"]) == ("1", "10.1/a"), name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "k.jsonl", "--merge", "dio"], "have no such field: did you mean 'doi'?"),
        (["-o", "k.jsonl", "--merge", "doi", "--annotate"], "annotated records"),
        (["-o", "kept.ris"], "ends in .ris, which cannot be written"),
    ],
)
def test_outputs_without_merged_records_are_refused(words: list[str], said: str, simsieve: Program) -> None:
    """An error names the output, and what is allowed."""
    simsieve.file("in.jsonl", '{"id": 1, "text": "one", "doi": null}\n')
    assert said in simsieve("dedup", "in.jsonl", *words).refused()


def test_frames_go_to_tables_without_types(tmp_path: Path) -> None:
    """JSON lines and CSV of a frame have the values; Parquet, whose types would change, is refused."""
    table = pa.table({"text": ["a text of words", "A text of words"], "doi": [None, "10.1/a"], "by": [["x"], []]})
    dedup(table, merge="doi", output=tmp_path / "merged.jsonl")
    (line,) = (tmp_path / "merged.jsonl").read_text().splitlines()
    assert json.loads(line) == {"text": "a text of words", "doi": "10.1/a", "by": ["x"]}
    with pytest.raises(ConfigError, match=r"would lose their types: name a file such as kept\.jsonl"):
        dedup(table, merge="doi", output=tmp_path / "merged.parquet")


def test_old_documents_give_and_take_nothing() -> None:
    """A record that is dropped for an old one changes nothing."""
    result = dedup(
        [{"text": "a text of some words", "doi": "x"}], against=[{"text": "a text of some words", "doi": None}],
        merge="doi",
    )  # fmt: skip
    assert result.summary["merged"] == {"records": 0, "values": 0, "fields": {}}


def test_formats_of_references_are_not_mixed(simsieve: Program) -> None:
    """References of two formats have no file of one of them."""
    for ending in ("ris", "nbib"):
        written(simsieve.folder, ending)
    done = simsieve("dedup", "refs.ris", "refs.nbib", "-o", "kept.ris", "--for", "references")
    assert done.code == 2 and "refs.nbib has another format" in done.err
    for name in ("one.xml", "two.xml"):
        written(simsieve.folder, "xml").rename(simsieve.folder / name)
    done = simsieve("dedup", "one.xml", "two.xml", "-o", "kept.xml", "--for", "references")
    assert (done.code, "2 sources have an opening and an end each" in done.err) == (2, True)
    with pytest.raises(ConfigError, match="merge"):
        dedup([{"text": "one"}], merge="")
