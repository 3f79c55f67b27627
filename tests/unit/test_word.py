"""Word files: what a reader sees of them, and the parts that they name."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.integration.paper_files import W, paragraph, word, word_xml

from simsieve import _core, dedup
from simsieve.errors import TextError
from simsieve.stores.papers import word as of_word

MATH = "xmlns:m='m' xmlns:r='r' xmlns:a='a' xmlns:mc='mc'"
FIELD = "<w:r><w:fldChar w:fldCharType='begin'>{}</w:fldChar></w:r>"
PICTURE = "<w:r><w:drawing><a:blip r:embed='r0'/></w:drawing></w:r>"
STYLES = f"""<w:styles {W}>
<w:style w:type="paragraph" w:styleId="hidden"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="note"><w:basedOn w:val="high"/></w:style>
<w:style w:type="character" w:styleId="high"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="quiet"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>"""


def run(text: str, says: str = "") -> str:
    """A run with these properties."""
    return f"<w:r><w:rPr>{says}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def styled(style: str, *runs: str) -> str:
    """A paragraph of a style."""
    return f"<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr>{''.join(runs)}</w:p>"


def formula(content: str) -> str:
    """A paragraph that is a formula; digits and letters in `{}` are runs of it."""
    content = content.replace("{", "<m:r><m:t>").replace("}", "</m:t></m:r>")
    return f"<w:p><m:oMath>{content}</m:oMath></w:p>"


def rels(*rows: tuple[str, str]) -> str:
    """The relationships of a part, with the ids r0, r1 and so on."""
    inside = (f"<Relationship Id='r{at}' Type='x/{kind}' Target='{target}'/>" for at, (kind, target) in enumerate(rows))
    return f"<Relationships>{''.join(inside)}</Relationships>"


def text_of(
    path: Path, body: str, more: Mapping[str, str | bytes] | None = None, main: str = "word/document.xml"
) -> str:
    """The text of a file with this body."""
    body = f"<w:x {MATH}>{body}</w:x>"
    (path / "a.docx").write_bytes(word_xml(body, main, {"word/styles.xml": STYLES, **(more or {})}))
    return of_word.read(str(path / "a.docx"), 1 << 20)


EITHER = f"<mc:AlternateContent>{{}}<mc:Fallback>{run('c')}</mc:Fallback></mc:AlternateContent>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Hidden and struck text, by the run or by a style.
        ("<w:p>" + run("a") + run("gone", "<w:vanish/>") + run("b") + "</w:p>", "ab"),
        ("<w:p>" + run("a", "<w:vanish w:val='0'/>") + run("b", "<w:webHidden/>") + "</w:p>", "ab"),
        ("<w:p>" + run("gone", "<w:strike/>") + run("gone", "<w:dstrike w:val='true'/>") + run("a") + "</w:p>", "a"),
        (styled("hidden", run("gone"), run("a", "<w:vanish w:val='off'/>")), "a"),
        (styled("hidden", run("gone"), run("a", "<w:rStyle w:val='quiet'/>")), "a"),
        (styled("unknown", run("a"), run("gone", "<w:rStyle w:val='quiet'/>")), "a"),
        ("<w:p>" + run("a", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>") + "</w:p>", "a"),
        # The end of a paragraph that is hidden, or was taken out; that of a cell stays.
        ("<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" + run("a ") + "</w:p>" + paragraph("<w:t>b</w:t>"), "a b"),
        ("<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>" + run("a ") + "</w:p>" + paragraph("<w:t>b</w:t>"), "a b"),
        ("<w:tc><w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" + run("a") + "</w:p></w:tc>" + run("b"), "a\nb"),
        # Stops of tabs are none; hyphens; signs of fonts; sounds above characters.
        ("<w:p><w:pPr><w:tabs><w:tab w:pos='4'/></w:tabs></w:pPr>" + run("a") + "</w:p>", "a"),
        (paragraph("<w:t>a</w:t><w:softHyphen/><w:noBreakHyphen/><w:t>b</w:t><w:ptab/><w:t>c</w:t>"), "a-b\tc"),
        (paragraph("<w:sym w:font='Symbol' w:char='F061'/><w:sym w:font='Wingdings' w:char='F0FE'/>"), "α☑"),
        (paragraph("<w:sym w:font='Segoe' w:char='2603'/>"), "☃"),
        (f"<w:p><w:ruby><w:rt>{run('kǒu')}</w:rt><w:rubyBase>{run('口')}</w:rubyBase></w:ruby></w:p>", "口"),
        ("<w:p>" + FIELD.format("") + r"<w:r><w:instrText>EQ \* jc2 \o\ad(\s\up 9(gǎng),港) \f(1,2)</w:instrText></w:r>"
         "<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>", "港 1/2"),
        # What is given in two forms is there once, in the first one that shows anything.
        (EITHER.format(f"<mc:Choice>{run('a')}</mc:Choice><mc:Choice>{run('b')}</mc:Choice>"), "a"),
        (EITHER.format("<mc:Choice><w:drawing/></mc:Choice>"), "c"),
        # Fields of forms show what is chosen.
        ("<w:p>" + FIELD.format("<w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='no'/>"
                                "<w:listEntry w:val='yes'/></w:ddList></w:ffData>") + "</w:p>", "yes"),
        ("<w:p>" + FIELD.format("<w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>")
         + "</w:p>", "☒"),
        (f"<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent>{run('yes')}</w:sdtContent></w:sdt>", "yes"),
    ],
)  # fmt: skip
def test_hidden_text_is_left_out_and_shown_text_is_there_once(body: str, expected: str, tmp_path: Path) -> None:
    """A text is what a reader sees of the document."""
    assert text_of(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("body", "page"),
    [
        (run("10") + run("2 ", "<w:vertAlign w:val='superscript'/>") + run("m"), "10<sup>2</sup> m"),
        ("<w:p>" + run("H") + run("2", "<w:vertAlign w:val='subscript'/>") + "</w:p>", "H<sub>2</sub>"),
        ("<w:p>" + run("10") + run("2", "<w:rStyle w:val='note'/>") + "</w:p>", "10<sup>2</sup>"),
        ("<w:p>" + run("10") + run("2", "<w:rStyle w:val='note'/><w:vertAlign w:val='baseline'/>") + "</w:p>", "102"),
        (formula("<m:f><m:fPr><m:ctrlPr><w:rPr/></m:ctrlPr></m:fPr><m:num>{1}</m:num><m:den>{x+2}</m:den></m:f>"),
         "<math><mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>2</mn></mrow></mfrac></math>"),
        (formula("<m:sSup><m:e>{x}</m:e><m:sup>{2}</m:sup></m:sSup>{-}<m:sSub><m:e>{y}</m:e><m:sub>{1}</m:sub></m:sSub>"),
         "<math><msup><mi>x</mi><mn>2</mn></msup><mo>-</mo><msub><mi>y</mi><mn>1</mn></msub></math>"),
        (formula("<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{2}</m:e></m:rad>"),
         "<math><msqrt><mn>2</mn></msqrt></math>"),
        (formula("<m:rad><m:deg>{3}</m:deg><m:e>{8}</m:e></m:rad>"),
         "<math><mroot><mn>8</mn><mn>3</mn></mroot></math>"),
        (formula("<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{i}</m:sub><m:sup>{9}</m:sup><m:e>{i}</m:e>"
                 "</m:nary>"),
         "<math><munderover><mo>∑</mo><mi>i</mi><mn>9</mn></munderover><mi>i</mi></math>"),
        (formula("<m:d><m:dPr><m:begChr m:val='['/></m:dPr><m:e>{1}</m:e><m:e>{2}</m:e></m:d>"), "[1|2)"),
        (formula("{0.}<m:bar><m:barPr><m:pos m:val='top'/></m:barPr><m:e>{3}</m:e></m:bar>"),
         "<math><mn>0</mn><mo>.</mo><mover><mn>3</mn><mo>¯</mo></mover></math>"),
        (formula("{1}<m:phant><m:phantPr><m:show m:val='0'/></m:phantPr><m:e>{2}</m:e></m:phant>"), "1"),
        (formula("<m:f><m:fPr><m:type m:val='noBar'/></m:fPr><m:num>{n}</m:num><m:den>{2}</m:den></m:f>"), "(n¦2)"),
    ],
)  # fmt: skip
def test_numbers_and_formulas_are_written_as_those_of_pages(body: str, page: str, tmp_path: Path) -> None:
    """Raised digits, fractions and roots have one form, whether Word or a page shows them."""
    assert text_of(tmp_path, body) == _core.page_text(page)


def test_parts_are_those_that_the_document_names(tmp_path: Path) -> None:
    """Notes have any name; text of other files that Word takes in is read, or the document fails with their name."""
    more: dict[str, str | bytes] = {
        "word/_rels/document2.xml.rels": rels(
            ("footnotes", "footnotes2.xml"), ("aFChunk", "/chunks/a.html"), ("diagramData", "diagrams/data1.xml"),
            ("aFChunk", "b.txt"), ("aFChunk", "c.bin"), ("aFChunk", "d.docx"), ("aFChunk", "e.docx"),
        ),
        "word/footnotes2.xml": f"<w:footnotes {W}>{paragraph('<w:t>note</w:t>')}</w:footnotes>",
        "chunks/a.html": "<p>chunk <b>of</b> HTML",
        "word/diagrams/data1.xml": "<x xmlns:a='a'><a:p><a:r><a:t>box</a:t></a:r></a:p></x>",
        "word/b.txt": "plain",
        "word/c.bin": "?",
        "word/d.docx": word(["inner"]),
        "word/e.docx": word_xml("<w:altChunk xmlns:r='r' r:id='r0'/>", more={
            "word/_rels/document.xml.rels": rels(("aFChunk", "x.docx")), "word/x.docx": word(["inmost"]),
        }),
    }  # fmt: skip
    body = paragraph("<w:t>one</w:t>") + "<w:altChunk r:id='r1'/><w:p><w:r><a:relIds r:dm='r2'/></w:r></w:p>"
    body += "<w:altChunk r:id='r3'/><w:altChunk r:id='r5'/>" + paragraph("<w:t>two</w:t>")
    assert text_of(tmp_path, body, more, "word/document2.xml").split() == [
        "one", "chunk", "of", "HTML", "box", "plain", "inner", "two", "note",
    ]  # fmt: skip
    for missing in ("r4", "r6", "r9"):
        with pytest.raises(TextError, match="in a format that is not read inside Word: open it in Word and save it"):
            text_of(tmp_path, f"<w:altChunk r:id='{missing}'/>", more, "word/document2.xml")


def test_pictures_are_marked_behind_the_text_and_not_written(tmp_path: Path) -> None:
    """Other pictures are other marks, as of files in the archive or addresses; what is written has none."""
    image = "word/_rels/document.xml.rels"
    outside = "<Relationships><Relationship Id='r0' Type='x/image' Target='{}' TargetMode='External'/></Relationships>"
    body = f"<w:p>{PICTURE}{run('as shown')}</w:p>"
    texts = [
        text_of(tmp_path, body, more)
        for more in (
            {image: rels(("image", "media/1.png")), "word/media/1.png": "a"},
            {image: rels(("image", "media/2.png")), "word/media/2.png": "a"},
            {image: rels(("image", "media/1.png")), "word/media/1.png": "b"},
            {image: outside.format("http://a/1.png")},
            {image: outside.format("http://a/2.png")},
        )
    ]
    assert texts[0] == texts[1] and len(set(texts)) == 4
    assert all(text.startswith("as shown\U000e0001") and len(text) == 8 + 17 for text in texts)
    dedup(tmp_path / "a.docx", output=tmp_path / "kept.jsonl")
    assert (tmp_path / "kept.jsonl").read_text(encoding="utf-8").endswith('"text":"as shown"}\n')


@pytest.mark.parametrize(
    ("body", "styles", "said"),
    [
        ("<w:x>" * 5000 + "</w:x>" * 5000, "", "more than 4,096 elements in one another"),
        ("", " " * (1 << 25), "has more than 16,777,216 bytes"),
    ],
)
def test_what_would_fill_the_memory_is_refused(body: str, styles: str, said: str, tmp_path: Path) -> None:
    """Elements in one another without end, and styles that unpack to very much, fail their file."""
    with pytest.raises(TextError, match=said):
        text_of(tmp_path, body, {"word/styles.xml": f"<w:styles {W}>{styles}</w:styles>"})
