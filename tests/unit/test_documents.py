"""OpenDocument, EPUB, RTF and mails: their text as a reader sees it, and files that cannot be used."""

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.paper_files import pdf, word

from simsieve import _core, dedup
from simsieve.errors import TextError
from simsieve.registry import PAPERS
from simsieve.stores.papers import readers

MOST = 1 << 20
SPACES = "xmlns:x='x' xmlns:text='t' xmlns:style='s' xmlns:draw='d' xmlns:svg='v' xmlns:xlink='l' xmlns:office='o'"
MATH = "<math xmlns='m'><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"

NOTE = """<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>note</text:p></text:note-body>
</text:note>""".replace("\n", "")
FORWARDED = b"""Subject: a
Content-Type: multipart/mixed; boundary=x

--x

mine
--x
Content-Type: message/rfc822

Subject: b

theirs
--x--
"""


def packed(path: Path, parts: Mapping[str, str]) -> Path:
    """A ZIP archive with these parts."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def odt(path: Path, body: str, styles: str = "", more: Mapping[str, str] | None = None) -> Path:
    """An OpenDocument file with this body."""
    content = f"<x:d {SPACES}><x:styles>{styles}</x:styles><x:body>{body}</x:body></x:d>"
    return packed(path / "a.odt", {"content.xml": content, **(more or {})})


def epub(path: Path, pages: Mapping[str, str], more: Mapping[str, str] | None = None) -> Path:
    """A book whose pages are read in this order."""
    items = "".join(f"<item id='{at}' href='{name}'/>" for at, name in enumerate(pages))
    order = "".join(f"<itemref idref='{at}'/>" for at, _ in enumerate(pages))
    parts = {
        "META-INF/container.xml": "<c><rootfiles><rootfile full-path='in/book.opf'/></rootfiles></c>",
        "in/book.opf": f"<package><manifest>{items}</manifest><spine>{order}</spine></package>",
        **{f"in/{name.replace('%20', ' ')}": page for name, page in pages.items()},
    }
    return packed(path / "a.epub", {**parts, **(more or {})})


def mail(*, html: str | None = None, text: str | None = None, attached: bytes = b"", charset: str = "utf-8") -> bytes:
    """A mail with these bodies."""
    made = EmailMessage()
    made["Subject"] = "Harbour"
    if text is not None:
        made.set_content(text, charset=charset, cte="quoted-printable")
    if html is not None and text is not None:
        made.add_alternative(html, subtype="html")
    elif html is not None:
        made.set_content(html, subtype="html", charset=charset, cte="base64")
    if attached:
        made.add_attachment(attached, "application", "pdf", filename="a.pdf")
    return made.as_bytes()


def text_of(path: Path) -> str:
    """The text of a file that is one record."""
    (found,) = readers.read(path.name, str(path), MOST)
    if isinstance(found, TextError):
        raise found
    return found.text


def test_every_paper_has_a_reader() -> None:
    """The endings by which files are opened are those of the readers."""
    assert {f".{ending}" for ending in PAPERS} == set(readers.READERS)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<text:h>1</text:h><text:p>a<text:s text:c='2'/>x<text:tab/>y<text:line-break/>z</text:p>", "1\na  x\ty\nz"),
        ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a</text:p>", "a"),
        ("<text:p>a<office:annotation><text:p>gone</text:p></office:annotation>b</text:p>", "ab"),
        (f"<text:p>a{NOTE}b</text:p><text:p>c</text:p>", "ab\nc\nnote"),
        ("<text:p>a<text:span text:style-name='hidden'>gone</text:span></text:p>", "a"),
        ("<text:p>a<text:span text:style-name='struck'>gone</text:span></text:p>", "a"),
        ("<text:p text:style-name='below'>gone</text:p><text:p>a</text:p>", "a"),
        ("<text:p><text:ruby-base>口</text:ruby-base><text:ruby-text>kǒu</text:ruby-text></text:p>", "口"),
        ("<text:p>10<text:span text:style-name='high'>2</text:span></text:p>", _core.page_text("10<sup>2</sup>")),
        ("<text:p>10<text:span text:style-name='third'>2</text:span></text:p>", _core.page_text("10<sup>2</sup>")),
        ("<text:p>10<text:span text:style-name='below line'>2</text:span></text:p>", _core.page_text("10<sub>2</sub>")),
        ("<text:section text:display='none'><text:p>gone</text:p></text:section><text:p>a</text:p>", "a"),
        ("<text:p>is <draw:frame><draw:object xlink:href='./Object 1'/><svg:desc>gone</svg:desc></draw:frame></text:p>",
         "is " + _core.page_text(MATH)),
        ("<text:list-item><text:p>in <text:a>a link</text:a></text:p></text:list-item>", "in a link"),
    ],
)  # fmt: skip
def test_of_open_document_a_text_is_what_a_reader_sees(body: str, expected: str, tmp_path: Path) -> None:
    """Lists, notes and formulas are there once; what was deleted, struck or hidden is not."""
    styles = "".join(
        f"<style:style style:name='{name}' style:family='{family}'><style:text-properties {says}/></style:style>"
        for name, family, says in (
            ("hidden", "text", "text:display='none'"),
            ("struck", "text", "style:text-line-through-style='solid'"),
            ("high", "text", "style:text-position='super 58%'"),
            ("third", "text", "style:text-position='33% 58%'"),
            ("below line", "text", "style:text-position='-33% 58%'"),
            ("none", "paragraph", "text:display='none'"),
        )
    )
    styles += "<style:style style:name='below' style:family='paragraph' style:parent-style-name='none'/>"
    assert text_of(odt(tmp_path, body, styles, {"Object 1/content.xml": MATH})) == expected


def test_pictures_and_attachments_are_marked(tmp_path: Path) -> None:
    """Documents that differ in a picture, and mails that differ in what is attached, have other marks."""
    image = "<text:p>a<draw:image xlink:href='Pictures/1.png'/></text:p>"
    found = {text_of(odt(tmp_path, image, more={"Pictures/1.png": content})) for content in ("x", "y")}
    for attached in (b"one", b"two"):
        (tmp_path / "a.eml").write_bytes(mail(text="a", attached=attached))
        found.add(text_of(tmp_path / "a.eml"))
    assert len(found) == 4
    assert {text.partition("\U000e0001")[0] for text in found} == {"a"}


def test_pictures_of_a_book_are_marked(tmp_path: Path) -> None:
    """By what they are, not by their names; a drawing is known by its lines."""
    page = {"a.xhtml": "<html><body><p>a</p><img class='x' alt='' src='b%20c/1.png'/></body></html>"}
    found = [text_of(epub(tmp_path, page, {"in/b c/1.png": content})) for content in ("x", "y", "x")]
    found += [text_of(epub(tmp_path, {"a.xhtml": f"<p>a</p><svg><path d='{d}'/></svg>"})) for d in ("M0 0", "M1 1")]
    assert len(set(found)) == 4 and found[0] == found[2]
    assert {text.partition("\U000e0001")[0] for text in found} == {"a"}


def test_a_book_is_its_pages_in_their_order(tmp_path: Path) -> None:
    """Pages are those of the spine, in HTML; a page that is locked fails the book, a font does not."""
    pages = {
        "two%20b.xhtml": "<html><head><title>t</title></head><body><p>B <b>b</b></p></body></html>",
        "one.html": "<p>A",
    }
    lock = "<e><CipherReference URI='{}'/></e>"
    assert text_of(epub(tmp_path, pages)) == "B b\nA"
    assert text_of(epub(tmp_path, pages, {"META-INF/encryption.xml": lock.format("in/font.ttf")})) == "B b\nA"
    with pytest.raises(TextError, match="is encrypted"):
        text_of(epub(tmp_path, pages, {"META-INF/encryption.xml": lock.format("in/one.html")}))


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("<title/>", "<p>a</p>", "a"),
        ("<script src='a.js' /><style type=\"text/css\"/>", "<p>a</p>", "a"),
        ("", "<p>a<a id='x'/>b<br/>c</p><iframe src='x'/><p>d</p>", "ab\nc\nd"),
        ("", f"<p>is {MATH.replace('<', '<m:').replace('<m:/', '</m:')}</p>", "is " + _core.page_text(MATH)),
    ],
)
def test_a_page_of_a_book_is_xhtml(head: str, body: str, expected: str, tmp_path: Path) -> None:
    """An element that ends where it begins takes in nothing, and formulas may have a prefix."""
    page = f"<?xml version='1.0'?><html><head>{head}</head><body>{body}</body></html>"
    assert text_of(epub(tmp_path, {"a.xhtml": page})) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (mail(text="Dear keeper,\nthe café is shut."), "Dear keeper,\nthe café is shut."),
        (mail(html="<p>港口 <b>lamp</b><style>x</style>"), "港口 lamp"),
        (mail(html="<p>html", text="plain"), "plain"),
        (mail(text="港口", charset="gb18030").replace(b"gb18030", b"gb2312"), "港口"),
        (mail(text="a").replace(b"utf-8", b"x-none"), "a"),
        (FORWARDED, "mine\ntheirs"),
    ],
)  # fmt: skip
def test_of_a_mail_the_text_is_its_body(content: bytes, expected: str, tmp_path: Path) -> None:
    """The plain body is read, else that in HTML, in its encoding, and the bodies of mails that are forwarded whole."""
    (tmp_path / "a.eml").write_bytes(content)
    assert text_of(tmp_path / "a.eml") == expected


def test_a_mailbox_has_a_record_for_each_mail(tmp_path: Path) -> None:
    """One without a text fails alone."""
    mails = [mail(text="The keeper paints the lamp every two years."), mail(attached=b"x"), mail(text="Another one.")]
    (tmp_path / "a.mbox").write_bytes(b"".join(b"From a@b Sat Jan  3 01:05:34 2026\n" + one + b"\n" for one in mails))
    result = dedup(tmp_path / "a.mbox", max_failed=1)
    assert [row.decision for row in result.decisions] == ["kept", "failed", "kept"]
    assert str(result.decisions[2].id).endswith("a.mbox:3")
    assert [code for _, code, _ in result.failures()] == ["not_text"]


def test_rtf_is_read_with_its_code_page(tmp_path: Path) -> None:
    """Bytes of Chinese, escapes of Unicode and pairs of them are characters."""
    path = tmp_path / "a.rtf"
    path.write_bytes(
        rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 S;}}\f0\'b8\'db\'bf\'da \u233? \u-10179?\u-8704?\par two}"
    )
    assert text_of(path) == "港口 é 😀\ntwo"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"10{\super 2}, 10{\sub 2}, 10\super 2\nosupersub 3", "10², 10₂, 10²3"),
        (r"10{\up6 2}{\dn6 2}{\super 3\plain 4}", "10²₂³4"),
        (r"x{\super\u178?\u233 2}", "x²é"),
        (r"a{\v gone\u233?\'e9\~\tab}b\strike gone\strike0 c{\deleted gone}", "abc"),
        (r"a{\super\chftn}{\footnote\pard\plain{\super\chftn} one}b{\footnote two}\par c", "ab\nc\n one\n two"),
        (r"a{\pict\bin3 }{}}b", "ab"),
        (r"a}}b{", "a"),
    ],
)
def test_of_rtf_a_text_is_what_a_reader_sees(body: str, expected: str, tmp_path: Path) -> None:
    """Raised digits are their own, notes stand behind the text; what is hidden, struck or deleted is not there."""
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1\ansi\ansicpg1252 " + body.encode() + b"}")
    assert text_of(tmp_path / "a.rtf").partition("\U000e0001")[0] == expected


def test_pictures_and_formulas_of_rtf_are_marked(tmp_path: Path) -> None:
    """Two files that differ in a picture or a formula have other marks."""
    found = set()
    for group in (
        r"\pict\pngblip 8950",
        r"\pict\pngblip 8951",
        r"\mmath{\*\moMath{\mr 1}}",
        r"\mmath{\*\moMath{\mr 2}}",
    ):
        (tmp_path / "a.rtf").write_text(rf"{{\rtf1 a{{{group}}}}}")
        found.add(text_of(tmp_path / "a.rtf"))
    assert len(found) == 4


@pytest.mark.parametrize("ending", sorted(readers.READERS))
def test_a_file_that_is_none_is_told(ending: str, tmp_path: Path) -> None:
    """Whatever its ending, a file with other content is a failure that names what is wrong."""
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"\0\xff nothing of the kind")
    with pytest.raises(TextError, match=r"is no whole \w+ file|is a mail without a text"):
        text_of(path)


@given(data=st.data())
def test_damage_is_an_error_that_names_it(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bytes changed, taken out or cut off give texts or a `TextError`, and nothing else."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "a.eml").write_bytes(mail(html="<p>a", text="plain", attached=b"x"))
    (folder / "a.rtf").write_bytes(rb"{\rtf1\ansi{\fonttbl{\f0\fcharset134 S;}}\f0 \'b8\'db \u233? {\b a}\par}")
    (folder / "a.pdf").write_bytes(pdf([["one line"], ["another line"]]))
    (folder / "a.docx").write_bytes(word(["one line", "another line"]))
    odt(folder, "<text:p>a</text:p>")
    epub(folder, {"a": "<p>b"})
    path = folder / data.draw(st.sampled_from(["a.eml", "a.rtf", "a.odt", "a.epub", "a.pdf", "a.docx"]))
    made = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        place = data.draw(st.integers(0, len(made)))
        made[place : place + data.draw(st.sampled_from([0, 1, 50]))] = data.draw(st.binary(max_size=4))
    path.write_bytes(made)
    with suppress(TextError):
        text_of(path)
