"""Word and PDF files for tests, made byte by byte, so that they can be wrong."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
SCAN = "q 500 0 0 700 50 50 cm /Scan Do Q"
"""The content of a page that is a picture."""


def paragraph(content: str) -> str:
    """A paragraph of one run with this XML."""
    return f"<w:p><w:r>{content}</w:r></w:p>"


def word_xml(body: str, main: str = "word/document.xml", more: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word file whose body has this XML."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (
            ("_rels/.rels", f'<Relationships><Relationship Type="{OFFICE}" Target="{main}"/></Relationships>'),
            (main, f"<w:document {W}><w:body>{body}</w:body></w:document>"),
            *(more or {}).items(),
        ):
            # Every file has one time, so that equal texts are equal bytes.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def word(paragraphs: Iterable[str]) -> bytes:
    """A Word file with these paragraphs."""
    return word_xml("".join(paragraph(f"<w:t>{escape(text)}</w:t>") for text in paragraphs))


def shown(lines: Iterable[str]) -> str:
    """The content of a page that shows lines of text."""
    return (
        "BT /Song 10 Tf 50 800 Td "
        + " ".join(f"<{line.encode('utf-16-be').hex()}> Tj 0 -14 Td" for line in lines)
        + " ET"
    )


def latin(*lines: str) -> str:
    """The content of a page that shows lines in Helvetica."""
    return "BT /Latin 10 Tf 50 800 Td " + " ".join(f"({line}) Tj 0 -14 Td" for line in lines) + " ET"


def pdf_of(
    contents: Sequence[str], trailer: str = "", coding: str = "UniGB-UCS2-H", notes: Sequence[str] = ()
) -> bytes:
    """A PDF file whose pages have these contents; its font is one that every reader of Chinese has.

    The notes are on each page, and they are the fields of a form.
    """
    order = "GB1" if coding.startswith("UniGB") else "Identity"
    name = "/BaseFont/STSong-Light"
    box = "/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 93"
    means = f"/CIDSystemInfo<</Registry(Adobe)/Ordering({order})/Supplement 0>>"
    picture = "/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1"
    fonts = (
        f"<</Type/Font/Subtype/Type0{name}/Encoding/{coding}/DescendantFonts[4 0 R]>>",
        f"<</Type/Font/Subtype/CIDFontType0{name}/FontDescriptor 5 0 R{means}>>",
        f"<</Type/FontDescriptor/FontName/STSong-Light/Flags 4{box}>>",
        f"<</Type/XObject/Subtype/Image{picture}>>stream\n0\nendstream",
    )
    fields = " ".join(f"{7 + 2 * len(contents) + at} 0 R" for at in range(len(notes)))
    pages = [
        f"<</Annots[{fields}]/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {8 + 2 * at} 0 R"
        "/Resources<</Font<</Song 3 0 R/Latin<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
        "/XObject<</Scan 6 0 R>>>>>>"
        for at in range(len(contents))
    ]
    kids = " ".join(f"{7 + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{fields}]>>>>" if notes else "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>",
        *fonts,
    ]
    for page, content in zip(pages, contents, strict=True):
        objects += [page, f"<</Length {len(content)}>>stream\n{content}\nendstream"]
    objects += notes
    made, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj{one}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size {size}{trailer}>>\n"
    return made + f"{end}startxref\n{len(made)}\n%%EOF\n".encode()


def pdf(pages: Iterable[Sequence[str]]) -> bytes:
    """A PDF file whose pages show these lines."""
    return pdf_of([shown(lines) for lines in pages])


LOCKED = f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{'00' * 32}>/U<{'00' * 32}>>>"
"""The end of a file that opens with a password only."""
