"""References: an invented list whose groups are known, in every form, in one run and in an index."""

import csv
import json
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.integration.conftest import Program

from simsieve import ConfigError, Index, SourceError, dedup
from simsieve.stores.references.endnote import of_endnote

Reference = dict[str, Any]
FIELDS = ("id", "title", "author", "year", "journal", "volume", "pages", "doi")
ROWS = [
    ("a1", "Sleep and memory in older adults", "Okafor, Bola and Lind, Tor", "2015", "J Inv Sleep", "12", "101-110",
     "10.5555/jis.12.101"),
    ("a2", "SLEEP AND MEMORY IN OLDER ADULTS.", "Okafor B and Lind T", "2015", "Journal of Invented Sleep",
     "12 Suppl 2", "101-10", "UNKNOWN"),
    ("a3", "Schlaf im Alter", "Okafor, B. and Lind, T.", "2016", "J Inv Sleep", "12", "101",
     "https://doi.org/10.5555/JIS.12.101"),
    ("b", "Sleep and memory in older adults", "Okafor, B. and Lind, T.", "2019", "J Inv Sleep", "16", "1-9",
     "10.5555/jis.16.1"),
    ("c", "Sleep and memory in older adults - reply", "Moreau, C.", "2015", "J Inv Sleep", "12", "111", None),
    ("d1", "Bees of the upper valley: a count of hives", "Sørensen, Åse", "1998", "Ann Bees", "3", "e17", None),
    ("d2", "Bees of the upper valley: a count of hives. [Review] [12 refs]", "Sorensen, A.", "1998", "Annals of Bees",
     None, "22-31", None),
    ("e", "Bees of the upper valley, part II: a count of swarms", None, None, None, None, None, None),
    ("f", None, "Nobody, N.", "2001", None, None, None, "10.5555/none"),
    ("g", "Editorial", "Lind, T.", "2015", "J Inv Sleep", "12", "1", None),
    ("h", "Editorial", "Okafor, B.", "2016", "J Inv Sleep", "13", "1", None),
]  # fmt: skip
REFERENCES = [dict(zip(FIELDS, row, strict=True)) for row in ROWS]
KEPT = ["a1", "b", "c", "d1", "e", "f", "g", "h"]
TAGS = {"title": "TI", "author": "AU", "year": "PY", "journal": "JO", "volume": "VL", "doi": "DO"}


def _names(row: Reference) -> list[str]:
    return str(row["author"]).split(" and ") if row["author"] else []


def _ris(row: Reference) -> str:
    lines = ["TY  - JOUR", f"ID  - {row['id']}", *(f"AU  - {name}" for name in _names(row))]
    lines += [f"{tag}  - {row[name]}" for name, tag in TAGS.items() if name != "author" and row[name]]
    first, _, last = (row["pages"] or "").partition("-")
    lines += [f"SP  - {first}"] * bool(first) + [f"EP  - {last}"] * bool(last)
    return "\n".join([*lines, "ER  - ", "", ""])


def _nbib(row: Reference) -> str:
    tags = {"PMID": "id", "TI": "title", "DP": "year", "JT": "journal", "VI": "volume", "PG": "pages"}
    lines = [f"{tag:4}- {row[name]}" for tag, name in tags.items() if row[name]]
    lines += [f"FAU - {name}" for name in _names(row)] + [f"LID - {row['doi']} [doi]"] * bool(row["doi"])
    return "\n".join([*lines, "", ""])


def _bib(row: Reference) -> str:
    fields = (f"  {name} = {{{row[name]}}}" for name in FIELDS[1:] if row[name])
    return "@article{" + ",\n".join([row["id"], *fields]) + "\n}\n"


