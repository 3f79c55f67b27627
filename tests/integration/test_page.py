"""`simsieve page`: pages that cannot be used are told and the others printed; what the schemes and charsets may be."""

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.integration.conftest import Program

GOOD = "<html><body><h1>News</h1><p>A page of some words that stand in a paragraph.</p></body></html>"
DEEP = "<html><body>" + "<b><p>" * 50_000
BINARY = bytes(range(256)) * 8


@pytest.fixture
def pages(simsieve: "Program") -> "Program":
    """The program with a good page, one that is misnested, and one that is no text."""
    simsieve.file("good.html", GOOD)
    simsieve.file("deep.html", DEEP)
    simsieve.file("binary.html", BINARY)
    return simsieve


def test_bad_pages_are_told_and_the_others_printed(pages: "Program") -> None:
    """Each bad page has a line with its name, code and reason; the exit code is that of failed records."""
    done = pages("page", "deep.html", "binary.html", "good.html", "--scheme", "dom64", "--json")
    alone = pages("page", "good.html", "--scheme", "dom64", "--json")

    assert (done.code, done.out) == (1, alone.out)
    assert json.loads(alone.out)["page"] == "good.html"
    deep, binary, closing = done.err.splitlines()
    assert deep.startswith("simsieve: deep.html (unusable_text): ")
    assert binary.startswith("simsieve: binary.html (not_text): the page is no text: ")
    assert closing == "simsieve: 2 of 3 pages failed, more than --max-failed 0 allows"
    assert "text 0" not in done.err


def test_a_file_that_cannot_be_read_is_told_and_the_others_printed(pages: "Program") -> None:
    """The exit code is that of a source that cannot be read, whatever may fail."""
    done = pages("page", "missing.html", "good.html", "--scheme", "dom64", "--max-failed", "100%")

    assert (done.code, done.out) == (2, pages("page", "good.html", "--scheme", "dom64").out)
    assert done.err.startswith("simsieve: missing.html: the page cannot be read: No such file")


def test_failed_pages_may_be_allowed(pages: "Program") -> None:
    """Within `--max-failed` the run is a success, and each failed page is told all the same."""
    done = pages("page", "deep.html", "good.html", "--scheme", "dom64", "--max-failed", "50%")

    assert (done.code, len(done.out.splitlines()), len(done.err.splitlines())) == (0, 1, 1)


def test_what_is_wrong_with_the_call_ends_it(pages: "Program") -> None:
    """A scheme or a charset that nobody knows is no fault of a page: nothing is read."""
    for words, part in [
        (["--scheme", "doom64"], 'did you mean "dom64"?'),
        (["--charset", "utf-7"], 'charset "utf-7" is not known'),
        (["--scheme", "chars64:weights=idf"], "model"),
        (["--scheme", "chars64@0.8"], "scheme 'chars64@0.8' has a threshold, @0.8, which has no place here"),
        (["--scheme", "chars64@3bits"], "give 'chars64'"),
        (["--max-failed", "some"], "max_failed"),
    ]:
        done = pages("page", "good.html", *words)
        assert (done.code, done.out) == (2, b"")
        assert part in done.err


def test_comparing_names_the_page(pages: "Program") -> None:
    """A page that the scheme cannot use is named by its file, a literal text by its argument."""
    for one, other, name in [("deep.html", "good.html", "deep.html"), ("good.html", "deep.html", "deep.html")]:
        done = pages("compare", one, other, "--scheme", "dom64")
        assert (done.code, done.err.startswith(f"simsieve: {name}: ")) == (2, True)
        assert "text 0" not in done.err + done.out.decode()
    done = pages("compare", "--text", "ff", "no", "--scheme", "external64")
    assert done.err.startswith('simsieve: B: "no" is no fingerprint')


def test_a_scheme_may_be_a_file(pages: "Program") -> None:
    """A TOML file is a scheme here too, and the help says so."""
    pages.file("mine.toml", 'features = "words"\nwidth = 32\n')
    done = pages("page", "good.html", "--scheme", "mine.toml")

    assert (done.code, len(done.out.split(b"\t")[2].strip())) == (0, 8), done.err
    assert "NAME.toml" in " ".join(pages("page", "--help").out.decode().split())


@pytest.mark.parametrize(
    ("name", "python"),
    [("utf-16-le", "utf-16-le"), ("UTF-16-BE", "utf-16-be"), ("utf_16_le", "utf-16-le"), ("utf-16le", "utf-16-le"),
     ("latin-1", "latin-1"), ("shift-jis", "shift_jis"), ("euc_kr", "euc_kr"), ("cp936", "gbk"), ("utf-8-sig", "utf-8"),
     ("big5hkscs", "big5hkscs"), ("mac-roman", "mac_roman")],
)  # fmt: skip
def test_charsets_have_the_names_of_python_too(pages: "Program", name: str, python: str) -> None:
    """A charset is known by the name that Python or IANA gives it."""
    pages.file("coded.html", GOOD.encode(python))
    done = pages("page", "coded.html", "--charset", name, "--scheme", "words64:extract=text")
    plain = pages("page", "good.html", "--scheme", "words64:extract=text")

    assert (done.code, done.out.split(b"\t")[1:]) == (0, plain.out.split(b"\t")[1:]), done.err
