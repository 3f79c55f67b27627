"""`simsieve fingerprint` of pages: those that cannot be used are told and the others printed; schemes and encodings."""

import json
from typing import Any

import pytest
from tests.integration.conftest import Program

import simsieve as library

GOOD = "<html><body><h1>News</h1><p>A page of some words that stand in a paragraph.</p></body></html>"
DEEP = "<html><body>" + "<b><p>" * 50_000
BINARY = bytes(range(256)) * 8


@pytest.fixture
def pages(simsieve: Program) -> Program:
    """The program with a good page, one that is misnested, and one that is no text."""
    simsieve.file("good.html", GOOD)
    simsieve.file("deep.html", DEEP)
    simsieve.file("binary.html", BINARY)
    return simsieve


def test_bad_pages_are_told_and_the_others_printed(pages: Program) -> None:
    """Each bad page has a line with its name, code and reason; the exit code is that of failed records."""
    done = pages("fingerprint", "deep.html", "binary.html", "good.html", "--scheme", "dom64", "--json")
    alone = pages("fingerprint", "good.html", "--scheme", "dom64", "--json")

    assert (done.code, done.out) == (1, alone.out)
    assert json.loads(alone.out)["id"] == "good.html"
    deep, binary, closing = done.err.splitlines()
    assert deep.startswith("simsieve: deep.html (unusable_text): ")
    assert binary.startswith("simsieve: binary.html (not_text): the page is no text: ")
    assert closing == "simsieve: 2 of 3 pages failed, more than --max-failed 0 allows"
    assert "text 0" not in done.err


def test_a_file_that_cannot_be_read_is_told_and_the_others_printed(pages: Program) -> None:
    """The exit code is that of a source that cannot be read, whatever may fail."""
    done = pages("fingerprint", "missing.html", "good.html", "--scheme", "dom64", "--max-failed", "100%")

    assert (done.code, done.out) == (2, pages("fingerprint", "good.html", "--scheme", "dom64").out)
    assert done.err.startswith("simsieve: missing.html: the page cannot be read: No such file")


def test_failed_pages_may_be_allowed(pages: Program) -> None:
    """Within `--max-failed` the run is a success, and each failed page is told all the same."""
    done = pages("fingerprint", "deep.html", "good.html", "--scheme", "dom64", "--max-failed", "50%")

    assert (done.code, len(done.out.splitlines()), len(done.err.splitlines())) == (0, 1, 1)


def test_a_threshold_of_a_scheme_does_not_matter(pages: Program) -> None:
    """Fingerprints of pages and of records are those of the scheme alone, and nothing is compared."""
    pages.file("in.jsonl", json.dumps({"id": "good.html", "text": GOOD}) + "\n")
    plain = pages("fingerprint", "good.html", "--scheme", "chars64", "--scheme", "dom64")

    assert (plain.code, plain.err, len(plain.out.split(b"\t"))) == (0, "", 3)
    for one, other in [("chars64@0.8", "dom64"), ("chars64@3bits", "dom64@0.3"), ("chars64@0.5", "dom64@5bits")]:
        for source in ("good.html", "in.jsonl"):
            done = pages("fingerprint", source, "--quiet", "--scheme", one, "--scheme", other)
            assert (done.code, done.out) == (0, plain.out), done.err
    alone = pages("fingerprint", "in.jsonl", "--scheme", "chars64@0.8", "--quiet")
    assert (alone.code, alone.out.split(b"\t")[1].strip()) == (0, plain.out.split(b"\t")[1])


def test_pages_come_by_other_ways_too(pages: Program) -> None:
    """Of stdin and of a name without an ending under --pages, in every form, and into a file that appears whole."""
    pages.file("page", GOOD)
    wanted = pages("fingerprint", "good.html", "--scheme", "dom64").out.split(b"\t")[1]

    assert pages("fingerprint", "page", "--pages", "--scheme", "dom64").out == b"page\t" + wanted
    assert pages("fingerprint", "-", "--pages", "--scheme", "dom64", given=GOOD.encode()).out == b"-\t" + wanted
    done = pages("fingerprint", "good.html", "--scheme", "dom64", "--format", "int", "-o", "out.tsv")
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert (pages.folder / "out.tsv").read_text() == f"id\tfingerprint\ngood.html\t{int(wanted, 16)}\n"
    done = pages("fingerprint", "good.html", "-o", "good.html")
    assert (done.code, (pages.folder / "good.html").read_text()) == (2, GOOD)


def test_without_a_scheme_a_page_has_two_fingerprints(pages: Program) -> None:
    """Of its main text and of its structure; each object of JSON names its scheme."""
    done = pages("fingerprint", "good.html", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]

    assert [row["scheme"].split(":")[0] for row in rows] == ["chars128", "dom128"]
    assert pages("fingerprint", "good.html").out.decode().split() == [
        "good.html",
        *(row["fingerprint"] for row in rows),
    ]
    alone = pages("fingerprint", "good.html", "--extract", "main")
    assert alone.out.decode().split() == ["good.html", rows[0]["fingerprint"]]
    assert pages("fingerprint", "in.jsonl", "--json").err.startswith("simsieve: --json is for pages")


