"""Pages: text, main text, encodings, refusals."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from simsieve import ConfigError, TextError
from simsieve.text.html import decode, dom_features, dom_fingerprint, extract_main, extract_text, outline

PAGE = (
    "<!DOCTYPE html><html><head><title>t</title></head><body><nav><a href=/>Home</a></nav>"
    "<p>中文 caf&eacute;</p></body></html>"
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("a<br>b<hr>c", "a\nb\nc"),
        ("<p>one<p>two<div>three <span>four</span><b>five</b></div>six", "one\ntwo\nthree fourfive\nsix"),
        ("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>", "a\nb\nc\nd"),
        ("<pre>a\n  b\n</pre>c", "a\nb\nc"),
        ("<p>a\n  b&nbsp;c</p>", "a b\xa0c"),
        ("<style>x</style><script>y</script><template>z</template><!-- w --><p><noscript>v</noscript>a", "a"),
        ("<p hidden>x</p><p style='Display : None'>y</p><p style='color:none'>a", "a"),
        ("<table>x<tr><td>a<td>b</table>", "x\na b"),
        ("<frameset><frame><noframes>x</noframes></frameset>", ""),
        ("<svg><title>t</title><text>a</text></svg><math><mi>b</mi></math>", "ab"),
        ("<textarea>a <b></textarea><button>b</button>c", "a <b> b c"),
    ],
)
def test_text_is_what_a_reader_sees(html: str, expected: str) -> None:
    """Blocks part lines, cells part words, inline elements part nothing, and hidden text is not there."""
    assert expected == extract_text(html)


def test_bytes_and_text_are_one_page() -> None:
    """A page says the same as str and as bytes of any encoding, told or found."""
    for charset in ("utf-8", "gbk", "utf-16le"):
        assert extract_text(PAGE) == extract_text(PAGE.encode(charset), charset)
    for mark in ("utf-8-sig", "utf-16"):
        assert extract_text(PAGE) == extract_text(PAGE.encode(mark))
    assert decode(PAGE.encode()) == (PAGE, "UTF-8") and dom_fingerprint(PAGE) == dom_fingerprint(PAGE.encode())
    assert outline(PAGE) == outline(PAGE.encode())


def test_main_text_is_part_of_the_text() -> None:
    """Menus go; a page of nothing but menus is not lost."""
    assert extract_main(PAGE) == "中文 café"
    assert extract_main("<nav><a href=/>Home</a></nav>") == "Home"


def test_structure_knows_no_words() -> None:
    """Two pages of equal structure have equal fingerprints; an empty page has none."""
    one, other = (f"<html><body><div><p>{words}</p></div></body></html>" for words in ("a b c", "中文"))

    assert dom_fingerprint(one) == dom_fingerprint(other)
    for empty in ("", "words", "<!-- -->", "</p>"):
        assert dom_fingerprint(empty) is None and dom_features(empty) == []


def test_a_fingerprint_belongs_to_its_options() -> None:
    """Each option has a digest of its own, but the decay of a weight that has none."""
    prints = [
        dom_fingerprint(PAGE, **options)
        for options in (
            {}, {"levels": 2}, {"classes": True}, {"weight": "nearest"}, {"weight": "once"}, {"decay": 0.5},
            {"hash": "xxh3"}, {"width": 128},
        )
    ]  # fmt: skip
    assert len({made.digest for made in prints if made is not None}) == len(prints)
    once = [dom_fingerprint(PAGE, weight="once", decay=decay) for decay in (0.3, 0.4)]
    assert once[0] is not None and once[1] is not None and once[0].digest == once[1].digest


MISNESTED = "<p>" + "".join(f"<font size={i}>" for i in range(200)) + "<p>x" * 1000
USES: list[Callable[[str | bytes], object]] = [extract_text, extract_main, outline, dom_features, dom_fingerprint]


@pytest.mark.parametrize("use", USES)
def test_a_page_that_cannot_be_used_is_a_text_error(use: Callable[[str | bytes], object]) -> None:
    """A page that no parser can read within bounds and bytes that are no text are faults of the text, with a code."""
    with pytest.raises(TextError, match="misnested") as caught:
        use(MISNESTED)
    assert (caught.value.code, caught.value.index, caught.value.why) == ("unusable_text", 0, str(caught.value))
    for html in (bytes(range(256)) * 9, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0"):
        with pytest.raises(TextError, match="the page is no text") as caught:
            use(html)
        assert caught.value.code == "not_text"


def test_a_charset_that_is_not_known_is_a_config_error() -> None:
    """It is the call that is wrong, and no page."""
    for html in (PAGE.encode(), bytes(range(256)) * 8):
        with pytest.raises(ConfigError, match='charset "utf-7" is not known'):
            extract_text(html, "utf-7")


def test_real_pages_keep_their_words(shared_data: Path) -> None:
    """On real pages nearly every word that another tool finds is in the text, and the main text is part of it."""
    with gzip.open(shared_data / "html_doc_sites.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = random.Random(7).sample([json.loads(line) for line in lines], 200)
    found = total = 0
    for row in rows:
        words = row["text"].split()
        text = extract_text(row["html"])
        seen = set(text.split())
        found += sum(word in seen for word in words)
        total += len(words)
        # What is left out of a line may leave a full stop alone.
        assert all(word in text for word in extract_main(row["html"]).split()), row["id"]

    assert found / total > 0.9, f"{found} of {total} words"
