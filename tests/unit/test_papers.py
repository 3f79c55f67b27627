"""Word and PDF files: their text, their pages, and files that cannot be used."""

import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.paper_files import SCAN, latin, paragraph, pdf, pdf_of, shown, word, word_xml

from simsieve import SourceError, _core, passages
from simsieve.cli import cli
from simsieve.errors import TextError
from simsieve.stores.papers import pdf as of_pdf
from simsieve.stores.papers import word as of_word

LINE = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩，谁也不敢忘记。"
OTHER = "夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡，只有卖冰棍的老人还推着车慢慢往前走。"
MOST = 1 << 20


def text_of(path: Path, content: bytes, most: int = MOST) -> str:
    """The text of a file with this content."""
    path.write_bytes(content)
    return of_pdf.read(str(path), most)[0] if path.suffix == ".pdf" else of_word.read(str(path), most)


def test_of_word_a_text_is_what_a_reader_sees(tmp_path: Path) -> None:
    """Tables, text boxes, notes and insertions are there once; what was deleted, moved away or hidden is not."""
    box = "<w:txbxContent>" + paragraph("<w:t>盒</w:t>") + "</w:txbxContent>"
    body = (
        paragraph("<w:t>一</w:t><w:tab/><w:t xml:space='preserve'> two </w:t><w:br/><w:t>&amp;三</w:t>")
        + f"<w:tbl><w:tr><w:tc>{paragraph('<w:t>cell</w:t>')}</w:tc></w:tr></w:tbl>"
        + "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
        + "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        + paragraph("<w:instrText>PAGE</w:instrText>")
        + f"<w:p><m:AlternateContent xmlns:m='m'><m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback>"
        "</m:AlternateContent></w:p>"
    )
    notes = f"<w:footnotes xmlns:w='w'>{paragraph('<w:t>注</w:t>')}</w:footnotes>"
    for main in ("word/document.xml", "/word/document2.xml"):
        made = word_xml(body, main.lstrip("/"), {"word/footnotes.xml": notes, "word/comments.xml": "<x/>"})
        assert text_of(tmp_path / "a.docx", made) == "一\t two \n&三\ncell\nnew\n\n盒\n\n注", main