def test_comparing_names_the_page(pages: Program) -> None:
    """A page that the scheme cannot use is named by its file, a literal text by its argument."""
    for one, other, name in [("deep.html", "good.html", "deep.html"), ("good.html", "deep.html", "deep.html")]:
        done = pages("compare", one, other, "--scheme", "dom64")
        assert (done.code, done.err.startswith(f"simsieve: {name}: ")) == (2, True)
        assert "text 0" not in done.err + done.out.decode()
    done = pages("compare", "--text", "ff", "no", "--scheme", "external64")
    assert done.err.startswith('simsieve: B: "no" is no fingerprint')


def test_a_scheme_may_be_a_file(pages: Program) -> None:
    """A TOML file is a scheme here too, and the whole help says so."""
    pages.file("mine.toml", 'features = "words"\nwidth = 32\n')
    done = pages("fingerprint", "good.html", "--scheme", "mine.toml")

    assert (done.code, len(done.out.split(b"\t")[1].strip())) == (0, 8), done.err
    assert "NAME.toml" in " ".join(pages("fingerprint", "--help-all").out.decode().split())


@pytest.mark.parametrize(
    ("name", "python"),
    [("utf-16-le", "utf-16-le"), ("UTF-16-BE", "utf-16-be"), ("utf_16_le", "utf-16-le"), ("utf-16le", "utf-16-le"),
     ("latin-1", "latin-1"), ("shift-jis", "shift_jis"), ("euc_kr", "euc_kr"), ("cp936", "gbk"), ("utf-8-sig", "utf-8"),
     ("big5hkscs", "big5hkscs"), ("mac-roman", "mac_roman")],
)  # fmt: skip
def test_charsets_have_the_names_of_python_too(pages: Program, name: str, python: str) -> None:
    """A charset is known by the name that Python or IANA gives it."""
    pages.file("coded.html", GOOD.encode(python))
    done = pages("fingerprint", "coded.html", "--encoding", name, "--scheme", "words64:extract=text")
    plain = pages("fingerprint", "good.html", "--scheme", "words64:extract=text")

    assert (done.code, done.out.split(b"\t")[1:]) == (0, plain.out.split(b"\t")[1:]), done.err


def reason(one: str, two: str, **settings: Any) -> str:
    """Why the second of two pages is dropped, or how it is kept."""
    return list(library.dedup([one, two], **settings).decisions)[1].reason


QUESTION = (
    "<p>The keeper of the northern light measures {} of oil each evening, and writes it into the book on the shelf.</p>"
)


@pytest.mark.parametrize("extract", ["text", "main"])
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("10<sup>2</sup>", "102"),
        ("log<sub>2</sub>8", "log28"),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "12"),
        ("<math><msqrt><mn>2</mn></msqrt></math>", "2"),
        ("<math><msup><mn>2</mn><mn>3</mn></msup></math>", "23"),
        ("4<del>0</del>", "40"),
        ('<script type="math/tex">x^2+1</script>', '<script type="math/tex">x^2-4</script>'),
        ('<img src="1.png" alt="\\frac{1}{2}">', '<img src="1.png" alt="\\frac{2}{1}">'),
        ("0.<span style='text-decoration: overline'>3</span>", "0.3"),
        (".5 mg", "5 mg"),
    ],
)
def test_pages_whose_numbers_differ_in_markup_stay(one: str, two: str, extract: str) -> None:
    """What markup says of a number is a part of it: no exact copy, and another number for the guard."""
    pages = QUESTION.format(one), QUESTION.format(two)

    assert reason(*pages, extract=extract) != "exact"
    assert reason(*pages, extract=extract, same=["numbers"]) == "unique"


SAME = {"10<sup>2</sup>": "10²", "1<sup>st</sup>": "1st", "x<sup><a>-1</a></sup>": "x⁻¹", "4<del>0</del>": "4"}
SAME |= {"<ins>4</ins>": "4", "<ruby>光<rt>guāng</rt></ruby>": "光", '<img alt="" class="rule">': ""}


@pytest.mark.parametrize(("one", "two"), SAME.items())
def test_pages_that_say_the_same_in_markup_are_exact_copies(one: str, two: str) -> None:
    """Raised digits are those of Unicode; words above the line, struck text and readings change nothing."""
    assert reason(QUESTION.format(one), QUESTION.format(two), extract="text") == "exact"


def test_pages_with_other_pictures_are_near_and_told(simsieve: Program) -> None:
    """Another address or drawing makes no exact copy; the table at the end counts them."""
    pages = [
        QUESTION.format(f"this {picture} much")
        for picture in ("<img src=1.png>", "<img src=2.png>", "<img class=x src=1.png>", "<svg><path d=M1></svg>", "")
    ]
    simsieve.file("pages.jsonl", "".join(json.dumps({"text": page}) + "\n" for page in pages))
    ended = simsieve("dedup", "pages.jsonl", "-o", "kept.jsonl", "--extract", "text", "--decisions", "why.jsonl")
    reasons = [json.loads(line)["reason"] for line in (simsieve.folder / "why.jsonl").read_text().splitlines()]

    assert reasons == ["representative", "near", "exact", "near", "near"]
    assert "other pictures    3 of 3 near duplicates have other pictures\n" in ended.err
    assert reason(pages[0], pages[0], extract="text") == "exact"
