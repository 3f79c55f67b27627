"""Pages in a run: a warning where their markup is compared, and one where their main text is a small part of them."""

import json
import warnings

import pytest
from tests.integration.conftest import Program, jsonl

import simsieve as library
from simsieve import SimsieveWarning
from simsieve.run.no_effect import is_page

STORY = "<p>The lighthouse keeper paints the northern stairs every second spring, {}."
PAGE = "<!doctype html><html><body><nav>Front door</nav>{}</body></html>"
SAID = "texts are pages of HTML, and their markup is compared too; --extract main compares their main text"
ASIDE = "<aside>" + "Fog until noon, then less fog. " * 9 + "</aside>"
SMALL = PAGE.format("<p>Accept.</p>" + ASIDE * 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PAGE, True),
        ("\ufeff \n<?xml version='1.0'?><!-- a --><html lang=en><p>One text", True),
        ("<HEAD><title>a", True),
        ("<div><h1>a</h1><p>b</p></div>", True),
        ("<!doctype html>", True),
        ("<p>One text of <b>some</b> words</p>", False),
        ("<b>a</b><b>b</b><b>c</b>", False),
        ("a<b and c>d", False),
        ("Write <html> first, then <body>", False),
        ("<bodywork>", False),
        ("# A page\n<div>a</div><div>b</div><div>c</div>", False),
        ("", False),
    ],
)
def test_a_page_is_known_by_how_it_begins(text: str, expected: bool) -> None:
    """A whole page is one, and a part of one that has several elements; a text that merely has a tag is none."""
    assert is_page(text) == expected


def test_a_folder_of_pages_without_extract_is_told(simsieve: Program) -> None:
    """Each command that compares texts names the option; with it, or among other texts, nothing is said."""
    (simsieve.folder / "site").mkdir()
    for number in range(3):
        simsieve.file(f"site/{number}.html", PAGE.format(STORY.format(number)))
    simsieve.file("pages.jsonl", jsonl([{"id": 1, "text": PAGE.format(STORY)}]))
    simsieve.file(
        "texts.jsonl", jsonl([{"id": n, "text": "Write <b>one</b> text, and then another"} for n in range(4)])
    )
    for words in (
        ["dedup", "site", "-o", "kept.txt"], ["pairs", "site"], ["dedup", "pages.jsonl", "-o", "kept.jsonl"],
        ["fingerprint", "pages.jsonl"],
    ):  # fmt: skip
        assert SAID in " ".join(simsieve(*words).err.split()), words
        assert SAID not in " ".join(simsieve(*words, "--extract", "text").err.split()), words
    assert SAID not in simsieve("dedup", "texts.jsonl", "-o", "kept.jsonl").err
    assert (
        SAID not in simsieve("dedup", "pages.jsonl", "-o", "kept.jsonl", "--scheme", "dom64", "--max-distance", "3").err
    )
    assert "标记也参与比较" in simsieve("dedup", "pages.jsonl", "-o", "kept.jsonl", env={"SIMSIEVE_LANG": "zh"}).err


def test_one_page_among_the_papers_of_a_folder_is_told(simsieve: Program) -> None:
    """Its markup would hide what it shares; records with a path are no files."""
    (simsieve.folder / "papers").mkdir()
    for number in range(30):
        simsieve.file(f"papers/{number:02}.txt", f"Paper {number} is on the tides of another harbour")
    assert SAID not in simsieve("passages", "papers").err
    simsieve.file("papers/late.html", STORY)
    simsieve.file("old.txt", "One old text on tides")
    for words in (["passages", "papers"], ["passages", "papers", "--against", "old.txt"], ["pairs", "papers"]):
        told = " ".join(simsieve(*words).err.split())
        assert f"1 of the first 31 {SAID}" in told, words
        assert SAID not in " ".join(simsieve(*words, "--extract", "text").err.split()), words
    simsieve.file("paths.jsonl", jsonl([{"path": f"{n}.html", "text": f"Text {n} on tides"} for n in range(5)]))
    assert SAID not in simsieve("pairs", "paths.jsonl").err


def test_it_is_told_in_python_too() -> None:
    """The warning is a `SimsieveWarning`."""
    with pytest.warns(SimsieveWarning, match="2 of the first 2 texts are pages of HTML"):
        library.dedup([PAGE, PAGE])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library.dedup([PAGE, PAGE], extract="main")


def test_small_main_texts_are_counted_and_told(simsieve: Program) -> None:
    """The summary has their number, and the warning names one; a page that is all main text is none."""
    simsieve.file("pages.jsonl", jsonl([{"id": "good", "text": PAGE.format(STORY)}, {"id": "bad", "text": SMALL}]))
    done = simsieve("dedup", "pages.jsonl", "--extract", "main", "-o", "kept.jsonl", "--summary", "summary.json")

    assert json.loads((simsieve.folder / "summary.json").read_text())["small_main_texts"] == {
        "looked_at": 2,
        "small": 1,
    }
    told = " ".join(done.err.split())
    assert "of 2 pages looked at, 1 have a main text of less than a tenth of what a reader sees, such as 'bad'" in told
    simsieve.file("good.jsonl", jsonl([{"id": "good", "text": PAGE.format(STORY)}]))
    assert "tenth" not in simsieve("dedup", "good.jsonl", "--extract", "main", "-o", "kept.jsonl").err


def test_a_page_with_a_wrongly_closed_title_does_not_end_a_run(simsieve: Program) -> None:
    """Its end tag has what looks like another tag in it, and the text behind it is compared."""
    for name in ("title", "script", "style", "textarea", "iframe", "xmp", "noembed", "noframes"):
        text = f"<{name}>Ferry</{name} <b>It leaves at seven.</b>"
        simsieve.file("pages.jsonl", jsonl([{"text": text}, {"text": "An ordinary text on gravel and lamps"}]))
        for extract in ("text", "main"):
            done = simsieve("dedup", "pages.jsonl", "--extract", extract, "-o", "kept.jsonl", "--json")
            assert (done.code, json.loads(done.out)["kept"]) == (0, 2), done.err


def test_zero_bytes_do_not_fail_a_page(simsieve: Program) -> None:
    """Browsers leave them out, and so does a folder of pages; a text with them still fails."""
    (simsieve.folder / "site").mkdir()
    simsieve.file("site/a.html", b"<p>One \0text of the page, and some \0\0more words</p>")
    simsieve.file("site/b.html", b"<p>One text of the page, and some more words</p>")
    done = simsieve("dedup", "site", "--extract", "text", "-o", "kept.txt", "--json")
    assert json.loads(done.out)["exact_duplicates"] == 1
    simsieve.file("site/c.txt", b"One \0text of the page")
    assert "(nul)" in simsieve("dedup", "site", "--extract", "text", "-o", "kept.txt").err