def _xml(row: Reference) -> str:
    places = {
        "id": "rec-number", "title": "titles/title", "year": "dates/year", "journal": "periodical/full-title",
        "volume": "volume", "pages": "pages", "doi": "electronic-resource-num",
    }  # fmt: skip
    names = "".join(f"<author><style face='normal'>{escape(name)}</style></author>" for name in _names(row))
    fields = [f"<contributors><authors>{names}</authors></contributors>"] if names else []
    for name, place in places.items():
        if row[name]:
            outer, _, inner = place.rpartition("/")
            text = f"<{inner}>{escape(row[name])}</{inner}>"
            fields.append(f"<{outer}>{text}</{outer}>" if outer else text)
    return "\n<record>" + "".join(fields) + "</record>"


OPENING, END = '<?xml version="1.0" encoding="UTF-8" ?><xml><records>', "\n</records></xml>\n"
FORMS = {"ris": _ris, "nbib": _nbib, "bib": _bib, "xml": _xml}


def around(ending: str, text: str) -> str:
    """References of a form as a file has them."""
    return OPENING + text + END if ending == "xml" else text


def written(folder: Path, ending: str) -> Path:
    """The list in a form."""
    path = folder / f"refs.{ending}"
    if ending == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, FIELDS)
            file.write("id,Title,Authors,Year,Journal,Vol,Pages,DOI\r\n")
            rows.writerows(REFERENCES)
        return path
    form = {"jsonl": lambda row: json.dumps(row) + "\n", **FORMS}[ending]
    path.write_text(around(ending, "".join(map(form, REFERENCES))), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", *FORMS])
def test_one_of_each_work_is_kept_in_every_form(ending: str, tmp_path: Path) -> None:
    """Another writing, an equal DOI and notes join; another DOI, other pages and part numbers do not."""
    result = dedup(written(tmp_path, ending), kind="references")

    assert [str(one.id) for one in result.decisions if one.decision == "kept"] == KEPT
    why = {str(one.id): (str(one.representative), one.reason) for one in result.decisions if one.decision == "dropped"}
    assert why == {"a2": ("a1", "near"), "a3": ("a1", "agree"), "d2": ("d1", "exact")}
    assert result.counts.failed == 0


def test_records_in_memory_and_frames(tmp_path: Path) -> None:
    """Lists of names are values, and a record may lack the title."""
    pandas = pytest.importorskip("pandas")
    rows = [row | {"author": _names(row)} for row in REFERENCES]
    for source in (rows, pandas.DataFrame(REFERENCES)):
        result = dedup(source, kind="references")
        assert [one.id for one in result.decisions if one.decision == "kept"] == KEPT


def test_batches_of_an_index_are_one_run(tmp_path: Path) -> None:
    """Two batches of other sources are decided as one run; what is sent again is known."""
    with Index.create(tmp_path / "seen", REFERENCES[:4], kind="references", sample=0) as index:
        index.add([{name: value for name, value in row.items() if value} for row in REFERENCES[4:]], sample=0)
        assert [id_ for id_, _ in index] == KEPT
        again = index.add(REFERENCES, sample=0)
        assert [id_ for id_, _ in index] == KEPT
        assert (again.known, again.replaced) == (len(REFERENCES), 0)
        late = {"id": "z", "title": "Another title in another language", "doi": "doi:10.5555/JIS.16.1"}
        (found,) = index.check([late], sample=0).decisions
        assert (found.decision, found.representative, found.reason) == ("dropped", "b", "agree")
        index.verify()


def test_files_that_are_cut_or_wrong(tmp_path: Path, simsieve: Program) -> None:
    """A last reference without its end is one, lines go on, and an entry that cannot be read fails."""
    simsieve.file("cut.ris", "TY  - JOUR\nTI  - Sleep and\nmemory\nER  - \nTY  - BOOK\nTI  - Bees")
    simsieve.file(
        "wrong.bib", '@article{x, title = {Sleep\n@book{y, title = {Caf{\\"e} und {B}ienen}, date = {2011}}\n'
    )
    done = simsieve("dedup", "cut.ris", "wrong.bib", "-o", "k.jsonl", "--for", "references", "--max-failed", "1").ok()
    rows = [json.loads(line) for line in (simsieve.folder / "k.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["title"] for row in rows] == ["Sleep and memory", "Bees", "Cafë und Bienen"]
    assert "the entry of BibTeX in line 1 cannot be read" in done.err
    (tmp_path / "latin.ris").write_bytes("TY  - JOUR\nTI  - Café\n".encode("latin-1"))
    with pytest.raises(SourceError, match="is not UTF-8"):
        dedup(tmp_path / "latin.ris", kind="references")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<feed><entry/></feed>", "has <feed> where references of EndNote have <xml>, and other XML is not read"),
        ("<xml><record/></xml>", "has <record> where references of EndNote have <records>"),
        (OPENING + "<record><titles><title>Sleep", "is no whole XML in UTF-8 (no element found: line 1"),
        ("", "is no whole XML"),
        ("title,year", "is no whole XML in UTF-8 (syntax error"),
        ('<!DOCTYPE xml [<!ENTITY a "Sleep">]><xml><records><record>&a;</record></records></xml>', "an entity"),
        (OPENING + "<record>" + "<a>" * 300, "has elements 257 deep"),
        (OPENING + "<record>\udcff</record>", "is no whole XML in UTF-8"),
    ],
)  # fmt: skip
def test_other_xml_is_refused(content: str, said: str, simsieve: Program) -> None:
    """The message names what is there; each file as one text is read."""
    (simsieve.folder / "a.xml").write_text(content, encoding="utf-8", errors="surrogateescape")
    assert said in simsieve("dedup", "a.xml", "-o", "k.jsonl", "--for", "references").refused()
    simsieve.file("a.xml", "<feed>one text of some words</feed>")
    assert simsieve("dedup", "a.xml", "-o", "k.jsonl", "--each", "file").code == 0


def test_records_of_endnote_are_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wherever a piece ends, the records are the same; styles, empty records and entities of XML are read."""
    path = written(tmp_path, "xml")
    more = "<record/><record\n><titles><title><style>a &amp; </style><style>b</style></title></titles></record\n >"
    path.write_text(OPENING + more + "".join(map(_xml, REFERENCES)) + END, encoding="utf-8")
    expected = [{name: text or None for name, text in row.items()} for row in map(dict, REFERENCES)]
    for size in (1, 2, 7, 1 << 16):
        monkeypatch.setattr("simsieve.stores.references.endnote._PART_BYTES", size)
        with path.open("rb") as file:
            found = list(of_endnote(str(path), file))
        assert "".join(text for _, text in found) == path.read_text(encoding="utf-8")
        empty, both, *others = [row for row, _ in found if row is not None]
        assert (set(empty.values()), both["title"]) == ({""}, "a & b")
        assert [{name: row[name] or None for name in FIELDS} for row in others] == expected


def test_what_a_review_says_of_the_rules(simsieve: Program) -> None:
    """A card names the fields that agree and those that are not known."""
    path = written(simsieve.folder, "jsonl")
    simsieve("review", path.name, "--for", "references", "-o", "review.html").ok()
    page = (simsieve.folder / "review.html").read_text(encoding="utf-8")
    assert "agree: year, volume, pages, author" in page and "not known: doi" in page


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"near": ["yaer:1"]}, "no column 'yaer': did you mean 'year'. There are .*; name a column with .*near"),
        ({"agree": ["dio"]}, "no column 'dio': did you mean 'doi'.*; name a column with .*agree"),
        (
            {"field": ["titel:0.8", "author:0.2"]},
            "no column 'titel': did you mean 'title'.*; name a column with .*field",
        ),
    ],
)
def test_columns_that_a_table_lacks(settings: dict[str, Any], said: str) -> None:
    """A rule on a column that is not there is a mistake in frames too; a field of a column may lack."""
    table = pa.Table.from_pylist([row | {"meta": {"isbn": row["doi"]}} for row in REFERENCES])
    text: dict[str, Any] = {} if "field" in settings else {"text_field": "title"}
    with pytest.raises(ConfigError, match=said):
        dedup(table, **text, **settings)
    assert dedup(table, text_field="title", agree=["meta.isbn"]).counts.read == len(REFERENCES)