@given(texts=st.lists(st.text("aZ0 港𠮷é<&>\"'", max_size=9), max_size=5))
def test_paragraphs_of_word_come_back(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever signs a paragraph has, they are its line."""
    assert text_of(tmp_path_factory.mktemp("word") / "a.docx", word(texts)) == "\n".join(texts).strip("\n")


def test_spans_have_the_pages_on_which_they_begin(tmp_path: Path) -> None:
    """Lines of a PDF are cut where they will; a span is in code points of the text, and knows its page."""
    (tmp_path / "thesis.pdf").write_bytes(pdf([[OTHER[:30], OTHER[30:]], ["第二章", LINE[:25], LINE[25:]]]))
    (tmp_path / "source.docx").write_bytes(word(["前言", LINE]))
    result = passages(tmp_path / "thesis.pdf", against=tmp_path / "source.docx")
    (row,) = result
    (span,) = row.spans

    text = result.text(0)
    assert text == f"{OTHER[:30]}\n{OTHER[30:]}\f第二章\n{LINE[:25]}\n{LINE[25:]}"
    assert text[span.start : span.end].replace("\n", "") == LINE.rstrip("。")
    assert (span.page, span.source_page) == (2, None)
    assert (row.document, row.source) == ("thesis.pdf", "source.docx")
    result.write(tmp_path / "shared.jsonl")
    written = (tmp_path / "shared.jsonl").read_text(encoding="utf-8")
    assert '"page":2' in written and "source_page" not in written
    result.report(tmp_path / "page.html")
    assert "page {page} of the document" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_two_papers_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`compare` takes them as they are; one that cannot be used is an error that names it."""
    (tmp_path / "a.docx").write_bytes(word([LINE]))
    (tmp_path / "b.pdf").write_bytes(pdf([[LINE]]))
    (tmp_path / "c.pdf").write_bytes(pdf_of([SCAN]))
    names = [str(tmp_path / name) for name in ("a.docx", "b.pdf", "c.pdf")]

    assert cli(["compare", *names[:2], "--json"], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out)["similarity"] == 1
    with pytest.raises(SourceError, match=r"c\.pdf: has no text: 1 of its pages are pictures"):
        cli(["compare", *names[1:]], standalone_mode=False)


def test_pages_that_are_pictures_are_told(tmp_path: Path) -> None:
    """A paper with scanned pages is read as far as it has text, and the rest is counted."""
    (tmp_path / "a.pdf").write_bytes(pdf_of([shown([LINE]), SCAN, SCAN]))
    assert text_of(tmp_path / "a.pdf", (tmp_path / "a.pdf").read_bytes()) == f"{LINE}\f\f"
    assert of_pdf.read(str(tmp_path / "a.pdf"), MOST)[1] == 2


def test_a_locked_archive_is_told(tmp_path: Path) -> None:
    """A ZIP archive with a password is encrypted, as is one in the wrapping of the older format."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("_rels/.rels", "<x/>")
    content = bytearray((tmp_path / "x.zip").read_bytes())
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(sign) + place] |= 1
    with pytest.raises(TextError, match="is encrypted; save it without a password"):
        text_of(tmp_path / "a.docx", bytes(content))


def test_a_bomb_costs_no_memory(tmp_path: Path) -> None:
    """Text beyond the limit is not kept while it is unpacked, and entities are refused."""
    huge = word_xml(paragraph("<w:t>" + "x" * 10_000_000 + "</w:t>"))
    assert len(huge) < 50_000
    tracemalloc.start()
    with pytest.raises(TextError, match="the text has more than 1,000 bytes"):
        text_of(tmp_path / "a.docx", huge, 1000)
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()
    with zipfile.ZipFile(tmp_path / "b.docx", "w") as archive:
        archive.writestr("_rels/.rels", '<!DOCTYPE x [<!ENTITY a "aa">]><x>&a;</x>')
    with pytest.raises(TextError, match="it declares an entity"):
        text_of(tmp_path / "b.docx", (tmp_path / "b.docx").read_bytes())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (latin("The light-", "house and the har-", "bour of Anglo-", "Saxon,  1990-", "91 -", "END-", "LESS"),
         "The lighthouse and the harbour of Anglo-Saxon, 1990-\n91 -\nENDLESS"),
        (("BT /Latin 12 Tf 50 700 Td (10) Tj /Latin 8 Tf 5 Ts (23) Tj 0 Ts /Latin 12 Tf ( H) Tj "
          "/Latin 8 Tf -3 Ts (2) Tj ET"),
         _core.page_text("10<sup>23</sup> H<sub>2</sub>")),
        # A size that is not moved, and one that the matrix gives.
        ("BT /Latin 12 Tf 50 700 Td (10) Tj /Latin 8 Tf (2) Tj ET", "102"),
        ("BT /Latin 12 Tf 72 700 Td (area 3 m) Tj ET BT 7 0 0 7 119 705 Tm /Latin 1 Tf (2) Tj ET",
         _core.page_text("area 3 m<sup>2</sup>")),
    ],
)  # fmt: skip
def test_words_and_numbers_of_a_page_are_whole(content: str, expected: str, tmp_path: Path) -> None:
    """A word that a line cuts is one, and raised digits are those of pages."""
    assert text_of(tmp_path / "a.pdf", pdf_of([content])).replace("\n H", " H") == expected


def test_a_form_shows_its_values(tmp_path: Path) -> None:
    """Fields, boxes and typed notes are text of their page, once; a hidden field and a password are not."""
    note = "/Type/Annot/Rect[50 500 300 520]"
    field = f"{note}/Subtype/Widget/DA(/Song 10 Tf)"
    notes = [
        f"<<{field}/FT/Tx/T(a)/V(typed \\(in\\))>>",
        f"<<{field}/FT/Btn/T(b)/V/Yes/AS/Yes/AP<</N<</Yes 6 0 R/Off 6 0 R>>>>>>",
        f"<<{field}/FT/Btn/T(c)/V/Off/AS/Off/AP<</N<</Yes 6 0 R/Off 6 0 R>>>>>>",
        f"<<{field}/FT/Tx/T(d)/F 2/V(hidden)>>",
        f"<<{field}/FT/Tx/T(e)/Ff 8192/V(secret)>>",
        f"<<{note}/Subtype/FreeText/DA(/Song 10 Tf)/Contents<FEFF6E2F>>>",
    ]
    made = pdf_of([shown(["Name"])], notes=notes)
    assert text_of(tmp_path / "a.pdf", made) == "Name\ntyped (in)\n港\n☒☐"
